//! Racks and what is outside them.

use engine::Seed;
use ethernet::{Ethernet, Fifo, Length, Port, Routing, Switching};
use gateway::Config;
use shoal::Shoal;
use topology::{Joined, LinkSpec, Shape, Topology};
use units::{Bytes, Rate, Span};

/// A rack, an outside, and both together.
pub(crate) struct Pair {
    pub joined: Joined,
    pub rack: Topology,
    pub outside: Topology,
}

/// All links of 100 Gb/s and 5 ns.
pub(crate) fn rack(inside: &Shape, outside: &Shape, gateways: u32) -> Pair {
    let (rate, delay) = (Rate::from_gbps(100), Span::from_ns(5));
    let (inside, outside) = (inside.build(rate, delay).unwrap(), outside.build(rate, delay).unwrap());
    let joined = Joined::new(&inside, &outside, gateways, LinkSpec { rate, delay, queue: None }).unwrap();
    Pair { rack: joined.rack().topology, outside: joined.outside().topology, joined }
}

/// A rack with node buffers of 16 KB.
pub(crate) fn shoal(topology: &Topology, seed: Seed) -> Shoal {
    let config = shoal::Config { buffer: Bytes::new(16_000), ..shoal::Config::default() };
    Shoal::new(&config, topology, seed).unwrap()
}

/// Store and forward, 38 B of framing, ports of 100 packets.
pub(crate) fn ethernet(topology: &Topology, seed: Seed) -> Ethernet<Fifo> {
    let config = ethernet::Config {
        switching: Switching::StoreAndForward,
        cut_through_header: Bytes::new(64),
        routing: Routing::Ecmp,
        mtu: Bytes::new(1500),
        framing: Bytes::new(38),
        jitter: Span::ZERO,
        convergence: Span::from_us(50),
        priorities: 1,
        port: Port { queue: Length::Packets(100), ecn_threshold: None, loss: 0.0 },
        trimming: None,
        pfc: None,
        rules: Vec::new(),
    };
    Ethernet::new(&config, topology, seed).unwrap()
}

/// Shoal inside, Ethernet outside.
pub(crate) fn join(config: &Config, pair: &Pair, seed: Seed) -> gateway::Joined<Shoal, Ethernet<Fifo>> {
    gateway::Joined::new(config, &pair.joined, shoal(&pair.rack, seed), ethernet(&pair.outside, seed), seed)
}
