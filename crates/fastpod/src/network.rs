//! The pod as a [`Network`].

use crate::agent::{Agent, COMPLETE, Connection};
use crate::arbiters::{DEATH, POST, Post, Station};
use crate::clocks::{Clock, PodClock};
use crate::config::Config;
use crate::cores::{Core, CorePort, Held};
use crate::links::{End, Packet, Wire};
use crate::messages::{Fate, Message};
use crate::plan::offers;
use crate::rig::{BuildError, Ports, Rig, Role};
use arbiter::Slot;
use arbiter::control::Voter;
use engine::{Event, EventQueue, Rank, Seed, Slab, Stream};
use fabric::{
    Collision, Counter, Distribution, Fault, Frame, Health, Inside, LinkCounters, Network, Observer, Off, Offers,
    Totals, kind,
};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use topology::{NodeId, Topology};
use units::{Bytes, Span, Time};

/// A pod of switches without buffers, its hosts and its arbiters.
#[derive(Debug)]
pub struct Fastpod<O = Off> {
    pub(crate) observer: O,
    pub(crate) config: Config,
    pub(crate) rig: Rig,
    /// Links of the topology, then those between racks and arbiters, and between core switches and arbiters.
    pub(crate) wires: Vec<Wire>,
    /// The first of the links between core switches and arbiters, which come last.
    pub(crate) core_wires: u32,
    pub(crate) packets: Slab<Packet>,
    pub(crate) packets_sent: u64,
    pub(crate) messages: Slab<Message>,
    pub(crate) offered: u64,
    /// Messages all of which have come, in the order in which they leave, and over which link.
    pub(crate) complete: VecDeque<(u32, u32)>,
    pub(crate) connections: BTreeMap<[u32; 2], Connection>,
    pub(crate) agents: Vec<Agent>,
    /// One for each pod.
    pub(crate) pod_clocks: Vec<PodClock>,
    /// Core switches, their ports, of which there is one for each pod and core switch, pod by pod; and what they hold.
    pub(crate) cores: Vec<Core>,
    pub(crate) ports: Vec<CorePort>,
    pub(crate) held: Slab<Held>,
    /// Pod by pod.
    pub(crate) stations: Vec<Station>,
    pub(crate) voters: Vec<Voter>,
    pub(crate) posts: Slab<(u16, Post)>,
    /// How many slots after one all is known of what came in it.
    pub(crate) settled: u64,
    /// Slots after which a link is tried again that was taken for broken.
    pub(crate) probation: u64,
    /// Slots after which a host sends again what it has given to a core switch, if it has not heard that it came.
    pub(crate) crossing_slots: u64,
    pub(crate) health: Health,
    /// Paths of what is not scheduled; wrong bits.
    pub(crate) chance: Stream,
    pub(crate) errors: Stream,
    pub(crate) totals: Totals,
    pub(crate) sums: Sums,
    /// How often packets that stayed in their pod took each time from interface to interface.
    pub(crate) latency: BTreeMap<Span, u64>,
    /// The same of packets that went over a core switch.
    pub(crate) latency_between: BTreeMap<Span, u64>,
    /// How often scheduled packets met, by link; and those of which nobody has heard yet.
    pub(crate) collisions: BTreeMap<u32, u64>,
    pub(crate) met: VecDeque<Collision>,
}

/// What only this kind of fabric counts.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sums {
    pub given: u64,
    pub unused: u64,
    pub scheduled: u64,
    pub optimistic: u64,
    pub dropped: u64,
    pub cut: u64,
    pub again: u64,
    pub early: u64,
    pub resent: u64,
    pub refused: u64,
    pub silent: u64,
    pub suspected: u64,
    pub requests: u64,
    pub answers: u64,
    pub full: u64,
    pub between: u64,
    pub fullest: u64,
    pub fullest_port: u64,
    pub stops: u64,
    pub port_stops: u64,
    pub collisions: u64,
    pub first_collision: Option<Time>,
    pub broken: u64,
    pub bit_errors: u64,
    pub largest_error: Span,
}

impl Fastpod {
    /// Builds a pod on a topology. Chance comes from the seed's streams `fastpod.*`.
    ///
    /// # Errors
    /// If the topology is no pod, or slots can't be laid out.
    ///
    /// # Panics
    /// If the configuration contradicts itself elsewhere: it is checked before.
    pub fn new(config: &Config, topology: &Topology, seed: Seed) -> Result<Fastpod, BuildError> {
        Ok(Fastpod::on(config, Rig::new(&Arc::new(topology.clone()), config)?, seed, Off))
    }
}

impl<O: Observer> Fastpod<O> {
    /// As [`Fastpod::new`], on this rig; and observed.
    ///
    /// # Panics
    /// If the configuration contradicts itself: it is checked before.
    pub fn on(config: &Config, rig: Rig, seed: Seed, observer: O) -> Fastpod<O> {
        let topology = &rig.topology;
        let wire = |(link, role): (&topology::Link, &Role)| {
            let end = match role {
                Role::FromHost => End::Rack,
                Role::FromRack { plane } => End::Aggregation(*plane),
                Role::ToRack => End::RackFromAbove,
                Role::ToCore { core } => End::Core(*core),
                Role::FromCore { core, .. } => {
                    let above = rig.outside.as_ref().map_or(1, |outside| outside.attached.cores_per_plane());
                    End::Aggregation((u32::from(*core) / above) as u8)
                }
                Role::ToHost { host } => End::Host(*host),
            };
            let inside = if matches!(role, Role::ToHost { .. }) { Span::ZERO } else { config.switch_latency };
            Wire::new(link.rate, link.delay + inside, end)
        };
        let mut wires: Vec<Wire> = topology.links().iter().zip(&rig.roles).map(wire).collect();
        let arbiters = u16::from(config.arbiters);
        for number in 0..arbiters {
            for rack in 0..rig.pod.racks() * u32::from(rig.pods) {
                let station = (rack / rig.pod.racks()) as u16 * arbiters + number;
                wires.push(Wire::new(rig.rate, config.arbiter_delay, End::Arbiter(station)));
                wires.push(Wire::new(rig.rate, config.arbiter_delay + config.switch_latency, End::RackFromArbiter));
            }
        }
        let core_wires = wires.len() as u32;
        let ways = rig.outside.as_ref().map_or(&[][..], |outside| &outside.control);
        for number in 0..arbiters {
            for (port, way) in ways.iter().enumerate() {
                let station = (port / rig.cores()) as u16 * arbiters + number;
                wires.push(Wire::new(rig.rate, *way, End::Arbiter(station)));
                wires.push(Wire::new(rig.rate, *way, End::CorePort(port as u32)));
            }
        }
        let clock = |host: u16| Clock::new(config, &mut seed.stream("fastpod.clocks", host.into()));
        let pod_clock = |pod: u16| match rig.pods {
            1 => PodClock::default(),
            _ => PodClock::new(config, rig.slot(), &mut seed.stream("fastpod.pods", pod.into())),
        };
        let port = |number: usize| {
            let core = rig.participant((number % rig.cores()) as u16);
            let clock = Clock::new(config, &mut seed.stream("fastpod.core-clocks", number as u64));
            CorePort::new(core, rig.pod.hosts(), clock)
        };
        let station = |station: u16| {
            let settings = Station::settings(&rig.pod, config, rig.ahead(), (station % arbiters) as u8);
            let attached = rig.outside.as_ref().map(|outside| &outside.attached);
            Station::new(settings, attached, rig.ports.slots_at_once())
                .expect("the plan has checked what arbiters need")
        };
        Fastpod {
            observer,
            wires,
            core_wires,
            packets: Slab::default(),
            packets_sent: 0,
            messages: Slab::default(),
            offered: 0,
            complete: VecDeque::new(),
            connections: BTreeMap::new(),
            agents: (0..rig.all_hosts()).map(|host| Agent::new(rig.local(host), rig.targets(), clock(host))).collect(),
            pod_clocks: (0..rig.pods).map(pod_clock).collect(),
            cores: vec![Core::new(rig.pods); rig.cores()],
            ports: (0..ways.len()).map(port).collect(),
            held: Slab::default(),
            stations: (0..rig.pods * arbiters).map(station).collect(),
            voters: Fastpod::<O>::voters(config, rig.pods),
            posts: Slab::default(),
            settled: Fastpod::<O>::settled(&rig),
            probation: config.probation.as_ps().div_ceil(rig.layout.slot().as_ps()).max(1),
            crossing_slots: config.core_patience.as_ps().div_ceil(rig.layout.slot().as_ps()).max(1),
            health: Health::whole(topology.links().len(), topology.nodes() as usize),
            chance: seed.stream("fastpod.paths", 0),
            errors: seed.stream("fastpod.bit-errors", 0),
            totals: Totals::default(),
            sums: Sums::default(),
            latency: BTreeMap::new(),
            latency_between: BTreeMap::new(),
            collisions: BTreeMap::new(),
            met: VecDeque::new(),
            config: config.clone(),
            rig,
        }
    }

    /// Time that a packet takes from interface to interface: the same for all that two hosts send each other.
    fn passage(&self, src: u32, dst: u32) -> Span {
        let (source, destination) = (self.rig.numbers[src as usize], self.rig.numbers[dst as usize]);
        let planes = self.rig.pod.uplinks() as usize;
        let rack = |host: u16| self.rig.pod.rack(host) as usize;
        if self.rig.turns_at_rack(source, destination) {
            let links = [self.rig.from_host[usize::from(source)], self.rig.to_host[usize::from(destination)]];
            return links.into_iter().map(|link| self.wires[link as usize].delay).sum::<Span>() + self.rig.layout.data;
        }
        if self.rig.pod_of(source) != self.rig.pod_of(destination) {
            return self.passage_between(source, destination);
        }
        let over = |plane: usize| {
            let links = [
                self.rig.from_host[usize::from(source)],
                self.rig.from_rack[rack(source) * planes + plane],
                self.rig.to_rack[rack(destination) * planes + plane],
                self.rig.to_host[usize::from(destination)],
            ];
            links.into_iter().map(|link| self.wires[link as usize].delay).sum::<Span>()
        };
        (0..planes).map(over).min().unwrap_or(Span::ZERO) + self.rig.layout.data
    }

    fn check_conservation(&self) {
        if cfg!(debug_assertions) {
            let Totals { offered, delivered, dropped, lost, .. } = self.totals;
            let inside = self.open().count() as u64;
            assert_eq!(offered, delivered + dropped + lost + inside, "frames are conserved");
        }
    }

    fn open(&self) -> impl Iterator<Item = &Message> {
        self.messages.all().filter(|message| message.serial != 0 && message.fate == Fate::Open)
    }

    /// Something breaks or is repaired.
    fn strike(&mut self, now: Time, fault: Fault, queue: &mut EventQueue) {
        let was_up = |node: u32| self.health.nodes[node as usize];
        let stops = matches!(fault, Fault::Node { node, up: false } if was_up(node));
        self.health.apply(fault);
        if let Fault::BitErrors { link, rate } = fault {
            self.wires[link as usize].bit_errors = rate;
            return;
        }
        for link in 0..self.rig.topology.links().len() as u32 {
            let ends = self.rig.topology.link(topology::LinkId(link));
            let carries = self.health.carries(link, ends.from.0, ends.to.0);
            if std::mem::replace(&mut self.wires[link as usize].carries, carries) && !carries {
                self.break_link(now, link);
            }
        }
        match fault {
            Fault::Node { node, up: false } if stops && node < self.rig.topology.hosts() => {
                self.stop_host(now, self.rig.numbers[node as usize], queue);
            }
            Fault::Node { node, up: true } if node < self.rig.topology.hosts() => {
                let agent = &mut self.agents[usize::from(self.rig.numbers[node as usize])];
                agent.is_up = true;
                if std::mem::take(&mut agent.is_called) {
                    queue.push(Event { at: now, rank: Rank::new(kind::READY, node), slot: 0 });
                }
            }
            // Links between a switch that is down and an arbiter carry nothing either.
            Fault::Node { node, up } => {
                self.strike_rack(now, node, up);
                self.strike_core(now, node, up);
            }
            Fault::Link { .. } | Fault::BitErrors { .. } => {}
        }
    }

    fn strike_rack(&mut self, now: Time, node: u32, up: bool) {
        let Some(rack) = (0..self.rig.pod.racks() * u32::from(self.rig.pods)).find(|rack| self.tor(*rack) == node)
        else {
            return;
        };
        for number in 0..self.config.arbiters {
            let link = self.requests_link(number, rack as usize);
            for link in [link, link + 1] {
                if std::mem::replace(&mut self.wires[link as usize].carries, up) && !up {
                    self.break_link(now, link);
                }
            }
        }
    }
}

impl<O: Observer> Network for Fastpod<O> {
    type Observer = O;

    fn observer(&mut self) -> &mut O {
        &mut self.observer
    }

    fn offers(&self) -> Offers {
        offers(self.rig.ports)
    }

    fn packet_time(&self, _: u32) -> Option<Span> {
        Some(self.rig.layout.data)
    }

    fn has_room(&self, _: Time, host: u32) -> bool {
        self.agents[usize::from(self.rig.numbers[host as usize])].is_up
    }

    fn call_when_ready(&mut self, now: Time, host: u32, queue: &mut EventQueue) {
        let agent = &mut self.agents[usize::from(self.rig.numbers[host as usize])];
        if agent.is_up {
            queue.push(Event { at: now, rank: Rank::new(kind::READY, host), slot: 0 });
        } else {
            agent.is_called = true;
        }
    }

    fn takes(&mut self, flow: u32, epoch: u32) -> bool {
        let Some(connection) = self.connections.get_mut(&[flow, epoch]) else { return true };
        let has_room = connection.unsent < self.config.buffer.get();
        connection.is_awaited |= !has_room;
        has_room
    }

    fn offer(&mut self, now: Time, frame: Frame, queue: &mut EventQueue) {
        self.take(now, frame, queue);
    }

    fn handle(&mut self, event: Event, queue: &mut EventQueue) -> Option<Frame> {
        let (now, device) = (event.at, event.rank.device());
        let hosts = u32::from(self.rig.all_hosts());
        let machines = hosts + self.stations.len() as u32;
        match event.rank.kind() {
            kind::ARRIVAL => return self.arrive(now, device, event.slot, queue),
            kind::SCHEDULE => self.turn(now, device as u16, event.slot, queue),
            kind::TICK if device < hosts => self.begin_slot(now, device as u16, queue),
            kind::TICK if device < machines => self.arbitrate(now, (device - hosts) as u16, queue),
            kind::TICK => self.begin_port_slot(now, (device - machines) as usize, queue),
            other => {
                debug_assert_eq!(other, kind::DEADLINE, "a pod has no other events");
                match device {
                    COMPLETE => return self.deliver(now),
                    POST => self.open_post(now, event.slot, queue),
                    _ => self.kill(now, 0),
                }
            }
        }
        None
    }

    fn begin(&mut self, queue: &mut EventQueue) {
        for host in 0..self.rig.all_hosts() {
            self.push_slot(Time::ZERO, host, Slot(1), queue);
        }
        for station in 0..self.stations.len() as u16 {
            self.push_arbitration(station, Slot(self.slots_at_once()), queue);
        }
        for port in 0..self.ports.len() {
            self.push_port_slot(Time::ZERO, port, Slot(1), queue);
        }
        for pod in 0..self.rig.pods {
            self.take_charge(Time::ZERO, pod, queue);
        }
        if let Some(at) = self.config.arbiter_fails {
            queue.push(Event { at: Time::ZERO + at, rank: Rank::new(kind::DEADLINE, DEATH), slot: 0 });
        }
    }

    fn fault(&mut self, now: Time, fault: Fault, queue: &mut EventQueue) {
        self.strike(now, fault, queue);
    }

    fn counters(&self) -> Vec<Counter> {
        let counter = |name, unit, value: u64| Counter { name, unit, value: value as f64 };
        let sums = &self.sums;
        if self.rig.ports != Ports::Bare {
            return vec![
                counter("slots given", "slots", sums.given),
                counter("of these, without a packet", "slots", sums.unused),
                counter("requests", "packets", sums.requests),
                counter("answers", "packets", sums.answers),
                counter("allocations that came too late", "slots", sums.refused),
                counter("packets dropped for want of room", "packets", sums.full),
            ];
        }
        let mut counters = vec![
            counter("collisions of scheduled packets", "packets", sums.collisions),
            counter("slots given", "slots", sums.given),
            counter("of these, without a packet", "slots", sums.unused),
            counter("scheduled packets", "packets", sums.scheduled),
            counter("unscheduled packets", "packets", sums.optimistic),
            counter("of these, dropped", "packets", sums.dropped + sums.cut),
            counter("pieces that came again", "pieces", sums.again),
            counter("messages complete before all was scheduled", "messages", sums.early),
            counter("requests", "packets", sums.requests),
            counter("answers", "packets", sums.answers),
        ];
        if self.rig.pods > 1 {
            counters.push(counter("packets between pods", "packets", sums.between));
            counters.push(counter("most that a core switch held", "packets", sums.fullest));
            counters.push(counter("of these, for one pod", "packets", sums.fullest_port));
            counters.push(counter("requests of core switches that said stop", "packets", sums.stops));
            counters.push(counter("of others, for some pods", "packets", sums.port_stops));
            counters.push(counter("packets that found no room in a core switch", "packets", sums.full));
        }
        if let Some(first) = sums.first_collision {
            counters.push(counter("first collision", "ps", first.as_ps()));
        }
        if sums.broken + sums.bit_errors + sums.resent + sums.refused + sums.silent > 0 {
            counters.push(counter("packets lost to what is broken", "packets", sums.broken));
            counters.push(counter("packets lost to bit errors", "packets", sums.bit_errors));
            counters.push(counter("slots sent again", "slots", sums.resent));
            counters.push(counter("hosts taken for dead", "times", sums.silent));
            counters.push(counter("links taken for broken", "times", sums.suspected));
            counters.push(counter("allocations that came too late", "slots", sums.refused));
        }
        if self.config.clock_error > Span::ZERO || self.config.clock_drift > 0.0 {
            counters.push(counter("largest error of a clock", "ps", sums.largest_error.as_ps()));
        }
        counters
    }

    fn distributions(&self) -> Vec<Distribution> {
        let bins = |(span, count): (&Span, &u64)| (span.as_ps(), span.as_ps() + 1, *count);
        let latency =
            Distribution { name: "in-network latency", unit: "ps", bins: self.latency.iter().map(bins).collect() };
        let bins = |(link, count): (&u32, &u64)| (u64::from(*link), u64::from(*link) + 1, *count);
        let collisions =
            Distribution { name: "collisions by link", unit: "link", bins: self.collisions.iter().map(bins).collect() };
        match self.rig.ports {
            Ports::Bare if self.rig.pods > 1 => {
                let bins = |(span, count): (&Span, &u64)| (span.as_ps(), span.as_ps() + 1, *count);
                let bins = self.latency_between.iter().map(bins).collect();
                vec![latency, collisions, Distribution { name: "latency between pods", unit: "ps", bins }]
            }
            Ports::Bare => vec![latency, collisions],
            Ports::Queued { .. } => vec![latency],
        }
    }

    fn take_collision(&mut self) -> Option<Collision> {
        self.met.pop_front()
    }

    fn totals(&self) -> Totals {
        let Totals { offered, delivered, dropped, lost, .. } = self.totals;
        Totals { in_flight: offered - delivered - dropped - lost, ..self.totals }
    }

    fn link_counters(&self, now: Time, link: u32) -> LinkCounters {
        let wire = &self.wires[link as usize];
        wire.counters.at_rate(wire.rate, wire.busy(now))
    }

    fn bytes_sent(&self, now: Time, link: u32) -> u64 {
        let wire = &self.wires[link as usize];
        wire.counters.sent(wire.rate, wire.busy(now))
    }

    /// What hosts keep, and core switches for a pod, and other switches, if they have queues.
    fn queue(&self, now: Time, link: u32) -> Bytes {
        match self.rig.roles[link as usize] {
            Role::FromHost => {
                let host = self.rig.topology.link(topology::LinkId(link)).from.0;
                Bytes::new(self.agents[usize::from(self.rig.numbers[host as usize])].backlog)
            }
            Role::FromCore { core, pod } => {
                Bytes::new(self.cores[usize::from(core)].held_for(pod) * self.config.packet.get())
            }
            Role::FromRack { .. } | Role::ToRack | Role::ToHost { .. } | Role::ToCore { .. }
                if self.rig.ports == Ports::Bare =>
            {
                Bytes::ZERO
            }
            Role::FromRack { .. } | Role::ToRack | Role::ToHost { .. } | Role::ToCore { .. } => {
                let wire = &self.wires[link as usize];
                wire.rate.bytes_in(wire.busy(now))
            }
        }
    }

    fn begin_measurement(&mut self, now: Time) {
        self.sums = Sums::default();
        self.latency.clear();
        self.latency_between.clear();
        self.collisions.clear();
        for wire in &mut self.wires {
            wire.counters = fabric::Counters::with_backlog(wire.rate, wire.busy(now));
        }
    }

    /// All packets one after the other in the gaps of slots, as if the host's first slot began when the message comes, without being scheduled.
    fn ideal(&self, src: u32, dst: u32, bytes: Bytes, header: Bytes) -> Span {
        let payload = self.config.mtu.get() - header.get();
        let frames = bytes.get().div_ceil(payload).max(1);
        let last = bytes.get() - (frames - 1) * payload + header.get();
        let full = self.config.mtu.get() / self.config.payload().get().max(1);
        let rest = |len: u64| len % self.config.payload().get().max(1);
        // Short ends of frames to one host can share a packet.
        let ends = rest(self.config.mtu.get()).saturating_mul(frames - 1) + rest(last);
        let whole = full.saturating_mul(frames - 1) + last / self.config.payload().get().max(1);
        let pieces = whole + ends.div_ceil(self.config.payload().get().max(1));
        let (layout, before) = (&self.rig.layout, pieces.max(1) - 1);
        let packets = u64::from(self.rig.packets());
        let pod = |host: u32| self.rig.pod_of(self.rig.numbers[host as usize]);
        let slots =
            if self.config.optimistic && pod(src) == pod(dst) { layout.data * packets } else { self.rig.slot() };
        slots.saturating_mul(before / packets) + layout.data * (before % packets) + self.passage(src, dst)
    }

    fn hops(&self, src: u32, dst: u32) -> u32 {
        let pod = |host: u32| self.rig.pod_of(self.rig.numbers[host as usize]);
        if pod(src) == pod(dst) { 4 } else { 6 }
    }

    fn mtu(&self) -> Bytes {
        self.config.mtu
    }

    fn event_gap(&self) -> Span {
        // Every host sends and gets packets, over four links each.
        self.rig.layout.data / (8 * u64::from(self.rig.all_hosts())).max(1)
    }

    fn check(&self) {
        self.check_conservation();
    }

    fn frames_inside(&self) -> Vec<Inside> {
        let link = |frame: &Frame| self.rig.topology.ports(NodeId(frame.src)).start;
        self.open().map(|message| Inside { frame: message.frame, link: link(&message.frame) }).collect()
    }
}
