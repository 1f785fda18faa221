//! NDP over switches that trim, against what its paper says of it (Handley et al., SIGCOMM 2017): high throughput of permutations with queues of
//! 8 packets, incasts near the optimum, and no data packet lost, only trimmed.

use crate::lab::{Lab, fabric, flows, ms, tree, us};
use engine::{Control, Seed};
use ethernet::{Config, Ethernet, Length, Port, Rule, Trim, Trimming};
use topology::{LinkId, Topology};
use transport::{Config as Protocol, config};
use units::{Bytes, Rate, Span};
use workload::{Group, Kind, Pairs, Permutation, Rounds};

const MTU: u64 = 9000;

fn ndp() -> config::Ndp {
    config::Ndp { initial_window: 30, timeout: Span::from_ms(1), header: Bytes::new(40), ..config::Ndp::default() }
}

/// Leaves out no path.
fn blind() -> config::Ndp {
    config::Ndp { path_samples: 0, ..ndp() }
}

fn trimming() -> Config {
    let port = Port { queue: Length::Packets(8), ecn_threshold: None, red: None, loss: 0.0 };
    let trim = Some(Trim { header: Bytes::new(64), headers_in_a_row: 10 });
    Config { mtu: Bytes::new(MTU), framing: Bytes::ZERO, port, trimming: trim, ..fabric() }
}

fn run(groups: Vec<Group>) -> crate::lab::Report {
    let mut lab = Lab::new(tree(4), groups, ms(10));
    lab.warmup = ms(2);
    lab.fabric = trimming();
    run_in(&lab, ndp())
}

fn run_in(lab: &Lab, ndp: config::Ndp) -> crate::lab::Report {
    let network = Ethernet::<Trimming>::new(&lab.fabric, &lab.topology, Seed(1)).unwrap();
    lab.run_over(network, &Protocol::Ndp(ndp), &Control::default())
}

#[test]
fn a_permutation_has_nearly_the_full_rate() {
    let permutation = Permutation { pairs: Pairs::Random { count: None }, size: None, rounds: Rounds::default() };
    let report = run(vec![Group::new("permutation", Kind::Permutation(permutation))]);
    let goodputs = report.goodputs();
    let payload = 10.0 * (MTU - 40) as f64 / MTU as f64;
    let mean = goodputs.iter().sum::<f64>() / goodputs.len() as f64;
    assert!(mean > 0.94 * payload, "{mean} of {payload}: {goodputs:?}");
    assert!(goodputs.iter().all(|goodput| *goodput > 0.85 * payload), "{goodputs:?}");
    assert_eq!((report.summary("total_dropped_frames"), report.summary("timeouts")), (0, 0));
}

#[test]
fn an_incast_takes_as_long_as_the_link_of_its_receiver() {
    let bytes = 448_000;
    let senders = (1..16).map(|src| (src, 0, Bytes::new(bytes), us(2500)));
    let report = run(flows(senders));
    let last = report.integers("flows", "fct_ps").into_iter().max().unwrap().unwrap();
    // Everything over one link of 10 Gb/s, headers included, and the way there and back.
    let packets = 15 * bytes.div_ceil(MTU - 40);
    let optimum = Span::from_ps((15 * bytes + 40 * packets) * 800);
    let ratio = last as f64 / optimum.as_ps() as f64;
    assert!((1.0..1.1).contains(&ratio), "{ratio}");
    assert_eq!((report.summary("total_dropped_frames"), report.summary("timeouts")), (0, 0));
    assert!(report.summary("retransmits") > 0, "some were trimmed");
}

/// Host 0 of a fat-tree sends 20 MB to the last host, in another pod, over four paths.
fn across(lab: impl FnOnce(&mut Lab), ndp: config::Ndp) -> crate::lab::Report {
    let mut own = Lab::new(tree(4), flows([(0, 15, Bytes::new(20_000_000), us(0))]), ms(200));
    own.fabric = trimming();
    lab(&mut own);
    let report = run_in(&own, ndp);
    assert!(report.is_done(), "{:?}", report.outcome.ended);
    report
}

fn completion(report: &crate::lab::Report) -> f64 {
    report.integers("flows", "fct_ps")[0].unwrap() as f64
}

/// The links between the first two cores, over which half of the paths lead, and the aggregation switches.
fn of_two_cores(topology: &Topology) -> Vec<LinkId> {
    let cores = ["core-0", "core-1"].map(|name| topology.find_node(name).unwrap());
    let links = (0..).map(LinkId).zip(topology.links());
    links.filter(|(_, link)| cores.contains(&link.from) || cores.contains(&link.to)).map(|(link, _)| link).collect()
}

#[test]
fn slow_links_hold_a_sender_up_only_until_it_knows_them() {
    // All links of two of the four cores at a tenth of their rate.
    let slow = |lab: &mut Lab| {
        for link in of_two_cores(&lab.topology) {
            lab.topology.set_link(link, Some(Rate::from_gbps(1)), None).unwrap();
        }
    };
    let healthy = completion(&across(|_| {}, ndp()));
    assert_eq!(completion(&across(|_| {}, blind())), healthy, "where all paths are alike, none is left out");
    let known = completion(&across(slow, ndp())) / healthy;
    let unknown = completion(&across(slow, blind())) / healthy;
    // Of 2233 packets about 400 go before the paths are judged, half of them over the slow ones.
    assert!(known < 1.15, "{known} times as long as with all links whole, {unknown} without a scoreboard");
    assert!(unknown > 1.35, "{unknown} times as long: one packet of ten on half of the paths gets through");
}

#[test]
fn paths_that_lose_packets_are_left_out() {
    // A fifth of what leaves the sender's pod over one of two aggregation switches is lost.
    let lossy = |lab: &mut Lab| {
        let first = lab.topology.find_node("core-0").unwrap();
        let links = of_two_cores(&lab.topology).into_iter().filter(|link| lab.topology.link(*link).to == first);
        let own = links.min().unwrap();
        lab.fabric.rules =
            vec![Rule { links: vec![own.0], queue: None, ecn_threshold: None, red: None, loss: Some(0.2) }];
    };
    let lost = |ndp| across(lossy, ndp).summary("total_lost_frames");
    let (with, without) = (lost(ndp()), lost(blind()));
    // One packet of four goes that way, and a fifth of those is lost: of 2233 about 110.
    assert!(without > 70, "{without}");
    assert!(with * 4 < without, "{with} lost, {without} without a scoreboard");
}
