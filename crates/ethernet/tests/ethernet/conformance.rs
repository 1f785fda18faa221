//! The contract of networks, kept by every kind of Ethernet fabric.

use crate::pfc::pfc;
use engine::Seed;
use ethernet::{
    Config, Discipline, Ethernet, Fifo, Length, Pausing, Pfc, Port, Priorities, Ranked, Routing, Switching, Trim,
    Trimming,
};
use fabric::conformance::{Breakable, Sums, Tally, Traffic, network, network_with_faults, observed};
use std::sync::Arc;
use topology::{Routes, Shape, Topology};
use units::{Bytes, Rate, Span};

fn tree() -> Topology {
    Shape::FatTree { k: 4, oversubscription: 1.0 }.build(Rate::from_gbps(10), Span::from_us(1)).unwrap()
}

fn config() -> Config {
    Config {
        switching: Switching::StoreAndForward,
        cut_through_header: Bytes::new(64),
        routing: Routing::Ecmp,
        mtu: Bytes::new(1500),
        framing: Bytes::new(38),
        jitter: Span::ZERO,
        convergence: Span::from_us(20),
        priorities: 1,
        port: Port { queue: Length::Packets(8), ecn_threshold: Some(Length::Packets(3)), red: None, loss: 0.0 },
        trimming: None,
        pfabric: false,
        in_network_latency: false,
        pfc: None,
        rules: Vec::new(),
    }
}

fn keeps_the_contract<D: Discipline>(config: &Config) {
    // Far too much for sixteen hosts of 10 Gb/s; about what they can send; so little that nothing waits.
    for (seed, gap) in [(1, 20), (2, 80), (3, 20_000)] {
        let traffic = Traffic { hosts: 16, frames: 3000, gap: Span::from_ns(gap), seed };
        let make = || Ethernet::<D>::new(config, &tree(), Seed(seed)).unwrap();
        let (delivered, dropped) = network(make, traffic);
        assert_eq!(delivered + dropped, 3000);
        if let Some(pfc) = config.pfc
            && config.port.loss == 0.0
        {
            assert_eq!(dropped > 0, gap == 20 && pfc.lossless == 0, "{dropped} dropped at {gap} ns");
        } else if config.port.loss == 0.0 {
            assert!(if gap == 20 { dropped > 0 } else { gap == 80 || dropped == 0 }, "{dropped} dropped at {gap} ns");
        } else {
            assert!(dropped > 100);
        }
    }
}

#[test]
fn first_in_first_out() {
    keeps_the_contract::<Fifo>(&config());
}

#[test]
fn limits_in_bytes() {
    let port = Port { queue: Length::Bytes(Bytes::new(9000)), ecn_threshold: None, red: None, loss: 0.0 };
    keeps_the_contract::<Fifo>(&Config { port, ..config() });
}

#[test]
fn spraying() {
    keeps_the_contract::<Fifo>(&Config { routing: Routing::Spray, ..config() });
}

#[test]
fn cut_through() {
    let switching = Switching::CutThrough;
    keeps_the_contract::<Fifo>(&Config { switching, ..config() });
    keeps_the_contract::<Priorities>(&Config { switching, priorities: 3, ..config() });
}

#[test]
fn strict_priorities() {
    keeps_the_contract::<Priorities>(&Config { priorities: 8, ..config() });
}

/// What switches may not trim, which is all that the check sends, they drop.
fn trimming() -> Config {
    Config { trimming: Some(Trim { header: Bytes::new(64), headers_in_a_row: 10 }), ..config() }
}

#[test]
fn ports_that_trim() {
    keeps_the_contract::<Trimming>(&trimming());
    survives::<Trimming>(&trimming(), &tree());
}

#[test]
fn ports_that_order_by_rank() {
    let config = Config { pfabric: true, ..config() };
    keeps_the_contract::<Ranked>(&config);
    keeps_the_contract::<Ranked>(&Config { switching: Switching::CutThrough, ..config.clone() });
    keeps_the_contract::<Ranked>(&Config { routing: Routing::Spray, jitter: Span::from_us(3), ..config.clone() });
    let in_bytes = Port { queue: Length::Bytes(Bytes::new(9000)), ..config.port };
    keeps_the_contract::<Ranked>(&Config { port: in_bytes, ..config.clone() });
    keeps_the_contract::<Ranked>(&Config { port: Port { loss: 0.02, ..config.port }, ..config.clone() });
    survives::<Ranked>(&config, &tree());
    survives::<Ranked>(&Config { switching: Switching::CutThrough, port: in_bytes, ..config }, &tree());
}

#[test]
fn ports_that_pause() {
    // With memory for a few frames at each port and class.
    let small = Pfc { buffer: Bytes::new(100_000), ..pfc() };
    let config = Config { pfc: Some(small), ..config() };
    let cut_through = Switching::CutThrough;
    keeps_the_contract::<Pausing>(&config);
    keeps_the_contract::<Pausing>(&Config { routing: Routing::Spray, jitter: Span::from_us(3), ..config.clone() });
    keeps_the_contract::<Pausing>(&Config { switching: cut_through, ..config.clone() });
    let lossy = Some(Pfc { lossless: 0, ..small });
    keeps_the_contract::<Pausing>(&Config { pfc: lossy, ..config.clone() });
    keeps_the_contract::<Pausing>(&Config { port: Port { loss: 0.02, ..config.port }, ..config.clone() });
    survives::<Pausing>(&config, &tree());
    survives::<Pausing>(&Config { pfc: lossy, ..config }, &tree());
}

#[test]
fn hosts_that_hold_packets_back() {
    keeps_the_contract::<Fifo>(&Config { jitter: Span::from_us(3), ..config() });
}

#[test]
fn links_that_corrupt() {
    keeps_the_contract::<Fifo>(&Config { port: Port { loss: 0.02, ..config().port }, ..config() });
    keeps_the_contract::<Priorities>(&Config { port: Port { loss: 0.02, ..config().port }, ..config() });
}

fn survives<D: Discipline>(config: &Config, topology: &Topology) {
    let breakable = Breakable {
        links: topology.links().len() as u32,
        nodes: topology.nodes(),
        faults: 60,
        settle: config.convergence + Span::from_ps(1),
    };
    for (seed, gap) in [(1, 60), (2, 200), (3, 2000)] {
        let traffic = Traffic { hosts: topology.hosts(), frames: 2000, gap: Span::from_ns(gap), seed };
        let make = || Ethernet::<D>::new(config, topology, Seed(seed)).unwrap();
        let (delivered, lost) = network_with_faults(make, traffic, breakable);
        assert_eq!(delivered + lost, 2000 + u64::from(topology.hosts() * (topology.hosts() - 1)));
        assert!(lost > 20 && delivered > 500, "{lost} lost, {delivered} delivered at {gap} ns");
    }
}

#[test]
fn parts_that_break_and_are_repaired() {
    survives::<Fifo>(&config(), &tree());
    survives::<Fifo>(&Config { routing: Routing::Spray, jitter: Span::from_us(3), ..config() }, &tree());
    let cut_through = Switching::CutThrough;
    survives::<Fifo>(&Config { switching: cut_through, convergence: Span::ZERO, ..config() }, &tree());
    survives::<Priorities>(&Config { priorities: 3, ..config() }, &tree());
    // Longer than all of the traffic: routes never change while it goes on.
    survives::<Priorities>(&Config { priorities: 3, convergence: Span::from_ms(10), ..config() }, &tree());
    let small = Shape::LeafSpine { leaves: 3, spines: 2, hosts_per_leaf: 2 };
    survives::<Fifo>(&config(), &small.build(Rate::from_gbps(10), Span::from_us(1)).unwrap());
}

/// What is shown of far too much traffic.
fn shown<D: Discipline>(config: &Config) -> Sums {
    let (tally, topology) = (Tally::default(), tree());
    let routes = Arc::new(Routes::shortest(&topology).unwrap());
    let network = Ethernet::<D, _>::on(config, &topology, routes, Seed(1), tally.clone());
    observed(network, &tally, Traffic { hosts: 16, frames: 3000, gap: Span::from_ns(20), seed: 1 })
}

#[test]
fn all_is_shown_to_who_looks_on() {
    let port = Port { loss: 0.1, ..config().port };
    let sums = shown::<Fifo>(&Config { port, ..config() });
    assert!(sums.dropped > 0 && sums.lost > 0 && sums.marked > 0 && sums.arrived > sums.delivered, "{sums:?}");
    assert!(sums.queued.values().all(|times| *times <= 6), "no path has more than six links");
    let sums = shown::<Priorities>(&Config { priorities: 3, ..config() });
    assert!(sums.dropped > 0 && sums.marked > 0, "{sums:?}");
    let trimming = Some(Trim { header: Bytes::new(64), headers_in_a_row: 10 });
    assert!(shown::<Trimming>(&Config { trimming, ..config() }).dropped > 0);
    let sums = shown::<Ranked>(&Config { pfabric: true, ..config() });
    assert!(sums.dropped > 0 && sums.marked > 0, "{sums:?}");
    assert!(shown::<Pausing>(&Config { pfc: Some(pfc()), ..config() }).lost == 0);
}
