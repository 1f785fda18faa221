//! DCQCN over ports that mark by RED and pause each other, against what its paper says of it (Zhu et al., SIGCOMM 2015): flows converge to fair shares, nothing
//! is ever lost, and who is not part of the congestion keeps its throughput (§2.2, §6.2). At 40 Gb/s, as in the paper.

use crate::lab::{Lab, Report, direct, fabric, flows, ms, us};
use engine::Control;
use ethernet::{Config, Fifo, Length, Pausing, Pfc, Port};
use fabric::Red;
use topology::{Builder, LinkSpec, Shape, Topology};
use transport::{Config as Protocol, config};
use units::{Bytes, Rate, Span};

fn dcqcn() -> Protocol {
    Protocol::Dcqcn(config::Dcqcn { timeout: Span::from_ms(2), ..config::Dcqcn::default() })
}

/// 1500 B packets, marks by RED.
fn marking(queue: Length) -> Config {
    let port = Port { queue, ecn_threshold: None, red: Some(Red::default()), loss: 0.0 };
    Config { port, ..fabric() }
}

/// And pauses, with the memory of a Trident II (§4).
fn pausing() -> Config {
    Config { pfc: Some(Pfc::default()), ..marking(Length::Packets(1)) }
}

fn star(hosts: u32) -> Topology {
    Shape::Star { hosts }.build(Rate::from_gbps(40), Span::from_us(1)).unwrap()
}

/// Jain's index of fairness.
fn jain(rates: &[f64]) -> f64 {
    let (sum, squares) = rates.iter().fold((0.0, 0.0), |(sum, squares), rate| (sum + rate, squares + rate * rate));
    sum * sum / (rates.len() as f64 * squares)
}

fn lost_nothing(report: &Report) {
    let lost =
        ["total_dropped_frames", "total_lost_frames", "retransmits", "timeouts"].map(|name| report.summary(name));
    assert_eq!(lost, [0; 4]);
}

#[test]
fn flows_converge_to_fair_shares_of_one_link() {
    // Endless flows, begun a millisecond apart, and what each has between 60 and 120 ms.
    for senders in [2, 8] {
        let list = (1..=senders).map(|from| (from, 0, Bytes::MAX, us(u64::from(from) * 1000)));
        let mut lab = Lab::new(star(senders + 1), flows(list), ms(120));
        lab.warmup = ms(60);
        lab.fabric = pausing();
        let report = lab.run_with::<Pausing>(&dcqcn(), &Control::default());
        lost_nothing(&report);
        let rates = report.goodputs();
        assert!(jain(&rates) > 0.98, "{senders}: {rates:?}");
        // Nearly all of the link, of which 1456 B of 1538 are payload.
        let sum: f64 = rates.iter().sum();
        assert!(sum > 0.94 * 40.0 * 1456.0 / 1538.0, "{senders}: {rates:?}");
        // The queue is short beside the 12 MB that a switch has, and nobody is paused any more.
        assert!(report.downlink("host-0", "mean_queue_bytes") < 100_000.0);
        assert_eq!(report.counter("pauses sent"), 0.0);
    }
}

#[test]
fn an_incast_of_any_size_loses_nothing_over_ports_that_pause() {
    // 200 KB each, all at once; over 1 MB of memory, so that senders are paused.
    for senders in [2, 3, 5, 8, 13, 20, 30] {
        let list = (1..=senders).map(|from| (from, 0, Bytes::new(200_000), us(0)));
        let mut lab = Lab::new(star(senders + 1), flows(list), ms(1000));
        let pfc = Pfc { buffer: Bytes::new(1_000_000), xoff: Some(Bytes::new(10_000)), ..Pfc::default() };
        lab.fabric = Config { pfc: Some(pfc), ..pausing() };
        let report = lab.run_with::<Pausing>(&dcqcn(), &Control::default());
        assert!(report.is_done(), "{senders}: {:?}", report.outcome.ended);
        lost_nothing(&report);
        assert_eq!(report.summary("flows_completed"), u64::from(senders));
        assert!(report.counter("pauses sent") > 0.0, "{senders}");
    }
}

#[test]
fn without_pauses_what_is_dropped_is_sent_again() {
    // 1 MB each through a queue of 100 packets.
    for senders in [2, 8, 24] {
        let list = (1..=senders).map(|from| (from, 0, Bytes::new(1_000_000), us(0)));
        let mut lab = Lab::new(star(senders + 1), flows(list), ms(1000));
        lab.fabric = marking(Length::Packets(100));
        let report = lab.run_with::<Fifo>(&dcqcn(), &Control::default());
        assert!(report.is_done(), "{senders}: {:?}", report.outcome.ended);
        assert_eq!(report.summary("flows_completed"), u64::from(senders));
        assert!(report.summary("total_dropped_frames") > 0 && report.summary("retransmits") > 0, "{senders}");
    }
}

#[test]
fn no_loss_of_any_kind_of_frame_stalls_a_flow() {
    // Links lose a frame in a hundred: data, acknowledgements, refusals, notifications and pauses alike.
    for seed in 0..4 {
        let list = (1..=6).map(|from| (from, 0, Bytes::new(300_000), us(0)));
        let mut lab = Lab::new(star(7), flows(list), ms(4000));
        (lab.fabric, lab.seed) = (pausing(), seed);
        lab.fabric.port.loss = 0.01;
        let report = lab.run_with::<Pausing>(&dcqcn(), &Control::default());
        assert!(report.is_done(), "{:?}", report.outcome.ended);
        assert_eq!((report.summary("flows_completed"), report.summary("total_dropped_frames")), (6, 0));
        assert!(report.summary("retransmits") > 0);
    }
}

/// The testbed of the paper's Fig. 2: two pods of two ToRs (T) and two leaves (L), two spines (S), five hosts at each ToR.
fn testbed() -> Topology {
    let mut builder = Builder::new("testbed");
    let cable = LinkSpec { rate: Rate::from_gbps(40), delay: Span::from_us(1), queue: None };
    let class = builder.class("cables");
    let hosts: Vec<_> = (0..20).map(|n| builder.host(format!("host-{n}"))).collect();
    let [tors, leaves, spines] = [("tor", 4), ("leaf", 4), ("spine", 2)]
        .map(|(name, count)| (1..=count).map(|n| builder.switch(format!("{name}-{n}"), None)).collect::<Vec<_>>());
    for (number, host) in hosts.iter().enumerate() {
        builder.cable(*host, tors[number / 5], class, cable);
    }
    for pod in 0..2 {
        for (tor, leaf) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            builder.cable(tors[2 * pod + tor], leaves[2 * pod + leaf], class, cable);
        }
    }
    for leaf in leaves {
        spines.iter().for_each(|spine| builder.cable(leaf, *spine, class, cable));
    }
    builder.finish().unwrap()
}

/// The victim flow of §2.2: hosts at the first ToR send to R at the fourth, and one more of them, VS, to VR at the second, which nobody else sends to. So
/// many hosts at the third ToR send to R too. What the victim flow gets, in Gb/s, and what pauses there were.
fn victim(others: u32, transport: &Protocol, seed: u64) -> (f64, Report) {
    let (receiver, victim) = (15, (4, 5, Bytes::MAX, us(0)));
    let senders = (0..4).chain(10..10 + others).map(|from| (from, receiver, Bytes::MAX, us(0)));
    let mut lab = Lab::new(testbed(), flows([victim].into_iter().chain(senders)), ms(40));
    (lab.warmup, lab.seed, lab.fabric) = (ms(20), seed, pausing());
    let report = lab.run_with::<Pausing>(transport, &Control::default());
    lost_nothing(&report);
    (report.goodputs()[0], report)
}

#[test]
fn a_victim_flow_keeps_its_throughput_where_pauses_alone_take_it() {
    // With this seed the victim flow leaves its ToR over a link that flows to R use as well.
    let seed = 1;
    let [(alone, pauses), (beside, more)] = [0, 2].map(|others| victim(others, &direct(), seed));
    // T4 pauses its leaves, those pause the spines, and so on back to T1, whose uplinks the victim flow needs: it gets about as much as each of those
    // that are congested, and less with two more of them, which are nowhere near it.
    assert!(alone < 10.0 && beside < 0.85 * alone, "{alone} and {beside}");
    for report in [&pauses, &more] {
        // Links of four tiers are paused at once, and a pause holds frames that go elsewhere.
        assert!(report.counter("links paused at once, at most") > 8.0);
        let [held, victims] =
            ["held by a pause", "held by a pause though their next port was free"].map(|name| report.counter(name));
        assert!(victims > 1000.0 && victims < held, "{victims} of {held}");
        assert!(report.series("links paused", "all").iter().any(|(_, share)| *share > 0.1));
    }
    // With DCQCN it gets nearly twice as much, three times as much beside the others, who make no difference.
    let [(own, none), (same, _)] = [0, 2].map(|others| victim(others, &dcqcn(), seed));
    assert!(own > 1.75 * alone && same > 2.7 * beside && same > 0.95 * own, "{own} and {same}");
    assert_eq!((none.counter("pauses sent"), none.counter("held by a pause")), (0.0, 0.0));
}
