//! A topology as a pod: racks, planes, and at what time everything has to be sent so that it is everywhere when it should be.
//!
//! All packets of a slot reach each aggregation switch at one time, whoever sends them, and each ToR switch from above at one time, whichever aggregation switch they
//! come over. Hosts send so much earlier or later as their own cable and those of their ToR switch are longer or shorter than others (§3.2: hosts and
//! arbiter compensate for differences in fibre length), which is all that they can do: cables from one ToR switch to its aggregation switches may differ only if all of its
//! pod's do so alike, and the cables down make up for it.

use crate::config::Config;
use crate::layout::{Layout, LayoutError};
use crate::timing::{Leg, MOST_AHEAD, Turnaround};
use arbiter::{Pod, Turn};
use std::sync::Arc;
use topology::{LinkId, NodeId, Topology};
use units::{Rate, Span};

/// Why a topology is no pod.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A host with several links.
    #[error("host {host} has {links} links: a host of a pod has one, to its ToR switch")]
    Links {
        /// Which.
        host: String,
        /// How many it has.
        links: usize,
    },
    /// Racks that are not alike.
    #[error("{tor} has {hosts} hosts and {other} has {other_hosts}: all ToR switches of a pod have as many")]
    Uneven {
        /// A ToR switch.
        tor: String,
        /// Its hosts.
        hosts: usize,
        /// Another.
        other: String,
        /// Its hosts.
        other_hosts: usize,
    },
    /// A switch above that a rack does not reach by one link.
    #[error("{tor} has {links} links to {aggregation}: a pod has one from each ToR switch to each aggregation switch")]
    NotAPod {
        /// The ToR switch.
        tor: String,
        /// The switch above.
        aggregation: String,
        /// How many links there are between them.
        links: usize,
    },
    /// No switch above the ToR switches.
    #[error("{tor} has no switch above it: a pod has aggregation switches")]
    NoAggregation {
        /// A ToR switch.
        tor: String,
    },
    /// Switches above the aggregation switches.
    #[error("{switch} is above the aggregation switches: this fabric is one pod")]
    Above {
        /// One of them.
        switch: String,
    },
    /// Links that are not equally fast.
    #[error(
        "the link from {from} to {to} has {rate}, and that of the first host {first}: all links of a pod are equally fast, since nothing can wait in it"
    )]
    Rates {
        /// Where it begins.
        from: String,
        /// Where it ends.
        to: String,
        /// Its rate.
        rate: Rate,
        /// That of the first host's link.
        first: Rate,
    },
    /// Paths that nobody can compensate for.
    #[error(
        "packets over {one} and over {other} reach {at} {apart} apart, which is more than the guard band of {guard}: hosts can send earlier or later, but not by path"
    )]
    Lengths {
        /// A switch.
        one: String,
        /// Another.
        other: String,
        /// Where their packets meet.
        at: String,
        /// By how much they differ.
        apart: Span,
        /// The guard band.
        guard: Span,
    },
    /// Too many hosts or links for the arbiter.
    #[error(transparent)]
    Pod(#[from] arbiter::PodError),
    /// No slot.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// An arbiter that is too slow or too far away.
    #[error(
        "makes {slots} slots of {slot} pass from a request to the slot that it can be given, but hosts and arbiters can speak of the next {most} only; make the arbiter faster or the slot longer"
    )]
    TooFarAhead {
        /// Slots ahead.
        slots: u64,
        /// The length of each.
        slot: Span,
        /// The most there may be.
        most: u64,
    },
}

/// What a directed link is in a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// From a host to its ToR switch.
    FromHost,
    /// From a ToR switch to this aggregation switch.
    FromRack { plane: u8 },
    /// From an aggregation switch to a ToR switch.
    ToRack,
    /// From a ToR switch to this host.
    ToHost { host: u16 },
}

/// Time of slot 0, everywhere; that of slot s is s slots later.
#[derive(Debug, Clone)]
pub(crate) struct Timing {
    /// When each host begins to send.
    pub hosts: Vec<Span>,
    /// When the slot's packets are at each rack's ToR switch, ready to leave it to hosts.
    pub racks: Vec<Span>,
    /// When an arbiter has all requests of the slot.
    pub requests: Span,
    /// From the slot whose requests an arbiter has to that in which hosts get the answers.
    pub answers: u64,
    /// From the slot whose requests an arbiter has to the first that it can still give.
    pub ahead: u64,
}

/// A topology, and what each part of it is.
#[derive(Debug, Clone)]
pub struct Rig {
    pub(crate) topology: Arc<Topology>,
    pub(crate) pod: Pod,
    pub(crate) layout: Layout,
    pub(crate) rate: Rate,
    /// The host of the topology that is of each number in the pod, rack by rack, and the other way round.
    pub(crate) hosts: Vec<u32>,
    pub(crate) numbers: Vec<u16>,
    /// For each host of the pod, its links to and from its ToR switch.
    pub(crate) from_host: Vec<u32>,
    pub(crate) to_host: Vec<u32>,
    /// For each rack and plane, the links up, and down.
    pub(crate) from_rack: Vec<u32>,
    pub(crate) to_rack: Vec<u32>,
    pub(crate) roles: Vec<Role>,
    pub(crate) timing: Timing,
    pub(crate) ports: Ports,
}

/// What switches have before their links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ports {
    /// Nothing: slots with gaps for requests and answers (Fastpod).
    Bare,
    /// Queues: slots of one packet each, and requests and answers when there is something to say (Fastpass).
    Queued {
        /// What may wait before a link.
        longest: Span,
        /// Slots that an answer is about, which is also how often one is sent.
        batch: u64,
    },
}

/// Packets that an answer may have to wait for on its way where switches have queues, and be in time.
const SLACK: u64 = 8;

impl Rig {
    /// The pod that this topology is.
    ///
    /// # Errors
    /// [`BuildError`] if it is none, or slots can't be laid out.
    pub fn new(topology: &Arc<Topology>, config: &Config) -> Result<Rig, BuildError> {
        Rig::with_ports(topology, config, Ports::Bare)
    }

    /// The same with queues before links, or without.
    pub(crate) fn with_ports(topology: &Arc<Topology>, config: &Config, ports: Ports) -> Result<Rig, BuildError> {
        let shape = Shape::of(topology)?;
        let (racks, planes) = (shape.racks.len(), shape.aggregations.len());
        let per_rack = shape.hosts_per_rack(topology)?;
        let fits = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let pod = Pod::two_tiers(fits(racks), fits(per_rack), fits(planes))?;
        let pod = if ports == Ports::Bare { pod } else { pod.turning(Turn::AtNearest) };
        let name = |node: u32| topology.name(NodeId(node)).to_owned();
        let mut from_rack = Vec::with_capacity(racks * planes);
        for (tor, _) in &shape.racks {
            for aggregation in &shape.aggregations {
                let mut links = topology.link_between(NodeId(*tor), NodeId(*aggregation));
                match (links.next(), links.len()) {
                    (Some(link), 0) => from_rack.push(link.0),
                    (first, more) => {
                        let links = usize::from(first.is_some()) + more;
                        return Err(BuildError::NotAPod { tor: name(*tor), aggregation: name(*aggregation), links });
                    }
                }
            }
        }
        let hosts: Vec<u32> = shape.racks.iter().flat_map(|(_, hosts)| hosts.iter().copied()).collect();
        let from_host: Vec<u32> = hosts.iter().map(|host| topology.ports(NodeId(*host)).start).collect();
        let reverse =
            |links: &[u32]| -> Vec<u32> { links.iter().map(|link| topology.reverse(LinkId(*link)).0).collect() };
        let (to_host, to_rack) = (reverse(&from_host), reverse(&from_rack));
        let rate = topology.link(LinkId(from_host[0])).rate;
        if let Some(link) = topology.links().iter().find(|link| link.rate != rate) {
            let (from, to) = (name(link.from.0), name(link.to.0));
            return Err(BuildError::Rates { from, to, rate: link.rate, first: rate });
        }
        let layout = Layout::new(pod.hosts_per_rack(), rate, config.packet, config.control, config.guard)?;
        let mut numbers = vec![0; hosts.len()];
        let mut roles = vec![Role::FromHost; topology.links().len()];
        for (number, host) in (0..pod.hosts()).zip(&hosts) {
            numbers[*host as usize] = number;
            roles[to_host[usize::from(number)] as usize] = Role::ToHost { host: number };
        }
        for (place, (up, down)) in from_rack.iter().zip(&to_rack).enumerate() {
            roles[*up as usize] = Role::FromRack { plane: (place % planes) as u8 };
            roles[*down as usize] = Role::ToRack;
        }
        let delay = |link: &u32| topology.link(LinkId(*link)).delay;
        let delays = Delays {
            up: from_rack.iter().map(delay).collect(),
            down: to_rack.iter().map(delay).collect(),
            from_host: from_host.iter().map(delay).collect(),
            to_host: to_host.iter().map(delay).collect(),
            planes,
        };
        let (timing, slot, most) = match ports {
            Ports::Bare => {
                delays.check(&shape, config.guard, name)?;
                (delays.timing(&pod, &layout, config), layout.slot(), MOST_AHEAD)
            }
            Ports::Queued { batch, .. } => {
                (delays.loose(&layout, config), layout.data, MOST_AHEAD.saturating_sub(batch))
            }
        };
        if timing.ahead > most {
            return Err(BuildError::TooFarAhead { slots: timing.ahead, slot, most });
        }
        let topology = Arc::clone(topology);
        Ok(Rig {
            topology,
            pod,
            layout,
            rate,
            hosts,
            numbers,
            from_host,
            to_host,
            from_rack,
            to_rack,
            roles,
            timing,
            ports,
        })
    }

    /// The arbiter's idea of it.
    pub fn pod(&self) -> &Pod {
        &self.pod
    }

    /// The layout of its slots.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Slots from the one whose requests an arbiter has to the first that it can still give.
    pub fn ahead(&self) -> u64 {
        self.timing.ahead
    }

    /// How long a slot is.
    pub(crate) fn slot(&self) -> Span {
        match self.ports {
            Ports::Bare => self.layout.slot(),
            Ports::Queued { .. } => self.layout.data,
        }
    }

    /// Data packets of a slot.
    pub(crate) fn packets(&self) -> u32 {
        match self.ports {
            Ports::Bare => self.layout.packets(),
            Ports::Queued { .. } => 1,
        }
    }

    /// When in a slot one of its packets leaves.
    #[inline]
    pub(crate) fn packet_at(&self, packet: u32, source: u16, destination: u16) -> Span {
        match self.ports {
            Ports::Bare => self.layout.packet(packet, self.index(source), self.index(destination)),
            Ports::Queued { .. } => Span::ZERO,
        }
    }

    /// Whether a packet turns at the ToR switch that both hosts are on.
    #[inline]
    pub(crate) fn turns_at_rack(&self, source: u16, destination: u16) -> bool {
        self.pod.turn() == Turn::AtNearest && self.pod.rack(source) == self.pod.rack(destination)
    }

    pub(crate) fn delay(&self, link: u32) -> Span {
        self.topology.link(LinkId(link)).delay
    }

    /// A host's number among those of its rack.
    #[inline]
    pub(crate) fn index(&self, host: u16) -> u32 {
        u32::from(host) % self.layout.hosts
    }
}

/// ToR switches with their hosts, and aggregation switches.
struct Shape {
    racks: Vec<(u32, Vec<u32>)>,
    aggregations: Vec<u32>,
}

impl Shape {
    fn of(topology: &Topology) -> Result<Shape, BuildError> {
        let ports = |node| topology.ports(NodeId(node));
        let name = |node: u32| topology.name(NodeId(node)).to_owned();
        if let Some(host) = (0..topology.hosts()).find(|host| ports(*host).len() != 1) {
            return Err(BuildError::Links { host: name(host), links: ports(host).len() });
        }
        let mut racks: Vec<(u32, Vec<u32>)> =
            (topology.hosts()..topology.nodes()).map(|switch| (switch, Vec::new())).collect();
        for host in 0..topology.hosts() {
            let switch = topology.link(LinkId(ports(host).start)).to.0;
            racks[(switch - topology.hosts()) as usize].1.push(host);
        }
        let (racks, others): (Vec<_>, Vec<_>) = racks.into_iter().partition(|(_, hosts)| !hosts.is_empty());
        let is_tor = |node: u32| racks.iter().any(|(tor, _)| *tor == node);
        let above = |switch: u32| ports(switch).any(|port| is_tor(topology.link(LinkId(port)).to.0));
        if let Some((switch, _)) = others.iter().find(|(switch, _)| !above(*switch)) {
            return Err(BuildError::Above { switch: name(*switch) });
        }
        let aggregations: Vec<u32> = others.into_iter().map(|(switch, _)| switch).collect();
        match racks.first() {
            Some((tor, _)) if aggregations.is_empty() => Err(BuildError::NoAggregation { tor: name(*tor) }),
            _ => Ok(Shape { racks, aggregations }),
        }
    }

    fn hosts_per_rack(&self, topology: &Topology) -> Result<usize, BuildError> {
        let Some((first, hosts)) = self.racks.first() else { return Ok(0) };
        let name = |node: u32| topology.name(NodeId(node)).to_owned();
        match self.racks.iter().find(|(_, others)| others.len() != hosts.len()) {
            Some((tor, others)) => Err(BuildError::Uneven {
                tor: name(*first),
                hosts: hosts.len(),
                other: name(*tor),
                other_hosts: others.len(),
            }),
            None => Ok(hosts.len()),
        }
    }
}

/// The delays of all links: of those between switches by rack and plane.
struct Delays {
    up: Vec<Span>,
    down: Vec<Span>,
    from_host: Vec<Span>,
    to_host: Vec<Span>,
    planes: usize,
}

impl Delays {
    /// Whether hosts can compensate for all differences but what guard bands absorb.
    fn check(&self, shape: &Shape, guard: Span, name: impl Fn(u32) -> String) -> Result<(), BuildError> {
        let ps = |delays: &[Span], place: usize| i128::from(delays[place].as_ps());
        let apart = |spread: i128| Span::from_ps(spread.unsigned_abs() as u64);
        for (rack, (tor, _)) in shape.racks.iter().enumerate() {
            for (plane, aggregation) in shape.aggregations.iter().enumerate() {
                let place = rack * self.planes + plane;
                // What this rack's packets are late by at this aggregation switch, beyond what they are late by at the first.
                let late = ps(&self.up, place) - ps(&self.up, rack * self.planes);
                let spread = late - (ps(&self.up, plane) - ps(&self.up, 0));
                if apart(spread) > guard {
                    let (one, other) = (name(shape.racks[0].0), name(*tor));
                    return Err(BuildError::Lengths {
                        one,
                        other,
                        at: name(*aggregation),
                        apart: apart(spread),
                        guard,
                    });
                }
                let over = |plane: usize| ps(&self.up, plane) + ps(&self.down, rack * self.planes + plane);
                let spread = over(plane) - over(0);
                if apart(spread) > guard {
                    let (one, other) = (name(shape.aggregations[0]), name(*aggregation));
                    return Err(BuildError::Lengths { one, other, at: name(*tor), apart: apart(spread), guard });
                }
            }
        }
        Ok(())
    }

    /// Where queues make up for differences: all begin a slot at once, and an answer has some packets' time more than it takes without waiting.
    fn loose(&self, layout: &Layout, config: &Config) -> Timing {
        let farthest = self.from_host.iter().chain(&self.to_host).max().copied().unwrap_or(Span::ZERO);
        let passage = farthest + config.switch_latency + config.arbiter_delay + layout.control;
        let answered = config.arbiter_latency + passage + layout.data * SLACK;
        let ahead = answered.as_ps().div_ceil(layout.data.as_ps());
        let hosts = vec![Span::ZERO; self.from_host.len()];
        Timing { racks: Vec::new(), hosts, requests: Span::ZERO, answers: 0, ahead }
    }

    fn timing(&self, pod: &Pod, layout: &Layout, config: &Config) -> Timing {
        let (switch, slot) = (config.switch_latency, layout.slot());
        let rack = |host: u16| pod.rack(host) as usize;
        // From a host to its aggregation switch of plane 0.
        let rise = |host: u16| self.from_host[usize::from(host)] + switch + self.up[rack(host) * self.planes];
        let highest = (0..pod.hosts()).map(rise).max().unwrap_or(Span::ZERO);
        let hosts: Vec<Span> = (0..pod.hosts()).map(|host| highest - rise(host)).collect();
        let racks: Vec<Span> =
            (0..pod.racks() as usize).map(|rack| highest + switch + self.down[rack * self.planes] + switch).collect();
        let legs = (0..pod.hosts()).map(|host| Leg {
            begins: hosts[usize::from(host)],
            from_host: self.from_host[usize::from(host)],
            rack: racks[rack(host)],
            to_host: self.to_host[usize::from(host)],
        });
        let control = switch + config.arbiter_delay;
        let Turnaround { requests, answers, ahead } = Turnaround::new(legs, control, config.arbiter_latency, slot);
        Timing { hosts, racks, requests, answers, ahead }
    }
}
