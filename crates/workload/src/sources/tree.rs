//! Tree all-reduce: sums go up a binary tree, the result comes down.

use super::Iterations;
use crate::operation::{Operation, OperationKind};
use crate::source::{Due, Source, Start, Wait};
use units::Time;

/// Rank r has the children 2 r + 1 and 2 r + 2. It sends all its bytes to its parent when both children's have come; the
/// root then sends the result to its children, and each passes it on when it has come.
pub(crate) struct TreeSource {
    iterations: Iterations,
    /// How many children's sums each rank waits for.
    missing: Vec<u8>,
    due: Due,
}

impl TreeSource {
    /// Flows of one iteration.
    pub(crate) fn flows(ranks: u64) -> u64 {
        2 * (ranks - 1)
    }

    pub(crate) fn new(iterations: Iterations) -> TreeSource {
        let mut source = TreeSource { iterations, missing: Vec::new(), due: Due::default() };
        source.begin();
        source
    }

    fn begin(&mut self) {
        let n = self.iterations.ranks();
        self.missing = (0..n).map(|rank| self.children(rank).count() as u8).collect();
        // The leaves of the tree wait for no one.
        for rank in 1..n {
            if self.missing[rank as usize] == 0 {
                self.push(rank - 1, self.iterations.ready(rank));
            }
        }
    }

    fn children(&self, rank: u64) -> impl Iterator<Item = u64> + use<> {
        let n = self.iterations.ranks();
        (2 * rank + 1..=2 * rank + 2).filter(move |child| *child < n)
    }

    /// Flow `index`: of rank `index` + 1 to its parent in the first half, from its parent in the second.
    fn push(&mut self, index: u64, at: Time) {
        let it = &self.iterations;
        let edges = it.ranks() - 1;
        let child = index % edges + 1;
        let (child_host, parent_host) = (it.hosts[child as usize], it.hosts[((child - 1) / 2) as usize]);
        let up = index < edges;
        let (src, dst) = if up { (child_host, parent_host) } else { (parent_host, child_host) };
        let watched = it.more() || up || self.children(child).next().is_some();
        self.due.push(Start { at, order: it.order(index), src, dst, bytes: it.bytes, watched, round: it.round() });
    }

    /// Sends the result to the children of `rank`.
    fn send_down(&mut self, rank: u64, at: Time) {
        let edges = self.iterations.ranks() - 1;
        for child in self.children(rank) {
            self.push(edges + child - 1, at);
        }
    }
}

impl Source for TreeSource {
    fn next_start(&self) -> Option<Time> {
        self.due.next_start()
    }
    fn start_next(&mut self) -> Option<Start> {
        self.due.pop()
    }
    fn finish(&mut self, order: u64, now: Time) {
        let (index, edges) = (self.iterations.index(order), self.iterations.ranks() - 1);
        let child = index % edges + 1;
        if index >= edges {
            self.send_down(child, now);
        } else {
            let parent = (child - 1) / 2;
            self.missing[parent as usize] -= 1;
            if self.missing[parent as usize] == 0 {
                let at = now.max(self.iterations.ready(parent));
                if parent == 0 { self.send_down(0, at) } else { self.push(parent - 1, at) }
            }
        }
        if self.iterations.ended(now) {
            self.begin();
        }
    }
    fn waiting(&self, in_flight: &[u64]) -> Vec<Wait> {
        let edges = self.iterations.ranks() - 1;
        let place = |order: u64| {
            let index = self.iterations.index(order);
            (index < edges, index % edges + 1)
        };
        let host = |rank: u64| self.iterations.hosts[rank as usize];
        let mut waits = Vec::new();
        let mut last = Vec::new();
        // Children of one parent are neighbours in order.
        for on in
            in_flight.chunk_by(|a, b| place(*a).0 && place(*b).0 && (place(*a).1 - 1) / 2 == (place(*b).1 - 1) / 2)
        {
            let (up, child) = place(on[0]);
            let rank = if up { (child - 1) / 2 } else { child };
            let what = match (up, rank) {
                (true, 0) => format!("the result from the root, {}", host(0)),
                (true, _) => format!("{} -> {}, up", host(rank), host((rank - 1) / 2)),
                (false, _) if self.children(rank).next().is_none() => {
                    last.extend(on);
                    continue;
                }
                (false, _) => format!("the children of {}, down", host(rank)),
            };
            waits.push(Wait { what, on: on.to_vec() });
        }
        waits.extend(self.iterations.waits(last));
        waits
    }
    fn held(&self) -> usize {
        self.due.len()
    }
    fn operation(&self) -> Option<Operation> {
        self.iterations.operation(OperationKind::TreeAllReduce)
    }
}
