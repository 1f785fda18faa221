//! A stand-in for the LiveJournal graph of December 2006 (§6.2): 5.2 million nodes, 48.7 million edges, 18.7 edges a node.

use super::{WorkloadError, in_range};
use crate::demand::{Demand, index};
use engine::{Seed, Stream};
use std::sync::Mutex;

/// Edges a node (§6.2).
pub(super) const MEAN_DEGREE: f64 = 18.7;
/// Exponent of LiveJournal's power law of degrees (Mislove et al., IMC 2007: 1.59 out, 1.65 in).
pub(super) const DEGREE_EXPONENT: f64 = 1.6;
/// Share of friendships that follow distance: 5.5 of 8 (Liben-Nowell et al., PNAS 2005).
pub(super) const NEAR_SHARE: f64 = 5.5 / 8.0;
/// How often edges that are there already are drawn again.
const ROUNDS: u32 = 12;
/// What goes along an edge each way: only ratios count.
const BYTES: u64 = 1_000;

/// A random graph with LiveJournal's degrees and locality, partitioned by METIS into as many parts as there are SoCs.
///
/// Degrees follow a power law with LiveJournal's exponent, cut off where the mean is 18.7. Nodes live on a square without edges. Friends
/// are drawn by what was measured of LiveJournal's users and their towns: for 5.5 of 8 friendships the chance falls as one
/// over the number of people who live nearer, the others have nothing to do with distance. Without such locality METIS would
/// find nothing to keep together. What real users have besides, circles of friends that cut across places, it lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SocialGraph {
    /// Nodes: 5.2 million in the paper. Fewer keep the structure; what changes is how even the traffic between parts is.
    pub nodes: u32,
}

impl Default for SocialGraph {
    /// 200 thousand nodes: 583 a SoC in a rack of 343, in seconds.
    fn default() -> SocialGraph {
        SocialGraph { nodes: 200_000 }
    }
}

impl SocialGraph {
    /// Traffic between so many SoCs: one part of the graph each, traffic in proportion to the edges between two parts (§6.2).
    ///
    /// METIS draws from the C library's generator, seeded anew each time, so the same seed gives the same parts on machines with the
    /// same C library only.
    ///
    /// # Errors
    /// For fewer nodes than SoCs, more than 10 million, racks that [`Demand`] refuses, and if METIS fails.
    pub fn on(&self, socs: u32, seed: Seed) -> Result<Demand, WorkloadError> {
        let none = Demand::none(socs)?;
        in_range("nodes", self.nodes, socs, 10_000_000)?;
        let edges = self.edges(seed);
        let parts = partition(self.nodes, socs, &edges, seed)?;
        let mut order: Vec<u32> = (0..socs).collect();
        seed.stream("xfabric.workload.social.place", 0).shuffle(&mut order);
        let place = |node: u32| order[parts[index(node)]];
        let between = edges.iter().map(|&(a, b)| (place(a), place(b))).filter(|(a, b)| a != b);
        Ok(none.plus(between.flat_map(|(a, b)| [(a, b, BYTES), (b, a, BYTES)]))?)
    }

    /// Edges, each once, the lesser node first.
    pub(super) fn edges(&self, seed: Seed) -> Vec<(u32, u32)> {
        let mut stream = seed.stream("xfabric.workload.social.graph", 0);
        // Ends of edges, by node: who has many is drawn as often, and takes as much room on the map.
        let largest = largest_degree(self.nodes);
        let mut ends = Vec::new();
        for node in 0..self.nodes {
            let degree = degree(&mut stream, largest);
            ends.extend(std::iter::repeat_n(node, degree));
        }
        // Half as many edges as ends, each from an end drawn at random: a node has as many as it has ends, on average. Those that join
        // a node to itself or to a friend that it has already are drawn again; few are left after some rounds.
        let wanted = ends.len() / 2;
        let map = Map::of(ends.len() as u64);
        let mut edges = Vec::with_capacity(wanted);
        for _ in 0..ROUNDS {
            for _ in edges.len()..wanted {
                let from = stream.below(ends.len() as u64);
                let to = map.friend(&mut stream, from);
                let (a, b) = (ends[from as usize], ends[to as usize]);
                if a != b {
                    edges.push((a.min(b), a.max(b)));
                }
            }
            edges.sort_unstable();
            edges.dedup();
        }
        edges
    }
}

/// A square without edges, on which each end of an edge has a place and neighbours in number are near.
struct Map {
    ends: u64,
    /// The square has 2^bits rows and as many columns.
    bits: u32,
}

impl Map {
    fn of(ends: u64) -> Map {
        let bits = (0..32).find(|bits| 1_u64 << (2 * bits) >= ends).unwrap_or(32);
        Map { ends, bits }
    }

    /// Another end: near by its rank, or any.
    fn friend(&self, stream: &mut Stream, from: u64) -> u64 {
        if stream.unit() >= NEAR_SHARE {
            return stream.below(self.ends);
        }
        // One over the rank: those who live nearer are as many as the circle has places, and its area is log-uniform.
        let side = (1_u64 << self.bits) as f64;
        let area = libm::exp(libm::log(side * side) * stream.unit());
        let radius = libm::sqrt(area / std::f64::consts::PI);
        let angle = std::f64::consts::TAU * stream.unit();
        let (x, y) = self.place(from);
        let moved = |at: u64, by: f64| (at as f64 + 0.5 + by).rem_euclid(side) as u64 & ((1 << self.bits) - 1);
        self.end(moved(x, radius * libm::cos(angle)), moved(y, radius * libm::sin(angle)))
    }

    /// Along Morton's curve, stretched to fill the square.
    fn place(&self, end: u64) -> (u64, u64) {
        let at = (u128::from(end) * (1 << (2 * self.bits)) / u128::from(self.ends)) as u64;
        let every_other = |at: u64| (0..self.bits).fold(0, |sum, bit| sum | (at >> (2 * bit) & 1) << bit);
        (every_other(at), every_other(at >> 1))
    }
    fn end(&self, x: u64, y: u64) -> u64 {
        let spread = |at: u64| (0..self.bits).fold(0, |sum, bit| sum | (at >> bit & 1) << (2 * bit));
        ((u128::from(spread(x) | spread(y) << 1) * u128::from(self.ends)) >> (2 * self.bits)) as u64
    }
}

/// The degree at which the power law must be cut off to have the mean of §6.2, or what a small graph allows: of the continuous law on 1
/// to `k`, by bisection.
fn largest_degree(nodes: u32) -> f64 {
    let power = |k: f64, exponent: f64| (libm::pow(k, exponent) - 1.0) / exponent;
    let mean = |k: f64| power(k, 2.0 - DEGREE_EXPONENT) / power(k, 1.0 - DEGREE_EXPONENT);
    let (mut low, mut high) = (1.5, 1e6);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if mean(middle) < MEAN_DEGREE {
            low = middle;
        } else {
            high = middle;
        }
    }
    low.min(f64::from(nodes))
}

/// From the power law on 1 to `largest`, rounded up or down at random so that the mean stays.
fn degree(stream: &mut Stream, largest: f64) -> usize {
    let tail = 1.0 - DEGREE_EXPONENT;
    let drawn = libm::pow(1.0 + stream.unit() * (libm::pow(largest, tail) - 1.0), 1.0 / tail);
    (drawn + stream.unit()) as usize
}

/// METIS keeps its generator in one place for the whole process.
static METIS: Mutex<()> = Mutex::new(());

/// The part of each node.
fn partition(nodes: u32, parts: u32, edges: &[(u32, u32)], seed: Seed) -> Result<Vec<usize>, WorkloadError> {
    let failed = |why: &dyn std::fmt::Display| WorkloadError::Partition(why.to_string());
    let mut first = vec![0_i32; index(nodes) + 1];
    for &(a, b) in edges {
        first[index(a) + 1] += 1;
        first[index(b) + 1] += 1;
    }
    for node in 0..index(nodes) {
        first[node + 1] += first[node];
    }
    let mut next = first.clone();
    let mut neighbours = vec![0_i32; 2 * edges.len()];
    for &(a, b) in edges {
        for (node, other) in [(a, b), (b, a)] {
            let at = &mut next[index(node)];
            neighbours[*at as usize] = other as i32;
            *at += 1;
        }
    }
    let mut part = vec![0_i32; index(nodes)];
    let _one_at_a_time = METIS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let chance = (seed.stream("xfabric.workload.social.metis", 0).bits() >> 34) as i32;
    metis::Graph::new(1, parts as i32, &first, &neighbours)
        .map_err(|why| failed(&why))?
        .set_option(metis::option::Seed(chance))
        .part_kway(&mut part)
        .map_err(|why| failed(&why))?;
    Ok(part.into_iter().map(|part| part as usize).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_is_a_square_on_which_numbers_that_are_near_live_near() {
        let map = Map::of(1000);
        assert_eq!((map.bits, map.place(0), map.end(0, 0), map.end(31, 31)), (5, (0, 0), 0, 999));
        for end in 0..1000 {
            let (x, y) = map.place(end);
            assert!(x < 32 && y < 32 && map.end(x, y).abs_diff(end) <= 1, "{end}");
        }
    }

    #[test]
    fn half_of_the_near_friends_live_within_the_root_of_all_ranks() {
        // Log-uniform ranks: half of them below the root of the largest. The others are anywhere.
        let map = Map::of(1 << 16);
        let mut stream = Seed(2).stream("test", 0);
        let (x, y) = map.place(40_000);
        let near = (0..20_000).filter(|_| {
            let (a, b) = map.place(map.friend(&mut stream, 40_000));
            let apart = |a: u64, b: u64| a.abs_diff(b).min(256 - a.abs_diff(b));
            // A circle of 256 places.
            let (dx, dy) = (apart(a, x), apart(b, y));
            dx * dx + dy * dy <= 256 * 7 / 22
        });
        let share = near.count() as f64 / 20_000.0;
        assert!((share - NEAR_SHARE / 2.0).abs() < 0.02, "{share}");
    }
}
