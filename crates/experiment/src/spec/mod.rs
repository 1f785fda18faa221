//! What a person writes: the experiment file, key by key.
//!
//! The comments on fields are the reference documentation, word for word. A key that is new here is known to the checks,
//! the reference and the editors' schema at once.

mod compare;
mod fault;
mod hosts;
mod measure;
mod outside;
mod pattern;
mod sizes;
mod topology;
mod workload;

pub use compare::{CompareSpec, EqualSpec};
pub use fault::FaultSpec;
pub use hosts::HostsSpec;
pub use measure::{MeasureSpec, SeriesKind};
pub use outside::{OutsideKind, OutsideSpec};
pub use pattern::{
    AmongSpec, ClustersSpec, HotspotSpec, MatrixSpec, PatternName, PatternSpec, PatternTable, RackLocalSpec,
};
pub use sizes::{
    ExponentialSpec, InterpolationSpec, ParetoSpec, PublishedName, PublishedSpec, SizesFileSpec, SizesSpec, SizesTable,
    UniformSpec,
};
pub use topology::{
    An3Spec, ClosSpec, FatTreeSpec, FileFormat, FileSpec, FoldedClosSpec, LeafSpineSpec, LinkSpec, OneLinkSpec,
    PlanesSpec, StarSpec, TierSpec, TopologyKind, TopologySpec, TorusSpec, WiringSpec,
};
pub use workload::{
    AllToAllSpec, AllToManySpec, BackgroundSpec, ClosedLoopSpec, CollectiveAllToAllSpec, CollectiveSpec, IncastSpec,
    OrderSpec, PairsSpec, PermutationSpec, PoissonSpec, TraceFormat, TraceSpec, WorkloadKind, WorkloadSpec,
};

use fabrics::FabricSpec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::shape::{self, TableShape};
use settings::{LastingText, TimeText};
use std::sync::OnceLock;
use units::{Span, Time};

/// An experiment: a fabric, what it is made of, the traffic on it, and what to measure. One file describes a whole figure:
/// `[[variant]]` tables change keys, `[sweep]` gives axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// What the experiment shows, in a few words: the title of its report.
    #[serde(default)]
    #[schemars(example = "Three transports on a 432-host fat-tree")]
    pub title: Option<String>,
    /// Where all chance comes from. The same file and seed give the same results to the last byte, on any machine and with
    /// any number of threads. It must be written, so that nobody's results hang on a hidden one.
    #[schemars(example = 1)]
    pub seed: u64,
    /// Simulated time at which the run ends at the latest.
    #[serde(default = "ten_milliseconds")]
    #[schemars(with = "LastingText")]
    pub duration: Time,
    /// Simulated time from which on everything is measured. What happened before, while queues filled and windows opened,
    /// counts in no statistic.
    #[serde(default)]
    #[schemars(with = "TimeText")]
    pub warmup: Time,
    /// Whether the run ends before its duration once every flow that can finish has finished.
    #[serde(default = "yes")]
    pub stop_when_done: bool,
    /// The graph: hosts, switches and the links between them.
    pub topology: TopologySpec,
    /// What the switches do.
    #[serde(default)]
    pub fabric: FabricSpec,
    /// What the hosts do to share the fabric.
    #[serde(default)]
    pub transport: transport::Config,
    /// The flows. Several entries run at the same time, each with statistics of its own.
    #[schemars(length(min = 1))]
    pub workload: Vec<WorkloadSpec>,
    /// What breaks during the run, and when.
    #[serde(default)]
    pub fault: Vec<FaultSpec>,
    /// What is written down, beyond the totals of the run.
    #[serde(default)]
    pub measure: MeasureSpec,
    /// What is to be alike for all variants, and what flows are compared with.
    #[serde(default)]
    pub compare: Option<CompareSpec>,
}

fn ten_milliseconds() -> Time {
    Time::ZERO + Span::from_ms(10)
}
fn yes() -> bool {
    true
}

/// The shape of a whole experiment file, without its variants and its sweep.
pub(crate) fn shape() -> &'static TableShape {
    static SHAPE: OnceLock<TableShape> = OnceLock::new();
    SHAPE.get_or_init(shape::of::<Spec>)
}
