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
    pub area: u128,
}

impl Counters {
    /// A frame of `wire` bytes will be sent after `wait`, in `service`.
    #[inline]
    pub fn admit(&mut self, wire: u32, wait: Span, service: Span) {
        self.frames += 1;
        self.bytes += u64::from(wire);
        self.peak = self.peak.max((wait + service).as_ps());
        // All of it waits for `wait`; while it is sent, half of it on average is left.
        self.area += u128::from(wire) * u128::from((wait.as_ps() + service.as_ps() / 2) >> 10);
    }

    /// Counting begins at a port that will send for `wait` what waits already.
    pub fn with_backlog(rate: Rate, wait: Span) -> Counters {
        let backlog = rate.bytes_in(wait).get();
        Counters { bytes: backlog, area: Self::area_to_come(backlog, wait), ..Counters::default() }
    }

    /// What a backlog adds to the area until it is sent: half of it waits on average.
    fn area_to_come(backlog: u64, wait: Span) -> u128 {
        u128::from(backlog) * u128::from((wait.as_ps() / 2) >> 10)
    }

    /// A port that would have sent for `wait` what it had let in loses it.
    pub fn abandon(&mut self, rate: Rate, wait: Span) {
        let backlog = rate.bytes_in(wait).get();
        self.bytes = self.bytes.saturating_sub(backlog);
        self.area = self.area.saturating_sub(Self::area_to_come(backlog, wait));
    }

    /// A port that will send for `wait` what it has let in drops one of those frames, of `wire` bytes, which would have taken `service`.
    pub fn displace(&mut self, rate: Rate, wait: Span, wire: u32, service: Span) {
        let to_come = |wait| Self::area_to_come(rate.bytes_in(wait).get(), wait);
        self.frames = self.frames.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(u64::from(wire));
        self.area = self.area.saturating_sub(to_come(wait) - to_come(wait - service));
        self.dropped += 1;
    }

    /// The bytes that a port has sent that will send for `wait` what it has let in.
    #[inline]
    pub fn sent(&self, rate: Rate, wait: Span) -> u64 {
        self.bytes.saturating_sub(rate.bytes_in(wait).get())
    }

    /// As the contract has them, at a port that will send for `wait` what it has let in: that is yet to come.
    pub fn at_rate(&self, rate: Rate, wait: Span) -> LinkCounters {
        let Counters { frames, bytes, dropped, marked, lost, peak, area } = *self;
        let backlog = rate.bytes_in(wait).get();
        let bytes = bytes.saturating_sub(backlog);
        let byte_seconds = area.saturating_sub(Self::area_to_come(backlog, wait)) as f64 * 1024e-12;
        let peak: Bytes = rate.bytes_in(Span::from_ps(peak));
        LinkCounters { frames, bytes, dropped, marked, lost, peak, byte_seconds, ..LinkCounters::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dropped_from_the_end_of_a_queue_at_once_was_never_there() {
        let (rate, service) = (Rate::from_gbps(10), Span::from_us(1));
        let mut counters = Counters::default();
        counters.admit(1250, Span::ZERO, service);
        let before = counters;
        counters.admit(1250, service, service);
        counters.displace(rate, service + service, 1250, service);
        // But for the longest that the queue was, which it has been.
        assert_eq!(counters, Counters { dropped: 1, peak: 2_000_000, ..before });
    }

    #[test]
    fn a_queue_that_is_long_for_long_is_counted_to_the_end() {
        // A second's worth of bytes at 100 Gb/s waits for 100 seconds: more byte picoseconds than 64 bits hold, even in steps of 1024.
        let rate = Rate::from_gbps(100);
        let second = Span::from_ms(1000);
        let mut counters = Counters::default();
        for _ in 0..100 {
            for _ in 0..8_333 {
                counters.admit(1_500_000, second, Span::ZERO);
            }
        }
        let seconds = counters.at_rate(rate, Span::ZERO).byte_seconds;
        let expected = 833_300.0 * 1_500_000.0;
        assert!((seconds / expected - 1.0).abs() < 1e-6, "{seconds}");
    }
}
