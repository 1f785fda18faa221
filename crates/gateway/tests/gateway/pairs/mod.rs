//! Racks and what is outside them.

use engine::Seed;
use ethernet::{Ethernet, Fifo, Length, Port, Routing, Switching};
use fabric::{Network, Observer, Off};
use gateway::{Config, Numbering};
use shoal::Shoal;
use shoal::build::Rig;
use std::sync::Arc;
use topology::{Joined, LinkSpec, Routes, Shape, Topology};
use units::{Bytes, Rate, Span};

/// A rack, an outside, and both together.
pub(crate) struct Pair {
    pub joined: Joined,
    pub rack: Topology,
    pub outside: Topology,
}

/// All links of 100 Gb/s and 5 ns.
pub(crate) fn rack(inside: &Shape, outside: &Shape, gateways: u32) -> Pair {
    rack_with(inside, outside, gateways, Rate::from_gbps(100))
}

/// The same, but for the gateways' links outside.
pub(crate) fn rack_with(inside: &Shape, outside: &Shape, gateways: u32, uplink: Rate) -> Pair {
    let (rate, delay) = (Rate::from_gbps(100), Span::from_ns(5));
    let (inside, outside) = (inside.build(rate, delay).unwrap(), outside.build(rate, delay).unwrap());
    let uplink = LinkSpec { rate: uplink, delay, queue: None };
    let joined = Joined::new(&inside, &outside, gateways, uplink).unwrap();
    Pair { rack: joined.rack().topology, outside: joined.outside().topology, joined }
}

/// A rack with node buffers of 16 KB.
pub(crate) fn shoal<W: Observer>(topology: &Topology, seed: Seed, observer: W) -> Shoal<W> {
    let config = shoal::Config { buffer: Bytes::new(16_000), ..shoal::Config::default() };
    Shoal::on(&config, topology, Rig::new(&config, topology).unwrap(), seed, observer)
}

/// Store and forward, 38 B of framing, ports of 100 packets.
pub(crate) fn ethernet<W: Observer>(topology: &Topology, seed: Seed, observer: W) -> Ethernet<Fifo, W> {
    let config = ethernet::Config {
        switching: Switching::StoreAndForward,
        cut_through_header: Bytes::new(64),
        routing: Routing::Ecmp,
        mtu: Bytes::new(1500),
        framing: Bytes::new(38),
        jitter: Span::ZERO,
        convergence: Span::from_us(50),
        priorities: 1,
        port: Port { queue: Length::Packets(100), ecn_threshold: None, red: None, loss: 0.0 },
        trimming: None,
        pfabric: false,
        in_network_latency: false,
        pfc: None,
        rules: Vec::new(),
    };
    let routes = Arc::new(Routes::shortest(topology).unwrap());
    Ethernet::on(&config, topology, routes, seed, observer)
}

/// Shoal inside, Ethernet outside.
pub(crate) fn join(config: &Config, pair: &Pair, seed: Seed) -> impl Network<Observer = Off> + use<> {
    join_shown(config, pair, seed, Off)
}

/// The same, with somebody who looks on.
pub(crate) fn join_shown<W: Observer + Clone>(
    config: &Config,
    pair: &Pair,
    seed: Seed,
    observer: W,
) -> impl Network<Observer = W> + use<W> {
    let numbering = Numbering::new(&pair.joined);
    let inside = shoal(&pair.rack, seed, numbering.inside(observer.clone()));
    let outside = ethernet(&pair.outside, seed, numbering.outside(observer));
    gateway::Joined::new(config, &pair.joined, inside, outside, seed)
}
