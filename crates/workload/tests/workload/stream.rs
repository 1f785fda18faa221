//! What holds for the stream of all flows, whatever their kinds.

use crate::kinds::any_kind;
use crate::network::{fixed, make, one, run, run_until, setting, varied};
use engine::Seed;
use proptest::prelude::*;
use units::{Span, Time};
use workload::{Flow, Group, Hosts, Incast, Kind, Rounds, Setting};

const UNTIL: Time = Time::from_ps(20_000_000);

/// Flows of one group, without their ids and its number.
fn of_group(history: &[(Flow, Option<Time>)], group: u16) -> Vec<(u32, u32, u64, Time)> {
    let own = history.iter().filter(|(flow, _)| flow.group == group);
    own.map(|(flow, _)| (flow.src, flow.dst, flow.bytes.get(), flow.start)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn same_seed_same_flows(kind in any_kind(), seed: u64) {
        let setting = Setting { seed: Seed(seed), ..setting(16) };
        let once = || run_until(&mut one(kind.clone(), &setting), varied, UNTIL);
        prop_assert_eq!(once(), once());
    }

    #[test]
    fn another_group_changes_nothing(kind in any_kind(), other in any_kind(), first: bool) {
        let (setting, group) = (setting(16), Group::new("mine", kind));
        let alone = run_until(&mut make(std::slice::from_ref(&group), &setting), varied, UNTIL);
        let other = Group::new("other", other);
        let groups = if first { [group, other] } else { [other, group] };
        let beside = run_until(&mut make(&groups, &setting), varied, UNTIL);
        prop_assert_eq!(of_group(&alone, 0), of_group(&beside, u16::from(!first)));
    }

    #[test]
    fn starts_are_in_order_and_ties_by_group(a in any_kind(), b in any_kind()) {
        let mut workload = make(&[Group::new("a", a), Group::new("b", b)], &setting(16));
        // All that is known to start together comes by group.
        let mut before: Option<(Time, u16)> = None;
        while let Some(flow) = workload.start_next().filter(|flow| flow.start < UNTIL) {
            prop_assert!(before.is_none_or(|before| before <= (flow.start, flow.group)));
            before = Some((flow.start, flow.group));
        }
    }

    #[test]
    fn as_many_flows_as_expected(kind in any_kind()) {
        let mut workload = one(kind, &setting(16));
        let poisson = workload.groups()[0].kind == "poisson";
        if let Some(expected) = workload.expected_flows().filter(|_| !poisson) {
            prop_assert_eq!(run(&mut workload, varied).len() as u64, expected);
            prop_assert_eq!(workload.started(), expected);
            prop_assert_eq!(workload.held(), 0);
        }
    }

    #[test]
    fn nothing_starts_after_the_stop_or_the_end(kind in any_kind(), stop in 1_u64..3_000_000, whole: bool) {
        let mut group = Group::new("test", kind);
        let mut setting = setting(16);
        if whole {
            setting.duration = Time::from_ps(stop);
        } else {
            group.stop = Some(Time::from_ps(stop));
        }
        let history = run(&mut make(&[group], &setting), varied);
        prop_assert!(history.iter().all(|(flow, _)| flow.start < Time::from_ps(stop)));
    }
}

#[test]
fn a_workload_moves_between_threads() {
    let mut workload = one(crate::poisson::kind(0.5, fixed(100_000)), &setting(16));
    let first = std::thread::spawn(move || workload.start_next()).join().expect("no panic");
    assert_eq!(first, one(crate::poisson::kind(0.5, fixed(100_000)), &setting(16)).start_next());
}

#[test]
fn seeds_and_names_make_a_difference() {
    let flows = |name: &str, seed: u64| {
        let (size, rounds) = (Some(fixed(1000)), Rounds::default());
        let kind = Kind::Incast(Incast { receiver: None, senders: Hosts::Random(50), size, rounds });
        let setting = Setting { seed: Seed(seed), ..setting(100) };
        of_group(&run(&mut make(&[Group::new(name, kind)], &setting), varied), 0)
    };
    assert_eq!(flows("a", 1), flows("a", 1));
    assert_ne!(flows("a", 1), flows("a", 2));
    assert_ne!(flows("a", 1), flows("b", 1));
}

#[test]
fn groups_keep_their_priorities() {
    let (size, rounds) = (Some(fixed(1000)), Rounds::default());
    let kind = Kind::Incast(Incast { receiver: Some(0), senders: Hosts::First(2), size, rounds });
    let mut high = Group::new("high", kind.clone());
    high.priority = 3;
    let history = run(&mut make(&[Group::new("low", kind), high], &setting(16)), varied);
    let seen: Vec<_> = history.iter().map(|(flow, _)| (flow.id, flow.group, flow.priority)).collect();
    assert_eq!(seen, [(0, 0, 0), (1, 0, 0), (2, 1, 3), (3, 1, 3)]);
}

#[test]
fn an_end_counts_once_and_strangers_not_at_all() {
    let rounds = Rounds { count: 2, gap: Span::ZERO };
    let kind = Kind::Incast(Incast { receiver: Some(0), senders: Hosts::First(2), size: Some(fixed(9)), rounds });
    let mut workload = one(kind, &setting(16));
    let ids: Vec<u64> = std::iter::from_fn(|| workload.start_next()).map(|flow| flow.id).collect();
    for id in [ids[0], ids[0], 77] {
        workload.finish(id, Time::from_ps(5));
    }
    assert_eq!(workload.next_start(), None);
    workload.finish(ids[1], Time::from_ps(8));
    assert_eq!(workload.next_start(), Some(Time::from_ps(8)));
}
