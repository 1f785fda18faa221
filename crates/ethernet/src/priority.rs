//! Strict priorities: of the frames that wait when the link is free, the one of the lowest class number goes.
//!
//! Each class of a port has a queue of its own, and the port's limit and marking threshold apply to each: a class that fills
//! its queue takes no room from another. What is being sent counts for every class.

use crate::class::PortClass;
use crate::discipline::{Admission, Discipline};
use crate::queue::{Queue, Waiting};
use engine::{Stream, prefetch_at};
use fabric::{Counters, Ecn, Frame};
use units::{Span, Time};

/// The output queues of many ports, each with strict priority classes.
#[derive(Debug, Clone)]
pub struct Priorities {
    classes: usize,
    ports: Vec<PriorityPort>,
    /// Class `c` of port `p` is number `p * classes + c`.
    queues: Vec<Queue>,
    marks: Stream,
}

#[derive(Debug, Clone, Copy, Default)]
struct PriorityPort {
    free_at: Time,
    /// Time to send all that waits.
    backlog: Span,
    waiting: u32,
    counters: Counters,
}

impl Discipline for Priorities {
    fn new(ports: usize, classes: u8, marks: Stream) -> Priorities {
        let classes = usize::from(classes.max(1));
        Priorities {
            classes,
            ports: vec![PriorityPort::default(); ports],
            queues: vec![Queue::default(); ports * classes],
            marks,
        }
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
        let wait = self.wait(now, port);
        let service = class.time_on_wire(frame.len);
        let own = usize::from(frame.priority).min(self.classes - 1);
        let queue = &mut self.queues[port as usize * self.classes + own];
        let state = &mut self.ports[port as usize];
        let own_wait = state.free_at.since(now) + queue.backlog;
        let own_count = queue.frames.len() as u32 + u32::from(state.free_at > now);
        if own_wait + service > class.limit || own_count >= class.limit_packets {
            *if class.dead { &mut state.counters.lost } else { &mut state.counters.dropped } += 1;
            return Admission::Dropped;
        }
        if frame.ecn == Ecn::Capable
            && (own_wait > class.mark || own_count > class.mark_packets)
            && class.marks(own_wait, &mut self.marks)
        {
            frame.ecn = Ecn::Marked;
            state.counters.marked += 1;
        }
        state.counters.admit(frame.len + class.framing, wait, service);
        if state.waiting == 0 && state.free_at <= now {
            state.free_at = (now + service).max(whole);
            return Admission::Departs(state.free_at);
        }
        state.backlog += service;
        state.waiting += 1;
        queue.push(Waiting { frame: *frame, whole, service });
        Admission::Waits
    }

    fn next(&mut self, now: Time, port: u32, _: &PortClass) -> Option<(Frame, Time)> {
        let state = &mut self.ports[port as usize];
        if state.waiting == 0 || state.free_at > now {
            return None;
        }
        let first = port as usize * self.classes;
        let queue = self.queues[first..first + self.classes].iter_mut().find(|queue| !queue.frames.is_empty())?;
        let Waiting { frame, whole, service } = queue.pop_front()?;
        state.waiting -= 1;
        state.backlog = state.backlog - service;
        state.free_at = (now + service).max(whole);
        Some((frame, state.free_at))
    }

    fn flush(&mut self, port: u32) -> u64 {
        let state = &mut self.ports[port as usize];
        let waiting = std::mem::take(&mut state.waiting);
        (state.free_at, state.backlog) = (Time::ZERO, Span::ZERO);
        let first = port as usize * self.classes;
        self.queues[first..first + self.classes].fill(Queue::default());
        u64::from(waiting)
    }

    fn wait(&self, now: Time, port: u32) -> Span {
        let state = &self.ports[port as usize];
        (state.free_at + state.backlog).since(now)
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
        let queues = self.queues.iter().enumerate();
        queues.flat_map(|(i, queue)| queue.frames.iter().map(move |w| ((i / self.classes) as u32, w.frame))).collect()
    }
}
