//! What a person can say of an Ethernet fabric.

use fabric::Footprint;
use fabric::footprint::on_all_links;
use topology::Topology;
use units::{Bytes, Span};

/// An Ethernet fabric: the same for every port, but for the rules that say otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// How a switch passes a frame on.
    pub switching: Switching,
    /// How a switch chooses among equally short paths.
    pub routing: Routing,
    /// Largest IP packet.
    pub mtu: Bytes,
    /// Bytes that each packet takes on the wire beyond itself. Ethernet: preamble and start 8, header 14, check sequence 4,
    /// gap 12: 38 B (IEEE 802.3). Simulators that count packets only have 0.
    pub framing: Bytes,
    /// Hosts hold each packet back by a random time up to this, in order: what drivers, buses and interrupts do. It takes no
    /// throughput, and keeps flows from moving in step for ever (Floyd and Jacobson, "On traffic phase effects", 1992).
    pub jitter: Span,
    /// From something's breaking or being mended until all switches have changed their paths accordingly. Until then, what is
    /// sent to a dead link is lost.
    pub convergence: Span,
    /// Strict priority classes on each port; 0 is served first. One: plain first in, first out.
    pub priorities: u8,
    /// Frames that find no room are trimmed to their headers; `None`: they are dropped.
    pub trim: Option<Trim>,
    /// What each port has.
    pub port: Port,
    /// What some ports have instead; of several that match, the last one wins, field by field.
    pub rules: Vec<Rule>,
}

impl Config {
    /// What the fabric takes of memory on this topology: queues as long as they may be, and links full of the largest packets.
    pub fn footprint(&self, topology: &Topology) -> Footprint {
        let wire = self.mtu + self.framing;
        let mut queues = vec![self.port.queue; topology.links().len()];
        for rule in &self.rules {
            let changed = rule.links.iter().filter_map(|link| Some((*link, rule.queue?)));
            changed.for_each(|(link, queue)| queues[link as usize] = queue);
        }
        let held = |queue: &Length| match *queue {
            Length::Packets(packets) => u64::from(packets),
            Length::Bytes(bytes) => bytes.get() / wire.get().max(1),
        };
        Footprint {
            fixed: topology.links().len() as u64 * (300 + 120 * u64::from(self.priorities))
                + u64::from(topology.nodes()) * 150,
            frames: queues.iter().map(held).sum::<u64>().saturating_add(on_all_links(topology, wire)),
            frame: 160,
            ..Footprint::default()
        }
    }
}

/// How frames are trimmed (NDP).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trim {
    /// What is left of a frame.
    pub header: Bytes,
    /// Headers that go before data has its turn, where both wait.
    pub headers_in_a_row: u32,
}

/// An output port's buffer and its link's quality.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Port {
    /// Frames beyond this are dropped.
    pub queue: Length,
    /// Frames that find more than this waiting are marked (ECN: RFC 3168; at the instant of arrival: DCTCP §3.1).
    pub ecn_threshold: Option<Length>,
    /// Probability that a frame is corrupted on the link and never arrives.
    pub loss: f64,
}

/// A queue's length, as people give it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// Bytes on the wire, waiting or being sent; the frame being sent counts with what is left of it.
    Bytes(Bytes),
    /// Whole frames, waiting or being sent.
    Packets(u32),
}

/// Other values for some ports.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Which ports, as indices of directed links in the topology.
    pub links: Vec<u32>,
    /// The queue limit, if it is another one.
    pub queue: Option<Length>,
    /// The marking threshold, if it is another one (`Some(None)`: none).
    pub ecn_threshold: Option<Option<Length>>,
    /// The loss probability, if it is another one.
    pub loss: Option<f64>,
}

/// When a switch may begin to send a frame that is still arriving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switching {
    /// Once its last bit is there.
    StoreAndForward,
    /// Once this much of it is there, if the port is free and the frame can't run dry on the way.
    CutThrough {
        /// The part of a frame that a switch must see before it can choose a port.
        header: Bytes,
    },
}

/// How a switch chooses among equally short paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Routing {
    /// By a hash of the flow: each flow keeps its path, two flows may share one. RFC 2992.
    Ecmp,
    /// Anew for each packet, at random.
    Spray,
}
