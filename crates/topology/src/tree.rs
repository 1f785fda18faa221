//! Three stages of switches: pods of edge and aggregation switches, joined by cores.

use crate::builder::{Builder, LinkSpec};
use crate::{BuildError, Topology};

/// A fat-tree, maybe with fewer uplinks than downlinks and several cables between two switches.
///
/// Every edge switch is joined to every aggregation switch of its pod. Aggregation switch `a` of every pod is joined to cores
/// `a * cores_per_aggregation ..` (al-Fares et al., SIGCOMM 2008, §3.1).
pub(crate) struct Tree {
    pub label: String,
    pub pods: u32,
    pub edges_per_pod: u32,
    pub aggregations_per_pod: u32,
    pub hosts_per_edge: u32,
    pub cores_per_aggregation: u32,
    pub host_edge: Cables,
    pub edge_aggregation: Cables,
    pub aggregation_core: Cables,
}

/// The cables between two nodes of neighbouring tiers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cables {
    /// How many in parallel.
    pub bundle: u32,
    pub up: LinkSpec,
    pub down: LinkSpec,
}

impl Cables {
    /// One cable, alike both ways.
    pub(crate) fn one(both_ways: LinkSpec) -> Cables {
        Cables { bundle: 1, up: both_ways, down: both_ways }
    }
    /// Lays them.
    pub(crate) fn lay(self, builder: &mut Builder, lower: crate::Handle, upper: crate::Handle, class: u16) {
        for _ in 0..self.bundle {
            builder.cable_with_directions(lower, upper, class, [self.up, self.down]);
        }
    }
}

impl Tree {
    /// # Errors
    /// For rates out of range. Counts must have been checked: they are multiplied in 32 bits.
    pub(crate) fn build(self) -> Result<Topology, BuildError> {
        let mut builder = Builder::new(self.label);
        let edges = self.pods * self.edges_per_pod;
        let aggregations = self.pods * self.aggregations_per_pod;
        let hosts: Vec<_> = (0..edges * self.hosts_per_edge).map(|i| builder.host(format!("host-{i}"))).collect();
        let edge: Vec<_> = (0..edges).map(|i| builder.switch(format!("edge-{i}"), Some(1))).collect();
        let aggregation: Vec<_> =
            (0..aggregations).map(|i| builder.switch(format!("aggregation-{i}"), Some(2))).collect();
        let cores = self.aggregations_per_pod * self.cores_per_aggregation;
        let core: Vec<_> = (0..cores).map(|i| builder.switch(format!("core-{i}"), Some(3))).collect();

        let class = builder.class("host-edge");
        for (hosts, &edge) in hosts.chunks(self.hosts_per_edge as usize).zip(&edge) {
            for &host in hosts {
                self.host_edge.lay(&mut builder, host, edge, class);
            }
        }
        let class = builder.class("edge-aggregation");
        let pods = edge.chunks(self.edges_per_pod as usize);
        for (edges, aggregations) in pods.zip(aggregation.chunks(self.aggregations_per_pod as usize)) {
            for &edge in edges {
                for &aggregation in aggregations {
                    self.edge_aggregation.lay(&mut builder, edge, aggregation, class);
                }
            }
        }
        let class = builder.class("aggregation-core");
        for aggregations in aggregation.chunks(self.aggregations_per_pod as usize) {
            for (&aggregation, cores) in aggregations.iter().zip(core.chunks(self.cores_per_aggregation as usize)) {
                for &core in cores {
                    self.aggregation_core.lay(&mut builder, aggregation, core, class);
                }
            }
        }
        builder.finish()
    }
}
