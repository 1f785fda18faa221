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

/// `"8 or 12"`, or the one that there is.
fn either(below: Option<u32>, above: Option<u32>) -> String {
    match (below, above) {
        (Some(below), Some(above)) => format!("{below} or {above}"),
        (Some(one), None) | (None, Some(one)) => one.to_string(),
        (None, None) => "another number".to_owned(),
    }
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
    /// A torus of no dimension, or of too many.
    #[error("`sizes` has {count} entries; a torus has one for each dimension, from 1 to {most}")]
    Dimensions {
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// A torus with a dimension of nothing.
    #[error("`sizes` has a 0; a dimension of a torus needs at least 1 node")]
    NoNodes,
    /// A torus of one node.
    #[error("`sizes` makes a torus of one node; write at least one size above 1")]
    OneNode,
    /// A count of AN3's network that it cannot have.
    #[error("`{key}` is {value}; an AN3 network has from {least} to {most}")]
    An3Count {
        /// The key of the experiment file.
        key: &'static str,
        /// What it was given.
        value: u32,
        /// The least it can have.
        least: u32,
        /// The most.
        most: u32,
    },
    /// A fat-tree of NICs of another size than the paper's.
    #[error("`hosts` is {hosts}; a fat-tree of NICs has {only}: write {only}, or wiring = \"torus\" or \"mesh\"")]
    An3FatTree {
        /// What it was given.
        hosts: u32,
        /// What it has.
        only: u32,
    },
    /// More links than an L1 switch has ports.
    #[error(
        "an L1 switch would need {} ports ({inward} to egress NICs, {outward} to other containers, 1 to the network operations centre); it has {ports}: \
         write fewer networks, egress NICs, containers or container_links", inward + outward + 1
    )]
    An3Ports {
        /// Links from egress NICs.
        inward: u32,
        /// Links to other containers.
        outward: u32,
        /// Ports of a switch.
        ports: u32,
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
    /// Uplinks that do not spread evenly over the switches above.
    #[error("`{key}` is {uplinks}; {switches} switches above cannot share so many evenly: write {}", either(*.below, *.above))]
    Uneven {
        /// The key of the experiment file.
        key: String,
        /// What it was given.
        uplinks: u32,
        /// Switches that they are to be spread over.
        switches: u32,
        /// The next number below that is possible.
        below: Option<u32>,
        /// The next one above.
        above: Option<u32>,
    },
    /// Switches of a tier that cannot be joined to those below in equal parts.
    #[error("`{key}` is {switches}; {below_them} cannot be joined to so many in equal parts: write {}", either(*.below, *.above))]
    Parts {
        /// The key of the experiment file.
        key: String,
        /// What it was given.
        switches: u32,
        /// What is below, in words: `"256 leaves with 32 uplinks each"`.
        below_them: String,
        /// The next number below that is possible.
        below: Option<u32>,
        /// The next one above.
        above: Option<u32>,
    },
    /// Leaves that cannot be shared out among pods.
    #[error("`leaves` is {leaves}; the first tier makes {pods} pods, which must have equally many: write {}", either(*.below, *.above))]
    Pods {
        /// What it was given.
        leaves: u32,
        /// Pods of the first tier.
        pods: u32,
        /// The next number below that is possible.
        below: Option<u32>,
        /// The next one above.
        above: Option<u32>,
    },
    /// A tier below another without links to it.
    #[error("`{key}`: missing; there is a tier above, of {above} switches: write for example `uplinks = {above}`")]
    NoUplinks {
        /// The key of the experiment file.
        key: String,
        /// Switches of the tier above.
        above: u32,
    },
    /// The highest tier has links up.
    #[error("`{key}` is {uplinks}; nothing is above the last tier: remove it, or write another tier")]
    UplinksOfTop {
        /// The key of the experiment file.
        key: String,
        /// What it was given.
        uplinks: u32,
    },
    /// More uplinks than a rack has hosts.
    #[error("`outside.uplinks` is {uplinks}; the rack has {hosts} hosts, each with one port for an uplink")]
    TooManyUplinks {
        /// How many uplinks.
        uplinks: u32,
        /// How many hosts.
        hosts: u32,
    },
    /// More gateways than a rack has hosts.
    #[error("`outside.gateways` is {gateways}; the rack has {hosts} hosts that could be one")]
    TooManyGateways {
        /// What it was given.
        gateways: u32,
        /// Hosts of the rack.
        hosts: u32,
    },
    /// More bridges of an operations centre than containers.
    #[error(
        "`outside.gateways` is {gateways}, more than there are containers ({containers}): the switches of each have one port for the network operations centre"
    )]
    TooManyBridges {
        /// What it was given.
        gateways: u32,
        /// Containers.
        containers: u32,
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
