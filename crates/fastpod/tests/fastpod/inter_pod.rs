//! Several pods, each on its own clock, around core switches with buffers (§3.4).

use crate::lab::{Lab, link, ns, pods};
use engine::Seed;
use fabric::conformance::{Breakable, Traffic, network, network_with_faults};
use fabric::{Fault, Network};
use fastpod::{BuildError, Config, Fastpod, Rig};
use proptest::prelude::*;
use std::sync::Arc;
use topology::{Shape, Topology};
use units::{Bytes, Rate, Span};

fn us(us: u64) -> Span {
    Span::from_us(us)
}

/// Three pods of 2 racks of 4 hosts, 2 aggregation switches and 2 core switches above each.
fn three() -> Topology {
    pods(3, [2, 2, 4, 2], |_, _| us(1))
}

fn scheduled() -> Config {
    Config { optimistic: false, ..Config::default() }
}

/// Of scheduled packets, and of core switches that were full.
fn nothing_goes_wrong(lab: &Lab) {
    assert_eq!(lab.counter("collisions of scheduled packets"), 0.0);
    assert_eq!(lab.counter("packets that found no room in a core switch"), 0.0);
}

fn fat_tree(k: u32) -> Topology {
    Shape::FatTree { k, oversubscription: 1.0 }.build(Rate::from_gbps(100), us(1)).unwrap()
}

#[test]
fn a_packet_between_pods_is_scheduled_twice() {
    let mut lab = Lab::new(&Config::default(), &fat_tree(8), 1);
    lab.run_until(ns(20_000));
    // 16 hosts a pod: from the first pod to the third.
    lab.send(1, 0, 37, 1460);
    lab.run_until(ns(60_000));
    let &[(1, at)] = lab.delivered.as_slice() else { panic!("{:?}", lab.delivered) };
    // To the arbiter and back 4 us, to the core switch 3 us, from there to its arbiter and back 6 us, down 3 us: 16 us, a packet's time twice, and up to six slots each time.
    let took = at.since(ns(20_000));
    assert!(took > Span::from_ns(16_240) && took < Span::from_ns(16_240 + 12 * 370), "{took}");
    assert_eq!(lab.counter("packets between pods"), 1.0);
    assert_eq!(lab.counter("scheduled packets"), 2.0, "once to the core switch, and once from it");
    assert_eq!(lab.counter("unscheduled packets"), 0.0, "nothing leaves a pod without being scheduled");
    assert_eq!(lab.counter("most that a core switch held"), 1.0);
    nothing_goes_wrong(&lab);
    let least = lab.network.ideal(0, 37, Bytes::new(1460), Bytes::ZERO);
    assert_eq!((least, lab.network.hops(0, 37), lab.network.hops(0, 1)), (us(6) + Span::from_ns(240), 6, 4));
}

#[test]
fn the_contract_is_kept_by_three_pods() {
    let far = pods(3, [2, 2, 4, 2], |pod, core| Span::from_ns(700 + 900 * u64::from(pod) + 300 * u64::from(core)));
    let guarded =
        Config { guard: Span::from_ns(20), clock_error: Span::from_ns(9), clock_drift: 100.0, ..Config::default() };
    let two = Config { arbiters: 2, arbiter_latency: Span::from_ns(300), batch: 1, ..scheduled() };
    for (topology, config) in [
        (three(), Config::default()),
        (three(), guarded.clone()),
        (three(), two),
        (far.clone(), scheduled()),
        (far, Config { switch_latency: Span::from_ns(100), ..guarded }),
    ] {
        for (seed, gap) in [(1, 2), (2, 20), (3, 1000)] {
            let traffic = Traffic { hosts: 24, frames: 1000, gap: Span::from_ns(gap), seed };
            let (delivered, lost) = network(|| Fastpod::new(&config, &topology, Seed(seed)).unwrap(), traffic);
            assert_eq!((delivered, lost), (1000, 0), "at {gap} ns");
        }
    }
}

#[test]
fn parts_of_three_pods_break_and_are_repaired() {
    let topology = three();
    let breakable = Breakable {
        links: topology.links().len() as u32,
        nodes: topology.nodes(),
        faults: 16,
        settle: Span::from_us(600),
    };
    for config in [Config::default(), scheduled(), Config { arbiters: 2, ..Config::default() }] {
        let config = Config { probation: us(50), ..config };
        for (seed, gap) in [(1, 20), (2, 300)] {
            let traffic = Traffic { hosts: 24, frames: 1000, gap: Span::from_ns(gap), seed };
            let make = || Fastpod::new(&config, &topology, Seed(seed)).unwrap();
            let (delivered, lost) = network_with_faults(make, traffic, breakable);
            assert_eq!(delivered + lost, 1000 + 24 * 23);
            assert!(delivered > 400, "{delivered} came and {lost} were lost");
        }
    }
}

/// Every host of every pod sends so much to hosts elsewhere, most of it to one pod.
fn everybody_to_one_pod(lab: &mut Lab, rounds: u32, hosts: u32, of_pod: u32, len: u32) {
    let mut flow = 0;
    for round in 0..rounds {
        for src in 0..hosts {
            let dst = if (src + round) % 3 == 0 { (src + 1 + round) % hosts } else { (src + round) % of_pod };
            if dst != src {
                lab.send(flow, src, dst, len);
                flow += 1;
            }
        }
        lab.run_until(lab.now + us(2));
    }
    lab.run_until(lab.now + us(20_000));
    assert_eq!(lab.delivered.len() as u32, flow);
    if lab.counter("hosts taken for dead") == 0.0 {
        assert_eq!(lab.counter("slots sent again"), 0.0, "nothing was lost");
    }
    lab.delivered.sort_unstable();
    assert!((0..flow).eq(lab.delivered.iter().map(|(flow, _)| *flow)), "every flow comes once");
    nothing_goes_wrong(lab);
}

#[test]
fn core_switches_that_are_full_say_stop_and_lose_nothing() {
    let topology = three();
    let least = |config: &Config| match Rig::new(&Arc::new(topology.clone()), config) {
        Err(BuildError::CoreBuffer { least, .. }) => least,
        other => panic!("{other:?}"),
    };
    let tight = Config { core_buffer: Bytes::new(1500), ..scheduled() };
    let config = Config { core_buffer: least(&tight), ..tight };
    let rig = Rig::new(&Arc::new(topology.clone()), &config).unwrap();
    let (capacity, _) = rig.core_capacity().unwrap();
    // The buffer is no larger than it has to be: a core switch says stop when it holds anything.
    let mut lab = Lab::new(&config, &topology, 1);
    everybody_to_one_pod(&mut lab, 30, 24, 8, 20_000);
    assert!(lab.counter("requests of core switches that said stop") > 0.0);
    let held = lab.counter("most that a core switch held");
    assert!(held <= capacity as f64 && held > 10.0, "{held} of {capacity}");
    // A port says stop before its core switch does.
    let config = Config { core_queue: Bytes::new(15_000), ..scheduled() };
    let mut lab = Lab::new(&config, &topology, 1);
    everybody_to_one_pod(&mut lab, 30, 24, 8, 20_000);
    assert_eq!(lab.counter("requests of core switches that said stop"), 0.0);
    assert!(lab.counter("of others, for some pods") > 0.0);
    let stopped = lab.counter("of these, for one pod");
    // Without that much more waits for the pod to which most goes.
    let mut free = Lab::new(&scheduled(), &topology, 1);
    everybody_to_one_pod(&mut free, 30, 24, 8, 20_000);
    assert!(free.counter("of these, for one pod") > stopped, "{stopped}");
}

#[test]
fn traffic_within_pods_and_between_them_share_a_host() {
    // Host 0 has as much for its pod as for another, and everybody else leaves it alone.
    let mut lab = Lab::new(&scheduled(), &three(), 1);
    lab.run_until(ns(20_000));
    lab.send(1, 0, 5, 400_000);
    lab.send(2, 0, 12, 400_000);
    lab.run_until(ns(200_000));
    let &[(_, first), (_, second)] = lab.delivered.as_slice() else { panic!("{:?}", lab.delivered) };
    // Max-min: they take turns, so they end together but for the way through the core switch.
    assert!(second.since(first) < us(14), "{}", second.since(first));
    // Three hosts outside and three inside send to host 1: all six end at about the same time.
    let mut lab = Lab::new(&scheduled(), &three(), 1);
    lab.run_until(ns(20_000));
    for (flow, src) in (0..).zip([2, 4, 6, 9, 13, 18]) {
        lab.send(flow, src, 1, 200_000);
    }
    lab.run_until(ns(400_000));
    assert_eq!(lab.delivered.len(), 6);
    let took = |flow: u32| lab.delivered.iter().find(|(of, _)| *of == flow).unwrap().1.since(ns(20_000)).as_secs_f64();
    let (inside, outside) = ((0..3).map(took).sum::<f64>() / 3.0, (3..6).map(took).sum::<f64>() / 3.0);
    assert!(outside / inside < 1.5 && inside / outside < 1.5, "{inside} {outside}");
}

/// How long a message of 60 KB to host 1 takes beside others of 600 KB, all to it.
fn takes_beside(src: u32, others: impl Iterator<Item = u32>) -> Span {
    let mut lab = Lab::new(&scheduled(), &three(), 1);
    lab.run_until(ns(20_000));
    for (flow, other) in (1..).zip(others) {
        lab.send(flow, other, 1, 600_000);
    }
    lab.run_until(ns(60_000));
    lab.send(0, src, 1, 60_000);
    lab.run_until(ns(2_000_000));
    nothing_goes_wrong(&lab);
    lab.delivered.iter().find(|(flow, _)| *flow == 0).unwrap().1.since(ns(60_000))
}

#[test]
fn neither_kind_of_traffic_starves_the_other() {
    // 14 slots of three packets, 5.2 us. Sixteen hosts of other pods and the one of this pod take turns: 88 us at most, and the way to the arbiter, and back, and to the receiver.
    let within = takes_beside(2, 8..24);
    assert!(within < us(88 + 20), "{within}");
    // All hosts of the pod but one, and at least one core switch: eight turns, and two rounds.
    let between = takes_beside(12, [0, 2, 3, 4, 5, 6, 7].into_iter());
    assert!(between < us(42 + 30), "{between}");
    assert!(within.min(between) > us(10), "{within} {between}");
}

#[test]
fn a_link_to_a_core_switch_and_one_from_it_are_found_and_nothing_is_lost() {
    for (from, to) in [("agg-0-1", "core-2"), ("core-2", "agg-0-1")] {
        let topology = three();
        // With what is broken, links beside it are taken for broken too until they are tried again.
        let mut lab = Lab::new(&Config { probation: us(100), ..scheduled() }, &topology, 1);
        lab.run_until(ns(20_000));
        for flow in 0..64 {
            lab.send(flow, flow % 24, (flow % 24 + 1 + flow * 7 % 23) % 24, 40_000);
        }
        lab.run_until(ns(40_000));
        lab.fault(Fault::Link { link: link(&topology, from, to), up: false });
        lab.run_until(ns(400_000));
        // Nothing goes that way any more, and others are enough.
        let before = lab.delivered.len();
        for flow in 64..128 {
            lab.send(flow, flow % 24, (flow % 24 + 1 + flow * 7 % 23) % 24, 40_000);
        }
        lab.run_until(ns(1_500_000));
        assert_eq!(lab.delivered.len(), before + 64);
        // What a core switch has for a pod that it no longer reaches has to wait.
        assert!(before == 64 || from == "core-2");
        lab.fault(Fault::Link { link: link(&topology, from, to), up: true });
        lab.run_until(ns(3_000_000));
        assert!(lab.counter("links taken for broken") >= 1.0);
        assert!(lab.counter("slots sent again") >= 1.0);
        assert_eq!(lab.delivered.len(), 128, "{from} to {to}");
        nothing_goes_wrong(&lab);
    }
}

#[test]
fn what_a_core_switch_holds_when_it_dies_hosts_send_again_over_others() {
    let topology = three();
    let mut lab = Lab::new(&scheduled(), &topology, 1);
    lab.run_until(ns(20_000));
    for flow in 0..24 {
        lab.send(flow, flow, (flow + 8) % 24, 200_000);
    }
    lab.run_until(ns(50_000));
    let core = topology.find_node("core-1").unwrap().0;
    let held = (0..topology.links().len() as u32)
        .filter(|link| topology.link(topology::LinkId(*link)).from.0 == core)
        .map(|link| lab.network.queue(lab.now, link).get())
        .sum::<u64>();
    assert!(held > 10_000, "it holds {held} B");
    let again = lab.counter("slots sent again");
    lab.fault(Fault::Node { node: core, up: false });
    lab.run_until(ns(500_000));
    let before = lab.delivered.len();
    let totals = lab.network.totals();
    assert_eq!((totals.delivered, totals.lost, before), (24, 0, 24));
    assert!(lab.counter("slots sent again") - again > (held / 4500) as f64);
    for flow in 100..124 {
        lab.send(flow, flow % 24, (flow + 8) % 24, 40_000);
    }
    lab.run_until(ns(1_000_000));
    assert_eq!(lab.delivered.len(), before + 24, "the others are enough");
    lab.fault(Fault::Node { node: core, up: true });
    for flow in 200..224 {
        lab.send(flow, flow % 24, (flow + 8) % 24, 40_000);
    }
    lab.run_until(ns(1_500_000));
    assert_eq!(lab.delivered.len(), before + 48);
    nothing_goes_wrong(&lab);
}

#[test]
fn the_second_arbiter_of_a_pod_takes_over_and_core_switches_go_on() {
    let config = Config { arbiters: 2, arbiter_fails: Some(us(60)), ..scheduled() };
    let mut lab = Lab::new(&config, &three(), 1);
    everybody_to_one_pod(&mut lab, 60, 24, 8, 20_000);
}

#[test]
fn what_is_no_network_of_pods_is_refused() {
    let refused = |topology: Topology| Rig::new(&Arc::new(topology), &Config::default()).unwrap_err().to_string();
    let one = refused(pods(1, [2, 2, 4, 2], |_, _| us(1)));
    assert!(one.starts_with("core-0 is above the aggregation switches and joins no two pods"), "{one}");
    let least = Rig::new(&Arc::new(three()), &Config { core_buffer: Bytes::new(9000), ..Config::default() });
    let message = least.unwrap_err().to_string();
    assert!(message.starts_with("holds less than what 3 pods can send to a core switch"), "{message}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Random messages among random hosts of pods of random shapes, with clocks as wrong as guard bands allow: each comes once, nothing collides, and no core switch holds
    /// more than it can.
    #[test]
    fn every_message_comes_once_whatever_is_sent(
        seed in 0..u64::MAX,
        count in 2..5_u32,
        shape in prop::sample::select(vec![[2, 2, 2, 1], [2, 2, 4, 2], [3, 2, 3, 1], [1, 2, 4, 2], [4, 4, 4, 4]]),
        optimistic in any::<bool>(),
        batch in 1..9_u32,
        queue in 1..60_u64,
        messages in prop::collection::vec((0..1000_u32, 0..1000_u32, 1..60_000_u32, 0..2000_u64), 1..120),
    ) {
        let hosts = count * shape[0] * shape[2];
        let topology = pods(count, shape, |_, _| us(1));
        let config = Config {
            optimistic,
            batch,
            guard: Span::from_ns(20),
            clock_error: Span::from_ns(9),
            clock_drift: 50.0,
            core_buffer: Bytes::new(1_500_000),
            core_queue: Bytes::new(1500 * queue),
            ..Config::default()
        };
        let run = || {
            let mut lab = Lab::new(&config, &topology, seed);
            let mut sent = Vec::new();
            for (flow, &(src, dst, len, gap)) in (0..).zip(&messages) {
                let (src, dst) = (src % hosts, dst % hosts);
                lab.run_until(lab.now + Span::from_ns(gap));
                if src != dst {
                    lab.send(flow, src, dst, len);
                    sent.push(flow);
                }
            }
            lab.run_until(lab.now + us(4000));
            (lab, sent)
        };
        let (mut lab, sent) = run();
        let again = run().0;
        prop_assert_eq!(&lab.delivered, &again.delivered, "twice the same");
        prop_assert_eq!(lab.network.counters(), again.network.counters());
        nothing_goes_wrong(&lab);
        let (capacity, _) = Rig::new(&Arc::new(topology.clone()), &config).unwrap().core_capacity().unwrap();
        prop_assert!(lab.counter("most that a core switch held") <= capacity as f64);
        lab.delivered.sort_unstable();
        let came: Vec<u32> = lab.delivered.iter().map(|(flow, _)| *flow).collect();
        prop_assert_eq!(came, sent);
    }

    /// Core switches die at random and may be back at once or never, an arbiter of each pod dies, and bits are wrong, those of answers too: each message comes once.
    #[test]
    fn every_message_comes_once_whatever_core_switches_do(
        seed in 0..u64::MAX,
        optimistic in any::<bool>(),
        takeover in any::<bool>(),
        rate in prop::sample::select(vec![0.0, 1e-7, 1e-6]),
        deaths in prop::collection::vec((0..4_u32, 0..100_u64, prop::option::of(1..80_u64)), 1..6),
        messages in prop::collection::vec((0..24_u32, 0..24_u32, 1..60_000_u32, 0..1000_u64), 20..120),
    ) {
        let topology = three();
        let config = Config {
            optimistic,
            arbiters: if takeover { 2 } else { 1 },
            arbiter_fails: takeover.then_some(us(60)),
            core_patience: us(200),
            probation: us(100),
            ..Config::default()
        };
        let mut lab = Lab::new(&config, &topology, seed);
        for link in 0..topology.links().len() as u32 {
            lab.fault(Fault::BitErrors { link, rate });
        }
        // One core switch always works.
        let mut strikes: Vec<(u64, u32, bool)> = Vec::new();
        for (core, at, back) in deaths {
            let node = topology.find_node(&format!("core-{}", core % 3)).unwrap().0;
            strikes.push((20 + at, node, false));
            strikes.extend(back.map(|after| (20 + at + after, node, true)));
        }
        strikes.sort_unstable();
        let mut strikes = strikes.into_iter().peekable();
        let mut sent = Vec::new();
        let mut strike_until = |lab: &mut Lab, end: units::Time| {
            while let Some((at, node, up)) = strikes.next_if(|(at, ..)| ns(at * 1000) <= end) {
                lab.run_until(lab.now.max(ns(at * 1000)));
                lab.fault(Fault::Node { node, up });
            }
            lab.run_until(end);
        };
        for (flow, &(src, dst, len, gap)) in (0..).zip(&messages) {
            let at = lab.now + Span::from_ns(gap);
            strike_until(&mut lab, at);
            if src != dst {
                lab.send(flow, src, dst, len);
                sent.push(flow);
            }
        }
        strike_until(&mut lab, ns(2_500_000));
        prop_assert_eq!(lab.counter("collisions of scheduled packets"), 0.0);
        lab.delivered.sort_unstable();
        let came: Vec<u32> = lab.delivered.iter().map(|(flow, _)| *flow).collect();
        prop_assert_eq!(came, sent);
        prop_assert_eq!(lab.network.totals().lost, 0);
    }
}
