//! Node-link JSON, as NetworkX writes it (`networkx.node_link_data`): reading and writing.
//!
//! ```
//! # let (rate, delay) = ("10 Gb/s".parse()?, "1 us".parse()?);
//! let text = r#"{"directed": false, "multigraph": false, "graph": {"name": "two racks"},
//!     "nodes": [{"id": "a", "kind": "host"}, {"id": "b"}, {"id": "leaf-0", "tier": 1}, {"id": "leaf-1"}],
//!     "links": [{"source": "a", "target": "leaf-0", "rate": "25 Gb/s"}, {"source": "b", "target": "leaf-1"},
//!               {"source": "leaf-0", "target": "leaf-1", "delay": "500 ns", "class": "uplink", "queue": "200 KB"}]}"#;
//! let topology = topology::node_link::parse(text, rate, delay)?;
//! assert_eq!(
//!     topology.describe(),
//!     "two racks: 2 hosts, 2 switches, 3 cables (host-switch 10 Gb/s to 25 Gb/s and 1 us, uplink 10 Gb/s and 500 ns)"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! docs/topology.md says the same for users.
//!
//! - The list of links is called `links` or `edges` (NetworkX before and since 3.6).
//! - A node's `id` is a text or a whole number and becomes its name. `kind` (or `type`) is `"host"` or `"switch"`; without it a
//!   node with one cable is a host and any other a switch. `tier` is 0 for hosts, 1 for switches next to hosts, more above;
//!   without it a switch has its distance from the nearest host.
//! - A link has `rate` (or `bandwidth`), `delay` (or `latency`) and `queue`, with units, and `class`, a name. Without a rate
//!   and a delay it has those of the experiment; without a class it is of `host-switch` or `switch-switch`.
//! - In an undirected graph, which is what there is if `directed` is left out, a link is a cable, alike in both directions. In a
//!   directed one each direction has its own link, and the first link from a to b makes a cable with the first from b to a.
//! - With `hosts_forward` set to `true` in `graph`, hosts pass on what is not for them, and links may join them to each other.
//! - Other attributes are left alone, unless they look like one of these misspelt.

mod assemble;
mod file;
#[cfg(test)]
mod tests;
mod write;

pub use write::write;

use crate::{ReadError, Topology};
use units::{Rate, Span};

/// Reads a graph. Links that don't say their rate or delay get these.
pub fn parse(text: &str, rate: Rate, delay: Span) -> Result<Topology, ReadError> {
    assemble::assemble(&file::read(text)?, rate, delay)
}

/// Why a node-link graph is no network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// No list of links.
    #[error("the graph has no list of links; call it `links` or `edges`")]
    NoLinks,
    /// Two lists of links.
    #[error("the graph has both `links` and `edges`; keep one")]
    LinksTwice,
    /// A link to or from what is not there.
    #[error("link {number} joins `{from}` and `{to}`, but `{missing}` is not in `nodes`; {cure}")]
    UnknownNode {
        /// Which link of the list, counted from 1.
        number: usize,
        /// Its source.
        from: String,
        /// Its target.
        to: String,
        /// The end that is not there.
        missing: String,
        /// The name that was probably meant, or the first few that there are.
        cure: String,
    },
    /// A directed graph's link without a partner.
    #[error(
        "links from `{from}` to `{to}`: {there}, back: {back}; a cable is one each way: add those missing, or set `directed` to false"
    )]
    NoWayBack {
        /// Where they start.
        from: String,
        /// Where they lead.
        to: String,
        /// How many.
        there: usize,
        /// How many the other way.
        back: usize,
    },
    /// The same link twice where that is not allowed.
    #[error(
        "`{from}` and `{to}` are linked twice; remove one link, or set `multigraph` to true to have cables in parallel"
    )]
    Repeated {
        /// One end.
        from: String,
        /// The other.
        to: String,
    },
    /// The two directions of a cable in two classes.
    #[error("the link from `{from}` to `{to}` is of class `{there}`, the one back of `{back}`; give both the same")]
    TwoClasses {
        /// Where the first starts.
        from: String,
        /// Where it leads.
        to: String,
        /// Its class.
        there: String,
        /// The other's.
        back: String,
    },
    /// A tier that the node cannot have.
    #[error("`{node}` is a {kind} of tier {tier}; hosts have tier 0, switches 1 (next to hosts) or more")]
    Tier {
        /// The node.
        node: String,
        /// `host` or `switch`.
        kind: &'static str,
        /// What the file says.
        tier: u16,
    },
}
