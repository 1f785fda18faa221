//! What an experiment would run, as the command line's `check` says it.

use crate::compare::Worth;
use crate::estimate::HOPS_PER_CORE_SECOND;
use crate::plan::{Plan, PlannedFault, RunPlan};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// What an experiment would run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Plan")]
pub struct Check {
    /// The experiment's title.
    pub title: Option<String>,
    /// Its runs, in their order.
    pub runs: Vec<PlannedRun>,
    /// What a person should know, though nothing is wrong.
    pub warnings: Vec<String>,
}

/// One run as it would go, and roughly what it would cost.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PlannedRun {
    /// Its name.
    pub name: String,
    /// The variant that it is of.
    pub variant: Option<String>,
    /// Full key of each swept axis, and the value in this run.
    pub sweep: Map<String, Value>,
    /// Where all its chance comes from.
    pub seed: u64,
    /// Hosts of its topology.
    pub hosts: u32,
    /// Switches of its topology.
    pub switches: u32,
    /// Links of its topology; the two directions of a cable are two.
    pub links: usize,
    /// Its topology in words.
    pub topology: String,
    /// The kind of its fabric.
    pub fabric: &'static str,
    /// The kinds of its transports.
    pub transport: String,
    /// When it ends at the latest, in picoseconds.
    pub duration_ps: u64,
    /// From when on everything is measured, in picoseconds.
    pub warmup_ps: u64,
    /// What would break.
    pub faults: Vec<PlannedFault>,
    /// Its workloads, in the order of the file.
    pub workloads: Vec<PlannedWorkload>,
    /// Frames over links, acknowledgements too: an order of magnitude.
    pub estimated_hops: f64,
    /// Seconds of one core that these take: an order of magnitude.
    pub estimated_core_s: f64,
    /// Memory that it takes, in bytes.
    pub estimated_memory_bytes: u64,
    /// What its network can carry, draws and costs, in files with `[compare]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worth: Option<Worth>,
}

/// One workload as it would run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PlannedWorkload {
    /// Its name.
    pub name: String,
    /// Its kind, as experiment files have it.
    pub kind: &'static str,
    /// The kind of transport of its flows.
    pub transport: &'static str,
    /// What it sends, in a line.
    pub description: String,
    /// How many flows it starts if every flow that has an end does end in time: exact for lists, the mean for arrivals at random; null if
    /// it depends on the network.
    pub flows: Option<u64>,
    /// Mean size; null if the flows never end.
    pub mean_bytes: Option<f64>,
    /// Payload that it offers over the sum of all hosts' link rates; null if it waits for the network.
    pub offered_load: Option<f64>,
    /// Payload bits a second that it offers, whatever the network carries; null if it waits for the network.
    pub offered_bps: Option<f64>,
}

impl Plan {
    /// What would run.
    pub fn check(&self) -> Check {
        Check {
            title: self.title.clone(),
            runs: self.runs.iter().map(PlannedRun::of).collect(),
            warnings: self.warnings.clone(),
        }
    }
}

impl PlannedRun {
    fn of(run: &RunPlan) -> PlannedRun {
        let hops = run.estimated_hops();
        PlannedRun {
            name: run.name.clone(),
            variant: run.variant.clone(),
            sweep: run.sweep.iter().cloned().collect(),
            seed: run.seed.0,
            hosts: run.topology.hosts(),
            switches: run.topology.switches(),
            links: run.topology.links().len(),
            topology: run.topology.describe(),
            fabric: run.fabric.name(),
            transport: run.transports.name(),
            duration_ps: run.duration.as_ps(),
            warmup_ps: run.warmup.as_ps(),
            faults: run.faults.planned.clone(),
            workloads: (0..run.groups.len()).map(|index| PlannedWorkload::of(run, index)).collect(),
            estimated_hops: hops,
            estimated_core_s: hops / HOPS_PER_CORE_SECOND,
            estimated_memory_bytes: run.estimated_memory(),
            worth: run.worth.clone(),
        }
    }
}

impl PlannedWorkload {
    fn of(run: &RunPlan, index: usize) -> PlannedWorkload {
        let group = &run.groups[index];
        PlannedWorkload {
            name: group.name.clone(),
            kind: group.kind,
            transport: run.transports.of(index).name(),
            description: group.description.clone(),
            flows: group.flows,
            mean_bytes: group.mean_bytes,
            offered_load: group.offered_load,
            offered_bps: group.offered_bps,
        }
    }
}
