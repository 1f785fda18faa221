//! Our own format, whatever it is stored in: rows with named columns.

use super::decimal::{self, Finer};
use super::{COLUMNS, LineProblem, ReadError};
use crate::trace::{Gate, Trace, TraceFlow, TraceStart};
use std::collections::BTreeMap;
use units::{Bytes, Span, Time};

/// Where each column stands.
pub(super) struct Columns {
    id: Option<usize>,
    src: usize,
    dst: usize,
    bytes: usize,
    start: Start,
    after: Option<usize>,
}

enum Start {
    Seconds(usize),
    Picoseconds(usize),
}

impl Columns {
    /// From the names in a header.
    pub(super) fn find<'a>(names: impl Iterator<Item = &'a str>) -> Result<Columns, LineProblem> {
        let mut at = BTreeMap::new();
        for (index, name) in names.enumerate() {
            let Some(column) = COLUMNS.into_iter().find(|column| *column == name) else {
                let nearest = settings::nearest(name, COLUMNS);
                return Err(LineProblem::UnknownColumn { column: name.to_owned(), nearest });
            };
            if at.insert(column, index).is_some() {
                return Err(LineProblem::TwoColumns { column });
            }
        }
        let needed = |name: &str, column| at.get(name).copied().ok_or(LineProblem::MissingColumn { column });
        let start = match (at.get("start"), at.get("start_ps")) {
            (Some(_), Some(_)) => return Err(LineProblem::TwoStarts),
            (Some(at), None) => Start::Seconds(*at),
            (None, Some(at)) => Start::Picoseconds(*at),
            (None, None) => return Err(LineProblem::MissingColumn { column: "`start` or `start_ps`" }),
        };
        let (id, after) = (at.get("id").copied(), at.get("after").copied());
        if after.is_some() && id.is_none() {
            return Err(LineProblem::AfterWithoutId);
        }
        Ok(Columns {
            id,
            src: needed("src", "`src`")?,
            dst: needed("dst", "`dst`")?,
            bytes: needed("bytes", "`bytes`")?,
            start,
            after,
        })
    }
}

/// Rows becoming a trace.
pub(super) struct Table {
    columns: Columns,
    finer: Finer,
    trace: Trace,
    /// Index and line of each flow, by its id.
    ids: BTreeMap<u64, (u32, u64)>,
    /// Flows with the ids that they wait for.
    afters: Vec<(usize, Vec<u64>)>,
}

impl Table {
    pub(super) fn new(file: &str, columns: Columns, finer: Finer) -> Table {
        let trace = Trace { file: file.to_owned(), ..Trace::default() };
        Table { columns, finer, trace, ids: BTreeMap::new(), afters: Vec::new() }
    }

    /// One row, its fields as text.
    pub(super) fn row<'a>(&mut self, line: u64, field: impl Fn(usize) -> &'a str) -> Result<(), LineProblem> {
        let index = self.trace.flows.len();
        let id = match self.columns.id {
            Some(at) => decimal::whole(field(at), "id", "a whole number")?,
            None => index as u64,
        };
        if self.columns.id.is_some()
            && let Some((_, before)) = self.ids.insert(id, (index as u32, line))
        {
            return Err(LineProblem::SameId { id, before });
        }
        let (src, dst) =
            (decimal::host(field(self.columns.src), "src")?, decimal::host(field(self.columns.dst), "dst")?);
        let bytes = bytes(field(self.columns.bytes))?;
        let time = match self.columns.start {
            Start::Seconds(at) => seconds(field(at), self.finer)?,
            Start::Picoseconds(at) => decimal::time(field(at), "start_ps", 0, self.finer)?,
        };
        let after = self.columns.after.map_or("", field);
        let ids: Result<Vec<u64>, _> =
            after.split_whitespace().map(|id| decimal::whole(id, "after", "the id of a flow")).collect();
        let ids = ids?;
        let start = if ids.is_empty() {
            TraceStart::At(time)
        } else {
            let (gate, passings) = (self.afters.len() as u32, ids.len() as u32);
            self.afters.push((index, ids));
            TraceStart::After { gate, passings, delay: time.since(Time::ZERO) }
        };
        self.trace.flows.push(TraceFlow { id, src, dst, bytes, start, line });
        Ok(())
    }

    /// All rows have been read.
    pub(super) fn finish(mut self) -> Result<Trace, ReadError> {
        for (index, ids) in std::mem::take(&mut self.afters) {
            let mut gate = Gate::default();
            for after in ids {
                let TraceFlow { id, line, .. } = self.trace.flows[index];
                let Some((flow, _)) = self.ids.get(&after) else {
                    return Err(ReadError::at(&self.trace.file, line, LineProblem::NoSuchAfter { id, after }));
                };
                gate.passed_by.push(*flow);
            }
            self.trace.gates.push(gate);
        }
        Ok(self.trace)
    }
}

/// `1500`, `4 KB` or `endless`.
fn bytes(text: &str) -> Result<Bytes, LineProblem> {
    const EXPECTED: &str = "a number of bytes, such as 1500, 4 KB or endless";
    if text == "endless" {
        return Ok(Bytes::MAX);
    }
    if text.ends_with('B') {
        let wrong = || LineProblem::NotANumber { field: "bytes", expected: EXPECTED, text: text.to_owned() };
        return text.parse().map_err(|_| wrong());
    }
    decimal::whole(text, "bytes", EXPECTED).map(Bytes::new)
}

/// `0.00001` or `10 us`.
fn seconds(text: &str, finer: Finer) -> Result<Time, LineProblem> {
    // Every unit of time ends with this letter, and no number does.
    if text.ends_with('s') {
        let expected = "a time, such as 0.000125 (seconds) or 125 us";
        let wrong = || LineProblem::NotANumber { field: "start", expected, text: text.to_owned() };
        return text.parse::<Span>().map(|span| Time::ZERO + span).map_err(|_| wrong());
    }
    decimal::time(text, "start", 12, finer)
}
