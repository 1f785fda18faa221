//! Trimming (NDP: Handley et al., SIGCOMM 2017): a data frame that finds the queue full goes on as its header.
//!
//! A port has a short queue for data and one for headers and control frames, which goes ahead, but for one data frame after so many headers
//! ([`Trim`](crate::Trim)), so that headers cannot starve data. Which frame is trimmed, the one that comes or the last of the
//! queue, is decided by a coin: otherwise flows that come in step would be trimmed always or never. A header for which there is no room is
//! sent back to its source.

use crate::class::PortClass;
use crate::discipline::{Admission, Discipline};
use crate::queue::{Queue, Waiting};
use engine::Stream;
use fabric::{Counters, Ecn, Fate, Frame, Kind};
use units::{Span, Time};

/// The output queues of many ports, each with trimming.
#[derive(Debug, Clone)]
pub struct Trimming {
    ports: Vec<TrimmingPort>,
    /// Of port `p`: data at `2 p`, headers and control frames at `2 p + 1`.
    queues: Vec<Queue>,
    marks: Stream,
}

#[derive(Debug, Clone, Copy, Default)]
struct TrimmingPort {
    free_at: Time,
    /// Headers that went in a row while data waited.
    turns: u32,
    counters: Counters,
}

const DATA: usize = 0;
const HEADERS: usize = 1;

impl Trimming {
    fn queue(&mut self, port: u32, which: usize) -> &mut Queue {
        &mut self.queues[2 * port as usize + which]
    }

    /// A frame joins a queue, or leaves at once if there is none.
    fn join(&mut self, now: Time, whole: Time, port: u32, frame: &Frame, which: usize, class: &PortClass) -> Admission {
        let service = class.time_on_wire(frame.len);
        let wait = self.wait(now, port);
        let state = &mut self.ports[port as usize];
        state.counters.admit(frame.len + class.framing, wait, service);
        if wait == Span::ZERO {
            state.free_at = (now + service).max(whole);
            return Admission::Departs(state.free_at);
        }
        self.queue(port, which).push(*frame, whole, class);
        Admission::Waits
    }
}

impl Discipline for Trimming {
    fn new(ports: usize, _: u8, marks: Stream) -> Trimming {
        Trimming { ports: vec![TrimmingPort::default(); ports], queues: vec![Queue::default(); 2 * ports], marks }
    }

    fn admit(
        &mut self,
        now: Time,
        whole: Time,
        port: u32,
        frame: &mut Frame,
        class: &PortClass,
        mut pick: impl FnMut(u32) -> u32,
    ) -> Admission {
        if class.dead {
            self.ports[port as usize].counters.lost += 1;
            return Admission::Dropped;
        }
        let sending = self.ports[port as usize].free_at.since(now);
        let is_data = frame.kind == Kind::Data && matches!(frame.fate, Fate::Whole | Fate::Trimmable);
        if is_data {
            let queue = self.queue(port, DATA);
            let (wait, count) = (sending + queue.backlog, queue.frames.len() as u32 + u32::from(sending > Span::ZERO));
            if wait + class.time_on_wire(frame.len) <= class.limit && count < class.limit_packets {
                if frame.ecn == Ecn::Capable
                    && (wait > class.mark || count > class.mark_packets)
                    && class.marks(wait, &mut self.marks)
                {
                    frame.ecn = Ecn::Marked;
                    self.ports[port as usize].counters.marked += 1;
                }
                return self.join(now, whole, port, frame, DATA, class);
            }
        }
        if is_data && frame.fate == Fate::Whole {
            self.ports[port as usize].counters.dropped += 1;
            return Admission::Dropped;
        }
        // What goes on is a header or a control frame.
        let header = if is_data { class.header.min(frame.len) } else { frame.len };
        if self.queue(port, HEADERS).backlog + class.time_on_wire(header) > class.headers {
            let returns = frame.kind == Kind::Data && frame.fate != Fate::Returned;
            let cut = if is_data { frame.trim(class.header) } else { 0 };
            if returns {
                return Admission::Returned { cut };
            }
            self.ports[port as usize].counters.dropped += 1;
            return Admission::Dropped;
        }
        if !is_data {
            return self.join(now, whole, port, frame, HEADERS, class);
        }
        // The last of the queue or the one that comes, as a coin says; the latter too where nothing waits.
        let queue = self.queue(port, DATA);
        let may = queue.frames.back().is_some_and(|last| last.frame.fate == Fate::Trimmable);
        let last = if may && pick(2) == 0 { queue.pop_back(class) } else { None };
        let (mut trimmed, at) = match last {
            Some(last) => {
                self.queue(port, DATA).push(*frame, whole, class);
                (last.frame, last.whole)
            }
            None => (*frame, whole),
        };
        let cut = trimmed.trim(class.header);
        let wait = self.wait(now, port);
        let state = &mut self.ports[port as usize];
        state.counters.admit(trimmed.len + class.framing, wait, class.time_on_wire(trimmed.len));
        self.queue(port, HEADERS).push(trimmed, at, class);
        Admission::Trimmed { cut }
    }

    fn next(&mut self, now: Time, port: u32, class: &PortClass) -> Option<(Frame, Time)> {
        let [data, headers] = &mut self.queues[2 * port as usize..2 * port as usize + 2] else { return None };
        let state = &mut self.ports[port as usize];
        if state.free_at > now {
            return None;
        }
        let both = !data.frames.is_empty() && !headers.frames.is_empty();
        let goes_data = headers.frames.is_empty() || (both && state.turns >= class.headers_in_a_row);
        state.turns = if goes_data || !both { 0 } else { state.turns + 1 };
        let Waiting { frame, whole } = if goes_data { data.pop_front(class)? } else { headers.pop_front(class)? };
        state.free_at = (now + class.time_on_wire(frame.len)).max(whole);
        Some((frame, state.free_at))
    }

    fn flush(&mut self, port: u32) -> u64 {
        let queues = &mut self.queues[2 * port as usize..2 * port as usize + 2];
        let waiting = queues.iter().map(|queue| queue.frames.len() as u64).sum();
        queues.fill(Queue::default());
        (self.ports[port as usize].free_at, self.ports[port as usize].turns) = (Time::ZERO, 0);
        waiting
    }

    fn wait(&self, now: Time, port: u32) -> Span {
        let queues = &self.queues[2 * port as usize..2 * port as usize + 2];
        (self.ports[port as usize].free_at + queues[DATA].backlog + queues[HEADERS].backlog).since(now)
    }

    #[inline]
    fn keeps(&self, port: u32) -> bool {
        self.queues[2 * port as usize..2 * port as usize + 2].iter().any(|queue| !queue.frames.is_empty())
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
        let queues = self.queues.iter().enumerate();
        queues.flat_map(|(i, queue)| queue.frames.iter().map(move |w| ((i / 2) as u32, w.frame))).collect()
    }
}
