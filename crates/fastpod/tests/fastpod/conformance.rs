//! The contract of networks, kept by a pod in every configuration.

use crate::lab::pod;
use engine::Seed;
use fabric::Network;
use fabric::conformance::{Breakable, Tally, Traffic, network, network_with_faults, observed};
use fastpod::{BuildError, Config, Fastpod, Order, Policy, Rig};
use std::sync::Arc;
use topology::Topology;
use units::{Bytes, Span};

/// Pods of 16 hosts.
fn pods() -> Vec<Topology> {
    vec![pod(4, 4, 4), pod(2, 8, 8), pod(8, 2, 2), pod(4, 2, 4)]
}

fn configurations() -> Vec<Config> {
    let scheduled = Config { optimistic: false, ..Config::default() };
    let short = Config { policy: Policy::MinCompletion, batch: 1, mtu: Bytes::new(9000), ..Config::default() };
    let fifo =
        Config { order: Order::Fifo, guard: Span::from_ns(20), clock_error: Span::from_ns(10), ..Config::default() };
    let two = Config { arbiters: 2, arbiter_latency: Span::from_ns(500), ..scheduled.clone() };
    let late = Config { switch_latency: Span::from_ns(400), arbiter_delay: Span::from_ns(3300), ..Config::default() };
    vec![Config::default(), scheduled, short, fifo, two, late]
}

#[test]
fn the_contract_is_kept() {
    for topology in pods() {
        for config in configurations() {
            // The slots of two hosts below a ToR switch are so short that more than arbiters can speak of pass on long cables.
            if matches!(Rig::new(&Arc::new(topology.clone()), &config), Err(BuildError::TooFarAhead { .. })) {
                continue;
            }
            // Far too much; about what the links carry; so little that nothing waits.
            for (seed, gap) in [(1, 2), (2, 10), (3, 1000)] {
                let traffic = Traffic { hosts: 16, frames: 1000, gap: Span::from_ns(gap), seed };
                let (delivered, lost) = network(|| Fastpod::new(&config, &topology, Seed(seed)).unwrap(), traffic);
                assert_eq!((delivered, lost), (1000, 0), "{} at {gap} ns", topology.label());
            }
        }
    }
}

#[test]
fn all_is_shown_to_who_looks_on() {
    for config in configurations() {
        let (tally, topology) = (Tally::default(), Arc::new(pod(4, 4, 4)));
        let traffic = Traffic { hosts: 16, frames: 2000, gap: Span::from_ns(20), seed: 1 };
        let pod_seen = Fastpod::on(&config, Rig::new(&topology, &config).unwrap(), Seed(1), tally.clone());
        let sums = observed(pod_seen, &tally, traffic);
        let [queued, arrived] = sums.cells;
        assert!(arrived > 4000 && queued >= arrived, "{sums:?}");
        // Whoever looks on changes nothing.
        let make = || Fastpod::new(&config, &topology, Seed(1)).unwrap();
        assert_eq!(network(make, traffic).0, sums.delivered);
        assert_eq!(make().observer(), &fabric::Off);
    }
}

#[test]
fn parts_that_break_and_are_repaired() {
    for topology in &pods()[..2] {
        let breakable = Breakable {
            links: topology.links().len() as u32,
            nodes: topology.nodes(),
            faults: 16,
            settle: Span::from_us(400),
        };
        for config in configurations() {
            let config = Config { probation: Span::from_us(50), ..config };
            if Rig::new(&Arc::new(topology.clone()), &config).is_err() {
                continue;
            }
            for (seed, gap) in [(1, 20), (2, 300)] {
                let traffic = Traffic { hosts: 16, frames: 1000, gap: Span::from_ns(gap), seed };
                let make = || Fastpod::new(&config, topology, Seed(seed)).unwrap();
                let (delivered, lost) = network_with_faults(make, traffic, breakable);
                assert_eq!(delivered + lost, 1000 + 16 * 15);
                assert!(delivered > 400, "{delivered} came and {lost} were lost");
            }
        }
    }
}
