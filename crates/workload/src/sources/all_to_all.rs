//! Every host to every other.

use super::{delay, size};
use crate::group::{AllToAll, Order};
use crate::operation::{Operation, OperationKind};
use crate::order::Scatter;
use crate::setting::Chance;
use crate::sizes::Sizes;
use crate::source::{Due, Source, Start, Wait};
use engine::looking;
use units::{Bytes, Span, Time};

/// Every participant to every other, each in its order, so many at a time. Holds one entry a participant and what is in
/// flight, never the list of all pairs.
pub(crate) struct AllToAllSource {
    hosts: Vec<u32>,
    size: Sizes,
    order: Order,
    chance: Chance,
    /// How many a host sends at a time; none: all.
    concurrent: Option<u64>,
    /// For each participant, how many of its flows have become due.
    next: Vec<u64>,
    /// Its order, if random.
    scatter: Vec<Scatter>,
    due: Due,
}

impl AllToAllSource {
    pub(crate) fn new(kind: &AllToAll, hosts: Vec<u32>, start: Time, jitter: Span, chance: Chance) -> AllToAllSource {
        let others = hosts.len() as u64 - 1;
        let scatter = |rank| Scatter::new(others, &mut chance.stream("order", rank));
        let mut source = AllToAllSource {
            size: kind.size.clone(),
            order: kind.order,
            chance,
            concurrent: kind.concurrent.map(u64::from),
            next: vec![0; hosts.len()],
            scatter: match kind.order {
                Order::Random => looking(0..hosts.len() as u64).map(scatter).collect(),
                Order::Fixed | Order::Shifted => Vec::new(),
            },
            due: Due::default(),
            hosts,
        };
        for rank in 0..source.hosts.len() {
            // All at once: the first now, and each makes the next due when it is taken.
            let first = source.concurrent.unwrap_or(1).min(others);
            let at = start + delay(&source.chance, jitter, rank as u64);
            for _ in looking(0..first) {
                source.push(rank, at);
            }
        }
        source
    }

    fn others(&self) -> u64 {
        self.hosts.len() as u64 - 1
    }

    /// The rank to which the `index`-th flow of `rank` goes.
    fn to(&self, rank: usize, index: u64) -> usize {
        let n = self.hosts.len();
        // Counting all ranks but its own.
        let from_first = |index: usize| index + usize::from(index >= rank);
        match self.order {
            Order::Random => from_first(self.scatter[rank].get(index) as usize),
            Order::Fixed => from_first(index as usize),
            Order::Shifted => (rank + 1 + index as usize) % n,
        }
    }

    fn start(&self, rank: usize, index: u64, at: Time, bytes: Bytes) -> Start {
        let order = rank as u64 * self.others() + index;
        let (src, dst) = (self.hosts[rank], self.hosts[self.to(rank, index)]);
        let watched = self.concurrent.is_some_and(|concurrent| index + concurrent < self.others());
        Start { at, order, src, dst, bytes, watched, round: Some(0) }
    }

    fn push(&mut self, rank: usize, at: Time) {
        let index = self.next[rank];
        if index == self.others() {
            return;
        }
        self.next[rank] += 1;
        let bytes = size(&self.chance, Some(&self.size), rank as u64 * self.others() + index);
        self.due.push(self.start(rank, index, at, bytes));
    }
}

impl Source for AllToAllSource {
    fn next_start(&self) -> Option<Time> {
        self.due.next_start()
    }
    fn start_next(&mut self) -> Option<Start> {
        let start = self.due.pop()?;
        if self.concurrent.is_none() {
            self.push((start.order / self.others()) as usize, start.at);
        }
        Some(start)
    }
    fn finish(&mut self, order: u64, now: Time) {
        self.push((order / self.others()) as usize, now);
    }
    fn waiting(&self, in_flight: &[u64]) -> Vec<Wait> {
        let by_host = in_flight.chunk_by(|a, b| a / self.others() == b / self.others());
        let of_host = by_host.filter_map(|on| {
            let rank = (on[0] / self.others()) as usize;
            let index = self.next[rank];
            (index < self.others()).then(|| {
                let next = self.start(rank, index, Time::ZERO, Bytes::ZERO);
                let after = self.others() - index - 1;
                let more = if after > 0 { format!(" (and {after} after it)") } else { String::new() };
                Wait { what: format!("{} -> {}{more}", next.src, next.dst), on: on.to_vec() }
            })
        });
        of_host.collect()
    }
    fn held(&self) -> usize {
        self.due.len()
    }
    fn operation(&self) -> Option<Operation> {
        let ranks = self.hosts.len() as u32;
        let flows = u64::from(ranks) * self.others();
        let bytes = if let Sizes::Fixed(size) = self.size { Some(size.get() * u64::from(ranks)) } else { None };
        Some(Operation { kind: OperationKind::AllToAll, ranks, flows, bytes })
    }
}
