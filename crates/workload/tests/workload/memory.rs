//! Memory grows with what is in flight, not with what has passed.

use crate::network::{fixed, one, setting};
use crate::poisson;
use std::collections::VecDeque;
use units::{Bytes, Span, Time};
use workload::{AllToAll, Background, ClosedLoop, Collective, Hosts, Kind, Order, Pattern, Setting, Workload};

/// Takes `flows` flows, keeping `in_flight` of them going; the most that the workload held at any time.
fn most_held(workload: &mut Workload, flows: u64, in_flight: usize) -> usize {
    let (mut going, mut now, mut most) = (VecDeque::new(), Time::ZERO, 0);
    while workload.started() < flows {
        most = most.max(workload.held());
        if going.len() < in_flight
            && let Some(flow) = workload.start_next()
        {
            now = now.max(flow.start);
            going.push_back(flow.id);
        } else {
            let id = going.pop_front().expect("something is in flight, or it would be over");
            now += Span::from_ps(1);
            workload.finish(id, now);
        }
    }
    most
}

#[test]
fn a_million_flows_leave_nothing_behind() {
    let setting = Setting { duration: Time::MAX, ..setting(100) };
    assert_eq!(most_held(&mut one(poisson::kind(0.5, fixed(1500)), &setting), 1_000_000, 50), 1);

    let (hosts, size) = (Hosts::All, Some(fixed(1500)));
    let background = Kind::Background(Background { hosts, flows_per_host: 2, flows: None, size });
    assert_eq!(most_held(&mut one(background, &setting), 1_000_000, 50), 200);

    let (flows, size, pattern) = (Some(2_000_000), fixed(1500), Pattern::Clusters { hosts: 3 });
    let closed = Kind::ClosedLoop(ClosedLoop { flows, flows_per_host: 2, size, pattern, repeat: 10 });
    // Of a hundred hosts one is left over.
    assert_eq!(most_held(&mut one(closed, &setting), 1_000_000, 50), 198);

    let collective =
        Collective { participants: Hosts::All, bytes: Bytes::new(1_000_000), repeat: u64::MAX, gap: Span::ZERO };
    let most = most_held(&mut one(Kind::RingAllReduce(collective.clone()), &setting), 1_000_000, 50);
    assert!(most <= 100 + 50, "{most}");
    let most = most_held(&mut one(Kind::TreeAllReduce(collective.clone()), &setting), 1_000_000, 50);
    assert!(most <= 100 + 50, "{most}");
    // Halves of steps: at most one for each flow that has ended before its counterpart.
    let exchange = Kind::CollectiveAllToAll { collective, barrier: false };
    let most = most_held(&mut one(exchange, &setting), 1_000_000, 50);
    assert!(most <= 3 * 100 + 50, "{most}");
}

#[test]
fn all_pairs_are_never_listed() {
    // A million pairs, ten flows of each host at a time, and all at once.
    for (concurrent, entries) in [(Some(10), 10_000), (None, 1000)] {
        let (hosts, size, order) = (Hosts::All, fixed(1500), Order::Random);
        let mut workload = one(Kind::AllToAll(AllToAll { hosts, size, order, concurrent }), &setting(1000));
        assert_eq!(workload.expected_flows(), Some(999_000));
        let most = most_held(&mut workload, 999_000, 10_000);
        assert!(most <= entries + if concurrent.is_some() { 10_000 } else { 0 }, "{most}");
        assert_eq!(workload.next_start(), None);
    }
}
