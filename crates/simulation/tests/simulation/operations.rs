//! Completion times of operations, against timelines computed by hand.
//!
//! The ideal network: 10 Gb/s, 2 us from host to host, flows at their max-min fair rates. 1.25 MB alone take 1 ms.

use crate::lab::{Lab, Report, ms, star, us};
use engine::Control;
use transport::Config as Protocol;
use transport::config::Direct;
use units::{Bytes, Span};
use workload::sizes::Sizes;
use workload::{
    AllToAll, AllToMany, Collective, Gate, Group, Hosts, Incast, Kind, Order, Pairs, Permutation, Receivers, Rounds,
    Trace, TraceFlow, TraceStart,
};

const MS_ALONE: u64 = 1_250_000;

fn run(hosts: u32, kind: Kind, duration_ms: u64) -> Report {
    let lab = Lab::new(star(hosts), vec![Group::new("job", kind)], ms(duration_ms));
    let config = fluid::Config { mtu: Bytes::new(10_000_000), ..fluid::Config::default() };
    let network = fluid::Fluid::new(&config, &lab.topology, engine::Seed(1)).unwrap();
    lab.run_over(network, &Protocol::Direct(Direct { header: Bytes::ZERO }), &Control::default())
}

fn collective(bytes: u64, repeat: u64) -> Collective {
    Collective { participants: Hosts::All, bytes: Bytes::new(bytes), repeat, gap: Span::from_us(100) }
}

/// Start and duration of each operation in microseconds, by number.
fn timeline(report: &Report) -> Vec<(f64, Option<f64>)> {
    let us = |ps: u64| (ps as f64 / 1e6 * 100.0).round() / 100.0;
    let mut rows: Vec<_> = report
        .integers("operations", "operation")
        .into_iter()
        .zip(report.integers("operations", "start_ps"))
        .zip(report.integers("operations", "duration_ps"))
        .map(|((number, start), duration)| (number.unwrap(), us(start.unwrap()), duration.map(us)))
        .collect();
    rows.sort_by_key(|(number, ..)| *number);
    rows.into_iter().map(|(_, start, duration)| (start, duration)).collect()
}

/// Kind, ranks, flows and bytes of the first operation, and its bus bandwidth over its algorithm bandwidth.
fn first(report: &Report) -> (String, u32, u64, u64, Option<f64>) {
    let integer = |name| report.integers("operations", name)[0].unwrap();
    let ranks = {
        let table = report.table("operations");
        arrow_array::cast::AsArray::as_primitive::<arrow_array::types::UInt32Type>(&table["ranks"]).value(0)
    };
    let [algorithm, bus] =
        ["algorithm_bandwidth_bps", "bus_bandwidth_bps"].map(|name| report.numbers("operations", name)[0]);
    let size = integer("bytes") as f64 * 8.0 / (integer("duration_ps") as f64 * 1e-12);
    assert!((algorithm.unwrap() / size - 1.0).abs() < 1e-12);
    let factor = bus.zip(algorithm).map(|(bus, algorithm)| bus / algorithm);
    (report.texts("operations", "kind")[0].clone(), ranks, integer("flows"), integer("bytes"), factor)
}

fn close(found: Option<f64>, expected: f64) -> bool {
    found.is_some_and(|found| (found - expected).abs() < 1e-9)
}

#[test]
fn a_ring_all_reduce_takes_its_steps_one_after_the_other() {
    // Three pieces of 1 ms, four steps of 1.002 ms each; 100 us of computation; again.
    let report = run(3, Kind::RingAllReduce(collective(3 * MS_ALONE, 2)), 20);
    assert_eq!(timeline(&report), [(0.0, Some(4008.0)), (4108.0, Some(4008.0))]);
    let (kind, ranks, flows, bytes, factor) = first(&report);
    assert_eq!((kind.as_str(), ranks, flows, bytes), ("all-reduce (ring)", 3, 12, 3 * MS_ALONE));
    assert!(close(factor, 4.0 / 3.0));
    // 5 MB over 4.008 ms are 7.486 Gb/s of algorithm bandwidth, 9.98 of the bus: what the links carry.
    let bus = report.numbers("operations", "bus_bandwidth_bps")[0].unwrap();
    assert!((bus / 9.98e9 - 1.0).abs() < 1e-3, "{bus}");
    assert_eq!((report.summary("operations_started"), report.summary("operations_completed")), (2, 2));
    let mean = report.numbers("summary", "operation_mean_ps")[0].unwrap();
    assert!((mean / 4.008e9 - 1.0).abs() < 1e-6 && report.summary("operation_max_ps") as f64 >= mean);
}

#[test]
fn a_tree_all_reduce_goes_up_and_down() {
    // Two children share the root's link: 2 ms up, 2 ms down.
    let report = run(3, Kind::TreeAllReduce(collective(MS_ALONE, 1)), 20);
    assert_eq!(timeline(&report), [(0.0, Some(4004.0))]);
    let (kind, ranks, flows, bytes, factor) = first(&report);
    assert_eq!((kind.as_str(), ranks, flows, bytes), ("all-reduce (tree)", 3, 4, MS_ALONE));
    assert!(close(factor, 4.0 / 3.0));
}

#[test]
fn an_all_to_all_by_pairs_takes_its_steps() {
    for barrier in [false, true] {
        let report = run(3, Kind::CollectiveAllToAll { collective: collective(3 * MS_ALONE, 1), barrier }, 20);
        assert_eq!(timeline(&report), [(0.0, Some(2004.0))]);
        let (kind, ranks, flows, bytes, factor) = first(&report);
        assert_eq!((kind.as_str(), ranks, flows, bytes), ("all-to-all", 3, 6, 3 * MS_ALONE));
        assert!(close(factor, 2.0 / 3.0));
    }
}

#[test]
fn all_flows_of_an_all_to_all_are_one_operation() {
    let kind = |size| Kind::AllToAll(AllToAll { hosts: Hosts::All, size, order: Order::Shifted, concurrent: None });
    let report = run(3, kind(Sizes::Fixed(Bytes::new(MS_ALONE))), 20);
    assert_eq!(timeline(&report), [(0.0, Some(2002.0))]);
    let (kind_name, ranks, flows, bytes, factor) = first(&report);
    assert_eq!((kind_name.as_str(), ranks, flows, bytes), ("all-to-all", 3, 6, 3 * MS_ALONE));
    assert!(close(factor, 2.0 / 3.0));
    // Sizes at random: a rank's buffer is what all ranks send, over the number of others.
    let report = run(3, kind(Sizes::Exponential { mean: Bytes::new(MS_ALONE) }), 200);
    let sent: u64 = report.integers("flows", "bytes").into_iter().flatten().sum();
    assert_eq!(first(&report).3, sent / 2);
}

#[test]
fn each_round_of_an_incast_is_an_operation() {
    let incast = Incast {
        receiver: Some(0),
        senders: Hosts::All,
        size: Some(Sizes::Fixed(Bytes::new(MS_ALONE / 4))),
        rounds: Rounds { count: 3, gap: Span::from_us(50) },
    };
    let report = run(5, Kind::Incast(incast), 20);
    assert_eq!(timeline(&report), [(0.0, Some(1002.0)), (1052.0, Some(1002.0)), (2104.0, Some(1002.0))]);
    assert_eq!(first(&report), ("incast".into(), 5, 4, MS_ALONE, None));
}

#[test]
fn rounds_of_permutations_and_all_to_many_are_operations() {
    let rounds = Rounds { count: 2, gap: Span::ZERO };
    let size = Some(Sizes::Fixed(Bytes::new(MS_ALONE)));
    let permutation = Permutation { pairs: Pairs::Random { count: None }, size: size.clone(), rounds };
    let report = run(4, Kind::Permutation(permutation), 20);
    assert_eq!(timeline(&report), [(0.0, Some(1002.0)), (1002.0, Some(1002.0))]);
    assert_eq!(first(&report), ("permutation".into(), 4, 4, 4 * MS_ALONE, None));
    let receivers = Receivers::Shared(Hosts::List(vec![2, 3]));
    let report = run(4, Kind::AllToMany(AllToMany { senders: Hosts::List(vec![0, 1]), receivers, size, rounds }), 20);
    assert_eq!(timeline(&report), [(0.0, Some(2002.0)), (2002.0, Some(2002.0))]);
    assert_eq!(first(&report), ("all-to-many".into(), 4, 4, 4 * MS_ALONE, None));
    // Flows without end are none.
    let endless = Permutation { pairs: Pairs::Random { count: None }, size: None, rounds: Rounds::default() };
    assert_eq!(run(4, Kind::Permutation(endless), 1).table("operations").num_rows(), 0);
}

fn trace(after: TraceStart) -> Kind {
    let flow = |id, src, dst, start| TraceFlow { id, src, dst, bytes: Bytes::new(MS_ALONE), start, line: 0 };
    let flows = vec![flow(0, 0, 1, TraceStart::At(us(0))), flow(1, 1, 2, after)];
    let gates = vec![Gate { passed_by: vec![0] }];
    Kind::Trace { trace: Trace { file: "test".into(), flows, gates, warnings: Vec::new() }.into(), rebase: false }
}

#[test]
fn a_trace_of_flows_that_wait_for_each_other_is_an_operation() {
    let after = TraceStart::After { gate: 0, passings: 1, delay: Span::from_ms(1) };
    let report = run(3, trace(after), 20);
    assert_eq!(timeline(&report), [(0.0, Some(3004.0))]);
    assert_eq!(first(&report), ("trace".into(), 3, 2, 2 * MS_ALONE, None));
    // Flows that only have times are no job.
    assert_eq!(run(3, trace(TraceStart::At(us(5))), 20).table("operations").num_rows(), 0);
}

#[test]
fn an_operation_that_did_not_end_has_a_row() {
    let report = run(3, Kind::RingAllReduce(collective(3 * MS_ALONE, 2)), 5);
    assert_eq!(timeline(&report), [(0.0, Some(4008.0)), (4108.0, None)]);
    assert_eq!(report.integers("operations", "end_ps").iter().filter(|end| end.is_none()).count(), 1);
    assert_eq!(report.numbers("operations", "bus_bandwidth_bps").iter().flatten().count(), 1);
    assert_eq!((report.summary("operations_started"), report.summary("operations_completed")), (2, 1));
}
