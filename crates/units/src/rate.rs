//! Rates in bits a second.

use crate::parse::{ParseError, Quantity};
use crate::{Bytes, Span};
use std::fmt;
use std::str::FromStr;

const QUANTITY: Quantity = Quantity {
    units: &[("Tb/s", 1_000_000_000_000), ("Gb/s", 1_000_000_000), ("Mb/s", 1_000_000), ("kb/s", 1_000), ("b/s", 1)],
    also: &[("Tbps", 1_000_000_000_000), ("Gbps", 1_000_000_000), ("Mbps", 1_000_000), ("kbps", 1_000), ("bps", 1)],
    example: r#"a rate such as "100 Gb/s""#,
    smallest: "1 b/s",
};

/// Bits a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Rate(u64);

impl Rate {
    /// `bits` bits a second.
    pub const fn from_bps(bits: u64) -> Rate {
        Rate(bits)
    }
    /// `gigabits` Gb/s.
    pub const fn from_gbps(gigabits: u64) -> Rate {
        Rate(gigabits * 1_000_000_000)
    }
    /// Bits a second.
    pub const fn as_bps(self) -> u64 {
        self.0
    }
    /// Time to send `bytes`, rounded up to a whole picosecond. A hot path keeps a [`crate::Pace`] instead.
    ///
    /// # Panics
    /// At a rate of zero.
    pub fn time_for(self, bytes: Bytes) -> Span {
        let ps = (bytes.bits() * 1_000_000_000_000).div_ceil(u128::from(self.0));
        Span::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
    }
    /// Whole bytes sent in `span`.
    pub fn bytes_in(self, span: Span) -> Bytes {
        let bytes = u128::from(span.as_ps()) * u128::from(self.0) / 8_000_000_000_000;
        Bytes::new(u64::try_from(bytes).unwrap_or(u64::MAX))
    }
}

impl FromStr for Rate {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Rate, ParseError> {
        QUANTITY.parse(text).map(Rate)
    }
}
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        QUANTITY.write(self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_and_bytes_are_inverse() {
        let rate: Rate = "800 Gb/s".parse().unwrap();
        assert_eq!(rate.time_for(Bytes::new(64)), Span::from_ps(640));
        assert_eq!(rate.bytes_in(Span::from_ps(640)), Bytes::new(64));
        assert_eq!(Rate::from_gbps(3).time_for(Bytes::new(1)), Span::from_ps(2667));
        assert_eq!("25Gbps".parse(), Ok(Rate::from_gbps(25)));
        assert_eq!(Rate::from_gbps(12_800).to_string(), "12.8 Tb/s");
    }
}
