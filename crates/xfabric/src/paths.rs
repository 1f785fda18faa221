//! How far SoCs are from each other, and over how many disjoint paths: the metrics of §6.3.

mod disjoint;
#[cfg(test)]
mod tests;

pub use disjoint::DisjointPaths;

use crate::demand::{Demand, External, index};
use crate::generate::Uplinks;
use crate::graph::Graph;
use std::collections::VecDeque;

const UNREACHABLE: u16 = u16::MAX;

/// Hops of the shortest paths between all SoCs. 2 B a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distances {
    socs: u32,
    /// By source and destination.
    hops: Box<[u16]>,
}

impl Distances {
    /// By breadth-first search from each SoC: O(n² d).
    pub fn of(graph: &Graph) -> Distances {
        let socs = index(graph.socs());
        // Neighbours once each, flat: parallel links make nobody nearer.
        let mut first = vec![0];
        let mut neighbours = Vec::new();
        for soc in 0..graph.socs() {
            let start = neighbours.len();
            for (_, peer) in graph.neighbours(soc) {
                if !neighbours[start..].contains(&peer) {
                    neighbours.push(peer);
                }
            }
            first.push(neighbours.len());
        }
        let mut hops = vec![UNREACHABLE; socs * socs];
        let mut queue = VecDeque::new();
        for from in 0..graph.socs() {
            let row = &mut hops[index(from) * socs..][..socs];
            row[index(from)] = 0;
            queue.push_back(from);
            while let Some(soc) = queue.pop_front() {
                let next = row[index(soc)] + 1;
                for &peer in &neighbours[first[index(soc)]..first[index(soc) + 1]] {
                    if row[index(peer)] == UNREACHABLE {
                        row[index(peer)] = next;
                        queue.push_back(peer);
                    }
                }
            }
        }
        Distances { socs: graph.socs(), hops: hops.into() }
    }

    /// How many SoCs there are.
    pub fn socs(&self) -> u32 {
        self.socs
    }
    /// Hops of a shortest path; `None` if there is no path.
    #[inline]
    pub fn hops(&self, from: u32, to: u32) -> Option<u32> {
        let hops = self.hops[index(from) * index(self.socs) + index(to)];
        (hops != UNREACHABLE).then_some(u32::from(hops))
    }
    /// The longest of the shortest paths, in hops; `None` if some SoC cannot reach another.
    pub fn diameter(&self) -> Option<u32> {
        let most = self.hops.iter().copied().max().unwrap_or(0);
        (most != UNREACHABLE).then_some(u32::from(most))
    }
    /// Mean path length in hops, each byte of the demand counting alike (§6.3); `None` without demand or if some of it has no path.
    pub fn mean(&self, demand: &Demand) -> Option<f64> {
        self.weighted(demand.entries())
    }
    /// Mean length in hops of what traffic from and to the outside goes inside the rack, 0 for SoCs with an uplink (§6.4, Fig 4b);
    /// `None` without such traffic or if some of it has no path.
    pub fn mean_to_uplinks(&self, uplinks: &Uplinks, external: &External) -> Option<f64> {
        self.weighted((0..self.socs).map(|soc| (soc, uplinks.gateway(soc), external.of(soc))))
    }
    fn weighted(&self, traffic: impl Iterator<Item = (u32, u32, u64)>) -> Option<f64> {
        let (mut bytes_hops, mut all) = (0_u128, 0_u128);
        for (from, to, bytes) in traffic.filter(|&(_, _, bytes)| bytes > 0) {
            bytes_hops += u128::from(bytes) * u128::from(self.hops(from, to)?);
            all += u128::from(bytes);
        }
        (all > 0).then(|| bytes_hops as f64 / all as f64)
    }
}
