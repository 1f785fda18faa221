//! What can be wrong with what a person asks for.

use crate::prose;
use crate::readers::ReadError;
use crate::sizes::SizesError;
use units::{Bytes, Time};

/// Why there is no such workload.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WorkloadError {
    /// One group is wrong.
    #[error("workload `{group}`: {problem}")]
    Group {
        /// Its name.
        group: String,
        /// What is wrong with it.
        problem: Problem,
    },
    /// Chance depends on names, so they must differ.
    #[error("two workloads are called `{name}`; give each a `name` of its own")]
    SameName {
        /// The name.
        name: String,
    },
    /// Groups are numbered in 16 bits.
    #[error("there are {groups} workloads; there can be 65536")]
    TooMany {
        /// How many.
        groups: usize,
    },
    /// Each offers less than the links carry, but not all together.
    #[error(
        "the workloads {} offer a load of {} together, more than the hosts' links can carry; lower them, or set \
         `allow_overload = true` in one of them", names(.groups), prose::number(*.load)
    )]
    Overload {
        /// Their names.
        groups: Vec<String>,
        /// Their loads, added up.
        load: f64,
    },
}

/// What is wrong with one group.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Problem {
    /// Too small a network, or too few participants.
    #[error("needs at least {needed} hosts, and has {}", .there)]
    TooFewHosts {
        /// How many it needs.
        needed: u32,
        /// How many there are.
        there: u32,
    },
    /// Flows among a single host.
    #[error("flows among one host have nobody to go to: host {host} needs another beside it")]
    AloneAmong {
        /// The host.
        host: u32,
    },
    /// Flows to others than all.
    #[error("these are all hosts, so that the other flows have nobody; write fraction = 1, or fewer hosts")]
    NoOthers,
    /// A host that does not exist.
    #[error("`{key}`: {host} is not a host (hosts are 0 to {})", .hosts.saturating_sub(1))]
    NoSuchHost {
        /// The key that names it.
        key: &'static str,
        /// The host.
        host: u32,
        /// How many there are.
        hosts: u32,
    },
    /// A host that is chosen twice.
    #[error("`{key}`: host {host} is there twice")]
    Twice {
        /// The key that names it.
        key: &'static str,
        /// The host.
        host: u32,
    },
    /// A flow to itself.
    #[error("`{key}`: host {host} would send to itself")]
    ToItself {
        /// The key that names it.
        key: &'static str,
        /// The host.
        host: u32,
    },
    /// More than there are.
    #[error("`{key}` is {asked}, and there are only {there} to choose from")]
    NotSoMany {
        /// The key.
        key: &'static str,
        /// What it says.
        asked: u32,
        /// What there is.
        there: u32,
    },
    /// A choice of no host, a list of no flow.
    #[error("`{key}` is empty")]
    Nothing {
        /// The key.
        key: &'static str,
    },
    /// Zero where nothing would happen.
    #[error("`{key}` is 0; it must be at least 1")]
    Zero {
        /// The key.
        key: &'static str,
    },
    /// Wrong sizes.
    #[error("`size`: {0}")]
    Sizes(#[from] SizesError),
    /// Rounds of flows that never end.
    #[error("its flows never end, so there is no round after the first; give a `size`, or leave `rounds` out")]
    EndlessRounds,
    /// Nothing between start and stop.
    #[error("`stop`, {stop}, is not after `start`, {start}")]
    StopsBeforeStart {
        /// When it begins.
        start: Time,
        /// When it stops.
        stop: Time,
    },
    /// Not a number above zero.
    #[error("`{key}` is {value}; it must be a number above 0")]
    NotPositive {
        /// The key.
        key: &'static str,
        /// What it says.
        value: f64,
    },
    /// Not a fraction.
    #[error("`{key}` is {value}; it must be between 0 and 1")]
    NotAFraction {
        /// The key.
        key: &'static str,
        /// What it says.
        value: f64,
    },
    /// Points of bursts that do not rise.
    #[error(
        "`burst`: the point of {fraction} and {flows} flows is not above the one before it; fractions and numbers of flows must \
         both rise"
    )]
    BurstsFall {
        /// The fraction of bursts.
        fraction: f64,
        /// Their flows.
        flows: u32,
    },
    /// Points that say nothing of the largest bursts.
    #[error("`burst`: its last point is at {fraction} of all bursts; it must be at 1")]
    BurstsEnd {
        /// The last fraction.
        fraction: f64,
    },
    /// Several flows of one source, where pairs are drawn.
    #[error(
        "`burst` needs a pattern that says where a source sends, and a matrix has weights of pairs; leave one of them out"
    )]
    BurstsOfPairs,
    /// More than the links can carry.
    #[error(
        "it offers a load of {}, more than the hosts' links can carry, so that queues grow as long as it runs; lower it, \
         or set `allow_overload = true`", prose::number(*.load)
    )]
    Overload {
        /// Offered bits a second over the sum of the hosts' link rates.
        load: f64,
    },
    /// More than one host's link can carry.
    #[error(
        "host {host} is to send {} times what its link can carry; lower the load, or set `allow_overload = true`",
        prose::number(*.load)
    )]
    HostOverload {
        /// The host.
        host: u32,
        /// Offered bits a second over its link rate.
        load: f64,
    },
    /// A pattern of racks in a topology without.
    #[error("the pattern needs racks, and this topology has no leaf (top-of-rack) switches")]
    NoRacks,
    /// No flow within this rack.
    #[error("host {host} is alone in its rack, so it has no one to send to there")]
    AloneInRack {
        /// The host.
        host: u32,
    },
    /// No flow to another rack.
    #[error("all hosts are in one rack, so there is no other to send to")]
    OneRack,
    /// Clusters in which nobody has a neighbour.
    #[error("`clusters` is {size}; a host in a cluster of one has no one to send to, so write at least 2")]
    LonelyClusters {
        /// What it says.
        size: u32,
    },
    /// A weight that is none.
    #[error("the weight from host {src} to host {dst} is {weight}; weights are numbers of at least 0")]
    Weight {
        /// From.
        src: u32,
        /// To.
        dst: u32,
        /// What it is.
        weight: f64,
    },
    /// Nothing to choose from.
    #[error("all weights are 0")]
    NoWeight,
    /// Pieces of less than a byte.
    #[error("`bytes`, {bytes}, cannot be split into {pieces} pieces of at least 1 B")]
    TooSmallToSplit {
        /// How much.
        bytes: Bytes,
        /// Into how many.
        pieces: u64,
    },
    /// More flows than are made ready.
    #[error("`flows_per_host`: that is {flows} flows at once, and the limit is {most}; write less")]
    TooManyAtOnce {
        /// Flows that are active together.
        flows: u64,
        /// The most there may be.
        most: u64,
    },
    /// Chance on top of chance, or on top of a list.
    #[error("`jitter` does nothing in a {kind} workload, whose flows do not start together; leave it out")]
    UselessJitter {
        /// The kind.
        kind: &'static str,
    },
    /// A wrong list of flows.
    #[error(transparent)]
    Trace(#[from] Box<ReadError>),
}

impl Problem {
    pub(crate) fn of(self, group: &str) -> WorkloadError {
        WorkloadError::Group { group: group.to_owned(), problem: self }
    }
}

fn names(groups: &[String]) -> String {
    groups.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
