//! Link-disjoint shortest paths (§6.3, path diversity).

use super::Distances;
use crate::demand::{Demand, index};
use crate::graph::{Graph, Port};

/// Counts shortest paths that share no link, as a maximum flow over the links that lead nearer.
#[derive(Debug)]
pub struct DisjointPaths<'a> {
    graph: &'a Graph,
    distances: &'a Distances,
    /// By SoC and port: is the link that leaves there on a path?
    used: Vec<bool>,
    /// By SoC: the search that last came by, and the link over which.
    seen: Vec<(u32, Port)>,
    search: u32,
}

impl<'a> DisjointPaths<'a> {
    /// In this graph, whose distances these are.
    ///
    /// # Panics
    /// If the distances are of a graph with another number of SoCs.
    pub fn new(graph: &'a Graph, distances: &'a Distances) -> DisjointPaths<'a> {
        assert_eq!(graph.socs(), distances.socs(), "distances of another graph");
        let nowhere = Port { soc: 0, number: 0 };
        DisjointPaths {
            graph,
            distances,
            used: vec![false; index(graph.socs()) * index(graph.ports())],
            seen: vec![(0, nowhere); index(graph.socs())],
            search: 0,
        }
    }

    /// The largest number of shortest paths between two SoCs of which no two share a link. Parallel links are different links. 0 if
    /// there is no path, and from a SoC to itself.
    pub fn between(&mut self, from: u32, to: u32) -> u32 {
        let mut paths = 0;
        if from != to && self.distances.hops(from, to).is_some() {
            self.used.fill(false);
            while self.augment(from, to) {
                paths += 1;
            }
        }
        paths
    }

    /// The mean over all bytes of the demand; `None` without demand.
    pub fn mean(&mut self, demand: &Demand) -> Option<f64> {
        let (mut weighted, mut all) = (0_u128, 0_u128);
        for a in 0..demand.socs() {
            for b in a + 1..demand.socs() {
                // Links are full-duplex, so paths back are the same paths.
                let bytes = u128::from(demand.pair(a, b));
                if bytes > 0 {
                    weighted += bytes * u128::from(self.between(a, b));
                    all += bytes;
                }
            }
        }
        (all > 0).then(|| weighted as f64 / all as f64)
    }

    /// One more path, paths so far rearranged if need be.
    fn augment(&mut self, from: u32, to: u32) -> bool {
        self.search += 1;
        self.seen[index(from)].0 = self.search;
        let mut reached = vec![from];
        while let Some(soc) = reached.pop() {
            if soc == to {
                self.flip(from, to);
                return true;
            }
            for (number, peer) in self.graph.neighbours(soc) {
                let port = Port { soc, number };
                if self.seen[index(peer)].0 != self.search && self.passable(port, peer, to) {
                    self.seen[index(peer)] = (self.search, port);
                    reached.push(peer);
                }
            }
        }
        false
    }

    /// Along a link that leads nearer and is on no path, or back along one that is.
    fn passable(&self, port: Port, peer: u32, to: u32) -> bool {
        match (self.distances.hops(port.soc, to), self.distances.hops(peer, to)) {
            (Some(here), Some(there)) if there + 1 == here => !self.used[self.place(port)],
            (Some(here), Some(there)) if here + 1 == there => {
                self.graph.peer(port).is_some_and(|far_end| self.used[self.place(far_end)])
            }
            _ => false,
        }
    }

    fn flip(&mut self, from: u32, to: u32) {
        let mut soc = to;
        while soc != from {
            let port = self.seen[index(soc)].1;
            let far_end = self.graph.peer(port).expect("the search went along links");
            let (out, back) = (self.place(port), self.place(far_end));
            if self.used[back] {
                self.used[back] = false;
            } else {
                self.used[out] = true;
            }
            soc = port.soc;
        }
    }

    fn place(&self, port: Port) -> usize {
        index(port.soc) * index(self.graph.ports()) + index(port.number)
    }
}
