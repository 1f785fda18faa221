//! Flows from a list.

use crate::operation::{Operation, OperationKind};
use crate::source::{Due, Source, Start, Wait};
use crate::trace::{Passes, Trace, TraceFlow, TraceStart, Waiters};
use engine::looking;
use std::collections::BTreeMap;
use std::sync::Arc;
use units::{Bytes, Span, Time};

/// The flows of a trace: those with times one after the other, those that wait when they may.
pub(crate) struct TraceSource {
    trace: Arc<Trace>,
    /// From times in the trace to times in the run.
    shift: Shift,
    /// Flows with a time, by time and place in the file, and how many of them have started.
    timed: Vec<u32>,
    next: usize,
    passes: Passes,
    waiters: Waiters,
    /// Flows whose wait is over.
    due: Due,
    /// Hosts that take part, if the trace is an operation: some of its flows wait for others, and all end.
    ranks: Option<u32>,
}

/// `time - from + to`.
struct Shift {
    from: Time,
    to: Time,
}

impl Shift {
    fn apply(&self, time: Time) -> Time {
        self.to + time.since(self.from)
    }
}

/// Hosts of a trace that is an operation.
fn ranks(trace: &Trace) -> Option<u32> {
    let all_end = trace.flows.iter().all(|flow| flow.bytes != Bytes::MAX);
    let mut hosts: Vec<u32> = trace.flows.iter().flat_map(|flow| [flow.src, flow.dst]).collect();
    hosts.sort_unstable();
    hosts.dedup();
    (all_end && trace.flows.iter().any(TraceFlow::waits)).then_some(hosts.len() as u32)
}

impl TraceSource {
    /// A trace that was checked, its times counted from `start`; moved so that its earliest time is `start` if `rebase`.
    pub(crate) fn new(trace: Arc<Trace>, rebase: bool, start: Time) -> TraceSource {
        let time = |index: u32| match trace.flows[index as usize].start {
            TraceStart::At(time) => Some(time),
            TraceStart::After { .. } => None,
        };
        let mut timed: Vec<u32> =
            looking((0..).take(trace.flows.len())).filter(|index| time(*index).is_some()).collect();
        timed.sort_by_key(|index| time(*index));
        let first = timed.first().and_then(|index| time(*index)).unwrap_or_default();
        let shift = Shift { from: if rebase { first } else { Time::ZERO }, to: start };
        let (passes, waiters) = (Passes::new(&trace), Waiters::new(&trace));
        let ranks = ranks(&trace);
        TraceSource { trace, shift, timed, next: 0, passes, waiters, due: Due::default(), ranks }
    }

    /// How many flows have a time at or after `until`.
    pub(crate) fn later_than(&self, until: Time) -> u64 {
        let late = |index: &&u32| match self.trace.flows[**index as usize].start {
            TraceStart::At(time) => self.shift.apply(time) >= until,
            TraceStart::After { .. } => false,
        };
        self.timed.iter().filter(late).count() as u64
    }

    fn start(&self, index: u32, at: Time) -> Start {
        let flow = &self.trace.flows[index as usize];
        let watched = !self.passes.of(index).is_empty();
        let round = self.ranks.map(|_| 0);
        Start { at, order: u64::from(index), src: flow.src, dst: flow.dst, bytes: flow.bytes, watched, round }
    }

    /// The next flow with a time: its time in the run, and its index.
    fn next_timed(&self) -> Option<(Time, u32)> {
        let index = *self.timed.get(self.next)?;
        match self.trace.flows[index as usize].start {
            TraceStart::At(time) => Some((self.shift.apply(time), index)),
            TraceStart::After { .. } => None,
        }
    }
}

impl Source for TraceSource {
    fn next_start(&self) -> Option<Time> {
        let timed = self.next_timed().map(|(time, _)| time);
        timed.into_iter().chain(self.due.next_start()).min()
    }
    fn start_next(&mut self) -> Option<Start> {
        match (self.next_timed(), self.due.peek_key()) {
            (Some((time, index)), due) if due.is_none_or(|due| (time, u64::from(index)) < due) => {
                self.next += 1;
                Some(self.start(index, time))
            }
            (Some(_) | None, _) => self.due.pop(),
        }
    }
    fn finish(&mut self, order: u64, now: Time) {
        for &(_, gate) in self.passes.of(order as u32) {
            for index in self.waiters.pass(gate) {
                let delay = match self.trace.flows[index as usize].start {
                    TraceStart::At(_) => Span::ZERO,
                    TraceStart::After { delay, .. } => delay,
                };
                let start = self.start(index, now + delay);
                self.due.push(start);
            }
        }
    }
    fn waiting(&self, in_flight: &[u64]) -> Vec<Wait> {
        let mut waits = BTreeMap::<u32, Vec<u64>>::new();
        for &order in in_flight {
            let mut before = None;
            for &(_, gate) in self.passes.of(order as u32) {
                // An end that passes a gate twice is one end.
                if before.replace(gate) != Some(gate) {
                    self.waiters.at(gate).for_each(|index| waits.entry(index).or_default().push(order));
                }
            }
        }
        let what = |index: u32| {
            let flow = &self.trace.flows[index as usize];
            format!("flow {} of {}, {} -> {}", flow.id, self.trace.file, flow.src, flow.dst)
        };
        waits.into_iter().map(|(index, on)| Wait { what: what(index), on }).collect()
    }
    fn held(&self) -> usize {
        self.due.len()
    }
    fn operation(&self) -> Option<Operation> {
        let flows = self.trace.flows.len() as u64;
        let bytes = Some(self.trace.flows.iter().fold(0, |sum: u64, flow| sum.saturating_add(flow.bytes.get())));
        Some(Operation { kind: OperationKind::Trace, ranks: self.ranks?, flows, bytes })
    }
}
