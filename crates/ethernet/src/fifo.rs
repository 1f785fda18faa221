//! First in, first out: whatever a frame will meet is known when it arrives.
//!
//! A queue is one number, the time at which its last frame will have been sent. So a hop needs one event, its arrival at the
//! other end, and limits and thresholds in bytes are compared as times.

use crate::class::PortClass;
use crate::discipline::{Admission, Discipline};
use engine::{Stream, prefetch_at};
use fabric::{Counters, Ecn, Frame};
use std::collections::VecDeque;
use units::{Span, Time};

/// The output queues of many ports, each first in, first out.
#[derive(Debug, Clone)]
pub struct Fifo {
    ports: Vec<FifoPort>,
    marks: Stream,
}

/// Two cache lines a port, the counters in the first.
#[derive(Debug, Clone, Default)]
#[repr(C, align(64))]
struct FifoPort {
    counters: Counters,
    free_at: Time,
    /// If it counts packets: when each frame that may still be there will have been sent.
    ends: VecDeque<Time>,
}

const _: () = assert!(size_of::<FifoPort>() == 128 && size_of::<Counters>() == 64);

impl FifoPort {
    /// Ends that are kept before those that have passed are looked for.
    const KEPT: usize = 64;

    /// Frames waiting or being sent; or, if they cannot be so many that a frame is dropped for them or, if that may be, marked, none.
    #[inline(always)]
    fn count(&mut self, now: Time, wait: Span, may_be_marked: bool, class: &PortClass) -> u32 {
        let ends = &mut self.ends;
        if wait == Span::ZERO {
            ends.clear();
            return 0;
        }
        // The first ends lie where nothing else is looked at, so that they would be waited for.
        let few = if may_be_marked { class.limit_packets.min(class.mark_packets) } else { class.limit_packets };
        if (wait <= class.sparse || ends.len() < few as usize) && ends.len() < Self::KEPT {
            return 0;
        }
        while ends.front().is_some_and(|end| *end <= now) {
            ends.pop_front();
        }
        ends.len() as u32
    }
}

impl Discipline for Fifo {
    const KEEPS: bool = false;

    fn new(ports: usize, _: u8, marks: Stream) -> Fifo {
        Fifo { ports: vec![FifoPort::default(); ports], marks }
    }

    #[inline(always)]
    fn admit(
        &mut self,
        now: Time,
        whole: Time,
        port: u32,
        frame: &mut Frame,
        class: &PortClass,
        _: impl FnMut(u32) -> u32,
    ) -> Admission {
        let state = &mut self.ports[port as usize];
        let wait = state.free_at.since(now);
        let service = class.time_on_wire(frame.len);
        let mut mark = wait > class.mark;
        let mut full = wait + service > class.limit;
        if class.counts_packets() {
            let waiting = state.count(now, wait, frame.ecn == Ecn::Capable, class);
            full |= waiting >= class.limit_packets;
            mark |= waiting > class.mark_packets;
        }
        let FifoPort { free_at, counters, ends } = state;
        if full {
            *if class.dead { &mut counters.lost } else { &mut counters.dropped } += 1;
            return Admission::Dropped;
        }
        if mark && frame.ecn == Ecn::Capable && class.marks(wait, &mut self.marks) {
            frame.ecn = Ecn::Marked;
            counters.marked += 1;
        }
        counters.admit(frame.len + class.framing, wait, service);
        // Cut through: the last bit cannot leave before it has come.
        let end = (now + wait + service).max(whole);
        *free_at = end;
        if class.counts_packets() {
            ends.push_back(end);
        }
        Admission::Departs(end)
    }

    fn next(&mut self, _: Time, _: u32, _: &PortClass) -> Option<(Frame, Time)> {
        None // every departure was settled on arrival
    }

    fn flush(&mut self, port: u32) -> u64 {
        self.ports[port as usize].free_at = Time::ZERO;
        self.ports[port as usize].ends.clear();
        0
    }

    #[inline]
    fn wait(&self, now: Time, port: u32) -> Span {
        self.ports[port as usize].free_at.since(now)
    }

    fn keeps(&self, _: u32) -> bool {
        false
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
        Vec::new() // frames are with their links from the moment they are admitted
    }
}
