//! The flow-level simulator of §6: a demand matrix over a topology, subflow by subflow, without time.
//!
//! A flow is what one SoC sends another. It is split into subflows of equal size. To place one, two of the shortest paths are drawn,
//! each path as likely as any other, and the one whose most loaded link has the lesser load takes it (§6.4: "two are randomly
//! selected, and the simulator places the flow on the least congested one"; Mitzenmacher's two choices). The two may be the same
//! path. Every flow places its first subflow before any places its second, so that no flow meets an empty network.
//!
//! The paper counts flows on a link; here a link's load is in bytes, because the flows of a demand matrix differ by orders of
//! magnitude. Full-duplex links are loaded in each direction by itself.

mod summary;
#[cfg(test)]
mod tests;

pub use summary::Summary;

use crate::demand::{Demand, DemandError, index};
use crate::graph::paths::Distances;
use crate::graph::{Graph, Port};
use engine::{Seed, Stream};

/// Why nothing was placed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FlowError {
    /// Demand of another rack.
    #[error("the demand matrix has {demand} SoCs, the topology {graph}")]
    Sizes {
        /// SoCs of the matrix.
        demand: u32,
        /// SoCs of the topology.
        graph: u32,
    },
    /// Nowhere to go.
    #[error("SoC {from} has {bytes} B for SoC {to}, but there is no path")]
    NoPath {
        /// Who sends.
        from: u32,
        /// Who should receive.
        to: u32,
        /// The demand.
        bytes: u64,
    },
    /// Inside and outside together leave the range of a matrix.
    #[error(transparent)]
    Demand(#[from] DemandError),
    /// Flows in no part.
    #[error("`subflows` is 0; write 1 or more, many more than there are shortest paths for an even load")]
    NoSubflows,
}

/// What each link carries when all subflows are placed.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    ports: u32,
    /// By SoC and port: bytes that leave there.
    bytes: Box<[f64]>,
    /// The demand, in bytes.
    total: f64,
    /// Directed links that there are.
    links: usize,
}

impl Load {
    /// Places the demand on the topology in so many subflows a flow; draws paths from the stream `xfabric.subflow`.
    ///
    /// # Errors
    /// For no subflows, sizes that differ, and demand without a path.
    ///
    /// # Panics
    /// If the distances are of another graph.
    pub fn place(
        graph: &Graph,
        distances: &Distances,
        demand: &Demand,
        subflows: u32,
        seed: Seed,
    ) -> Result<Load, FlowError> {
        if subflows == 0 {
            return Err(FlowError::NoSubflows);
        }
        if demand.socs() != graph.socs() {
            return Err(FlowError::Sizes { demand: demand.socs(), graph: graph.socs() });
        }
        if let Some((from, to, bytes)) = demand.entries().find(|&(from, to, _)| distances.hops(from, to).is_none()) {
            return Err(FlowError::NoPath { from, to, bytes });
        }
        let paths = PathCounts::of(graph, distances);
        let mut load = vec![0.0_f64; index(graph.socs()) * index(graph.ports())];
        let mut stream = seed.stream("xfabric.subflow", 0);
        let mut choices = [Vec::new(), Vec::new()];
        for _ in 0..subflows {
            for (from, to, bytes) in demand.entries() {
                for path in &mut choices {
                    paths.draw(&mut stream, from, to, path);
                }
                let most = |path: &[usize]| path.iter().map(|&link| load[link]).fold(0.0, f64::max);
                let chosen = &choices[usize::from(most(&choices[1]) < most(&choices[0]))];
                for &link in chosen {
                    load[link] += bytes as f64 / f64::from(subflows);
                }
            }
        }
        let links = 2 * graph.links().count();
        Ok(Load { ports: graph.ports(), bytes: load.into(), total: demand.total() as f64, links })
    }

    /// Bytes that leave by this port.
    pub fn of(&self, port: Port) -> f64 {
        self.bytes[index(port.soc) * index(self.ports) + index(port.number)]
    }
    /// Share of all bytes that go over the most loaded link, from 0 to 1 (§6.3, Fig 2c).
    pub fn bottleneck(&self) -> f64 {
        self.share(self.bytes.iter().copied().fold(0.0, f64::max))
    }
    /// Bytes times links that they go over, as a multiple of all bytes: the load on the network as a whole. The mean path length.
    pub fn total(&self) -> f64 {
        self.share(self.bytes.iter().sum())
    }
    /// The most loaded link, as a multiple of the mean over all links: 1 is an even load.
    pub fn skew(&self) -> f64 {
        let mean = self.total() / self.links as f64;
        if mean > 0.0 { self.bottleneck() / mean } else { 1.0 }
    }
    fn share(&self, bytes: f64) -> f64 {
        if self.total > 0.0 { bytes / self.total } else { 0.0 }
    }
}

/// How many shortest paths there are between any two SoCs; parallel links make different paths. 8 B a pair.
struct PathCounts<'a> {
    graph: &'a Graph,
    distances: &'a Distances,
    /// By destination and source. Above 2^53 rounded, which only makes some paths likelier by a part in 2^53.
    paths: Vec<f64>,
}

impl<'a> PathCounts<'a> {
    fn of(graph: &'a Graph, distances: &'a Distances) -> PathCounts<'a> {
        let socs = graph.socs();
        let mut counts = PathCounts { graph, distances, paths: vec![0.0; index(socs) * index(socs)] };
        let mut order: Vec<u32> = (0..socs).collect();
        for to in 0..socs {
            order.sort_unstable_by_key(|&soc| (distances.hops(soc, to), soc));
            for &soc in order.iter().filter(|&&soc| distances.hops(soc, to).is_some()) {
                let paths = if soc == to { 1.0 } else { counts.nearer(soc, to).map(|(_, _, paths)| paths).sum() };
                counts.paths[index(to) * index(socs) + index(soc)] = paths;
            }
        }
        counts
    }
    /// Links of `soc` that lead nearer to `to`: port, the SoC there, and how many paths go on from it.
    fn nearer(&self, soc: u32, to: u32) -> impl Iterator<Item = (u32, u32, f64)> + '_ {
        let here = self.distances.hops(soc, to);
        self.graph
            .neighbours(soc)
            .filter(move |&(_, peer)| self.distances.hops(peer, to).map(|hops| hops + 1) == here)
            .map(move |(port, peer)| (port, peer, self.paths[index(to) * index(self.graph.socs()) + index(peer)]))
    }
    /// One of the shortest paths, each as likely as any other, as places of its directed links.
    fn draw(&self, stream: &mut Stream, from: u32, to: u32, path: &mut Vec<usize>) {
        path.clear();
        let mut soc = from;
        while soc != to {
            let all = self.paths[index(to) * index(self.graph.socs()) + index(soc)];
            let mut left = stream.unit() * all;
            let mut taken = None;
            for (port, peer, paths) in self.nearer(soc, to) {
                taken = Some((port, peer));
                left -= paths;
                if left < 0.0 {
                    break;
                }
            }
            let (port, peer) = taken.expect("there is a path");
            path.push(index(soc) * index(self.graph.ports()) + index(port));
            soc = peer;
        }
    }
}
