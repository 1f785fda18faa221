//! The fluid network as a [`Network`]: frames enter, flow out of their hosts at their streams' rates, and arrive after the delay of
//! the links.

use crate::Config;
use crate::paths::Paths;
use crate::plan::OFFERS;
use crate::sharing::{Shares, Sharing};
use crate::streams::{Origin, Streams};
use engine::{Control, Event, EventQueue, Rank, Seed};
use fabric::{
    Arena, Counter, Fault, Frame, Inside, Kind, LinkCounters, Network, Observer, Off, Offers, Seen, Totals, What, kind,
};
use std::sync::Arc;
use topology::{LinkId, NodeId, RouteError, Routes, Topology};
use units::{Bytes, Rate, Span, Time};

/// Why a topology is no fluid network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A host with several links, or none.
    #[error("host {host} has {links} links: in a fluid network each has one")]
    Links {
        /// Which.
        host: String,
        /// How many it has.
        links: usize,
    },
    /// Hosts that no path joins.
    #[error(transparent)]
    Routes(#[from] RouteError),
}

/// A fluid network: frames enter, flow, and arrive. Whatever waits to be sent flows: a host takes frames of any number of messages.
#[derive(Debug)]
pub struct Fluid<O = Off> {
    observer: O,
    config: Config,
    topology: Topology,
    paths: Paths,
    /// Scratch: links of a path.
    path: Vec<u32>,
    shares: Shares,
    rates: Vec<f64>,
    streams: Streams,
    /// Streams have come or gone since rates were computed.
    is_stale: bool,
    /// When the next event of streams is; older ones that are still to come have other numbers.
    next: Option<Time>,
    number: u32,
    /// Frames inside.
    frames: Arena,
    totals: Totals,
    /// By link: frames and bytes since the measurement began.
    carried: Vec<(u64, u64)>,
    /// Times that streams were looked at.
    looks: u64,
    fillings: u64,
    most: usize,
}

/// Streams are looked at this often at least, so that a message that flows for long is not taken for one that stands.
const LOOK: Span = Span::from_ms(5);

impl Fluid {
    /// Whether a topology can be one.
    ///
    /// # Errors
    /// If a host has several links, or none.
    pub fn check(topology: &Topology) -> Result<(), BuildError> {
        let links = |host| topology.ports(NodeId(host)).len();
        match (0..topology.hosts()).find(|host| links(*host) != 1) {
            None => Ok(()),
            Some(host) => Err(BuildError::Links { host: topology.name(NodeId(host)).to_owned(), links: links(host) }),
        }
    }

    /// Builds it on a topology. Paths are those of an Ethernet of the same seed.
    ///
    /// # Errors
    /// If a host has several links, or none, or if a host cannot reach another.
    pub fn new(config: &Config, topology: &Topology, seed: Seed) -> Result<Fluid, BuildError> {
        Fluid::check(topology)?;
        Ok(Fluid::on(config, topology, Arc::new(Routes::shortest(topology)?), seed, Off))
    }
}

impl<O: Observer> Fluid<O> {
    /// As [`Fluid::new`], on a topology that was checked, and whose routes these are; and observed.
    pub fn on(config: &Config, topology: &Topology, routes: Arc<Routes>, seed: Seed, observer: O) -> Fluid<O> {
        Fluid {
            observer,
            config: config.clone(),
            paths: Paths::new(config.sharing, topology, routes, seed),
            path: Vec::new(),
            shares: Shares::new(config.sharing, topology),
            rates: Vec::new(),
            streams: Streams::default(),
            is_stale: false,
            next: None,
            number: 0,
            frames: Arena::default(),
            totals: Totals::default(),
            carried: vec![(0, 0); topology.links().len()],
            looks: 0,
            fillings: 0,
            most: 0,
            topology: topology.clone(),
        }
    }

    /// Computing rates may take long: it stops when this says so, and then the run must end.
    pub fn watch(&mut self, control: &Control) {
        self.shares.watch(control);
    }

    /// Streams have an event at `at`, in place of the next.
    fn wake(&mut self, at: Time, queue: &mut EventQueue) {
        if self.next != Some(at) {
            self.next = Some(at);
            self.number = self.number.wrapping_add(1);
            queue.push(Event { at, rank: Rank::new(kind::TICK, 0), slot: self.number });
        }
    }

    /// Frames leave, and rates are computed anew if streams have come or gone.
    fn tick(&mut self, now: Time, queue: &mut EventQueue) {
        self.next = None;
        self.looks += 1;
        let mut from = 0;
        while let Some(place) = self.streams.next_done(from, now) {
            // A stream that is over has another in its place, which may be done as well.
            from = place;
            self.leave(now, place, queue);
        }
        if std::mem::take(&mut self.is_stale) {
            self.shares.of(&self.streams, &mut self.rates);
            if self.shares.is_stopped() {
                return;
            }
            if O::ACTIVE {
                for (flow, host, rate) in self.streams.changes(&self.rates) {
                    let rate = Some(Rate::from_bps((rate * 1e12).round() as u64));
                    self.observer.see(now, Seen::Window { flow, host, window: None, rate });
                }
            }
            self.streams.set_rates(now, &self.rates);
            self.fillings += 1;
            self.most = self.most.max(self.streams.len());
        }
        if let Some(next) = self.streams.next() {
            self.wake(next.min(now + LOOK), queue);
        }
    }

    /// The first frame of the stream in this place has left its host.
    fn leave(&mut self, now: Time, place: usize, queue: &mut EventQueue) {
        let mut at = now;
        let dst = self.streams.ends[place][1];
        let passed = self.frames[self.streams.first(place)];
        let link = self.paths.up(passed.src);
        self.observer.see(now, Seen::Frame { frame: &passed, link, what: What::Left { end: now } });
        for link in self.streams.paths.of(place) {
            at += self.topology.link(LinkId(link)).delay;
            // The last link is counted when the frame arrives.
            if link != self.paths.down(dst) {
                count(&mut self.carried[link as usize], &passed);
            }
        }
        let frames = &self.frames;
        let left = self.streams.take(place, now, |frame| bits(frames[frame].len));
        self.is_stale |= left.behind == 0;
        if left.is_awaited {
            queue.push(Event { at: now, rank: Rank::new(kind::READY, passed.src), slot: passed.flow + 1 });
        }
        queue.push(Event { at, rank: Rank::new(kind::ARRIVAL, dst), slot: left.frame });
    }
}

fn count((frames, bytes): &mut (u64, u64), frame: &Frame) {
    *frames += 1;
    *bytes += u64::from(frame.len);
}

fn origin(flow: u32, epoch: u32, kind: Kind) -> Origin {
    Origin { place: flow * 2 + u32::from(!kind.is_from_sender()), epoch }
}

fn bits(bytes: u32) -> f64 {
    f64::from(bytes) * 8.0
}

impl<O: Observer> Network for Fluid<O> {
    type Observer = O;

    fn observer(&mut self) -> &mut O {
        &mut self.observer
    }

    fn offers(&self) -> Offers {
        OFFERS
    }

    fn has_room(&self, _: Time, _: u32) -> bool {
        true
    }

    fn call_when_ready(&mut self, now: Time, host: u32, queue: &mut EventQueue) {
        queue.push(Event { at: now, rank: Rank::new(kind::READY, host), slot: 0 });
    }

    fn takes(&mut self, flow: u32, epoch: u32) -> bool {
        self.streams.takes(origin(flow, epoch, Kind::Data))
    }

    fn offer(&mut self, now: Time, frame: Frame, queue: &mut EventQueue) {
        self.totals.offer(frame.len);
        let link = self.paths.up(frame.src);
        self.observer.see(now, Seen::Frame { frame: &frame, link, what: What::Queued { leaves: None } });
        let origin = origin(frame.flow, frame.epoch, frame.kind);
        let place = self.frames.put(frame);
        if self.streams.join(origin, place) {
            return;
        }
        self.paths.of(&frame, &mut self.path);
        self.streams.begin(now, origin, [frame.src, frame.dst], &self.path, place, bits(frame.len));
        self.is_stale = true;
        self.wake(now, queue);
    }

    fn handle(&mut self, event: Event, queue: &mut EventQueue) -> Option<Frame> {
        if event.rank.kind() == kind::TICK {
            if event.slot == self.number {
                self.tick(event.at, queue);
            }
            return None;
        }
        debug_assert_eq!(event.rank.kind(), kind::ARRIVAL, "frames leave, and frames arrive");
        let frame = self.frames.take(event.slot);
        let link = self.paths.down(frame.dst);
        self.observer.see(event.at, Seen::Frame { frame: &frame, link, what: What::Delivered });
        self.totals.deliver(frame.len);
        count(&mut self.carried[self.paths.down(frame.dst) as usize], &frame);
        Some(frame)
    }

    fn fault(&mut self, _: Time, _: Fault, _: &mut EventQueue) {
        unreachable!("an experiment with failures in a fluid network is refused")
    }

    fn counters(&self) -> Vec<Counter> {
        vec![
            Counter { name: "rates computed", unit: "times", value: self.fillings as f64 },
            Counter { name: "most streams at once", unit: "streams", value: self.most as f64 },
        ]
    }

    fn totals(&self) -> Totals {
        let in_flight = self.frames.len() as u64;
        // What there is to do is one look at the streams after the other, and frames that arrive.
        Totals { in_flight, hops: self.looks + self.totals.delivered, ..self.totals }
    }

    /// How many frames of a message it takes ahead of time is a matter of how it is computed.
    fn has_buffers(&self) -> bool {
        false
    }

    fn link_counters(&self, _: Time, link: u32) -> LinkCounters {
        let (frames, bytes) = self.carried[link as usize];
        LinkCounters { frames, bytes, ..LinkCounters::default() }
    }

    fn queue(&self, _: Time, _: u32) -> Bytes {
        Bytes::ZERO
    }

    fn begin_measurement(&mut self, _: Time) {
        self.carried.fill((0, 0));
        self.fillings = 0;
        self.most = self.streams.len();
    }

    fn ideal(&self, src: u32, dst: u32, bytes: Bytes, header: Bytes) -> Span {
        let payload = self.config.mtu.get() - header.get();
        let packets = bytes.get().div_ceil(payload).max(1);
        let sent = u128::from(bytes.get()) + u128::from(packets) * u128::from(header.get());
        let bits = sent as f64 * 8.0;
        // Of each path: its lowest rate and its delay.
        let rate = |link| self.topology.link(link).rate.as_bps() as f64 * 1e-12;
        let cross =
            |(slowest, delay): (f64, Span), link| (slowest.min(rate(link)), delay + self.topology.link(link).delay);
        let covers = |one: &(f64, Span), other: &(f64, Span)| one.0 >= other.0 && one.1 <= other.1;
        let paths = self.paths.best([src, dst], (f64::INFINITY, Span::ZERO), cross, covers);
        let time = |(rate, delay): (f64, Span)| Span::from_ps((bits / rate).floor() as u64) + delay;
        paths.into_iter().map(time).min().unwrap_or(Span::ZERO)
    }

    fn mtu(&self) -> Bytes {
        self.config.mtu
    }

    fn event_gap(&self) -> Span {
        // All hosts send frames of a few packets' length.
        let rate = |host| self.topology.link(LinkId(self.paths.up(host))).rate.as_bps() as f64 * 1e-12;
        let all: f64 = (0..self.topology.hosts()).map(rate).sum();
        Span::from_ps(((12_000.0 / all) as u64).max(1))
    }

    fn check(&self) {
        if cfg!(debug_assertions) && self.config.sharing != Sharing::Detours && !self.is_stale {
            let mut carried = vec![0.0; self.carried.len()];
            for (place, rate) in self.streams.rates().iter().enumerate() {
                self.streams.paths.of(place).for_each(|link| carried[link as usize] += rate);
            }
            for (link, carried) in self.topology.links().iter().zip(carried) {
                debug_assert!(carried <= link.rate.as_bps() as f64 * 1e-12 * (1.0 + 1e-9), "no link carries too much");
            }
        }
    }

    fn frames_inside(&self) -> Vec<Inside> {
        self.frames.iter().map(|frame| Inside { frame: *frame, link: self.paths.up(frame.src) }).collect()
    }
}
