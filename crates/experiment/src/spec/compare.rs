//! `[compare]`: what the variants of a file have in common.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is to be alike for all variants, and what flows are compared with.
///
/// For files whose variants are different networks: their report leads with a table of all of them, and with what each draws and costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompareSpec {
    /// What all networks must have alike. It is counted from the topology of each before anything runs, and a file whose variants differ by more than `within` is
    /// refused. A network of which it is not known is not refused but named.
    #[serde(default)]
    #[schemars(example = &"bisection")]
    pub equal: Option<EqualSpec>,
    /// By what share of the largest value they may differ.
    #[serde(default = "one_percent")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub within: f64,
    /// A variant: the slowdown of a flow in the report's first table is its completion time over what it would take alone in the network of this one. By default each
    /// network is compared with itself, which favours those in which a flow alone is slow.
    #[serde(default)]
    #[schemars(example = &"ideal")]
    pub reference: Option<String>,
}

fn one_percent() -> f64 {
    0.01
}

/// What networks can have alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EqualSpec {
    /// What half of the hosts can send to the other half over all links, for the worst halves. Half of it with Shoal, whose cells cross the rack twice; with XFabric
    /// that of the torus that it begins as.
    Bisection,
    /// Price of switches and links by the planner's book, NICs aside.
    Cost,
    /// Power of switches and transceivers by the planner's book, NICs aside.
    Power,
}

impl EqualSpec {
    /// As an experiment file has it.
    pub fn as_str(self) -> &'static str {
        match self {
            EqualSpec::Bisection => "bisection",
            EqualSpec::Cost => "cost",
            EqualSpec::Power => "power",
        }
    }
}
