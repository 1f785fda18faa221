//! What a port counts.

use crate::LinkCounters;
use units::{Bytes, Rate, Span};

/// A port's counters: plain sums, so that a hop costs a few additions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Frames that were let in.
    pub frames: u64,
    /// Their bytes on the wire, and those that waited when counting began.
    pub bytes: u64,
    /// Frames dropped for want of room.
    pub dropped: u64,
    /// Frames marked.
    pub marked: u64,
    /// Frames that the link corrupted.
    pub lost: u64,
    /// Longest time until a queue that a frame joined was sent, in picoseconds.
    pub peak: u64,
    /// Bytes times time in the queue, in bytes times 1024 ps.
    pub area: u64,
}

impl Counters {
    /// A frame of `wire` bytes will be sent after `wait`, in `service`.
    #[inline]
    pub fn admit(&mut self, wire: u32, wait: Span, service: Span) {
        self.frames += 1;
        self.bytes += u64::from(wire);
        self.peak = self.peak.max((wait + service).as_ps());
        // All of it waits for `wait`; while it is sent, half of it on average is left.
        self.area += u64::from(wire) * ((wait.as_ps() + service.as_ps() / 2) >> 10);
    }

    /// Counting begins at a port that will send for `wait` what waits already.
    pub fn with_backlog(rate: Rate, wait: Span) -> Counters {
        let backlog = rate.bytes_in(wait).get();
        Counters { bytes: backlog, area: Self::area_to_come(backlog, wait), ..Counters::default() }
    }

    /// What a backlog adds to the area until it is sent: half of it waits on average.
    fn area_to_come(backlog: u64, wait: Span) -> u64 {
        backlog * ((wait.as_ps() / 2) >> 10)
    }

    /// A port that would have sent for `wait` what it had let in loses it.
    pub fn abandon(&mut self, rate: Rate, wait: Span) {
        let backlog = rate.bytes_in(wait).get();
        self.bytes = self.bytes.saturating_sub(backlog);
        self.area = self.area.saturating_sub(Self::area_to_come(backlog, wait));
    }

    /// As the contract has them, at a port that will send for `wait` what it has let in: that is yet to come.
    pub fn at_rate(&self, rate: Rate, wait: Span) -> LinkCounters {
        let Counters { frames, bytes, dropped, marked, lost, peak, area } = *self;
        let backlog = rate.bytes_in(wait).get();
        let bytes = bytes.saturating_sub(backlog);
        let byte_seconds = area.saturating_sub(Self::area_to_come(backlog, wait)) as f64 * 1024e-12;
        let peak: Bytes = rate.bytes_in(Span::from_ps(peak));
        LinkCounters { frames, bytes, dropped, marked, lost, peak, byte_seconds }
    }
}
