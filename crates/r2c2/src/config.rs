//! What a person can say of an R2C2 rack.

use crate::trees::bytes_of_ports;
use fabric::Footprint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{BufferText, LastingText, Length, PacketText, SizeText, ThresholdText, TimeText, or_none};
use topology::Topology;
use units::{Bytes, Span};

/// A rack whose nodes forward each other's packets (R2C2, SIGCOMM 2015). A switch of the topology and the hosts on it are a node: in a
/// torus, a host and a switch in one box. Nodes announce flows to each other, and each computes from that the rates of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The largest packet of the transport, its headers included. The rack cuts it into packets of its own, so with transport.kind =
    /// "direct" it may be a whole message, whose end the node then knows.
    #[schemars(with = "PacketText", extend("default" = "1500 B"))]
    pub mtu: Bytes,
    /// The most that a packet of the rack carries.
    #[schemars(with = "PacketText")]
    pub packet: Bytes,
    /// What a packet has on its links beyond what it carries: a route of 16 B, as its source chooses it, and as much again for who sends
    /// what to whom. The length is ours.
    #[schemars(with = "SizeText")]
    pub header: Bytes,
    /// How packets are spread over the rack.
    pub routing: Routing,
    /// An announcement that a flow starts or ends, on each link of its tree.
    #[schemars(with = "PacketText")]
    pub announcement: Bytes,
    /// Spanning trees of each node for its announcements, of shortest paths; each announcement takes one of them at random.
    #[schemars(range(min = 1, max = 64))]
    pub trees: u32,
    /// From one computation of all rates to the next. A flow that began since the last sends as fast as its paths carry it.
    #[schemars(with = "LastingText")]
    pub interval: Span,
    /// The share of each link that rates leave free, for announcements and for flows that have no rate yet.
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1.0))]
    pub headroom: f64,
    /// From what a node computes rates.
    pub knowledge: Knowledge,
    /// What a node takes from its host of a flow and has not sent: it takes another packet of the transport while it has less. Other flows
    /// of the host need not wait.
    #[schemars(with = "BufferText")]
    pub buffer: Bytes,
    /// A flow of which nothing is left to send has ended if its last packet was shorter than `mtu`; otherwise when nothing has followed for
    /// so long. It starts anew with what comes later.
    #[schemars(with = "LastingText")]
    pub linger: Span,
    /// What can wait before each link between nodes, in packets or in bytes; packets beyond it are dropped. By default there is no limit, as
    /// nothing in R2C2 sends data again, and how long queues get is a result.
    #[serde(with = "or_none")]
    #[schemars(with = "ThresholdText")]
    pub queue: Option<Length>,
    /// A node announces flows that go on again after so long, and forgets those of which it has heard nothing for three times as long: an
    /// announcement may be lost to a wrong bit. Ours.
    #[schemars(with = "LastingText")]
    pub refresh: Span,
    /// From the moment at which something breaks or is repaired (`[[fault]]`) until all nodes know it. Then trees and paths avoid what is
    /// broken, and all nodes announce all their flows again.
    #[schemars(with = "TimeText")]
    pub convergence: Span,
}

/// How packets are spread over the rack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Routing {
    /// Each packet takes a shortest path: at every node a random one of the links that begin one.
    Minimal,
    /// Each packet goes to a random node first, and on from there, both by shortest paths (Valiant, 1982). No traffic is worse than any
    /// other, and uniform traffic takes twice as many hops.
    Valiant,
}

/// From what a node computes rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Knowledge {
    /// From the announcements that have reached it. Computed once for all nodes that know the same.
    EachNode,
    /// From those that have reached all nodes: one computation for the whole rack. What it leaves out are flows that began or ended within the
    /// time that an announcement takes, some microseconds before the computation; a flow that all do not know yet has no rate until the next.
    Common,
}

impl Default for Config {
    /// An interval of 500 us, a headroom of 5 % and announcements of 16 B are those of the paper, from memory.
    fn default() -> Config {
        Config {
            mtu: Bytes::new(1500),
            packet: Bytes::new(1500),
            header: Bytes::new(32),
            routing: Routing::Minimal,
            announcement: Bytes::new(16),
            trees: 4,
            interval: Span::from_us(500),
            headroom: 0.05,
            knowledge: Knowledge::EachNode,
            buffer: Bytes::new(64_000),
            linger: Span::from_us(20),
            queue: None,
            refresh: Span::from_ms(10),
            convergence: Span::from_ms(1),
        }
    }
}

/// Entries of the parts of flows that cross links, for pairs of hosts, at most: when there are more, they are forgotten and found anew.
pub(crate) const MOST_PARTS: usize = 1 << 25;

impl Config {
    /// Packets that a frame of `len` bytes makes.
    pub fn packets(&self, len: u64) -> u64 {
        len.div_ceil(self.packet.get()).max(1)
    }

    /// What a rack takes of memory on this topology.
    pub fn footprint(&self, topology: &Topology) -> Footprint {
        let (hosts, switches) = (u64::from(topology.hosts()), u64::from(topology.switches()));
        let links = topology.links().len() as u64;
        let tree = switches.saturating_mul(bytes_of_ports(topology) as u64);
        let trees = switches.saturating_mul(u64::from(self.trees)).saturating_mul(tree + 80);
        let parts = match self.routing {
            Routing::Minimal => hosts.saturating_mul(hosts).saturating_mul(links).min(2 * MOST_PARTS as u64),
            Routing::Valiant => 2 * hosts.saturating_mul(links),
        };
        Footprint {
            fixed: trees.saturating_add(parts.saturating_mul(12)).saturating_add(links * 300 + hosts * 300),
            frames: u64::MAX,
            frame: 400 + switches / 4,
            pair: 100,
            at_once: true,
        }
    }
}
