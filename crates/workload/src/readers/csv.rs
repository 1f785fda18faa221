//! Comma-separated flows: ours, and Shoal's.

use super::decimal::Finer;
use super::table::{Columns, Table};
use super::{Format, LineProblem, ReadError, shoal};
use crate::trace::Trace;
use ::csv::{ErrorKind, ReaderBuilder, StringRecord, Trim};
use std::io::Read;

/// Records with the lines they begin in.
pub(super) struct Records<'a, R> {
    reader: ::csv::Reader<R>,
    file: &'a str,
    pub record: StringRecord,
}

impl<'a, R: Read> Records<'a, R> {
    pub fn new(text: R, file: &'a str) -> Records<'a, R> {
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .trim(Trim::All)
            .comment(Some(b'#'))
            .from_reader(text);
        Records { reader, file, record: StringRecord::new() }
    }

    /// Reads the next record; its line, or none at the end.
    pub fn next(&mut self) -> Result<Option<u64>, ReadError> {
        match self.reader.read_record(&mut self.record) {
            Ok(false) => Ok(None),
            Ok(true) => Ok(Some(self.record.position().map_or(0, ::csv::Position::line))),
            Err(error) => {
                let line = error.position().map_or(0, ::csv::Position::line);
                let problem = if matches!(error.kind(), ErrorKind::Utf8 { .. }) {
                    LineProblem::NotText
                } else {
                    LineProblem::Unreadable(error.to_string())
                };
                Err(ReadError::at(self.file, line, problem))
            }
        }
    }

    /// The record as it might have been written.
    pub fn text(&self) -> String {
        self.record.iter().collect::<Vec<_>>().join(",")
    }

    /// That the record has so many fields.
    pub fn expect(&self, line: u64, fields: usize, expected: &'static str) -> Result<(), ReadError> {
        if self.record.len() == fields {
            return Ok(());
        }
        let problem = LineProblem::Fields { expected, found: self.record.len(), text: self.text() };
        Err(ReadError::at(self.file, line, problem))
    }
}

pub(super) fn parse(text: impl Read, file: &str, format: Format) -> Result<Trace, ReadError> {
    let mut records = Records::new(text, file);
    let Some(line) = records.next()? else {
        return Err(ReadError::whole(file, LineProblem::NoFlows));
    };
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
