//! When nothing moves, and when it only seems so. Faults in whole runs.

use crate::lab::{Lab, Report, direct, flows, ms, newreno, star, tree, us};
use engine::{Control, Seed};
use ethernet::Length;
use fabric::{Fault, Network};
use simulation::Ended;
use stardust::config::Reachability;
use stardust::{Lanes, Stardust};
use topology::{Shape, Topology};
use units::{Bytes, Rate, Span, Time};

/// Two hosts on either of two leaves.
fn leaves() -> Topology {
    let shape = Shape::LeafSpine { leaves: 2, spines: 1, hosts_per_leaf: 2 };
    shape.build(Rate::from_gbps(10), Span::from_us(1)).unwrap()
}

/// A fabric whose clocks never stop: its devices tell each other for ever whom they reach.
fn clocked(lab: &Lab) -> Stardust<Lanes> {
    let reachability = Reachability { period: Span::from_us(500), ..Reachability::default() };
    Stardust::new(&stardust::Config { reachability, ..stardust::Config::default() }, &lab.topology, Seed(1)).unwrap()
}

fn node(topology: &Topology, name: &str, up: bool) -> Fault {
    Fault::Node { node: topology.find_node(name).unwrap().0, up }
}

/// Two senders in step into a port with room for one packet: with `direct`, some of it never comes.
fn losing(duration: Time) -> Lab {
    let list = [(1, 0, Bytes::new(30_000), us(0)), (2, 0, Bytes::new(30_000), us(0))];
    let mut lab = Lab::new(star(3), flows(list), duration);
    lab.fabric.port.queue = Length::Packets(1);
    lab.fabric.port.ecn_threshold = None;
    lab
}

#[test]
fn flows_of_which_nothing_is_left_are_a_stall() {
    let outcome = losing(ms(100)).run(&direct()).outcome;
    let Ended::Stalled(text) = &outcome.ended else { panic!("{:?}", outcome.ended) };
    assert!(text.lines().next().unwrap().ends_with("flows are open and nothing has moved since 500 us"), "{text}");
    // Samples are 0.5 ms apart, and by the first no frame is inside any more.
    assert_eq!(outcome.simulated, us(500));
}

/// Two hosts send 10 MB to a third through adapters that hold 100 KB, over a fabric whose devices tell each other for ever whom they reach.
fn into_small_adapters(duration: Time) -> (Lab, stardust::Config) {
    let incast = workload::Incast {
        receiver: Some(0),
        senders: workload::Hosts::List(vec![2, 3]),
        size: Some(workload::sizes::Sizes::Fixed(Bytes::new(10_000_000))),
        rounds: workload::Rounds::default(),
    };
    let mut config = stardust::Config::default();
    config.adapter.buffer = Bytes::new(100_000);
    (Lab::new(leaves(), vec![workload::Group::new("answers", workload::Kind::Incast(incast))], duration), config)
}

#[test]
fn what_a_fabric_does_by_itself_is_no_movement() {
    let (lab, config) = into_small_adapters(ms(200));
    let network = Stardust::<Lanes>::new(&config, &lab.topology, Seed(1)).unwrap();
    let report = lab.run_over(network, &direct(), &Control::default());
    let Ended::Stalled(text) = &report.outcome.ended else { panic!("{:?}", report.outcome.ended) };
    // 20 MB at 20 Gb/s are sent by then, and all that was kept is there.
    assert_eq!(report.outcome.simulated, ms(9));
    assert!(text.contains("answers: incast, round 0, which began at 0 ps, waits: 0 of 2 flows ended"), "{text}");
    assert!(report.summary("dropped_frames") > 100);
    assert_eq!((report.summary("operations_started"), report.summary("operations_completed")), (1, 0));
}

#[test]
fn a_paused_host_loses_nothing_and_all_is_done() {
    let (lab, mut config) = into_small_adapters(ms(200));
    config.adapter.pause_threshold = Some(Bytes::new(50_000));
    let network = Stardust::<Lanes>::new(&config, &lab.topology, Seed(1)).unwrap();
    let report = lab.run_over(network, &direct(), &Control::default());
    assert!(report.is_done(), "{:?}", report.outcome.ended);
    assert_eq!((report.summary("dropped_frames"), report.summary("flows_completed")), (0, 2));
}

#[test]
fn time_that_is_up_while_nothing_has_moved_for_long_is_a_stall() {
    // All in flight is lost at 20 us, and the timer would go off after 3 s: of the 100 ms nothing moves but for the first.
    let list = [(0, 1, Bytes::new(300_000), us(0))];
    let mut lab = Lab::new(star(2), flows(list), ms(100));
    lab.faults = vec![(us(20), node(&lab.topology, "switch-0", false)), (ms(1), node(&lab.topology, "switch-0", true))];
    let mut transport = crate::lab::tcp();
    (transport.min_rto, transport.initial_rto) = (Span::from_ms(3000), Span::from_ms(3000));
    let report = lab.run(&transport::Config::NewReno(transport.clone()));
    let Ended::Stalled(text) = &report.outcome.ended else { panic!("{:?}", report.outcome.ended) };
    assert!(text.starts_with("1 flow is open and nothing has moved since 500 us"), "{text}");
    assert_eq!(report.outcome.simulated, ms(100));
    // A run that is cut off while its flow waits for a timer of usual length is one whose time is up.
    lab.duration = ms(12);
    (transport.min_rto, transport.initial_rto) = (Span::from_ms(10), Span::from_ms(10));
    assert!(lab.run(&transport::Config::NewReno(transport)).is_done());
}

#[test]
fn a_timeout_of_seconds_is_no_stall() {
    let list = [(0, 3, Bytes::new(300_000), us(0))];
    let mut lab = Lab::new(leaves(), flows(list), ms(20_000));
    // Everything in flight is lost, and the timer takes its time.
    lab.faults = vec![(us(20), node(&lab.topology, "leaf-1", false)), (ms(1), node(&lab.topology, "leaf-1", true))];
    let mut transport = crate::lab::tcp();
    (transport.min_rto, transport.initial_rto) = (Span::from_ms(3000), Span::from_ms(3000));
    let report = lab.run_over(clocked(&lab), &transport::Config::NewReno(transport), &Control::default());
    assert!(report.is_done(), "{:?}", report.outcome.ended);
    let fct = report.integers("flows", "fct_ps")[0].unwrap();
    assert!(fct > Span::from_ms(3000).as_ps(), "{fct}");
}

#[test]
fn what_only_the_fabric_knows_is_written_down() {
    let lab = Lab::new(leaves(), flows([(0, 3, Bytes::new(30_000), us(0))]), ms(100));
    let network = clocked(&lab);
    let (counters, distributions) = (network.counters(), network.distributions());
    let report = lab.run_over(network, &direct(), &Control::default());
    let names: Vec<String> = counters.iter().map(|counter| counter.name.to_owned()).collect();
    let units: Vec<String> = counters.iter().map(|counter| counter.unit.to_owned()).collect();
    assert_eq!((report.texts("counters", "counter"), report.texts("counters", "unit")), (names, units));
    assert!(report.numbers("counters", "value").into_iter().flatten().any(|value| value > 0.0));
    let histograms = report.texts("histograms", "histogram");
    let of_cells: Vec<usize> = (0..histograms.len()).filter(|row| histograms[*row] == distributions[0].name).collect();
    let column = |name: &str| -> Vec<u64> {
        let column = report.integers("histograms", name);
        of_cells.iter().map(|row| column[*row].unwrap()).collect()
    };
    // All cells of 21 packets, in bins that are not empty.
    assert!(column("count").iter().sum::<u64>() > 100 && !column("count").contains(&0));
    assert!(column("lower").iter().zip(column("upper")).all(|(lower, upper)| *lower < upper));
    // A fabric without counters of its own has an empty table, not none.
    assert_eq!(losing(ms(100)).run(&direct()).table("counters").num_rows(), 0);
}

#[test]
fn what_will_be_mended_is_waited_for() {
    // The sender is down from before its flow begins until long after the patience has ended.
    let list = [(0, 3, Bytes::new(30_000), us(10))];
    let mut lab = Lab::new(leaves(), flows(list), ms(1000));
    lab.faults = vec![(us(5), node(&lab.topology, "host-0", false)), (ms(900), node(&lab.topology, "host-0", true))];
    for report in [lab.run(&direct()), lab.run_over(clocked(&lab), &direct(), &Control::default())] {
        assert!(report.is_done(), "{:?}", report.outcome.ended);
        assert!(report.integers("flows", "end_ps")[0].unwrap() > Span::from_ms(900).as_ps());
    }
    // Repaired after the end of the run is not repaired.
    lab.faults[1].0 = ms(2000);
    let report = lab.run_over(clocked(&lab), &direct(), &Control::default());
    assert!(matches!(report.outcome.ended, Ended::Stalled(_)), "{:?}", report.outcome.ended);
}

/// Goodput in each sample, in Gb/s.
fn goodput(report: &Report) -> Vec<(Time, f64)> {
    report.series("goodput", "all").into_iter().map(|(at, value)| (Time::from_ps(at), value / 1e9)).collect()
}

#[test]
fn traffic_finds_its_way_round_what_is_broken_and_back() {
    // Sixteen endless flows from pod to pod of a fat-tree; two of its four cores are down from 20 to 40 ms.
    let list = (0..16).map(|src| (src, (src + 4) % 16, Bytes::MAX, us(0)));
    let mut lab = Lab::new(tree(4), flows(list), ms(60));
    lab.fabric.routing = ethernet::Routing::Spray;
    lab.fabric.port.ecn_threshold = None;
    for (at, up) in [(ms(20), false), (ms(40), true)] {
        lab.faults.extend(["core-0", "core-1"].map(|core| (at, node(&lab.topology, core, up))));
    }
    let report = lab.run(&newreno());
    assert!(report.is_done());
    let goodput = goodput(&report);
    let mean = |from, to| {
        let among: Vec<f64> =
            goodput.iter().filter(|(at, _)| *at > from && *at <= to).map(|(_, value)| *value).collect();
        among.iter().sum::<f64>() / among.len() as f64
    };
    let (before, during, after) = (mean(ms(10), ms(20)), mean(ms(30), ms(40)), mean(ms(50), ms(60)));
    // Half of the paths between pods are left, 80 Gb/s, and spray over both ways needs no luck. What overtakes looks like a loss to
    // NewReno, so it does not fill all of them before either.
    assert!(during < 80.0 && during < 0.8 * before && during > 0.2 * before, "{before}, {during}, {after}");
    assert!(after > 0.9 * before, "{before}, {during}, {after}");
    assert!(report.summary("lost_frames") > 10);
    let counted = report.numbers("counters", "value");
    assert_eq!(counted[..2].iter().flatten().sum::<f64>(), report.summary("lost_frames") as f64, "{counted:?}");
    assert_eq!(counted[3], Some(2.0), "routes changed twice");
    assert_eq!(report.outcome, lab.run(&newreno()).outcome, "equal runs are equal");
}
