//! The retransmission timeout: RFC 6298.

use crate::config;
use units::Span;

/// Estimates the round-trip time and from it the timeout.
#[derive(Debug, Clone, Copy)]
pub struct RoundTrip {
    smoothed: Span,
    variation: Span,
    timeout: Span,
    shortest: Span,
}

impl RoundTrip {
    /// RFC 6298 §2.5: "a maximum value MAY be placed on RTO provided it is at least 60 seconds". What a person sets to more stays as it is.
    pub(super) const LONGEST: Span = Span::from_ms(60_000);

    /// Before the first sample.
    pub fn new(config: &config::Tcp) -> RoundTrip {
        let timeout = config.initial_rto.max(config.min_rto);
        RoundTrip { smoothed: Span::ZERO, variation: Span::ZERO, timeout, shortest: config.min_rto }
    }

    /// RFC 6298 §2.2 and 2.3. The clock is exact, so its granularity G is nothing.
    #[inline]
    pub fn sample(&mut self, rtt: Span) {
        if self.smoothed == Span::ZERO {
            (self.smoothed, self.variation) = (rtt, rtt / 2);
        } else {
            let error = rtt.as_ps().abs_diff(self.smoothed.as_ps());
            self.variation = Span::from_ps((3 * self.variation.as_ps() + error) / 4);
            self.smoothed = Span::from_ps((7 * self.smoothed.as_ps() + rtt.as_ps()) / 8);
        }
        self.timeout = (self.smoothed + self.variation * 4).min(Self::LONGEST).max(self.shortest);
    }

    /// RFC 6298 §5.5: the timer went off.
    pub fn back_off(&mut self) {
        self.timeout = self.timeout.saturating_mul(2).min(Self::LONGEST).max(self.timeout);
    }

    /// The smoothed round-trip time, SRTT; nothing before the first sample.
    #[inline]
    pub fn smoothed(&self) -> Span {
        self.smoothed
    }

    /// How long to wait for an acknowledgement.
    #[inline]
    pub fn timeout(&self) -> Span {
        self.timeout
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::{Bytes, Time, bounds};

    fn round_trip(min_rto: Span, initial_rto: Span) -> RoundTrip {
        RoundTrip::new(&config::Tcp {
            initial_window: 10,
            max_window: Bytes::new(1 << 20),
            min_rto,
            initial_rto,
            ack_every: 1,
            ack_delay: Span::ZERO,
            header: Bytes::new(40),
            ..config::Tcp::default()
        })
    }

    #[test]
    fn a_timeout_doubles_up_to_a_minute() {
        let mut rtt = round_trip(Span::from_ms(1), Span::from_ms(20_000));
        rtt.back_off();
        assert_eq!(rtt.timeout(), Span::from_ms(40_000));
        (0..100).for_each(|_| rtt.back_off());
        assert_eq!(rtt.timeout(), RoundTrip::LONGEST);
    }

    #[test]
    fn what_is_set_to_more_than_a_minute_is_never_cut() {
        for (min, initial) in [(bounds::TIME, Span::ZERO), (Span::from_ms(1), bounds::TIME)] {
            let mut rtt = round_trip(min, initial);
            assert_eq!(rtt.timeout(), bounds::TIME);
            (0..100).for_each(|_| rtt.back_off());
            assert_eq!(rtt.timeout(), bounds::TIME);
        }
        let mut rtt = round_trip(bounds::TIME, Span::ZERO);
        rtt.sample(Span::from_us(10));
        assert_eq!(rtt.timeout(), bounds::TIME);
    }

    /// In a debug build sums that do not fit panic.
    #[test]
    fn the_longest_round_trips_fit() {
        for min in [Span::ZERO, bounds::TIME] {
            let mut rtt = round_trip(min, min);
            for sample in [bounds::TIME, Span::from_ps(1), bounds::TIME, bounds::TIME, Span::ZERO] {
                rtt.sample(sample);
                rtt.back_off();
                let end = Time::ZERO + bounds::TIME;
                assert_eq!((end + rtt.timeout()).since(end), rtt.timeout());
            }
        }
    }
}
