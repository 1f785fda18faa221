//! A rack as packets see it: SoCs with packet switches, joined by circuits that change while packets are on them (§3, §4.4, §5).
//!
//! A host is on its SoC, so between it and its packet switch there is no link: what it sends is in a port's queue at once. It hands
//! over no more than all ports together can send. Queues are first in, first out and drop what does not fit; a packet is
//! forwarded when all of it is there. Crosspoints delay, and have no queue.
//!
//! A hop is one event, the arrival at the other end, whose time is settled when a port takes the frame. A change of circuits is
//! rare, and goes through all frames that are on their way (`flight`).

pub mod config;
pub mod rig;

mod agreement;
mod cabling;
mod contract;
mod controller;
mod destination;
mod drive;
mod embed;
mod faults;
mod flight;
mod measures;
mod plan;
mod protocol;
#[cfg(test)]
mod tests;
mod tunnels;

pub use crate::control::ControlPlane;
pub use config::{Config, Control, Multipath, ProtocolSettings, Start};
pub use plan::Plan;
pub use rig::{BuildError, Rig};

use crate::control::LinkMessage;
use crate::graph::Port;
use cabling::Cabling;
use controller::{Counts, Forwarding, Ideal};
use destination::Destination;
use drive::PERIOD;
use engine::{Event, EventQueue, Rank, Seed, Stream};
use fabric::{Counters, Frame, Observer, Off, Seen, Totals, What, kind};
use faults::Faults;
use flight::{Change, End, Fate, Flight, Flying, NONE};
use measures::Measures;
use protocol::{Places, Protocol};
use topology::Topology;
use tunnels::Tunnels;
use units::{Pace, Rate, Span, Time};

/// An XFabric rack.
#[derive(Debug)]
pub struct XFabric<O = Off> {
    observer: O,
    config: Config,
    rig: Rig,
    pace: Pace,
    framing: u32,
    /// A full queue, as time.
    limit: Span,
    ports: Box<[OutPort]>,
    received: Box<[InPort]>,
    /// By SoC: when its host has handed over what it has begun to.
    hosts: Box<[Time]>,
    /// Of all ports of a SoC together.
    host_pace: Pace,
    /// What a host may have begun to hand over and still has room for more: a largest packet.
    room: Span,
    /// Makes each SoC's hashes differ from others'.
    salts: Box<[u32]>,
    spray: Stream,
    errors: Stream,
    forwarding: Forwarding,
    /// If there are uplinks.
    tunnels: Option<Box<Tunnels>>,
    cabling: Cabling,
    flight: Flight,
    counts: Counts,
    /// One of the two, or none in a rack that stays as it is.
    ideal: Option<Box<Ideal>>,
    protocol: Option<Box<Protocol>>,
    /// The protocol's messages that are on circuits or wait before them.
    messages: Places<LinkMessage>,
    /// Where the next controller begins, among those SoCs that may run one.
    next_host: usize,
    measures: Measures,
    faults: Option<Box<Faults>>,
    totals: Totals,
    event_gap: Span,
}

/// The output queue of a port: a number, the time at which its last frame will have been sent.
#[derive(Debug, Clone, Copy)]
struct OutPort {
    free_at: Time,
    /// The place of its last frame that is on its way; [`NONE`] if none is.
    last: u32,
    counters: Counters,
}

/// What a port has received.
#[derive(Debug, Clone, Copy)]
struct InPort {
    frames: u64,
    bytes: u64,
    /// Frames when the SoC's agent was last told that some had come.
    told: u64,
    /// The port from which they should come, by the SoC's tables.
    expected: u32,
    /// Whose port it is, [`Port::soc`].
    soc: u32,
}

impl InPort {
    fn new(soc: u32) -> InPort {
        InPort { frames: 0, bytes: 0, told: 0, expected: ANYBODY, soc }
    }
}

/// [`InPort::expected`] without a protocol, and where tables name no neighbour.
const ANYBODY: u32 = u32::MAX;
const NOBODY: u32 = u32::MAX - 1;

impl XFabric {
    /// Builds the rack. Chance comes from the seed's streams `xfabric.*`.
    ///
    /// # Errors
    /// If the topology is no rack, or does not fit what the run begins with.
    pub fn new(config: &Config, topology: &Topology, seed: Seed) -> Result<XFabric, BuildError> {
        XFabric::on(config, Rig::new(config, topology)?, seed, Off)
    }
}

impl<O: Observer> XFabric<O> {
    /// As [`XFabric::new`], on a topology that was read. The circuits with which the run begins are drawn from its seed.
    ///
    /// # Errors
    /// If a random topology can't be embedded.
    pub fn on(config: &Config, mut rig: Rig, seed: Seed, observer: O) -> Result<XFabric<O>, BuildError> {
        let graph = controller::start(&mut rig, config, seed)?;
        let uplinks = controller::first_uplinks(&rig, config, &graph);
        let ties = controller::ties(seed);
        let (ideal, protocol) = match config.control {
            _ if config.period().is_none() => (None, None),
            Control::Ideal => (Some(Ideal::new(&rig, config.weight, config.ideal_tables, ties)), None),
            Control::Protocol => (None, Some(Protocol::new(&rig, config, (&graph, uplinks.as_ref()), ties))),
        };
        let (socs, ports) = (rig.fabric.socs(), rig.ports());
        let mut salts = seed.stream("xfabric.hash", 0);
        let host_rate = Rate::from_bps(rig.rate.as_bps().saturating_mul(u64::from(rig.fabric.ports())));
        let frames_per_second =
            f64::from(ports) * rig.rate.as_bps() as f64 / (config.mtu + config.framing).bits() as f64;
        let gateways = uplinks.as_ref().map(|uplinks| (0..socs).map(|soc| Some(uplinks.gateway(soc))).collect());
        let mut network = XFabric {
            observer,
            pace: Pace::new(rig.rate),
            framing: config.framing.get() as u32,
            limit: rig.rate.time_for(config.queue),
            ports: vec![OutPort { free_at: Time::ZERO, last: NONE, counters: Counters::default() }; ports as usize]
                .into(),
            received: (0..ports).map(|port| InPort::new(rig.port(port).soc)).collect(),
            hosts: vec![Time::ZERO; (socs + rig.uplinks) as usize].into(),
            host_pace: Pace::new(host_rate),
            room: Pace::new(host_rate).span(config.mtu.get() as u32),
            salts: (0..socs).map(|_| salts.bits() as u32).collect(),
            spray: seed.stream("xfabric.spray", 0),
            errors: seed.stream("xfabric.bit-errors", 0),
            forwarding: Forwarding::over(&graph),
            tunnels: gateways.map(|gateways| Box::new(Tunnels::new(gateways))),
            cabling: Cabling::new(&rig, &graph, uplinks.as_ref()),
            flight: Flight::default(),
            counts: Counts::new(socs),
            ideal: ideal.map(Box::new),
            protocol: protocol.map(Box::new),
            messages: Places::default(),
            next_host: 0,
            measures: Measures::new(ports, config.hop_limit),
            faults: None,
            totals: Totals::default(),
            // Every port sends full packets, and acknowledgements for those that come; buckets are narrow, since only the next to arrive of each is pending.
            event_gap: Span::from_secs_f64(0.2 / frames_per_second),
            rig,
            config: config.clone(),
        };
        network.find_socs();
        Ok(network)
    }

    /// When the interface of a host has room for a largest packet.
    #[inline]
    fn when_room(&self, now: Time, host: u32) -> Time {
        now + self.hosts[host as usize].since(now).saturating_sub(self.room)
    }

    /// A SoC forwards the frame in `place`.
    #[inline(always)]
    fn forward(&mut self, now: Time, soc: u32, place: u32, queue: &mut EventQueue) {
        let Frame { dst, entropy, .. } = *self.flight.frame(place);
        let set = self.forwarding.set(soc, dst);
        if set == 0 || self.flight.flying(place).hops == self.config.hop_limit {
            return self.discard(now, place, set != 0);
        }
        let number = self.choose(set, soc, entropy);
        let port = self.rig.number(Port { soc, number });
        self.transmit(now, port, place, queue);
    }

    /// A port takes the frame in `place`, if there is room.
    #[inline(always)]
    fn transmit(&mut self, now: Time, port: u32, place: u32, queue: &mut EventQueue) {
        let len = self.flight.frame(place).len;
        let service = self.pace.span(len + self.framing);
        let out = &mut self.ports[port as usize];
        let wait = out.free_at.since(now);
        if wait + service > self.limit {
            out.counters.dropped += 1;
            return self.drop_frame(now, port, place);
        }
        out.counters.admit(len + self.framing, wait, service);
        let leaves = now + wait + service;
        out.free_at = leaves;
        debug_assert!(leaves.since(now) <= self.limit, "a queue holds no more than it can");
        let before = std::mem::replace(&mut out.last, place);
        let at = leaves + self.rig.flight;
        self.see(now, place, port, What::Queued { leaves: Some(leaves) });
        let plug = self.cabling.plug(port);
        let mut end = plug.end;
        if now + wait + self.rig.delay < plug.live {
            end = End::lost(Fate::Cut);
        }
        if self.faults.as_ref().is_some_and(|faults| faults.noisy) && self.is_hit(port, end, len) {
            end = End::lost(Fate::BitError);
        }
        self.totals.hops += 1;
        self.flight.send(place, port, end, at);
        if before == NONE {
            queue.push(Event { at, rank: Rank::new(kind::ARRIVAL, port), slot: place });
        } else {
            self.flight.follow(before, place);
        }
    }

    /// Something happens to a frame at a port, which has the number of the link by which it sends.
    #[inline(always)]
    pub(in crate::network) fn see(&mut self, now: Time, place: u32, port: u32, what: What) {
        if O::ACTIVE {
            self.observer.see(now, Seen::Frame { frame: self.flight.frame(place), link: port, what });
        }
    }

    /// A port of the set.
    #[inline(always)]
    fn choose(&mut self, set: u16, soc: u32, entropy: u32) -> u32 {
        if set & (set - 1) == 0 {
            return set.trailing_zeros();
        }
        let ways = set.count_ones();
        let skipped = match self.config.routing {
            Multipath::Flow => spread(entropy, self.salts[soc as usize], ways),
            Multipath::Packet => self.spray.below(u64::from(ways)) as u32,
        };
        nth(set, skipped)
    }

    /// There is no room for a frame.
    #[cold]
    fn drop_frame(&mut self, now: Time, port: u32, place: u32) {
        self.see(now, place, port, What::Dropped);
        let Frame { dst, len, sequence, .. } = *self.flight.frame(place);
        if Destination::is_message(dst) {
            self.lose_message(sequence);
        } else {
            self.totals.drop_one(len);
        }
        self.flight.free(place);
    }

    /// A frame goes no further: it has come too far, or there is no way.
    #[cold]
    fn discard(&mut self, now: Time, place: u32, too_far: bool) {
        if too_far {
            self.measures.lose_in_loop();
        } else {
            self.measures.lose_without_way();
        }
        self.see(now, place, self.rig.number(Port { soc: 0, number: 0 }), What::Lost);
        self.totals.lose(self.flight.frame(place).len);
        self.flight.free(place);
    }

    /// The frame in `place`, which left by `port`, is at the end of a circuit, or should have been.
    #[inline(always)]
    fn arrive(&mut self, now: Time, port: u32, place: u32, queue: &mut EventQueue) -> Option<Frame> {
        let Flying { end, at, next, hops, .. } = *self.flight.flying(place);
        debug_assert_eq!(at, now, "a frame arrives when it was to");
        // The next one that this port has sent is the next to arrive from there.
        if next != NONE {
            let at = self.flight.flying(next).at;
            queue.push(Event { at, rank: Rank::new(kind::ARRIVAL, port), slot: next });
        } else if self.ports[port as usize].last == place {
            self.ports[port as usize].last = NONE;
        }
        let end = match end.arrival() {
            Ok(end) => end,
            Err(fate) => {
                self.fail_to_arrive(now, fate, port, place);
                return None;
            }
        };
        let Frame { src, dst, len, .. } = *self.flight.frame(place);
        let received = &mut self.received[end as usize];
        received.frames += 1;
        received.bytes += u64::from(len + self.framing);
        let soc = received.soc;
        if received.expected != port && received.expected != ANYBODY {
            self.hear(now, end, port, queue);
        }
        let what = if soc == dst { What::Delivered } else { What::Arrived };
        self.see(now, place, end, what);
        if soc == dst {
            self.flight.free(place);
            self.totals.deliver(len);
            if self.is_soc(src) {
                self.measures.reach(hops, len);
            } else {
                self.arrive_from_outside(dst, len, hops);
            }
            return Some(*self.flight.frame(place));
        }
        if !self.is_soc(dst) {
            return self.arrive_elsewhere(now, end, place, queue);
        }
        self.forward(now, soc, place, queue);
        None
    }

    #[cold]
    fn fail_to_arrive(&mut self, now: Time, fate: Fate, port: u32, place: u32) {
        self.see(now, place, port, What::Lost);
        self.ports[port as usize].counters.lost += 1;
        self.flight.free(place);
        let Frame { dst, len, sequence, .. } = *self.flight.frame(place);
        if Destination::is_message(dst) {
            return self.lose_message(sequence);
        }
        self.measures.lose(fate, port);
        self.totals.lose(len);
    }

    /// Frames that are on their way learn what happens to their circuits.
    fn divert(&mut self, now: Time, changes: &[Option<Change>]) {
        let (pace, framing, rig) = (self.pace, self.framing, &self.rig);
        self.flight.divert(now, changes, |at, frame| {
            let last = at - rig.flight + rig.delay;
            [last - pace.span(frame.len + framing), last]
        });
    }

    /// The ideal controller's period is over.
    fn tick(&mut self, now: Time, queue: &mut EventQueue) {
        self.push_tick(now, queue);
        let Some(ideal) = &mut self.ideal else { return };
        ideal.collect(&mut self.counts, self.tunnels.as_deref_mut());
        if ideal.pending.is_some() {
            self.measures.skipped += 1;
        } else {
            self.reconfigure(now, queue);
        }
    }

    fn push_tick(&self, now: Time, queue: &mut EventQueue) {
        if let Some(period) = self.config.period() {
            queue.push(Event { at: now + period, rank: Rank::new(kind::TICK, PERIOD), slot: 0 });
        }
    }

    /// A new topology is generated and goes on its way.
    fn reconfigure(&mut self, now: Time, queue: &mut EventQueue) {
        let known = self.faults.as_ref().map_or(&self.cabling.health, |faults| &faults.known);
        let Some(ideal) = &mut self.ideal else { return };
        let Some(pending) = ideal.generate(&self.rig, known) else { return };
        ideal.pending = Some(pending);
        let (plane, tables, crosspoints) = (self.config.plane, ideal.tables, self.rig.crosspoints());
        self.measures.reconfigure(self.circuits());
        for crosspoint in 0..crosspoints {
            let at = now + plane.crosspoint(crosspoint);
            queue.push(Event { at, rank: Rank::new(kind::SCHEDULE, crosspoint), slot: 0 });
        }
        let at = now + plane.crosspoint(crosspoints - 1) + tables;
        queue.push(Event { at, rank: Rank::new(kind::SCHEDULE, crosspoints), slot: 0 });
    }

    /// A crosspoint changes its circuits, or, after the last of them, SoCs their tables.
    fn step(&mut self, now: Time, number: u32, queue: &mut EventQueue) {
        let Some(ideal) = &mut self.ideal else { return };
        let Some(pending) = &mut ideal.pending else { return };
        if number < self.rig.crosspoints() {
            let wanted = pending.of_crosspoint(&self.rig, number, &self.cabling);
            return self.set_circuits(now, &wanted);
        }
        std::mem::swap(&mut self.forwarding, &mut pending.tables);
        if let Some(tunnels) = &mut self.tunnels {
            std::mem::swap(&mut tunnels.gateways, &mut pending.gateways);
        }
        ideal.pending = None;
        let again = std::mem::take(&mut ideal.again);
        self.find_socs();
        if again {
            self.answer(now, queue);
        }
    }

    /// A crosspoint changes: ports get other peers, or none.
    fn set_circuits(&mut self, now: Time, wanted: &[(u32, Option<u32>)]) {
        let new = |&&(port, peer): &&(u32, Option<u32>)| {
            peer.is_some_and(|peer| port < peer) && self.cabling.joined(port) != peer
        };
        self.measures.change(wanted.iter().filter(new).count() as u64);
        if O::ACTIVE {
            for &(port, peer) in wanted.iter().filter(|(port, peer)| peer.is_none_or(|peer| *port < peer)) {
                let before = self.cabling.joined(port);
                if let Some(before) = before.filter(|before| Some(*before) != peer) {
                    self.observer.see(now, Seen::Circuit { ends: [port, before], made: false });
                }
                if let Some(peer) = peer.filter(|peer| Some(*peer) != before) {
                    self.observer.see(now, Seen::Circuit { ends: [port, peer], made: true });
                }
            }
        }
        self.count_moves(wanted);
        let changes = self.cabling.change(&self.rig, now, wanted, self.config.switching);
        self.divert(now, &changes);
        self.find_socs();
    }

    /// Frames of hosts that are inside.
    fn inside(&self) -> u64 {
        (self.flight.len() - self.messages.len()) as u64
    }

    /// All circuits, by their two ports, the lesser first.
    fn circuits(&self) -> std::vec::IntoIter<(u32, u32)> {
        let joined: Vec<(u32, u32)> = (0..self.rig.ports())
            .filter_map(|port| self.cabling.joined(port).filter(|peer| port < *peer).map(|peer| (port, peer)))
            .collect();
        joined.into_iter()
    }

    #[cfg(debug_assertions)]
    fn check_conservation(&self) {
        let Totals { offered, delivered, dropped, lost, .. } = self.totals;
        assert_eq!(offered, delivered + dropped + lost + self.inside(), "frames are conserved");
    }
}

/// The number of the bit of `set` before which so many others are set; there is one.
#[inline(always)]
fn nth(set: u16, skipped: u32) -> u32 {
    let mut left = set;
    // Without a branch for each: who can tell beforehand how many they are?
    for turn in 0..5 {
        left = if turn < skipped { left & left.wrapping_sub(1) } else { left };
    }
    for _ in 5..skipped {
        left &= left - 1;
    }
    left.trailing_zeros()
}

/// Spreads a flow's entropy and a SoC's salt over 32 bits, and those over `ways`.
#[inline]
fn spread(entropy: u32, salt: u32, ways: u32) -> u32 {
    let mixed = engine::mix(u64::from(entropy) << 32 | u64::from(salt));
    (((mixed >> 32) * u64::from(ways)) >> 32) as u32
}
