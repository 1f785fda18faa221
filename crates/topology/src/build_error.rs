//! Why a graph cannot be built.

use units::{Pace, Rate};

/// A rate that no link can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a link cannot have a rate of {rate}; rates go from 1 Mb/s to 1000 Tb/s")]
pub struct RateOutOfRange {
    /// The rate that was asked for.
    pub rate: Rate,
}

/// Refuses rates for which frame times are not exact (see [`units::Pace`]).
pub(crate) fn check_rate(rate: Rate) -> Result<Rate, RateOutOfRange> {
    let exact = Pace::SLOWEST..=Pace::FASTEST;
    if exact.contains(&rate) { Ok(rate) } else { Err(RateOutOfRange { rate }) }
}

/// Why a topology cannot be built, and what to do about it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The rate of every link of a shape.
    #[error(transparent)]
    Rate(#[from] RateOutOfRange),
    /// The rate of one link.
    #[error("{from} -> {to}: {problem}")]
    LinkRate {
        /// Where the link starts.
        from: String,
        /// Where it leads.
        to: String,
        /// What is wrong with it.
        problem: RateOutOfRange,
    },
    /// A count that must not be zero.
    #[error("`{key}` is 0; a {shape} needs at least 1")]
    Zero {
        /// The key of the experiment file.
        key: &'static str,
        /// The shape.
        shape: &'static str,
    },
    /// A radix that cannot be halved.
    #[error("`{key}` is {value}; a {shape} needs an even number of ports a switch: write {} or {}", .value.saturating_sub(1).max(2), .value.saturating_add(1).max(4))]
    Odd {
        /// The key of the experiment file.
        key: &'static str,
        /// The shape.
        shape: &'static str,
        /// What it was given.
        value: u32,
    },
    /// Oversubscription below one, or not a number.
    #[error("`oversubscription` is {value}; write a number of at least 1 (1: as much bandwidth up as down)")]
    Undersubscribed {
        /// What it was given.
        value: f64,
    },
    /// Oversubscription that would need a part of a host.
    #[error(
        "`oversubscription` {value} with k = {k} gives {hosts} hosts an edge switch, which must be whole: write {below} or {above}"
    )]
    PartOfAHost {
        /// What it was given.
        value: f64,
        /// Ports of a switch.
        k: u32,
        /// Hosts an edge switch would have.
        hosts: f64,
        /// The next oversubscription below that is possible.
        below: f64,
        /// The next one above.
        above: f64,
    },
    /// More leaves than a spine switch has ports.
    #[error("`leaves` is {leaves}; spine switches of radix {radix} reach 1 to {radix}")]
    TooManyLeaves {
        /// What it was given.
        leaves: u32,
        /// Ports of a switch.
        radix: u32,
    },
    /// Too large to number.
    #[error("{label} would have {count} {what}; at most {limit} can be built: make it smaller")]
    TooLarge {
        /// What was to be built.
        label: String,
        /// Nodes or cables.
        what: &'static str,
        /// How many it would be.
        count: u128,
        /// How many there may be.
        limit: u32,
    },
    /// A name that cannot be told apart from what surrounds it.
    #[error("`{name}` cannot be a node's name: {why}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Two nodes of one name.
    #[error("two nodes are called `{name}`; give each a name of its own")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A link from a node to itself.
    #[error("`{node}` is linked to itself; remove that link")]
    SelfLoop {
        /// The node.
        node: String,
    },
    /// A cable between two hosts.
    #[error("`{a}` and `{b}` are hosts and are linked to each other; put a switch between them, or make one a switch")]
    HostToHost {
        /// One end.
        a: String,
        /// The other.
        b: String,
    },
    /// Nothing that could send.
    #[error("there is no host; a topology needs at least one")]
    NoHosts,
    /// A node without links.
    #[error("`{node}` has no link; link it or remove it")]
    Unlinked {
        /// The node.
        node: String,
    },
    /// Parts with no path between them.
    #[error("no path joins `{a}` and `{b}`; link the two parts of the graph, or remove one")]
    Disconnected {
        /// A node.
        a: String,
        /// A node that cannot be reached from it.
        b: String,
    },
}
