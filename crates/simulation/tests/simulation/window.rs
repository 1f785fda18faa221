//! What the summary and the series are of: the window, all of its flows, and what was simulated.

use crate::lab::{Lab, direct, flows, ms, newreno, star, us};
use engine::{Control, Seed};
use ethernet::Length;
use units::{Bytes, Span};

#[test]
fn counters_that_begin_anew_are_no_outage() {
    // A link that is always full, and a warm-up that ends at a sample, or between two.
    let list = [(0, 1, Bytes::MAX, us(0)), (1, 0, Bytes::MAX, us(0))];
    for warmup in [us(10_000), us(10_030), us(10_099)] {
        let mut lab = Lab::new(star(2), flows(list), ms(20));
        lab.warmup = warmup;
        let stardust = {
            let shape = topology::Shape::LeafSpine { leaves: 1, spines: 1, hosts_per_leaf: 2 };
            shape.build(units::Rate::from_gbps(10), Span::from_us(1)).unwrap()
        };
        let ethernet = lab.run(&direct());
        lab.topology = stardust;
        let network =
            stardust::Stardust::<stardust::Lanes>::new(&stardust::Config::default(), &lab.topology, Seed(1)).unwrap();
        let stardust = lab.run_over(network, &direct(), &Control::default());
        for (report, scope) in [(ethernet, "host-switch up"), (stardust, "host-leaf up")] {
            let samples = report.series("utilisation", scope);
            assert_eq!(samples.len(), 200, "{scope}: {:?}", report.texts("series", "scope"));
            for (at, value) in &samples[1..] {
                assert!((0.98..=1.01).contains(value), "{value} of {scope} at {at}, warm-up until {warmup}");
            }
        }
    }
}

#[test]
fn flows_that_did_not_finish_count() {
    // Nine flows alone, and a tenth that would take 80 ms and has 9.
    let short = (0..9).map(|number| (0, 1, Bytes::new(14_600), us(1000 + number * 500)));
    let list = short.chain([(2, 3, Bytes::new(100_000_000), us(1000))]);
    let report = Lab::new(star(4), flows(list), ms(10)).run(&direct());
    assert!(report.is_done());
    assert_eq!((report.summary("flows_measured"), report.summary("flows_measured_completed")), (10, 9));
    let value = |name: &str| report.numbers("summary", name)[0].unwrap();
    let is_bound = |name: &str| report.flags("summary", name)[0];
    // Half of all are 1 wherever the tenth ends up; the largest may be its.
    assert!((value("slowdown_p50") - 1.0).abs() < 0.004 && !is_bound("slowdown_p50_is_bound"));
    assert!((value("slowdown_p99") - 1.0).abs() < 0.004 && is_bound("slowdown_p99_is_bound"));
    assert!(is_bound("slowdown_p999_is_bound") && is_bound("slowdown_mean_is_bound"));
    let ideals = report.integers("flows", "ideal_ps");
    let long = ideals.iter().flatten().max().unwrap();
    let mean = (9.0 + 9e9 / *long as f64) / 10.0;
    assert!((value("slowdown_mean") - mean).abs() < 1e-9, "{} is not {mean}", value("slowdown_mean"));
    let short = ideals.iter().flatten().min().unwrap();
    assert!((value("fct_mean_ps") - (9.0 * *short as f64 + 9e9) / 10.0).abs() < 1.0);
}

#[test]
fn what_is_compared_is_of_the_window() {
    // The drops of an incast at the beginning, and a flow later on.
    let list = (1..9).map(|src| (src, 0, Bytes::new(150_000), us(0))).chain([(1, 0, Bytes::new(14_600), ms(50))]);
    let mut lab = Lab::new(star(9), flows(list), ms(100));
    lab.fabric.port.queue = Length::Packets(16);
    let whole = lab.run(&newreno());
    for name in ["frames", "dropped_frames", "lost_frames"] {
        assert_eq!(whole.summary(name), whole.summary(&format!("total_{name}")), "without a warm-up");
    }
    assert!(whole.summary("dropped_frames") > 10 && whole.summary("retransmits") > 10);
    lab.warmup = ms(49);
    let window = lab.run(&newreno());
    for name in ["dropped_frames", "retransmits", "timeouts"] {
        assert_eq!(window.summary(name), 0, "{name}");
    }
    assert_eq!(window.summary("frames"), 20, "ten packets and their acknowledgements");
    for name in ["total_frames", "total_dropped_frames", "total_hops"] {
        assert_eq!(window.summary(name), whole.summary(name), "{name}");
    }
    assert_eq!((window.summary("flows_measured"), window.summary("flows_completed")), (1, 9));
    // A run that ends before its window begins has nothing in it.
    lab.warmup = ms(99);
    let report = lab.run(&newreno());
    assert!(report.is_done() && report.outcome.simulated < ms(99));
    assert_eq!((report.summary("frames"), report.summary("total_frames")), (0, whole.summary("frames")));
    assert_eq!(report.integers("summary", "latency_p50_ps"), [None]);
}

#[test]
fn bytes_held_are_what_hosts_handed_over_and_nobody_has_got_yet() {
    // Two flows of 10 Gb/s into a link of 10 Gb/s: after 1 ms, half of what was sent waits.
    let list = [(1, 0, Bytes::new(2_000_000), us(0)), (2, 0, Bytes::new(2_000_000), us(0))];
    let mut lab = Lab::new(star(3), flows(list), ms(10));
    lab.fabric.port.queue = Length::Bytes(Bytes::new(1 << 30));
    let mut topology = lab.topology.clone();
    let ethernet = lab.run(&direct());
    topology = topology::Shape::LeafSpine { leaves: 3, spines: 2, hosts_per_leaf: 1 }
        .build(topology.host_rate(0), Span::from_us(1))
        .unwrap();
    lab.topology = topology;
    let config = stardust::Config::default();
    let network = stardust::Stardust::<stardust::Lanes>::new(&config, &lab.topology, Seed(1)).unwrap();
    let stardust = lab.run_over(network, &direct(), &Control::default());
    for (name, report) in [("ethernet", &ethernet), ("stardust", &stardust)] {
        let held = report.series("held", "all");
        let at_1_ms = held.iter().find(|(at, _)| *at == ms(1).as_ps()).unwrap().1;
        // Of 2 x 1.25 MB on the wire, one half is through, a little less in Stardust: credits come first.
        let expected = 1.25e6 * 1500.0 / 1538.0;
        assert!((at_1_ms / expected - 1.0).abs() < 0.05, "{name}: {at_1_ms} B held, {expected} B expected");
        let most = held.iter().map(|(_, value)| *value).fold(0.0, f64::max);
        assert_eq!(report.summary("max_held_bytes") as f64, most, "{name}");
        assert!(report.is_done());
    }
    // Where it waits before a fabric's links, or in its devices, is all one.
    assert!(stardust.summary("max_queue_bytes") < stardust.summary("max_held_bytes") / 4);
}

#[test]
fn a_run_that_ends_long_before_its_duration_has_samples_enough() {
    let lab = Lab { sample: None, ..Lab::new(star(2), flows([(0, 1, Bytes::new(7_800_000), us(0))]), ms(2000)) };
    let report = lab.run(&direct());
    assert!(report.is_done());
    let table = report.outcome.tables.iter().find(|table| table.name == "series").unwrap();
    let bytes = table.kept.as_ref().unwrap();
    let reader = arrow_ipc::reader::StreamReader::try_new(std::io::Cursor::new(bytes), None).unwrap();
    let mut times: Vec<u64> = Vec::new();
    for batch in reader {
        let batch = batch.unwrap();
        let column = arrow_array::cast::AsArray::as_primitive::<arrow_array::types::UInt64Type>(&batch["time_ps"]);
        times.extend(column.values());
    }
    times.sort_unstable();
    times.dedup();
    assert!((100..=400).contains(&times.len()), "{} samples of {}", times.len(), report.outcome.simulated);
    assert!((1..).zip(&times).all(|(number, at)| *at == number * times[0]), "evenly spaced");
    assert!(report.outcome.simulated.as_ps() - times.last().unwrap() < 2 * times[0]);
    assert_eq!(report.outcome, lab.run(&direct()).outcome, "equal runs are equal");
}
