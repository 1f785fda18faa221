//! What a network takes of memory, estimated before it is built.

use topology::{Link, Topology};
use units::{Bytes, Span};

/// The memory of a network. Sums saturate: what is more than anybody has need not be exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Footprint {
    /// Bytes that it takes whatever is sent.
    pub fixed: u64,
    /// The most frames that can be inside at once.
    pub frames: u64,
    /// Bytes for each of them.
    pub frame: u64,
    /// Bytes for each pair of hosts between which something is sent.
    pub pair: u64,
    /// Hosts hand over whatever it has room for at once, and not at the rate of a link.
    pub at_once: bool,
}

impl Footprint {
    /// Of two networks, side by side.
    pub fn beside(self, other: Footprint) -> Footprint {
        Footprint {
            fixed: self.fixed.saturating_add(other.fixed),
            frames: self.frames.saturating_add(other.frames),
            frame: self.frame.max(other.frame),
            pair: self.pair.max(other.pair),
            at_once: self.at_once || other.at_once,
        }
    }
}

/// Frames of this many bytes on the wire that a link holds while they are on their way, and the one that is being sent.
pub fn on_their_way(link: &Link, wire: Bytes) -> u64 {
    link.rate.bytes_in(link.delay).get() / wire.get().max(1) + 1
}

/// Time in steps of this length, rounded up.
pub fn steps(time: Span, step: Span) -> u64 {
    time.as_ps().div_ceil(step.as_ps().max(1))
}

/// Frames on their way over all links.
pub fn on_all_links(topology: &Topology, wire: Bytes) -> u64 {
    topology.links().iter().fold(0, |sum: u64, link| sum.saturating_add(on_their_way(link, wire)))
}
