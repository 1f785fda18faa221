//! Opera's flow files: `src dst bytes start_ns` on each line, hosts from 0, no header.

use super::decimal::{self, Finer};
use super::lines::Lines;
use super::{LineProblem, ReadError};
use crate::trace::{Trace, TraceFlow, TraceStart};
use std::io::BufRead;
use units::Bytes;

pub(super) fn parse(text: impl BufRead, file: &str) -> Result<Trace, ReadError> {
    let mut trace = Trace { file: file.to_owned(), ..Trace::default() };
    let mut lines = Lines::new(text, file);
    while let Some(line) = lines.next()? {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let flow = flow(line, trace.flows.len() as u64).map_err(|problem| lines.wrong(problem))?;
        trace.flows.push(TraceFlow { line: lines.number, ..flow });
    }
    Ok(trace)
}

fn flow(line: &str, id: u64) -> Result<TraceFlow, LineProblem> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [src, dst, bytes, start] = fields[..] else {
        let expected = "`src dst bytes start_ns`";
        return Err(LineProblem::Fields { expected, found: fields.len(), text: line.to_owned() });
    };
    Ok(TraceFlow {
        id,
        src: decimal::host(src, "src")?,
        dst: decimal::host(dst, "dst")?,
        bytes: Bytes::new(decimal::whole(bytes, "bytes", "a whole number of bytes")?),
        start: TraceStart::At(decimal::time(start, "start_ns", 3, Finer::Round)?),
        line: 0,
    })
}
