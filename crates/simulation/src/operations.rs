//! Operations in progress, and what is known of those that have ended.

use results::OperationRow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use units::{Bytes, Span, Time};
use workload::Operation;

/// The operations of a run.
#[derive(Default)]
pub(crate) struct Operations {
    open: BTreeMap<u64, Open>,
    /// Of those that started in the window: how many, how many of them ended, and the sum and the longest of their durations in ps.
    pub started: u64,
    pub completed: u64,
    pub sum: f64,
    pub longest: Option<u64>,
}

/// An operation that has started and not ended.
pub(crate) struct Open {
    group: Arc<str>,
    round: u32,
    what: Operation,
    start: Time,
    measured: bool,
    /// Bytes of its flows that have started.
    sent: u64,
    ended: u64,
}

impl Operations {
    /// The first flow of an operation starts.
    pub(crate) fn start(
        &mut self,
        number: u64,
        now: Time,
        measured: bool,
        group: Arc<str>,
        round: u32,
        what: Operation,
    ) {
        self.started += u64::from(measured);
        self.open.insert(number, Open { group, round, what, start: now, measured, sent: 0, ended: 0 });
    }

    /// Whether it has started and not ended.
    pub(crate) fn is_open(&self, number: u64) -> bool {
        self.open.contains_key(&number)
    }

    /// One of its flows starts.
    pub(crate) fn start_flow(&mut self, number: u64, bytes: Bytes) {
        if let Some(open) = self.open.get_mut(&number) {
            // More than can be counted is more than can be carried: then the operation never ends.
            open.sent = open.sent.saturating_add(bytes.get());
        }
    }

    /// One of its flows has ended. The row of the operation, if that was the last.
    pub(crate) fn end_flow(&mut self, number: u64, now: Time) -> Option<OperationRow> {
        let open = self.open.get_mut(&number)?;
        open.ended += 1;
        if open.ended < open.what.flows {
            return None;
        }
        let open = self.open.remove(&number)?;
        if open.measured {
            let duration = now.since(open.start).as_ps();
            self.completed += 1;
            self.sum += duration as f64;
            self.longest = self.longest.max(Some(duration));
        }
        Some(open.row(number, Some(now)))
    }

    /// Rows of those that have not ended.
    pub(crate) fn take_open(&mut self) -> impl Iterator<Item = OperationRow> {
        std::mem::take(&mut self.open).into_iter().map(|(number, open)| open.row(number, None))
    }

    /// Those that have not ended, in words.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Open> {
        self.open.values()
    }
}

impl Open {
    fn row(self, operation: u64, end: Option<Time>) -> OperationRow {
        let Operation { kind, ranks, flows, bytes } = self.what;
        let bytes = bytes.unwrap_or_else(|| kind.size(ranks, self.sent));
        let duration = end.map(|end| end.since(self.start));
        let algorithm = duration.filter(|span| *span > Span::ZERO).map(|span| bytes as f64 * 8.0 / span.as_secs_f64());
        OperationRow {
            operation,
            group: self.group,
            kind: kind.name().into(),
            round: self.round,
            ranks,
            flows,
            bytes,
            start_ps: self.start.as_ps(),
            end_ps: end.map(Time::as_ps),
            duration_ps: duration.map(Span::as_ps),
            measured: self.measured,
            algorithm_bandwidth_bps: algorithm,
            bus_bandwidth_bps: algorithm.zip(kind.bus_factor(ranks)).map(|(algorithm, factor)| algorithm * factor),
        }
    }
}

impl fmt::Display for Open {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Open { group, round, what, ended, start, .. } = self;
        let kind = what.kind.name();
        write!(
            f,
            "{group}: {kind}, round {round}, which began at {start}, waits: {ended} of {} flows ended",
            what.flows
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::bounds;
    use workload::OperationKind;

    #[test]
    fn more_than_can_be_counted_is_more_than_can_be_carried() {
        let mut operations = Operations::default();
        let what = Operation { kind: OperationKind::Trace, ranks: 200, flows: 39_800, bytes: None };
        operations.start(0, Time::ZERO, true, "it".into(), 0, what);
        (0..39_800).for_each(|_| operations.start_flow(0, bounds::MESSAGE));
        let row = operations.take_open().next().expect("it has not ended");
        assert!(Bytes::new(row.bytes) > bounds::CARRIED, "{}", row.bytes);
    }
}
