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
    /// RFC 6298 §2.5: "a maximum value MAY be placed on RTO provided it is at least 60 seconds".
    const LONGEST: Span = Span::from_ms(60_000);

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
        self.timeout = (self.smoothed + self.variation * 4).max(self.shortest).min(Self::LONGEST);
    }

    /// RFC 6298 §5.5: the timer went off.
    pub fn back_off(&mut self) {
        self.timeout = self.timeout.saturating_mul(2).min(Self::LONGEST);
    }

    /// How long to wait for an acknowledgement.
    #[inline]
    pub fn timeout(&self) -> Span {
        self.timeout
    }
}
