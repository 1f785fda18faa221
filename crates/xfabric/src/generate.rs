//! Topology generation (§4.2, §4.3): where uplinks go, and which circuits the crosspoints set, of those that are possible
//! ([`crosspoints`]).
//!
//! [`generate`] and [`reference::generate`] are Algorithm 1 twice, with the same circuits in the same order: the reference after
//! the paper line by line, to be believed, the other fast, to be used.
//!
//! What the paper leaves open, and what was chosen:
//! - Pairs with equal demand are tried in an order that [`Ties`] states, crosspoints of equal rank by their number.
//! - A pair that has been connected goes "after the last pair that has some unsatisfied demand" (§4.3). Pairs are tried in this
//!   order: with demand and no circuit yet, by demand; with demand and a circuit, by demand and then by fewest circuits
//!   (Algorithm 1 reinserts by `p.demand`); without demand, by fewest circuits. Equal ones by [`Ties`].
//! - The rank of a crosspoint adds up demand with SoCs that have a free port there, whether or not it has been satisfied
//!   elsewhere (§4.3: "the aggregate demand of all connections").
//! - Fixed circuits and broken ports are outside the algorithm: trees are of circuits that it sets.

pub mod crosspoints;
mod fast;
mod order;
pub mod reference;
#[cfg(test)]
mod tests;
mod uplinks;

pub use order::{TieBreak, Ties};
pub use uplinks::{Uplinks, UplinksError};

use crate::demand::Demand;
use crate::generate::crosspoints::{Circuit, Fabric};
use crate::graph::Graph;

/// Why no topology was generated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    /// Demand of another rack.
    #[error("the demand matrix has {demand} SoCs, the fabric {fabric}")]
    Sizes {
        /// SoCs of the matrix.
        demand: u32,
        /// SoCs of the fabric.
        fabric: u32,
    },
}

/// Which circuits the crosspoints set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cabling {
    /// In the order in which the algorithm chose them, so the most wanted first.
    pub circuits: Vec<Circuit>,
    /// How many spanning trees or forests they make up: turns of the main loop of Algorithm 1.
    pub trees: u32,
}

impl Cabling {
    /// The topology: these circuits and the fixed ones.
    ///
    /// # Panics
    /// If the cabling is of another fabric.
    pub fn graph(&self, fabric: &Fabric) -> Graph {
        let mut graph = fabric.fixed_graph();
        for circuit in &self.circuits {
            graph.join(circuit.ends[0], circuit.ends[1]);
        }
        graph
    }

    /// The circuits of each crosspoint.
    pub fn by_crosspoint(&self, fabric: &Fabric) -> Vec<Vec<Circuit>> {
        let mut by_crosspoint = vec![Vec::new(); fabric.crosspoints() as usize];
        for &circuit in &self.circuits {
            by_crosspoint[circuit.crosspoint as usize].push(circuit);
        }
        by_crosspoint
    }
}

/// Algorithm 1: circuits for this demand (`dm_all`: [`Uplinks::demand`] adds what goes to uplinks).
///
/// The topology is connected if each SoC has a port on each of three or more crosspoints (§4.3), five or more with fixed circuits:
/// a tree of `k` SoCs uses up `k / 2` circuits of a crosspoint that it exhausts and has only `k - 1`, so two trees always
/// have a crosspoint in common. With other wirings ask [`Graph::is_connected`].
///
/// O(n² log n) for sorting n² pairs, then O(n) a circuit and O(n²) a tree. Memory: 24 B a pair and 8 B an entry.
///
/// # Errors
/// If demand and fabric differ in size.
pub fn generate(fabric: &Fabric, demand: &Demand, ties: Ties) -> Result<Cabling, GenerateError> {
    check(fabric, demand)?;
    Ok(fast::generate(fabric, demand, ties))
}

fn check(fabric: &Fabric, demand: &Demand) -> Result<(), GenerateError> {
    let (fabric, demand) = (fabric.socs(), demand.socs());
    if fabric == demand { Ok(()) } else { Err(GenerateError::Sizes { demand, fabric }) }
}
