//! What of a topology works.

use crate::Fault;

/// What works, each by itself: a link that works may lead to a node that does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// By directed link.
    pub links: Box<[bool]>,
    /// By node.
    pub nodes: Box<[bool]>,
}

impl Health {
    /// All of so many links and nodes works.
    pub fn whole(links: usize, nodes: usize) -> Health {
        Health { links: vec![true; links].into(), nodes: vec![true; nodes].into() }
    }

    /// Something breaks or is repaired. Wrong bits break nothing.
    pub fn apply(&mut self, fault: Fault) {
        match fault {
            Fault::Link { link, up } => self.links[link as usize] = up,
            Fault::Node { node, up } => self.nodes[node as usize] = up,
            Fault::BitErrors { .. } => {}
        }
    }

    /// Whether what `from` sends over a link reaches `to`.
    pub fn carries(&self, link: u32, from: u32, to: u32) -> bool {
        self.links[link as usize] && self.nodes[from as usize] && self.nodes[to as usize]
    }
}
