//! Lines of a comma-separated text with their numbers, and where something is wrong in one.

use csv::{ReaderBuilder, StringRecord, Trim};
use std::fmt;

/// What is wrong with a file, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadError<P> {
    file: String,
    /// From 1; 0 if it is about the whole file.
    line: u64,
    /// From 1; 0 if it is about the whole line.
    column: usize,
    problem: P,
}

impl<P: fmt::Debug + fmt::Display> std::error::Error for ReadError<P> {}

impl<P: fmt::Display> fmt::Display for ReadError<P> {
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

/// One line of the file.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    /// From 1.
    pub line: u64,
    pub fields: Vec<String>,
}

/// Lines, one after another, without comments and blank ones.
pub(crate) struct Records<'a> {
    file: &'a str,
    reader: csv::Reader<&'a [u8]>,
}

impl<'a> Records<'a> {
    pub(crate) fn new(text: &'a str, file: &'a str) -> Records<'a> {
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

    pub(crate) fn next(&mut self) -> Option<Record> {
        let mut record = StringRecord::new();
        loop {
            let more = self.reader.read_record(&mut record);
            if !more.expect("it is text in memory, and lines may differ in length") {
                return None;
            }
            // A line of blanks is one empty field.
            if record.iter().any(|field| !field.is_empty()) {
                let line = record.position().map_or(0, csv::Position::line);
                return Some(Record { line, fields: record.iter().map(str::to_owned).collect() });
            }
        }
    }

    /// What is wrong at a place; line and column count from 1, and are 0 where it is about the whole.
    pub(crate) fn at<P>(&self, line: u64, column: usize, problem: P) -> ReadError<P> {
        ReadError { file: self.file.to_owned(), line, column, problem }
    }
}
