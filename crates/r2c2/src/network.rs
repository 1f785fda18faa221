//! The rack as a [`Network`].

use crate::announcements::Announcement;
use crate::config::{Config, Knowledge};
use crate::crossings::Crossings;
use crate::failures::Failures;
use crate::flows::{Flow, Message};
use crate::hops::{Fate, Wire};
use crate::known::Known;
use crate::plan::offers;
use crate::rates::Work;
use crate::rig::{BuildError, Rig};
use crate::sources::Source;
use crate::trees::Trees;
use engine::{Control, Event, EventQueue, Rank, Seed, Slab, Stream};
use fabric::{Counter, Fault, Frame, Inside, LinkCounters, Network, Observer, Off, Offers, Totals, kind};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use topology::{LinkId, Routes, Topology};
use units::{Bytes, Span, Time};

/// A rack of nodes that forward packets and compute the rates of their flows.
#[derive(Debug)]
pub struct R2c2<O = Off> {
    pub(crate) observer: O,
    pub(crate) config: Config,
    pub(crate) rig: Rig,
    pub(crate) hosts: u32,
    pub(crate) wires: Vec<Wire>,
    pub(crate) messages: Slab<Message>,
    pub(crate) flows: Slab<Flow>,
    /// Flows that go on, by their connection's place and epoch.
    pub(crate) origins: BTreeMap<[u32; 2], u32>,
    pub(crate) sources: Vec<Source>,
    pub(crate) announcements: Slab<Announcement>,
    pub(crate) known: Known,
    /// Flows that have ended and of which some node may not know it, and when all forget them.
    pub(crate) stale: VecDeque<(Time, u32)>,
    /// Flows that go on.
    pub(crate) going: u64,
    /// How often a flow had nothing left to send, and had not ended.
    pub(crate) pauses: u32,
    pub(crate) ticking: bool,
    pub(crate) routes: Arc<Routes>,
    /// Found when they are asked for, by whoever asks.
    pub(crate) crossings: RefCell<Crossings>,
    pub(crate) trees: Trees,
    /// Links that work, as nodes know it.
    pub(crate) works: Vec<bool>,
    pub(crate) failures: Failures,
    /// The same while nothing was broken: what slowdown is measured against.
    pub(crate) whole: Option<RefCell<Crossings>>,
    pub(crate) work: Work,
    /// Which links packets take; the nodes between; trees; wrong bits.
    pub(crate) chance: Stream,
    pub(crate) between: Stream,
    pub(crate) tree_choice: Stream,
    pub(crate) errors: Stream,
    pub(crate) totals: Totals,
    pub(crate) sums: Sums,
    pub(crate) control: Control,
    /// All links between switches are alike, so that all shortest paths take as long.
    alike: bool,
}

/// What only this kind of fabric counts.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sums {
    pub flows: u64,
    pub unlimited: u64,
    pub packets: u64,
    pub announcements: u64,
    pub announcement_packets: u64,
    pub notices: u64,
    pub fillings: u64,
    pub most_views: u64,
    pub reroutes: u64,
    full: u64,
    broken: u64,
    bit_errors: u64,
    unreachable: u64,
}

impl Sums {
    pub(crate) fn count(&mut self, fate: Fate) {
        let sum = match fate {
            Fate::Full => &mut self.full,
            Fate::Broken => &mut self.broken,
            Fate::BitError => &mut self.bit_errors,
            Fate::Unreachable => &mut self.unreachable,
        };
        *sum += 1;
    }
}

impl R2c2 {
    /// Builds a rack on a topology. Chance comes from the seed's streams `r2c2.*`.
    ///
    /// # Errors
    /// If the topology is no rack.
    ///
    /// # Panics
    /// If a host cannot reach another.
    pub fn new(config: &Config, topology: &Topology, seed: Seed) -> Result<R2c2, BuildError> {
        let topology = Arc::new(topology.clone());
        let routes = Routes::shortest(&topology).expect("hosts reach each other");
        Ok(R2c2::on(config, Rig::new(&topology)?, Arc::new(routes), seed, Off))
    }
}

impl<O: Observer> R2c2<O> {
    /// Strict priority classes.
    pub(crate) const PRIORITIES: u8 = 8;

    /// As [`R2c2::new`], on a rack whose routes these are; and observed.
    pub fn on(config: &Config, rig: Rig, routes: Arc<Routes>, seed: Seed, observer: O) -> R2c2<O> {
        let topology = &rig.topology;
        let hosts = rig.hosts();
        let wire = |link: &topology::Link| Wire::new(link, config.queue.filter(|_| !topology.is_host(link.from)));
        let inside = || topology.links().iter().filter(|link| link.from.0.min(link.to.0) >= hosts);
        let time = |link: &topology::Link| (link.rate, link.delay);
        let alike = inside().all(|link| inside().next().map(time) == Some(time(link)));
        let stream = |name| seed.stream(name, 0);
        R2c2 {
            observer,
            hosts,
            alike,
            wires: topology.links().iter().map(wire).collect(),
            messages: Slab::default(),
            flows: Slab::default(),
            origins: BTreeMap::new(),
            sources: vec![Source::default(); hosts as usize],
            announcements: Slab::default(),
            known: Known::new(topology.switches()),
            stale: VecDeque::new(),
            going: 0,
            pauses: 0,
            ticking: false,
            crossings: RefCell::new(Crossings::new(&rig, Arc::clone(&routes), config.routing)),
            routes,
            trees: Trees::new(&rig, config.trees, stream("r2c2.trees").bits()),
            works: vec![true; topology.links().len()],
            failures: Failures::new(topology.links().len(), topology.nodes()),
            whole: None,
            work: Work::default(),
            chance: stream("r2c2.paths"),
            between: stream("r2c2.between"),
            tree_choice: stream("r2c2.announcements"),
            errors: stream("r2c2.bit-errors"),
            totals: Totals::default(),
            sums: Sums::default(),
            control: Control::default(),
            config: config.clone(),
            rig,
        }
    }

    /// Computing rates may take long: it stops when this says so, and then the run must end.
    pub fn watch(&mut self, control: &Control) {
        self.control = control.clone();
    }

    /// The least time that a packet takes between two hosts.
    fn passage(&self, routes: &Routes, src: u32, dst: u32, len: u32) -> Span {
        let over = |link: LinkId| {
            let wire = &self.wires[link.index()];
            wire.time(len) + wire.delay
        };
        if self.alike {
            return routes.unloaded(src, dst).map(over).sum();
        }
        let paths = routes.best_paths(src, dst, Span::ZERO, |time, link| time + over(link), |one, other| one <= other);
        paths.into_iter().min().unwrap_or(Span::ZERO)
    }

    fn check_conservation(&self) {
        if cfg!(debug_assertions) {
            let Totals { offered, delivered, dropped, lost, .. } = self.totals;
            let inside = self.messages.all().filter(|message| message.is_whole).count() as u64;
            assert_eq!(offered, delivered + dropped + lost + inside, "frames are conserved");
        }
    }
}

impl<O: Observer> Network for R2c2<O> {
    type Observer = O;

    fn observer(&mut self) -> &mut O {
        &mut self.observer
    }

    fn offers(&self) -> Offers {
        offers(&self.config)
    }

    fn packet_time(&self, host: u32) -> Option<Span> {
        let packet = self.config.mtu.get().min(self.config.packet.get()) + self.config.header.get();
        Some(self.wires[self.rig.up[host as usize] as usize].time(packet as u32))
    }

    fn has_room(&self, _: Time, host: u32) -> bool {
        self.failures.is_up(host)
    }

    fn call_when_ready(&mut self, now: Time, host: u32, queue: &mut EventQueue) {
        if self.failures.is_up(host) {
            queue.push(Event { at: now, rank: Rank::new(kind::READY, host), slot: 0 });
        } else {
            self.sources[host as usize].is_called = true;
        }
    }

    fn takes(&mut self, flow: u32, epoch: u32) -> bool {
        let Some(place) = self.origins.get(&[flow, epoch]) else { return true };
        let flow = &mut self.flows[*place];
        let has_room = flow.unsent < self.config.buffer.get();
        flow.is_awaited |= !has_room;
        has_room
    }

    fn offer(&mut self, now: Time, frame: Frame, queue: &mut EventQueue) {
        self.take(now, frame, queue);
    }

    fn handle(&mut self, event: Event, queue: &mut EventQueue) -> Option<Frame> {
        let (now, device) = (event.at, event.rank.device());
        match event.rank.kind() {
            kind::ARRIVAL => return self.arrive(now, device, queue),
            kind::SCHEDULE => self.turn(now, device, queue),
            kind::TICK => self.tick(now, queue),
            other => {
                debug_assert_eq!(other, kind::DEADLINE, "a rack has no other events");
                match device {
                    0 => self.converge(now, queue),
                    1 => self.announce_again(now, event.slot, queue),
                    flow => self.linger_over(now, flow - 2, event.slot, queue),
                }
            }
        }
        None
    }

    fn fault(&mut self, now: Time, fault: Fault, queue: &mut EventQueue) {
        self.strike(now, fault, queue);
    }

    fn counters(&self) -> Vec<Counter> {
        let counter = |name, unit, value: u64| Counter { name, unit, value: value as f64 };
        let sums = &self.sums;
        let mut counters = vec![
            counter("flows", "flows", sums.flows),
            counter("of these, over before they had a rate", "flows", sums.unlimited),
            counter("packets of data", "packets", sums.packets),
            counter("announcements", "announcements", sums.announcements),
            counter("packets of announcements", "packets", sums.announcement_packets),
            counter("computations of all rates", "times", sums.fillings),
        ];
        if self.config.knowledge == Knowledge::EachNode {
            counters.push(counter("most views at once", "views", sums.most_views));
        }
        if self.config.queue.is_some() {
            counters.push(counter("packets dropped for want of room", "packets", sums.full));
            counters.push(counter("announcements that found no room", "announcements", sums.notices));
        }
        if self.failures.any {
            counters.push(counter("packets lost on dead links", "packets", sums.broken));
            counters.push(counter("packets lost for want of a path", "packets", sums.unreachable));
            counters.push(counter("packets lost to bit errors", "packets", sums.bit_errors));
            counters.push(counter("changes of all routes", "times", sums.reroutes));
        }
        counters
    }

    fn totals(&self) -> Totals {
        let Totals { offered, delivered, dropped, lost, .. } = self.totals;
        Totals { in_flight: offered - delivered - dropped - lost, ..self.totals }
    }

    fn link_counters(&self, now: Time, link: u32) -> LinkCounters {
        let wire = &self.wires[link as usize];
        wire.counters.at_rate(wire.rate, wire.wait(now))
    }

    fn bytes_sent(&self, now: Time, link: u32) -> u64 {
        let wire = &self.wires[link as usize];
        wire.counters.sent(wire.rate, wire.wait(now))
    }

    fn queue(&self, now: Time, link: u32) -> Bytes {
        let wire = &self.wires[link as usize];
        wire.rate.bytes_in(wire.wait(now))
    }

    fn begin_measurement(&mut self, now: Time) {
        self.sums = Sums::default();
        for wire in &mut self.wires {
            wire.counters = fabric::Counters::with_backlog(wire.rate, wire.wait(now));
        }
    }

    /// Packets go one after the other as fast as the flow's paths carry it, and the last takes a shortest path.
    fn ideal(&self, src: u32, dst: u32, bytes: Bytes, header: Bytes) -> Span {
        let (mtu, packet) = (self.config.mtu.get(), self.config.packet.get());
        let payload = mtu - header.get();
        let frames = bytes.get().div_ceil(payload).max(1);
        let last_frame = bytes.get() - (frames - 1) * payload + header.get();
        let packets = (frames - 1).saturating_mul(self.config.packets(mtu)) + self.config.packets(last_frame);
        let last = last_frame - (self.config.packets(last_frame) - 1) * packet;
        let headers = self.config.header.get() as f64 * (packets - 1) as f64;
        let before = ((frames - 1) as f64 * mtu as f64 + (last_frame - last) as f64 + headers) * 8.0;
        let mut crossings = self.whole.as_ref().unwrap_or(&self.crossings).borrow_mut();
        crossings.make_room();
        // From one packet to the next it is rounded down to a picosecond.
        let time = Span::from_ps((before / crossings.line(&self.rig, src, dst) * 1e12) as u64);
        let passage = self.passage(&crossings.routes, src, dst, (last + self.config.header.get()) as u32);
        time.saturating_sub(Span::from_ps(packets)) + passage
    }

    fn mtu(&self) -> Bytes {
        self.config.mtu
    }

    fn event_gap(&self) -> Span {
        // Every link sends full packets.
        let rate: f64 = self.wires.iter().map(|wire| wire.rate.as_bps() as f64).sum();
        Span::from_secs_f64((self.config.packet + self.config.header).bits() as f64 / (2.0 * rate))
    }

    fn check(&self) {
        self.check_conservation();
    }

    fn frames_inside(&self) -> Vec<Inside> {
        let whole = self.messages.all().filter(|message| message.is_whole);
        whole.map(|message| Inside { frame: message.frame, link: self.rig.up[message.frame.src as usize] }).collect()
    }
}
