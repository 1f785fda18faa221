//! A link and the queue before it.

use fabric::{Counters, Ecn, Frame};
use settings::Length;
use std::collections::VecDeque;
use topology::Link;
use units::{Pace, Rate, Span, Time};

/// A link with a first-in, first-out queue before it: whatever a frame will meet there is known when it comes.
#[derive(Debug, Clone)]
pub(crate) struct Port {
    pub(crate) rate: Rate,
    pub(crate) delay: Span,
    pace: Pace,
    framing: u32,
    limit: Bound,
    mark: Bound,
    /// When its last frame will have been sent.
    pub(crate) free_at: Time,
    /// When each frame that may still be there will have been sent, if frames are counted.
    ends: VecDeque<Time>,
    pub(crate) counters: Counters,
}

/// How much may wait: as time to send it, and as frames.
#[derive(Debug, Clone, Copy)]
struct Bound {
    wait: Span,
    frames: u32,
}

impl Bound {
    fn new(length: Option<Length>, rate: Rate) -> Bound {
        match length {
            None => Bound { wait: Span::MAX, frames: u32::MAX },
            Some(Length::Bytes(bytes)) => Bound { wait: rate.time_for(bytes), frames: u32::MAX },
            Some(Length::Packets(frames)) => Bound { wait: Span::MAX, frames },
        }
    }
    fn counts_frames(self) -> bool {
        self.frames != u32::MAX
    }
}

impl Port {
    /// The port of this link, with so much room and these marks.
    pub(crate) fn new(link: &Link, framing: u32, queue: Option<Length>, mark: Option<Length>) -> Port {
        Port {
            rate: link.rate,
            delay: link.delay,
            pace: Pace::new(link.rate),
            framing,
            limit: Bound::new(queue, link.rate),
            mark: Bound::new(mark, link.rate),
            free_at: Time::ZERO,
            ends: VecDeque::new(),
            counters: Counters::default(),
        }
    }

    /// Time on the wire of a packet of `len` bytes.
    pub(crate) fn time_on_wire(&self, len: u32) -> Span {
        self.pace.span(len + self.framing)
    }

    /// Time to send all that is waiting or being sent.
    pub(crate) fn wait(&self, now: Time) -> Span {
        self.free_at.since(now)
    }

    /// A frame joins, perhaps marked: when its last bit will be at the other end. `None`: there is no room.
    pub(crate) fn admit(&mut self, now: Time, frame: &mut Frame) -> Option<Time> {
        let (wait, service) = (self.wait(now), self.time_on_wire(frame.len));
        let counts = self.limit.counts_frames() || self.mark.counts_frames();
        while counts && self.ends.front().is_some_and(|end| *end <= now) {
            self.ends.pop_front();
        }
        let waiting = self.ends.len() as u32;
        if wait + service > self.limit.wait || waiting >= self.limit.frames {
            self.counters.dropped += 1;
            return None;
        }
        if frame.ecn == Ecn::Capable && (wait > self.mark.wait || waiting > self.mark.frames) {
            frame.ecn = Ecn::Marked;
            self.counters.marked += 1;
        }
        self.counters.admit(frame.len + self.framing, wait, service);
        self.free_at = now + wait + service;
        if counts {
            self.ends.push_back(self.free_at);
        }
        Some(self.free_at + self.delay)
    }

    /// Counting begins anew.
    pub(crate) fn begin_measurement(&mut self, now: Time) {
        self.counters = Counters::with_backlog(self.rate, self.wait(now));
    }
}
