//! Whole runs: determinism, stopping, stalling, stragglers.

use crate::lab::{Lab, dctcp, direct, flows, ms, newreno, reliable, star, tree, us};
use engine::{Control, Seed};
use ethernet::{Ethernet, Fifo, Length, Priorities, Routing};
use simulation::{Ended, Transports};
use units::Bytes;
use workload::sizes::Sizes;
use workload::{AllToAll, Arrivals, Group, Hosts, Kind, Order, Pattern, Poisson};

fn poisson(load: f64, size: u64) -> Vec<Group> {
    let (size, pattern) = (Sizes::Exponential { mean: Bytes::new(size) }, Pattern::Uniform);
    let poisson =
        Poisson { arrivals: Arrivals::Load(load), flows: None, size, pattern, burst: None, allow_overload: false };
    vec![Group::new("poisson", Kind::Poisson(poisson))]
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_one_others() {
    let mut lab = Lab::new(tree(4), poisson(0.6, 30_000), ms(3));
    lab.fabric.routing = Routing::Spray;
    let first = lab.run(&dctcp()).outcome;
    assert_eq!(first, lab.run(&dctcp()).outcome);
    lab.seed = 2;
    assert_ne!(first, lab.run(&dctcp()).outcome);
}

#[test]
fn every_flow_ends_under_every_transport_and_discipline() {
    for load in [0.3, 0.8] {
        let mut groups = poisson(load, 30_000);
        groups[0].stop = Some(ms(2));
        let lab = Lab::new(tree(4), groups, ms(2000));
        let over_classes = lab.run_with::<Priorities>(&dctcp(), &Control::default());
        for report in reliable().iter().map(|transport| lab.run(transport)).chain([over_classes]) {
            assert!(report.is_done());
            assert!(report.summary("flows_started") > 50);
            assert_eq!(report.summary("flows_started"), report.summary("flows_completed"));
            assert!(report.numbers("flows", "slowdown").iter().all(|slowdown| slowdown.unwrap() >= 1.0));
        }
    }
}

#[test]
fn throughput_is_of_the_window() {
    // Half of the flows end before the window begins: what it holds is what is offered.
    let mut lab = Lab::new(tree(4), poisson(0.4, 20_000), ms(20));
    lab.warmup = ms(10);
    let report = lab.run(&dctcp());
    let goodput = report.numbers("summary", "host_utilisation")[0].unwrap();
    assert!((goodput / 0.4 - 1.0).abs() < 0.1, "{goodput} of the host links at a load of 0.4");
    let ends = report.integers("flows", "end_ps");
    let before = ends.iter().zip(report.integers("flows", "window_bytes"));
    assert!(before.filter(|(end, _)| end.is_some_and(|end| end < 10_000_000_000)).all(|(_, bytes)| bytes == Some(0)));
}

#[test]
fn a_link_is_never_busier_than_always_nor_its_mean_queue_longer_than_its_longest() {
    let list = (1..9).map(|src| (src, 0, Bytes::new(3_000_000), us(0)));
    let mut lab = Lab::new(star(9), flows(list), ms(4));
    lab.fabric.port.queue = Length::Bytes(Bytes::new(1 << 30));
    for warmup in [0, 1] {
        lab.warmup = ms(warmup);
        for report in [lab.run(&direct()), lab.run_with::<Priorities>(&direct(), &Control::default())] {
            let busy = report.downlink("host-0", "utilisation");
            // Busy from the first packet on; the last sample's rounding is a byte.
            assert!((0.99..=1.000_001).contains(&busy), "{busy}");
            assert!(report.downlink("host-0", "mean_queue_bytes") <= report.downlink("host-0", "max_queue_bytes"));
            assert!(report.numbers("series", "value").len() > 100);
        }
    }
}

#[test]
fn priorities_go_first() {
    // Eight long flows of class 1 and a short one of class 0 into the same link.
    let long = (1..9).map(|src| (src, 0, Bytes::new(3_000_000), us(0)));
    let mut groups = flows(long);
    groups[0].priority = 1;
    let mut urgent = flows([(9, 0, Bytes::new(14_600), us(200))]);
    urgent[0].name = "urgent".into();
    groups.append(&mut urgent);
    let mut lab = Lab::new(star(10), groups, ms(100));
    lab.fabric.priorities = 2;
    let slowdown = |report: &crate::lab::Report| {
        let (group, value) = (report.integers("flows", "bytes"), report.numbers("flows", "slowdown"));
        group.iter().zip(value).find(|(bytes, _)| **bytes == Some(14_600)).unwrap().1.unwrap()
    };
    let with = slowdown(&lab.run_with::<Priorities>(&newreno(), &Control::default()));
    let without = slowdown(&lab.run_with::<Fifo>(&newreno(), &Control::default()));
    assert!(with < 2.0 && without > 3.0 * with, "{with} with priorities, {without} without");
}

#[test]
fn a_run_that_is_stopped_keeps_what_it_has() {
    let control = Control::default();
    let lab = Lab::new(tree(4), poisson(0.6, 30_000), ms(5000));
    let watcher = control.clone();
    let watching = std::thread::spawn(move || {
        while watcher.progress().hops == 0 {
            std::thread::yield_now();
        }
        watcher.stop();
    });
    let report = lab.run_with::<Fifo>(&dctcp(), &control);
    watching.join().unwrap();
    assert_eq!(report.outcome.ended, Ended::Stopped);
    assert!(report.outcome.events >= 4096 && report.outcome.simulated < ms(5000));
    let finished = report.integers("flows", "fct_ps").iter().flatten().count() as u64;
    assert!(finished > 0);
    assert_eq!(finished, report.summary("flows_completed"));
}

#[test]
fn a_run_that_is_stopped_starts_no_more_flows() {
    let all = Group::new(
        "all",
        Kind::AllToAll(AllToAll {
            hosts: Hosts::All,
            size: Sizes::Fixed(Bytes::new(1000)),
            order: Order::Shifted,
            concurrent: None,
        }),
    );
    let control = Control::default();
    control.stop();
    let report = Lab::new(star(64), vec![all], ms(100)).run_with::<Fifo>(&dctcp(), &control);
    assert_eq!((report.outcome.ended.clone(), report.summary("flows_started")), (Ended::Stopped, 0));
}

#[test]
#[allow(clippy::disallowed_methods, reason = "that it ends soon is what is tested")]
fn a_run_is_stopped_within_a_computation() {
    // Sixteen thousand flows, each in 127 parts: whenever one of them ends, the rates of two million parts are computed.
    let size = Sizes::Exponential { mean: Bytes::new(100_000) };
    let kind = Kind::AllToAll(AllToAll { hosts: Hosts::All, size, order: Order::Shifted, concurrent: None });
    let lab = Lab::new(star(128), vec![Group::new("all", kind)], ms(1));
    let config = fluid::Config { sharing: fluid::Sharing::Detours, ..fluid::Config::default() };
    let control = Control::default();
    let mut network = fluid::Fluid::new(&config, &lab.topology, Seed(1)).unwrap();
    network.watch(&control);
    let watcher = control.clone();
    let watching = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(300));
        watcher.stop();
    });
    let begun = std::time::Instant::now();
    let report = lab.run_over(network, &direct(), &control);
    watching.join().unwrap();
    assert_eq!(report.outcome.ended, Ended::Stopped);
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}

#[test]
fn a_run_that_stalls_says_who_waits_for_what() {
    // Direct does not repair losses: with one packet of room, two senders in step lose some, and then nothing moves.
    let list = [(1, 0, Bytes::new(30_000), us(0)), (2, 0, Bytes::new(30_000), us(0))];
    let mut lab = Lab::new(star(3), flows(list), ms(100));
    lab.fabric.port.queue = Length::Packets(1);
    lab.fabric.port.ecn_threshold = None;
    let report = lab.run(&direct());
    let Ended::Stalled(text) = &report.outcome.ended else { panic!("{:?}", report.outcome.ended) };
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].ends_with("flows are open and nothing has moved since 500 us"), "{text}");
    assert!(lines[1].starts_with("  flow 0 from host 1 to host 0: "), "{text}");
    assert!(
        lines[1].ends_with("of 30 KB received; everything was sent once, and direct does not send again"),
        "{text}"
    );
}

#[test]
fn an_incast_of_many_ends_though_most_is_dropped() {
    let list = (1..41).map(|src| (src, 0, Bytes::new(50_000), us(0)));
    let mut lab = Lab::new(star(41), flows(list), ms(2000));
    lab.fabric.port.queue = Length::Packets(16);
    for report in [lab.run(&newreno()), lab.run(&dctcp())] {
        assert!(report.is_done());
        assert_eq!(report.summary("flows_completed"), 40);
        assert!(report.summary("dropped_frames") > 100);
    }
}

#[test]
fn two_transports_share_a_bottleneck_each_by_its_own_rules() {
    // Two long flows into one host, one of them blind to marks: it fills the queue, and DCTCP yields to it.
    let pair = |src| [(src, 2, Bytes::new(1_000_000_000), us(0))];
    let group = |name: &str, src| Group { name: name.into(), ..flows(pair(src)).remove(0) };
    let lab = Lab::new(star(3), vec![group("blind", 0), group("careful", 1)], ms(100));
    let network = || Ethernet::<Fifo>::new(&lab.fabric, &lab.topology, Seed(1)).unwrap();
    let mixed = |of_workload| Transports { protocols: vec![newreno(), dctcp()], of_workload };
    let run = |transports: &Transports| lab.run_each(network(), transports, &Control::default());
    let report = run(&mixed(vec![0, 1]));
    let (goodputs, marks) = (report.goodputs(), report.integers("flows", "marks"));
    assert!(goodputs[0] > 2.0 * goodputs[1], "{goodputs:?}");
    assert_eq!(marks[0], Some(0));
    assert!(marks[1] > Some(0));
    assert_eq!(report.outcome, run(&mixed(vec![0, 1])).outcome);
    // Without the blind one both are marked, and that the list has another transport says nothing by itself.
    let alone = run(&mixed(vec![1, 1]));
    assert_eq!(alone.outcome.tables, run(&Transports::same(dctcp(), 2)).outcome.tables);
    assert!(alone.integers("flows", "marks").iter().all(|marks| *marks > Some(0)));
    assert_eq!(alone.integers("flows", "retransmits"), [Some(0); 2]);
}
