//! What all collectives share: iterations with computation between them, and participants that are ready at slightly
//! different times.

use super::delay;
use crate::group::Collective;
use crate::operation::{Operation, OperationKind};
use crate::setting::Chance;
use crate::source::Wait;
use units::{Bytes, Span, Time};

/// Iterations of a collective: the next begins a gap after the last flow of the one before has ended.
pub(crate) struct Iterations {
    /// Hosts by rank.
    pub hosts: Vec<u32>,
    /// What each contributes.
    pub bytes: Bytes,
    count: u64,
    gap: Span,
    jitter: Span,
    chance: Chance,
    /// Flows of one iteration.
    flows: u64,
    /// The iteration that has begun, and when.
    at: u64,
    began: Time,
    /// Its flows that have not ended.
    left: u64,
}

impl Iterations {
    /// `flows`: how many flows an iteration has.
    pub(crate) fn new(
        collective: &Collective,
        hosts: Vec<u32>,
        flows: u64,
        start: Time,
        jitter: Span,
        chance: Chance,
    ) -> Iterations {
        let (bytes, count, gap) = (collective.bytes, collective.repeat, collective.gap);
        Iterations { hosts, bytes, count, gap, jitter, chance, flows, at: 0, began: start, left: flows }
    }

    /// Participants.
    pub(crate) fn ranks(&self) -> u64 {
        self.hosts.len() as u64
    }
    /// When a participant has something to contribute to this iteration.
    pub(crate) fn ready(&self, rank: u64) -> Time {
        self.began + delay(&self.chance, self.jitter, self.at * self.ranks() + rank)
    }
    /// The order of the `index`-th flow of this iteration.
    pub(crate) fn order(&self, index: u64) -> u64 {
        self.at * self.flows + index
    }
    /// Which flow of its iteration has this order.
    pub(crate) fn index(&self, order: u64) -> u64 {
        order % self.flows
    }
    /// Whether another iteration follows.
    pub(crate) fn more(&self) -> bool {
        self.at + 1 < self.count
    }
    /// One flow has ended; whether that was the last and the next iteration has begun.
    pub(crate) fn ended(&mut self, now: Time) -> bool {
        self.left -= 1;
        if self.left > 0 || !self.more() {
            return false;
        }
        self.at += 1;
        self.began = now + self.gap;
        self.left = self.flows;
        true
    }
    /// The iteration that has begun, from 0.
    pub(crate) fn round(&self) -> Option<u32> {
        Some(self.at.min(u32::MAX.into()) as u32)
    }
    /// What it is.
    pub(crate) fn operation(&self, kind: OperationKind) -> Option<Operation> {
        Some(Operation { kind, ranks: self.ranks() as u32, flows: self.flows, bytes: Some(self.bytes.get()) })
    }
    /// The next iteration waits for flows of these orders.
    pub(crate) fn waits(&self, on: Vec<u64>) -> Option<Wait> {
        let what = || format!("iteration {} of {}", self.at + 2, self.count);
        (self.more() && !on.is_empty()).then(|| Wait { what: what(), on })
    }
}
