//! A rack as a network: hosts' packets become cells of their nodes' flows, and come out again.

use crate::build::{BuildError, Rig, Role};
use crate::clos::{Clos, Decomposition};
use crate::config::Config;
use crate::rack::{Arrived, Rack};
use crate::schedule::Schedule;
use engine::{Event, EventQueue, Rank, SlotClock};
use fabric::{Counter, Fault, Frame, Inside, LinkCounters, Network, Offers, Totals, kind};
use std::collections::VecDeque;
use topology::Topology;
use units::{Bytes, Span, Time};

/// A Shoal fabric.
///
/// Between a host and its node there is no link that could be full: they are one system on a chip (§5). A node takes packets from its host
/// while it has fewer than `buffer` bytes unsent.
#[derive(Debug)]
pub struct Shoal {
    config: Config,
    rig: Rig,
    rack: Rack,
    /// How many spines there are, if switches are there one by one.
    spines: u32,
    clock: SlotClock,
    /// A slot's event is pending.
    ticking: bool,
    /// Packets inside, each kept once, and free places.
    frames: Vec<Frame>,
    free: Vec<u32>,
    kept: Vec<bool>,
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
    pub fn new(config: &Config, topology: &Topology) -> Result<Shoal, BuildError> {
        let rig = Rig::new(config, topology)?;
        let hosts = topology.hosts();
        let nodes = |_| BuildError::Nodes { hosts };
        let schedule = Schedule::new(hosts, config.channels, config.order).map_err(nodes)?;
        let mut rack = Rack::new(schedule.clone(), rig.delay, config.release);
        if let Some(clos) = rig.clos {
            count_crossings(&mut rack, &Decomposition::new(clos, schedule));
        }
        let room = config.buffer.get().div_ceil(config.payload().get()).max(1);
        rack.watch(room);
        Ok(Shoal {
            rack,
            spines: rig.clos.map_or(0, Clos::spines),
            clock: SlotClock::new(rig.slot),
            ticking: false,
            frames: Vec::new(),
            free: Vec::new(),
            kept: Vec::new(),
            out: vec![VecDeque::new(); hosts as usize],
            awaited: vec![false; hosts as usize],
            room,
            totals: Totals::default(),
            complete: Vec::new(),
            moves_before: 0,
            config: config.clone(),
            rig,
        })
    }

    fn put(&mut self, frame: Frame) -> u32 {
        if let Some(place) = self.free.pop() {
            self.frames[place as usize] = frame;
            self.kept[place as usize] = true;
            return place;
        }
        self.frames.push(frame);
        self.kept.push(true);
        self.frames.len() as u32 - 1
    }

    fn take(&mut self, place: u32) -> Frame {
        self.kept[place as usize] = false;
        self.free.push(place);
        self.frames[place as usize]
    }

    /// A slot.
    fn tick(&mut self, now: Time, queue: &mut EventQueue) {
        let slot = self.clock.tick();
        let mut complete = std::mem::take(&mut self.complete);
        self.rack.step(slot, &mut complete);
        for Arrived { destination, frame, .. } in complete.drain(..) {
            // Device 0 is the clock itself.
            let rank = Rank::new(kind::TICK, u32::from(destination) + 1);
            queue.push(Event { at: now, rank, slot: 0 });
            self.out[usize::from(destination)].push_back(frame);
        }
        self.complete = complete;
        let Shoal { rack, awaited, .. } = self;
        for node in rack.drained() {
            if std::mem::take(&mut awaited[usize::from(node)]) {
                queue.push(Event { at: now, rank: Rank::new(kind::READY, u32::from(node)), slot: 0 });
            }
        }
        self.ticking = !self.rack.is_idle();
        if self.ticking {
            self.push_tick(queue);
        }
    }

    fn push_tick(&self, queue: &mut EventQueue) {
        queue.push(Event { at: self.clock.begins(), rank: Rank::new(kind::TICK, 0), slot: 0 });
    }

    fn cells(&self, cells: u64) -> Bytes {
        Bytes::new(cells * self.config.cell.get())
    }
}

/// The place of a leaf's link to a spine among those that are counted; the link back is the next.
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

impl Network for Shoal {
    fn offers(&self) -> Offers {
        Offers { ecn: false, lossless: true, in_order: true, priorities: 1 }
    }

    fn has_room(&self, _: Time, host: u32) -> bool {
        self.rack.unsent(host as u16) < self.room
    }

    fn call_when_ready(&mut self, now: Time, host: u32, queue: &mut EventQueue) {
        if self.has_room(now, host) {
            queue.push(Event { at: now, rank: Rank::new(kind::READY, host), slot: 0 });
        } else {
            self.awaited[host as usize] = true;
        }
    }

    fn offer(&mut self, now: Time, frame: Frame, queue: &mut EventQueue) {
        self.totals.offered += 1;
        let cells = self.config.cells(frame.len);
        let place = self.put(frame);
        if !self.ticking {
            self.ticking = true;
            self.clock.skip_to(now);
            self.push_tick(queue);
        }
        self.rack.offer(self.clock.next(), frame.src as u16, frame.dst as u16, cells, place);
    }

    fn fault(&mut self, _: Time, _: Fault, _: &mut EventQueue) {
        unreachable!("an experiment with failures on a Shoal fabric is refused")
    }

    fn handle(&mut self, event: Event, queue: &mut EventQueue) -> Option<Frame> {
        debug_assert_eq!(event.rank.kind(), kind::TICK, "a rack has slots only");
        if event.rank.device() == 0 {
            self.tick(event.at, queue);
            return None;
        }
        let place = self.out[event.rank.device() as usize - 1].pop_front()?;
        self.totals.delivered += 1;
        Some(self.take(place))
    }

    fn counters(&self) -> Vec<Counter> {
        let sums = &self.rack.sums;
        let counter = |name, unit, value: u64| Counter { name, unit, value: value as f64 };
        let fullest = (0..self.rack.nodes()).map(|node| self.rack.held(node as u16).most).max().unwrap_or(0);
        vec![
            counter("cells delivered", "cells", sums.delivered),
            counter("of these, straight from their source", "cells", sums.direct),
            counter("longest queue", "cells", u64::from(sums.longest_queue)),
            counter("fullest node", "cells", u64::from(fullest)),
            counter("most cells of a flow out of order", "cells", u64::from(sums.most_early)),
        ]
    }

    fn totals(&self) -> Totals {
        let in_flight = (self.frames.len() - self.free.len()) as u64;
        Totals { in_flight, hops: self.moves_before + self.rack.sums.moves, ..self.totals }
    }

    fn link_counters(&self, _: Time, link: u32) -> LinkCounters {
        let slots = self.clock.next();
        let frames = match self.rig.role[link as usize] {
            Role::Up(host) => {
                let held = self.rack.held(host as u16);
                let byte_seconds = (held.area(slots) * self.config.cell.get()) as f64 * self.rig.slot.as_secs_f64();
                let (peak, bytes) = (self.cells(u64::from(held.most)), self.cells(held.sent).get());
                return LinkCounters { frames: held.sent, bytes, peak, byte_seconds, ..LinkCounters::default() };
            }
            Role::Down(host) => self.rack.held(host as u16).received,
            Role::Rise { leaf, spine } => self.rack.crossed(rising(self.spines, leaf, spine)),
            Role::Fall { leaf, spine } => self.rack.crossed(rising(self.spines, leaf, spine) + 1),
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
        self.clock_to(now);
        self.rack.begin_measurement(self.clock.next());
    }

    fn ideal(&self, _: u32, _: u32, bytes: Bytes, header: Bytes) -> Span {
        let payload = self.config.mtu.get() - header.get();
        let packets = bytes.get().div_ceil(payload).max(1);
        let last = (bytes.get() - (packets - 1) * payload + header.get()) as u32;
        let full = u64::from(self.config.cells(self.config.mtu.get() as u32));
        let cells = (packets - 1) * full + u64::from(self.config.cells(last));
        let slots = cells.div_ceil(u64::from(self.config.channels)) - 1 + u64::from(self.rig.delay);
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
        let kept = self.frames.iter().zip(&self.kept).filter(|(_, kept)| **kept);
        kept.map(|(frame, _)| Inside { frame: *frame, link: self.rig.up[frame.src as usize] }).collect()
    }
}

impl Shoal {
    /// An idle clock stands still: it goes on from here.
    fn clock_to(&mut self, now: Time) {
        if !self.ticking {
            self.clock.skip_to(now);
        }
    }
}
