//! Reading and writing a number with a unit, exactly: decimal in, integer out, no floating point between.

use std::fmt;

/// Why a text is not a quantity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// No number at the start.
    #[error("`{text}` does not start with a number; write {example}")]
    NoNumber {
        /// What was read.
        text: String,
        /// A right spelling.
        example: &'static str,
    },
    /// A number without a unit.
    #[error("`{text}` has no unit; write {example}")]
    NoUnit {
        /// What was read.
        text: String,
        /// A right spelling.
        example: &'static str,
    },
    /// A unit of another quantity, or of none.
    #[error("`{text}` has the unit `{unit}`; the units are {units}: write {example}")]
    UnknownUnit {
        /// What was read.
        text: String,
        /// The unit that was read.
        unit: String,
        /// The units there are.
        units: String,
        /// A right spelling.
        example: &'static str,
    },
    /// Finer than the integer that holds it.
    #[error("`{text}` is finer than {smallest}, the smallest step there is")]
    TooFine {
        /// What was read.
        text: String,
        /// The smallest step.
        smallest: &'static str,
    },
    /// Larger than the integer that holds it.
    #[error("`{text}` is too large")]
    TooLarge {
        /// What was read.
        text: String,
    },
}

/// A kind of quantity: its units, largest first, as multiples of the smallest.
pub(crate) struct Quantity {
    pub units: &'static [(&'static str, u64)],
    /// Other spellings that are read but never written.
    pub also: &'static [(&'static str, u64)],
    pub example: &'static str,
    pub smallest: &'static str,
}

impl Quantity {
    /// Reads `"2.75 ns"` into 2750 of the smallest unit.
    pub(crate) fn parse(&self, text: &str) -> Result<u64, ParseError> {
        let trimmed = text.trim();
        let end = trimmed.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(trimmed.len());
        let (number, unit) = (trimmed[..end].replace('_', ""), trimmed[end..].trim());
        let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
        if whole.is_empty() || fraction.contains('.') || (number.contains('.') && fraction.is_empty()) {
            return Err(ParseError::NoNumber { text: text.to_owned(), example: self.example });
        }
        let too_large = || ParseError::TooLarge { text: text.to_owned() };
        let whole: u64 = whole.parse().map_err(|_| too_large())?;
        if unit.is_empty() {
            if whole == 0 && fraction.bytes().all(|b| b == b'0') {
                return Ok(0); // nothing is nothing in any unit
            }
            return Err(ParseError::NoUnit { text: text.to_owned(), example: self.example });
        }
        let &(_, scale) = self
            .units
            .iter()
            .chain(self.also)
            .find(|(name, _)| *name == unit)
            .ok_or_else(|| self.unknown(text, unit))?;
        let mut value = u128::from(whole) * u128::from(scale);
        let mut step = u128::from(scale);
        for digit in fraction.bytes().map(|b| u128::from(b - b'0')) {
            let finer = step % 10 != 0 || step == 0;
            if digit != 0 && finer {
                return Err(ParseError::TooFine { text: text.to_owned(), smallest: self.smallest });
            }
            step = if finer { 0 } else { step / 10 };
            value += digit * step;
        }
        u64::try_from(value).map_err(|_| too_large())
    }

    fn unknown(&self, text: &str, unit: &str) -> ParseError {
        let units: Vec<_> = self.units.iter().rev().map(|(name, _)| *name).collect();
        let (text, unit) = (text.to_owned(), unit.to_owned());
        ParseError::UnknownUnit { text, unit, units: units.join(", "), example: self.example }
    }

    /// Writes in the largest unit that is not above the value, with all its digits: what is written reads back.
    pub(crate) fn write(&self, value: u64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let smallest = self.units.last().expect("a quantity has units");
        let &(name, scale) = self.units.iter().find(|(_, scale)| value >= *scale).unwrap_or(smallest);
        let (whole, mut rest, mut step) = (value / scale, value % scale, scale);
        let mut text = whole.to_string();
        if rest > 0 {
            text.push('.');
        }
        while rest > 0 {
            step /= 10;
            text.push(char::from(b'0' + u8::try_from(rest / step).expect("a decimal digit")));
            rest %= step;
        }
        f.pad(&format!("{text} {name}"))
    }
}
