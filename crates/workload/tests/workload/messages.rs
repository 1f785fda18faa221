//! What is said about wrong workloads, word for word, and what is said about those that wait.

use crate::network::{fixed, make, one, setting};
use crate::poisson;
use std::sync::Arc;
use units::{Bytes, Rate, Span, Time};
use workload::sizes::Sizes;
use workload::{
    AllToAll, AllToMany, Arrivals, Background, Bursts, ClosedLoop, Collective, Group, Hosts, Incast, Kind, Matrix,
    Order, Pairs, Pattern, Permutation, Poisson, Receivers, Rounds, Setting, Trace, TraceFlow, TraceStart, Workload,
};

fn wrong_group(group: Group, setting: &Setting) -> String {
    let error = Workload::new(&[group], setting).map(|_| ()).expect_err("wrong").to_string();
    error.strip_prefix("workload `test`: ").unwrap_or_else(|| panic!("{error}")).to_owned()
}

fn wrong(kind: Kind) -> String {
    wrong_group(Group::new("test", kind), &setting(16))
}

fn permutation(pairs: Pairs) -> Kind {
    Kind::Permutation(Permutation { pairs, size: None, rounds: Rounds::default() })
}

fn incast(receiver: Option<u32>, senders: Hosts) -> Kind {
    Kind::Incast(Incast { receiver, senders, size: Some(fixed(9)), rounds: Rounds::default() })
}

#[test]
fn groups() {
    let alone = Setting { hosts: 1, ..setting(16) };
    let all = permutation(Pairs::Random { count: None });
    assert_eq!(wrong_group(Group::new("test", all.clone()), &alone), "needs at least 2 hosts, and has 1");
    let none = Setting { hosts: 0, ..setting(16) };
    assert_eq!(wrong_group(Group::new("test", all.clone()), &none), "needs at least 2 hosts, and has 0");
    let mut group = Group::new("test", all.clone());
    group.start = Time::from_ps(2_000_000_000);
    group.stop = Some(Time::from_ps(1_000_000_000));
    assert_eq!(wrong_group(group, &setting(16)), "`stop`, 1 ms, is not after `start`, 2 ms");
    let mut group = Group::new("test", poisson::kind(0.5, fixed(9)));
    group.jitter = Span::from_us(1);
    assert_eq!(
        wrong_group(group, &setting(16)),
        "`jitter` does nothing in a poisson workload, whose flows do not start together; leave it out"
    );
    let two = [Group::new("a", all.clone()), Group::new("a", all.clone())];
    assert_eq!(
        Workload::new(&two, &setting(16)).map(|_| ()).unwrap_err().to_string(),
        "two workloads are called `a`; give each a `name` of its own"
    );
    let many: Vec<Group> = (0..65_537).map(|index| Group::new(index.to_string(), all.clone())).collect();
    assert_eq!(
        Workload::new(&many, &setting(16)).map(|_| ()).unwrap_err().to_string(),
        "there are 65537 workloads; there can be 65536"
    );
}

#[test]
fn permutations_and_incasts() {
    let endless = Rounds { count: 2, gap: Span::ZERO };
    let pairs = Pairs::Random { count: None };
    assert_eq!(
        wrong(Kind::Permutation(Permutation { pairs: pairs.clone(), size: None, rounds: endless })),
        "its flows never end, so there is no round after the first; give a `size`, or leave `rounds` out"
    );
    let never = Rounds { count: 0, gap: Span::ZERO };
    assert_eq!(
        wrong(Kind::Permutation(Permutation { pairs, size: None, rounds: never })),
        "`rounds` is 0; it must be at least 1"
    );
    assert_eq!(wrong(permutation(Pairs::Random { count: Some(0) })), "`pairs` is 0; it must be at least 1");
    assert_eq!(
        wrong(permutation(Pairs::Random { count: Some(17) })),
        "`pairs` is 17, and there are only 16 to choose from"
    );
    assert_eq!(wrong(permutation(Pairs::List(vec![]))), "`pairs` is empty");
    assert_eq!(wrong(permutation(Pairs::List(vec![(0, 16)]))), "`pairs`: 16 is not a host (hosts are 0 to 15)");
    assert_eq!(wrong(permutation(Pairs::List(vec![(4, 4)]))), "`pairs`: host 4 would send to itself");
    assert_eq!(wrong(incast(Some(16), Hosts::All)), "`receiver`: 16 is not a host (hosts are 0 to 15)");
    assert_eq!(wrong(incast(Some(0), Hosts::Random(16))), "`senders` is 16, and there are only 15 to choose from");
    assert_eq!(wrong(incast(None, Hosts::Random(16))), "`senders` is 16, and there are only 15 to choose from");
    assert_eq!(
        wrong(incast(None, Hosts::List((0..16).collect()))),
        "`senders` is 16, and there are only 15 to choose from"
    );
    assert_eq!(wrong(incast(Some(3), Hosts::List(vec![2, 3]))), "`senders`: host 3 would send to itself");
    let empty = Incast { receiver: None, senders: Hosts::All, size: Some(fixed(0)), rounds: Rounds::default() };
    assert_eq!(wrong(Kind::Incast(empty)), "`size`: a flow has at least 1 B, and this one has none");
}

#[test]
fn all_to_some() {
    let all = |hosts, concurrent| Kind::AllToAll(AllToAll { hosts, size: fixed(9), order: Order::Random, concurrent });
    assert_eq!(wrong(all(Hosts::List(vec![3]), None)), "needs at least 2 hosts, and has 1");
    assert_eq!(wrong(all(Hosts::All, Some(0))), "`concurrent` is 0; it must be at least 1");
    assert_eq!(wrong(all(Hosts::List(vec![3, 99]), None)), "`hosts`: 99 is not a host (hosts are 0 to 15)");
    let many = |receivers| {
        let (senders, size) = (Hosts::List(vec![2]), Some(fixed(9)));
        Kind::AllToMany(AllToMany { senders, receivers, size, rounds: Rounds::default() })
    };
    assert_eq!(wrong(many(Receivers::Each(0))), "`receivers` is 0; it must be at least 1");
    assert_eq!(wrong(many(Receivers::Each(16))), "`receivers` is 16, and there are only 15 to choose from");
    assert_eq!(wrong(many(Receivers::Shared(Hosts::List(vec![2])))), "`receivers` is empty");
    let background = Background { hosts: Hosts::All, flows_per_host: 0, flows: None, size: None };
    assert_eq!(wrong(Kind::Background(background)), "`flows_per_host` is 0; it must be at least 1");
    let (size, pattern) = (fixed(9), Pattern::Uniform);
    let closed = ClosedLoop { flows: Some(9), flows_per_host: 2, size, pattern, repeat: 1 };
    let with = |closed| wrong(Kind::ClosedLoop(closed));
    assert_eq!(with(ClosedLoop { flows: Some(0), ..closed.clone() }), "`flows` is 0; it must be at least 1");
    assert_eq!(with(ClosedLoop { repeat: 0, ..closed.clone() }), "`repeat` is 0; it must be at least 1");
    assert_eq!(
        with(ClosedLoop { flows_per_host: 0, ..closed.clone() }),
        "`flows_per_host` is 0; it must be at least 1"
    );
    assert_eq!(
        with(ClosedLoop { pattern: Pattern::Clusters { hosts: 1 }, ..closed }),
        "`clusters` is 1; a host in a cluster of one has no one to send to, so write at least 2"
    );
    let background = Background { hosts: Hosts::All, flows_per_host: 1, flows: Some(0), size: None };
    assert_eq!(wrong(Kind::Background(background)), "`flows` is 0; it must be at least 1");
}

#[test]
fn collectives() {
    let collective =
        |participants, bytes, repeat| Collective { participants, bytes: Bytes::new(bytes), repeat, gap: Span::ZERO };
    let ring = |it| wrong(Kind::RingAllReduce(it));
    assert_eq!(ring(collective(Hosts::First(1), 100, 1)), "needs at least 2 hosts, and has 1");
    assert_eq!(ring(collective(Hosts::All, 100, 0)), "`repeat` is 0; it must be at least 1");
    assert_eq!(ring(collective(Hosts::All, 0, 1)), "`bytes` is 0; it must be at least 1");
    assert_eq!(ring(collective(Hosts::All, 15, 1)), "`bytes`, 15 B, cannot be split into 16 pieces of at least 1 B");
    assert_eq!(
        wrong(Kind::TreeAllReduce(collective(Hosts::List(vec![1, 2, 1]), 9, 1))),
        "`participants`: host 1 is there twice"
    );
    let (collective, barrier) = (collective(Hosts::Random(99), 100, 1), false);
    assert_eq!(
        wrong(Kind::CollectiveAllToAll { collective, barrier }),
        "`participants` is 99, and there are only 16 to choose from"
    );
}

#[test]
fn loads() {
    let load = |load| wrong(poisson::kind(load, fixed(9000)));
    assert_eq!(load(0.0), "`load` is 0; it must be a number above 0");
    assert_eq!(load(-1.0), "`load` is -1; it must be a number above 0");
    assert_eq!(load(f64::NAN), "`load` is NaN; it must be a number above 0");
    assert_eq!(
        load(1.2),
        "it offers a load of 1.2, more than the hosts' links can carry, so that queues grow as long as it runs; lower it, or \
         set `allow_overload = true`"
    );
    let with = |arrivals, pattern, allow_overload| {
        Kind::Poisson(Poisson { arrivals, flows: None, size: fixed(1_000_000), pattern, burst: None, allow_overload })
    };
    assert_eq!(wrong(with(Arrivals::Rate(0.0), Pattern::Uniform, false)), "`rate` is 0; it must be a number above 0");
    let (arrivals, size, pattern) = (Arrivals::Rate(1.0), fixed(1000), Pattern::Uniform);
    let none = Kind::Poisson(Poisson { arrivals, flows: Some(0), size, pattern, burst: None, allow_overload: false });
    assert_eq!(wrong(none), "`flows` is 0; it must be at least 1");
    assert_eq!(
        wrong(with(Arrivals::Rate(1.0), Pattern::Skewed { sigma: 0.0 }, false)),
        "`sigma` is 0; it must be a number above 0"
    );
    let weights = vec![(0, 1, 3.0), (0, 2, 3.0), (3, 1, 1.0), (4, 2, 1.0)];
    let matrix = Pattern::Matrix(Matrix { name: "m.csv".into(), weights });
    let (size, burst) = (fixed(1000), Some(Bursts { points: vec![(1.0, 3)] }));
    let pairs = Poisson { arrivals, flows: None, size, pattern: matrix.clone(), burst, allow_overload: false };
    assert_eq!(
        wrong(Kind::Poisson(pairs)),
        "`burst` needs a pattern that says where a source sends, and a matrix has weights of pairs; leave one of them out"
    );
    assert_eq!(
        wrong(with(Arrivals::Load(0.25), matrix.clone(), false)),
        "host 0 is to send 3 times what its link can carry; lower the load, or set `allow_overload = true`"
    );
    assert!(Workload::new(&[Group::new("test", with(Arrivals::Load(1.5), matrix, true))], &setting(16)).is_ok());
    let hot = Pattern::Hotspot { targets: Hosts::List(vec![5]), fraction: 0.5 };
    let hot = one(with(Arrivals::Load(0.5), hot, false), &setting(16));
    assert_eq!(
        hot.groups()[0].description,
        "load 0.5 (5 Gb/s a host, 10000 flows/s in all), 50 % to 1 hot host, the rest to any, 1 MB each"
    );
    assert_eq!(
        hot.groups()[0].warnings,
        ["host 5 is sent 4.25 times what its link can carry: its queues grow as long as flows arrive"]
    );
    let two = ["a", "b"].map(|name| Group::new(name, poisson::kind(0.6, fixed(9000))));
    assert_eq!(
        Workload::new(&two, &setting(16)).map(|_| ()).unwrap_err().to_string(),
        "the workloads `a`, `b` offer a load of 1.2 together, more than the hosts' links can carry; lower them, or set \
         `allow_overload = true` in one of them"
    );
    let full = Setting { host_rate: Rate::from_gbps(3), ..setting(7) };
    assert!(Workload::new(&[Group::new("test", poisson::kind(1.0, fixed(9001)))], &full).is_ok());
}

#[test]
fn traces() {
    let flow =
        |src, dst| TraceFlow { id: 7, src, dst, bytes: Bytes::new(9), start: TraceStart::At(Time::ZERO), line: 0 };
    let trace = |flows| {
        let trace = Trace { file: "my flows".into(), flows, ..Trace::default() };
        wrong(Kind::Trace { trace: Arc::new(trace), rebase: false })
    };
    assert_eq!(trace(vec![]), "my flows: there are no flows in it");
    assert_eq!(trace(vec![flow(0, 16)]), "my flows: flow 7: 16 is not a host (hosts are 0 to 15)");
    let start = TraceStart::After { gate: 0, passings: 1, delay: Span::ZERO };
    assert_eq!(
        trace(vec![TraceFlow { start, ..flow(0, 1) }]),
        "my flows: flow 7 never starts: it waits for 1 end, and only 0 can come"
    );
}

#[test]
fn descriptions() {
    let is = |kind| one(kind, &setting(16)).groups()[0].description.clone();
    assert_eq!(is(permutation(Pairs::Random { count: None })), "each of 16 hosts to one other, without end");
    assert_eq!(
        is(permutation(Pairs::Random { count: Some(4) })),
        "4 of 16 hosts, each to one other and none to the same, without end"
    );
    assert_eq!(is(permutation(Pairs::List(vec![(0, 1)]))), "the 1 pair listed, without end");
    assert_eq!(is(incast(None, Hosts::Random(8))), "8 hosts to a random host, 9 B each");
    let rounds = Rounds { count: 5, gap: Span::ZERO };
    let (senders, size) = (Hosts::All, Some(fixed(9)));
    let many =
        |receivers| Kind::AllToMany(AllToMany { senders: senders.clone(), receivers, size: size.clone(), rounds });
    assert_eq!(
        is(many(Receivers::Each(2))),
        "each of 16 hosts to 2 random others, 9 B each, 5 rounds one after the other"
    );
    assert_eq!(
        is(many(Receivers::Shared(Hosts::First(3)))),
        "each of 16 hosts to the same 3, 9 B each, 5 rounds one after the other"
    );
    let all = |concurrent, order| is(Kind::AllToAll(AllToAll { hosts: Hosts::All, size: fixed(9), order, concurrent }));
    assert_eq!(all(None, Order::Random), "each of 16 hosts to every other, all at once, 9 B each");
    assert_eq!(all(Some(2), Order::Random), "each of 16 hosts to every other, 2 at a time, in random order, 9 B each");
    assert_eq!(
        all(Some(1), Order::Fixed),
        "each of 16 hosts to every other, 1 at a time, in the same fixed order, 9 B each"
    );
    assert_eq!(
        all(Some(1), Order::Shifted),
        "each of 16 hosts to every other, 1 at a time, beginning with the next, 9 B each"
    );
    let background =
        |size| is(Kind::Background(Background { hosts: Hosts::All, flows_per_host: 4, flows: None, size }));
    assert_eq!(background(None), "4 flows from each of 16 hosts to random others, without end");
    assert_eq!(
        background(Some(Sizes::Uniform { min: Bytes::new(10), max: Bytes::new(30) })),
        "4 flows from each of 16 hosts to random others, 10 B to 30 B, mean 20 B, each followed by another"
    );
    let closed =
        ClosedLoop { flows: Some(90), flows_per_host: 6, size: fixed(9), pattern: Pattern::Uniform, repeat: 1 };
    assert_eq!(
        is(Kind::ClosedLoop(closed.clone())),
        "90 flows of 16 hosts, each 6 at a time, any host to any other, 9 B each"
    );
    let clusters = Pattern::Clusters { hosts: 5 };
    assert_eq!(
        is(Kind::ClosedLoop(ClosedLoop { flows: None, pattern: clusters, repeat: 10, ..closed })),
        "flow after flow of 15 hosts, each 6 at a time, within clusters of 5, 9 B each, 10 in a row to each destination"
    );
    let some = Background { hosts: Hosts::All, flows_per_host: 1, flows: Some(50), size: None };
    assert_eq!(is(Kind::Background(some)), "50 flows from random hosts to random others, without end");
    let (participants, bytes) = (Hosts::All, Bytes::new(1_000_000));
    let collective = Collective { participants, bytes, repeat: 10, gap: Span::from_ms(2) };
    assert_eq!(
        is(Kind::RingAllReduce(collective.clone())),
        "ring all-reduce of 1 MB among 16 hosts, 10 times, 2 ms of computation in between"
    );
    assert_eq!(
        is(Kind::TreeAllReduce(Collective { repeat: 1, ..collective.clone() })),
        "binary-tree all-reduce of 1 MB among 16 hosts"
    );
    assert_eq!(
        is(Kind::CollectiveAllToAll { collective, barrier: true }),
        "all-to-all with a barrier after each step, of 1 MB among 16 hosts, 10 times, 2 ms of computation in between"
    );
}

#[test]
fn kinds_are_listed_under_their_names() {
    let (collective, barrier) =
        (Collective { participants: Hosts::All, bytes: Bytes::new(99), repeat: 1, gap: Span::ZERO }, false);
    let all = AllToAll { hosts: Hosts::All, size: fixed(9), order: Order::Random, concurrent: None };
    let (senders, receivers) = (Hosts::All, Receivers::Each(1));
    let kinds = [
        permutation(Pairs::Random { count: None }),
        Kind::AllToAll(all),
        Kind::AllToMany(AllToMany { senders, receivers, size: None, rounds: Rounds::default() }),
        incast(None, Hosts::All),
        poisson::kind(0.5, fixed(9)),
        Kind::Background(Background { hosts: Hosts::All, flows_per_host: 1, flows: None, size: None }),
        Kind::ClosedLoop(ClosedLoop {
            flows: None,
            flows_per_host: 1,
            size: fixed(9),
            pattern: Pattern::Uniform,
            repeat: 1,
        }),
        Kind::RingAllReduce(collective.clone()),
        Kind::TreeAllReduce(collective.clone()),
        Kind::CollectiveAllToAll { collective, barrier },
        Kind::Trace { trace: Arc::default(), rebase: false },
    ];
    assert_eq!(kinds.map(|kind| kind.name()), Kind::NAMES.map(|(name, _)| name));
}

/// Starts all that is known to start, and says what waits then.
fn waiting(kind: Kind) -> Vec<String> {
    let mut workload = make(&[Group::new("test", kind)], &setting(16));
    while workload.start_next().is_some() {}
    workload.waiting().map(|waiting| waiting.to_string()).collect()
}

#[test]
fn who_waits_for_whom() {
    let rounds = Rounds { count: 3, gap: Span::ZERO };
    let (size, receiver, senders) = (Some(fixed(9)), Some(0), Hosts::First(3));
    assert_eq!(
        waiting(Kind::Incast(Incast { receiver, senders, size: size.clone(), rounds })),
        ["test: round 2 of 3 (3 flows) waits for flows 0, 1, 2"]
    );
    let (hosts, order) = (Hosts::First(3), Order::Shifted);
    assert_eq!(
        waiting(Kind::AllToAll(AllToAll { hosts: hosts.clone(), size: fixed(9), order, concurrent: Some(1) })),
        ["test: 0 -> 2 waits for flow 0", "test: 1 -> 0 waits for flow 1", "test: 2 -> 1 waits for flow 2",]
    );
    let all = AllToAll { hosts: Hosts::First(4), size: fixed(9), order, concurrent: Some(1) };
    assert_eq!(waiting(Kind::AllToAll(all))[0], "test: 0 -> 2 (and 1 after it) waits for flow 0");
    assert_eq!(
        waiting(Kind::Background(Background { hosts: Hosts::First(2), flows_per_host: 1, flows: None, size })),
        ["test: the next flow of host 0 waits for flow 0", "test: the next flow of host 1 waits for flow 1"]
    );
    let (size, pattern) = (fixed(9), Pattern::Uniform);
    let closed = ClosedLoop { flows: Some(17), flows_per_host: 1, size, pattern, repeat: 1 };
    assert_eq!(waiting(Kind::ClosedLoop(closed)), ["test: the next flow of host 0 waits for flow 0"]);
    let collective = Collective { participants: hosts, bytes: Bytes::new(99), repeat: 2, gap: Span::ZERO };
    assert_eq!(
        waiting(Kind::RingAllReduce(collective.clone())),
        [
            "test: 1 -> 2, step 2 of 4 waits for flow 0",
            "test: 2 -> 0, step 2 of 4 waits for flow 1",
            "test: 0 -> 1, step 2 of 4 waits for flow 2",
        ]
    );
    assert_eq!(
        waiting(Kind::TreeAllReduce(collective.clone())),
        ["test: the result from the root, 0 waits for flows 0, 1"]
    );
    let exchange = |collective: &Collective, barrier| {
        waiting(Kind::CollectiveAllToAll { collective: collective.clone(), barrier })
    };
    assert_eq!(
        exchange(&collective, false),
        [
            "test: 0 -> 2, step 2 of 2 waits for flows 0, 2",
            "test: 1 -> 0, step 2 of 2 waits for flows 0, 1",
            "test: 2 -> 1, step 2 of 2 waits for flows 1, 2",
        ]
    );
    assert_eq!(exchange(&collective, true), ["test: step 2 of 2 (3 flows) waits for flows 0, 1, 2"]);
    let two = Collective { participants: Hosts::First(2), ..collective };
    assert_eq!(exchange(&two, false), ["test: iteration 2 of 2 waits for flows 0, 1"]);
    let csv = "id,src,dst,bytes,start,after\n1,0,1,9,0,\n2,1,2,9,0,1 1\n3,2,3,9,0,2\n";
    let trace = workload::readers::parse(csv.as_bytes(), "f.csv", workload::readers::Format::Csv, 16).unwrap();
    assert_eq!(
        waiting(Kind::Trace { trace: Arc::new(trace), rebase: false }),
        ["test: flow 2 of f.csv, 1 -> 2 waits for flow 0"]
    );
    assert!(waiting(poisson::kind(0.001, fixed(1_000_000))).is_empty());
}

#[test]
fn a_tree_says_what_comes_down() {
    let (participants, bytes) = (Hosts::First(7), Bytes::new(99));
    let collective = Collective { participants, bytes, repeat: 2, gap: Span::ZERO };
    let mut workload = one(Kind::TreeAllReduce(collective), &setting(16));
    let mut seen = Vec::new();
    let mut in_flight = Vec::new();
    loop {
        in_flight.extend(std::iter::from_fn(|| workload.start_next()).map(|flow| flow.id));
        if seen.len() == 5 {
            break;
        }
        seen.push(workload.waiting().map(|waiting| waiting.what).collect::<Vec<_>>());
        in_flight.drain(..).for_each(|id| workload.finish(id, Time::ZERO));
    }
    assert_eq!(
        seen,
        [
            vec!["1 -> 0, up", "2 -> 0, up"],
            vec!["the result from the root, 0"],
            vec!["the children of 1, down", "the children of 2, down"],
            vec!["iteration 2 of 2"],
            vec!["1 -> 0, up", "2 -> 0, up"],
        ]
    );
}
