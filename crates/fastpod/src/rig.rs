//! A topology as a pod: racks, planes, and at what time everything has to be sent so that it is everywhere when it should be.
//!
//! All packets of a slot reach each aggregation switch at one time, whoever sends them, and each ToR switch from above at one time, whichever aggregation switch they
//! come over. Hosts send so much earlier or later as their own cable and those of their ToR switch are longer or shorter than others (§3.2: hosts and
//! arbiter compensate for differences in fibre length), which is all that they can do: cables from one ToR switch to its aggregation switches may differ only if all of its
//! pod's do so alike, and the cables down make up for it.

mod delays;
mod errors;
mod outside;
mod shape;

pub use errors::BuildError;

use crate::config::Config;
use crate::layout::Layout;
use crate::timing::MOST_AHEAD;
use arbiter::{Pod, Turn};
use delays::Delays;
use outside::Outside;
use shape::Shape;
use std::sync::Arc;
use topology::{LinkId, NodeId, Topology};
use units::{Rate, Span};

/// What a directed link is in a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// From a host to its ToR switch.
    FromHost,
    /// From a ToR switch to this aggregation switch.
    FromRack { plane: u8 },
    /// From an aggregation switch to a ToR switch.
    ToRack,
    /// From an aggregation switch to this core switch.
    ToCore { core: u16 },
    /// From this core switch to an aggregation switch of this pod.
    FromCore { core: u16, pod: u16 },
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
    /// When each core switch begins to send to each pod: pod by pod. All packets of a slot are at an aggregation switch at one time, wherever they come from.
    pub cores: Vec<Span>,
    /// When the last packet of a slot that was sent to a core switch is there, at the latest after that begins to send.
    pub at_core: Span,
}

/// A topology, and what each part of it is.
#[derive(Debug, Clone)]
pub struct Rig {
    pub(crate) topology: Arc<Topology>,
    /// The pod, or one of several that are alike.
    pub(crate) pod: Pod,
    pub(crate) pods: u16,
    pub(crate) outside: Option<Outside>,
    pub(crate) layout: Layout,
    pub(crate) rate: Rate,
    /// The host of the topology that is of each number, pod by pod and rack by rack, and the other way round.
    pub(crate) hosts: Vec<u32>,
    pub(crate) numbers: Vec<u16>,
    /// For each host, its links to and from its ToR switch.
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

impl Ports {
    /// Slots that an arbiter goes on by.
    pub(crate) fn slots_at_once(self) -> u64 {
        match self {
            Ports::Bare => 1,
            Ports::Queued { batch, .. } => batch,
        }
    }
}

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
        let shape = Shape::of(topology, ports)?;
        let (racks, planes) = (shape.racks.len() / shape.pods, shape.aggregations.len() / shape.pods);
        let per_rack = shape.hosts_per_rack(topology)?;
        let fits = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let pod = Pod::two_tiers(fits(racks), fits(per_rack), fits(planes))?;
        let pod = if ports == Ports::Bare { pod } else { pod.turning(Turn::AtNearest) };
        let name = |node: u32| topology.name(NodeId(node)).to_owned();
        let mut from_rack = Vec::with_capacity(racks * planes * shape.pods);
        for (number, (tor, _)) in shape.racks.iter().enumerate() {
            for aggregation in &shape.aggregations[number / racks * planes..][..planes] {
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
        let outside = Outside::new(topology, &shape, &pod)?;
        let all = u64::from(pod.hosts()) * shape.pods as u64;
        if all >= u64::from(u16::MAX) {
            return Err(arbiter::PodError::TooManyHosts { hosts: all }.into());
        }
        let mut numbers = vec![0; hosts.len()];
        let mut roles = vec![Role::FromHost; topology.links().len()];
        for (number, host) in (0..).zip(&hosts) {
            numbers[*host as usize] = number;
            roles[to_host[usize::from(number)] as usize] = Role::ToHost { host: number };
        }
        for (place, (up, down)) in from_rack.iter().zip(&to_rack).enumerate() {
            roles[*up as usize] = Role::FromRack { plane: (place % planes) as u8 };
            roles[*down as usize] = Role::ToRack;
        }
        for (place, (up, down)) in
            outside.iter().flat_map(|outside| outside.to_core.iter().zip(&outside.from_core)).enumerate()
        {
            let (core, pod) = ((place % shape.cores.len()) as u16, (place / shape.cores.len()) as u16);
            roles[*up as usize] = Role::ToCore { core };
            roles[*down as usize] = Role::FromCore { core, pod };
        }
        let delay = |link: &u32| topology.link(LinkId(*link)).delay;
        let delays = Delays {
            up: from_rack.iter().map(delay).collect(),
            down: to_rack.iter().map(delay).collect(),
            from_host: from_host.iter().map(delay).collect(),
            to_host: to_host.iter().map(delay).collect(),
            planes,
            racks,
            to_core: outside.iter().flat_map(|outside| &outside.to_core).map(delay).collect(),
            from_core: outside.iter().flat_map(|outside| &outside.from_core).map(delay).collect(),
        };
        let (timing, slot, most) = match ports {
            Ports::Bare => {
                delays.check(&shape, config.guard, name)?;
                (delays.timing(&pod, outside.as_ref(), &layout, config), layout.slot(), MOST_AHEAD)
            }
            Ports::Queued { batch, .. } => {
                (delays.loose(&layout, config), layout.data, MOST_AHEAD.saturating_sub(batch))
            }
        };
        if timing.ahead > most {
            return Err(BuildError::TooFarAhead { slots: timing.ahead, slot, most });
        }
        let pods = shape.pods as u16;
        let outside = outside.map(|outside| outside.with_room(config, &layout, &timing, &delays)).transpose()?;
        let topology = Arc::clone(topology);
        Ok(Rig {
            topology,
            pod,
            pods,
            outside,
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

    /// How many pods there are.
    pub fn pods(&self) -> u16 {
        self.pods
    }

    /// Packets that a core switch between pods holds at most, for all pods together; and those for one pod, beyond which nothing is sent to it for that pod but
    /// what is under way.
    pub fn core_capacity(&self) -> Option<(u64, u64)> {
        self.outside.as_ref().map(|outside| (outside.capacity, outside.stop_port))
    }

    /// Core switches.
    pub(crate) fn cores(&self) -> usize {
        self.outside.as_ref().map_or(0, |outside| outside.cores.len())
    }

    /// All hosts, of all pods.
    pub(crate) fn all_hosts(&self) -> u16 {
        self.pod.hosts() * self.pods
    }

    /// The pod of a host.
    #[inline]
    pub(crate) fn pod_of(&self, host: u16) -> u16 {
        if self.pods == 1 { 0 } else { host / self.pod.hosts() }
    }

    /// A host's number in its pod.
    #[inline]
    pub(crate) fn local(&self, host: u16) -> u16 {
        if self.pods == 1 { host } else { host % self.pod.hosts() }
    }

    /// What a host asks slots for that has something for another: that host, or its pod (§3.4), which is numbered after the hosts of a pod.
    #[inline]
    pub(crate) fn target(&self, source: u16, destination: u16) -> u16 {
        let pod = self.pod_of(destination);
        if self.pod_of(source) == pod { self.local(destination) } else { self.pod.hosts() + pod }
    }

    /// How many of them there are.
    pub(crate) fn targets(&self) -> u16 {
        self.pod.hosts() + if self.pods == 1 { 0 } else { self.pods }
    }

    /// The number below its ToR switch of a host for which slots are asked. What is for another pod has the gaps of a slot to the last host of a rack: the answer's is at the
    /// end, where nobody fills it.
    #[inline]
    pub(crate) fn target_index(&self, target: u16) -> u32 {
        if target < self.pod.hosts() { self.index(target) } else { self.layout.hosts - 1 }
    }

    /// What a core switch is among those of a pod that send and receive: numbered after hosts.
    #[inline]
    pub(crate) fn participant(&self, core: u16) -> u16 {
        self.pod.hosts() + core
    }

    /// A core switch among all, by its plane and its number there.
    #[inline]
    pub(crate) fn core_number(&self, plane: u8, core: u8) -> u16 {
        let above = self.outside.as_ref().map_or(1, |outside| outside.attached.cores_per_plane());
        (u32::from(plane) * above + u32::from(core)) as u16
    }

    /// The number below its ToR switch of who sends in a slot. A core switch takes the gaps of the last host of a rack.
    #[inline]
    pub(crate) fn participant_index(&self, participant: u16) -> u32 {
        self.target_index(participant)
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
    pub(crate) fn packet_at(&self, packet: u32, source: u16, target: u16) -> Span {
        match self.ports {
            Ports::Bare => self.layout.packet(packet, self.index(source), self.target_index(target)),
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
