//! The comparison of §6.4: a workload on a rack, the topologies of §6.1 for it, and what §6.3 measures of each. [`workload`]
//! makes the demand of §6.2, most of it synthetic; [`flow_level`] lays a demand over any topology.

pub mod flow_level;
mod input;
#[cfg(test)]
mod tests;
pub mod workload;

pub use input::{Settings, WorkloadKind};

use crate::baselines::osa::{Matching, osa};
use crate::baselines::{BaselineError, most_cubic, nearest_uplinks, random_graph, to_nearest, torus};
use crate::demand::{DemandError, External};
use crate::forwarding::tables;
use crate::generate::crosspoints::{Fabric, FabricError};
use crate::generate::{TieBreak, Uplinks, UplinksError, generate};
use crate::graph::Graph;
use crate::graph::paths::{DisjointPaths, Distances};
use crate::study::flow_level::{FlowError, Load};
use crate::study::workload::{Production, SocialGraph, Traffic, WorkloadError, clustered, random_destinations};
use engine::Seed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::SettingError;

/// Why a study gives nothing.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StudyError {
    /// A setting that cannot be.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A rack without such crosspoints.
    #[error(transparent)]
    Fabric(#[from] FabricError),
    /// A rack without such a workload.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// More uplinks than SoCs.
    #[error(transparent)]
    Uplinks(#[from] UplinksError),
    /// A rack without such a topology.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    /// What does not fit on the topology.
    #[error(transparent)]
    Flow(#[from] FlowError),
    /// Traffic that leaves the range of a matrix.
    #[error(transparent)]
    Demand(#[from] DemandError),
    /// A torus of another degree.
    #[error("soc_ports = {ports}: a 3D torus has SoCs of 6 ports; leave `torus` out of `topologies`, or write 6")]
    TorusPorts {
        /// What was given.
        ports: u32,
    },
}

/// The fabrics that are compared (§6.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "XFabricStudyTopology")]
pub enum Topology {
    /// Algorithm 1 over partial crosspoints.
    XFabric,
    /// OSA's construction over one large circuit switch.
    Osa,
    /// The 3D torus nearest to a cube.
    Torus,
    /// A random regular graph.
    Random,
}

impl Topology {
    /// All of them.
    pub const ALL: [Topology; 4] = [Topology::XFabric, Topology::Osa, Topology::Torus, Topology::Random];

    /// What settings call it.
    pub fn name(self) -> &'static str {
        match self {
            Topology::XFabric => "xfabric",
            Topology::Osa => "osa",
            Topology::Torus => "torus",
            Topology::Random => "random",
        }
    }
}

/// Who talks to whom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Workload {
    /// The stand-in for the production trace.
    Production(Production),
    /// The stand-in for LiveJournal.
    Social(SocialGraph),
    /// Clusters of so many SoCs, all to all in each.
    Clustered(u32),
    /// So many random destinations for each SoC.
    RandomDestinations(u32),
}

/// Where XFabric's uplinks are, and who uses them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UplinkChoice {
    /// Placed and assigned by §4.2.
    Placed,
    /// Placed, and the topology made for it, by §4.2; then each SoC uses the nearest, as §6.1 has it for all topologies.
    Nearest,
    /// As for the other topologies: spread evenly, and the nearest for each SoC.
    Uniform,
}

/// What is compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// n, SoCs of the rack.
    pub socs: u32,
    /// d, internal ports of each.
    pub ports: u32,
    /// l, uplinks of the rack.
    pub uplinks: u32,
    /// The demand.
    pub workload: Workload,
    /// Topologies for it, in the order of the rows.
    pub topologies: Vec<Topology>,
    /// Does the traffic matrix that topologies are made for hold what goes to uplinks? Without, it is §6.2's `tm`, bytes between
    /// pairs of SoCs; with, §4.2's `dm_all`.
    pub with_uplinks: bool,
    /// Where XFabric's uplinks are, and who uses them.
    pub uplink_choice: UplinkChoice,
    /// What decides between pairs of equal demand.
    pub ties: TieBreak,
    /// In how many subflows each flow is placed on links (§6.4); 0 leaves the load of links and disjoint paths out.
    pub subflows: u32,
    /// What all chance is drawn from.
    pub seed: Seed,
}

/// How a topology carries the demand. Means are over bytes; `None` without such traffic, or if it was not asked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "XFabricStudyRow")]
pub struct Row {
    /// Which topology.
    pub topology: Topology,
    /// Mean path length of what SoCs send each other, in hops (Fig 2a).
    pub path_length: Option<f64>,
    /// Mean path length of ingress and egress traffic inside the rack, in hops (Fig 4b).
    pub uplink_path_length: Option<f64>,
    /// The longest shortest path, in hops; `None` if the topology is not connected.
    pub diameter: Option<u32>,
    /// Share of the bytes between SoCs that go over a single circuit, from 0 to 1.
    pub direct: Option<f64>,
    /// Share of the bytes between SoCs of the heaviest pairs, as many as a SoC has ports each: what the best choice of pairs
    /// could carry over single circuits at most, whatever joins them.
    pub direct_at_most: Option<f64>,
    /// Pairs of SoCs over which the bytes are spread: so many with equal bytes would be as uneven.
    pub effective_pairs: Option<f64>,
    /// Mean number of disjoint shortest paths (Fig 2b).
    pub disjoint_paths: Option<f64>,
    /// Share of the bytes that go over the most loaded link, from 0 to 1 (Fig 2c).
    pub bottleneck: Option<f64>,
    /// Bytes times links, as a multiple of all bytes.
    pub total_load: Option<f64>,
    /// The most loaded link as a multiple of the mean link.
    pub skew: Option<f64>,
}

impl Study {
    /// The demand.
    ///
    /// # Errors
    /// If there is no such workload.
    pub fn traffic(&self) -> Result<Traffic, StudyError> {
        let demand = match self.workload {
            Workload::Production(production) => return Ok(production.on(self.socs, self.seed)?),
            Workload::Social(graph) => graph.on(self.socs, self.seed)?,
            Workload::Clustered(cluster) => clustered(self.socs, cluster, self.seed)?,
            Workload::RandomDestinations(destinations) => random_destinations(self.socs, destinations, self.seed)?,
        };
        let (flows, cluster) = (demand.clone(), vec![0; self.socs as usize]);
        Ok(Traffic { demand, flows, external: External::none(self.socs), cluster })
    }

    /// One topology for it, and its uplinks.
    ///
    /// # Errors
    /// If there is no such rack.
    pub fn topology(&self, topology: Topology, traffic: &Traffic) -> Result<(Graph, Option<Uplinks>), StudyError> {
        let uplinks = match topology {
            Topology::XFabric if self.uplink_choice != UplinkChoice::Uniform => {
                Some(Uplinks::place(&traffic.external, self.uplinks)?)
            }
            Topology::XFabric | Topology::Osa | Topology::Torus | Topology::Random => None,
        };
        let demand = match &uplinks {
            Some(uplinks) if self.with_uplinks => &uplinks.demand(&traffic.demand, &traffic.external)?,
            _ => &traffic.demand,
        };
        let graph = match topology {
            Topology::XFabric => {
                let fabric = Fabric::port_by_port(self.socs, self.ports)?.with_fixed_circuits(self.seed);
                generate(&fabric, demand, self.ties.with(self.seed.0))
                    .expect("fabric and demand have as many SoCs")
                    .graph(&fabric)
            }
            Topology::Osa => osa(demand, self.ports, Matching::Repeated, self.seed)?,
            Topology::Torus => torus(most_cubic(self.socs))?,
            Topology::Random => random_graph(self.socs, self.ports, self.seed)?,
        };
        Ok((graph, uplinks))
    }

    /// What a controller computes for a new configuration, and no more: XFabric's circuits and forwarding tables, the graph of
    /// others. For whoever takes the time (§6.6, Fig 6a).
    ///
    /// # Errors
    /// As [`Study::topology`].
    pub fn compute(&self, topology: Topology, traffic: &Traffic) -> Result<usize, StudyError> {
        let (graph, _) = self.topology(topology, traffic)?;
        Ok(match topology {
            Topology::XFabric => tables(&graph, &Distances::of(&graph)).len(),
            Topology::Osa | Topology::Torus | Topology::Random => graph.links().count(),
        })
    }

    /// A row for each topology.
    ///
    /// # Errors
    /// As [`Study::traffic`] and [`Study::topology`], and for demand without a path.
    pub fn rows(&self) -> Result<Vec<Row>, StudyError> {
        let traffic = self.traffic()?;
        self.topologies.iter().map(|&topology| self.row(topology, &traffic)).collect()
    }

    fn row(&self, topology: Topology, traffic: &Traffic) -> Result<Row, StudyError> {
        let (graph, placed) = self.topology(topology, traffic)?;
        let distances = Distances::of(&graph);
        let uplinks = match placed {
            Some(placed) if self.uplink_choice == UplinkChoice::Nearest => to_nearest(&distances, placed.places),
            Some(placed) => placed,
            None => nearest_uplinks(&distances, self.uplinks)?,
        };
        let (mut disjoint_paths, mut load) = (None, None);
        if self.subflows > 0 {
            let all =
                if self.with_uplinks { &uplinks.demand(&traffic.demand, &traffic.external)? } else { &traffic.demand };
            load = Some(Load::place(&graph, &distances, all, self.subflows, self.seed)?);
            disjoint_paths = DisjointPaths::new(&graph, &distances).mean(&traffic.demand);
        }
        Ok(Row {
            topology,
            path_length: distances.mean(&traffic.demand),
            uplink_path_length: distances.mean_to_uplinks(&uplinks, &traffic.external),
            diameter: distances.diameter(),
            direct: distances.within(&traffic.demand, 1),
            direct_at_most: traffic.demand.heaviest_share(self.ports),
            effective_pairs: traffic.demand.effective_pairs(),
            disjoint_paths,
            bottleneck: load.as_ref().map(Load::bottleneck),
            total_load: load.as_ref().map(Load::total),
            skew: load.as_ref().map(Load::skew),
        })
    }
}
