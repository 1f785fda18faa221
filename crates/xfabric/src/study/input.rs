//! What is compared, as a person sets it.

use super::{Study, StudyError, Topology, UplinkChoice, Workload};
use crate::generate::TieBreak;
use crate::study::workload::{Production, SocialGraph};
use engine::Seed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{Flat, SettingError};

/// Topologies under a workload. What is not set is of §6.1 and of the stand-ins' defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// SoCs of the rack, n.
    #[schemars(range(min = 2, max = 16_384))]
    pub socs: u32,
    /// Internal ports of a SoC, d.
    #[schemars(range(min = 1, max = 16))]
    pub soc_ports: u32,
    /// Uplinks of the rack, l; at most one a SoC.
    #[schemars(range(min = 1), extend("x-default" = "8"))]
    pub uplinks: Option<u32>,
    /// What is compared.
    pub topologies: Vec<Topology>,
    /// Who talks to whom (§6.2, §6.4).
    pub workload: WorkloadKind,
    /// Of `production`: servers of the trace.
    #[schemars(range(min = 2, max = 16_384))]
    pub servers: u32,
    /// Of `production`: servers with the same hostname prefix, at most; sizes are log-uniform from 2.
    #[schemars(range(min = 2, max = 16_384))]
    pub largest_cluster: u32,
    /// Of `production`: one in so many servers talks to its whole cluster, the others to a quarter of it.
    #[schemars(range(min = 1, max = 16_384))]
    pub whole_cluster_one_in: u32,
    /// Of `production`: others outside the cluster that each server exchanges a single flow with.
    #[schemars(range(min = 0, max = 16_383))]
    pub strangers: u32,
    /// Of `production`: flows between two servers that talk, at most; numbers are log-uniform from 1.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub most_flows: u32,
    /// Of `social`: nodes of the graph, at least as many as SoCs.
    #[schemars(range(max = 10_000_000))]
    pub nodes: u32,
    /// Of `clustered`: SoCs of a cluster, at most all.
    #[schemars(extend("x-default" = "16"))]
    pub cluster: Option<u32>,
    /// Of `random-destinations`: destinations of a SoC, at most all others.
    #[schemars(extend("x-default" = "6"))]
    pub destinations: Option<u32>,
    /// Whether topologies are made for what goes to uplinks as well.
    pub with_uplinks: bool,
    /// Where XFabric's uplinks are, and who uses them.
    pub uplink_choice: UplinkChoice,
    /// Which of pairs with equal demand comes first.
    pub ties: TieBreak,
    /// Into how many subflows each flow is split to be placed on links (§6.4); 0 leaves load and disjoint paths out.
    #[schemars(range(max = 1_000_000))]
    pub subflows: u32,
    /// What all chance is drawn from.
    pub seed: u64,
}

/// Who talks to whom. The first two are stand-ins: papers/xfabric/README.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WorkloadKind {
    /// A production cluster.
    Production,
    /// The graph of a social network, in as many parts as there are SoCs.
    Social,
    /// All to all in clusters of SoCs.
    Clustered,
    /// Some destinations for each SoC, drawn at random.
    RandomDestinations,
}

impl WorkloadKind {
    /// The settings that are its own.
    fn keys(self) -> &'static [&'static str] {
        match self {
            WorkloadKind::Production => {
                &["servers", "largest_cluster", "whole_cluster_one_in", "strangers", "most_flows"]
            }
            WorkloadKind::Social => &["nodes"],
            WorkloadKind::Clustered => &["cluster"],
            WorkloadKind::RandomDestinations => &["destinations"],
        }
    }

    fn name(self) -> &'static str {
        match self {
            WorkloadKind::Production => "production",
            WorkloadKind::Social => "social",
            WorkloadKind::Clustered => "clustered",
            WorkloadKind::RandomDestinations => "random-destinations",
        }
    }
}

impl Default for Settings {
    /// Those of §6.1 and of the stand-ins.
    fn default() -> Settings {
        let production = Production::default();
        Settings {
            socs: 343,
            soc_ports: 6,
            uplinks: None,
            topologies: Topology::ALL.to_vec(),
            workload: WorkloadKind::Production,
            servers: production.servers,
            largest_cluster: production.largest_cluster,
            whole_cluster_one_in: production.whole_cluster_one_in,
            strangers: production.strangers,
            most_flows: production.most_flows,
            nodes: SocialGraph::default().nodes,
            cluster: None,
            destinations: None,
            with_uplinks: false,
            uplink_choice: UplinkChoice::Placed,
            ties: TieBreak::Shuffled,
            subflows: 0,
            seed: 1,
        }
    }
}

impl Study {
    /// Reads settings.
    ///
    /// # Errors
    /// A key is unknown or of another workload, or a value out of its range.
    pub fn read(given: &Flat) -> Result<Study, StudyError> {
        let settings: Settings = given.read()?;
        let Settings { socs, workload, .. } = settings;
        let kinds =
            [WorkloadKind::Production, WorkloadKind::Social, WorkloadKind::Clustered, WorkloadKind::RandomDestinations];
        for other in kinds.into_iter().filter(|kind| *kind != workload) {
            if let Some(key) = other.keys().iter().find(|key| given.has(key)) {
                let cure = format!("is read only with workload = {}; write that, or leave this out", other.name());
                return Err(given.refusal(key, cure).into());
            }
        }
        let within = |key, value: u32, least: u32, most: u32| -> Result<u32, SettingError> {
            let fits = (least..=most).contains(&value);
            fits.then_some(value)
                .ok_or_else(|| given.refusal(key, format!("expected a whole number from {least} to {most}")))
        };
        let study = Study {
            socs,
            ports: settings.soc_ports,
            uplinks: within("uplinks", settings.uplinks.unwrap_or(8.min(socs)), 1, socs)?,
            workload: match workload {
                WorkloadKind::Production => Workload::Production(Production {
                    servers: settings.servers,
                    largest_cluster: settings.largest_cluster,
                    whole_cluster_one_in: settings.whole_cluster_one_in,
                    strangers: settings.strangers,
                    most_flows: settings.most_flows,
                }),
                WorkloadKind::Social => {
                    Workload::Social(SocialGraph { nodes: within("nodes", settings.nodes, socs, 10_000_000)? })
                }
                WorkloadKind::Clustered => {
                    Workload::Clustered(within("cluster", settings.cluster.unwrap_or(16.min(socs)), 2, socs)?)
                }
                WorkloadKind::RandomDestinations => {
                    let destinations = settings.destinations.unwrap_or(6.min(socs - 1));
                    Workload::RandomDestinations(within("destinations", destinations, 1, socs - 1)?)
                }
            },
            topologies: once(settings.topologies),
            with_uplinks: settings.with_uplinks,
            uplink_choice: settings.uplink_choice,
            ties: settings.ties,
            subflows: settings.subflows,
            seed: Seed(settings.seed),
        };
        if study.ports != 6 && study.topologies.contains(&Topology::Torus) {
            return Err(StudyError::TorusPorts { ports: study.ports });
        }
        Ok(study)
    }
}

/// Each once, where it is first.
fn once(topologies: Vec<Topology>) -> Vec<Topology> {
    let mut found = Vec::new();
    for topology in topologies {
        if !found.contains(&topology) {
            found.push(topology);
        }
    }
    found
}
