//! The contract of networks, kept by R2C2 in every configuration.

use crate::lab::torus;
use engine::Seed;
use fabric::Network;
use fabric::conformance::{Breakable, Tally, Traffic, network, network_with_faults, observed};
use r2c2::{Config, Knowledge, R2c2, Rig, Routing};
use settings::Length;
use std::sync::Arc;
use topology::{Routes, Shape, Topology};
use units::{Bytes, Rate, Span};

fn build(shape: Shape) -> Topology {
    shape.build(Rate::from_gbps(10), Span::from_ns(100)).unwrap()
}

/// Racks of 16 hosts: one host a node, several, and nodes without any.
fn racks() -> Vec<Topology> {
    vec![
        torus(&[4, 4]),
        torus(&[16]),
        torus(&[2, 2, 4]),
        build(Shape::Star { hosts: 16 }),
        build(Shape::LeafSpine { leaves: 4, spines: 2, hosts_per_leaf: 4 }),
        build(Shape::FatTree { k: 4, oversubscription: 1.0 }),
    ]
}

fn configurations() -> Vec<Config> {
    let often = Config { interval: Span::from_us(3), linger: Span::from_ns(300), ..Config::default() };
    let valiant = Config { routing: Routing::Valiant, knowledge: Knowledge::Common, ..often.clone() };
    let pieces = Config { packet: Bytes::new(400), buffer: Bytes::new(1), refresh: Span::from_us(10), ..often.clone() };
    vec![Config::default(), often, valiant, pieces]
}

#[test]
fn the_contract_is_kept() {
    for topology in racks() {
        for config in configurations() {
            // Far too much; about what the links carry; so little that nothing waits.
            for (seed, gap) in [(1, 5), (2, 100), (3, 3000)] {
                let traffic = Traffic { hosts: 16, frames: 1000, gap: Span::from_ns(gap), seed };
                let (delivered, lost) = network(|| R2c2::new(&config, &topology, Seed(seed)).unwrap(), traffic);
                assert_eq!((delivered, lost), (1000, 0), "{} at {gap} ns", topology.label());
            }
        }
    }
}

#[test]
fn queues_that_are_bounded_lose() {
    for queue in [Length::Packets(8), Length::Bytes(Bytes::new(5000))] {
        let mut sums = (0, 0);
        for config in configurations() {
            let config = Config { queue: Some(queue), ..config };
            let traffic = Traffic { hosts: 16, frames: 2000, gap: Span::from_ns(60), seed: 1 };
            let (delivered, lost) = network(|| R2c2::new(&config, &torus(&[4, 4]), Seed(1)).unwrap(), traffic);
            assert_eq!(delivered + lost, 2000);
            sums = (sums.0 + delivered, sums.1 + lost);
        }
        assert!(sums.0 > 2000 && sums.1 > 100, "{sums:?} came and were lost");
    }
}

#[test]
fn parts_that_break_and_are_repaired() {
    for topology in racks() {
        let breakable = Breakable {
            links: topology.links().len() as u32,
            nodes: topology.nodes(),
            faults: 16,
            settle: Span::from_us(100),
        };
        for config in configurations() {
            // With fewer links a frame of several packets may be faster: a random path among them is not always one of the worse.
            let config = Config { convergence: Span::from_us(5), packet: Bytes::new(1500), ..config };
            for (seed, gap) in [(1, 20), (2, 300)] {
                let traffic = Traffic { hosts: 16, frames: 1000, gap: Span::from_ns(gap), seed };
                let make = || R2c2::new(&config, &topology, Seed(seed)).unwrap();
                let (delivered, lost) = network_with_faults(make, traffic, breakable);
                assert_eq!(delivered + lost, 1000 + 16 * 15);
                assert!(delivered > 400 && lost > 0, "{delivered} came and {lost} were lost");
            }
        }
    }
}

#[test]
fn all_is_shown_to_who_looks_on() {
    for config in configurations() {
        let config = Config { queue: Some(Length::Packets(5)), ..config };
        let (tally, topology) = (Tally::default(), Arc::new(torus(&[4, 4])));
        let routes = Arc::new(Routes::shortest(&topology).unwrap());
        let traffic = Traffic { hosts: 16, frames: 2000, gap: Span::from_ns(20), seed: 1 };
        let network_seen = R2c2::on(&config, Rig::new(&topology).unwrap(), routes, Seed(1), tally.clone());
        let sums = observed(network_seen, &tally, traffic);
        let [queued, arrived] = sums.cells;
        assert!(arrived > 4000 && queued >= arrived && sums.dropped > 0, "{sums:?}");
        // Whoever looks on changes nothing.
        let make = || R2c2::new(&config, &topology, Seed(1)).unwrap();
        assert_eq!(network(make, traffic).0, sums.delivered);
        assert_eq!(make().observer(), &fabric::Off);
    }
}

#[test]
fn what_is_no_rack_is_refused() {
    let refused = |shape| Rig::new(&Arc::new(build(shape))).unwrap_err().to_string();
    assert_eq!(
        refused(Shape::Planes { hosts: 4, planes: 2 }),
        "host host-0 has 2 links: a host is in a node with one switch, so it has one link"
    );
    let large = Shape::LeafSpine { leaves: 16_384, spines: 1, hosts_per_leaf: 1 };
    assert_eq!(refused(large), "16385 nodes: each keeps trees to all others, which 16384 can");
}
