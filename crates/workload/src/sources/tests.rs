use super::*;
use crate::group::{AllToAll, Collective, Hosts, Order};
use crate::source::{Source, Start};
use engine::Seed;
use proptest::prelude::*;
use std::collections::BTreeMap;
use units::Time;

/// What happened: each flow with its end, in the order of start.
type History = Vec<(Start, Time)>;

/// Runs a source on a network that gives flow `order` the time `takes(order)`, endings before starts.
fn drive(source: &mut impl Source, takes: impl Fn(u64) -> u64) -> History {
    let mut history = History::new();
    let mut ends = BTreeMap::<(Time, u64), bool>::new();
    loop {
        let end = ends.first_key_value().map(|((at, _), _)| *at);
        match (source.next_start(), end) {
            (None, None) => return history,
            (Some(start), end) if end.is_none_or(|end| start < end) => {
                let flow = source.start_next().expect("announced");
                assert_eq!(flow.at, start);
                let end = start + Span::from_ps(takes(flow.order));
                history.push((flow, end));
                assert!(ends.insert((end, flow.order), flow.watched).is_none(), "order {} twice", flow.order);
            }
            (Some(_) | None, _) => {
                let ((at, order), watched) = ends.pop_first().expect("there is one");
                if watched {
                    source.finish(order, at);
                }
            }
        }
    }
}

fn chance() -> Chance {
    Chance::new(Seed(3), "collective")
}

fn iterations(n: u32, repeat: u64, gap: u64, jitter: u64, flows: u64) -> Iterations {
    let bytes = Bytes::new(1_000_003);
    let collective = Collective { participants: Hosts::All, bytes, repeat, gap: Span::from_ps(gap) };
    // Hosts are ten apart from their ranks, so that the two cannot be confused.
    let hosts = (10..10 + n).collect();
    Iterations::new(&collective, hosts, flows, Time::from_ps(1000), Span::from_ps(jitter), chance())
}

/// Flows by their order.
fn by_order(history: &History) -> BTreeMap<u64, (Start, Time)> {
    history.iter().map(|(flow, end)| (flow.order, (*flow, *end))).collect()
}

fn varied(order: u64) -> u64 {
    1 + engine::mix(order) % 1000
}

fn sum(flows: impl Iterator<Item = Start>) -> u64 {
    flows.map(|flow| flow.bytes.get()).sum()
}

#[test]
fn pieces_are_all_of_it() {
    for pieces in [1, 2, 3, 7, 1000] {
        let all: Vec<u64> = (0..pieces).map(|index| piece(Bytes::new(1_000_003), pieces, index).get()).collect();
        assert_eq!(all.iter().sum::<u64>(), 1_000_003);
        assert!(all.iter().max().unwrap() - all.iter().min().unwrap() <= 1);
    }
    assert_eq!(piece(Bytes::new(u64::MAX - 1), 2, 1), Bytes::new(u64::MAX / 2));
}

proptest! {
    #[test]
    fn ring_all_reduce_waits_for_what_it_passes_on(n in 2_u32..9, repeat in 1_u64..4, gap in 0_u64..500, jitter in 0_u64..500) {
        let ranks = u64::from(n);
        let mut source = RingSource::new(iterations(n, repeat, gap, jitter, RingSource::flows(ranks)));
        let history = drive(&mut source, varied);
        let flows = by_order(&history);
        let (steps, each) = (2 * (ranks - 1), RingSource::flows(ranks));
        prop_assert_eq!(history.len() as u64, each * repeat);
        for (order, (flow, _)) in &flows {
            let (iteration, step, rank) = (order / each, order % each / ranks, order % ranks);
            prop_assert_eq!((u64::from(flow.src), u64::from(flow.dst)), (10 + rank, 10 + (rank + 1) % ranks));
            let began = match iteration {
                0 => Time::from_ps(1000),
                _ => {
                    let before = (iteration - 1) * each..iteration * each;
                    flows.range(before).map(|(_, (_, end))| *end).max().unwrap() + Span::from_ps(gap)
                }
            };
            let ready = began + delay(&chance(), Span::from_ps(jitter), iteration * ranks + rank);
            let expected = if step == 0 {
                ready
            } else {
                // What it received in the step before: from the rank before it.
                let received = iteration * each + (step - 1) * ranks + (rank + ranks - 1) % ranks;
                flows[&received].1.max(ready)
            };
            prop_assert_eq!(flow.at, expected);
            prop_assert_eq!(flow.watched, iteration + 1 < repeat || step + 1 < steps);
        }
        // In an iteration each rank passes on every piece twice, but for its own first and its own last.
        for half in 0..2 {
            for step in 0..ranks - 1 {
                let first = (half * (ranks - 1) + step) * ranks;
                prop_assert_eq!(sum(flows.range(first..first + ranks).map(|(_, (flow, _))| *flow)), 1_000_003);
            }
        }
    }

    #[test]
    fn tree_all_reduce_goes_up_and_then_down(n in 2_u32..20, repeat in 1_u64..4, gap in 0_u64..500, jitter in 0_u64..500) {
        let ranks = u64::from(n);
        let mut source = TreeSource::new(iterations(n, repeat, gap, jitter, TreeSource::flows(ranks)));
        let history = drive(&mut source, varied);
        let flows = by_order(&history);
        let (edges, each) = (ranks - 1, TreeSource::flows(ranks));
        prop_assert_eq!(history.len() as u64, each * repeat);
        for iteration in 0..repeat {
            let up = |rank: u64| flows[&(iteration * each + rank - 1)];
            let down = |rank: u64| flows[&(iteration * each + edges + rank - 1)];
            let began = match iteration {
                0 => Time::from_ps(1000),
                _ => {
                    let before = (iteration - 1) * each..iteration * each;
                    flows.range(before).map(|(_, (_, end))| *end).max().unwrap() + Span::from_ps(gap)
                }
            };
            let ready = |rank: u64| began + delay(&chance(), Span::from_ps(jitter), iteration * ranks + rank);
            // When a rank has its children's sums and its own.
            let summed = |rank: u64| {
                let children = (1..ranks).filter(|child| (child - 1) / 2 == rank);
                children.map(|child| up(child).1).max().unwrap_or_default().max(ready(rank))
            };
            for rank in 1..ranks {
                let parent = (rank - 1) / 2;
                let (flow, _) = up(rank);
                prop_assert_eq!((u64::from(flow.src), u64::from(flow.dst)), (10 + rank, 10 + parent));
                prop_assert_eq!(flow.at, summed(rank));
                let (flow, _) = down(rank);
                prop_assert_eq!((u64::from(flow.src), u64::from(flow.dst)), (10 + parent, 10 + rank));
                prop_assert_eq!(flow.at, if parent == 0 { summed(0) } else { down(parent).1 });
                prop_assert_eq!(flow.bytes, Bytes::new(1_000_003));
            }
        }
    }

    #[test]
    fn exchange_steps_wait_for_their_own_or_for_all(n in 2_u32..9, repeat in 1_u64..4, gap in 0_u64..500, jitter in 0_u64..500, barrier: bool) {
        let ranks = u64::from(n);
        let its = iterations(n, repeat, gap, jitter, ExchangeSource::flows(ranks));
        let mut source = ExchangeSource::new(its, barrier);
        let history = drive(&mut source, varied);
        let flows = by_order(&history);
        let each = ExchangeSource::flows(ranks);
        prop_assert_eq!(history.len() as u64, each * repeat);
        prop_assert_eq!(source.held(), 0);
        for (order, (flow, _)) in &flows {
            let (iteration, step, rank) = (order / each, order % each / ranks, order % ranks);
            prop_assert_eq!((u64::from(flow.src), u64::from(flow.dst)), (10 + rank, 10 + (rank + step + 1) % ranks));
            let end = |step: u64, rank: u64| flows[&(iteration * each + step * ranks + rank)].1;
            if step > 0 {
                let expected = if barrier {
                    (0..ranks).map(|rank| end(step - 1, rank)).max().unwrap()
                } else {
                    // What it sent, and what it received from the rank `step` before it.
                    end(step - 1, rank).max(end(step - 1, (rank + ranks - step) % ranks))
                };
                prop_assert_eq!(flow.at, expected);
            }
        }
        // Everyone sends everyone else's piece: all but its own.
        for rank in 0..ranks {
            let sent = flows.range(..each).map(|(_, (flow, _))| *flow).filter(|flow| u64::from(flow.src) == 10 + rank);
            prop_assert_eq!(sum(sent), 1_000_003 - piece(Bytes::new(1_000_003), ranks, rank).get());
        }
    }

    #[test]
    fn all_to_all_meets_every_pair_once(n in 2_u32..12, order in 0..3_usize, concurrent in prop::option::of(1_u32..5), jitter in 0_u64..500) {
        let order = [Order::Random, Order::Fixed, Order::Shifted][order];
        let size = Sizes::Fixed(Bytes::new(1));
        let kind = AllToAll { hosts: Hosts::All, size, order, concurrent };
        let hosts: Vec<u32> = (10..10 + n).collect();
        let mut source =
            AllToAllSource::new(&kind, hosts.clone(), Time::from_ps(7), Span::from_ps(jitter), chance());
        prop_assert!(source.held() <= n as usize * concurrent.unwrap_or(1) as usize);
        let history = drive(&mut source, varied);
        let mut pairs: Vec<_> = history.iter().map(|(flow, _)| (flow.src, flow.dst)).collect();
        pairs.sort_unstable();
        let all: Vec<_> =
            hosts.iter().flat_map(|src| hosts.iter().map(|dst| (*src, *dst))).filter(|(src, dst)| src != dst).collect();
        prop_assert_eq!(pairs, all);
        for host in hosts {
            let own: Vec<_> = history.iter().filter(|(flow, _)| flow.src == host).collect();
            let Some(concurrent) = concurrent else {
                prop_assert!(own.iter().all(|(flow, _)| flow.at == own[0].0.at));
                continue;
            };
            // A flow starts when one ends, so that there are always as many as allowed until none are left to start.
            for (started, (flow, _)) in own.iter().enumerate().skip(concurrent as usize) {
                let ended = own.iter().filter(|(_, end)| *end <= flow.at).count();
                prop_assert!(started - ended < concurrent as usize);
                prop_assert!(own.iter().any(|(_, end)| *end == flow.at));
            }
        }
    }

    #[test]
    fn ties_do_not_depend_on_which_end_is_told_first(n in 2_u32..8, flip: bool) {
        // All flows of a step end together; whether they are told forwards or backwards, the same flows follow.
        let ranks = u64::from(n);
        let collect = |backwards: bool| {
            let mut source = RingSource::new(iterations(n, 1, 0, 0, RingSource::flows(ranks)));
            let (mut all, mut now) = (Vec::new(), Time::from_ps(1000));
            loop {
                let mut step: Vec<Start> = std::iter::from_fn(|| source.start_next()).collect();
                if step.is_empty() {
                    return all;
                }
                all.extend(step.clone());
                now += Span::from_ps(5);
                if backwards {
                    step.reverse();
                }
                step.iter().filter(|flow| flow.watched).for_each(|flow| source.finish(flow.order, now));
            }
        };
        prop_assert_eq!(collect(flip), collect(!flip));
    }
}

#[test]
fn orders_are_what_they_say() {
    let first = |order: Order, rank: usize| {
        let size = Sizes::Fixed(Bytes::new(1));
        let kind = AllToAll { hosts: Hosts::All, size, order, concurrent: Some(1) };
        let mut source = AllToAllSource::new(&kind, (0..5).collect(), Time::ZERO, Span::ZERO, chance());
        let history = drive(&mut source, |_| 10);
        let own = history.iter().filter(|(flow, _)| flow.src as usize == rank);
        own.map(|(flow, _)| flow.dst).collect::<Vec<_>>()
    };
    assert_eq!(first(Order::Fixed, 0), [1, 2, 3, 4]);
    assert_eq!(first(Order::Fixed, 2), [0, 1, 3, 4]);
    assert_eq!(first(Order::Shifted, 2), [3, 4, 0, 1]);
    let random: Vec<_> = (0..5).map(|rank| first(Order::Random, rank)).collect();
    assert!(random.iter().any(|order| !order.is_sorted()));
}

#[test]
fn jitter_is_within_its_bound_and_spread_over_it() {
    let delays: Vec<u64> = (0..1000).map(|index| delay(&chance(), Span::from_ps(99), index).as_ps()).collect();
    assert!(delays.iter().all(|delay| *delay <= 99));
    let mean = delays.iter().sum::<u64>() as f64 / 1000.0;
    // Three standard errors of a mean of 1000 numbers from 0 to 99.
    assert!((mean - 49.5).abs() < 3.0 * 28.9 / 1000_f64.sqrt(), "{mean}");
    assert_eq!(delay(&chance(), Span::ZERO, 5), Span::ZERO);
}
