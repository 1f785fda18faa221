//! A rate made ready for the hot path.

use crate::{Bytes, Rate, Span};

/// How long frames take at one rate: a multiplication instead of a division.
///
/// [`Pace::span`] is exactly [`Rate::time_for`] for frames up to [`Pace::LONGEST`], at any rate from 1 Mb/s to 1 Pb/s.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Picoseconds a byte times `2^shift`, rounded down, with the highest bit set: 63 or 64 bits of precision.
    scaled: u64,
    shift: u32,
}

impl Pace {
    /// The longest frame it is exact for.
    pub const LONGEST: Bytes = Bytes::new(1 << 16);

    /// # Panics
    /// At a rate below 1 Mb/s or above 1 Pb/s.
    pub fn new(rate: Rate) -> Pace {
        let bps = u128::from(rate.as_bps());
        assert!(
            (1_000_000..=1_000_000_000_000_000).contains(&bps),
            "a pace is exact from 1 Mb/s to 1 Pb/s, not at {rate}"
        );
        let shift = (0..).take_while(|s| (8_000_000_000_000_u128 << s) / bps <= u128::from(u64::MAX)).last();
        let shift = shift.expect("8e6 ps a byte at most: fits unscaled");
        Pace { scaled: ((8_000_000_000_000_u128 << shift) / bps) as u64, shift }
    }

    /// Time to send `len` bytes, rounded up to a whole picosecond.
    #[inline]
    pub fn span(self, len: u32) -> Span {
        // The product falls short of the true time by less than 2^16 / 2^shift ps, which is less than 1 / bps, and the true
        // time is a multiple of 1 / bps: so there is no whole number between them, and rounding up gives the same.
        let product = u128::from(self.scaled) * u128::from(len);
        Span::from_ps(((product + ((1_u128 << self.shift) - 1)) >> self.shift) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_the_division(bps in 1_000_000_u64..=1_000_000_000_000_000, len in 0_u32..=1 << 16) {
            let rate = Rate::from_bps(bps);
            prop_assert_eq!(Pace::new(rate).span(len), rate.time_for(Bytes::new(u64::from(len))));
        }
        #[test]
        fn equals_the_division_at_round_rates(gbps in 1_u64..=10_000, len in 0_u32..=1 << 16) {
            let rate = Rate::from_gbps(gbps);
            prop_assert_eq!(Pace::new(rate).span(len), rate.time_for(Bytes::new(u64::from(len))));
        }
    }
}
