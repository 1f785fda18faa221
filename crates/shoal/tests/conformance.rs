//! The contract of networks, kept by Shoal in every configuration.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use fabric::conformance::{Traffic, network};
use shoal::rack::Release;
use shoal::schedule::Order;
use shoal::{Config, Shoal};
use topology::{Shape, Topology};
use units::{Bytes, Rate, Span};

fn build(shape: Shape) -> Topology {
    shape.build(Rate::from_gbps(100), Span::from_ns(5)).unwrap()
}

fn keeps_the_contract(config: &Config, topology: &Topology) {
    // Far too much for sixteen nodes of 100 Gb/s; about what they can send; so little that nothing waits.
    for (seed, gap) in [(1, 2), (2, 12), (3, 3000)] {
        let traffic = Traffic { hosts: 16, frames: 3000, gap: Span::from_ns(gap), seed };
        let (delivered, dropped) = network(|| Shoal::new(config, topology).unwrap(), traffic);
        assert_eq!((delivered, dropped), (3000, 0), "at {gap} ns");
    }
}

#[test]
fn one_switch_and_two_stages() {
    keeps_the_contract(&Config::default(), &build(Shape::Star { hosts: 16 }));
    keeps_the_contract(&Config::default(), &build(Shape::FoldedClos { radix: 8, leaves: Some(4) }));
}

#[test]
fn without_the_optimisations() {
    for (ready_queue, by_age) in [(false, false), (true, false), (false, true)] {
        let release = Release { ready_queue, by_age };
        keeps_the_contract(&Config { release, ..Config::default() }, &build(Shape::Star { hosts: 16 }));
    }
}

#[test]
fn long_ways_and_other_schedules() {
    let (channels, order) = (1, Order::Plain);
    let slow = Config { channels, order, switch_latency: Span::from_us(1), ..Config::default() };
    keeps_the_contract(&slow, &build(Shape::FoldedClos { radix: 8, leaves: Some(4) }));
    let small = Config { buffer: Bytes::new(1000), mtu: Bytes::new(9000), channels: 3, ..Config::default() };
    keeps_the_contract(&small, &build(Shape::Star { hosts: 16 }));
}

#[test]
fn other_topologies_are_refused() {
    let refused = |topology: &Topology| Shoal::new(&Config::default(), topology).unwrap_err().to_string();
    assert_eq!(
        refused(&build(Shape::FatTree { k: 4, oversubscription: 1.0 })),
        "the switches are not two full stages: take topology.kind = \"star\", or \"folded-clos\""
    );
    assert_eq!(
        refused(&build(Shape::LeafSpine { leaves: 4, spines: 3, hosts_per_leaf: 4 })),
        "leaves have 4 hosts and 3 uplinks: a non-blocking stage has as many uplinks as hosts, or more"
    );
    assert_eq!(refused(&build(Shape::Star { hosts: 5000 })), "5000 hosts: a rack has 2 to 4096 nodes");
    let mut topology = build(Shape::Star { hosts: 4 });
    topology.set_link(topology::LinkId(2), Some(Rate::from_gbps(10)), None).unwrap();
    assert_eq!(
        refused(&topology),
        "link host-2 -> switch-0 differs in rate or delay from others of its stage: all paths of a rack are equally long and fast"
    );
}
