//! What each kind sends.

use crate::network::{History, fixed, one, run, run_until, setting, varied};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use units::{Bytes, Span, Time};
use workload::readers::{Format, parse};
use workload::{
    AllToAll, AllToMany, Background, ClosedLoop, Collective, Group, Hosts, Incast, Kind, Matrix, Order, Pairs, Pattern,
    Permutation, Receivers, Rounds, Workload,
};

fn permutation(pairs: Pairs, rounds: u64) -> Kind {
    let size = (rounds > 1).then(|| fixed(1000));
    Kind::Permutation(Permutation { pairs, size, rounds: Rounds { count: rounds, gap: Span::from_us(3) } })
}

fn pairs(history: &History) -> Vec<(u32, u32)> {
    history.iter().map(|(flow, _)| (flow.src, flow.dst)).collect()
}

fn different<T: Ord>(items: impl IntoIterator<Item = T>) -> usize {
    items.into_iter().collect::<BTreeSet<T>>().len()
}

#[test]
fn a_permutation_is_one_flow_from_and_to_each() {
    let history = run(&mut one(permutation(Pairs::Random { count: None }, 1), &setting(100)), varied);
    let pairs = pairs(&history);
    assert_eq!(pairs.len(), 100);
    assert_eq!(different(pairs.iter().map(|(src, _)| src)), 100);
    assert_eq!(different(pairs.iter().map(|(_, dst)| dst)), 100);
    assert!(history.iter().all(|(flow, _)| flow.bytes == Bytes::MAX && flow.start == Time::ZERO));
}

#[test]
fn some_of_a_permutation_share_no_end() {
    let history = run(&mut one(permutation(Pairs::Random { count: Some(30) }, 1), &setting(100)), varied);
    let pairs = pairs(&history);
    assert_eq!(pairs.len(), 30);
    assert_eq!(different(pairs.iter().map(|(src, _)| src)), 30);
    assert_eq!(different(pairs.iter().map(|(_, dst)| dst)), 30);
}

#[test]
fn listed_pairs_are_kept() {
    let list = vec![(0, 5), (5, 0), (0, 5)];
    let history = run(&mut one(permutation(Pairs::List(list.clone()), 2), &setting(8)), varied);
    assert_eq!(pairs(&history), [list.clone(), list].concat());
}

#[test]
fn a_round_begins_a_gap_after_the_end_of_the_last() {
    let mut workload = one(permutation(Pairs::Random { count: None }, 3), &setting(20));
    assert_eq!(workload.expected_flows(), Some(60));
    let history = run(&mut workload, varied);
    let rounds: Vec<_> = history.chunks(20).collect();
    assert_eq!(rounds.len(), 3);
    for two in rounds.windows(2) {
        let ended = two[0].iter().filter_map(|(_, end)| *end).max().unwrap();
        assert!(two[1].iter().all(|(flow, _)| flow.start == ended + Span::from_us(3)));
        assert_ne!(pairs(&two[0].to_vec()), pairs(&two[1].to_vec()));
    }
}

#[test]
fn each_of_all_to_many_draws_its_own_receivers() {
    let kind = |receivers| {
        let (senders, size) = (Hosts::All, Some(fixed(50_000)));
        Kind::AllToMany(AllToMany { senders, receivers, size, rounds: Rounds::default() })
    };
    // AN3 §8.3: 110 nodes, each sends 50 KB to two random others.
    let history = run(&mut one(kind(Receivers::Each(2)), &setting(110)), varied);
    assert_eq!(history.len(), 220);
    assert_eq!(different(pairs(&history)), 220);
    assert!((0..110).all(|host| history.iter().filter(|(flow, _)| flow.src == host).count() == 2));
    assert!(different(pairs(&history).iter().map(|(_, dst)| dst)) > 70);

    let mut shared = one(kind(Receivers::Shared(Hosts::Random(3))), &setting(10));
    assert_eq!(shared.expected_flows(), Some(27));
    let history = run(&mut shared, varied);
    assert_eq!(history.len(), 27);
    assert_eq!(different(pairs(&history).iter().map(|(_, dst)| dst)), 3);
}

fn incast(receiver: Option<u32>, senders: Hosts, count: u64) -> Kind {
    let rounds = Rounds { count, gap: Span::ZERO };
    Kind::Incast(Incast { receiver, senders, size: Some(fixed(450_000)), rounds })
}

#[test]
fn an_incast_is_many_to_one() {
    for (receiver, senders, number) in [
        (Some(3), Hosts::All, 15),
        (Some(3), Hosts::First(5), 5),
        (None, Hosts::Random(8), 8),
        (None, Hosts::List((0..12).collect()), 12),
        (None, Hosts::All, 15),
    ] {
        let mut workload = one(incast(receiver, senders, 4), &setting(16));
        assert_eq!(workload.expected_flows(), Some(4 * number));
        let history = run(&mut workload, varied);
        let rounds: Vec<_> = history.chunks(number as usize).collect();
        assert_eq!(rounds.len(), 4);
        for round in &rounds {
            let round = pairs(&round.to_vec());
            assert_eq!(different(round.iter().map(|(_, dst)| dst)), 1);
            assert_eq!(different(round.iter().map(|(src, _)| src)), number as usize);
            assert!(receiver.is_none_or(|receiver| round[0].1 == receiver));
        }
        // A receiver that is not told is drawn anew.
        assert_eq!(receiver.is_none(), different(rounds.iter().map(|round| round[0].0.dst)) > 1);
    }
    let first = run(&mut one(incast(Some(3), Hosts::First(5), 1), &setting(16)), varied);
    assert_eq!(pairs(&first), [(0, 3), (1, 3), (2, 3), (4, 3), (5, 3)]);
}

#[test]
fn jitter_spreads_the_starts() {
    let mut group = Group::new("incast", incast(Some(0), Hosts::All, 2));
    group.jitter = Span::from_us(10);
    group.start = "1 ms".parse().unwrap();
    let history = run(&mut Workload::new(&[group], &setting(200)).unwrap(), varied);
    let starts: Vec<_> = history.iter().map(|(flow, _)| flow.start).collect();
    assert!(starts.is_sorted());
    let first = &starts[..199];
    assert!(first.iter().all(|at| at.since("1 ms".parse().unwrap()) <= Span::from_us(10)));
    assert!(different(first) > 190);
    // The sources come in an order of their own, another one each round.
    assert_ne!(pairs(&history[..199].to_vec()), pairs(&history[199..].to_vec()));
}

#[test]
fn background_keeps_its_flows_going() {
    let kind = |size| Kind::Background(Background { hosts: Hosts::All, flows_per_host: 4, flows: None, size });
    let endless = run(&mut one(kind(None), &setting(108)), varied);
    assert_eq!(endless.len(), 432);
    assert!((0..108).all(|host| endless.iter().filter(|(flow, _)| flow.src == host).count() == 4));

    let mut workload = one(kind(Some(fixed(1000))), &setting(10));
    assert_eq!(workload.expected_flows(), None);
    let until = Time::from_ps(20_000_000);
    let history = run_until(&mut workload, varied, until);
    assert!(history.len() > 1000, "{}", history.len());
    for now in (1_000_000..20_000_000).step_by(1_000_000).map(Time::from_ps) {
        let going = history.iter().filter(|(flow, end)| flow.start <= now && end.is_some_and(|end| end > now));
        let mut senders: Vec<_> = going.map(|(flow, _)| flow.src).collect();
        senders.sort_unstable();
        assert_eq!(senders, (0..40).map(|slot| slot / 4).collect::<Vec<_>>());
    }
}

#[test]
fn a_closed_loop_works_through_lists() {
    let kind = |flows, pattern, repeat| {
        Kind::ClosedLoop(ClosedLoop { flows, flows_per_host: 6, size: fixed(1000), pattern, repeat })
    };
    let of = |history: &History, host| -> Vec<_> {
        let mut own: Vec<_> = history.iter().filter(|(flow, _)| flow.src == host).copied().collect();
        own.sort_by_key(|(flow, _)| flow.id);
        own
    };
    // 27 hosts in pairs: one is left over and sends nothing.
    let mut workload = one(kind(Some(1000), Pattern::Clusters { hosts: 2 }, 1), &setting(27));
    assert_eq!(workload.expected_flows(), Some(1000));
    let history = run(&mut workload, varied);
    let counts: Vec<usize> = (0..27).map(|host| of(&history, host).len()).collect();
    assert_eq!((counts.iter().sum::<usize>(), counts.iter().filter(|count| **count == 0).count()), (1000, 1));
    assert!(counts.iter().all(|count| [0, 38, 39].contains(count)), "{counts:?}");
    for host in 0..27 {
        let own = of(&history, host);
        assert!(own.iter().all(|(flow, _)| flow.dst == own[0].0.dst), "a cluster of two");
        for (flow, _) in &own {
            let going =
                own.iter().filter(|(other, end)| other.start <= flow.start && end.is_some_and(|end| end > flow.start));
            assert!(going.count() <= 6);
        }
        // The first six at once, and each other one when some flow ends.
        assert!(own.iter().skip(6).all(|(flow, _)| own.iter().any(|(_, end)| *end == Some(flow.start))));
    }
    // Ten in a row to each destination.
    let history = run(&mut one(kind(Some(2700), Pattern::Uniform, 10), &setting(27)), |_| Span::from_us(1));
    for host in 0..27 {
        let own = of(&history, host);
        assert!(own.chunks(10).all(|ten| ten.iter().all(|(flow, _)| flow.dst == ten[0].0.dst)));
        assert!(own.chunks(10).any(|ten| ten[0].0.dst != own[0].0.dst));
    }
    // As a matrix has it: shares of sources, and of destinations.
    let matrix = Matrix { name: "m.csv".into(), weights: vec![(0, 1, 6.0), (2, 0, 1.0), (2, 3, 2.0), (3, 0, 0.0)] };
    let history = run(&mut one(kind(Some(3000), Pattern::Matrix(matrix), 1), &setting(5)), varied);
    assert_eq!((0..5).map(|host| of(&history, host).len()).collect::<Vec<_>>(), [2000, 0, 1000, 0, 0]);
    let to_three = history.iter().filter(|(flow, _)| flow.dst == 3).count();
    assert!((600..733).contains(&to_three), "{to_three} of 1000, two thirds");
    // Without a number it goes on.
    let mut endless = one(kind(None, Pattern::Clusters { hosts: 3 }, 1), &setting(9));
    assert_eq!(endless.expected_flows(), None);
    assert!(run_until(&mut endless, varied, Time::from_ps(20_000_000)).len() > 1000);
}

#[test]
fn background_may_be_so_many_flows_in_all() {
    let kind = |hosts, size| Kind::Background(Background { hosts, flows_per_host: 1, flows: Some(300), size });
    let endless = run(&mut one(kind(Hosts::First(20), None), &setting(108)), varied);
    assert_eq!(endless.len(), 300);
    let from: Vec<usize> = (0..108).map(|host| endless.iter().filter(|(flow, _)| flow.src == host).count()).collect();
    // Fifteen each on average, and not the same for all.
    assert!(from[..20].iter().all(|flows| (2..35).contains(flows)) && from[20..].iter().all(|flows| *flows == 0));
    assert!(from[..20].iter().any(|flows| *flows != from[0]), "{from:?}");
    // What ends is followed by another of the same source.
    let mut workload = one(kind(Hosts::All, Some(fixed(1000))), &setting(10));
    let history = run_until(&mut workload, varied, Time::from_ps(10_000_000));
    let going = |now: u64| -> Vec<u32> {
        let now = Time::from_ps(now);
        let going = history.iter().filter(|(flow, end)| flow.start <= now && end.is_some_and(|end| end > now));
        let mut senders: Vec<_> = going.map(|(flow, _)| flow.src).collect();
        senders.sort_unstable();
        senders
    };
    assert_eq!(going(1_000_000).len(), 300);
    assert_eq!(going(1_000_000), going(9_000_000));
}

#[test]
fn collectives_take_participants_in_the_order_of_their_ranks() {
    let collective = |participants| Collective { participants, bytes: Bytes::new(3000), repeat: 2, gap: Span::ZERO };
    let list = Hosts::List(vec![9, 4, 7]);
    let mut ring = one(Kind::RingAllReduce(collective(list.clone())), &setting(16));
    assert_eq!(ring.expected_flows(), Some(24));
    let history = run(&mut ring, |_| Span::from_us(1));
    assert_eq!(pairs(&history)[..3], [(9, 4), (4, 7), (7, 9)]);
    assert!(history.iter().all(|(flow, _)| flow.bytes == Bytes::new(1000)));
    // Four steps of a microsecond, twice.
    assert_eq!(history.last().unwrap().1, Some(Time::from_ps(8_000_000)));

    let tree = run(&mut one(Kind::TreeAllReduce(collective(list.clone())), &setting(16)), varied);
    assert_eq!(pairs(&tree)[..2], [(4, 9), (7, 9)]);
    assert_eq!(tree.len(), 8);

    let exchange = Kind::CollectiveAllToAll { collective: collective(list), barrier: true };
    let exchange = run(&mut one(exchange, &setting(16)), |_| Span::from_us(1));
    assert_eq!(pairs(&exchange)[..6], [(9, 4), (4, 7), (7, 9), (9, 7), (4, 9), (7, 4)]);

    let random = Kind::RingAllReduce(collective(Hosts::Random(8)));
    let random = run(&mut one(random, &setting(16)), varied);
    assert_eq!(different(pairs(&random).iter().map(|(src, _)| src)), 8);
}

#[test]
fn all_to_all_of_some_hosts() {
    let (size, order) = (fixed(10_000), Order::Shifted);
    let kind = AllToAll { hosts: Hosts::First(4), size, order, concurrent: Some(1) };
    let mut workload = one(Kind::AllToAll(kind), &setting(16));
    let history = run(&mut workload, |_| Span::from_us(1));
    assert_eq!(pairs(&history)[4..8], [(0, 2), (1, 3), (2, 0), (3, 1)]);
    assert_eq!(history.len(), 12);
}

fn trace(text: &str, rebase: bool) -> Kind {
    let format = if text.starts_with("Nodes") { Format::Htsim } else { Format::Csv };
    let trace = parse(text.as_bytes(), "flows.csv", format, 16).unwrap_or_else(|error| panic!("{error}"));
    Kind::Trace { trace: Arc::new(trace), rebase }
}

#[test]
fn a_trace_starts_by_time_and_by_dependency() {
    let text = "id,src,dst,bytes,start,after\n\
                4,0,1,10,30 us,\n\
                5,1,2,10,20 us,\n\
                6,2,3,10,1 us,4 5\n\
                7,3,4,10,0,6\n\
                8,4,5,10,20 us,\n";
    let mut group = Group::new("trace", trace(text, false));
    group.start = Time::from_ps(1_000_000);
    let mut workload = Workload::new(&[group], &setting(16)).unwrap();
    assert_eq!(workload.groups()[0].description, "5 flows of flows.csv, mean 10 B, 2 of which wait for others");
    let history = run(&mut workload, |_| Span::from_us(50));
    let starts: Vec<_> = history.iter().map(|(flow, _)| (flow.src, flow.start.as_ps() / 1_000_000)).collect();
    // By time, then by place in the file: 4 and 5 end at 81 and 71 us, so 6 starts a microsecond after 81.
    assert_eq!(starts, [(1, 21), (4, 21), (0, 31), (2, 82), (3, 132)]);
    let moved = run(&mut one(trace(text, true), &setting(16)), |_| Span::from_us(50));
    assert_eq!(moved[0].0.start, Time::ZERO);
    assert_eq!(moved[2].0.start, Time::from_ps(10_000_000));
}

#[test]
fn a_trace_keeps_time_and_then_the_order_of_its_file() {
    let text = "id,src,dst,bytes,start_ps,after\n1,1,0,10,0,\n2,2,0,10,0,1\n3,3,0,10,10,\n4,4,0,10,5,\n\
                5,5,0,10,2,1\n6,6,0,10,20,\n7,7,0,10,10,1\n";
    let history = run(&mut one(trace(text, false), &setting(16)), |flow| Span::from_ps(flow.bytes.get()));
    let starts: Vec<_> = history.iter().map(|(flow, _)| (flow.src, flow.start.as_ps())).collect();
    assert_eq!(starts, [(1, 0), (4, 5), (2, 10), (3, 10), (5, 12), (6, 20), (7, 20)]);
}

#[test]
fn a_trace_that_is_longer_than_the_run_is_said_to_be() {
    let text = "src,dst,bytes,start\n0,1,10,0.5\n1,2,10,1\n2,3,10,2 s\n";
    let mut workload = one(trace(text, false), &setting(16));
    assert_eq!(
        workload.groups()[0].warnings,
        ["flows.csv: 2 of its 3 flows would start at or after 1 s, when no flow starts any more"]
    );
    assert_eq!(run(&mut workload, varied).len(), 1);
    assert_eq!(
        one(trace(text, true), &setting(16)).groups()[0].warnings,
        ["flows.csv: 1 of its 3 flows would start at or after 1 s, when no flow starts any more"]
    );
}

#[test]
fn htsims_triggers_do_what_they_do_in_htsim() {
    let text = "Nodes 16\nConnections 7\nTriggers 3\n\
                0->1 id 1 start 0 size 10 send_done_trigger 1 recv_done_trigger 2\n\
                0->2 id 2 start 5 size 20 send_done_trigger 2 recv_done_trigger 3\n\
                0->3 id 3 start 0 size 70 recv_done_trigger 3\n\
                1->4 id 4 trigger 1 size 1\n\
                2->5 id 5 trigger 2 size 1\n\
                3->6 id 6 trigger 3 size 1\n\
                4->7 id 7 trigger 3 size 1\n\
                trigger id 1 oneshot\ntrigger id 2 barrier count 2\ntrigger id 3 multishot\n";
    // A flow takes as many picoseconds as it has bytes.
    let history = run(&mut one(trace(text, false), &setting(16)), |flow| Span::from_ps(flow.bytes.get()));
    let starts: Vec<_> = history.iter().map(|(flow, _)| (flow.dst, flow.start.as_ps())).collect();
    assert_eq!(starts, [(1, 0), (3, 0), (2, 5), (4, 10), (5, 25), (6, 25), (7, 70)]);
}

/// Kinds of every sort, for properties of all of them.
pub(crate) fn any_kind() -> impl Strategy<Value = Kind> {
    let size = || Some(fixed(20_000));
    let rounds = Rounds { count: 3, gap: Span::from_us(1) };
    let collective =
        Collective { participants: Hosts::Random(9), bytes: Bytes::new(90_000), repeat: 3, gap: Span::ZERO };
    let (pairs, hosts) = (Pairs::Random { count: None }, Hosts::All);
    let all_to_all =
        |order, concurrent| Kind::AllToAll(AllToAll { hosts: Hosts::First(7), size: fixed(10_000), order, concurrent });
    prop::sample::select(vec![
        Kind::Permutation(Permutation { pairs, size: size(), rounds }),
        all_to_all(Order::Random, Some(2)),
        all_to_all(Order::Fixed, None),
        all_to_all(Order::Shifted, Some(1)),
        Kind::AllToMany(AllToMany { senders: Hosts::All, receivers: Receivers::Each(3), size: size(), rounds }),
        Kind::Incast(Incast { receiver: None, senders: Hosts::Random(5), size: size(), rounds }),
        Kind::Background(Background { hosts, flows_per_host: 2, flows: None, size: size() }),
        Kind::ClosedLoop(ClosedLoop {
            flows: Some(90),
            flows_per_host: 2,
            size: fixed(10_000),
            pattern: Pattern::Clusters { hosts: 4 },
            repeat: 3,
        }),
        Kind::RingAllReduce(collective.clone()),
        Kind::TreeAllReduce(collective.clone()),
        Kind::CollectiveAllToAll { collective: collective.clone(), barrier: false },
        Kind::CollectiveAllToAll { collective, barrier: true },
        trace("id,src,dst,bytes,start,after\n1,0,1,9,5 us,\n2,1,2,9,1 us,1\n3,2,3,9,0,1 2\n4,3,4,9,6 us,\n", false),
        crate::poisson::kind(0.5, fixed(10_000)),
    ])
}
