//! The demand of §6: the two synthetic patterns as the paper states them, and stand-ins for the two traces, which cannot be had.
//!
//! | paper | here | synthetic |
//! |---|---|---|
//! | clusters (§6.4, Fig 3a) | [`clustered`] | as stated |
//! | random destinations (§6.4, Fig 3b) | [`random_destinations`] | as stated |
//! | flow sizes of the production cluster (§6.5) | [`FlowSizes`] | the shape; mean, median, largest and mean of the small ones as stated |
//! | production cluster (§6.2) | [`Production`] | structure after the paper's words, amounts after measurements of others |
//! | LiveJournal (§6.2) | [`SocialGraph`] | a random graph with LiveJournal's published degrees and locality, partitioned by METIS |
//!
//! All are mapped onto SoCs randomly (§6.2). Chance comes from streams named `xfabric.workload.*`.

mod flow_sizes;
mod patterns;
mod production;
mod scale;
mod social;
#[cfg(test)]
mod tests;

pub use flow_sizes::FlowSizes;
pub use patterns::{clustered, random_destinations};
pub use production::Production;
pub use social::SocialGraph;

use crate::demand::{Demand, DemandError, External};

/// A workload mapped onto SoCs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traffic {
    /// What SoCs send each other, in bytes.
    pub demand: Demand,
    /// How many flows that is, by source and destination.
    pub flows: Demand,
    /// What goes to the data centre and comes from there, in bytes.
    pub external: External,
    /// By SoC: which servers have the same hostname prefix.
    pub cluster: Vec<u32>,
}

/// Why there is no such workload.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WorkloadError {
    /// No rack, or more than a matrix holds.
    #[error(transparent)]
    Demand(#[from] DemandError),
    /// Nobody to talk to, or more than there are.
    #[error("`{key}` is {given}; write {least} to {most}")]
    Range {
        /// The setting.
        key: &'static str,
        /// What it was given.
        given: u32,
        /// The least that is possible.
        least: u32,
        /// The most that is possible.
        most: u32,
    },
    /// METIS says no.
    #[error("METIS could not partition the graph: {0}")]
    Partition(String),
}

fn in_range(key: &'static str, given: u32, least: u32, most: u32) -> Result<(), WorkloadError> {
    if (least..=most).contains(&given) { Ok(()) } else { Err(WorkloadError::Range { key, given, least, most }) }
}
