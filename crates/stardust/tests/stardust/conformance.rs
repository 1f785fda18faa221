//! The contract of networks, kept by Stardust in every configuration.

use engine::Seed;
use fabric::conformance::{Breakable, Sums, Tally, Traffic, network, network_with_faults, observed};
use stardust::build::Parts;
use stardust::config::Class;
use stardust::interior::Interior;
use stardust::{Config, Lanes, LockStep, Stardust};
use topology::{Shape, Topology};
use units::{Bytes, Rate, Span};

fn build(shape: Shape) -> Topology {
    shape.build(Rate::from_gbps(10), Span::from_us(1)).unwrap()
}

/// Three tiers: adapters and two of elements.
fn tree() -> Topology {
    build(Shape::FatTree { k: 4, oversubscription: 1.0 })
}

/// Two: adapters and one of elements.
fn two_stage() -> Topology {
    build(Shape::LeafSpine { leaves: 4, spines: 3, hosts_per_leaf: 4 })
}

fn keeps_the_contract(config: &Config, topology: &Topology) {
    keeps_it::<Lanes>(config, topology);
    keeps_it::<LockStep>(config, topology);
}

fn keeps_it<I: Interior>(config: &Config, topology: &Topology) {
    // Far too much for sixteen hosts of 10 Gb/s; about what they can send; so little that nothing waits.
    for (seed, gap) in [(1, 20), (2, 80), (3, 20_000)] {
        let traffic = Traffic { hosts: 16, frames: 3000, gap: Span::from_ns(gap), seed };
        let make = || Stardust::<I>::new(config, topology, Seed(seed)).unwrap();
        let (delivered, dropped) = network(make, traffic);
        assert_eq!((delivered, dropped), (3000, 0), "at {gap} ns");
    }
}

#[test]
fn packed_cells() {
    keeps_the_contract(&Config::default(), &tree());
    keeps_the_contract(&Config::default(), &two_stage());
    keeps_the_contract(&Config::default(), &build(Shape::Star { hosts: 16 }));
}

#[test]
fn non_packed_cells() {
    let mut config = Config::default();
    config.cells.packing = false;
    config.cells.packet_header = Bytes::new(30);
    keeps_the_contract(&config, &tree());
}

#[test]
fn jumbo_packets_and_small_credits() {
    let mut config = Config { mtu: Bytes::new(9000), ..Config::default() };
    config.credits.size = Bytes::new(1000);
    config.cells.size = Bytes::new(64);
    keeps_the_contract(&config, &tree());
}

#[test]
fn classes() {
    let class = |weight| Class { weight, low_latency: false };
    for classes in [
        vec![class(0), class(0), class(0)],
        vec![class(1), class(3)],
        vec![Class { weight: 0, low_latency: true }, class(2), class(1)],
    ] {
        keeps_the_contract(&Config::default().with_classes(&classes), &tree());
    }
}

#[test]
fn a_full_buffer_drops_and_a_threshold_pauses() {
    let mut config = Config::default();
    config.adapter.buffer = Bytes::new(20_000);
    let traffic = Traffic { hosts: 16, frames: 3000, gap: Span::from_ns(20), seed: 1 };
    let make = |config: Config| move || Stardust::<Lanes>::new(&config, &tree(), Seed(1)).unwrap();
    let (_, dropped) = network(make(config.clone()), traffic);
    assert!(dropped > 100, "{dropped} dropped");
    // Two hosts an adapter, each of which may have two packets on the way when it is paused.
    config.adapter.pause_threshold = Some(Bytes::new(8_000));
    config.adapter.ecn_threshold = Some(Bytes::new(3_000));
    let (delivered, dropped) = network(make(config), traffic);
    assert_eq!((delivered, dropped), (3000, 0));
}

#[test]
fn parts_that_break_and_are_repaired() {
    survives::<Lanes>();
    survives::<LockStep>();
}

fn survives<I: Interior>() {
    for topology in [tree(), two_stage()] {
        let config = Config::default();
        let breakable = Breakable {
            links: topology.links().len() as u32,
            nodes: topology.nodes(),
            faults: 60,
            settle: Span::from_ms(1),
        };
        for (seed, gap) in [(1, 60), (2, 200), (3, 2000)] {
            let traffic = Traffic { hosts: topology.hosts(), frames: 2000, gap: Span::from_ns(gap), seed };
            let make = || Stardust::<I>::new(&config, &topology, Seed(seed)).unwrap();
            let (delivered, lost) = network_with_faults(make, traffic, breakable);
            assert_eq!(delivered + lost, 2000 + u64::from(topology.hosts() * (topology.hosts() - 1)));
            assert!(lost > 20 && delivered > 500, "{lost} lost, {delivered} delivered at {gap} ns");
        }
    }
}

fn shown<I: Interior>(config: &Config, gap: Span) -> Sums {
    let (tally, topology) = (Tally::default(), tree());
    let parts = Parts::new(config, &topology).unwrap();
    let network = Stardust::<I, _>::on(config, &topology, parts, Seed(1), tally.clone());
    observed(network, &tally, Traffic { hosts: 16, frames: 3000, gap, seed: 1 })
}

#[test]
fn all_is_shown_to_who_looks_on() {
    let mut small = Config::default();
    small.adapter.buffer = Bytes::new(20_000);
    let mut pausing = small.clone();
    pausing.adapter.pause_threshold = Some(Bytes::new(8_000));
    let gap = Span::from_ns(20);
    for both in [
        [shown::<Lanes>(&small, gap), shown::<Lanes>(&pausing, gap)],
        [shown::<LockStep>(&small, gap), shown::<LockStep>(&pausing, gap)],
    ] {
        let [small, pausing] = both;
        assert!(small.dropped > 0 && small.credits > 0 && small.pauses == [0, 0], "{small:?}");
        assert!(pausing.dropped == 0 && pausing.pauses[0] > 0 && pausing.pauses[0] >= pausing.pauses[1], "{pausing:?}");
        // Whatever joins a link's queue comes over it, but for what is on its way at the end.
        let [queued, arrived] = small.cells;
        assert!(queued >= arrived && arrived > 10_000, "{queued} cells joined queues, {arrived} came");
    }
}
