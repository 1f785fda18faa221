//! `[[workload]]`: the flows. The next workload is one more kind here.

use super::{HostsSpec, PatternSpec, SizesSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{LastingText, TimeText, VolumeText};
use units::{Bytes, Span, Time};

/// A group of flows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadSpec {
    /// What it sends.
    #[serde(flatten)]
    pub kind: WorkloadKind,
    /// What its flows are called in the results. Its chance depends on the seed and on this name only, so other workloads may
    /// come and go beside it. By default its kind, with a number if that is not unique.
    #[serde(default)]
    pub name: Option<String>,
    /// Strict priority of its frames, 0 first; below `fabric.priorities`.
    #[serde(default)]
    #[schemars(range(max = 7))]
    pub priority: u8,
    /// The transport that carries it. By default that of the `[transport]` table: workloads with transports of their own meet those of others
    /// in one run.
    #[serde(default)]
    pub transport: Option<transport::Config>,
    /// When it begins.
    #[serde(default)]
    #[schemars(with = "TimeText")]
    pub start: Time,
    /// From when on it starts no more flows. By default the end of the run.
    #[serde(default)]
    #[schemars(with = "Option<LastingText>")]
    pub stop: Option<Time>,
    /// Each host begins up to this much later than told, evenly at random, again in each round: exact synchrony has effects
    /// of its own. Not for `poisson` and `trace`, whose flows do not start together.
    #[serde(default)]
    #[schemars(with = "TimeText")]
    pub jitter: Span,
}

/// The kinds of workloads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum WorkloadKind {
    /// Every host sends to one other, and every host receives from one other: the heaviest traffic that a network of full
    /// bisection should carry, and the usual test of load balancing.
    Permutation(PermutationSpec),
    /// Every host sends to every other.
    AllToAll(AllToAllSpec),
    /// Every host sends to some others at once.
    AllToMany(AllToManySpec),
    /// Many hosts send to one at once: the answer to a question that was put to all of them.
    Incast(IncastSpec),
    /// Flows arrive at random (a Poisson process), with sizes from a distribution, between hosts of a pattern.
    Poisson(PoissonSpec),
    /// Every host keeps some flows to random others going.
    Background(BackgroundSpec),
    /// Every host works through a list of flows of its own, so many at a time: when one ends the next one starts.
    ClosedLoop(ClosedLoopSpec),
    /// Ring all-reduce: each participant passes pieces on to the next, twice around the ring; 2 (n - 1) dependent steps.
    RingAllReduce(CollectiveSpec),
    /// Tree all-reduce: sums go up a binary tree of participants, and the result comes down.
    TreeAllReduce(CollectiveSpec),
    /// The collective operation in which each participant sends a piece to each other one, step by step.
    CollectiveAllToAll(CollectiveAllToAllSpec),
    /// Flows from a file, with their dependencies.
    Trace(TraceSpec),
}

impl WorkloadKind {
    /// Its name in experiment files.
    pub fn name(&self) -> &'static str {
        match self {
            WorkloadKind::Permutation(_) => "permutation",
            WorkloadKind::AllToAll(_) => "all-to-all",
            WorkloadKind::AllToMany(_) => "all-to-many",
            WorkloadKind::Incast(_) => "incast",
            WorkloadKind::Poisson(_) => "poisson",
            WorkloadKind::Background(_) => "background",
            WorkloadKind::ClosedLoop(_) => "closed-loop",
            WorkloadKind::RingAllReduce(_) => "ring-all-reduce",
            WorkloadKind::TreeAllReduce(_) => "tree-all-reduce",
            WorkloadKind::CollectiveAllToAll(_) => "collective-all-to-all",
            WorkloadKind::Trace(_) => "trace",
        }
    }
}

/// A permutation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PermutationSpec {
    /// How long the flows are. Without it they never end, and what is measured is their throughput.
    #[serde(default)]
    pub size: Option<SizesSpec>,
    /// Who sends to whom: a list of sources and destinations such as `[[0, 3], [3, 0]]`, or a number: so many pairs of a
    /// random permutation. By default all pairs of a random permutation without fixed points.
    #[serde(default)]
    pub pairs: Option<PairsSpec>,
    /// How often. The next round, with new pairs, begins when the last flow of this one has ended.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub rounds: u64,
    /// From the end of a round to the start of the next.
    #[serde(default)]
    #[schemars(with = "TimeText")]
    pub gap: Span,
}

/// Pairs of hosts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PairsSpec {
    /// So many, at random.
    Count(#[schemars(range(min = 1))] u32),
    /// These.
    List(#[schemars(length(min = 1))] Vec<[u32; 2]>),
}

/// Everyone to everyone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AllToAllSpec {
    /// How long the flows are.
    #[schemars(extend("examples" = ["100 KB"]))]
    pub size: SizesSpec,
    /// Who takes part.
    #[serde(default)]
    pub hosts: HostsSpec,
    /// In which order a host sends to the others.
    #[serde(default)]
    pub order: OrderSpec,
    /// How many flows a host sends at a time; the next starts when one ends. By default all at once.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub concurrent: Option<u32>,
}

/// The order in which a host sends to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OrderSpec {
    /// In a random order of its own.
    #[default]
    Random,
    /// From the first host to the last, all alike, so that all send to one host at a time: the worst order.
    Fixed,
    /// Beginning with the next host, and around: at each step every host receives from one.
    Shifted,
}

/// Everyone to some.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AllToManySpec {
    /// To whom: a number (each sender draws so many for itself), a list of hosts, or words such as "random 8" (all send to
    /// the same).
    #[schemars(extend("examples" = [8]))]
    pub receivers: HostsSpec,
    /// Who sends.
    #[serde(default)]
    pub senders: HostsSpec,
    /// How long the flows are. Without it they never end.
    #[serde(default)]
    pub size: Option<SizesSpec>,
    /// How often. Receivers are drawn anew each time.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub rounds: u64,
    /// From the end of a round to the start of the next.
    #[serde(default)]
    #[schemars(with = "TimeText")]
    pub gap: Span,
}

/// Many to one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IncastSpec {
    /// Who sends: a number (so many at random, drawn anew each round), a list of hosts, or words such as "first 32". By
    /// default all but the receiver.
    #[serde(default)]
    pub senders: HostsSpec,
    /// Who receives. By default a random host, another one each round.
    #[serde(default)]
    pub receiver: Option<u32>,
    /// How long the flows are. Without it they never end.
    #[serde(default)]
    pub size: Option<SizesSpec>,
    /// How often. The next round begins when the last flow of this one has ended.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub rounds: u64,
    /// From the end of a round to the start of the next.
    #[serde(default)]
    #[schemars(with = "TimeText")]
    pub gap: Span,
}

/// A point of the distribution of how many flows start at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BurstSpec {
    /// This fraction of all bursts...
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0, "examples" = [0.9]))]
    pub fraction: f64,
    /// ... has at most so many flows.
    #[schemars(range(min = 1, max = 1_000_000), extend("examples" = [2]))]
    pub flows: u32,
}

/// Flows at random times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PoissonSpec {
    /// Payload that all hosts offer together, over the sum of their link rates: 0.5 on hosts of 10 Gb/s is 5 Gb/s a host on
    /// average. Headers and framing come on top. Either this or `flows_per_second` must be written.
    #[serde(default)]
    #[schemars(range(max = 1000.0), extend("exclusiveMinimum" = 0.0), extend("examples" = [0.5]))]
    pub load: Option<f64>,
    /// Instead of `load`: how many flows start each second, all hosts together, on average.
    #[serde(default)]
    #[schemars(range(max = 1e12), extend("exclusiveMinimum" = 0.0))]
    pub flows_per_second: Option<f64>,
    /// How many flows there are in all: a run ends when the last one has finished, if its `duration` is long enough. Without it they arrive until
    /// `stop`.
    #[serde(default)]
    #[schemars(range(min = 1), extend("examples" = [10_000]))]
    pub flows: Option<u64>,
    /// How long the flows are.
    #[schemars(extend("examples" = ["web-search"]))]
    pub size: SizesSpec,
    /// Who sends to whom.
    #[serde(default)]
    pub pattern: PatternSpec,
    /// How many flows a host starts at once, each with a size and a destination of its own: points of the cumulative distribution. Between two points every number comes
    /// alike. Without it every flow starts by itself.
    #[serde(default)]
    pub burst: Option<Vec<BurstSpec>>,
    /// Whether to offer more than the hosts' links can carry, so that queues grow as long as the run lasts.
    #[serde(default)]
    pub allow_overload: bool,
}

/// Long-running flows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BackgroundSpec {
    /// How many flows each host keeps going.
    #[serde(default = "one_flow")]
    #[schemars(range(min = 1))]
    pub flows_per_host: u32,
    /// Instead: so many flows in all, each from a random host.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub flows: Option<u32>,
    /// Who sends.
    #[serde(default)]
    pub hosts: HostsSpec,
    /// How long the flows are; where one ends, another starts to another random host. Without it they never end.
    #[serde(default)]
    pub size: Option<SizesSpec>,
}

/// A list of flows for each host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClosedLoopSpec {
    /// How many flows there are in all. Every host has as many, or with a matrix as many as its share of what is sent. Without it hosts
    /// go on until `stop`.
    #[serde(default)]
    #[schemars(range(min = 1), extend("examples" = [250_000]))]
    pub flows: Option<u64>,
    /// How many flows of a host are active at a time.
    #[serde(default = "one_flow")]
    #[schemars(range(min = 1))]
    pub flows_per_host: u32,
    /// How long the flows are.
    #[schemars(extend("examples" = ["xfabric-production"]))]
    pub size: SizesSpec,
    /// To whom a host sends.
    #[serde(default)]
    pub pattern: PatternSpec,
    /// So many flows in a row of a host's list go to the same destination.
    #[serde(default = "one_flow")]
    #[schemars(range(min = 1))]
    pub repeat: u32,
}

/// A collective operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CollectiveSpec {
    /// How much each participant contributes: the size of the vector that is reduced, or of all that one sends.
    #[schemars(with = "VolumeText", example = "64 MB")]
    pub bytes: Bytes,
    /// Who takes part, in the order of their ranks.
    #[serde(default)]
    pub participants: HostsSpec,
    /// How often.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub repeat: u64,
    /// Computation between the end of one operation, when the last participant has all it needs, and the start of the next.
    #[serde(default)]
    #[schemars(with = "TimeText")]
    pub gap: Span,
}

/// A collective all-to-all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CollectiveAllToAllSpec {
    /// Who, how much, how often.
    #[serde(flatten)]
    pub collective: CollectiveSpec,
    /// Whether a step begins only when all participants have ended the one before.
    #[serde(default)]
    pub barrier: bool,
}

/// Flows from a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceSpec {
    /// The file, relative to the folder of the experiment file.
    #[schemars(example = "flows.csv")]
    pub path: String,
    /// Its format. By default, what its name ends in says it: `.csv`, `.parquet`, `.cm` (htsim), `.txt` and `.flow`
    /// (hpcc), `.htsim` (opera).
    #[serde(default)]
    pub format: Option<TraceFormat>,
    /// Whether to move the trace so that its first flow starts at `start`. Otherwise `start` is added to the times in it.
    #[serde(default)]
    pub rebase: bool,
}

/// Formats of traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TraceFormat {
    /// A CSV file with a header that names the columns `src`, `dst`, `bytes`, and `start` (in seconds, or with a unit) or
    /// `start_ps`; if wanted `id`, and `after`: the ids of the flows that must end first.
    Csv,
    /// The same columns as Parquet.
    Parquet,
    /// htsim's connection matrix: starts in picoseconds, triggers as dependencies.
    Htsim,
    /// The flow file of HPCC and its relatives of ns-3: `src dst 3 port bytes start_seconds`.
    Hpcc,
    /// Shoal's CSV: `flow-id,src,dst,bytes,start_s`.
    Shoal,
    /// Opera's: `src dst bytes start_ns`.
    Opera,
}

fn one() -> u64 {
    1
}
fn one_flow() -> u32 {
    1
}
