//! All metrics of §6.3 and §6.4 of one topology under one demand.

use super::{FlowError, Load};
use crate::demand::{Demand, External};
use crate::generate::Uplinks;
use crate::graph::Graph;
use crate::graph::paths::{DisjointPaths, Distances};
use engine::Seed;

/// How a topology carries a demand. Means are over bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// Mean path length of what SoCs send each other, in hops (Fig 2a); `None` without such traffic.
    pub path_length: Option<f64>,
    /// Mean path length of ingress and egress traffic inside the rack, in hops (Fig 4b); `None` without.
    pub uplink_path_length: Option<f64>,
    /// The longest shortest path, in hops; `None` if a SoC cannot reach another that it has nothing for.
    pub diameter: Option<u32>,
    /// Mean number of disjoint shortest paths (Fig 2b) of what SoCs send each other; `None` without such traffic.
    pub disjoint_paths: Option<f64>,
    /// Share of all bytes, those to uplinks among them, that go over the most loaded link, from 0 to 1 (Fig 2c).
    pub bottleneck: f64,
    /// Bytes times links, as a multiple of all bytes.
    pub total_load: f64,
    /// The most loaded link as a multiple of the mean link.
    pub skew: f64,
}

impl Summary {
    /// Of this demand inside the rack, and of what goes to uplinks and comes from them, in so many subflows a flow.
    ///
    /// # Errors
    /// As [`Load::place`].
    ///
    /// # Panics
    /// If uplinks or external demand are of another rack.
    pub fn of(
        graph: &Graph,
        demand: &Demand,
        uplinks: &Uplinks,
        external: &External,
        subflows: u32,
        seed: Seed,
    ) -> Result<Summary, FlowError> {
        let distances = Distances::of(graph);
        let all = uplinks.demand(demand, external)?;
        let load = Load::place(graph, &distances, &all, subflows, seed)?;
        Ok(Summary {
            path_length: distances.mean(demand),
            uplink_path_length: distances.mean_to_uplinks(uplinks, external),
            diameter: distances.diameter(),
            disjoint_paths: DisjointPaths::new(graph, &distances).mean(demand),
            bottleneck: load.bottleneck(),
            total_load: load.total(),
            skew: load.skew(),
        })
    }
}
