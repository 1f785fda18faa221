//! A rate made ready for the hot path.

use crate::{Bytes, Rate, Span};

/// How long frames take at one rate: two multiplications instead of a division.
///
/// [`Pace::span`] is exactly [`Rate::time_for`] for frames up to [`Pace::LONGEST`], at rates from [`Pace::SLOWEST`] to 250 Tb/s;
/// from there to [`Pace::FASTEST`] it may be one picosecond less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Picoseconds a byte, rounded down.
    whole: u64,
    /// The rest, in 2^-64 ps, rounded down.
    fraction: u64,
}

impl Pace {
    /// The longest frame it is exact for.
    pub const LONGEST: Bytes = Bytes::new(1 << 16);
    /// The lowest rate it is made for.
    pub const SLOWEST: Rate = Rate::from_bps(1_000_000);
    /// The highest rate it is made for.
    pub const FASTEST: Rate = Rate::from_gbps(1_000_000);

    /// # Panics
    /// At a rate below [`Pace::SLOWEST`] or above [`Pace::FASTEST`].
    pub fn new(rate: Rate) -> Pace {
        assert!((Self::SLOWEST..=Self::FASTEST).contains(&rate), "no pace at {rate}: rates go from 1 Mb/s to 1 Pb/s");
        let (byte, bps) = (8_000_000_000_000_u128, u128::from(rate.as_bps()));
        Pace { whole: (byte / bps) as u64, fraction: (((byte % bps) << 64) / bps) as u64 }
    }

    /// Time to send `len` bytes, rounded up to a whole picosecond.
    #[inline]
    pub fn span(self, len: u32) -> Span {
        // The sum falls short of the true time by less than 2^16 / 2^64 ps, which is less than 1 / bps up to 2^48 bps, and the
        // true time is a multiple of 1 / bps: so there is no whole number between them, and rounding up gives the same.
        let len = u64::from(len);
        let parts = u128::from(self.fraction) * u128::from(len);
        Span::from_ps(self.whole * len + (parts >> 64) as u64 + u64::from(parts as u64 != 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_the_division(bps in 1_000_000_u64..=250_000_000_000_000, len in 0_u32..=1 << 16) {
            let rate = Rate::from_bps(bps);
            prop_assert_eq!(Pace::new(rate).span(len), rate.time_for(Bytes::new(u64::from(len))));
        }
        #[test]
        fn is_next_to_it_at_rates_to_come(bps in 250_000_000_000_000_u64..=1_000_000_000_000_000, len in 0_u32..=1 << 16) {
            let rate = Rate::from_bps(bps);
            let (exact, span) = (rate.time_for(Bytes::new(u64::from(len))), Pace::new(rate).span(len));
            prop_assert!(exact.as_ps() - span.as_ps() <= 1);
        }
        #[test]
        fn equals_the_division_at_round_rates(gbps in 1_u64..=250_000, len in 0_u32..=1 << 16) {
            let rate = Rate::from_gbps(gbps);
            prop_assert_eq!(Pace::new(rate).span(len), rate.time_for(Bytes::new(u64::from(len))));
        }
    }
}
