//! Ranks (pFabric: Alizadeh et al., SIGCOMM 2013, "switch design"): a queue of few packets in which the frame of the least rank
//! goes first and the one of the greatest is dropped.
//!
//! - When the link is free, the connection that has the frame of the least rank sends, and of its frames the one that came first: a message's later packets have lower
//!   ranks than its earlier ones, which would wait for ever behind them ("starvation prevention"). So a connection's frames keep their order.
//! - A frame that finds the queue full is dropped, unless frames of greater ranks wait: of these the greatest is dropped in its place, and more of them where
//!   frames differ in length.
//! - Of equal ranks the one that came first is sent first, and the one that came last is dropped. (So too in YAPS, NetSys/simulator,
//!   `ext/pfabricqueue.cpp`.)
//!
//! Queues are short, so that a scan of what orders their frames, which lies in one piece, is all that it takes.

use crate::class::PortClass;
use crate::discipline::{Admission, Discipline};
use crate::queue::Waiting;
use engine::{Stream, prefetch_at};
use fabric::{Counters, Ecn, Frame};
use units::{Span, Time};

/// The output queues of many ports, each ordered by rank.
#[derive(Debug, Clone)]
pub struct Ranked {
    ports: Vec<RankedPort>,
    /// Frames that wait at any port, and the places that are free.
    frames: Vec<Waiting>,
    free: Vec<u32>,
    /// Frames that were dropped for the last one that was let in.
    displaced: Vec<Frame>,
    marks: Stream,
}

#[derive(Debug, Clone, Default)]
struct RankedPort {
    free_at: Time,
    /// Time to send all that waits.
    backlog: Span,
    /// What waits, as it came.
    order: Vec<Key>,
    counters: Counters,
}

/// What a frame that waits is chosen by, and where it is.
#[derive(Debug, Clone, Copy)]
struct Key {
    rank: u64,
    /// [`Frame::flow`] and [`Frame::epoch`].
    connection: u64,
    place: u32,
}

impl RankedPort {
    /// Which frame goes next.
    fn first(&self) -> Option<usize> {
        let least = self.order.iter().min_by_key(|key| key.rank)?;
        self.order.iter().position(|key| key.connection == least.connection)
    }

    /// Which frame is dropped first.
    fn last(&self) -> Option<usize> {
        let greatest = self.order.iter().enumerate().max_by_key(|(_, key)| key.rank);
        greatest.map(|(index, _)| index)
    }
}

impl Ranked {
    /// Keeps a frame; where.
    fn place(&mut self, waiting: Waiting) -> u32 {
        if let Some(place) = self.free.pop() {
            self.frames[place as usize] = waiting;
            return place;
        }
        self.frames.push(waiting);
        u32::try_from(self.frames.len() - 1).expect("fewer than 2^32 frames wait")
    }

    /// The frame of this place among those that wait at a port leaves its queue.
    fn take(&mut self, port: u32, index: usize) -> Waiting {
        let state = &mut self.ports[port as usize];
        let place = state.order.remove(index).place;
        let waiting = self.frames[place as usize];
        state.backlog = state.backlog - waiting.service;
        self.free.push(place);
        waiting
    }

    /// Drops frames of greater ranks than this until there is room for another `needed` of the link's time and for a frame more. Without enough of them, it
    /// drops none. Whether there is room.
    fn make_room(&mut self, now: Time, port: u32, rank: u64, needed: Span, class: &PortClass) -> bool {
        let state = &self.ports[port as usize];
        let frames = &self.frames;
        let sending = state.free_at.since(now);
        let fits = |backlog: Span, waiting: usize| {
            let count = waiting as u64 + u64::from(sending > Span::ZERO);
            sending + backlog + needed <= class.limit && count < u64::from(class.limit_packets)
        };
        if fits(state.backlog, state.order.len()) {
            return true;
        }
        let greater = state.order.iter().filter(|key| key.rank > rank);
        let (least, fewest) = greater.fold((state.backlog, state.order.len()), |(backlog, waiting), key| {
            (backlog - frames[key.place as usize].service, waiting - 1)
        });
        if !fits(least, fewest) {
            return false;
        }
        let (mut backlog, mut waiting) = (state.backlog, state.order.len());
        while !fits(backlog, waiting)
            && let Some(last) = self.ports[port as usize].last()
        {
            let Waiting { frame, service, .. } = self.take(port, last);
            let state = &mut self.ports[port as usize];
            let wire = frame.len + class.framing;
            state.counters.displace(class.rate, sending + backlog, wire, service);
            self.displaced.push(frame);
            (backlog, waiting) = (state.backlog, state.order.len());
        }
        true
    }
}

impl Discipline for Ranked {
    fn new(ports: usize, _: u8, marks: Stream) -> Ranked {
        let ports = vec![RankedPort::default(); ports];
        Ranked { ports, frames: Vec::new(), free: Vec::new(), displaced: Vec::new(), marks }
    }

    fn admit(
        &mut self,
        now: Time,
        whole: Time,
        port: u32,
        frame: &mut Frame,
        class: &PortClass,
        _: impl FnMut(u32) -> u32,
    ) -> Admission {
        debug_assert!(self.displaced.is_empty(), "what was dropped for the last frame was counted");
        if class.dead {
            self.ports[port as usize].counters.lost += 1;
            return Admission::Dropped;
        }
        let (service, rank) = (class.time_on_wire(frame.len), frame.rank());
        if !self.make_room(now, port, rank, service, class) {
            self.ports[port as usize].counters.dropped += 1;
            return Admission::Dropped;
        }
        let state = &mut self.ports[port as usize];
        let sending = state.free_at.since(now);
        let (wait, count) = (sending + state.backlog, state.order.len() as u32 + u32::from(sending > Span::ZERO));
        if frame.ecn == Ecn::Capable
            && (wait > class.mark || count > class.mark_packets)
            && class.marks(wait, &mut self.marks)
        {
            frame.ecn = Ecn::Marked;
            state.counters.marked += 1;
        }
        state.counters.admit(frame.len + class.framing, wait, service);
        let displaces = !self.displaced.is_empty();
        // Where all that waited was dropped, its link is about to ask.
        if wait == Span::ZERO && !displaces {
            state.free_at = (now + service).max(whole);
            return Admission::Departs(state.free_at);
        }
        state.backlog += service;
        let place = self.place(Waiting { frame: *frame, whole, service });
        let connection = u64::from(frame.flow) << 32 | u64::from(frame.epoch);
        self.ports[port as usize].order.push(Key { rank, connection, place });
        if displaces { Admission::Displaces } else { Admission::Waits }
    }

    fn next(&mut self, now: Time, port: u32, _: &PortClass) -> Option<(Frame, Time)> {
        let state = &self.ports[port as usize];
        if state.free_at > now {
            return None;
        }
        let first = state.first()?;
        let Waiting { frame, whole, service } = self.take(port, first);
        let state = &mut self.ports[port as usize];
        state.free_at = (now + service).max(whole);
        Some((frame, state.free_at))
    }

    fn flush(&mut self, port: u32) -> u64 {
        let state = &mut self.ports[port as usize];
        (state.free_at, state.backlog) = (Time::ZERO, Span::ZERO);
        let waiting = state.order.len() as u64;
        self.free.extend(state.order.drain(..).map(|key| key.place));
        waiting
    }

    fn wait(&self, now: Time, port: u32) -> Span {
        let state = &self.ports[port as usize];
        (state.free_at + state.backlog).since(now)
    }

    #[inline]
    fn keeps(&self, port: u32) -> bool {
        !self.ports[port as usize].order.is_empty()
    }

    #[inline(always)]
    fn prefetch(&self, port: u32) {
        prefetch_at(&self.ports, port as usize);
    }

    fn free_at(&self, port: u32) -> Time {
        self.ports[port as usize].free_at
    }

    fn counters(&self, port: u32) -> &Counters {
        &self.ports[port as usize].counters
    }

    fn counters_mut(&mut self, port: u32) -> &mut Counters {
        &mut self.ports[port as usize].counters
    }

    fn displaced(&mut self) -> Option<Frame> {
        self.displaced.pop()
    }

    fn waiting(&self) -> Vec<(u32, Frame)> {
        let ports = (0..).zip(&self.ports);
        let frame = |key: &Key| self.frames[key.place as usize].frame;
        ports.flat_map(|(port, state)| state.order.iter().map(move |key| (port, frame(key)))).collect()
    }
}
