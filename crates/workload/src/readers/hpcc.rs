//! The flow file of HPCC's ns-3: the number of flows, then `src dst 3 dport bytes start` on each line, the start in seconds.
//! Some forks leave the priority group (3) and the port out.

use super::decimal::{self, Finer};
use super::lines::Lines;
use super::{LineProblem, ReadError};
use crate::prose::count;
use crate::trace::{Trace, TraceFlow, TraceStart};
use std::io::BufRead;
use units::Bytes;

pub(super) fn parse(text: impl BufRead, file: &str) -> Result<Trace, ReadError> {
    let mut trace = Trace { file: file.to_owned(), ..Trace::default() };
    let mut lines = Lines::new(text, file);
    let mut announced = None;
    let mut unread = 0_u64;
    while let Some(line) = lines.next()? {
        if line.is_empty() {
            continue;
        }
        let flows = trace.flows.len() as u64;
        match announced {
            None => {
                let number = decimal::whole(line, "number of flows", "the number of flows, alone in the first line");
                announced = Some(number.map_err(|problem| lines.wrong(problem))?);
            }
            // HPCC reads as many lines as the first announces; its example keeps more, and notes, behind them.
            Some(announced) if flows == announced => unread += 1,
            Some(_) => {
                let flow = flow(line, flows).map_err(|problem| lines.wrong(problem))?;
                trace.flows.push(TraceFlow { line: lines.number, ..flow });
            }
        }
    }
    let (announced, found) = (announced.unwrap_or_default(), trace.flows.len() as u64);
    if found < announced {
        let problem = LineProblem::Count { says: "line 1", announced: count(announced, "flow"), found };
        return Err(ReadError::whole(file, problem));
    }
    if unread > 0 {
        trace.warnings.push(format!(
            "{file}: line 1 announces {}, so the {} behind them {} not read",
            count(announced, "flow"),
            count(unread, "line"),
            if unread == 1 { "is" } else { "are" }
        ));
    }
    Ok(trace)
}

fn flow(line: &str, id: u64) -> Result<TraceFlow, LineProblem> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let (src, dst, bytes, start) = match fields[..] {
        [src, dst, group, port, bytes, start] => {
            decimal::whole(group, "priority group", "a whole number")?;
            decimal::whole(port, "dport", "a port, a whole number")?;
            (src, dst, bytes, start)
        }
        [src, dst, bytes, start] => (src, dst, bytes, start),
        _ => {
            let expected = "`src dst 3 dport bytes start` or `src dst bytes start`";
            return Err(LineProblem::Fields { expected, found: fields.len(), text: line.to_owned() });
        }
    };
    Ok(TraceFlow {
        id,
        src: decimal::host(src, "src")?,
        dst: decimal::host(dst, "dst")?,
        bytes: Bytes::new(decimal::whole(bytes, "bytes", "a whole number of bytes")?),
        start: TraceStart::At(decimal::time(start, "start", 12, Finer::Round)?),
        line: 0,
    })
}
