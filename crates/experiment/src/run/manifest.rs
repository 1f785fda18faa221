//! What is known of an experiment beside its tables: what ran, on what, how it ended. The only place for wall-clock numbers.

use crate::compare::Worth;
use crate::plan::PlannedFault;
use crate::spec::CompareSpec;
use results::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `manifest.json` of a results folder: what was run, on what, and how each run ended.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Manifest {
    /// Version that ran it.
    pub gossamer: String,
    /// The experiment's title.
    pub title: Option<String>,
    /// Its file, without folders.
    pub file: String,
    /// What `--set` changed, as `key=value`.
    pub overrides: Vec<String>,
    /// The other files that it reads, as it names them.
    pub inputs: BTreeMap<String, Digest>,
    /// When it was started (RFC 3339).
    pub started: String,
    /// Seconds since.
    pub wall_s: f64,
    /// Runs at once.
    pub threads: usize,
    /// What it ran on.
    pub machine: Machine,
    /// How it ended.
    pub status: Status,
    /// What there is to say of that. Only in memory: it says why the file could not be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What is to be alike for all runs, and what their flows are compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compare: Option<CompareSpec>,
    /// Its runs.
    pub runs: Vec<RunEntry>,
}

/// A machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Machine {
    /// Its processor.
    pub cpu: String,
    /// Processors that may be used.
    pub cores: usize,
    /// Operating system and architecture.
    pub os: String,
}

impl Machine {
    /// This one.
    pub fn here() -> Machine {
        let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = information.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
        Machine {
            cpu: model.map_or_else(|| "unknown".to_owned(), |(_, name)| name.trim().to_owned()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            os: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }
}

/// How an experiment ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "ExperimentStatus")]
pub enum Status {
    /// It goes on.
    Running,
    /// Every run is done.
    Done,
    /// It was stopped.
    Stopped,
    /// A run failed or stalled.
    Failed,
}

/// A run: how it was made, and how it ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunEntry {
    /// Its name.
    pub name: String,
    /// Its folder, from that of the experiment.
    pub folder: String,
    /// Its variant.
    pub variant: Option<String>,
    /// Its place on the axes of the sweep.
    pub sweep: BTreeMap<String, serde_json::Value>,
    /// Its seed.
    pub seed: u64,
    /// SHA-256 of what was checked of its file, with the files that it reads: by this and its version it is known again. Empty in manifests of
    /// versions that knew none.
    #[serde(default)]
    pub plan: String,
    /// Version that ran it.
    #[serde(default)]
    pub gossamer: String,
    /// What broke during it.
    pub faults: Vec<PlannedFault>,
    /// How it ended.
    pub status: RunStatus,
    /// What there is to say of that.
    pub message: Option<String>,
    /// Seconds of processor time.
    pub core_s: f64,
    /// Frames over links.
    pub hops: u64,
    /// Simulated time at the end, in picoseconds.
    pub simulated_ps: u64,
    /// Its tables that are closed, and what is in their files.
    #[serde(default)]
    pub tables: BTreeMap<String, Digest>,
    /// What its network can carry, draws and costs, in files with `[compare]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worth: Option<Worth>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RunStatus {
    /// It has not begun.
    NotStarted,
    /// It goes on.
    Running,
    /// It did what it was to do.
    Done,
    /// It was stopped; its results go as far as it came.
    Stopped,
    /// Nothing moved any more; the message says who waits for what.
    Stalled,
    /// The budget of wall-clock time was spent; its results go as far as it came.
    OutOfTime,
    /// It could not go on; the message says why.
    Failed,
}
