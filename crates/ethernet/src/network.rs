//! Hosts, switches and links put together.

use crate::class::PortClass;
use crate::config::{Config, Routing, Switching};
use crate::discipline::{Admission, Discipline};
use crate::faults::{Faults, Losses};
use crate::fifo::Fifo;
use crate::ideal::{Message, Progress};
use crate::pausing::{Notice, Pausing};
use crate::slab::Slab;
use crate::surroundings::Surroundings;
use crate::switch::{Switch, Verdict, Wire, take_path};
use engine::{Event, EventQueue, Rank, Seed, Stream, looking};
use fabric::ecmp::{Ecmp, choose};
use fabric::{
    Counter, Counters, Deadlock, Distribution, Fate, Fault, Frame, Inside, Kind, LinkCounters, Network, Observer, Off,
    Offers, Over, Port, Sampled, Seen, Totals, Waited, What, kind,
};
use results::Histogram;
use settings::Length;
use std::collections::BTreeMap;
use std::sync::Arc;
use topology::{LinkId, NodeId, RouteError, Routes, Topology};
use units::{Bytes, Span, Time};

/// An Ethernet fabric whose switches' ports are of discipline `D`. Hosts' interfaces are first in, first out and never drop:
/// they refuse data when a packet waits already.
pub struct Ethernet<D, O = Off> {
    pub(crate) observer: O,
    pub(crate) config: Config,
    pub(crate) topology: Topology,
    pub(crate) hosts: u32,
    /// One more entry at the end.
    nodes: Vec<Node>,
    pub(crate) wires: Vec<Wire>,
    pub(crate) classes: Vec<PortClass>,
    pub(crate) routes: Arc<Routes>,
    pub(crate) interfaces: Fifo,
    pub(crate) ports: D,
    pub(crate) on_links: Slab,
    /// Frames that wait in `ports` for their link to ask.
    pub(crate) held: u64,
    pub(crate) stream: Stream,
    /// Decides which frames bit errors hit: no stream of those above, so that faults change nothing else.
    pub(crate) errors: Stream,
    /// Draws each packet's delay at its host; and when the last packet of each interface left it.
    jitter: Stream,
    left: Vec<Time>,
    pub(crate) totals: Totals,
    event_gap: Span,
    /// All shortest paths between two hosts take as long.
    alike: bool,
    /// Of the arrival that is handled and of the one that comes next: the frame's place and the link over which it goes on, if that was found out beforehand.
    pub(crate) ways: [(u32, u32); 2],
    /// When each link will ask for its next frame, by an event that is pending; [`Time::MAX`]: it will not.
    pub(crate) asking: Vec<Time>,
    /// What is broken and what routes know of it, once something has broken.
    pub(crate) faults: Option<Box<Faults>>,
    pub(crate) losses: Losses,
    /// Picoseconds that data frames took from leaving their host on, if that is to be kept.
    latencies: Option<Box<Histogram>>,
    /// Per link: frames that entered it, arrived over it, were lost on it.
    #[cfg(debug_assertions)]
    pub(crate) ledger: Vec<[u64; 3]>,
}

/// None are known.
pub(crate) const NO_WAYS: [(u32, u32); 2] = [(Slab::NOWHERE, 0); 2];

/// A host or a switch.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// Its first outgoing link.
    first: u32,
    /// Makes its hashes differ from other nodes'.
    salt: u32,
}

impl<D: Discipline> Ethernet<D> {
    /// Builds the fabric on a topology. Chance (spraying, corruption) comes from the seed's streams `ethernet.*`.
    ///
    /// # Errors
    /// If a host cannot reach another.
    pub fn new(config: &Config, topology: &Topology, seed: Seed) -> Result<Ethernet<D>, RouteError> {
        Ok(Ethernet::on(config, topology, Arc::new(Routes::shortest(topology)?), seed, Off))
    }
}

impl<D: Discipline, O: Observer> Ethernet<D, O> {
    /// As [`Ethernet::new`], on a topology whose routes these are, and observed.
    pub fn on(config: &Config, topology: &Topology, routes: Arc<Routes>, seed: Seed, observer: O) -> Ethernet<D, O> {
        let (wires, classes) = wires(config, topology);
        let nodes = topology.nodes();
        let ecmp = Ecmp::new(seed, nodes);
        let node = |node| Node { first: topology.ports(NodeId(node)).start, salt: ecmp.salt(node) };
        let end = Node { first: topology.links().len() as u32, salt: 0 };
        let marks = |number| seed.stream("ethernet.marks", number);
        let mut ports = D::new(wires.len(), config.priorities, marks(0));
        if let Some(pausing) = ports.pausing_mut() {
            pausing.set_up(config, topology, &wires, &classes);
        }
        // Every link sends full packets one way and acknowledgements for them the other.
        let frames_per_second: f64 = topology.links().iter().map(|link| link.rate.as_bps() as f64).sum::<f64>()
            / (config.mtu + config.framing).bits() as f64;
        // Where frames are trimmed there are headers and pulls beside them, as many again.
        let events_per_frame = if config.trimming.is_some() { 4.0 } else { 2.0 };
        Ethernet {
            observer,
            hosts: topology.hosts(),
            alike: alike(&wires, &classes, topology),
            ways: NO_WAYS,
            nodes: (0..nodes).map(node).chain([end]).collect(),
            interfaces: Fifo::new(wires.len(), 1, marks(1)),
            ports,
            wires,
            classes,
            routes,
            on_links: Slab::default(),
            held: 0,
            stream: seed.stream("ethernet.chance", 0),
            errors: seed.stream("ethernet.bit-errors", 0),
            jitter: seed.stream("ethernet.jitter", 0),
            left: vec![Time::ZERO; topology.links().len()],
            totals: Totals::default(),
            event_gap: Span::from_secs_f64(1.0 / (events_per_frame * frames_per_second)),
            asking: vec![Time::MAX; topology.links().len()],
            faults: None,
            losses: Losses::default(),
            latencies: config.in_network_latency.then(latencies),
            #[cfg(debug_assertions)]
            ledger: vec![[0; 3]; topology.links().len()],
            config: config.clone(),
            topology: topology.clone(),
        }
    }

    /// How a message gets on over each path from a host to another that is not worse than another one; as far as the last switch, or
    /// all the way.
    fn progress(&self, src: u32, dst: u32, message: &Message, to_switch: bool) -> Vec<Progress> {
        let cross = |progress: Progress, link: LinkId| {
            let stops = to_switch && self.wires[link.index()].to == dst;
            if stops { progress } else { progress.cross(self.class(link.0), message) }
        };
        let routes = self.whole_routes();
        if self.alike {
            return vec![routes.unloaded(src, dst).fold(Progress::default(), cross)];
        }
        routes.best_paths(src, dst, Progress::default(), cross, Progress::covers)
    }

    /// How long a message takes that is alone and takes one path, the quickest.
    fn over_one_path(&self, src: u32, dst: u32, message: &Message) -> Span {
        self.progress(src, dst, message, false).iter().map(Progress::whole).min().unwrap_or(Span::ZERO)
    }

    /// One switch, what surrounds it, and the frames on links.
    #[inline(always)]
    fn switch(&mut self, now: Time, node: u32) -> (Switch<'_, D>, Surroundings<'_, O>, &mut Slab) {
        let Node { first, salt } = self.nodes[node as usize];
        let switch = Switch {
            node: NodeId(node),
            first,
            salt,
            ports: &mut self.ports,
            wires: &self.wires,
            classes: &self.classes,
            routes: &self.routes,
            routing: self.config.routing,
            cut_through: self.config.switching != Switching::StoreAndForward,
        };
        let surroundings = Surroundings {
            now,
            observer: &mut self.observer,
            stream: &mut self.stream,
            losses: &mut self.losses,
            totals: &mut self.totals,
        };
        (switch, surroundings, &mut self.on_links)
    }

    /// A frame begins to be handled by the switch that it has come to over `link`. It is handled where it is kept: copied there and back, a hop would
    /// take a tenth more instructions. A header that finds no room goes back, from the same switch.
    #[inline(always)]
    fn forward(&mut self, now: Time, link: u32, wire: Wire, place: u32, queue: &mut EventQueue) -> Verdict {
        let (of, way) = std::mem::replace(&mut self.ways[0], NO_WAYS[0]);
        let mut known = (!D::KEEPS && of == place).then_some(way);
        let (mut switch, mut surroundings, mut on_links) = self.switch(now, wire.to);
        let mut frame = on_links.get_mut(place);
        surroundings.see(frame, link, What::Arrived);
        let whole = switch.whole(now, Port(wire.back - switch.first), frame);
        debug_assert!(
            known.is_none_or(|way| switch.route(&mut { *frame }, &mut surroundings) == Some(way)),
            "what was found out beforehand still holds"
        );
        loop {
            let Some(link) = known.take().or_else(|| switch.route(frame, &mut surroundings)) else {
                return Verdict::Gone;
            };
            if D::KEEPS {
                self.settle(now, link, queue);
                (switch, surroundings, on_links) = self.switch(now, wire.to);
                frame = on_links.get_mut(place);
            }
            if let Some(verdict) = switch.admit(whole, link, frame, &mut surroundings) {
                return verdict;
            }
        }
    }

    /// If this is the arrival of a frame at a switch and it is known already over which link it goes on: its place and that link, whose port is fetched.
    #[inline(always)]
    fn way(&self, event: Event) -> Option<(u32, u32)> {
        if event.rank.kind() != kind::ARRIVAL {
            return None;
        }
        let to = self.wires[event.rank.device() as usize].to;
        if to < self.hosts {
            return None;
        }
        let frame = self.on_links.peek(event.slot)?;
        let links = self.routes.next_hops(NodeId(to), frame.dst);
        let hop = match links.len() {
            1 => 0,
            hops if self.config.routing == Routing::Ecmp && frame.path == Frame::ANY_PATH => {
                choose(frame.entropy, self.nodes[to as usize].salt, hops)
            }
            _ => return None, // its source chooses, or chance
        };
        let link = links.get(hop)?.0;
        self.ports.prefetch(link);
        Some((event.slot, link))
    }

    /// What makes a node's hashes differ from others'.
    pub(crate) fn salt(&self, node: u32) -> u32 {
        self.nodes[node as usize].salt
    }

    pub(crate) fn is_interface(&self, link: u32) -> bool {
        self.wires[link as usize].from < self.hosts
    }

    pub(crate) fn class(&self, link: u32) -> &PortClass {
        &self.classes[self.wires[link as usize].class as usize]
    }

    /// Whether a link's port is of `interfaces`.
    pub(crate) fn is_simple(&self, link: u32) -> bool {
        !D::PAUSES && self.is_interface(link)
    }

    fn counters(&self, link: u32) -> &Counters {
        if self.is_simple(link) { self.interfaces.counters(link) } else { self.ports.counters(link) }
    }

    pub(crate) fn counters_mut(&mut self, link: u32) -> &mut Counters {
        if self.is_simple(link) { self.interfaces.counters_mut(link) } else { self.ports.counters_mut(link) }
    }

    pub(crate) fn wait(&self, now: Time, link: u32) -> Span {
        if self.is_simple(link) { self.interfaces.wait(now, link) } else { self.ports.wait(now, link) }
    }

    /// The links that leave a node.
    pub(crate) fn uplinks(&self, node: u32) -> std::ops::Range<u32> {
        self.nodes[node as usize].first..self.nodes[node as usize + 1].first
    }

    /// How long a packet of this length waits at its interface that has its last bit sent at `end`.
    #[cold]
    #[inline(never)]
    fn waited(&self, now: Time, link: u32, len: u32, end: Time) -> Waited {
        Waited::new((end - self.class(link).time_on_wire(len)).since(now))
    }

    /// When a packet that an interface is done with at `end` is let go: after a random time, and not before the last.
    pub(crate) fn held_back(&mut self, link: u32, end: Time) -> Time {
        let delay = Span::from_ps(self.jitter.below(self.config.jitter.as_ps() + 1));
        let left = &mut self.left[link as usize];
        *left = (*left + Span::from_ps(1)).max(end + delay);
        *left
    }

    /// Time that data which an interface takes now would wait for what is there, of what may go.
    #[inline(always)]
    pub(crate) fn wait_at_host(&self, now: Time, link: u32) -> Span {
        match self.ports.pausing() {
            Some(pausing) => pausing.wait_of_unpaused(now, link),
            None => self.interfaces.wait(now, link),
        }
    }

    /// Longest wait at an interface at which it still takes data: a packet may wait behind the one being sent.
    pub(crate) fn room(&self, link: u32) -> Span {
        self.class(link).time_on_wire(self.config.mtu.get() as u32)
    }

    /// A frame that was on no link leaves on this one, its last bit at `end`.
    #[inline(always)]
    pub(crate) fn send(&mut self, now: Time, link: u32, end: Time, frame: Frame, queue: &mut EventQueue) {
        let place = self.on_links.put(frame, link);
        self.carry(now, link, end, place, frame.len, queue);
    }

    /// The frame in `place`, `len` bytes long, leaves on `link`, its last bit at `end`.
    #[inline(always)]
    fn carry(&mut self, now: Time, link: u32, end: Time, place: u32, len: u32, queue: &mut EventQueue) {
        let class = &self.classes[self.wires[link as usize].class as usize];
        self.totals.hops += 1;
        #[cfg(debug_assertions)]
        {
            self.ledger[link as usize][0] += 1;
        }
        if class.lossy && class.loses(len, &mut self.stream, &mut self.errors, &mut self.losses) {
            return self.lose(now, link, place);
        }
        let handled = class.head.map_or(end, |head| {
            let service = class.time_on_wire(len);
            end - service + head.min(service)
        });
        queue.push(Event { at: handled + class.delay, rank: Rank::new(kind::ARRIVAL, link), slot: place });
    }

    /// The frame in `place` is lost on its link.
    #[cold]
    #[inline(never)]
    fn lose(&mut self, now: Time, link: u32, place: u32) {
        let frame = self.on_links.get(place);
        self.observer.see(now, Seen::Frame { frame: &frame, link, what: What::Lost });
        self.totals.lose(frame.len);
        self.counters_mut(link).lost += 1;
        #[cfg(debug_assertions)]
        {
            self.ledger[link as usize][2] += 1;
        }
        self.on_links.free(place);
    }

    /// Frames are conserved in all: checked at every event in debug builds.
    #[cfg(debug_assertions)]
    fn check_conservation(&self, event: Event) {
        if let Some(pausing) = self.ports.pausing()
            && let Some(wire) = self.wires.get(event.rank.device() as usize)
        {
            let node = if event.rank.kind() == kind::ARRIVAL { wire.to } else { wire.from };
            pausing.check_memory(self.uplinks(node));
        }
        let Totals { offered, delivered, dropped, lost, .. } = self.totals;
        let inside = self.on_links.len() as u64 + self.held;
        assert_eq!(offered, delivered + dropped + lost + inside, "frames are conserved");
    }

    /// Frames are conserved on every link: what entered arrived, was corrupted, or is on it.
    #[cfg(debug_assertions)]
    fn check_links(&self) {
        let mut on_links = vec![0; self.wires.len()];
        self.on_links.iter().for_each(|inside| on_links[inside.link as usize] += 1);
        for (link, [entered, arrived, lost]) in self.ledger.iter().enumerate() {
            assert_eq!(*entered, arrived + lost + on_links[link], "frames are conserved on link {link}");
        }
        assert_eq!(self.held, self.ports.waiting().len() as u64, "frames that wait are counted");
        if let Some(pausing) = self.ports.pausing() {
            pausing.check_accounts();
        }
    }

    #[cfg(not(debug_assertions))]
    fn check_links(&self) {}
}

/// An empty distribution of latencies, with bins of 0.4 %.
fn latencies() -> Box<Histogram> {
    Box::new(Histogram::new(8))
}

/// A frame has arrived at its host.
#[cold]
#[inline(never)]
fn record(latencies: &mut Histogram, now: Time, frame: &Frame) {
    if frame.kind == Kind::Data && matches!(frame.fate, Fate::Whole | Fate::Trimmable) {
        latencies.record((now.since(frame.stamp) - frame.waited.span()).as_ps());
    }
}

/// Whether all shortest paths between two hosts take as long: hosts have one link, and all links between switches are alike.
fn alike(wires: &[Wire], classes: &[PortClass], topology: &Topology) -> bool {
    let hosts = topology.hosts();
    let inside = wires.iter().filter(|wire| wire.from.min(wire.to) >= hosts);
    let mut times = inside.map(|wire| &classes[wire.class as usize]).map(|class| (class.rate, class.delay, class.head));
    let first = times.next();
    times.all(|time| Some(time) == first) && (0..hosts).all(|host| topology.ports(NodeId(host)).len() == 1)
}

/// Every link with its class; equal classes are kept once.
fn wires(config: &Config, topology: &Topology) -> (Vec<Wire>, Vec<PortClass>) {
    let mut ports = vec![config.port; topology.links().len()];
    for rule in &config.rules {
        for link in &rule.links {
            let port = &mut ports[*link as usize];
            port.queue = rule.queue.unwrap_or(port.queue);
            rule.mark(port);
            port.loss = rule.loss.unwrap_or(port.loss);
        }
    }
    let mut classes: Vec<PortClass> = Vec::new();
    let mut known = BTreeMap::new();
    let mut wires = Vec::with_capacity(ports.len());
    for (index, (link, port)) in looking(topology.links().iter().zip(&ports).enumerate()) {
        let at_host = link.from.0 < topology.hosts();
        let mut class = PortClass::new(link.rate, link.delay, config.framing).with_loss(port.loss);
        if !at_host {
            class = class.with_limit(port.queue).with_marks(port.ecn_threshold);
            if let Some(red) = port.red {
                class = class.with_red(red);
            }
            if let Some(trim) = config.trimming {
                // Headers have as much memory as data (NDP).
                let queue = match port.queue {
                    Length::Bytes(bytes) => bytes,
                    Length::Packets(packets) => Bytes::new(u64::from(packets) * (config.mtu + config.framing).get()),
                };
                class = class.with_trimming(trim, queue);
            }
        }
        if config.switching == Switching::CutThrough && link.to.0 >= topology.hosts() {
            class.head = Some(link.rate.time_for(config.cut_through_header + config.framing));
        }
        // All by which classes can differ as long as nothing is broken.
        let PortClass { limit, mark, ramp, most, limit_packets, mark_packets, loss, head, .. } = class;
        let marks = (mark, mark_packets, ramp.to_bits(), most.to_bits());
        let key = (link.rate, link.delay, (limit, limit_packets), marks, loss, head);
        let place = *known.entry(key).or_insert_with(|| {
            classes.push(class);
            classes.len() - 1
        });
        let back = topology.reverse(LinkId(index as u32)).0;
        wires.push(Wire { from: link.from.0, to: link.to.0, class: place as u32, back });
    }
    (wires, classes)
}

impl<D: Discipline, O: Observer> Network for Ethernet<D, O> {
    type Observer = O;

    fn observer(&mut self) -> &mut O {
        &mut self.observer
    }

    fn offers(&self) -> Offers {
        let lossless = self.config.is_lossless(&self.topology) && !self.classes.iter().any(|class| class.loss > 0);
        self.config.offers(lossless)
    }

    fn paths(&self, src: u32, dst: u32) -> u32 {
        let (mut node, mut paths) = (src, 1_u32);
        while node != dst {
            let links = self.routes.next_hops(NodeId(node), dst);
            let Some(first) = links.get(0) else { break };
            paths = paths.saturating_mul(links.len());
            node = self.wires[first.index()].to;
        }
        paths.min(Frame::ANY_PATH - 1)
    }

    fn packet_time(&self, host: u32) -> Option<Span> {
        let link = self.uplinks(host).next()?;
        Some(self.class(link).time_on_wire(self.config.mtu.get() as u32))
    }

    #[inline]
    fn has_room(&self, now: Time, host: u32) -> bool {
        if self.is_down(host) {
            return false;
        }
        self.uplinks(host).all(|link| self.wait_at_host(now, link) <= self.room(link))
    }

    fn call_when_ready(&mut self, now: Time, host: u32, queue: &mut EventQueue) {
        if self.is_down(host) {
            return self.call_when_up(host);
        }
        let wait = |link| self.wait_at_host(now, link).saturating_sub(self.room(link));
        let longest = self.uplinks(host).map(wait).max().unwrap_or(Span::ZERO);
        queue.push(Event { at: now + longest, rank: Rank::new(kind::READY, host), slot: 0 });
    }

    #[inline]
    fn offer(&mut self, now: Time, mut frame: Frame, queue: &mut EventQueue) {
        self.totals.offer(frame.len);
        let links = self.routes.next_hops(NodeId(frame.src), frame.dst);
        let hops = links.len();
        let hop = match self.config.routing {
            _ if hops <= 1 => 0,
            _ if frame.path != Frame::ANY_PATH => take_path(&mut frame, hops),
            Routing::Ecmp => choose(frame.entropy, self.nodes[frame.src as usize].salt, hops),
            Routing::Spray => self.stream.below(u64::from(hops)) as u32,
        };
        let Some(LinkId(link)) = links.get(hop) else {
            return self.send_nowhere(now, frame);
        };
        if D::PAUSES {
            return self.offer_to_port(now, link, frame, queue);
        }
        let class = &self.classes[self.wires[link as usize].class as usize];
        if let Admission::Departs(end) = self.interfaces.admit(now, now, link, &mut frame, class, |_| 0) {
            let end = if self.config.jitter > Span::ZERO { self.held_back(link, end) } else { end };
            if self.latencies.is_some() {
                frame.waited = self.waited(now, link, frame.len, end);
            }
            self.observer.see(now, Seen::Frame { frame: &frame, link, what: What::Queued { leaves: Some(end) } });
            self.send(now, link, end, frame, queue);
        }
    }

    #[inline(always)]
    fn handle(&mut self, event: Event, queue: &mut EventQueue) -> Option<Frame> {
        let (now, link) = (event.at, event.rank.device());
        #[cfg(debug_assertions)]
        self.check_conservation(event);
        match event.rank.kind() {
            kind::ARRIVAL => {}
            kind::LINK_FREE => {
                self.link_free(now, link, queue);
                return None;
            }
            other => {
                debug_assert_eq!(
                    other,
                    kind::DEADLINE,
                    "an Ethernet fabric waits for nothing but its routes and pauses"
                );
                if D::PAUSES && link > 0 {
                    self.pause_deadline(now, link - 1, queue);
                } else {
                    self.converge(now);
                }
                return None;
            }
        }
        if D::PAUSES && event.slot & Notice::FLAG != 0 {
            self.hear(now, link, event.slot, queue);
            return None;
        }
        if self.faults.is_some() && self.on_links.forget(event.slot) {
            return None; // it was lost on its way
        }
        #[cfg(debug_assertions)]
        {
            self.ledger[link as usize][1] += 1;
        }
        let wire = self.wires[link as usize];
        // What waited behind it has left before it came.
        if D::KEEPS && wire.from >= self.hosts {
            self.settle(now, link, queue);
        }
        if wire.to < self.hosts {
            let frame = self.on_links.get(event.slot);
            self.observer.see(now, Seen::Frame { frame: &frame, link, what: What::Delivered });
            self.totals.deliver(frame.len);
            self.on_links.free(event.slot);
            if let Some(latencies) = &mut self.latencies {
                record(latencies, now, &frame);
            }
            return Some(frame);
        }
        if let Some(pausing) = self.ports.pausing_mut() {
            pausing.arrives_over(link);
        }
        match self.forward(now, link, wire, event.slot, queue) {
            Verdict::Departs(link, end, len) => {
                self.on_links.pass(event.slot, link);
                self.carry(now, link, end, event.slot, len, queue);
            }
            Verdict::Waits(link) => {
                self.on_links.free(event.slot);
                self.held += 1;
                if self.may_send(now, link) {
                    self.wait_for(now, link, queue);
                }
            }
            // Others waited already.
            Verdict::Displaces(displaced) => {
                self.on_links.free(event.slot);
                self.held = self.held + 1 - displaced;
            }
            Verdict::Gone => self.on_links.free(event.slot),
        }
        if D::PAUSES {
            self.tell(now, queue);
        }
        None
    }

    const LOOKS_AHEAD: bool = true;

    #[inline(always)]
    fn expect(&self, event: Event) {
        let link = event.rank.device();
        if event.rank.kind() == kind::ARRIVAL {
            self.on_links.prefetch(event.slot);
            if D::KEEPS {
                self.ports.prefetch(link); // what waited behind it is looked at
            }
        }
    }

    #[inline(always)]
    fn expect_next(&mut self, event: Option<Event>) {
        // Ports at which frames wait hold more than is worth fetching.
        if !D::KEEPS {
            let way = event.and_then(|event| self.way(event));
            self.ways = [self.ways[1], way.unwrap_or(NO_WAYS[1])];
        }
    }

    fn fault(&mut self, now: Time, fault: Fault, queue: &mut EventQueue) {
        self.strike(now, fault, queue);
    }

    fn counters(&self) -> Vec<Counter> {
        let mut counters = self.fault_counters();
        counters.extend(self.ports.pausing().iter().flat_map(|pausing| pausing.report()));
        counters
    }

    fn distributions(&self) -> Vec<Distribution> {
        let distribution = |latencies: &Histogram| Distribution {
            name: "in-network latency",
            unit: "ps",
            bins: latencies.bins().collect(),
        };
        self.latencies.as_deref().map(distribution).into_iter().collect()
    }

    fn sample(&mut self, now: Time) -> Vec<Sampled> {
        let links = self.wires.len() as f64;
        let share = |pausing: &mut Pausing| pausing.statistics.sample(now) / links;
        let paused = |value| Sampled { name: "links paused", unit: "fraction", value, over: Over::Mean };
        self.ports.pausing_mut().map(share).map(paused).into_iter().collect()
    }

    fn totals(&self) -> Totals {
        Totals { in_flight: self.on_links.len() as u64 + self.held, ..self.totals }
    }

    fn link_counters(&self, now: Time, link: u32) -> LinkCounters {
        let (rate, wait) = (self.class(link).rate, self.wait(now, link));
        let Some(pausing) = self.ports.pausing() else { return self.counters(link).at_rate(rate, wait) };
        let pauses = pausing.pauses_at(now, link);
        let (paused, longest_pause) = (pauses.time, pauses.longest);
        let counters = pausing.counters_at(now, link).at_rate(rate, wait);
        LinkCounters { pauses: pauses.count, paused, longest_pause, ..counters }
    }

    #[inline]
    fn bytes_sent(&self, now: Time, link: u32) -> u64 {
        self.counters(link).sent(self.class(link).rate, self.wait(now, link))
    }

    fn queue(&self, now: Time, link: u32) -> Bytes {
        self.class(link).rate.bytes_in(self.wait(now, link))
    }

    fn begin_measurement(&mut self, now: Time) {
        self.losses = Losses::default();
        self.latencies = self.config.in_network_latency.then(latencies);
        if let Some(pausing) = self.ports.pausing_mut() {
            pausing.begin_measurement(now);
        }
        for link in 0..self.wires.len() as u32 {
            let wait = self.wait(now, link);
            *self.counters_mut(link) = Counters::with_backlog(self.class(link).rate, wait);
        }
    }

    fn ideal(&self, src: u32, dst: u32, bytes: Bytes, header: Bytes) -> Span {
        if self.config.routing == Routing::Spray {
            return self.ideal_over_paths(src, dst, bytes, header);
        }
        self.over_one_path(src, dst, &Message::new(bytes, header, self.config.mtu))
    }

    fn ideal_over_paths(&self, src: u32, dst: u32, bytes: Bytes, header: Bytes) -> Span {
        let message = Message::new(bytes, header, self.config.mtu);
        let routes = self.whole_routes();
        if routes.is_only_path(src, dst) {
            return self.over_one_path(src, dst, &message);
        }
        let earliest = |message: Message| Progress::earliest(&self.progress(src, dst, &message, true));
        let (full, last) = message.alone();
        let first: Vec<&PortClass> = routes.next_hops(NodeId(src), dst).iter().map(|link| self.class(link.0)).collect();
        let to: Vec<&PortClass> = self.uplinks(dst).map(|link| self.class(self.wires[link as usize].back)).collect();
        message.spread(full.map(earliest).unwrap_or_default(), earliest(last), &first, &to)
    }

    fn hops(&self, src: u32, dst: u32) -> u32 {
        self.whole_routes().hop_count(src, dst)
    }

    fn mtu(&self) -> Bytes {
        self.config.mtu
    }

    fn event_gap(&self) -> Span {
        self.event_gap
    }

    fn catch_up(&mut self, now: Time, queue: &mut EventQueue) {
        for link in 0..self.wires.len() as u32 {
            self.settle_through(now, link, queue);
        }
    }

    fn check(&self) {
        self.check_links();
    }

    #[inline(always)]
    fn is_paused(&self, now: Time, host: u32, priority: u8) -> bool {
        let paused = |pausing: &Pausing| self.uplinks(host).any(|link| pausing.is_paused(now, link, priority));
        self.ports.pausing().is_some_and(paused)
    }

    fn call_when_resumed(&mut self, host: u32) {
        if let Some(pausing) = self.ports.pausing_mut() {
            pausing.call(host);
        }
    }

    fn longest_pause(&self, now: Time) -> Span {
        self.ports.pausing().map_or(Span::ZERO, |pausing| pausing.longest_pause(now))
    }

    fn deadlock(&self) -> Option<Deadlock> {
        let circle = self.ports.pausing()?.deadlock();
        (!circle.is_empty()).then_some(Deadlock { circle, by: "PFC" })
    }

    fn frames_inside(&self) -> Vec<Inside> {
        let held = self.ports.waiting().into_iter().map(|(link, frame)| Inside { frame, link });
        self.on_links.iter().chain(held).collect()
    }
}
