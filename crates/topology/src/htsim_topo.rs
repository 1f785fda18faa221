//! htsim's `.topo` files: fat-trees of two or three tiers.
//!
//! ```
//! let topology = topology::htsim_topo::parse("
//!     Nodes 32
//!     Tiers 2
//!     Podsize 32
//!
//!     Tier 0
//!     Downlink_speed_Gbps 100
//!     Downlink_Latency_ns 1000
//!     Radix_Down 8
//!     Radix_Up 2
//!     Oversubscribed 4
//!
//!     Tier 1
//!     Downlink_speed_Gbps 100
//!     Downlink_Latency_ns 1000
//!     Radix_Down 4
//! ")?;
//! assert_eq!(
//!     topology.describe(),
//!     "htsim fat-tree, 2 tiers: 32 hosts, 6 switches, 40 cables of 100 Gb/s and 1 us"
//! );
//! # Ok::<(), topology::ReadError>(())
//! ```
//!
//! A key and a whole number a line; case does not matter; what follows `#` is a comment. As read by `fat_tree_topology.cpp` of
//! Broadcom/csg-htsim, and here:
//!
//! | key | meaning |
//! |---|---|
//! | `Nodes` | hosts |
//! | `Tiers` | tiers of switches: 2 (leaves and spines) or 3 (edge, aggregation, core) |
//! | `Podsize` | hosts of a pod; all hosts when there are 2 tiers |
//! | `Tier` | what follows is about this tier of switches, from 0, the one with hosts |
//! | `Downlink_speed_Gbps` | rate of the links below this tier, both ways |
//! | `Downlink_Latency_ns` | their delay, both ways |
//! | `Radix_Down`, `Radix_Up` | ports of a switch towards hosts and away from them (none at the top) |
//! | `Bundle` | cables in parallel between a switch of this tier and one below; 1 if left out |
//! | `Queue_Down`, `Queue_Up` | buffer in bytes before each port down or up; if left out, the experiment's |
//! | `Oversubscribed` | bandwidth down over bandwidth up. The radices and rates already say it, so it is only checked |
//! | `Switch_Latency_ns` | what a frame waits in a switch before it is queued; 0 if left out |
//!
//! All of these shape the graph but `Oversubscribed`. What differs from htsim:
//! - A switch's latency is added to the delay of the links that leave it, so a frame waits after the queue instead of before:
//!   it arrives at the same time, but queues are seen that much earlier.
//! - Unknown keys, keys that are out of place and text after a value are refused; csg-htsim passes over them.
//! - Cores have other numbers: htsim's aggregation switch `a` of `A` in a pod is joined to cores `a`, `a + A`, `a + 2 A`, ...,
//!   ours to as many in a row, as in [`crate::Shape::FatTree`]. It is the same graph.
//! - Numbers must agree exactly. htsim compares `Radix_Down / Radix_Up`, rounded down, with `Oversubscribed` whatever the rates,
//!   and where `Oversubscribed` is left out takes it for 1; here bandwidths are compared, and only if it is there.

mod lines;
mod plan;
#[cfg(test)]
mod tests;

use crate::{ReadError, Topology};

/// Reads a file. It says all rates and delays itself.
pub fn parse(text: &str) -> Result<Topology, ReadError> {
    plan::Plan::check(&lines::read(text)?)?.build()
}

/// What is wrong with a line of a `.topo` file, or with what lines say together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A key that does not exist.
    #[error("unknown key `{key}`; {cure}")]
    UnknownKey {
        /// As written.
        key: String,
        /// The key that was probably meant, or all there are.
        cure: String,
    },
    /// A key without a number.
    #[error("`{key}` has no value; write a whole number after it, such as `{key} {example}`")]
    NoValue {
        /// The key.
        key: &'static str,
        /// A number it can have.
        example: u32,
    },
    /// Not a number, or not one that it can be.
    #[error("`{key}` is `{value}`; write a whole number from {least} to {most}")]
    NotANumber {
        /// The key.
        key: &'static str,
        /// As written.
        value: String,
        /// Lowest number it can be.
        least: u32,
        /// Highest number it can be.
        most: u32,
    },
    /// More on the line than a key and a number.
    #[error("`{text}` follows the value of `{key}`; a line has one key and one number, and comments begin with #")]
    Trailing {
        /// The key.
        key: &'static str,
        /// The first word too many.
        text: String,
    },
    /// A key of a tier before the first one.
    #[error("`{key}` is about one tier of switches; put it below `Tier 0`, `Tier 1` or `Tier 2`")]
    OutsideTier {
        /// The key.
        key: &'static str,
    },
    /// A key of the header after a tier.
    #[error("`{key}` is about the whole network; put it above the first `Tier`")]
    InsideTier {
        /// The key.
        key: &'static str,
    },
    /// A key twice.
    #[error("`{key}` is already said on line {first}; keep one")]
    Twice {
        /// The key.
        key: &'static str,
        /// Where it was first.
        first: u32,
    },
    /// A key of the header left out.
    #[error("`{key}` is missing from the header, above the first `Tier`")]
    NoHeader {
        /// The key.
        key: &'static str,
    },
    /// A tier left out.
    #[error("there is no `Tier {tier}`; with `Tiers {tiers}` there must be tiers 0 to {}", .tiers - 1)]
    NoTier {
        /// Which.
        tier: u32,
        /// How many there should be.
        tiers: u32,
    },
    /// A tier too many.
    #[error("`Tier {tier}` is one too many; with `Tiers {tiers}` there are tiers 0 to {}", .tiers - 1)]
    ExtraTier {
        /// Which.
        tier: u32,
        /// How many there should be.
        tiers: u32,
    },
    /// A key of a tier left out.
    #[error("Tier {tier} has no `{key}`")]
    NoKey {
        /// Which tier.
        tier: u32,
        /// The key.
        key: &'static str,
    },
    /// Something about uplinks at the top.
    #[error("`{key}` is about uplinks, and Tier {tier} is the top one; remove it")]
    AboveTop {
        /// The key.
        key: &'static str,
        /// Which tier.
        tier: u32,
    },
    /// A number that must be a multiple of another.
    #[error("`{key}` is {value}, which is not a multiple of {of}, the {what}")]
    NotAMultiple {
        /// The key.
        key: &'static str,
        /// What it is.
        value: u32,
        /// What it should be a multiple of.
        of: u32,
        /// What that is.
        what: &'static str,
    },
    /// A number that others leave no choice.
    #[error("`{key}` is {value}; it must be {expected}, {because}")]
    Mismatch {
        /// The key.
        key: &'static str,
        /// What it is.
        value: u32,
        /// What it must be.
        expected: u32,
        /// Why.
        because: &'static str,
    },
    /// Oversubscription that does not fit rates and radices.
    #[error(
        "`Oversubscribed` is {value}, but {down} links of {down_rate} Gb/s down over {up} of {up_rate} Gb/s up make {actual}; correct it, or leave the line out"
    )]
    Oversubscription {
        /// What the file says.
        value: u32,
        /// Ports down.
        down: u32,
        /// Their rate.
        down_rate: u32,
        /// Ports up.
        up: u32,
        /// Their rate.
        up_rate: u32,
        /// What they make: a number, or a fraction.
        actual: String,
    },
}
