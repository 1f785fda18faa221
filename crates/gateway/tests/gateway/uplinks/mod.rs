//! The contract of networks, kept by an XFabric rack whose uplinks move, and an Ethernet outside.

use crate::pairs::{Pair, ethernet};
use engine::Seed;
use fabric::conformance::{Breakable, Tally, Traffic, network, network_with_faults, observed};
use fabric::{Network, Observer, Off};
use gateway::{Config, Joined, Numbering};
use proptest::prelude::*;
use topology::{LinkSpec, Shape};
use units::{Bytes, Rate, Span, Time};
use xfabric::control::Exchanges;
use xfabric::network::{Control, ControlPlane, Multipath, ProtocolSettings, Rig, Start, XFabric};

/// Changes its circuits every 400 us, a crosspoint every 20 us.
fn restless(uplinks: u32) -> xfabric::network::Config {
    xfabric::network::Config {
        uplink_hosts: uplinks,
        queue: Bytes::new(20_000),
        period: Span::from_us(400),
        control: Control::Ideal,
        ideal_tables: Span::from_us(20),
        plane: ControlPlane { message: Span::from_us(20), exchanges: Exchanges::Sequential, program: Span::from_us(4) },
        detection: Span::from_us(100),
        hop_limit: 16,
        ..xfabric::network::Config::default()
    }
}

fn still(uplinks: u32) -> xfabric::network::Config {
    xfabric::network::Config { reconfigure: false, ..restless(uplinks) }
}

/// The same, told by the protocol.
fn told(uplinks: u32) -> xfabric::network::Config {
    let own = ProtocolSettings {
        hosts: vec![0, 1],
        takeover: Some(Span::from_us(200)),
        dies: vec![Time::ZERO + Span::from_us(900)],
        hello: Span::from_us(500),
        misses: 3,
        retry: Span::from_us(300),
        tries: 6,
    };
    xfabric::network::Config { control: Control::Protocol, protocol: own, ..restless(uplinks) }
}

/// A rack with so many uplinks. All links of 1 Gb/s and 5 ns.
fn with_uplinks(inside: &Shape, outside: &Shape, uplinks: u32) -> Pair {
    let link = LinkSpec { rate: Rate::from_gbps(1), delay: Span::from_ns(5), queue: None };
    let build = |shape: &Shape| shape.build(link.rate, link.delay).unwrap();
    let joined = topology::Joined::by_uplinks(&build(inside), &build(outside), uplinks, [link; 2]).unwrap();
    Pair { rack: joined.rack().topology, outside: joined.outside().topology, joined }
}

fn join(rack: &xfabric::network::Config, pair: &Pair, seed: Seed) -> impl Network<Observer = Off> + use<> {
    join_shown(rack, pair, seed, Off)
}

fn join_shown<W: Observer + Clone>(
    rack: &xfabric::network::Config,
    pair: &Pair,
    seed: Seed,
    observer: W,
) -> impl Network<Observer = W> + use<W> {
    let config = Config { buffer: Bytes::new(30_000), ..Config::default() };
    let numbering = Numbering::new(&pair.joined);
    let rig = Rig::new(rack, &pair.rack).unwrap();
    let inside = XFabric::on(rack, rig, seed, numbering.inside(observer.clone())).unwrap();
    let outside = ethernet(&pair.outside, seed, numbering.outside(observer));
    Joined::new(&config, &pair.joined, inside, outside, seed)
}

fn planes(hosts: u32) -> Shape {
    Shape::Planes { hosts, planes: 6 }
}

const LEAVES: Shape = Shape::LeafSpine { leaves: 2, spines: 2, hosts_per_leaf: 3 };

/// Far too much for the links, about what they carry, and so little that nothing waits.
fn keeps_the_contract(rack: &xfabric::network::Config, pair: &Pair) {
    for (seed, gap) in [(1, 50), (2, 400), (3, 50_000)] {
        let traffic = Traffic { hosts: pair.joined.whole.hosts(), frames: 2000, gap: Span::from_ns(gap), seed };
        let (delivered, gone) = network(|| join(rack, pair, Seed(seed)), traffic);
        assert_eq!(delivered + gone, 2000);
        assert!(delivered > 400, "{delivered} delivered at {gap} ns");
        assert!(rack.period().is_some() || gap < 50_000 || gone == 0, "{gone} gone though nothing changes or waits");
    }
}

#[test]
fn racks_that_stay_as_they_are() {
    for start in [Start::Torus, Start::Random, Start::Uniform] {
        let pair = with_uplinks(&planes(12), &LEAVES, 3);
        keeps_the_contract(&xfabric::network::Config { start, ..still(3) }, &pair);
    }
    let pair = with_uplinks(&planes(2), &Shape::Star { hosts: 2 }, 2);
    keeps_the_contract(&xfabric::network::Config { start: Start::Uniform, ..still(2) }, &pair);
}

#[test]
fn racks_whose_uplinks_move() {
    let pair = with_uplinks(&planes(12), &LEAVES, 3);
    keeps_the_contract(&restless(3), &pair);
    keeps_the_contract(&xfabric::network::Config { routing: Multipath::Packet, ..restless(3) }, &pair);
    keeps_the_contract(&told(3), &pair);
    let plane = ControlPlane { exchanges: Exchanges::Parallel, ..told(3).plane };
    keeps_the_contract(&xfabric::network::Config { plane, start: Start::Random, ..told(3) }, &pair);
}

#[test]
fn parts_that_break_and_are_repaired() {
    let pair = with_uplinks(&planes(8), &Shape::Star { hosts: 4 }, 2);
    let whole = &pair.joined.whole;
    let told = xfabric::network::Config { period: Span::from_ms(2), ..told(2) };
    for (rack, settle) in [(still(2), 2), (restless(2), 2), (told, 51)] {
        let settle = Span::from_ms(settle);
        let breakable = Breakable { links: whole.links().len() as u32, nodes: whole.nodes(), faults: 60, settle };
        for (seed, gap) in [(1, 300), (2, 3000)] {
            let traffic = Traffic { hosts: whole.hosts(), frames: 2000, gap: Span::from_ns(gap), seed };
            let (delivered, gone) = network_with_faults(|| join(&rack, &pair, Seed(seed)), traffic, breakable);
            assert_eq!(delivered + gone, 2000 + u64::from(whole.hosts() * (whole.hosts() - 1)));
            assert!(gone > 20 && delivered > 500, "{gone} gone, {delivered} delivered at {gap} ns");
        }
    }
}

#[test]
fn all_is_shown_to_who_looks_on() {
    let pair = with_uplinks(&planes(12), &LEAVES, 3);
    for rack in [still(3), restless(3), told(3)] {
        let tally = Tally::default();
        let network = join_shown(&rack, &pair, Seed(1), tally.clone());
        let traffic = Traffic { hosts: pair.joined.whole.hosts(), frames: 3000, gap: Span::from_ns(200), seed: 1 };
        let sums = observed(network, &tally, traffic);
        assert_eq!(sums.circuits[0] > 0, rack.period().is_some(), "{:?}", sums.circuits);
        assert!(sums.dropped > 0 && sums.delivered > 500, "{} dropped, {} delivered", sums.dropped, sums.delivered);
    }
}

#[test]
fn the_rack_says_which_uplink_a_packet_takes() {
    let pair = with_uplinks(&planes(8), &LEAVES, 2);
    let joined = join(&still(2), &pair, Seed(1));
    let inside = XFabric::new(&still(2), &pair.rack, Seed(1)).unwrap();
    assert_eq!((0..8).filter(|soc| inside.gateway(*soc) == Some(1)).count(), 4);
    assert!(!joined.offers().lossless.is_given());
    // A packet of 50 B alone, out of the SoC that has an uplink: 0.704 us a link of 1 Gb/s, and the circuit's and the outside's cables.
    let alone = joined.ideal(0, 8, Bytes::new(10), Bytes::new(40));
    let [circuit, outside] = [704_000 + 2 * 5000, 2 * (704_000 + 5000)];
    assert_eq!(alone.as_ps(), circuit + outside);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Frames are conserved at every event, whatever the rack is like and however often its uplinks move.
    #[test]
    fn frames_are_conserved(
        (socs, uplinks, hosts) in (4_u32..12, 1_u32..3, 1_u32..5),
        (period, message, switching) in (30_u64..300, 1_u64..20, 0_u64..5),
        (protocol, packet) in (any::<bool>(), any::<bool>()),
        (gap, seed) in (50_u64..4000, any::<u64>()),
    ) {
        let pair = with_uplinks(&Shape::Planes { hosts: socs, planes: 4 }, &Shape::Star { hosts }, uplinks);
        let base = if protocol { told(uplinks) } else { restless(uplinks) };
        let rack = xfabric::network::Config {
            start: Start::Uniform,
            period: Span::from_us(period),
            plane: ControlPlane { message: Span::from_us(message), ..base.plane },
            switching: Span::from_us(switching),
            routing: if packet { Multipath::Packet } else { Multipath::Flow },
            ..base
        };
        let traffic = Traffic { hosts: pair.joined.whole.hosts(), frames: 300, gap: Span::from_ns(gap), seed };
        let (delivered, gone) = network(|| join(&rack, &pair, Seed(seed)), traffic);
        prop_assert_eq!(delivered + gone, 300);
    }
}
