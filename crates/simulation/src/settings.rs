//! What a run is told beside its parts.

use fabric::Fault;
use std::sync::Arc;
use topology::LinkId;
use units::{Span, Time};

/// When a run ends and what it records.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The latest end, in simulated time.
    pub duration: Time,
    /// Statistics are of what comes after this.
    pub warmup: Time,
    /// End as soon as every flow that can finish has finished.
    pub stop_when_done: bool,
    /// Time between samples of series. None: as often as it takes to cover what is simulated, evenly, with 128 to 256 samples.
    pub sample: Option<Span>,
    /// Links with series of their own.
    pub watch: Vec<LinkId>,
    /// Write a row for every flow.
    pub flows: bool,
    /// Write a row for every link.
    pub links: bool,
    /// Series to write.
    pub goodput: bool,
    /// See `goodput`.
    pub queue: bool,
    /// See `goodput`.
    pub utilisation: bool,
    /// What breaks or is repaired, and when, in order of time.
    pub faults: Vec<(Time, Fault)>,
    /// What the summary is of.
    pub labels: Labels,
}

/// What a run is called and made of, for its summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    /// The run.
    pub run: Arc<str>,
    /// Its variant.
    pub variant: Option<Arc<str>>,
    /// Its fabric.
    pub fabric: Arc<str>,
    /// Its transport.
    pub transport: Arc<str>,
    /// Its seed.
    pub seed: u64,
}
