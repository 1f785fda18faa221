//! Trimming (NDP: Handley et al., SIGCOMM 2017): a data frame that finds the queue full goes on as its header.
//!
//! A port has a short queue for data and one for headers and control frames, which goes ahead, but for one data frame after so many headers
//! ([`Trim`](crate::Trim)), so that headers cannot starve data. Which frame is trimmed, the one that comes or the last of the
//! queue, is decided by a coin: otherwise flows that come in step would be trimmed always or never. A header for which there is no room is
//! sent back to its source.

use crate::class::PortClass;
use crate::discipline::{Admission, Discipline};
use crate::queue::{Queue, Waiting};
use engine::{Stream, prefetch_at};
use fabric::{Counters, Ecn, Fate, Frame, Kind};
use units::{Span, Time};

/// The output queues of many ports, each with trimming.
#[derive(Debug, Clone)]
pub struct Trimming {
    ports: Vec<TrimmingPort>,
    marks: Stream,
}

/// What is looked at for every hop is in its first cache line.
#[derive(Debug, Clone, Default)]
#[repr(C, align(64))]
struct TrimmingPort {
    free_at: Time,
    /// Frames that wait.
    waiting: u32,
    /// Headers that went in a row while data waited.
    turns: u32,
    data: Queue,
    /// Headers and control frames.
    headers: Queue,
    counters: Counters,
}

impl TrimmingPort {
    fn wait(&self, now: Time) -> Span {
        (self.free_at + self.data.backlog + self.headers.backlog).since(now)
    }

    /// A frame joins the data, or else the headers, or leaves at once if nothing waits.
    #[inline(always)]
    fn join(
        &mut self,
        now: Time,
        whole: Time,
        frame: &Frame,
        service: Span,
        is_data: bool,
        class: &PortClass,
    ) -> Admission {
        let wait = self.wait(now);
        self.counters.admit(frame.len + class.framing, wait, service);
        if wait == Span::ZERO {
            self.free_at = (now + service).max(whole);
            return Admission::Departs(self.free_at);
        }
        self.waiting += 1;
        if is_data { &mut self.data } else { &mut self.headers }.push(Waiting { frame: *frame, whole, service });
        Admission::Waits
    }

    /// There is no room for a data frame, of which only the header goes on, or that of the last one that waits, as a coin says; its own too where nothing
    /// waits.
    #[inline(never)]
    fn trim(&mut self, now: Time, coming: Waiting, class: &PortClass, mut pick: impl FnMut(u32) -> u32) -> Admission {
        let may = self.data.frames.back().is_some_and(|last| last.frame.fate == Fate::Trimmable);
        let last = if may && pick(2) == 0 { self.data.pop_back() } else { None };
        let mut trimmed = match last {
            Some(last) => {
                self.data.push(coming);
                last
            }
            None => coming,
        };
        let cut = trimmed.frame.trim(class.header);
        trimmed.service = class.time_on_wire(trimmed.frame.len);
        let wait = self.wait(now);
        self.counters.admit(trimmed.frame.len + class.framing, wait, trimmed.service);
        self.waiting += 1;
        self.headers.push(trimmed);
        Admission::Trimmed { cut }
    }
}

impl Discipline for Trimming {
    fn new(ports: usize, _: u8, marks: Stream) -> Trimming {
        Trimming { ports: vec![TrimmingPort::default(); ports], marks }
    }

    fn admit(
        &mut self,
        now: Time,
        whole: Time,
        port: u32,
        frame: &mut Frame,
        class: &PortClass,
        pick: impl FnMut(u32) -> u32,
    ) -> Admission {
        let state = &mut self.ports[port as usize];
        if class.dead {
            state.counters.lost += 1;
            return Admission::Dropped;
        }
        let sending = state.free_at.since(now);
        let service = class.time_on_wire(frame.len);
        let is_data = frame.kind == Kind::Data && matches!(frame.fate, Fate::Whole | Fate::Trimmable);
        if is_data {
            let wait = sending + state.data.backlog;
            let count = state.data.frames.len() as u32 + u32::from(sending > Span::ZERO);
            if wait + service <= class.limit && count < class.limit_packets {
                if frame.ecn == Ecn::Capable
                    && (wait > class.mark || count > class.mark_packets)
                    && class.marks(wait, &mut self.marks)
                {
                    frame.ecn = Ecn::Marked;
                    state.counters.marked += 1;
                }
                return state.join(now, whole, frame, service, true, class);
            }
            if frame.fate == Fate::Whole {
                state.counters.dropped += 1;
                return Admission::Dropped;
            }
        }
        // What goes on is a header or a control frame.
        let header = if is_data { class.time_on_wire(class.header.min(frame.len)) } else { service };
        if state.headers.backlog + header > class.headers {
            let returns = frame.kind == Kind::Data && frame.fate != Fate::Returned;
            let cut = if is_data { frame.trim(class.header) } else { 0 };
            if returns {
                return Admission::Returned { cut };
            }
            state.counters.dropped += 1;
            return Admission::Dropped;
        }
        if is_data {
            return state.trim(now, Waiting { frame: *frame, whole, service }, class, pick);
        }
        state.join(now, whole, frame, service, false, class)
    }

    #[inline(always)]
    fn next(&mut self, now: Time, port: u32, class: &PortClass) -> Option<(Frame, Time)> {
        let state = &mut self.ports[port as usize];
        if state.free_at > now {
            return None;
        }
        let both = !state.data.frames.is_empty() && !state.headers.frames.is_empty();
        let goes_data = state.headers.frames.is_empty() || (both && state.turns >= class.headers_in_a_row);
        state.turns = if goes_data || !both { 0 } else { state.turns + 1 };
        let queue = if goes_data { &mut state.data } else { &mut state.headers };
        let Waiting { frame, whole, service } = queue.pop_front()?;
        state.waiting -= 1;
        state.free_at = (now + service).max(whole);
        Some((frame, state.free_at))
    }

    fn flush(&mut self, port: u32) -> u64 {
        let state = &mut self.ports[port as usize];
        (state.data, state.headers) = (Queue::default(), Queue::default());
        (state.free_at, state.turns) = (Time::ZERO, 0);
        u64::from(std::mem::take(&mut state.waiting))
    }

    fn wait(&self, now: Time, port: u32) -> Span {
        self.ports[port as usize].wait(now)
    }

    #[inline]
    fn keeps(&self, port: u32) -> bool {
        self.ports[port as usize].waiting > 0
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

    fn waiting(&self) -> Vec<(u32, Frame)> {
        let of_port = |(port, state): (u32, &TrimmingPort)| -> Vec<(u32, Frame)> {
            let all = state.data.frames.iter().chain(&state.headers.frames);
            all.map(|waiting| (port, waiting.frame)).collect()
        };
        (0..).zip(&self.ports).flat_map(of_port).collect()
    }
}
