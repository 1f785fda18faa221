//! What every kind of workload is: a source of flows that wait for times and for each other.

use crate::operation::Operation;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use units::{Bytes, Time};

/// A flow that is due to start. Sources give them out by time, then by `order`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Start {
    pub at: Time,
    /// Place within the group, the same in every run whatever ends first; no two flows share one.
    pub order: u64,
    pub src: u32,
    pub dst: u32,
    pub bytes: Bytes,
    /// Whether the source is to be told when it ends.
    pub watched: bool,
    /// The source's operation that it is of, counted from 0, if it is of one. One ends before the next begins.
    pub round: Option<u32>,
}

/// Flows that wait, in words, and the orders of the started flows that they wait for.
pub(crate) struct Wait {
    pub what: String,
    pub on: Vec<u64>,
}

/// A source of flows. It may hold what is due and what is in flight, not what has passed.
pub(crate) trait Source: Send {
    /// When the next flow that is known to start does. Finishing a flow may make it earlier.
    fn next_start(&self) -> Option<Time>;
    /// That flow.
    fn start_next(&mut self) -> Option<Start>;
    /// A watched flow has ended.
    fn finish(&mut self, order: u64, now: Time);
    /// What waits for the watched flows in flight, which are these by their orders, ascending.
    fn waiting(&self, in_flight: &[u64]) -> Vec<Wait>;
    /// How many entries it holds that come and go with flows.
    fn held(&self) -> usize;
    /// What its operation is that started last. Asked only of sources whose flows have a round.
    fn operation(&self) -> Option<Operation> {
        None
    }
}

/// Flows that are due, earliest first, then by order.
#[derive(Default)]
pub(crate) struct Due(BinaryHeap<Reverse<Entry>>);

struct Entry(Start);

impl Entry {
    fn key(&self) -> (Time, u64) {
        (self.0.at, self.0.order)
    }
}
impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.key() == other.key()
    }
}
impl Eq for Entry {}
impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl Due {
    pub(crate) fn push(&mut self, start: Start) {
        self.0.push(Reverse(Entry(start)));
    }
    pub(crate) fn next_start(&self) -> Option<Time> {
        self.peek_key().map(|(at, _)| at)
    }
    /// Time and order of the first.
    pub(crate) fn peek_key(&self) -> Option<(Time, u64)> {
        self.0.peek().map(|Reverse(entry)| entry.key())
    }
    pub(crate) fn pop(&mut self) -> Option<Start> {
        self.0.pop().map(|Reverse(entry)| entry.0)
    }
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}
