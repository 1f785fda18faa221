//! The collective all-to-all by pairwise exchange: n − 1 steps, in step s each rank r sends to rank r + s.

use super::{Iterations, piece};
use crate::operation::{Operation, OperationKind};
use crate::prose;
use crate::source::{Due, Source, Start, Wait};
use std::collections::{BTreeMap, BTreeSet};
use units::Time;

/// A rank begins a step when both what it sends and what it receives in the step before have ended; with a barrier, when
/// the step before has ended everywhere.
pub(crate) struct ExchangeSource {
    iterations: Iterations,
    barrier: bool,
    /// Without a barrier: (step, rank) of which one half, sent or received, has ended.
    half: BTreeSet<(u64, u64)>,
    /// With one: flows of the current step that have not ended.
    left: u64,
    due: Due,
}

impl ExchangeSource {
    /// Flows of one iteration.
    pub(crate) fn flows(ranks: u64) -> u64 {
        (ranks - 1) * ranks
    }

    pub(crate) fn new(iterations: Iterations, barrier: bool) -> ExchangeSource {
        let (left, half) = (iterations.ranks(), BTreeSet::new());
        let mut source = ExchangeSource { iterations, barrier, half, left, due: Due::default() };
        source.begin();
        source
    }

    fn begin(&mut self) {
        for rank in 0..self.iterations.ranks() {
            self.push(0, rank, self.iterations.ready(rank));
        }
    }

    fn steps(&self) -> u64 {
        self.iterations.ranks() - 1
    }

    fn push(&mut self, step: u64, rank: u64, at: Time) {
        let it = &self.iterations;
        let n = it.ranks();
        let to = (rank + step + 1) % n;
        self.due.push(Start {
            at,
            order: it.order(step * n + rank),
            src: it.hosts[rank as usize],
            dst: it.hosts[to as usize],
            bytes: piece(it.bytes, n, to),
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

impl Source for ExchangeSource {
    fn next_start(&self) -> Option<Time> {
        self.due.next_start()
    }
    fn start_next(&mut self) -> Option<Start> {
        self.due.pop()
    }
    fn finish(&mut self, order: u64, now: Time) {
        let (step, rank) = self.place(order);
        let n = self.iterations.ranks();
        if step + 1 < self.steps() {
            if self.barrier {
                self.left -= 1;
                if self.left == 0 {
                    self.left = n;
                    (0..n).for_each(|rank| self.push(step + 1, rank, now));
                }
            } else {
                for side in [rank, (rank + step + 1) % n] {
                    if self.half.remove(&(step, side)) {
                        self.push(step + 1, side, now);
                    } else {
                        self.half.insert((step, side));
                    }
                }
            }
        }
        if self.iterations.ended(now) {
            self.begin();
        }
    }
    fn waiting(&self, in_flight: &[u64]) -> Vec<Wait> {
        let (n, steps) = (self.iterations.ranks(), self.steps());
        let (inner, last): (Vec<u64>, Vec<u64>) = in_flight.iter().partition(|order| self.place(**order).0 + 1 < steps);
        let mut waits = BTreeMap::<(u64, u64), Vec<u64>>::new();
        for order in inner {
            let (step, rank) = self.place(order);
            let sides = if self.barrier { vec![0] } else { vec![rank, (rank + step + 1) % n] };
            sides.into_iter().for_each(|side| waits.entry((step + 1, side)).or_default().push(order));
        }
        let what = |step: u64, rank: u64| {
            if self.barrier {
                return format!("step {} of {steps} ({})", step + 1, prose::count(n, "flow"));
            }
            let host = |rank: u64| self.iterations.hosts[(rank % n) as usize];
            format!("{} -> {}, step {} of {steps}", host(rank), host(rank + step + 1), step + 1)
        };
        let inner = waits.into_iter().map(|((step, rank), on)| Wait { what: what(step, rank), on });
        inner.chain(self.iterations.waits(last)).collect()
    }
    fn held(&self) -> usize {
        self.due.len() + self.half.len()
    }
    fn operation(&self) -> Option<Operation> {
        self.iterations.operation(OperationKind::AllToAll)
    }
}
