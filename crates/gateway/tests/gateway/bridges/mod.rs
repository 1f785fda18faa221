//! The contract of networks, kept by an AN3 network and an Ethernet outside that bridges of the operations centre join.

use crate::pairs::{Pair, ethernet};
use an3::{An3, Rig};
use engine::{EventQueue, Seed};
use fabric::conformance::{Breakable, Tally, Traffic, network, network_with_faults, observed};
use fabric::{Fault, Frame, Kind, Network, Observer, Off};
use gateway::{Config, Joined, Numbering, Spreading};
use proptest::prelude::*;
use std::sync::Arc;
use topology::{LinkSpec, Shape, Wiring};
use units::{Bytes, Rate, Span, Time};

/// Containers of one L0 network of four NICs, and so many bridges. All links of switches have 10 Gb/s and 5 ns.
fn with_bridges(containers: u32, outside: &Shape, gateways: u32) -> Pair {
    let link = LinkSpec { rate: Rate::from_gbps(10), delay: Span::from_ns(5), queue: None };
    let shape =
        topology::An3 { containers, networks: 1, hosts: 4, wiring: Wiring::Mesh, egress: 2, container_links: 1 };
    let build = |shape: &Shape| shape.build(link.rate, link.delay).unwrap();
    let joined =
        topology::Joined::by_operations_centre(&build(&Shape::An3(shape)), &build(outside), gateways, [link; 2])
            .unwrap();
    Pair { rack: joined.rack().topology, outside: joined.outside().topology, joined }
}

fn join(rack: &an3::Config, config: &Config, pair: &Pair, seed: Seed) -> impl Network<Observer = Off> + use<> {
    join_shown(rack, config, pair, seed, Off)
}

fn join_shown<W: Observer + Clone>(
    rack: &an3::Config,
    config: &Config,
    pair: &Pair,
    seed: Seed,
    observer: W,
) -> impl Network<Observer = W> + use<W> {
    let numbering = Numbering::new(&pair.joined);
    let rig = Rig::new(&Arc::new(pair.rack.clone())).unwrap().with_gateways(pair.joined.gateways);
    let inside = An3::on(rack, rig, seed, numbering.inside(observer.clone()));
    let outside = ethernet(&pair.outside, seed, numbering.outside(observer));
    Joined::new(config, &pair.joined, inside, outside, seed)
}

fn near() -> Config {
    Config { spreading: Some(Spreading::Host), ..Config::default() }
}

const LEAVES: Shape = Shape::LeafSpine { leaves: 2, spines: 2, hosts_per_leaf: 3 };

#[test]
fn the_contract_is_kept() {
    for (containers, gateways) in [(1, 1), (2, 1), (3, 3)] {
        let pair = with_bridges(containers, &LEAVES, gateways);
        for tunnels in [true, false] {
            let rack = an3::Config { tunnels, ..an3::Config::default() };
            // So much that buffers overflow; about what links carry; and so little that nothing waits.
            for (seed, gap) in [(1, 50), (2, 1000), (3, 50_000)] {
                let traffic = Traffic { hosts: pair.joined.whole.hosts(), frames: 2000, gap: Span::from_ns(gap), seed };
                let config = Config { buffer: Bytes::new(30_000), ..near() };
                let (delivered, dropped) = network(|| join(&rack, &config, &pair, Seed(seed)), traffic);
                assert_eq!(delivered + dropped, 2000);
                assert!(delivered > 400, "{delivered} delivered at {gap} ns");
                assert!(gap > 50 || dropped > 0, "buffers that hold all");
                assert!(gap < 50_000 || dropped == 0, "{dropped} dropped though nothing waits");
            }
        }
    }
}

#[test]
fn parts_that_break_and_are_repaired() {
    for (containers, gateways) in [(1, 1), (2, 2)] {
        let pair = with_bridges(containers, &Shape::Star { hosts: 4 }, gateways);
        let whole = &pair.joined.whole;
        let settle = Span::from_ms(20);
        let breakable = Breakable { links: whole.links().len() as u32, nodes: whole.nodes(), faults: 24, settle };
        for (seed, gap) in [(1, 500), (2, 5000)] {
            let traffic = Traffic { hosts: whole.hosts(), frames: 2000, gap: Span::from_ns(gap), seed };
            let make = || join(&an3::Config::default(), &near(), &pair, Seed(seed));
            let (delivered, gone) = network_with_faults(make, traffic, breakable);
            assert_eq!(delivered + gone, 2000 + u64::from(whole.hosts() * (whole.hosts() - 1)));
            assert!(gone > 20 && delivered > 500, "{gone} gone, {delivered} delivered at {gap} ns");
        }
    }
}

#[test]
fn all_is_shown_to_who_looks_on() {
    let pair = with_bridges(2, &LEAVES, 2);
    let tally = Tally::default();
    let config = Config { buffer: Bytes::new(9000), ecn_threshold: Some(Bytes::new(3000)), ..near() };
    let network = join_shown(&an3::Config::default(), &config, &pair, Seed(1), tally.clone());
    let traffic = Traffic { hosts: pair.joined.whole.hosts(), frames: 3000, gap: Span::from_ns(100), seed: 1 };
    let sums = observed(network, &tally, traffic);
    assert!(sums.dropped > 0 && sums.marked > 0 && sums.delivered > 500, "{sums:?}");
}

fn frame(flow: u32, src: u32, dst: u32) -> Frame {
    Frame { flow, epoch: 1, src, dst, len: 1500, kind: Kind::Data, sequence: flow.into(), ..Frame::EMPTY }
}

/// Offers frames at once, and runs until nothing moves: who came when, and the sum of a counter.
fn run(
    network: &mut impl Network,
    frames: &[Frame],
    faults: &[(Span, Fault)],
    counter: &str,
) -> (Vec<(u32, Time)>, u64) {
    let mut queue = EventQueue::new(network.event_gap());
    frames.iter().for_each(|frame| network.offer(Time::ZERO, *frame, &mut queue));
    let (mut faults, mut found) = (faults.iter().peekable(), Vec::new());
    while let Some(next) = queue.next_at() {
        if let Some((at, fault)) = faults.next_if(|(at, _)| Time::ZERO + *at <= next) {
            network.fault(Time::ZERO + *at, *fault, &mut queue);
            continue;
        }
        let event = queue.pop().unwrap();
        found.extend(network.handle(event, &mut queue).map(|frame| (frame.flow, event.at)));
        network.check();
    }
    let value = network.counters().iter().find(|own| own.name == counter).unwrap().value;
    (found, value as u64)
}

#[test]
fn a_hosts_external_connections_share_one_circuit() {
    let pair = with_bridges(1, &Shape::Star { hosts: 4 }, 1);
    // Eight flows out of one host and eight into it, of a frame each.
    let frames: Vec<Frame> =
        (0..8).flat_map(|flow| [frame(flow, 3, 4 + flow % 4), frame(8 + flow, 4 + flow % 4, 3)]).collect();
    let asked = |tunnels| {
        let rack = an3::Config { tunnels, growth: false, ..an3::Config::default() };
        let (found, asked) = run(&mut join(&rack, &near(), &pair, Seed(1)), &frames, &[], "circuits asked for");
        assert_eq!(found.len(), 16);
        asked
    };
    assert_eq!(asked(true), 2, "one each way");
    assert_eq!(asked(false), 16, "one for each flow");
}

/// What each bridge sends to the outside when a host of either container sends a frame there at the start and another after 3 ms, and what arrives.
fn over_bridges(faults: &[Fault]) -> (usize, [u64; 2]) {
    let pair = with_bridges(2, &Shape::Star { hosts: 2 }, 2);
    let whole = &pair.joined.whole;
    let mut network = join(&an3::Config::default(), &near(), &pair, Seed(1));
    let mut queue = EventQueue::new(network.event_gap());
    let mut arrived = 0;
    faults.iter().for_each(|fault| network.fault(Time::ZERO, *fault, &mut queue));
    for (number, at) in (0..).zip([Time::ZERO, Time::ZERO + Span::from_ms(3)]) {
        while queue.next_at().is_some_and(|next| next < at) {
            let event = queue.pop().unwrap();
            arrived += usize::from(network.handle(event, &mut queue).is_some());
        }
        network.offer(at, frame(2 * number, 1, 8), &mut queue);
        network.offer(at, frame(2 * number + 1, 5, 9), &mut queue);
    }
    while let Some(event) = queue.pop() {
        arrived += usize::from(network.handle(event, &mut queue).is_some());
        network.check();
    }
    let totals = network.totals();
    assert_eq!((totals.offered, totals.delivered + totals.lost, totals.in_flight), (4, 4, 0));
    let sent = ["noc-0 -> outside-switch-0", "noc-1 -> outside-switch-0"].map(|name| {
        let link = whole.find_link(name).unwrap();
        network.link_counters(Time::ZERO + Span::from_ms(20), link.0).frames
    });
    (arrived, sent)
}

#[test]
fn a_host_takes_the_bridge_of_its_container_and_another_when_that_fails() {
    let pair = with_bridges(2, &Shape::Star { hosts: 2 }, 2);
    let whole = &pair.joined.whole;
    let node = |name: &str| (0..whole.nodes()).find(|node| whole.name(topology::NodeId(*node)) == name).unwrap();
    let down = |name: &str| Fault::Node { node: node(name), up: false };
    let cut = |name: &str| Fault::Link { link: whole.find_link(name).unwrap().0, up: false };
    assert_eq!(over_bridges(&[]), (4, [2, 2]));
    // Hosts learn after a millisecond. What was sent before is given up after another.
    assert_eq!(over_bridges(&[down("noc-0")]), (3, [0, 3]));
    // What the bridge has taken is lost before the cable to the outside.
    assert_eq!(over_bridges(&[cut("noc-1 -> outside-switch-0")]).0, 3);
    // The other switch of the container stands in: nothing is lost, and no host changes its bridge.
    assert_eq!(over_bridges(&[down("c0-primary")]), (4, [2, 2]));
    assert_eq!(over_bridges(&[cut("c1-secondary -> noc-1")]), (4, [2, 2]));
    // With both, the bridge is of no use, nor are the hosts of the container.
    assert_eq!(over_bridges(&[cut("c0-primary -> noc-0"), cut("c0-secondary -> noc-0")]), (3, [0, 3]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Frames are conserved at every event, whatever the network is like.
    #[test]
    fn frames_are_conserved(
        (containers, gateways, hosts) in (1_u32..4, 1_u32..4, 1_u32..5),
        (buffer, threshold) in (1500_u64..20_000, prop::option::of(0_u64..9000)),
        (tunnels, growth, chunk, circuits) in (any::<bool>(), any::<bool>(), 1_u32..129, 1_u32..20),
        spreading in prop::sample::select(vec![Spreading::Flow, Spreading::Packet, Spreading::Host]),
        (gap, seed) in (20_u64..5000, any::<u64>()),
    ) {
        let pair = with_bridges(containers, &Shape::Star { hosts }, gateways.min(containers));
        let rack = an3::Config { tunnels, growth, chunk, circuits, ..an3::Config::default() };
        let (ecn_threshold, spreading) = (threshold.map(Bytes::new), Some(spreading));
        let config = Config { buffer: Bytes::new(buffer), ecn_threshold, spreading, failover: Span::from_us(1) };
        let traffic = Traffic { hosts: pair.joined.whole.hosts(), frames: 300, gap: Span::from_ns(gap), seed };
        let (delivered, dropped) = network(|| join(&rack, &config, &pair, Seed(seed)), traffic);
        prop_assert_eq!(delivered + dropped, 300);
    }
}
