//! Lines of a comma-separated file with their numbers, and what can be wrong with one.

use crate::demand::DemandError;
use csv::{ReaderBuilder, StringRecord, Trim};
use std::fmt;

/// Why a file gives no demand.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadError {
    file: String,
    /// From 1; 0 if it is about the whole file.
    line: u64,
    /// From 1; 0 if it is about the whole line.
    column: usize,
    problem: Problem,
}

impl std::error::Error for ReadError {}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file)?;
        if self.line > 0 {
            write!(f, "line {}", self.line)?;
            if self.column > 0 {
                write!(f, ", column {}", self.column)?;
            }
            write!(f, ": ")?;
        }
        self.problem.fmt(f)
    }
}

impl ReadError {
    pub(crate) fn new(file: &str, line: u64, column: usize, problem: Problem) -> ReadError {
        ReadError { file: file.to_owned(), line, column, problem }
    }
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Problem {
    /// Nothing to read.
    #[error(
        "there is nothing in it; write a square matrix of bytes, or a list that begins with `source,destination,bytes`"
    )]
    Empty,
    /// A list with other columns.
    #[error("a list of demands begins with `source,destination,bytes`, this file with `{given}`")]
    Header {
        /// The first line.
        given: String,
    },
    /// Not comma-separated.
    #[error("it cannot be read as comma-separated text: {0}")]
    Unreadable(String),
    /// No number, or less than nothing.
    #[error("`{text}` is no number of bytes; write 0 or more, such as 1500 or 1.5e6")]
    Bytes {
        /// What stands there.
        text: String,
    },
    /// More or fewer fields than expected.
    #[error("expected {expected}; here are {given}")]
    Fields {
        /// How many there are.
        given: usize,
        /// How many should be, and why.
        expected: String,
    },
    /// More or fewer rows than columns.
    #[error(
        "{rows} rows for {columns} columns; a demand matrix is square: a row and a column for each SoC, in the same order"
    )]
    Square {
        /// Lines after the names.
        rows: usize,
        /// Fields in each.
        columns: usize,
    },
    /// A row that should be another's.
    #[error("this row is `{given}`, the column of this place is `{expected}`; give rows in the order of columns")]
    Order {
        /// What the row is called.
        given: String,
        /// What it should be.
        expected: String,
    },
    /// A SoC without a name.
    #[error("a SoC without a name; write one, or leave all names out")]
    NoName,
    /// Two SoCs of one name.
    #[error("`{name}` is there twice; give each SoC a name of its own")]
    Twice {
        /// The name.
        name: String,
    },
    /// Not of this rack.
    #[error("the rack has no SoC `{name}`; {cure}")]
    Unknown {
        /// The name.
        name: String,
        /// What was probably meant.
        cure: String,
    },
    /// A matrix that leaves SoCs of the rack out.
    #[error("the matrix has {given} SoCs, the rack {expected}")]
    Size {
        /// SoCs of the matrix.
        given: usize,
        /// SoCs of the rack.
        expected: usize,
    },
    /// A SoC that sends to itself.
    #[error("`{name}` sends {bytes} B to itself; write 0")]
    ToItself {
        /// Which.
        name: String,
        /// What stands there.
        bytes: f64,
    },
    /// From outside to outside.
    #[error("from `uplink` to `uplink` is no traffic of the rack; leave it out, or write 0")]
    OutsideToOutside,
    /// What a matrix cannot hold.
    #[error(transparent)]
    Demand(DemandError),
}

/// One line of the file.
#[derive(Debug, Clone)]
pub(super) struct Record {
    /// From 1.
    pub line: u64,
    pub fields: Vec<String>,
}

/// Lines, one after another, without comments and blank ones.
pub(super) struct Records<'a> {
    file: &'a str,
    reader: csv::Reader<&'a [u8]>,
}

impl<'a> Records<'a> {
    pub fn new(text: &'a str, file: &'a str) -> Records<'a> {
        // Spreadsheets begin a file with a mark for the order of bytes.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .trim(Trim::All)
            .comment(Some(b'#'))
            .from_reader(text.as_bytes());
        Records { file, reader }
    }

    pub fn next(&mut self) -> Result<Option<Record>, ReadError> {
        let mut record = StringRecord::new();
        loop {
            let more = self.reader.read_record(&mut record);
            let more = more.map_err(|why| self.at(0, 0, Problem::Unreadable(why.to_string())))?;
            if !more {
                return Ok(None);
            }
            let line = record.position().map_or(0, csv::Position::line);
            // A line of blanks is one empty field.
            if record.iter().any(|field| !field.is_empty()) {
                return Ok(Some(Record { line, fields: record.iter().map(str::to_owned).collect() }));
            }
        }
    }

    /// What is wrong at a place; the column counts from 1.
    pub fn at(&self, line: u64, column: usize, problem: Problem) -> ReadError {
        ReadError::new(self.file, line, column, problem)
    }
}

/// Bytes as written: whole or decimal.
pub(super) fn bytes(text: &str) -> Result<f64, Problem> {
    let number = text.replace('_', "").parse::<f64>().ok().filter(|bytes| bytes.is_finite() && *bytes >= 0.0);
    number.ok_or_else(|| Problem::Bytes { text: text.to_owned() })
}
