//! Division by a number that stays the same, by multiplication: where slots begin is asked several times for each control cell, and a division takes as long as all the rest of that.

/// What is divided by, and 2^64 over it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Divisor {
    by: u64,
    inverse: u64,
}

impl Divisor {
    /// # Panics
    /// If it is zero.
    pub(crate) fn new(by: u64) -> Divisor {
        Divisor { by, inverse: u64::MAX / by }
    }

    pub(crate) fn by(self) -> u64 {
        self.by
    }

    /// Quotient and remainder.
    #[inline]
    pub(crate) fn divide(self, value: u64) -> (u64, u64) {
        // The inverse is too small by less than 1 + 1/2^64, so the quotient by one at most.
        let quotient = ((u128::from(value) * u128::from(self.inverse)) >> 64) as u64;
        let rest = value - quotient * self.by;
        if rest < self.by { (quotient, rest) } else { (quotient + 1, rest - self.by) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_divides_as_division_does(value in any::<u64>(), by in 1_u64.., shift in 0_u32..64) {
            for by in [by, (by >> shift).max(1), 1 << shift, 7_372_800, u64::MAX] {
                for value in [value, value >> shift, by - 1, by, by.saturating_mul(3), u64::MAX] {
                    prop_assert_eq!(Divisor::new(by).divide(value), (value / by, value % by));
                }
            }
        }
    }
}
