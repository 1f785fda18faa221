//! Fastpass: the same arbiter over switches with queues.

use crate::lab::{Lab, ns, pod};
use engine::Seed;
use fabric::conformance::{Breakable, Tally, Traffic, network, network_with_faults, observed};
use fabric::{Network, Observer, Off};
use fastpod::{Fastpass, Fastpod, Order};
use settings::Length;
use std::sync::Arc;
use topology::{Shape, Topology};
use units::{Bytes, Rate, Span, Time};

fn build<O: Observer>(config: &Fastpass, topology: &Topology, seed: u64, observer: O) -> Fastpod<O> {
    let rig = config.rig(&Arc::new(topology.clone())).unwrap();
    Fastpod::on(&config.common(), rig, Seed(seed), observer)
}

fn configurations() -> Vec<Fastpass> {
    let often = Fastpass { batch: 1, order: Order::Fifo, mtu: Bytes::new(9000), ..Fastpass::default() };
    let slow = Fastpass { arbiter_latency: Span::from_us(1), demands: 1, ..Fastpass::default() };
    vec![Fastpass::default(), often, slow]
}

#[test]
fn the_contract_is_kept() {
    for topology in [pod(4, 4, 4), pod(2, 8, 8), pod(4, 2, 4)] {
        for config in configurations() {
            for (seed, gap) in [(1, 2), (2, 10), (3, 1000)] {
                let traffic = Traffic { hosts: 16, frames: 1000, gap: Span::from_ns(gap), seed };
                let (delivered, lost) = network(|| build(&config, &topology, seed, Off), traffic);
                assert_eq!((delivered, lost), (1000, 0), "{} at {gap} ns", topology.label());
            }
        }
    }
}

#[test]
fn parts_that_break_and_are_repaired() {
    let topology = pod(4, 4, 4);
    let breakable = Breakable {
        links: topology.links().len() as u32,
        nodes: topology.nodes(),
        faults: 16,
        settle: Span::from_us(100),
    };
    for config in configurations() {
        let traffic = Traffic { hosts: 16, frames: 1000, gap: Span::from_ns(100), seed: 1 };
        let (delivered, lost) = network_with_faults(|| build(&config, &topology, 1, Off), traffic, breakable);
        assert_eq!(delivered + lost, 1000 + 16 * 15);
        assert!(delivered > 400 && lost > 0, "{delivered} came and {lost} were lost");
    }
}

#[test]
fn all_is_shown_to_who_looks_on() {
    // A queue of one packet: some find it full.
    let config = Fastpass { queue: Some(Length::Packets(1)), ..Fastpass::default() };
    let tally = Tally::default();
    let traffic = Traffic { hosts: 16, frames: 2000, gap: Span::from_ns(20), seed: 1 };
    let sums = observed(build(&config, &pod(4, 4, 4), 1, tally.clone()), &tally, traffic);
    assert!(sums.dropped > 0 && sums.delivered > 1000, "{sums:?}");
    assert_eq!(network(|| build(&config, &pod(4, 4, 4), 1, Off), traffic).0, sums.delivered);
}

#[test]
fn a_packet_waits_for_the_arbiter_and_for_nothing_else() {
    let mut lab = Lab::of(build(&Fastpass::default(), &pod(4, 4, 4), 1, Off));
    lab.run_until(ns(10_000));
    lab.send(1, 0, 5, 1460);
    lab.send(2, 0, 1, 1460);
    lab.run_until(ns(40_000));
    let took: Vec<(u32, Span)> = lab.delivered.iter().map(|(flow, at)| (*flow, at.since(ns(10_000)))).collect();
    // The request takes 2 us, waits for a batch of 16 slots to end, the answer takes 2 us, within 8 slots more; then 4 us, or 2 us within a rack.
    assert_eq!(took.len(), 2);
    for (flow, span) in took {
        let passage = Span::from_ns(if flow == 1 { 4120 } else { 2120 });
        let least = passage + Span::from_us(4);
        assert!(span > least && span < least + Span::from_ns(120 * (16 + 8 + 16)), "{flow}: {span}");
    }
}

#[test]
fn queues_stay_short_under_full_load() {
    let mut lab = Lab::of(build(&Fastpass::default(), &pod(4, 4, 4), 1, Off));
    let mut flow = 0;
    for round in 1..=20 {
        for src in 0..16 {
            for dst in (0..16).filter(|dst| *dst != src) {
                lab.send(flow, src, dst, 14_600);
                flow += 1;
            }
        }
        lab.run_until(Time::ZERO + Span::from_us(20 * round));
    }
    lab.run_until(Time::ZERO + Span::from_ms(2));
    assert_eq!(lab.delivered.len() as u32, flow);
    // Packets within a rack come 2 us earlier than others that are sent in the same slot, so that as many as fit into that may meet those before.
    let longest = (16..64).map(|link| lab.network.link_counters(lab.now, link).peak.get()).max().unwrap();
    assert!(longest <= (2000 / 120 + 4) * 1500, "{longest} B");
}

/// How long one packet takes that is offered at this time to a pod in which nothing else happens.
fn alone(config: &Fastpass, topology: &Topology, at: Time) -> Span {
    let mut lab = Lab::of(build(config, topology, 1, Off));
    lab.run_until(at);
    lab.send(1, 0, 5, 1460);
    lab.run_until(at + Span::from_ms(10));
    assert_eq!(lab.delivered.len(), 1, "nothing comes of what is asked for at {at}");
    lab.delivered[0].1.since(at)
}

#[test]
fn the_first_batch_is_like_every_other() {
    let (config, topology) = (Fastpass::default(), pod(4, 4, 4));
    let slot = Span::from_ns(120);
    for number in 1..=16 {
        let at = Time::ZERO + slot * number + Span::from_ns(50);
        assert_eq!(alone(&config, &topology, at), alone(&config, &topology, at + slot * 160), "slot {number}");
    }
}

#[test]
fn slots_may_be_longer_than_the_way_to_the_arbiter() {
    // Slots of 1.2 to 120 us and ways of some 0.2 us: a batch is longer than what is handed out ahead.
    let shape = Shape::LeafSpine { leaves: 4, spines: 2, hosts_per_leaf: 2 };
    for (mbps, batch) in [(10_000, 16), (10_000, 32), (1000, 8), (100, 2)] {
        let rate = Rate::from_bps(mbps * 1_000_000);
        let topology = shape.build(rate, Span::from_ns(50)).unwrap();
        let config = Fastpass { batch, arbiter_delay: Span::from_ns(50), ..Fastpass::default() };
        let slot = rate.time_for(config.packet);
        for number in 0..2 * u64::from(batch) {
            let took = alone(&config, &topology, Time::ZERO + slot * number + slot / 2);
            assert!(took < slot * (2 * u64::from(batch) + 8), "{mbps} Mb/s, slot {number}: {took}");
        }
    }
}
