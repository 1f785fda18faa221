//! What a workload needs to know of the run it is for.

use engine::{Seed, Stream};
use units::{Rate, Time};

/// The run: its hosts, its seed, its length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Hosts are 0..hosts.
    pub hosts: u32,
    /// Rate of one host's link: what a load of 1 fills.
    pub host_rate: Rate,
    /// Leaf (top-of-rack switch) of each host, by any numbering; empty where the topology has none. For patterns that tell
    /// the own rack from others.
    pub leaf: Vec<u32>,
    /// The seed of the run.
    pub seed: Seed,
    /// No flow starts at or after this.
    pub duration: Time,
}

/// The chance of one group: streams that depend on the run's seed and on the group's name, and on nothing else, so that
/// adding a group or an option changes no other group's flows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chance(Seed);

impl Chance {
    pub(crate) fn new(seed: Seed, group: &str) -> Chance {
        Chance(Seed(seed.stream(&format!("workload.{group}"), 0).bits()))
    }
    /// What an independent choice of this group draws from.
    pub(crate) fn stream(&self, choice: &str, index: u64) -> Stream {
        self.0.stream(choice, index)
    }
}
