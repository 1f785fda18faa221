//! Comma-separated flows: ours, and Shoal's.

use super::decimal::Finer;
use super::lines::Lines;
use super::table::{Columns, Table};
use super::{Format, LineProblem, ReadError, shoal};
use crate::trace::Trace;
use ::csv::{ReaderBuilder, StringRecord, Trim};
use std::io::BufRead;

/// Records with their lines: one a line, since no field of a flow has a line break in it.
pub(super) struct Records<'a, R> {
    lines: Lines<'a, R>,
    file: &'a str,
    pub record: StringRecord,
}

impl<'a, R: BufRead> Records<'a, R> {
    pub(super) fn new(text: R, file: &'a str) -> Records<'a, R> {
        Records { lines: Lines::new(text, file), file, record: StringRecord::new() }
    }

    /// Reads the next record; its line, or none at the end. Passes over blank lines and those that begin with `#`.
    pub(super) fn next(&mut self) -> Result<Option<u64>, ReadError> {
        self.record.clear();
        loop {
            let Some(line) = self.lines.next()? else { return Ok(None) };
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if line.contains('"') {
                let mut reader = ReaderBuilder::new().has_headers(false).trim(Trim::All).from_reader(line.as_bytes());
                let read = reader.read_record(&mut self.record);
                read.map_err(|error| self.lines.wrong(LineProblem::Unreadable(error.to_string())))?;
            } else {
                line.split(',').for_each(|field| self.record.push_field(field.trim()));
            }
            return Ok(Some(self.lines.number));
        }
    }

    /// That fields are apart by commas: a header that is one field with other signs in it was written by a program with other habits.
    pub(super) fn check_separator(&self, line: u64) -> Result<(), ReadError> {
        let header = self.record.get(0).filter(|_| self.record.len() == 1).unwrap_or_default();
        for (sign, separator) in [(';', "semicolons"), ('\t', "tabs"), ('|', "bars")] {
            if header.contains(sign) {
                return Err(ReadError::at(self.file, line, LineProblem::Separator { separator }));
            }
        }
        Ok(())
    }

    /// The record as it might have been written.
    pub(super) fn text(&self) -> String {
        self.record.iter().collect::<Vec<_>>().join(",")
    }

    /// That the record has so many fields.
    pub(super) fn expect(&self, line: u64, fields: usize, expected: &'static str) -> Result<(), ReadError> {
        if self.record.len() == fields {
            return Ok(());
        }
        let problem = LineProblem::Fields { expected, found: self.record.len(), text: self.text() };
        Err(ReadError::at(self.file, line, problem))
    }
}

pub(super) fn parse(text: impl BufRead, file: &str, format: Format) -> Result<Trace, ReadError> {
    let mut records = Records::new(text, file);
    let Some(line) = records.next()? else {
        return Err(ReadError::whole(file, LineProblem::NoFlows));
    };
    records.check_separator(line)?;
    if format == Format::Shoal || shoal::is_header(&records.record) {
        return shoal::parse(records, file, line);
    }
    let columns = Columns::find(records.record.iter()).map_err(|problem| ReadError::at(file, line, problem))?;
    let width = records.record.len();
    let mut table = Table::new(file, columns, Finer::Refuse);
    while let Some(line) = records.next()? {
        records.expect(line, width, "as many fields as the header has")?;
        table.row(line, |at| &records.record[at]).map_err(|problem| ReadError::at(file, line, problem))?;
    }
    table.finish()
}
