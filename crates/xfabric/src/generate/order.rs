//! In which order pairs of SoCs are tried.

use crate::demand::Demand;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// What decides between pairs of equal demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// The lesser SoC, then the other. Without demand, SoC 0 is joined with the first few others, then SoC 1, and so on:
    /// neighbours in number are neighbours in the rack, and paths between others are long.
    ByNumber,
    /// An order that is random but always the same for this number. Where demand does not decide, the topology is like a random
    /// graph (§6.4: uniform traffic "becomes comparable to a Random topology").
    Shuffled(u64),
}

/// [`Ties`] as a person sets them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TieBreak {
    /// Any, drawn at random: where demand does not decide, the topology is like a random graph.
    Shuffled,
    /// The one with the lesser SoC.
    ByNumber,
}

impl TieBreak {
    /// With what shuffled ones are drawn from.
    pub fn with(self, seed: u64) -> Ties {
        match self {
            TieBreak::Shuffled => Ties::Shuffled(seed),
            TieBreak::ByNumber => Ties::ByNumber,
        }
    }
}

impl Ties {
    /// The place of a pair among those of equal demand; equal places go by number.
    pub(super) fn place(self, a: u32, b: u32) -> u64 {
        match self {
            Ties::ByNumber => 0,
            Ties::Shuffled(seed) => engine::mix(seed ^ engine::mix(u64::from(a) << 32 | u64::from(b))),
        }
    }
}

/// The place of a pair in the list of Algorithm 1, least first. No two pairs have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    group: Group,
    demand: Reverse<u64>,
    /// Circuits that the pair has.
    circuits: u32,
    tie: u64,
    pub a: u32,
    pub b: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Unsatisfied,
    Satisfied,
    WithoutDemand,
}

impl Place {
    /// Of the pair `a < b` while it has no circuit.
    pub(super) fn first(demand: &Demand, ties: Ties, a: u32, b: u32) -> Place {
        Place::of(demand.pair(a, b), ties, a, b)
    }
    /// The same, its demand known.
    pub(super) fn of(demand: u64, ties: Ties, a: u32, b: u32) -> Place {
        debug_assert!(a < b);
        let group = if demand > 0 { Group::Unsatisfied } else { Group::WithoutDemand };
        Place { group, demand: Reverse(demand), circuits: 0, tie: ties.place(a, b), a, b }
    }
    /// Where the pair goes when it has got one more circuit.
    pub(super) fn reinserted(self) -> Place {
        let group = if self.demand.0 > 0 { Group::Satisfied } else { Group::WithoutDemand };
        Place { group, circuits: self.circuits + 1, ..self }
    }
}
