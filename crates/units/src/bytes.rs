//! Byte counts.

use crate::parse::{ParseError, Quantity};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};
use std::str::FromStr;

const QUANTITY: Quantity = Quantity {
    units: &[("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1_000), ("B", 1)],
    also: &[("kB", 1_000), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40)],
    example: r#"a size such as "4 KB" (1000 B) or "4 KiB" (1024 B)"#,
    smallest: "1 B",
};

/// A number of bytes. KB, MB, GB are powers of 1000; KiB, MiB, GiB powers of 1024.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(u64);

impl Bytes {
    /// None.
    pub const ZERO: Bytes = Bytes(0);
    /// More than any flow: the size of one that does not end.
    pub const MAX: Bytes = Bytes(u64::MAX);

    /// `bytes` bytes.
    pub const fn new(bytes: u64) -> Bytes {
        Bytes(bytes)
    }
    /// The number.
    pub const fn get(self) -> u64 {
        self.0
    }
    /// Bits, as a wide integer so that it cannot overflow.
    pub const fn bits(self) -> u128 {
        self.0 as u128 * 8
    }
    /// `self - other`, or none.
    pub const fn saturating_sub(self, other: Bytes) -> Bytes {
        Bytes(self.0.saturating_sub(other.0))
    }
}

impl Add for Bytes {
    type Output = Bytes;
    fn add(self, other: Bytes) -> Bytes {
        Bytes(self.0 + other.0)
    }
}
impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Bytes) {
        self.0 += other.0;
    }
}
impl Sub for Bytes {
    type Output = Bytes;
    /// # Panics
    /// In debug builds, if `other` is larger.
    fn sub(self, other: Bytes) -> Bytes {
        Bytes(self.0 - other.0)
    }
}
impl Sum for Bytes {
    fn sum<I: Iterator<Item = Bytes>>(bytes: I) -> Bytes {
        bytes.fold(Bytes::ZERO, Add::add)
    }
}
impl FromStr for Bytes {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Bytes, ParseError> {
        QUANTITY.parse(text).map(Bytes)
    }
}
impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        QUANTITY.write(self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_and_1024s_are_told_apart() {
        assert_eq!("4 KB".parse(), Ok(Bytes::new(4000)));
        assert_eq!("4 KiB".parse(), Ok(Bytes::new(4096)));
        assert_eq!("1.5 KiB".parse::<Bytes>(), Err(ParseError::TooFine { text: "1.5 KiB".into(), smallest: "1 B" }));
        assert_eq!(Bytes::new(1_500_000).to_string(), "1.5 MB");
    }
}
