//! The contract of networks, kept by Shoal in every configuration.

use engine::Seed;
use fabric::Network;
use fabric::conformance::{Breakable, Tally, Traffic, network, network_with_faults, observed};
use shoal::build::Rig;
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
        let (delivered, dropped) = network(|| Shoal::new(config, topology, Seed(seed)).unwrap(), traffic);
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
        let release = Release { ready_queue, age_rule: by_age, ..Release::PAPER };
        keeps_the_contract(&Config { release, ..Config::default() }, &build(Shape::Star { hosts: 16 }));
    }
}

#[test]
fn long_ways_and_other_schedules() {
    let (channels, schedule) = (1, Order::Cyclic);
    let slow = Config { channels, schedule, switch_latency: Span::from_us(1), ..Config::default() };
    keeps_the_contract(&slow, &build(Shape::FoldedClos { radix: 8, leaves: Some(4) }));
    let small = Config { buffer: Bytes::new(1000), mtu: Bytes::new(9000), channels: 3, ..Config::default() };
    keeps_the_contract(&small, &build(Shape::Star { hosts: 16 }));
}

fn survives(config: &Config, topology: &Topology) {
    let breakable = Breakable {
        links: topology.links().len() as u32,
        nodes: topology.nodes(),
        faults: 16,
        settle: Span::from_ms(1),
    };
    for (seed, gap) in [(1, 12), (2, 12), (3, 300), (4, 3000)] {
        let traffic = Traffic { hosts: 16, frames: 3000, gap: Span::from_ns(gap), seed };
        let make = || Shoal::new(config, topology, Seed(seed)).unwrap();
        let (delivered, lost) = network_with_faults(make, traffic, breakable);
        assert_eq!(delivered + lost, 3000 + 16 * 15, "at {gap} ns");
        assert!(delivered > 400 && lost > 0, "at {gap} ns {delivered} came and {lost} were lost");
    }
}

#[test]
fn parts_that_break_and_are_repaired() {
    let leave_out_after = Some(Span::from_us(3));
    for shape in [Shape::Star { hosts: 16 }, Shape::FoldedClos { radix: 8, leaves: Some(4) }] {
        let topology = build(shape);
        survives(&Config::default(), &topology);
        survives(&Config { leave_out_after, channels: 1, ..Config::default() }, &topology);
        let slow =
            Config { switch_latency: Span::from_us(1), priorities: 3, class_queue: Some(2), ..Config::default() };
        survives(&Config { leave_out_after, ..slow }, &topology);
    }
}

#[test]
fn other_topologies_are_refused() {
    let refused = |topology: &Topology| Shoal::new(&Config::default(), topology, Seed(1)).unwrap_err().to_string();
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

#[test]
fn all_is_shown_to_who_looks_on() {
    let (tally, star, config) = (Tally::default(), build(Shape::Star { hosts: 16 }), Config::default());
    let traffic = Traffic { hosts: 16, frames: 3000, gap: Span::from_ns(12), seed: 1 };
    let rig = Rig::new(&config, &star).unwrap();
    let sums = observed(Shoal::on(&config, &star, rig.clone(), Seed(1), tally.clone()), &tally, traffic);
    let [left, arrived] = sums.cells;
    assert!(
        sums.slots > 0 && left > 3000 && left == arrived,
        "{left} cells left and {arrived} came in {} slots",
        sums.slots
    );
    // Whoever looks on changes nothing.
    let mut unseen = Shoal::on(&config, &star, rig, Seed(1), fabric::Off);
    assert_eq!(unseen.observer(), &fabric::Off);
    let make = || Shoal::new(&config, &star, Seed(1)).unwrap();
    assert_eq!(network(make, traffic).0, sums.delivered);
}
