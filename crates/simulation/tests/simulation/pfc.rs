//! Priority flow control under whole runs: incasts without loss, hosts that heed a pause class by class, and deadlocks, which are said to be such.

use crate::lab::{Lab, direct, flows, ms, newreno, star, us};
use engine::Control;
use ethernet::{Config, Pausing, Pfc};
use fabric::Fault;
use simulation::Ended;
use topology::{Builder, LinkSpec, Topology};
use units::{Bytes, Rate, Span, Time};

/// Ports that pause, switches of so much memory.
fn pausing(buffer: u64, fabric: Config) -> Config {
    let pfc = Pfc { buffer: Bytes::new(buffer), ..Pfc::default() };
    Config { pfc: Some(pfc), ..fabric }
}

/// Five switches in a ring with a host each, and two more at the first.
fn ring() -> Topology {
    let mut builder = Builder::new("ring");
    let cable = LinkSpec { rate: Rate::from_gbps(10), delay: Span::from_us(1), queue: None };
    let class = builder.class("cables");
    let hosts: Vec<_> = (0..7).map(|n| builder.host(format!("host-{n}"))).collect();
    let switches: Vec<_> = (0..5).map(|n| builder.switch(format!("switch-{n}"), None)).collect();
    for n in 0..7 {
        builder.cable(hosts[n], switches[if n < 5 { n } else { 0 }], class, cable);
    }
    for n in 0..5 {
        builder.cable(switches[n], switches[(n + 1) % 5], class, cable);
    }
    builder.finish().unwrap()
}

/// Each of so many hosts sends 1 MB to the one two further on.
fn around(buffer: u64, senders: u32, duration: Time) -> Lab {
    let mut lab = Lab::new(ring(), flows((0..senders).map(two_further)), duration);
    lab.fabric = pausing(buffer, lab.fabric);
    lab
}

fn two_further(from: u32) -> (u32, u32, Bytes, Time) {
    (from, (from + 2) % 5, Bytes::new(1_000_000), us(0))
}

const RING: &str = "deadlock: switch-0 -> switch-1 waits for switch-1 -> switch-2, switch-1 -> switch-2 for switch-2 -> switch-3, \
                    switch-2 -> switch-3 for switch-3 -> switch-4, switch-3 -> switch-4 for switch-4 -> switch-0, \
                    switch-4 -> switch-0 for switch-0 -> switch-1, all paused by PFC";

#[test]
fn a_deadlock_is_reported_with_its_circle() {
    let lab = around(200_000, 5, ms(1000));
    let report = lab.run_with::<Pausing>(&direct(), &Control::default());
    let Ended::Stalled(text) = &report.outcome.ended else { panic!("{:?}", report.outcome.ended) };
    let first = text.lines().next().unwrap();
    assert_eq!(first, format!("5 flows are open and nothing has moved since 5 ms: {RING}"));
    assert!(report.outcome.simulated < ms(200), "as soon as nothing has moved for long");
    assert_eq!((report.summary("flows_completed"), report.summary("dropped_frames")), (0, 0));
    // With memory for all there is none, nor without one of the flows.
    for (buffer, senders) in [(20_000_000, 5), (200_000, 4)] {
        let report = around(buffer, senders, ms(1000)).run_with::<Pausing>(&direct(), &Control::default());
        assert!(report.is_done(), "{:?}", report.outcome.ended);
        assert_eq!(report.summary("flows_completed"), u64::from(senders));
    }
}

#[test]
fn a_run_with_a_deadlock_is_not_done_when_its_time_is_up() {
    // An endless flow between two hosts of the same switch goes on for as long as the run does.
    let mut lab = around(200_000, 5, ms(40));
    lab.groups = flows((0..5).map(two_further).chain([(5, 6, Bytes::MAX, us(0))]));
    let report = lab.run_with::<Pausing>(&direct(), &Control::default());
    let Ended::Stalled(text) = &report.outcome.ended else { panic!("{:?}", report.outcome.ended) };
    let first = text.lines().next().unwrap();
    assert_eq!(first, format!("6 flows are open, and some will never end: {RING}, found at 1.2 ms"));
    assert_eq!(report.outcome.deadlock, Some(format!("{RING}, found at 1.2 ms")));
    assert_eq!(report.outcome.simulated, ms(40));
    assert!(report.goodputs()[5] > 9.0, "the other flow is not held up");
    // Timeouts, one after the other, do not help.
    let lab = around(100_000, 5, ms(40));
    let report = lab.run_with::<Pausing>(&newreno(), &Control::default());
    let Ended::Stalled(text) = &report.outcome.ended else { panic!("{:?}", report.outcome.ended) };
    assert!(text.contains(RING), "{text}");
}

#[test]
fn a_deadlock_is_found_while_other_traffic_moves_and_does_not_stop_it() {
    // Hosts 5 and 6, beside host 0, exchange 20 MB, which takes 16.9 ms.
    let other = (5, 6, Bytes::new(20_000_000), us(0));
    let run = |senders: u32| {
        let mut lab = around(200_000, 5, ms(100));
        lab.groups = flows((0..senders).map(two_further).chain([other]));
        lab.run_with::<Pausing>(&direct(), &Control::default())
    };
    let (report, alone) = (run(5), run(0));
    // Samples are 0.5 ms apart.
    assert_eq!(report.outcome.deadlock, Some(format!("{RING}, found at 1.5 ms")));
    assert_eq!(alone.outcome.deadlock, None);
    assert!(matches!(report.outcome.ended, Ended::Stalled(_)) && alone.is_done());
    let end = |report: &crate::lab::Report| report.integers("flows", "end_ps").into_iter().flatten().max();
    assert_eq!((report.summary("flows_completed"), end(&report)), (1, end(&alone)), "as if there were no deadlock");
    assert!(end(&alone) > Some(Span::from_ms(16).as_ps()));
}

#[test]
fn a_deadlock_that_a_failure_ends_is_told_of_all_the_same() {
    let mut lab = around(200_000, 5, ms(1000));
    let down = |name: &str, up| Fault::Link { link: lab.topology.find_link(name).unwrap().0, up };
    // The other way round leads to all hosts as well.
    lab.faults = vec![(ms(20), down("switch-2 -> switch-3", false)), (ms(20), down("switch-3 -> switch-2", false))];
    let report = lab.run_with::<Pausing>(&newreno(), &Control::default());
    assert!(report.is_done(), "{:?}", report.outcome.ended);
    assert_eq!(report.summary("flows_completed"), 5);
    let found = report.outcome.deadlock.unwrap();
    assert!(found.starts_with(RING), "{found}");
}

#[test]
fn pauses_alone_are_no_deadlock() {
    // Sixteen into one for 13 ms: links are paused for milliseconds.
    let list = (1..17).map(|from| (from, 0, Bytes::new(1_000_000), us(0)));
    let mut lab = Lab::new(star(17), flows(list), ms(100));
    lab.fabric = pausing(400_000, lab.fabric);
    let report = lab.run_with::<Pausing>(&direct(), &Control::default());
    assert!(report.is_done() && report.outcome.deadlock.is_none(), "{:?}", report.outcome);
}

#[test]
fn an_incast_loses_nothing_whatever_the_transport() {
    // Sixteen into one, 1 MB each, through 500 KB of memory.
    let list = (1..17).map(|from| (from, 0, Bytes::new(1_000_000), us(0)));
    let mut lab = Lab::new(star(17), flows(list), ms(1000));
    lab.fabric = pausing(500_000, lab.fabric);
    for transport in [direct(), newreno()] {
        let report = lab.run_with::<Pausing>(&transport, &Control::default());
        assert!(report.is_done(), "{:?}", report.outcome.ended);
        let counted = ["dropped_frames", "lost_frames", "flows_completed"].map(|name| report.summary(name));
        assert_eq!(counted, [0, 0, 16]);
        // The port to host 0 is never idle: 16 MB in packets of 1460 B, on the wire 1538 B.
        let last = report.integers("flows", "end_ps").into_iter().flatten().max().unwrap();
        let busy = 16.0 * 1e6 / 1460.0 * 1538.0 * 8.0 / 10e9 * 1e12;
        assert!((1.0..1.02).contains(&(last as f64 / busy)), "{last} of {busy} ps");
    }
}

#[test]
fn a_host_passes_over_flows_whose_class_is_paused() {
    // Hosts 1 to 4 send to host 0 in class 0. Host 4 sends to host 5 in class 1 as well, which has another way out of the switch.
    let list = (1..5).map(|from| (from, 0, Bytes::new(1_000_000), us(0)));
    let mut lab = Lab::new(star(6), flows(list), ms(1000));
    let mut other = flows([(4, 5, Bytes::new(1_000_000), us(100))]);
    other[0].name = "other".into();
    lab.groups.append(&mut other);
    lab.fabric = Config { priorities: 2, ..pausing(200_000, lab.fabric) };
    let time = |priority: u8| {
        let mut own = Lab::new(lab.topology.clone(), lab.groups.clone(), lab.duration);
        own.fabric = lab.fabric.clone();
        own.groups[1].priority = priority;
        let report = own.run_with::<Pausing>(&direct(), &Control::default());
        assert!(report.is_done());
        assert_eq!((report.summary("dropped_frames"), report.summary("flows_completed")), (0, 5));
        report.integers("flows", "fct_ps").into_iter().flatten().min().unwrap() as f64
    };
    let alone = 1e6 / 1460.0 * 1538.0 * 8.0 / 10e9 * 1e12;
    let (own, same) = (time(1) / alone, time(0) / alone);
    // In a class of its own it has what class 0 leaves of its host's link, three quarters. In the same one it is paused with the incast.
    assert!((1.0..1.5).contains(&own), "{own}");
    assert!(same > 1.6, "{same}");
}
