//! A topology as a pod: racks, planes, and at what time everything has to be sent so that it is everywhere when it should be.
//!
//! All packets of a slot reach each aggregation switch at one time, whoever sends them, and each ToR switch from above at one time, whichever aggregation switch they
//! come over. Hosts send so much earlier or later as their own cable and those of their ToR switch are longer or shorter than others (§3.2: hosts and
//! arbiter compensate for differences in fibre length), which is all that they can do: cables from one ToR switch to its aggregation switches may differ only if all of its
//! pod's do so alike, and the cables down make up for it.

use crate::config::Config;
use crate::layout::{Layout, LayoutError};
use crate::timing::{Leg, MOST_AHEAD, Turnaround};
use arbiter::control::LARGEST_NETWORK;
use arbiter::interpod::{Attached, slots_after_stop};
use arbiter::{Pod, Turn};
use std::sync::Arc;
use topology::{LinkId, NodeId, Topology};
use units::{Bytes, Rate, Span};

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
    /// Switches above the aggregation switches of a pod that is alone, or above core switches.
    #[error(
        "{switch} is above the aggregation switches and joins no two pods: leave it out, or have a link from it to an aggregation switch of each pod"
    )]
    Above {
        /// One of them.
        switch: String,
    },
    /// Switches above the aggregation switches, where queues are before links.
    #[error("{switch} is above the aggregation switches: this fabric is one pod")]
    OnePod {
        /// One of them.
        switch: String,
    },
    /// Pods that are not alike.
    #[error(
        "the pod of {tor} has {racks} ToR switches and {aggregations} aggregation switches, and that of {other} has {other_racks} and {other_aggregations}: all pods are alike"
    )]
    UnevenPods {
        /// A ToR switch.
        tor: String,
        /// ToR switches of its pod.
        racks: usize,
        /// Aggregation switches of its pod.
        aggregations: usize,
        /// A ToR switch of another.
        other: String,
        /// Its pod's.
        other_racks: usize,
        /// Its pod's.
        other_aggregations: usize,
    },
    /// A core switch that does not join all pods alike.
    #[error(
        "{core} is not joined to one aggregation switch of each pod, of the same number in each ({found} of {pods} are there for number {plane}): a core switch has one port for every pod"
    )]
    Core {
        /// Which.
        core: String,
        /// Pods of which it is joined to one aggregation switch, and that is of this number.
        found: usize,
        /// Pods.
        pods: usize,
        /// The number of its aggregation switch in the first pod that it is joined to.
        plane: usize,
    },
    /// Aggregation switches with different numbers of core switches above.
    #[error("{aggregation} has {cores} core switches above and {other} has {other_cores}: all have as many")]
    UnevenPlanes {
        /// An aggregation switch.
        aggregation: String,
        /// Core switches above it.
        cores: usize,
        /// Another.
        other: String,
        /// Core switches above it.
        other_cores: usize,
    },
    /// More pods than core switches can speak of.
    #[error("a core switch can speak of {LARGEST_NETWORK} pods, not {pods}")]
    Pods {
        /// How many.
        pods: u16,
    },
    /// No room for what is under way when a core switch says stop.
    #[error(
        "holds less than what {pods} pods can send to a core switch until they have heard that it is full; write at least {least}, or lower fabric.batch"
    )]
    CoreBuffer {
        /// Pods.
        pods: u16,
        /// The least that is enough.
        least: Bytes,
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

/// Core switches between pods (§3.4).
#[derive(Debug, Clone)]
pub(crate) struct Outside {
    /// A pod and what is above it: all are alike.
    pub attached: Attached,
    /// The core switches, plane by plane.
    pub cores: Vec<u32>,
    /// For each pod and core switch, the links up, and down.
    pub to_core: Vec<u32>,
    pub from_core: Vec<u32>,
    /// For each pod and core switch, the way between the core switch and the pod's arbiters, one way: as long as that over the pod's switches.
    pub control: Vec<Span>,
    /// Packets that a core switch holds at most; when it says stop to all; and how many for one pod when it says stop to what is for that pod.
    pub capacity: u64,
    pub stop: u64,
    pub stop_port: u64,
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

/// ToR switches with their hosts, aggregation switches, and core switches; pod by pod.
struct Shape {
    pods: usize,
    racks: Vec<(u32, Vec<u32>)>,
    aggregations: Vec<u32>,
    cores: Vec<u32>,
}

impl Shape {
    fn of(topology: &Topology, line_ports: Ports) -> Result<Shape, BuildError> {
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
        let mut is_tor = vec![false; topology.nodes() as usize];
        racks.iter().for_each(|(tor, _)| is_tor[*tor as usize] = true);
        let neighbours = |switch: u32| ports(switch).map(|port| topology.link(LinkId(port)).to.0);
        let (aggregations, cores): (Vec<u32>, Vec<u32>) = others
            .into_iter()
            .map(|(switch, _)| switch)
            .partition(|&switch| neighbours(switch).any(|other| is_tor[other as usize]));
        match (racks.first(), cores.first()) {
            (Some((tor, _)), _) if aggregations.is_empty() => Err(BuildError::NoAggregation { tor: name(*tor) }),
            (_, None) => Ok(Shape { pods: 1, racks, aggregations, cores }),
            (_, Some(switch)) if line_ports != Ports::Bare => Err(BuildError::OnePod { switch: name(*switch) }),
            (_, Some(_)) => Shape::of_pods(topology, racks, aggregations, cores),
        }
    }

    /// Several pods: what hangs together without core switches.
    fn of_pods(
        topology: &Topology,
        racks: Vec<(u32, Vec<u32>)>,
        aggregations: Vec<u32>,
        cores: Vec<u32>,
    ) -> Result<Shape, BuildError> {
        let name = |node: u32| topology.name(NodeId(node)).to_owned();
        let neighbours = |switch: u32| topology.ports(NodeId(switch)).map(|port| topology.link(LinkId(port)).to.0);
        let mut pod_of = vec![None; topology.nodes() as usize];
        let mut is_inside = vec![false; topology.nodes() as usize];
        racks.iter().map(|(tor, _)| tor).chain(&aggregations).for_each(|switch| is_inside[*switch as usize] = true);
        let mut pods = 0;
        for (tor, _) in &racks {
            if pod_of[*tor as usize].is_some() {
                continue;
            }
            let mut reached = vec![*tor];
            pod_of[*tor as usize] = Some(pods);
            while let Some(switch) = reached.pop() {
                for other in neighbours(switch).filter(|other| is_inside[*other as usize]) {
                    if pod_of[other as usize].replace(pods).is_none() {
                        reached.push(other);
                    }
                }
            }
            pods += 1;
        }
        // What a core switch is joined to is an aggregation switch.
        let stands_alone = |core: &&u32| pods == 1 || neighbours(**core).any(|other| pod_of[other as usize].is_none());
        if let Some(switch) = cores.iter().find(stands_alone) {
            return Err(BuildError::Above { switch: name(*switch) });
        }
        let pod = |switch: u32| pod_of[switch as usize].unwrap_or(0);
        let (mut racks, mut aggregations) = (racks, aggregations);
        // Stable: within a pod they stay in their order.
        racks.sort_by_key(|(tor, _)| pod(*tor));
        aggregations.sort_by_key(|switch| pod(*switch));
        let count = |of: usize| {
            let racks = racks.iter().filter(|(tor, _)| pod(*tor) == of).count();
            (racks, aggregations.iter().filter(|switch| pod(**switch) == of).count())
        };
        let (first_racks, first_aggregations) = count(0);
        for of in 1..pods {
            let (other_racks, other_aggregations) = count(of);
            if (other_racks, other_aggregations) != (first_racks, first_aggregations) {
                let other = racks.iter().find(|(tor, _)| pod(*tor) == of).map_or(0, |(tor, _)| *tor);
                return Err(BuildError::UnevenPods {
                    tor: name(racks[0].0),
                    racks: first_racks,
                    aggregations: first_aggregations,
                    other: name(other),
                    other_racks,
                    other_aggregations,
                });
            }
        }
        Ok(Shape { pods, racks, aggregations, cores })
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

impl Outside {
    /// The core switches of a topology, if there are some, plane by plane.
    fn new(topology: &Topology, shape: &Shape, pod: &Pod) -> Result<Option<Outside>, BuildError> {
        if shape.cores.is_empty() {
            return Ok(None);
        }
        let name = |node: u32| topology.name(NodeId(node)).to_owned();
        let planes = shape.aggregations.len() / shape.pods;
        let mut places = vec![0; topology.nodes() as usize];
        shape.aggregations.iter().enumerate().for_each(|(place, switch)| places[*switch as usize] = place);
        let mut cores: Vec<Vec<u32>> = vec![Vec::new(); planes];
        for &core in &shape.cores {
            let joined = || {
                let links = topology.ports(NodeId(core)).map(|port| topology.link(LinkId(port)).to.0);
                links.map(|switch| places[switch as usize])
            };
            let plane = joined().min().unwrap_or(0) % planes;
            let is_right = |pod: &usize| {
                let mut of_pod = joined().filter(|place| place / planes == *pod);
                of_pod.next() == Some(pod * planes + plane) && of_pod.next().is_none()
            };
            let found = (0..shape.pods).filter(is_right).count();
            if found < shape.pods {
                return Err(BuildError::Core { core: name(core), found, pods: shape.pods, plane });
            }
            cores[plane].push(core);
        }
        let above = cores[0].len();
        if let Some(plane) = cores.iter().position(|cores| cores.len() != above) {
            return Err(BuildError::UnevenPlanes {
                aggregation: name(shape.aggregations[0]),
                cores: above,
                other: name(shape.aggregations[plane]),
                other_cores: cores[plane].len(),
            });
        }
        let fits = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        let attached = Attached::new(pod.clone(), u32::from(fits(above)), fits(shape.pods))?;
        if attached.pods() > LARGEST_NETWORK {
            return Err(BuildError::Pods { pods: attached.pods() });
        }
        let mut to_core = Vec::new();
        for pod in 0..shape.pods {
            for (plane, cores) in cores.iter().enumerate() {
                let aggregation = NodeId(shape.aggregations[pod * planes + plane]);
                to_core
                    .extend(cores.iter().filter_map(|core| topology.link_between(aggregation, NodeId(*core)).next()));
            }
        }
        let to_core: Vec<u32> = to_core.into_iter().map(|link| link.0).collect();
        let from_core = to_core.iter().map(|link| topology.reverse(LinkId(*link)).0).collect();
        let cores = cores.concat();
        Ok(Some(Outside {
            attached,
            cores,
            to_core,
            from_core,
            control: Vec::new(),
            capacity: 0,
            stop: 0,
            stop_port: 0,
        }))
    }

    /// With what core switches hold, and how long what they say takes.
    fn with_room(
        self,
        config: &Config,
        layout: &Layout,
        timing: &Timing,
        delays: &Delays,
    ) -> Result<Outside, BuildError> {
        let (pods, packets) = (self.attached.pods(), u64::from(layout.packets()));
        let slots = |time: Span| time.as_ps().div_ceil(layout.slot().as_ps());
        // A slot until the next request; what comes in a time takes part in a slot more at its begin and at its end.
        let heard = slots(timing.at_core) + 3;
        let room = slots_after_stop(heard, timing.ahead, config.batch) * packets * u64::from(pods);
        let packet = config.packet.get();
        let capacity = config.core_buffer.get() / packet;
        if capacity <= room {
            return Err(BuildError::CoreBuffer { pods, least: Bytes::new((room + 1) * packet) });
        }
        let stop_port = (config.core_queue.get() / packet).max(1);
        let control = delays.controls(&self, config);
        Ok(Outside { control, capacity, stop: capacity - room, stop_port, ..self })
    }
}

/// The delays of all links: of those between switches by rack and plane.
struct Delays {
    up: Vec<Span>,
    down: Vec<Span>,
    from_host: Vec<Span>,
    to_host: Vec<Span>,
    planes: usize,
    /// ToR switches of a pod.
    racks: usize,
    /// For each pod and core switch, up and down.
    to_core: Vec<Span>,
    from_core: Vec<Span>,
}

impl Delays {
    /// The way between each core switch and each pod's arbiters: as long as the longest over its aggregation switch and a ToR switch.
    fn controls(&self, outside: &Outside, config: &Config) -> Vec<Span> {
        let cores = outside.cores.len();
        let way = |place: usize| {
            let (pod, plane) = (place / cores, place % cores / (cores / self.planes));
            let racks = (0..self.racks).map(|rack| self.down[(pod * self.racks + rack) * self.planes + plane]);
            let down = racks.max().unwrap_or(Span::ZERO);
            self.from_core[place] + config.switch_latency + down + config.switch_latency + config.arbiter_delay
        };
        (0..self.from_core.len()).map(way).collect()
    }

    /// Whether hosts can compensate for all differences but what guard bands absorb.
    fn check(&self, shape: &Shape, guard: Span, name: impl Fn(u32) -> String) -> Result<(), BuildError> {
        let ps = |delays: &[Span], place: usize| i128::from(delays[place].as_ps());
        let apart = |spread: i128| Span::from_ps(spread.unsigned_abs() as u64);
        for (rack, (tor, _)) in shape.racks.iter().enumerate() {
            let pod = rack / self.racks;
            let (first, aggregations) = (pod * self.racks, &shape.aggregations[pod * self.planes..][..self.planes]);
            for (plane, aggregation) in aggregations.iter().enumerate() {
                let place = rack * self.planes + plane;
                let nearest = first * self.planes;
                // What this rack's packets are late by at this aggregation switch, beyond what they are late by at the first.
                let late = ps(&self.up, place) - ps(&self.up, rack * self.planes);
                let spread = late - (ps(&self.up, nearest + plane) - ps(&self.up, nearest));
                if apart(spread) > guard {
                    let (one, other) = (name(shape.racks[first].0), name(*tor));
                    return Err(BuildError::Lengths {
                        one,
                        other,
                        at: name(*aggregation),
                        apart: apart(spread),
                        guard,
                    });
                }
                let over = |plane: usize| ps(&self.up, nearest + plane) + ps(&self.down, rack * self.planes + plane);
                let spread = over(plane) - over(0);
                if apart(spread) > guard {
                    let (one, other) = (name(aggregations[0]), name(*aggregation));
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
        Timing {
            racks: Vec::new(),
            hosts,
            requests: Span::ZERO,
            answers: 0,
            ahead,
            cores: Vec::new(),
            at_core: Span::ZERO,
        }
    }

    fn timing(&self, pod: &Pod, outside: Option<&Outside>, layout: &Layout, config: &Config) -> Timing {
        let (switch, slot) = (config.switch_latency, layout.slot());
        let rack = |host: usize| host / pod.hosts_per_rack() as usize;
        // From a host to its aggregation switch of plane 0.
        let rise = |host: usize| self.from_host[host] + switch + self.up[rack(host) * self.planes];
        let highest = (0..self.from_host.len()).map(rise).max().unwrap_or(Span::ZERO);
        // How much later a slot's packets are at the aggregation switch of a core switch than at that of plane 0, or earlier; and the cable to it.
        let cores = outside.map_or(0, |outside| outside.cores.len());
        let below = |place: usize| {
            let (pod, plane) = (place / cores, place % cores / (cores / self.planes));
            let first = pod * self.racks * self.planes;
            (self.up[first + plane], self.up[first] + self.from_core[place])
        };
        let early = |place: usize| (below(place).1).saturating_sub(below(place).0);
        // So that core switches need not begin before there is a time.
        let highest = (0..self.from_core.len()).map(early).fold(highest, Span::max);
        let hosts: Vec<Span> = (0..self.from_host.len()).map(|host| highest - rise(host)).collect();
        let racks: Vec<Span> = (0..self.up.len() / self.planes)
            .map(|rack| highest + switch + self.down[rack * self.planes] + switch)
            .collect();
        let legs = (0..hosts.len()).map(|host| Leg {
            begins: hosts[host],
            from_host: self.from_host[host],
            rack: racks[rack(host)],
            to_host: self.to_host[host],
        });
        let control = switch + config.arbiter_delay;
        let alone = Turnaround::new(legs.clone(), control, config.arbiter_latency, slot);
        let begins = |place: usize| highest + below(place).0 - below(place).1;
        let begin: Vec<Span> = (0..self.from_core.len()).map(begins).collect();
        let Some(outside) = outside else {
            let Turnaround { requests, answers, ahead } = alone;
            return Timing { hosts, racks, requests, answers, ahead, cores: begin, at_core: Span::ZERO };
        };
        let ways: Vec<(Span, Span)> = begin.iter().copied().zip(self.controls(outside, config)).collect();
        let heard = ways.iter().map(|(begins, way)| *begins + *way + slot).fold(alone.requests, Span::max);
        let Turnaround { requests, answers, ahead } =
            Turnaround::after(heard, legs, control, config.arbiter_latency, slot);
        // A core switch is told at once, and has to know before the slot begins, whatever its clock is off.
        let told = |&(begins, way): &(Span, Span)| {
            (requests + config.arbiter_latency + way + layout.control + slot).saturating_sub(begins)
        };
        let told = ways.iter().map(told).max().unwrap_or(Span::ZERO);
        let ahead = ahead.max(told.as_ps().div_ceil(slot.as_ps()));
        let arrives = |place: usize| {
            // From when the core switch begins to send until what was sent to it in the same slot is there.
            self.from_core[place] + switch + self.to_core[place] + switch + slot
        };
        let at_core = (0..begin.len()).map(arrives).max().unwrap_or(Span::ZERO);
        Timing { hosts, racks, requests, answers, ahead, cores: begin, at_core }
    }
}
