//! What an arbiter knows of its pod: how many hosts, racks and paths.

use std::fmt;

/// The largest number of uplinks of a rack, and of core switches above an aggregation switch: a word has a bit for each.
pub const LARGEST_FAN: u32 = 64;

/// Where a packet turns downwards whose source and destination have a switch below the top in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Turn {
    /// At the top, like every other packet. Fastpod needs that: all packets of a slot then reach each tier at the same time (§5).
    AtTop,
    /// At the lowest switch above both. Fastpass does so: its switches have buffers.
    AtNearest,
}

/// A pod: racks of hosts below an edge switch (ToR) each, aggregation switches above, and for a pod of three tiers core switches above
/// those. Hosts are numbered rack by rack, racks group by group.
///
/// In two tiers every rack has one link to each aggregation switch, so that a path is the choice of an aggregation switch. In three tiers
/// racks are in groups, each with aggregation switches of its own; aggregation switch number a of every group has one link to each core
/// switch of plane a, so that a path is the choice of a and of a core switch in its plane (the k-port fat-tree of Al-Fares et al., SIGCOMM 2008).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pod {
    racks: u32,
    hosts_per_rack: u32,
    uplinks: u32,
    cores: Option<Cores>,
    turn: Turn,
}

/// The third tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Cores {
    racks_per_group: u32,
    per_aggregation: u32,
}

/// What is wrong with a pod.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PodError {
    /// Something of which there is none.
    #[error("a pod needs at least one of each: {racks} racks, {hosts_per_rack} hosts a rack, {uplinks} uplinks a rack")]
    Empty {
        /// Racks.
        racks: u32,
        /// Hosts below each rack's switch.
        hosts_per_rack: u32,
        /// Aggregation switches above each rack.
        uplinks: u32,
    },
    /// More hosts than numbers for them.
    #[error("a pod has at most 65534 hosts, not {hosts}")]
    TooManyHosts {
        /// Racks times hosts of a rack.
        hosts: u64,
    },
    /// More paths than bits in a word.
    #[error("a switch has at most {LARGEST_FAN} links upwards, not {links}")]
    TooManyLinks {
        /// Links upwards.
        links: u32,
    },
    /// Aggregation switches with more links downwards than upwards: then no edge colouring of the racks need have paths above.
    #[error(
        "an aggregation switch with {racks_per_group} racks below needs as many core switches above, not {cores_per_aggregation}"
    )]
    OversubscribedAggregation {
        /// Racks of a group.
        racks_per_group: u32,
        /// Core switches above each aggregation switch.
        cores_per_aggregation: u32,
    },
    /// No core switches, or no pods, where there are to be some.
    #[error(
        "a pod among others needs core switches and pods, not {cores_per_plane} core switches a plane and {pods} pods"
    )]
    NothingOutside {
        /// Core switches above each aggregation switch.
        cores_per_plane: u32,
        /// Pods.
        pods: u16,
    },
    /// A pod that has core switches of its own.
    #[error("a pod of three tiers has its core switches inside: others cannot be above it")]
    ThreeTiers,
    /// More hosts and core switches, or hosts and pods, than numbers for them.
    #[error("hosts and core switches, and hosts and pods, are at most 65534 together, not {participants}")]
    TooManyParticipants {
        /// The larger of the two sums.
        participants: u64,
    },
    /// No fat-tree has this many ports.
    #[error("a fat-tree is made of switches with an even number of ports, at least 2, not {ports}")]
    Ports {
        /// Ports of a switch.
        ports: u32,
    },
}

/// A packet of one slot from one host to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transfer {
    /// The host that sends.
    pub source: u16,
    /// The host that receives.
    pub destination: u16,
}

/// The way of a packet through the pod: where it turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Path {
    /// At the edge switch that both hosts are on.
    Edge,
    /// At this aggregation switch of the group.
    Aggregation(u8),
    /// Up to this aggregation switch of its group, and to this core switch of that plane.
    Core {
        /// Aggregation switch, counted in its group.
        aggregation: u8,
        /// Core switch, counted in the plane.
        core: u8,
    },
}

/// A link in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Link {
    /// From this host to its edge switch.
    FromHost(u16),
    /// From this rack's edge switch to that aggregation switch.
    FromRack(u32, u8),
    /// From this group's aggregation switch to that core switch.
    FromAggregation(u32, u8, u8),
    /// From a core switch down to this group's aggregation switch.
    ToAggregation(u32, u8, u8),
    /// From an aggregation switch down to this rack's edge switch.
    ToRack(u32, u8),
    /// From the edge switch to this host.
    ToHost(u16),
}

/// Something that can be out of order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// A host, or its link in either direction.
    Host(u16),
    /// The link from this rack's edge switch to that aggregation switch.
    FromRack(u32, u8),
    /// The link from an aggregation switch down to this rack's edge switch.
    ToRack(u32, u8),
    /// The link from this aggregation switch to that core switch of its plane.
    ToCore(u8, u8),
    /// The link from a core switch of this plane, which has that number, down to the aggregation switch.
    FromCore(u8, u8),
    /// The core switch of this plane that has that number.
    Core(u8, u8),
}

impl Pod {
    /// A pod of two tiers in which every packet turns at an aggregation switch ([`Turn::AtTop`]). `uplinks` may be fewer than
    /// `hosts_per_rack`: then no more packets of a slot leave, or reach, a rack than it has uplinks.
    ///
    /// # Errors
    /// [`PodError`] if there is none of something, or too much.
    pub fn two_tiers(racks: u32, hosts_per_rack: u32, uplinks: u32) -> Result<Pod, PodError> {
        let hosts = u64::from(racks) * u64::from(hosts_per_rack);
        if hosts == 0 || uplinks == 0 {
            return Err(PodError::Empty { racks, hosts_per_rack, uplinks });
        }
        if hosts >= u64::from(u16::MAX) {
            return Err(PodError::TooManyHosts { hosts });
        }
        if uplinks > LARGEST_FAN {
            return Err(PodError::TooManyLinks { links: uplinks });
        }
        Ok(Pod { racks, hosts_per_rack, uplinks, cores: None, turn: Turn::AtTop })
    }

    /// A pod of three tiers, with `cores_per_aggregation` core switches in each plane.
    ///
    /// # Errors
    /// [`PodError`] if there is none of something, too much, or too little above the aggregation switches.
    pub fn three_tiers(
        groups: u32,
        racks_per_group: u32,
        hosts_per_rack: u32,
        uplinks: u32,
        cores_per_aggregation: u32,
    ) -> Result<Pod, PodError> {
        let racks = groups.saturating_mul(racks_per_group);
        let pod = Pod::two_tiers(racks, hosts_per_rack, uplinks)?;
        if cores_per_aggregation > LARGEST_FAN {
            return Err(PodError::TooManyLinks { links: cores_per_aggregation });
        }
        if cores_per_aggregation < racks_per_group {
            return Err(PodError::OversubscribedAggregation { racks_per_group, cores_per_aggregation });
        }
        Ok(Pod { cores: Some(Cores { racks_per_group, per_aggregation: cores_per_aggregation }), ..pod })
    }

    /// A pod of a fat-tree of switches with `ports` ports: k/2 racks of k/2 hosts, and k/2 aggregation switches (Fastpod's Fig. 1).
    ///
    /// # Errors
    /// [`PodError`] if that is no even number, or too large.
    pub fn of_fat_tree(ports: u32) -> Result<Pod, PodError> {
        let half = Pod::half(ports)?;
        Pod::two_tiers(half, half, half)
    }

    /// A whole fat-tree of switches with `ports` ports as one pod of three tiers: k groups of k/2 racks of k/2 hosts.
    ///
    /// # Errors
    /// [`PodError`] if that is no even number, or too large.
    pub fn whole_fat_tree(ports: u32) -> Result<Pod, PodError> {
        let half = Pod::half(ports)?;
        Pod::three_tiers(ports, half, half, half, half)
    }

    fn half(ports: u32) -> Result<u32, PodError> {
        if ports < 2 || !ports.is_multiple_of(2) { Err(PodError::Ports { ports }) } else { Ok(ports / 2) }
    }

    /// The same pod, in which packets turn elsewhere.
    #[must_use]
    pub fn turning(self, turn: Turn) -> Pod {
        Pod { turn, ..self }
    }

    /// How many hosts.
    pub fn hosts(&self) -> u16 {
        u16::try_from(self.racks * self.hosts_per_rack).expect("a pod was checked when it was made")
    }

    /// How many racks.
    pub fn racks(&self) -> u32 {
        self.racks
    }

    /// How many hosts a rack has.
    pub fn hosts_per_rack(&self) -> u32 {
        self.hosts_per_rack
    }

    /// How many links a rack has upwards, each to an aggregation switch.
    pub fn uplinks(&self) -> u32 {
        self.uplinks
    }

    /// How many core switches are above each aggregation switch; none in a pod of two tiers.
    pub fn cores_per_aggregation(&self) -> u32 {
        self.cores.map_or(0, |cores| cores.per_aggregation)
    }

    /// How many groups of racks have aggregation switches of their own.
    pub fn groups(&self) -> u32 {
        self.cores.map_or(1, |cores| self.racks / cores.racks_per_group)
    }

    /// Where packets turn that need not go to the top.
    pub fn turn(&self) -> Turn {
        self.turn
    }

    /// The rack of a host.
    pub fn rack(&self, host: u16) -> u32 {
        u32::from(host) / self.hosts_per_rack
    }

    /// The group of a rack.
    pub fn group(&self, rack: u32) -> u32 {
        self.cores.map_or(0, |cores| rack / cores.racks_per_group)
    }

    /// The links of a packet on its way, from the source upwards and down to the destination.
    pub fn links(&self, transfer: Transfer, path: Path) -> impl Iterator<Item = Link> {
        let (from, to) = (self.rack(transfer.source), self.rack(transfer.destination));
        let (up, down) = match path {
            Path::Edge => ([None, None], [None, None]),
            Path::Aggregation(a) => ([Some(Link::FromRack(from, a)), None], [None, Some(Link::ToRack(to, a))]),
            Path::Core { aggregation: a, core } => (
                [Some(Link::FromRack(from, a)), Some(Link::FromAggregation(self.group(from), a, core))],
                [Some(Link::ToAggregation(self.group(to), a, core)), Some(Link::ToRack(to, a))],
            ),
        };
        let ends = [Some(Link::FromHost(transfer.source)), Some(Link::ToHost(transfer.destination))];
        let [first, last] = ends;
        [first].into_iter().chain(up).chain(down).chain([last]).flatten()
    }
}

impl fmt::Display for Pod {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pod { racks, hosts_per_rack, uplinks, .. } = self;
        write!(formatter, "{racks} racks of {hosts_per_rack} hosts with {uplinks} uplinks")?;
        match self.cores {
            Some(Cores { racks_per_group, per_aggregation }) => {
                write!(formatter, ", in groups of {racks_per_group}, {per_aggregation} core switches a plane")
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pod_of_a_fat_tree_has_a_quarter_of_the_square_of_its_ports_as_hosts() {
        let pod = Pod::of_fat_tree(8).expect("a pod");
        assert_eq!((pod.hosts(), pod.racks(), pod.uplinks(), pod.groups()), (16, 4, 4, 1));
        let whole = Pod::whole_fat_tree(32).expect("a fat-tree");
        assert_eq!((whole.hosts(), whole.racks(), whole.groups()), (8192, 512, 32));
        assert_eq!(
            whole.to_string(),
            "512 racks of 16 hosts with 16 uplinks, in groups of 16, 16 core switches a plane"
        );
    }

    #[test]
    fn what_cannot_be_a_pod_is_named() {
        let message = |pod: Result<Pod, PodError>| pod.expect_err("no pod").to_string();
        assert_eq!(
            message(Pod::two_tiers(4, 4, 0)),
            "a pod needs at least one of each: 4 racks, 4 hosts a rack, 0 uplinks a rack"
        );
        assert_eq!(message(Pod::two_tiers(1024, 64, 64)), "a pod has at most 65534 hosts, not 65536");
        assert_eq!(message(Pod::two_tiers(4, 4, 65)), "a switch has at most 64 links upwards, not 65");
        assert_eq!(
            message(Pod::of_fat_tree(5)),
            "a fat-tree is made of switches with an even number of ports, at least 2, not 5"
        );
        assert_eq!(
            message(Pod::three_tiers(2, 4, 4, 4, 3)),
            "an aggregation switch with 4 racks below needs as many core switches above, not 3"
        );
    }
}
