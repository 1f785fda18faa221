//! Nodes and directed links, by number.

use std::fmt;
use units::{Bytes, Rate, Span};

/// A node: hosts are 0 to the number of hosts, switches follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A directed link, and so also the output port before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u32);

impl NodeId {
    /// For arrays with an element a node.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
impl LinkId {
    /// For arrays with an element a directed link.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
impl fmt::Display for LinkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Where a link leads, seen from the hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// To a higher tier, away from hosts.
    Up,
    /// To a lower tier, towards hosts.
    Down,
    /// To the same tier.
    Flat,
}

impl Direction {
    /// `"up"`, `"down"` or `"flat"`, as results tables have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Direction::Up => "up",
            Direction::Down => "down",
            Direction::Flat => "flat",
        }
    }
}
impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One direction of a cable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The node that sends.
    pub from: NodeId,
    /// The node that receives.
    pub to: NodeId,
    /// Index into [`crate::Topology::classes`].
    pub class: u16,
    /// By the tiers of its ends.
    pub direction: Direction,
    /// Bits a second on the wire, from 1 Mb/s to 1 Pb/s.
    pub rate: Rate,
    /// From the last bit sent to the last bit received: propagation, and what a switch adds by itself.
    pub delay: Span,
    /// The buffer before the link, where the topology's own file says it.
    pub queue: Option<Bytes>,
}
