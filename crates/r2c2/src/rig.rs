//! A topology as a rack: which node each host is of.

use std::sync::Arc;
use topology::{LinkId, NodeId, Topology};

/// Why a topology is no rack of nodes that forward packets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A host with several links.
    #[error("host {host} has {links} links: a host is in a node with one switch, so it has one link")]
    Links {
        /// Which.
        host: String,
        /// How many it has.
        links: usize,
    },
    /// Too many nodes for each to keep trees to all others.
    #[error("{nodes} nodes: each keeps trees to all others, which {MOST_NODES} can")]
    Nodes {
        /// How many there are.
        nodes: u32,
    },
}

/// Nodes of a rack, at most.
const MOST_NODES: u32 = 1 << 14;

/// A topology, and where its hosts are.
#[derive(Debug, Clone)]
pub struct Rig {
    pub(crate) topology: Arc<Topology>,
    /// By host: the link to its switch, the link from it, and the switch's number among all nodes of the topology.
    pub(crate) up: Vec<u32>,
    pub(crate) down: Vec<u32>,
    pub(crate) switch: Vec<u32>,
}

impl Rig {
    /// The rack that this topology is.
    ///
    /// # Errors
    /// If a host has several links, or there are too many switches.
    pub fn new(topology: &Arc<Topology>) -> Result<Rig, BuildError> {
        if topology.switches() > MOST_NODES {
            return Err(BuildError::Nodes { nodes: topology.switches() });
        }
        let ports = |host| topology.ports(NodeId(host));
        if let Some(host) = (0..topology.hosts()).find(|host| ports(*host).len() != 1) {
            return Err(BuildError::Links { host: topology.name(NodeId(host)).to_owned(), links: ports(host).len() });
        }
        let up: Vec<u32> = (0..topology.hosts()).map(|host| ports(host).start).collect();
        Ok(Rig {
            topology: Arc::clone(topology),
            down: up.iter().map(|link| topology.reverse(LinkId(*link)).0).collect(),
            switch: up.iter().map(|link| topology.link(LinkId(*link)).to.0).collect(),
            up,
        })
    }

    pub(crate) fn hosts(&self) -> u32 {
        self.topology.hosts()
    }

    /// A switch's number among switches.
    pub(crate) fn number(&self, switch: u32) -> usize {
        (switch - self.hosts()) as usize
    }
}
