//! The contract of networks, kept by two that gateways join.

use crate::pairs::{Pair, ethernet, join, join_shown, rack, shoal};
use engine::Seed;
use fabric::conformance::{Breakable, Tally, Traffic, network, network_with_faults, observed};
use fabric::{Network, Off};
use gateway::{Config, Joined, Numbering, Spreading};
use proptest::prelude::*;
use topology::Shape;
use units::{Bytes, Span};

const LEAVES: Shape = Shape::LeafSpine { leaves: 2, spines: 2, hosts_per_leaf: 3 };
const CLOS: Shape = Shape::FoldedClos { radix: 4, leaves: Some(4) };

/// Far too much for the gateways; about what they can pass on; so little that nothing waits. Delivered of the first.
fn keeps_the_contract(config: &Config, pair: &Pair) -> u64 {
    let [first, ..] = [(1, 20), (2, 150), (3, 30_000)].map(|(seed, gap)| {
        let traffic = Traffic { hosts: pair.joined.whole.hosts(), frames: 3000, gap: Span::from_ns(gap), seed };
        let (delivered, dropped) = network(|| join(config, pair, Seed(seed)), traffic);
        assert_eq!(delivered + dropped, 3000, "at {gap} ns");
        assert!(gap < 30_000 || dropped == 0, "{dropped} packets were dropped though nothing waits");
        delivered
    });
    first
}

#[test]
fn a_rack_and_a_switch() {
    for gateways in [1, 3, 8] {
        let pair = rack(&Shape::Star { hosts: 8 }, &Shape::Star { hosts: 5 }, gateways);
        assert_eq!(keeps_the_contract(&Config::default(), &pair), 3000);
        let small = Config { buffer: Bytes::new(4000), ecn_threshold: Some(Bytes::new(1500)), ..Config::default() };
        let delivered = keeps_the_contract(&small, &pair);
        assert!(gateways > 1 || delivered < 3000, "a buffer of two packets that drops nothing");
    }
}

#[test]
fn two_stages_and_leaves() {
    for spreading in [Spreading::Flow, Spreading::Packet, Spreading::Host] {
        let spreading = Some(spreading);
        let config = Config { spreading, buffer: Bytes::new(20_000), ..Config::default() };
        keeps_the_contract(&config, &rack(&CLOS, &LEAVES, 3));
    }
}

#[test]
fn any_two_networks() {
    let (star, config) = (Shape::Star { hosts: 6 }, Config { buffer: Bytes::new(9000), ..Config::default() });
    let pair = rack(&star, &star, 2);
    let traffic = Traffic { hosts: 12, frames: 3000, gap: Span::from_ns(150), seed: 4 };
    let seed = Seed(4);
    let (numbering, joined) = (Numbering::new(&pair.joined), &pair.joined);
    let [rack, outside] = [&pair.rack, &pair.outside];
    let [to_rack, to_outside] = [numbering.inside(Off), numbering.outside(Off)];
    let two_racks = || {
        let (rack, outside) = (shoal(rack, seed, to_rack.clone()), shoal(outside, seed, to_outside.clone()));
        Joined::new(&config, joined, rack, outside, seed)
    };
    let turned = || {
        let (rack, outside) = (ethernet(rack, seed, to_rack.clone()), shoal(outside, seed, to_outside.clone()));
        Joined::new(&config, joined, rack, outside, seed)
    };
    let plain = || {
        let (rack, outside) = (ethernet(rack, seed, to_rack.clone()), ethernet(outside, seed, to_outside.clone()));
        Joined::new(&config, joined, rack, outside, seed)
    };
    assert!(!two_racks().offers().lossless.is_given());
    for (delivered, dropped) in [network(two_racks, traffic), network(turned, traffic), network(plain, traffic)] {
        assert_eq!(delivered + dropped, 3000);
    }
}

#[test]
fn all_is_shown_to_who_looks_on() {
    // Two gateways with little memory, and far too much traffic.
    let pair = rack(&CLOS, &LEAVES, 2);
    let config = Config { buffer: Bytes::new(4000), ecn_threshold: Some(Bytes::new(1500)), ..Config::default() };
    let tally = Tally::default();
    let network = join_shown(&config, &pair, Seed(1), tally.clone());
    let traffic = Traffic { hosts: pair.joined.whole.hosts(), frames: 3000, gap: Span::from_ns(20), seed: 1 };
    let sums = observed(network, &tally, traffic);
    assert!(sums.slots > 0 && sums.cells[0] > 0 && sums.dropped > 0 && sums.marked > 0, "{sums:?}");
    // Every frame at its first interface; one that crosses at the gateway and behind it; and at each port outside.
    assert!(sums.queued.values().any(|times| *times > 2) && sums.arrived > sums.dropped, "{} arrived", sums.arrived);
}

#[test]
fn parts_that_break_and_are_repaired() {
    for (inside, outside, gateways) in [(Shape::Star { hosts: 6 }, Shape::Star { hosts: 4 }, 2), (CLOS, LEAVES, 3)] {
        let pair = rack(&inside, &outside, gateways);
        let whole = &pair.joined.whole;
        let breakable =
            Breakable { links: whole.links().len() as u32, nodes: whole.nodes(), faults: 24, settle: Span::from_ms(2) };
        let hosts = whole.hosts();
        for (seed, gap) in [(1, 100), (2, 300), (3, 3000), (4, 10_000)] {
            let traffic = Traffic { hosts, frames: 3000, gap: Span::from_ns(gap), seed };
            let config = Config { failover: Span::from_us(50), ..Config::default() };
            let (delivered, lost) = network_with_faults(|| join(&config, &pair, Seed(seed)), traffic, breakable);
            assert_eq!(delivered + lost, 3000 + u64::from(hosts * (hosts - 1)), "at {gap} ns");
            assert!(delivered > 400 && lost > 0, "at {gap} ns {delivered} came and {lost} were lost");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Frames are conserved at every event, whatever the gateways are like and whatever comes.
    #[test]
    fn frames_are_conserved(
        (nodes, gateways, hosts) in (2_u32..7, 1_u32..7, 1_u32..5),
        (buffer, threshold) in (1500_u64..20_000, prop::option::of(0_u64..9000)),
        spreading in prop::sample::select(vec![Spreading::Flow, Spreading::Packet, Spreading::Host]),
        (gap, seed) in (5_u64..2000, any::<u64>()),
    ) {
        let pair = rack(&Shape::Star { hosts: nodes }, &Shape::Star { hosts }, gateways.min(nodes));
        let spreading = Some(spreading);
        let ecn_threshold = threshold.map(Bytes::new);
        let config = Config { buffer: Bytes::new(buffer), ecn_threshold, spreading, failover: Span::from_us(1) };
        let traffic = Traffic { hosts: pair.joined.whole.hosts(), frames: 300, gap: Span::from_ns(gap), seed };
        let (delivered, dropped) = network(|| join(&config, &pair, Seed(seed)), traffic);
        prop_assert_eq!(delivered + dropped, 300);
    }
}
