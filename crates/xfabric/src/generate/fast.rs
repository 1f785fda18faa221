//! Algorithm 1 as it is used.
//!
//! What makes it fast, and why nothing changes:
//! - A pair can be joined through the crosspoints on which both SoCs have a free port. So no list of crosspoints is kept for
//!   each pair, only a set of bits for each SoC, and nobody goes through all pairs when a port is used up. A pair whose
//!   SoCs have none in common never will again; it leaves the list when next looked at.
//! - A crosspoint's rank is a sum over all SoCs with a free port there. It is kept for every SoC and crosspoint, and brought up to
//!   date when a SoC uses its last port there; whole numbers, so the sums are exact in any order.
//! - A pair is joined at most once a tree. Reinserted pairs are kept in a list of their own, sorted anew for each tree.

use super::Cabling;
use super::order::{Place, Ties};
use crate::demand::{Demand, index};
use crate::generate::crosspoints::{Circuit, Fabric};
use crate::graph::Port;
use engine::{Looks, look};

pub(super) fn generate(fabric: &Fabric, demand: &Demand, ties: Ties) -> Cabling {
    let weights = pair_weights(demand);
    let (mut wanted, mut unwanted) = sorted_pairs(fabric.socs(), &weights, ties);
    let mut free = Free::new(fabric, &weights);
    let mut trees = 0;
    let mut circuits = Vec::new();
    let (mut wanted_again, mut unwanted_again): (Vec<Place>, Vec<Place>) = (Vec::new(), Vec::new());
    let reachable = (0..fabric.socs()).filter(|&soc| fabric.has_usable_port(soc)).count();
    loop {
        let mut tree = Tree { parts: Parts::new(fabric.socs()), missing: reachable, circuits: Vec::new() };
        wanted_again.sort_unstable();
        unwanted_again.sort_unstable();
        // Groups in the order of `Place`.
        let first = |(a, b): (u32, u32)| Place::of(weights[index(a) * index(fabric.socs()) + index(b)], ties, a, b);
        let mut joined = Vec::new();
        tree.grow(&mut wanted, |&pair| pair, &mut free, |pair| joined.push(first(pair).reinserted()));
        tree.grow(&mut wanted_again, |place| (place.a, place.b), &mut free, |place| joined.push(place.reinserted()));
        wanted_again.append(&mut joined);
        tree.grow(&mut unwanted, |&pair| pair, &mut free, |pair| joined.push(first(pair).reinserted()));
        tree.grow(&mut unwanted_again, |place| (place.a, place.b), &mut free, |place| joined.push(place.reinserted()));
        unwanted_again.append(&mut joined);
        if tree.circuits.is_empty() {
            return Cabling { circuits, trees };
        }
        circuits.append(&mut tree.circuits);
        trees += 1;
    }
}

/// What the SoCs of each pair send each other: a symmetric matrix with 0 on its diagonal.
fn pair_weights(demand: &Demand) -> Vec<u64> {
    const BLOCK: usize = 32;
    let socs = index(demand.socs());
    let mut weights = vec![0; socs * socs];
    // In blocks, so that columns are read while they are in the cache.
    for rows in (0..socs).step_by(BLOCK) {
        look();
        for columns in (0..=rows).step_by(BLOCK) {
            for a in rows..(rows + BLOCK).min(socs) {
                for b in columns..(columns + BLOCK).min(a) {
                    let weight = demand.pair(a as u32, b as u32);
                    weights[a * socs + b] = weight;
                    weights[b * socs + a] = weight;
                }
            }
        }
    }
    weights
}

type Pairs = Vec<(u32, u32)>;

/// All pairs in the order of `Place`: those with demand, those without.
fn sorted_pairs(socs: u32, weights: &[u64], ties: Ties) -> (Pairs, Pairs) {
    let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
    for a in 0..socs {
        look();
        for b in a + 1..socs {
            let weight = weights[index(a) * index(socs) + index(b)];
            if weight > 0 {
                wanted.push((std::cmp::Reverse(weight), ties.place(a, b), a, b));
            } else {
                unwanted.push((ties.place(a, b), a, b));
            }
        }
    }
    wanted.sort_unstable();
    unwanted.sort_unstable();
    let wanted = wanted.into_iter().map(|(_, _, a, b)| (a, b)).collect();
    (wanted, unwanted.into_iter().map(|(_, a, b)| (a, b)).collect())
}

/// A spanning tree, while it grows.
struct Tree {
    parts: Parts,
    /// Parts that there still are.
    missing: usize,
    circuits: Vec<Circuit>,
}

impl Tree {
    /// Goes through a list of pairs: joins those of different parts, and takes from the list those that were joined (they go to
    /// `reinsert` if they can be joined again) and those that cannot be joined any more.
    fn grow<T: Copy>(
        &mut self,
        pairs: &mut Vec<T>,
        socs: impl Fn(&T) -> (u32, u32),
        free: &mut Free<'_>,
        mut reinsert: impl FnMut(T),
    ) {
        let mut kept = 0;
        let mut looked_at = 0;
        let mut looks = Looks::default();
        while looked_at < pairs.len() && self.missing > 1 {
            looks.step();
            let pair = pairs[looked_at];
            let (a, b) = socs(&pair);
            looked_at += 1;
            let apart = self.parts.differ(a, b);
            if !free.in_common(a, b) {
                continue;
            }
            if !apart {
                pairs[kept] = pair;
                kept += 1;
                continue;
            }
            let crosspoint = free.best_ranked(a, b);
            let ends = [free.take(a, crosspoint), free.take(b, crosspoint)];
            self.circuits.push(Circuit { crosspoint, ends });
            self.parts.merge(a, b);
            self.missing -= 1;
            if free.in_common(a, b) {
                reinsert(pair);
            }
        }
        pairs.drain(kept..looked_at);
    }
}

/// Which part of the forest each SoC is in.
struct Parts {
    part: Vec<u32>,
    members: Vec<Vec<u32>>,
}

impl Parts {
    fn new(socs: u32) -> Parts {
        Parts { part: (0..socs).collect(), members: (0..socs).map(|soc| vec![soc]).collect() }
    }
    #[inline]
    fn differ(&self, a: u32, b: u32) -> bool {
        self.part[index(a)] != self.part[index(b)]
    }
    /// The smaller part joins the larger one.
    fn merge(&mut self, a: u32, b: u32) {
        let (mut from, mut to) = (self.part[index(a)], self.part[index(b)]);
        if self.members[index(from)].len() > self.members[index(to)].len() {
            std::mem::swap(&mut from, &mut to);
        }
        let moved = std::mem::take(&mut self.members[index(from)]);
        for &soc in &moved {
            self.part[index(soc)] = to;
        }
        self.members[index(to)].extend(moved);
    }
}

/// Ports that no circuit uses yet, and what depends on them.
struct Free<'a> {
    socs: usize,
    crosspoints: usize,
    weights: &'a [u64],
    /// By SoC and crosspoint: free ports, the lowest last.
    ports: Vec<Vec<Port>>,
    /// By SoC: crosspoints with a free port of it, a bit each in as many words as it takes.
    open: Vec<u64>,
    words: usize,
    /// By crosspoint and SoC: demand with all SoCs that have a free port there.
    at_stake: Vec<u64>,
}

impl<'a> Free<'a> {
    fn new(fabric: &Fabric, weights: &'a [u64]) -> Free<'a> {
        let (socs, crosspoints) = (index(fabric.socs()), index(fabric.crosspoints()));
        let words = crosspoints.div_ceil(64);
        let mut ports = vec![Vec::new(); socs * crosspoints];
        let mut open = vec![0; socs * words];
        for soc in 0..fabric.socs() {
            for number in (0..fabric.ports()).rev() {
                let port = Port { soc, number };
                if fabric.is_usable(port) {
                    let crosspoint = index(fabric.crosspoint(port));
                    ports[index(soc) * crosspoints + crosspoint].push(port);
                    open[index(soc) * words + crosspoint / 64] |= 1 << (crosspoint % 64);
                }
            }
        }
        let mut free = Free { socs, crosspoints, weights, ports, open, words, at_stake: Vec::new() };
        // Only one crosspoint: nothing to choose.
        if crosspoints > 1 {
            free.at_stake = free.all_at_stake();
        }
        free
    }

    fn all_at_stake(&self) -> Vec<u64> {
        let (socs, crosspoints) = (self.socs, self.crosspoints);
        let totals: Vec<u64> = self.weights.chunks_exact(socs).map(|row| row.iter().sum()).collect();
        let mut at_stake = totals.repeat(crosspoints);
        for crosspoint in 0..crosspoints {
            let of_crosspoint = &mut at_stake[crosspoint * socs..][..socs];
            let present = |soc: usize| !self.ports[soc * crosspoints + crosspoint].is_empty();
            // Whichever are fewer: take away those without a port, or add up those with.
            if (0..socs).filter(|&soc| present(soc)).count() * 2 > socs {
                for soc in (0..socs).filter(|&soc| !present(soc)) {
                    subtract(of_crosspoint, &self.weights[soc * socs..][..socs]);
                }
            } else {
                of_crosspoint.fill(0);
                for soc in (0..socs).filter(|&soc| present(soc)) {
                    let row = &self.weights[soc * socs..][..socs];
                    of_crosspoint.iter_mut().zip(row).for_each(|(sum, weight)| *sum += weight);
                }
            }
        }
        at_stake
    }

    /// Can these SoCs be joined?
    #[inline]
    fn in_common(&self, a: u32, b: u32) -> bool {
        if self.words == 1 {
            return self.open[index(a)] & self.open[index(b)] != 0;
        }
        (0..self.words).any(|word| self.common_word(a, b, word) != 0)
    }
    #[inline]
    fn common_word(&self, a: u32, b: u32, word: usize) -> u64 {
        self.open[index(a) * self.words + word] & self.open[index(b) * self.words + word]
    }

    /// The crosspoint with the least demand between these SoCs and others that could be joined with them there; of equals the
    /// first. The pair's own demand is in the sums of all its crosspoints alike.
    fn best_ranked(&self, a: u32, b: u32) -> u32 {
        let mut best: Option<(u64, usize)> = None;
        for word in 0..self.words {
            let mut common = self.common_word(a, b, word);
            while common != 0 {
                let crosspoint = word * 64 + common.trailing_zeros() as usize;
                common &= common - 1;
                let lost = match self.crosspoints {
                    1 => 0,
                    _ => {
                        let of_crosspoint = &self.at_stake[crosspoint * self.socs..][..self.socs];
                        of_crosspoint[index(a)] + of_crosspoint[index(b)]
                    }
                };
                if best.is_none_or(|best| (lost, crosspoint) < best) {
                    best = Some((lost, crosspoint));
                }
            }
        }
        best.map_or(0, |(_, crosspoint)| crosspoint as u32)
    }

    /// The lowest free port of a SoC on a crosspoint; it is free no more.
    fn take(&mut self, soc: u32, crosspoint: u32) -> Port {
        let (soc, crosspoint) = (index(soc), index(crosspoint));
        let ports = &mut self.ports[soc * self.crosspoints + crosspoint];
        let port = ports.pop().expect("a crosspoint that is open for a SoC has a free port of it");
        if ports.is_empty() {
            self.open[soc * self.words + crosspoint / 64] &= !(1 << (crosspoint % 64));
            if self.crosspoints > 1 {
                let of_crosspoint = &mut self.at_stake[crosspoint * self.socs..][..self.socs];
                subtract(of_crosspoint, &self.weights[soc * self.socs..][..self.socs]);
            }
        }
        port
    }
}

fn subtract(sums: &mut [u64], row: &[u64]) {
    sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum -= weight);
}
