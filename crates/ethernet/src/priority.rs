//! Strict priorities: of the frames that wait when the link is free, the one of the lowest class number goes.
//!
//! All classes of a port share its limit and its marking threshold.

use crate::class::PortClass;
use crate::counters::Counters;
use crate::discipline::{Admission, Discipline};
use fabric::{Ecn, Frame};
use std::collections::VecDeque;
use units::{Span, Time};

/// The output queues of many ports, each with strict priority classes.
#[derive(Debug, Clone)]
pub struct Priorities {
    classes: usize,
    ports: Vec<PriorityPort>,
    /// Class `c` of port `p` is number `p * classes + c`.
    queues: Vec<VecDeque<Waiting>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct PriorityPort {
    free_at: Time,
    /// Time to send all that waits.
    backlog: Span,
    waiting: u32,
    counters: Counters,
}

#[derive(Debug, Clone, Copy)]
struct Waiting {
    frame: Frame,
    whole: Time,
}

impl Discipline for Priorities {
    fn new(ports: usize, classes: u8) -> Priorities {
        let classes = usize::from(classes.max(1));
        Priorities {
            classes,
            ports: vec![PriorityPort::default(); ports],
            queues: vec![VecDeque::new(); ports * classes],
        }
    }

    fn admit(&mut self, now: Time, whole: Time, port: u32, mut frame: Frame, class: &PortClass) -> Admission {
        let wait = self.wait(now, port);
        let service = class.time_on_wire(frame.len);
        let state = &mut self.ports[port as usize];
        let sending = u32::from(state.free_at > now);
        if wait + service > class.limit || state.waiting + sending >= class.limit_packets {
            state.counters.dropped += 1;
            return Admission::Dropped;
        }
        if frame.ecn == Ecn::Capable && (wait > class.mark || state.waiting + sending > class.mark_packets) {
            frame.ecn = Ecn::Marked;
            state.counters.marked += 1;
        }
        state.counters.admit(frame.len + class.framing, wait, service);
        if state.waiting == 0 && sending == 0 {
            state.free_at = (now + service).max(whole);
            return Admission::Departs(state.free_at, frame);
        }
        state.backlog += service;
        state.waiting += 1;
        let queue = usize::from(frame.priority).min(self.classes - 1);
        self.queues[port as usize * self.classes + queue].push_back(Waiting { frame, whole });
        Admission::Waits
    }

    fn next(&mut self, now: Time, port: u32, class: &PortClass) -> Option<(Frame, Time)> {
        let state = &mut self.ports[port as usize];
        if state.waiting == 0 || state.free_at > now {
            return None;
        }
        let first = port as usize * self.classes;
        let Waiting { frame, whole } = self.queues[first..first + self.classes].iter_mut().find_map(VecDeque::pop_front)?;
        let service = class.time_on_wire(frame.len);
        state.waiting -= 1;
        state.backlog = state.backlog - service;
        state.free_at = (now + service).max(whole);
        Some((frame, state.free_at))
    }

    fn wait(&self, now: Time, port: u32) -> Span {
        let state = &self.ports[port as usize];
        state.free_at.since(now) + state.backlog
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
        queues.flat_map(|(i, queue)| queue.iter().map(move |w| ((i / self.classes) as u32, w.frame))).collect()
    }
}
