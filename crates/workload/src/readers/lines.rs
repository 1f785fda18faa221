//! Lines of text with their numbers.

use super::input::LONGEST_LINE;
use super::{LineProblem, ReadError};
use engine::Looks;
use std::io::{BufRead, ErrorKind, Read};

/// Lines of a file, one at a time.
pub(super) struct Lines<'a, R> {
    text: R,
    pub file: &'a str,
    /// Number of the line that was read last, from 1.
    pub number: u64,
    line: String,
    looks: Looks,
}

impl<'a, R: BufRead> Lines<'a, R> {
    pub(super) fn new(text: R, file: &'a str) -> Lines<'a, R> {
        Lines { text, file, number: 0, line: String::new(), looks: Looks::default() }
    }

    /// The next line, without its end.
    pub(super) fn next(&mut self) -> Result<Option<&str>, ReadError> {
        self.looks.step();
        self.line.clear();
        self.number += 1;
        match self.text.by_ref().take(LONGEST_LINE).read_line(&mut self.line) {
            Ok(0) => Ok(None),
            Ok(_) if self.line.contains('\0') => Err(self.wrong(LineProblem::NotText)),
            Ok(length) if length as u64 == LONGEST_LINE => Err(self.wrong(LineProblem::LongLine)),
            // Spreadsheets begin their files with a byte-order mark.
            Ok(_) if self.number == 1 => Ok(Some(self.line.trim_start_matches('\u{feff}').trim())),
            Ok(_) => Ok(Some(self.line.trim())),
            Err(error) if error.kind() == ErrorKind::InvalidData => Err(self.wrong(LineProblem::NotText)),
            Err(error) => Err(self.wrong(LineProblem::Unreadable(error.to_string()))),
        }
    }

    /// The line that was read last is wrong.
    pub(super) fn wrong(&self, problem: LineProblem) -> ReadError {
        ReadError::at(self.file, self.number, problem)
    }
}
