//! Ring all-reduce (Patarasuk and Yuan, 2009): n participants, n pieces, 2 (n − 1) steps.

use super::{Iterations, piece};
use crate::operation::{Operation, OperationKind};
use crate::source::{Due, Source, Start, Wait};
use units::Time;

/// In the first n − 1 steps each participant passes partial sums on to the next, and ends with one complete piece; in the
/// others it passes complete pieces on. What it sends in a step is what it received in the step before, so it waits for
/// that, but not for its own last piece to have left.
pub(crate) struct RingSource {
    iterations: Iterations,
    due: Due,
}

impl RingSource {
    /// Flows of one iteration.
    pub(crate) fn flows(ranks: u64) -> u64 {
        2 * (ranks - 1) * ranks
    }

    pub(crate) fn new(iterations: Iterations) -> RingSource {
        let mut source = RingSource { iterations, due: Due::default() };
        source.begin();
        source
    }

    fn begin(&mut self) {
        for rank in 0..self.iterations.ranks() {
            self.push(0, rank, self.iterations.ready(rank));
        }
    }

    fn steps(&self) -> u64 {
        2 * (self.iterations.ranks() - 1)
    }

    fn push(&mut self, step: u64, rank: u64, at: Time) {
        let it = &self.iterations;
        let n = it.ranks();
        // In step s of the first half rank r sends piece r − s; in the second half, piece r + 1 − s.
        let index = if step < n - 1 { (rank + n - step) % n } else { (rank + 2 * n - step) % n };
        self.due.push(Start {
            at,
            order: it.order(step * n + rank),
            src: it.hosts[rank as usize],
            dst: it.hosts[((rank + 1) % n) as usize],
            bytes: piece(it.bytes, n, index),
            watched: it.more() || step + 1 < self.steps(),
            round: it.round(),
        });
    }

    /// Step and rank of a flow.
    fn place(&self, order: u64) -> (u64, u64) {
        let (index, n) = (self.iterations.index(order), self.iterations.ranks());
        (index / n, index % n)
    }
}

impl Source for RingSource {
    fn next_start(&self) -> Option<Time> {
        self.due.next_start()
    }
    fn start_next(&mut self) -> Option<Start> {
        self.due.pop()
    }
    fn finish(&mut self, order: u64, now: Time) {
        let (step, rank) = self.place(order);
        let next = (rank + 1) % self.iterations.ranks();
        if step + 1 < self.steps() {
            // What is received is added to what the participant itself has, once it has it.
            self.push(step + 1, next, now.max(self.iterations.ready(next)));
        }
        if self.iterations.ended(now) {
            self.begin();
        }
    }
    fn waiting(&self, in_flight: &[u64]) -> Vec<Wait> {
        let (n, hosts, steps) = (self.iterations.ranks(), &self.iterations.hosts, self.steps());
        let (inner, last): (Vec<u64>, Vec<u64>) = in_flight.iter().partition(|order| self.place(**order).0 + 1 < steps);
        let next = |order: u64| {
            let (step, rank) = self.place(order);
            let (src, dst) = (hosts[((rank + 1) % n) as usize], hosts[((rank + 2) % n) as usize]);
            Wait { what: format!("{src} -> {dst}, step {} of {steps}", step + 2), on: vec![order] }
        };
        inner.into_iter().map(next).chain(self.iterations.waits(last)).collect()
    }
    fn held(&self) -> usize {
        self.due.len()
    }
    fn operation(&self) -> Option<Operation> {
        self.iterations.operation(OperationKind::RingAllReduce)
    }
}
