//! How far SoCs are from each other, and over how many disjoint paths: the metrics of §6.3.

mod disjoint;
#[cfg(test)]
mod tests;

pub use disjoint::DisjointPaths;

use crate::demand::{Demand, External, index};
use crate::generate::Uplinks;
use crate::graph::Graph;
use engine::look;

pub(crate) const UNREACHABLE: u16 = u16::MAX;

/// Hops of the shortest paths between all SoCs. 2 B a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distances {
    socs: u32,
    /// By source and destination.
    hops: Box<[u16]>,
}

impl Distances {
    /// By breadth-first search from 64 SoCs at a time, a bit each: O(n² d / 64) a hop of the diameter, and O(n²) to write it down.
    pub fn of(graph: &Graph) -> Distances {
        let socs = index(graph.socs());
        let (first, neighbours) = flat_neighbours(graph);
        let mut hops = vec![UNREACHABLE; socs * socs];
        let (mut seen, mut frontier, mut next) = (vec![0_u64; socs], vec![0_u64; socs], vec![0_u64; socs]);
        for start in (0..socs).step_by(64) {
            look();
            let batch = 64.min(socs - start);
            seen.fill(0);
            frontier.fill(0);
            for source in 0..batch {
                seen[start + source] = 1 << source;
                frontier[start + source] = 1 << source;
                hops[(start + source) * socs + start + source] = 0;
            }
            let mut hop = 0;
            let mut reached = true;
            while reached {
                reached = false;
                hop += 1;
                for soc in 0..socs {
                    let around = neighbours[first[soc]..first[soc + 1]].iter();
                    let mut new = around.fold(0, |any, &peer| any | frontier[index(peer)]) & !seen[soc];
                    next[soc] = new;
                    seen[soc] |= new;
                    reached |= new != 0;
                    // Distances are the same both ways: written where they lie side by side.
                    let row = &mut hops[soc * socs + start..][..batch];
                    while new != 0 {
                        row[new.trailing_zeros() as usize] = hop;
                        new &= new - 1;
                    }
                }
                std::mem::swap(&mut frontier, &mut next);
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
    /// Share of the bytes whose shortest path has at most so many hops, from 0 to 1; `None` without demand.
    pub fn within(&self, demand: &Demand, hops: u32) -> Option<f64> {
        let near = |&(from, to, _): &(u32, u32, u64)| self.hops(from, to).is_some_and(|least| least <= hops);
        let bytes: u64 = demand.entries().filter(near).map(|(_, _, bytes)| bytes).sum();
        let all = demand.total();
        (all > 0).then(|| bytes as f64 / all as f64)
    }
    /// Hops to all, [`UNREACHABLE`] where there is no path.
    pub(crate) fn row(&self, from: u32) -> &[u16] {
        &self.hops[index(from) * index(self.socs)..][..index(self.socs)]
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

/// Neighbours of all SoCs, each once, one SoC after another, and where each SoC's begin: parallel links make nobody nearer.
fn flat_neighbours(graph: &Graph) -> (Vec<usize>, Vec<u32>) {
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
    (first, neighbours)
}
