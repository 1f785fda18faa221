//! What a person can say of an AN3 network.

use crate::frame::{DATA, SLOTS};
use fabric::Footprint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{BufferText, LastingText, PacketText, TimeText};
use topology::Topology;
use units::{Bytes, Span};

/// A network of circuits (AN3): every flow has a time slot on each link of its path, which is set up hop by hop when it begins, while its first cells follow. Hosts that are
/// joined to each other are the NICs of an L0 network, those with a link to a switch its egress NICs, and switches the L1 switches of containers; `topology.kind = "an3"` builds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The largest packet of the transport, its headers included. It takes whole cells of 64 B of its flow's circuit.
    #[schemars(with = "PacketText", extend("default" = "1500 B"))]
    pub mtu: Bytes,
    /// Time that a cell takes through a NIC on its way (section 5).
    #[schemars(with = "TimeText")]
    pub nic_latency: Span,
    /// From one ringmaster of an L1 switch to the next, and so from one request that a switch handles to the next: 156.25 million a second (section 4.2).
    #[schemars(with = "LastingText")]
    pub ring_cycle: Span,
    /// Cells of data after which a mark with their checksum comes; they are sent again together (section 3.2). The paper says 128 cells, and that they are 4 KB; 128 cells of
    /// 64 B are 8 KB.
    #[schemars(range(min = 1, max = 128))]
    pub chunk: u32,
    /// Circuits that may end at a NIC at once, and that may begin there. The paper says that their number is limited, and not to what.
    #[schemars(range(min = 1, max = 256))]
    pub circuits: u32,
    /// Frames after which a NIC whose request was refused asks again over the same egress NIC (section 8.1: "later").
    #[schemars(range(min = 1, max = 1_000_000))]
    pub retry: u32,
    /// Whether a NIC without requests that wait asks for further circuits for flows that have more to send (section 8.3).
    pub growth: bool,
    /// Frames after which a circuit is given up at the end of a chunk if other requests of its NIC wait (section 3.2: "a fixed period"), and its flow asks again.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub hold: u32,
    /// Frames that a source waits for an answer to its request, to a mark, or to the end of its circuit, before it gives the circuit up: only wrong bits make it wait so long.
    #[schemars(range(min = 8, max = 1_000_000))]
    pub patience: u32,
    /// What a NIC takes from its host of a flow and has not sent: it takes another packet of the transport while it has less.
    #[schemars(with = "BufferText")]
    pub buffer: Bytes,
    /// For how long a NIC asks for a circuit to where nothing leads, as something is broken, before it gives up what it has to send, which is lost. If it is not written, it asks until
    /// there is a way; what goes to a gateway or comes from one is given up after 1 ms.
    #[schemars(with = "Option<TimeText>", extend("examples" = ["10 ms"]))]
    pub give_up: Option<Span>,
    /// Whether all that a host exchanges with a gateway shares one logical connection each way, and so a circuit (section 8.4). If not, every flow has circuits of its own.
    pub tunnels: bool,
    /// From the moment at which something breaks or is repaired (`[[fault]]`) until the NICs of its L0 network have other routing tables (section 5).
    #[schemars(with = "TimeText")]
    pub convergence: Span,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            mtu: Bytes::new(1500),
            nic_latency: Span::from_ns(192),
            ring_cycle: crate::ring::CYCLE,
            chunk: 128,
            circuits: 128,
            retry: 1,
            growth: true,
            hold: 1024,
            patience: 64,
            buffer: Bytes::new(64_000),
            give_up: None,
            tunnels: true,
            convergence: Span::from_us(100),
        }
    }
}

impl Config {
    /// Cells of a packet of so many bytes.
    pub fn cells(bytes: u64) -> u64 {
        bytes.div_ceil(DATA).max(1)
    }

    /// What a network takes of memory on this topology.
    pub fn footprint(&self, topology: &Topology) -> Footprint {
        // A slot has twelve bytes at either end of its link. Links of L1 switches are the fastest and have 128 of them.
        let rate = |link: &topology::Link| link.rate.as_bps();
        let fastest = topology.links().iter().map(rate).max().unwrap_or(1).max(1);
        let slots = |link| u128::from(rate(link)) * u128::from(SLOTS) / u128::from(fastest);
        let of_link = |link| slots(link) as u64 * 24 + 300;
        let links: u64 = topology.links().iter().map(of_link).sum();
        Footprint {
            // How far hosts of L0 networks are from each other, and over which ports, beside what they keep.
            fixed: links.saturating_add(u64::from(topology.hosts()).saturating_mul(700)),
            frames: u64::MAX,
            frame: 120,
            // Its connection, its chunks, and a circuit with its links.
            pair: 1400,
            at_once: true,
        }
    }
}
