//! The contract of networks, kept by AN3 in every configuration.

use crate::lab::mesh;
use an3::{An3, Config, Rig};
use engine::Seed;
use fabric::Network;
use fabric::conformance::{Breakable, Tally, Traffic, network, network_with_faults, observed};
use std::sync::Arc;
use topology::Topology;
use units::{Bytes, Span};

/// Of 16 hosts each: one container, several, one L0 network.
fn networks() -> Vec<Topology> {
    vec![mesh(1, 4, 4), mesh(4, 1, 4), mesh(2, 2, 4), mesh(1, 1, 16)]
}

fn configurations() -> Vec<Config> {
    let single = Config { growth: false, buffer: Bytes::new(1), ..Config::default() };
    let few = Config { circuits: 2, chunk: 7, hold: 20, retry: 3, mtu: Bytes::new(9000), ..Config::default() };
    let slow = Config { ring_cycle: Span::from_ns(50), nic_latency: Span::from_us(2), ..Config::default() };
    vec![Config::default(), single, few, slow]
}

#[test]
fn the_contract_is_kept() {
    for topology in networks() {
        for config in configurations() {
            for (seed, gap) in [(1, 50), (2, 1000), (3, 10_000)] {
                let traffic = Traffic { hosts: 16, frames: 1000, gap: Span::from_ns(gap), seed };
                let (delivered, lost) = network(|| An3::new(&config, &topology, Seed(seed)).unwrap(), traffic);
                assert_eq!((delivered, lost), (1000, 0), "{} at {gap} ns", topology.label());
            }
        }
    }
}

#[test]
fn all_is_shown_to_who_looks_on() {
    for config in configurations() {
        let (tally, topology) = (Tally::default(), Arc::new(mesh(2, 2, 4)));
        let traffic = Traffic { hosts: 16, frames: 2000, gap: Span::from_ns(1000), seed: 1 };
        let seen = An3::on(&config, Rig::new(&topology).unwrap(), Seed(1), tally.clone());
        let sums = observed(seen, &tally, traffic);
        assert_eq!(sums.delivered, 2000);
        // Whoever looks on changes nothing.
        let make = || An3::new(&config, &topology, Seed(1)).unwrap();
        assert_eq!(network(make, traffic).0, sums.delivered);
        assert_eq!(make().observer(), &fabric::Off);
    }
}

#[test]
fn parts_that_break_and_are_repaired() {
    for topology in &networks() {
        let breakable = Breakable {
            links: topology.links().len() as u32,
            nodes: topology.nodes(),
            faults: 16,
            settle: Span::from_ms(2),
        };
        for config in configurations() {
            for (seed, gap) in [(1, 500), (2, 5000)] {
                let traffic = Traffic { hosts: 16, frames: 1000, gap: Span::from_ns(gap), seed };
                let make = || An3::new(&config, topology, Seed(seed)).unwrap();
                let (delivered, lost) = network_with_faults(make, traffic, breakable);
                assert_eq!(delivered + lost, 1000 + 16 * 15);
                assert!(delivered > 400, "{delivered} came and {lost} were lost");
            }
        }
    }
}
