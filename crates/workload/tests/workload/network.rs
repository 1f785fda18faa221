//! A network that takes flows and ends them, and the groups to try it with.

use engine::Seed;
use std::collections::BTreeSet;
use units::{Bytes, Rate, Span, Time};
use workload::sizes::Sizes;
use workload::{Flow, Group, Kind, Setting, Workload};

/// So many hosts of 10 Gb/s, four in a rack, for a second.
pub(crate) fn setting(hosts: u32) -> Setting {
    Setting {
        hosts,
        host_rate: Rate::from_gbps(10),
        leaf: (0..hosts).map(|host| host / 4).collect(),
        seed: Seed(7),
        duration: "1 s".parse().unwrap(),
    }
}

pub(crate) fn make(groups: &[Group], setting: &Setting) -> Workload {
    Workload::new(groups, setting).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn one(kind: Kind, setting: &Setting) -> Workload {
    make(&[Group::new("test", kind)], setting)
}

pub(crate) fn fixed(bytes: u64) -> Sizes {
    Sizes::Fixed(Bytes::new(bytes))
}

/// Flows with their ends; those without end have none.
pub(crate) type History = Vec<(Flow, Option<Time>)>;

/// Runs a workload on a network that gives each flow the time `takes(flow)`; ends come before starts of the same time.
pub(crate) fn run(workload: &mut Workload, takes: impl Fn(&Flow) -> Span) -> History {
    run_until(workload, takes, Time::MAX)
}

/// The same, for a while.
pub(crate) fn run_until(workload: &mut Workload, takes: impl Fn(&Flow) -> Span, until: Time) -> History {
    let mut history = History::new();
    let mut ends = BTreeSet::<(Time, u64)>::new();
    loop {
        let (start, end) = (workload.next_start(), ends.first().map(|(at, _)| *at));
        if start.into_iter().chain(end).min().is_none_or(|now| now >= until) {
            return history;
        }
        if let Some((at, id)) = ends.first().copied().filter(|(at, _)| start.is_none_or(|start| *at <= start)) {
            ends.pop_first();
            workload.finish(id, at);
            continue;
        }
        let flow = workload.start_next().expect("it was announced");
        assert_eq!(Some(flow.start), start);
        assert_eq!(flow.id, history.len() as u64);
        assert!(flow.src != flow.dst && flow.bytes > Bytes::ZERO);
        let end = (flow.bytes != Bytes::MAX).then(|| flow.start + takes(&flow));
        ends.extend(end.map(|end| (end, flow.id)));
        history.push((flow, end));
    }
}

/// A time for each flow that differs from flow to flow.
pub(crate) fn varied(flow: &Flow) -> Span {
    Span::from_ps(1 + engine::mix(u64::from(flow.src) << 32 | u64::from(flow.dst)) % 1_000_000)
}
