//! What hosts are given: all that they want, each slot once, whoever is in charge.

use crate::{ended, flat, free_address, until};
use arbiter_service::metrics::Role;
use arbiter_service::{ArbiterMetrics, LoadReport, Task, VoterMetrics, load, serve, vote};

/// Hosts whose demands come for a while, and arbiters that they ask.
fn hosts(arbiters: &str, duration: &str) -> Task<LoadReport> {
    let settings = format!(r#"{{"arbiters": "{arbiters}", "slot": "2 ms", "duration": "{duration}", "load": 0.6}}"#);
    load(&flat(&settings)).expect("hosts")
}

/// Nothing that hosts wanted is missing, and no two of them got the same.
fn is_right(report: &LoadReport) {
    assert!(report.allocations > 100, "{report:?}");
    assert_eq!((report.unmet, report.collisions, report.contradictions), (0, 0, 0), "{report:?}");
    assert_eq!((report.malformed.sum(), report.misplaced), (0, 0), "{report:?}");
    assert_eq!(report.wanted + report.surplus, report.allocations, "{report:?}");
    assert_eq!(report.allocation_latency.count, report.demands);
    assert_eq!(report.demand_latency.count, report.demands);
}

#[test]
fn every_demand_is_met() {
    let arbiter = serve(&flat(r#"{"listen": "127.0.0.1:0", "slot": "2 ms"}"#)).expect("an arbiter");
    let address = arbiter.report().address;
    let report = ended(&hosts(&address, "1 s"));
    is_right(&report);
    // One arbiter gives nobody more than it wants.
    assert_eq!((report.surplus, report.epochs), (0, 1), "{report:?}");
    arbiter.stop();
    let metrics = ended(&arbiter);
    assert_eq!((metrics.hosts_heard, metrics.times_in_charge), (16, 1));
    assert!(metrics.allocations >= report.allocations, "{metrics:?}");
    assert_eq!((metrics.malformed.sum(), metrics.strangers, metrics.misplaced), (0, 0, 0));
    // A demand that joins another of its pair, which waits, is not measured by itself.
    assert!((1..=report.demands).contains(&metrics.latency.count), "{metrics:?}");
}

/// Two arbiters with a voter beside each, of which the first is in charge, and a third voter.
fn two_arbiters() -> ([Task<ArbiterMetrics>; 2], Task<VoterMetrics>) {
    let (addresses, voters) = ([free_address(), free_address()], [free_address(), free_address(), free_address()]);
    let all = voters.join(",");
    let arbiter = |number: usize| {
        let (own, other, voter) = (&addresses[number], &addresses[1 - number], &voters[number]);
        let settings = format!(
            r#"{{"listen": "{own}", "peers": "{other}", "voters": "{all}", "voter": "{voter}", "number": {number},
                "slot": "2 ms", "patience": 500}}"#
        );
        serve(&flat(&settings)).expect("an arbiter")
    };
    let third = vote(&flat(&format!(r#"{{"listen": "{}", "slot": "2 ms"}}"#, voters[2]))).expect("a voter");
    let first = arbiter(0);
    until("the first is in charge", || first.report().role == Role::Active);
    ([first, arbiter(1)], third)
}

#[test]
fn one_that_is_stopped_hands_over() {
    let ([first, second], third) = two_arbiters();
    let both = format!("{},{}", first.report().address, second.report().address);
    let hosts = hosts(&both, "3 s");
    until("hosts are served", || hosts.report().allocations > 100);
    first.stop();
    assert_eq!(ended(&first).role, Role::Retiring);
    until("the second is in charge", || second.report().role == Role::Active);
    let report = ended(&hosts);
    is_right(&report);
    assert!(report.epochs >= 2, "{report:?}");
    drop(third);
    let said = [first.lines(), second.lines()].concat();
    assert!(said.iter().any(|line| line.starts_with("hands over; the slots before slot ")), "{said:?}");
    assert!(said.iter().any(|line| line.ends_with(" hands over")), "{said:?}");
}

#[test]
fn one_that_dies_is_followed() {
    let ([first, second], third) = two_arbiters();
    let both = format!("{},{}", first.report().address, second.report().address);
    let hosts = hosts(&both, "3 s");
    until("hosts are served", || hosts.report().allocations > 100);
    // Without a word to anybody, and its voter with it: two of three are left.
    drop(first);
    until("the second is in charge", || second.report().role == Role::Active);
    let report = ended(&hosts);
    is_right(&report);
    assert!(report.epochs >= 2, "{report:?}");
    third.stop();
    assert!(ended(&third).granted > 0);
}
