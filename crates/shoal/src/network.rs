//! A rack as a network: hosts' packets become cells of their nodes' flows, and come out again.

use crate::build::{BuildError, Rig, Role};
use crate::clos::{Clos, Decomposition};
use crate::config::Config;
use crate::header::Layout;
use crate::paths::Paths;
use crate::rack::{Arrived, Move, Packet, Rack, Recovery};
use crate::schedule::Schedule;
use crate::timekeeper::Timekeeper;
use engine::{Event, EventQueue, Rank, Seed, SlotClock};
use fabric::{
    Arena, Counter, Fault, Frame, Inside, LinkCounters, Network, Observer, Off, Offers, Seen, Totals, What, kind,
};
use std::collections::{BTreeMap, VecDeque};
use topology::Topology;
use units::{Bytes, Span, Time};

/// Cells that a node takes from its host ahead of those that it sends, at most, whatever its buffer. A flow's cells are numbered in 32 bits,
/// and with a packet on top, which has no more bytes than this, fewer than half of the numbers are in use.
const MOST_CELLS: u64 = 1 << 30;

/// A Shoal fabric.
///
/// Between a host and its node there is no link that could be full: they are one system on a chip (§5). A node takes packets from its host
/// while it has fewer than `buffer` bytes unsent.
#[derive(Debug)]
pub struct Shoal<O = Off> {
    observer: O,
    config: Config,
    rig: Rig,
    rack: Rack,
    /// The switches, if they are there one by one.
    switches: Option<Decomposition>,
    /// What is broken; and whether the rack does not know it yet.
    paths: Paths,
    changed: bool,
    /// If clocks are not perfect.
    timekeeper: Option<Timekeeper>,
    /// Hosts that had a frame with no path to its destination, and the slot in which it would have been sent by now: what is lost takes as
    /// long as what is sent.
    barred: BTreeMap<u32, u64>,
    /// By host: frames of its that were lost since the measurement began.
    lost: Vec<u64>,
    clock: SlotClock,
    /// A slot's event is pending.
    ticking: bool,
    /// Packets inside.
    frames: Arena,
    /// By node: packets that are complete, in order, until their events hand them out.
    out: Vec<VecDeque<u32>>,
    /// Hosts whose transports wait to hear that their node has room.
    awaited: Vec<bool>,
    /// Cells that a node may have unsent.
    room: u64,
    totals: Totals,
    complete: Vec<Arrived>,
    moves_before: u64,
}

impl Shoal {
    /// Builds the fabric on a topology: each host is a node of the rack.
    ///
    /// # Errors
    /// If the topology is no rack's.
    pub fn new(config: &Config, topology: &Topology, seed: Seed) -> Result<Shoal, BuildError> {
        Ok(Shoal::on(config, topology, Rig::new(config, topology)?, seed, Off))
    }
}

impl<O: Observer> Shoal<O> {
    /// As [`Shoal::new`], on a topology that was read; and observed.
    pub fn on(config: &Config, topology: &Topology, rig: Rig, seed: Seed, observer: O) -> Shoal<O> {
        let hosts = topology.hosts();
        let schedule = Schedule::new(hosts, config.channels, config.schedule)
            .expect("a rig has as many nodes as a schedule may have");
        let mut rack = Rack::new(schedule.clone(), rig.delay, config.release);
        if config.priorities > 1 {
            rack.set_classes(config.priorities, config.class_queue.unwrap_or(hosts));
        }
        let slots = |span: Span| span.as_ps().div_ceil(rig.slot.as_ps());
        let longest = 2 * u64::from(hosts) * u64::from(schedule.epoch()) + 2 * u64::from(rig.delay);
        rack.set_recovery(Recovery {
            patience: config.reassembly_timeout.map_or(longest, slots),
            leave_out_after: config.leave_out_after.map(slots),
            errors: seed.stream("shoal.errors", 0),
            layout: Layout::for_nodes(hosts).expect("a rig has as many nodes as a header may name"),
            payload: config.payload().get() as usize,
        });
        let switches = rig.clos.map(|clos| Decomposition::new(clos, schedule));
        if let Some(switches) = &switches {
            count_crossings(&mut rack, switches);
        }
        let keeps_time = !config.clocks.are_precise();
        let timekeeper = keeps_time.then(|| Timekeeper::new(config, &rig, topology.nodes(), seed));
        let room = config.buffer.get().div_ceil(config.payload().get()).clamp(1, MOST_CELLS);
        rack.watch(room);
        Shoal {
            observer,
            rack,
            switches,
            paths: Paths::new(&rig),
            changed: false,
            timekeeper,
            barred: BTreeMap::new(),
            lost: vec![0; hosts as usize],
            clock: SlotClock::new(rig.slot),
            ticking: false,
            frames: Arena::default(),
            out: vec![VecDeque::new(); hosts as usize],
            awaited: vec![false; hosts as usize],
            room,
            totals: Totals::default(),
            complete: Vec::new(),
            moves_before: 0,
            config: config.clone(),
            rig,
        }
    }

    /// A slot.
    fn tick(&mut self, now: Time, queue: &mut EventQueue) {
        let slot = self.clock.tick();
        self.look_at_clocks(now, slot);
        self.tell_what_works(slot);
        let mut complete = std::mem::take(&mut self.complete);
        if O::ACTIVE {
            self.step_shown(now, slot, &mut complete);
        } else {
            self.rack.step(slot, &mut complete);
        }
        for Arrived { destination, frame, .. } in complete.drain(..) {
            // Device 0 is the clock itself.
            let rank = Rank::new(kind::TICK, u32::from(destination) + 1);
            queue.push(Event { at: now, rank, slot: 0 });
            self.out[usize::from(destination)].push_back(frame);
        }
        self.complete = complete;
        self.drop_lost(now);
        if self.rack.take_changed() {
            self.rewire();
        }
        let Shoal { rack, awaited, paths, barred, .. } = self;
        for node in rack.drained() {
            if !paths.is_off(node.into())
                && !barred.contains_key(&node.into())
                && std::mem::take(&mut awaited[usize::from(node)])
            {
                queue.push(Event { at: now, rank: Rank::new(kind::READY, u32::from(node)), slot: 0 });
            }
        }
        self.unbar(now, slot, queue);
        self.ticking = !self.rack.is_idle() || !self.barred.is_empty();
        if self.ticking {
            self.push_tick(queue);
        }
    }

    /// As [`Rack::step`], for those who look on.
    fn step_shown(&mut self, now: Time, slot: u64, complete: &mut Vec<Arrived>) {
        let Shoal { observer, rack, rig, config, .. } = self;
        observer.see(now, Seen::Slot { number: slot, length: rig.slot });
        let len = config.cell.get() as u32;
        rack.step_shown(slot, complete, |Move { from, to, leaves }| {
            let (link, what) = if leaves {
                (rig.up[usize::from(from)], What::Left { end: now + rig.slot })
            } else {
                (rig.down[usize::from(to)], What::Arrived)
            };
            observer.see(now, Seen::Cell { from: from.into(), to: to.into(), len, link, what });
        });
    }

    fn push_tick(&self, queue: &mut EventQueue) {
        queue.push(Event { at: self.clock.begins(), rank: Rank::new(kind::TICK, 0), slot: 0 });
    }

    /// Hosts whose frames for nowhere would have been sent by now have room again.
    fn unbar(&mut self, now: Time, slot: u64, queue: &mut EventQueue) {
        if self.barred.is_empty() {
            return;
        }
        let over: Vec<u32> = self.barred.iter().filter(|(_, until)| **until <= slot).map(|(host, _)| *host).collect();
        for host in over {
            self.barred.remove(&host);
            if self.has_room(now, host) && std::mem::take(&mut self.awaited[host as usize]) {
                queue.push(Event { at: now, rank: Rank::new(kind::READY, host), slot: 0 });
            }
        }
    }

    /// The network begins to tick, if it does not yet.
    fn start(&mut self, now: Time, queue: &mut EventQueue) {
        if !self.ticking {
            self.ticking = true;
            self.clock.skip_to(now);
            self.push_tick(queue);
        }
    }

    /// The rack's cells feel what works and what does not.
    fn tell_what_works(&mut self, slot: u64) {
        if std::mem::take(&mut self.changed) {
            let Shoal { rack, paths, rig, switches, .. } = self;
            rack.set_paths(slot, &paths.nodes_off(rig), |from, to| paths.path(rig, switches.as_ref(), from, to));
        }
    }

    /// Once an epoch: whether all clocks are close enough to each other.
    fn look_at_clocks(&mut self, now: Time, slot: u64) {
        let Some(timekeeper) = &mut self.timekeeper else { return };
        if slot.is_multiple_of(u64::from(self.rack.epoch())) {
            let pairs = self.rack.ordered_pairs();
            if let Some(untimely) = timekeeper.violations(now, &self.rig, self.switches.as_ref(), pairs) {
                self.rack.set_untimely(untimely);
            }
        }
    }

    /// Switches and nodes follow another schedule, so that paths cross other spines.
    fn rewire(&mut self) {
        if let Some(clos) = self.rig.clos {
            let switches = Decomposition::new(clos, self.rack.schedule().clone());
            count_crossings(&mut self.rack, &switches);
            self.switches = Some(switches);
            self.changed = true;
        }
    }

    /// Frames that the rack has given up are lost.
    fn drop_lost(&mut self, now: Time) {
        for place in self.rack.take_lost() {
            let frame = self.frames.take(place);
            let link = self.rig.up[frame.src as usize];
            self.observer.see(now, Seen::Frame { frame: &frame, link, what: What::Lost });
            self.lost[frame.src as usize] += 1;
            self.totals.lose(frame.len);
        }
    }

    fn cells(&self, cells: u64) -> Bytes {
        Bytes::new(cells * self.config.cell.get())
    }
}

/// The place of a leaf's link to a spine among those that are counted; the link back is the next. A leaf has as many spines as nodes, so there
/// are fewer than four of these links for each of [`MOST_NODES`](crate::header::MOST_NODES), and 16 bits hold their places.
fn rising(spines: u32, leaf: u32, spine: u32) -> usize {
    ((leaf * spines + spine) * 2) as usize
}

/// Counts what goes between leaves and spines: each cell over one link up and one down.
fn count_crossings(rack: &mut Rack, switches: &Decomposition) {
    let clos = switches.clos();
    let (leaves, spines) = (clos.leaves(), clos.spines());
    rack.count_crossings(rising(spines, leaves, 0), |from, to| {
        let (from, to) = (u32::from(from), u32::from(to));
        let place = switches.schedule().place(from, to);
        let spine = place.and_then(|place| switches.spine(place.slot, place.channel, from)).unwrap_or(0);
        let link = |node: u32| rising(spines, clos.leaf_of(node), spine) as u16;
        [link(from), link(to) + 1]
    });
}

impl<O: Observer> Network for Shoal<O> {
    type Observer = O;

    fn observer(&mut self) -> &mut O {
        &mut self.observer
    }

    fn offers(&self) -> Offers {
        self.config.offers()
    }

    fn has_room(&self, _: Time, host: u32) -> bool {
        let barred = !self.barred.is_empty() && self.barred.contains_key(&host);
        !self.paths.is_off(host) && !barred && self.rack.unsent(host as u16) < self.room
    }

    fn call_when_ready(&mut self, now: Time, host: u32, queue: &mut EventQueue) {
        if self.has_room(now, host) {
            queue.push(Event { at: now, rank: Rank::new(kind::READY, host), slot: 0 });
        } else {
            self.awaited[host as usize] = true;
        }
    }

    fn offer(&mut self, now: Time, frame: Frame, queue: &mut EventQueue) {
        self.totals.offer(frame.len);
        let link = self.rig.up[frame.src as usize];
        self.observer.see(now, Seen::Frame { frame: &frame, link, what: What::Queued { leaves: None } });
        let cells = self.config.cells(frame.len);
        let place = self.frames.put(frame);
        self.start(now, queue);
        let class = frame.priority.min(self.config.priorities - 1);
        let (source, destination) = (frame.src as u16, frame.dst as u16);
        let slot = self.clock.next();
        let packet = Packet { source, destination, class, connection: frame.flow, cells, frame: place };
        if !self.rack.offer_packet(slot, packet) {
            // For as long as it would have taken, so that a host does not hand over all it has at once; but the node needs no longer
            // than an epoch to have cells of others to send.
            let busy = cells.div_ceil(self.config.channels).min(self.rack.epoch());
            self.barred.insert(frame.src, slot + u64::from(busy));
            self.drop_lost(now);
        }
    }

    /// Nodes feel it at the next slot, and find out about it by themselves.
    fn fault(&mut self, now: Time, fault: Fault, queue: &mut EventQueue) {
        self.paths.apply(fault);
        self.changed = true;
        self.start(now, queue);
        let Fault::Node { node, up } = fault else { return };
        let hosts = self.rack.nodes();
        if let Some(timekeeper) = &mut self.timekeeper {
            timekeeper.turn(now, node, |node| self.paths.is_off(node), hosts);
        }
        if up && node < hosts && std::mem::take(&mut self.awaited[node as usize]) {
            self.call_when_ready(now, node, queue);
        }
    }

    fn handle(&mut self, event: Event, queue: &mut EventQueue) -> Option<Frame> {
        debug_assert_eq!(event.rank.kind(), kind::TICK, "a rack has slots only");
        if event.rank.device() == 0 {
            self.tick(event.at, queue);
            return None;
        }
        let place = self.out[event.rank.device() as usize - 1].pop_front()?;
        let frame = self.frames.take(place);
        let link = self.rig.down[frame.dst as usize];
        self.observer.see(event.at, Seen::Frame { frame: &frame, link, what: What::Delivered });
        self.totals.deliver(frame.len);
        Some(frame)
    }

    fn counters(&self) -> Vec<Counter> {
        let sums = &self.rack.sums;
        let counter = |name, unit, value: u64| Counter { name, unit, value: value as f64 };
        let held = || (0..self.rack.nodes()).map(|node| self.rack.held(node as u16));
        let fullest = held().map(|held| held.most).max().unwrap_or(0);
        let passing = held().map(|held| held.most_passing).max().unwrap_or(0);
        let mut counters = vec![
            counter("cells delivered", "cells", sums.delivered),
            counter("of these, straight from their source", "cells", sums.direct),
            counter("longest queue", "cells", u64::from(sums.longest_queue)),
            counter("fullest node", "cells", u64::from(fullest)),
            counter("most cells that a node passes on", "cells", u64::from(passing)),
            counter("most cells of a flow out of order", "cells", u64::from(sums.most_early)),
        ];
        if self.config.priorities > 1 {
            counters.push(counter("cells dropped for want of room", "cells", sums.dropped));
        }
        if self.rack.has_failed() {
            counters.push(counter("cells lost", "cells", sums.lost));
            counters.push(counter("cells received wrong", "cells", sums.corrupted));
            counters.push(counter("of these, out of their slot", "cells", sums.untimely));
            counters.push(counter("wrong cells not found", "cells", sums.undetected));
            counters.push(counter("failures inferred", "ordered pairs", sums.inferred));
            counters.push(counter("paths not used", "ordered pairs", self.rack.silent_pairs() as u64));
        }
        if self.rack.has_failed() || self.config.priorities > 1 {
            counters.push(counter("cells sent again", "cells", sums.sent_again));
        }
        counters
    }

    fn totals(&self) -> Totals {
        let in_flight = self.frames.len() as u64;
        Totals { in_flight, hops: self.moves_before + self.rack.sums.moves, ..self.totals }
    }

    fn link_counters(&self, _: Time, link: u32) -> LinkCounters {
        let slots = self.clock.next();
        let frames = match self.rig.role[link as usize] {
            Role::Up(host) => {
                let held = self.rack.held(host as u16);
                let byte_slots = u128::from(held.area(slots)) * u128::from(self.config.cell.get());
                let byte_seconds = byte_slots as f64 * self.rig.slot.as_secs_f64();
                let (peak, bytes) = (self.cells(u64::from(held.most)), self.cells(held.sent).get());
                let lost = self.lost[host as usize];
                return LinkCounters { frames: held.sent, bytes, lost, peak, byte_seconds, ..LinkCounters::default() };
            }
            Role::Down(host) => self.rack.held(host as u16).received,
            Role::Rise { leaf, spine } => self.rack.crossed(rising(self.spines(), leaf, spine)),
            Role::Fall { leaf, spine } => self.rack.crossed(rising(self.spines(), leaf, spine) + 1),
        };
        LinkCounters { frames, bytes: self.cells(frames).get(), ..LinkCounters::default() }
    }

    fn queue(&self, _: Time, link: u32) -> Bytes {
        match self.rig.role[link as usize] {
            Role::Up(host) => self.cells(u64::from(self.rack.held(host as u16).cells)),
            Role::Down(_) | Role::Rise { .. } | Role::Fall { .. } => Bytes::ZERO,
        }
    }

    fn begin_measurement(&mut self, now: Time) {
        self.moves_before += self.rack.sums.moves;
        self.lost.fill(0);
        self.clock_to(now);
        self.rack.begin_measurement(self.clock.next());
    }

    fn ideal(&self, _: u32, _: u32, bytes: Bytes, header: Bytes) -> Span {
        let payload = self.config.mtu.get() - header.get();
        let packets = bytes.get().div_ceil(payload).max(1);
        let last = (bytes.get() - (packets - 1) * payload + header.get()) as u32;
        let full = u64::from(self.config.cells(self.config.mtu.get() as u32));
        let cells = (packets - 1).saturating_mul(full).saturating_add(self.config.cells(last).into());
        let slots = (cells.div_ceil(u64::from(self.config.channels)) - 1).saturating_add(self.rig.delay.into());
        self.rig.slot.saturating_mul(slots)
    }

    fn mtu(&self) -> Bytes {
        self.config.mtu
    }

    fn event_gap(&self) -> Span {
        self.rig.slot
    }

    fn check(&self) {
        #[cfg(debug_assertions)]
        self.rack.check();
    }

    fn frames_inside(&self) -> Vec<Inside> {
        self.frames.iter().map(|frame| Inside { frame: *frame, link: self.rig.up[frame.src as usize] }).collect()
    }
}

impl<O: Observer> Shoal<O> {
    fn spines(&self) -> u32 {
        self.rig.clos.map_or(0, Clos::spines)
    }

    /// An idle clock stands still: it goes on from here.
    fn clock_to(&mut self, now: Time) {
        if !self.ticking {
            self.clock.skip_to(now);
        }
    }
}
