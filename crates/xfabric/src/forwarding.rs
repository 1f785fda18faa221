//! Forwarding tables: for each SoC and destination, the ports that lead there by as few hops as can be (§4.3, §4.4).
//!
//! [`tables`] makes them from a graph; [`Update`] is what the controller sends to a SoC, with its encoding; [`check`] looks for
//! loops and dead ends in whatever tables the SoCs have, of one version or of several.

mod check;
#[cfg(test)]
mod tests;
mod update;

pub use check::{Fault, check};
pub use update::{DecodeError, Mac, Update};

use crate::demand::index;
use crate::graph::Graph;
use crate::graph::paths::Distances;
use engine::look;

/// Where a SoC sends what is for another: a set of ports for each destination, of which each packet or flow takes one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Table {
    ports: u32,
    /// By destination: bit `i` for port `i`.
    toward: Box<[u16]>,
}

impl Table {
    /// From a set of ports for each destination, bit `i` for port `i`.
    ///
    /// # Panics
    /// If a set has ports that are not there.
    pub fn new(ports: u32, toward: Vec<u16>) -> Table {
        assert!(toward.iter().all(|&set| u32::from(set) >> ports == 0), "a port above {ports}");
        Table { ports, toward: toward.into() }
    }
    /// Internal ports of the SoC.
    pub fn ports(&self) -> u32 {
        self.ports
    }
    /// For how many destinations, the SoC itself among them.
    pub fn socs(&self) -> u32 {
        self.toward.len() as u32
    }
    /// The set of ports toward a destination, bit `i` for port `i`; 0 if there is no way, and for the SoC itself.
    #[inline]
    pub fn set(&self, destination: u32) -> u16 {
        self.toward[index(destination)]
    }
    /// The ports toward a destination, the lowest first.
    pub fn toward(&self, destination: u32) -> impl Iterator<Item = u32> + '_ {
        let set = self.set(destination);
        (0..self.ports).filter(move |port| set >> port & 1 == 1)
    }
}

/// The tables of all SoCs: all ports that lead one hop nearer. O(n² d).
///
/// # Panics
/// If the distances are of a graph with another number of SoCs.
pub fn tables(graph: &Graph, distances: &Distances) -> Vec<Table> {
    assert_eq!(graph.socs(), distances.socs(), "distances of another graph");
    let table = |soc| {
        look();
        let mut toward = vec![0_u16; index(graph.socs())];
        for (port, peer) in graph.neighbours(soc) {
            // A neighbour of a SoC reaches what the SoC reaches, so that one hop more than no path is never a path.
            let (here, there) = (distances.row(soc), distances.row(peer));
            for ((set, here), there) in toward.iter_mut().zip(here).zip(there) {
                *set |= u16::from(there.wrapping_add(1) == *here) << port;
            }
        }
        Table { ports: graph.ports(), toward: toward.into() }
    };
    (0..graph.socs()).map(table).collect()
}
