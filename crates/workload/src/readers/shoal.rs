//! Shoal's flow files: `flow-id,src,dst,bytes,start_s`, hosts from 0, starts in seconds.

use super::csv::Records;
use super::decimal::{self, Finer};
use super::{LineProblem, ReadError};
use crate::trace::{Trace, TraceFlow, TraceStart};
use std::io::BufRead;
use units::Bytes;

const HEADER: [&str; 5] = ["flow-id", "src", "dst", "bytes", "start-s"];

/// Whether the first record is Shoal's, but for case and the kind of dash.
pub(super) fn is_header(record: &::csv::StringRecord) -> bool {
    let plain = |name: &str| name.to_lowercase().replace('_', "-");
    record.len() == HEADER.len() && record.iter().zip(HEADER).all(|(found, name)| plain(found) == name)
}

/// The records after the header, which has been read from `line`.
pub(super) fn parse(mut records: Records<'_, impl BufRead>, file: &str, line: u64) -> Result<Trace, ReadError> {
    if !is_header(&records.record) {
        return Err(ReadError::at(file, line, LineProblem::ShoalHeader { text: records.text() }));
    }
    let mut trace = Trace { file: file.to_owned(), ..Trace::default() };
    while let Some(line) = records.next()? {
        records.expect(line, HEADER.len(), "`flow-id,src,dst,bytes,start_s`")?;
        let flow = flow(&records.record).map_err(|problem| ReadError::at(file, line, problem))?;
        trace.flows.push(TraceFlow { line, ..flow });
    }
    Ok(trace)
}

fn flow(record: &::csv::StringRecord) -> Result<TraceFlow, LineProblem> {
    Ok(TraceFlow {
        id: decimal::whole(&record[0], "flow-id", "a whole number")?,
        src: decimal::host(&record[1], "src")?,
        dst: decimal::host(&record[2], "dst")?,
        bytes: Bytes::new(decimal::whole(&record[3], "bytes", "a whole number of bytes")?),
        start: TraceStart::At(decimal::time(&record[4], "start_s", 12, Finer::Round)?),
        line: 0,
    })
}
