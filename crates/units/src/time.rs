//! Instants and lengths of time, in picoseconds.

use crate::parse::{ParseError, Quantity};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub};
use std::str::FromStr;

const QUANTITY: Quantity = Quantity {
    units: &[("s", 1_000_000_000_000), ("ms", 1_000_000_000), ("us", 1_000_000), ("ns", 1_000), ("ps", 1)],
    also: &[("µs", 1_000_000), ("μs", 1_000_000)],
    example: r#"a time such as "10 us""#,
    smallest: "1 ps",
};

/// An instant: picoseconds since the run began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64);

/// A length of time in picoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(u64);

impl Time {
    /// The beginning of a run.
    pub const ZERO: Time = Time(0);
    /// After everything: the deadline of what never happens.
    pub const MAX: Time = Time(u64::MAX);

    /// The instant `ps` picoseconds after the beginning.
    pub const fn from_ps(ps: u64) -> Time {
        Time(ps)
    }
    /// Picoseconds since the beginning.
    pub const fn as_ps(self) -> u64 {
        self.0
    }
    /// The time from `earlier` to `self`; zero if `earlier` is later.
    pub const fn since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
    /// Seconds since the beginning, for printing and plotting.
    pub fn as_secs_f64(self) -> f64 {
        Span(self.0).as_secs_f64()
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);
    /// Longer than any run.
    pub const MAX: Span = Span(u64::MAX);

    /// `ps` picoseconds.
    pub const fn from_ps(ps: u64) -> Span {
        Span(ps)
    }
    /// `ns` nanoseconds.
    pub const fn from_ns(ns: u64) -> Span {
        Span(ns * 1_000)
    }
    /// `us` microseconds.
    pub const fn from_us(us: u64) -> Span {
        Span(us * 1_000_000)
    }
    /// `ms` milliseconds.
    pub const fn from_ms(ms: u64) -> Span {
        Span(ms * 1_000_000_000)
    }
    /// `seconds`, to the nearest picosecond; negative and not-a-number become zero, too long becomes the longest.
    pub fn from_secs_f64(seconds: f64) -> Span {
        Span((seconds * 1e12).round() as u64)
    }
    /// Picoseconds.
    pub const fn as_ps(self) -> u64 {
        self.0
    }
    /// Seconds, for printing and plotting.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e12
    }
    /// `self - other`, or zero.
    pub const fn saturating_sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
    /// `self * factor`, or the longest span there is.
    pub const fn saturating_mul(self, factor: u64) -> Span {
        Span(self.0.saturating_mul(factor))
    }
}

impl Add<Span> for Time {
    type Output = Time;
    /// Saturates at [`Time::MAX`], so that "never" stays never.
    fn add(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}
impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}
impl Sub<Span> for Time {
    type Output = Time;
    /// Saturates at [`Time::ZERO`].
    fn sub(self, span: Span) -> Time {
        Time(self.0.saturating_sub(span.0))
    }
}
impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}
impl AddAssign for Span {
    fn add_assign(&mut self, other: Span) {
        *self = *self + other;
    }
}
impl Sub for Span {
    type Output = Span;
    /// # Panics
    /// In debug builds, if `other` is longer.
    fn sub(self, other: Span) -> Span {
        Span(self.0 - other.0)
    }
}
impl Mul<u64> for Span {
    type Output = Span;
    /// Saturates at [`Span::MAX`].
    fn mul(self, factor: u64) -> Span {
        self.saturating_mul(factor)
    }
}
impl Div<u64> for Span {
    type Output = Span;
    fn div(self, divisor: u64) -> Span {
        Span(self.0 / divisor)
    }
}
impl Sum for Span {
    fn sum<I: Iterator<Item = Span>>(spans: I) -> Span {
        spans.fold(Span::ZERO, Add::add)
    }
}

impl FromStr for Span {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Span, ParseError> {
        QUANTITY.parse(text).map(Span)
    }
}
impl FromStr for Time {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Time, ParseError> {
        QUANTITY.parse(text).map(Time)
    }
}
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        QUANTITY.write(self.0, f)
    }
}
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        QUANTITY.write(self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_people_write() {
        assert_eq!("2.75 ns".parse(), Ok(Span::from_ps(2750)));
        assert_eq!("10us".parse(), Ok(Span::from_us(10)));
        assert_eq!("1_000 ms".parse(), Ok(Span::from_ms(1000)));
        assert_eq!("0".parse(), Ok(Span::ZERO));
    }

    #[test]
    fn what_is_too_long_is_the_longest() {
        let long = Span::from_ps(u64::MAX / 2);
        assert_eq!([long + long + long, long * 3, long.saturating_mul(3)], [Span::MAX; 3]);
        assert_eq!(Time::from_ps(7) + long * 3, Time::MAX);
    }

    #[test]
    fn says_what_is_wrong() {
        let wrong = |text: &str| text.parse::<Span>().expect_err(text).to_string();
        assert_eq!(wrong("10"), r#"`10` has no unit; write a time such as "10 us""#);
        assert_eq!(
            wrong("10 usec"),
            r#"`10 usec` has the unit `usec`; the units are ps, ns, us, ms, s: write a time such as "10 us""#
        );
        assert_eq!(wrong("0.5 ps"), "`0.5 ps` is finer than 1 ps, the smallest step there is");
        assert_eq!(
            wrong("0.00000000000000001 s"),
            "`0.00000000000000001 s` is finer than 1 ps, the smallest step there is"
        );
        assert_eq!("0.00000000000100000 s".parse(), Ok(Span::from_ps(1)));
        assert_eq!(wrong("us"), r#"`us` does not start with a number; write a time such as "10 us""#);
        assert_eq!(wrong("-1 us"), r#"`-1 us` does not start with a number; write a time such as "10 us""#);
        assert_eq!(wrong("1. us"), r#"`1. us` does not start with a number; write a time such as "10 us""#);
        assert_eq!(
            wrong("300 d"),
            r#"`300 d` has the unit `d`; the units are ps, ns, us, ms, s: write a time such as "10 us""#
        );
        assert_eq!(wrong("99999999999 s"), "`99999999999 s` is too large");
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(ps in any::<u64>()) {
            prop_assert_eq!(Span::from_ps(ps).to_string().parse(), Ok(Span::from_ps(ps)));
        }
    }
}
