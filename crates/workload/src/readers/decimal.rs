//! Decimals to integers, exactly.

use super::LineProblem;
use units::Time;

/// What to do with digits below the smallest step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finer {
    /// Say so.
    Refuse,
    /// Round to the nearest step, half upwards: for files whose times a program wrote with all the digits of its floats.
    Round,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrong {
    NotANumber,
    TooFine,
    TooLarge,
}

/// `text` times 10^`places` as a whole number: `2.5` and 12 is 2_500_000_000_000. Also reads `1.5e-6`.
fn scaled(text: &str, places: i64, finer: Finer) -> Result<u64, Wrong> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().map_err(|_| Wrong::NotANumber)?),
        None => (text, 0),
    };
    let mantissa = mantissa.strip_prefix('+').unwrap_or(mantissa);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    if !digits().all(|digit| digit.is_ascii_digit()) || digits().next().is_none() {
        return Err(Wrong::NotANumber);
    }
    // How many of the digits are of the whole number; the rest is finer.
    let kept = whole.len() as i64 + i64::from(exponent) + places;
    let mut value: u64 = 0;
    let mut below = digits().skip(usize::try_from(kept).unwrap_or(0));
    if digits().any(|digit| digit != b'0') {
        // Linear in the text: a number may be written with a million zeros.
        for digit in digits().chain(std::iter::repeat(b'0')).take(usize::try_from(kept).unwrap_or(0)) {
            let digit = u64::from(digit - b'0');
            value = value.checked_mul(10).and_then(|value| value.checked_add(digit)).ok_or(Wrong::TooLarge)?;
        }
    }
    if below.clone().all(|digit| digit == b'0') {
        return Ok(value);
    }
    match finer {
        Finer::Refuse => Err(Wrong::TooFine),
        // With a negative count there are zeros in front of the digits.
        Finer::Round if kept >= 0 && below.next() >= Some(b'5') => value.checked_add(1).ok_or(Wrong::TooLarge),
        Finer::Round => Ok(value),
    }
}

/// A time in units of 10^`places` picoseconds: 12 for seconds, 3 for nanoseconds, 0 for picoseconds.
pub(super) fn time(text: &str, field: &'static str, places: i64, finer: Finer) -> Result<Time, LineProblem> {
    let expected = match places {
        12 => "a time in seconds, such as 0.000125",
        3 => "a time in nanoseconds, such as 125",
        _ => "a time in picoseconds, such as 125000",
    };
    scaled(text, places, finer).map(Time::from_ps).map_err(|wrong| problem(wrong, field, text, expected))
}

/// A whole number.
pub(super) fn whole(text: &str, field: &'static str, expected: &'static str) -> Result<u64, LineProblem> {
    if text.contains(['.', 'e', 'E', '+']) {
        return Err(problem(Wrong::NotANumber, field, text, expected));
    }
    scaled(text, 0, Finer::Refuse).map_err(|wrong| problem(wrong, field, text, expected))
}

/// A host, from 0.
pub(super) fn host(text: &str, field: &'static str) -> Result<u32, LineProblem> {
    let number = whole(text, field, "a host, a whole number from 0")?;
    u32::try_from(number).map_err(|_| LineProblem::TooLarge { field, text: text.to_owned() })
}

fn problem(wrong: Wrong, field: &'static str, text: &str, expected: &'static str) -> LineProblem {
    let text = text.to_owned();
    match wrong {
        Wrong::NotANumber => LineProblem::NotANumber { field, expected, text },
        Wrong::TooFine => LineProblem::TooFine { field, text },
        Wrong::TooLarge => LineProblem::TooLarge { field, text },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decimals_are_exact() {
        let ps = |text: &str| scaled(text, 12, Finer::Refuse);
        assert_eq!(ps("2"), Ok(2_000_000_000_000));
        assert_eq!(ps("0.000000000001"), Ok(1));
        assert_eq!(ps("16.800000000001"), Ok(16_800_000_000_001));
        assert_eq!(ps(".5"), Ok(500_000_000_000));
        assert_eq!(ps("5."), Ok(5_000_000_000_000));
        assert_eq!(ps("1.5e-06"), Ok(1_500_000));
        assert_eq!(ps("+1E1"), Ok(10_000_000_000_000));
        assert_eq!(ps("0e999999999"), Ok(0));
        assert_eq!(ps("1.0000000000010000"), Ok(1_000_000_000_001));
    }

    #[test]
    fn a_million_zeros_are_read_in_one_pass() {
        let zeros = "0".repeat(1_000_000);
        assert_eq!(scaled(&format!("{zeros}7"), 0, Finer::Refuse), Ok(7));
        assert_eq!(scaled(&format!("0.{zeros}7e1000001"), 0, Finer::Refuse), Ok(7));
        assert_eq!(scaled(&format!("0.5{zeros}"), 1, Finer::Refuse), Ok(5));
    }

    #[test]
    fn what_is_finer_is_refused_or_rounded() {
        assert_eq!(scaled("0.0000000000015", 12, Finer::Refuse), Err(Wrong::TooFine));
        assert_eq!(scaled("0.0000000000015", 12, Finer::Round), Ok(2));
        assert_eq!(scaled("0.00000000000149999", 12, Finer::Round), Ok(1));
        assert_eq!(scaled("9e-13", 12, Finer::Round), Ok(1));
        assert_eq!(scaled("9e-14", 12, Finer::Round), Ok(0));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", ".", "-1", "1e", "1e1.5", "one", "1 2", "0x10", "nan", "inf", "e5", "1_000"] {
            assert_eq!(scaled(text, 12, Finer::Round), Err(Wrong::NotANumber), "{text}");
        }
        assert_eq!(scaled("18446745", 12, Finer::Round), Err(Wrong::TooLarge));
        assert_eq!(scaled("1e999999999", 12, Finer::Round), Err(Wrong::TooLarge));
        assert_eq!(scaled("18446744.073709551615", 12, Finer::Refuse), Ok(u64::MAX));
        assert_eq!(scaled("18446744.0737095516155", 12, Finer::Round), Err(Wrong::TooLarge));
    }

    proptest! {
        #[test]
        fn seconds_read_back(ps in any::<u64>()) {
            let text = format!("{}.{:012}", ps / 1_000_000_000_000, ps % 1_000_000_000_000);
            prop_assert_eq!(scaled(&text, 12, Finer::Refuse), Ok(ps));
        }

        #[test]
        fn exponents_only_move_the_point(ps in 0..u64::MAX / 10, shift in -15..15_i32) {
            let text = format!("{ps}e{shift}");
            prop_assert_eq!(scaled(&text, i64::from(-shift), Finer::Refuse), Ok(ps));
        }

        #[test]
        fn nothing_panics(text in "[0-9.eE+-]{0,30}") {
            let _ = scaled(&text, 12, Finer::Round);
        }
    }
}
