//! Cumulative distributions from files: two columns, a size in bytes and the share of flows that are no larger, as a
//! fraction or in percent.

use super::cdf::{self, Cdf, CdfError, Interpolation};
use crate::readers::read_text;
use std::fmt;
use std::path::Path;

/// What a file counts sizes in, and where the probabilities are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CdfUnit {
    /// Two columns: bytes, fraction or percent. HPCC, TrafficGenerator, Homa, Opera.
    Bytes,
    /// Three columns, as in NetSys/simulator's `CDF_*.txt`: packets of this many bytes, a column that is not used, fraction
    /// or percent.
    Packets(u64),
}

impl CdfUnit {
    /// NetSys/simulator counts packets of 1460 B.
    pub const NETSYS: CdfUnit = CdfUnit::Packets(cdf::PACKET.get());
}

/// A file that is not a cumulative distribution, where, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct CdfFileError {
    /// The file, as it was named.
    pub file: String,
    /// Its line, from 1.
    pub line: Option<u64>,
    /// What is wrong there.
    pub problem: CdfProblem,
}

impl fmt::Display for CdfFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}, line {line}: {}", self.file, self.problem),
            None => write!(f, "{}: {}", self.file, self.problem),
        }
    }
}
impl std::error::Error for CdfFileError {}

/// What is wrong with a line of a file of points, or with all of them.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CdfProblem {
    /// It cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// Too few or too many columns.
    #[error("expected {expected}, found {found} columns: `{text}`")]
    Columns {
        /// What a line has.
        expected: &'static str,
        /// What this one has.
        found: usize,
        /// The line.
        text: String,
    },
    /// A word where a number belongs.
    #[error("`{text}` is not {expected}")]
    NotANumber {
        /// What belongs there.
        expected: &'static str,
        /// What stands there.
        text: String,
    },
    /// The points do not rise to 1 or 100.
    #[error(transparent)]
    Points(#[from] CdfError),
}

/// Reads a file of points. See [`parse_cdf`].
///
/// # Errors
/// A file that cannot be read, or is not a cumulative distribution.
pub fn read_cdf(path: &Path, unit: CdfUnit, interpolation: Interpolation) -> Result<Cdf, CdfFileError> {
    let file = path.display().to_string();
    let text = read_text(path).map_err(|error| CdfFileError {
        file: file.clone(),
        line: None,
        problem: CdfProblem::Unreadable(error.to_string()),
    })?;
    parse_cdf(&text, &file, unit, interpolation)
}

/// Points from the text of a file called `file`: columns apart by blanks or commas; blank lines, lines that begin with
/// `#`, one line of column names and one line with a single number (Homa's files begin with their mean) are passed over.
/// Probabilities are percent if the last is 100.
///
/// # Errors
/// The first line that is not a point, or the first point that falls below the one before, by its number.
pub fn parse_cdf(text: &str, file: &str, unit: CdfUnit, interpolation: Interpolation) -> Result<Cdf, CdfFileError> {
    let fail = |line: Option<u64>, problem: CdfProblem| CdfFileError { file: file.to_owned(), line, problem };
    let mut points = Vec::new();
    let mut lines = Vec::new();
    let mut first = true;
    for (number, line) in (1..).zip(text.lines()) {
        let words: Vec<&str> =
            line.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty()).collect();
        if words.is_empty() || words[0].starts_with('#') {
            continue;
        }
        let heading = words.iter().all(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()));
        let stated_mean = words.len() == 1 && words[0].parse::<f64>().is_ok();
        if std::mem::take(&mut first) && (heading || stated_mean) {
            continue;
        }
        points.push(point(&words, line, unit).map_err(|problem| fail(Some(number), problem))?);
        lines.push(number);
    }
    let percent = points.last().is_some_and(|(_, last)| *last == 100.0);
    let total = if percent { 100.0 } else { 1.0 };
    cdf::check(&points, total).map_err(|error| {
        let line = error.point().map(|point| lines[point - 1]);
        fail(line, error.into())
    })?;
    let points = points.into_iter().map(|(bytes, value)| (bytes, value / total)).collect();
    Cdf::new(file, points, interpolation).map_err(|error| fail(None, error.into()))
}

fn point(words: &[&str], line: &str, unit: CdfUnit) -> Result<(u64, f64), CdfProblem> {
    let (expected, packet, at) = match unit {
        CdfUnit::Bytes => ("two columns (a size in bytes; the fraction or percentage of flows no larger)", 1, 1),
        CdfUnit::Packets(bytes) => {
            ("three columns (a size in packets; one not used; the fraction or percentage of flows no larger)", bytes, 2)
        }
    };
    if words.len() != at + 1 {
        return Err(CdfProblem::Columns { expected, found: words.len(), text: line.trim().to_owned() });
    }
    let not = |expected, word: &str| CdfProblem::NotANumber { expected, text: word.to_owned() };
    let size = words[0].parse::<u64>().ok().and_then(|size| size.checked_mul(packet));
    let size = size.ok_or_else(|| not("a whole number of bytes or packets", words[0]))?;
    let value = words[at].parse::<f64>().ok().filter(|value| value.is_finite());
    Ok((size, value.ok_or_else(|| not("a cumulative probability", words[at]))?))
}
