//! The contract of networks, kept by fluid ones, and rates as a run sees them.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use engine::{EventQueue, Seed};
use fabric::conformance::{Tally, Traffic, network, observed};
use fabric::{Ecn, Frame, Kind, Network, Observer, Seen};
use fluid::{Config, Fluid, Sharing};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use topology::{Routes, Shape, Topology};
use units::{Bytes, Rate, Span, Time};

fn star(hosts: u32) -> Topology {
    Shape::Star { hosts }.build(Rate::from_gbps(8), Span::from_ns(5)).unwrap()
}

#[test]
fn the_contract_is_kept() {
    for sharing in [Sharing::Interfaces, Sharing::Detours, Sharing::EcmpPaths] {
        let config = Config { mtu: Bytes::new(1500), sharing };
        // Far too much, about what they can send, and so little that nothing is shared.
        for (seed, gap) in [(1, 10), (2, 100), (3, 10_000)] {
            let traffic = Traffic { hosts: 16, frames: 1500, gap: Span::from_ns(gap), seed };
            let (delivered, dropped) = network(|| Fluid::new(&config, &star(16), Seed(1)).unwrap(), traffic);
            assert_eq!((delivered, dropped), (1500, 0), "at {gap} ns");
        }
    }
}

#[test]
fn all_is_shown_to_who_looks_on() {
    let (tally, star) = (Tally::default(), star(16));
    let config = Config { mtu: Bytes::new(1500), ..Config::default() };
    let network = Fluid::on(&config, &star, Arc::new(Routes::shortest(&star).unwrap()), Seed(1), tally.clone());
    let sums = observed(network, &tally, Traffic { hosts: 16, frames: 1500, gap: Span::from_ns(100), seed: 1 });
    assert_eq!((sums.delivered, sums.queued.len()), (1500, 1500));
}

/// Sends frames (when, flow, from, to, bytes) and says when each arrives, in nanoseconds.
fn arrivals(config: &Config, frames: &[(u64, u32, u32, u32, u32)]) -> Vec<(u32, f64)> {
    arrivals_over(Fluid::new(config, &star(4), Seed(1)).unwrap(), frames)
}

fn arrivals_over(mut network: impl Network, frames: &[(u64, u32, u32, u32, u32)]) -> Vec<(u32, f64)> {
    let mut queue = EventQueue::new(network.event_gap());
    let mut frames = frames.iter().peekable();
    let mut found = Vec::new();
    loop {
        let due = frames.peek().map(|(at, ..)| Time::ZERO + Span::from_ns(*at));
        if let Some(at) = due.filter(|at| queue.next_at().is_none_or(|next| *at <= next)) {
            let (_, flow, src, dst, len) = *frames.next().unwrap();
            let (sequence, epoch, entropy, priority) = (0, 0, 0, 0);
            let (kind, ecn, echo) = (Kind::Data, Ecn::NotCapable, false);
            let frame = Frame {
                sequence,
                stamp: at,
                flow,
                epoch,
                src,
                dst,
                len,
                entropy,
                kind,
                priority,
                ecn,
                echo,
                ..Frame::EMPTY
            };
            network.offer(at, frame, &mut queue);
        } else if let Some(event) = queue.pop() {
            let frame = network.handle(event, &mut queue);
            network.check();
            found.extend(frame.map(|frame| (frame.flow, event.at.as_ps() as f64 / 1000.0)));
        } else {
            return found;
        }
    }
}

#[test]
fn rates_follow_who_is_there() {
    // 8 Gb/s is a byte a nanosecond; two links of 5 ns. Alone for 500 ns, then halves, then alone again.
    let frames = [(0, 1, 0, 2, 1000), (500, 2, 1, 2, 300)];
    assert_eq!(arrivals(&Config::default(), &frames), [(2, 1110.0), (1, 1310.0)]);
    // Frames of one flow go one after the other, and count once.
    let frames = [(0, 1, 0, 2, 100), (0, 1, 0, 2, 100), (0, 3, 1, 2, 100)];
    assert_eq!(arrivals(&Config::default(), &frames), [(1, 210.0), (3, 210.0), (1, 310.0)]);
    // What one cannot use is left to the other: 1 has a third of its destination, and 2 two thirds of their source.
    let frames = [(0, 1, 0, 3, 100), (0, 2, 0, 2, 200), (0, 3, 1, 3, 100), (0, 4, 2, 3, 100)];
    let found = arrivals(&Config::default(), &frames);
    assert!(found.iter().all(|(_, at)| (*at - 310.0).abs() < 0.01), "{found:?}");
}

/// A rate: since when, in nanoseconds, of which flow from which host, in Gb/s.
type Since = (f64, u32, u32, f64);

/// Clones share what they saw.
#[derive(Clone, Default)]
struct Rates(Rc<RefCell<Vec<Since>>>);

impl Observer for Rates {
    fn see(&mut self, now: Time, seen: Seen<'_>) {
        if let Seen::Window { flow, host, window: None, rate: Some(rate) } = seen {
            self.0.borrow_mut().push((now.as_ps() as f64 / 1000.0, flow, host, rate.as_bps() as f64 / 1e9));
        }
    }
}

#[test]
fn rates_are_shown_when_they_change() {
    let (rates, star) = (Rates::default(), star(4));
    let routes = Arc::new(Routes::shortest(&star).unwrap());
    let network = Fluid::on(&Config::default(), &star, routes, Seed(1), rates.clone());
    // As in the test before: 2 comes at 500 ns and has sent its 300 B at 1100 ns. Between hosts 3 and 0 nothing changes.
    let frames = [(0, 1, 0, 2, 1000), (0, 3, 3, 0, 2000), (500, 2, 1, 2, 300)];
    assert_eq!(arrivals_over(network, &frames), [(2, 1110.0), (1, 1310.0), (3, 2010.0)]);
    let shown = [(0.0, 1, 0, 8.0), (0.0, 3, 3, 8.0), (500.0, 1, 0, 4.0), (500.0, 2, 1, 4.0), (1100.0, 1, 0, 8.0)];
    assert_eq!(*rates.0.borrow(), shown);
}

#[test]
fn detours_share_the_links_between_nodes() {
    // Four nodes, a permutation: each link of a third carries two subflows but one, so 4/6 of a node's rate are left to each.
    let config = Config { sharing: Sharing::Detours, ..Config::default() };
    let frames = [(0, 1, 0, 1, 400), (0, 2, 1, 2, 400), (0, 3, 2, 3, 400), (0, 4, 3, 0, 400)];
    let found = arrivals(&config, &frames);
    assert!(found.iter().all(|(_, at)| (*at - 610.0).abs() < 0.01), "{found:?}");
}

#[test]
fn a_message_that_flows_for_long_is_seen_to_move() {
    let mut network = Fluid::new(&Config { mtu: Bytes::new(1 << 30), ..Config::default() }, &star(4), Seed(1)).unwrap();
    let mut queue = EventQueue::new(network.event_gap());
    let (kind, ecn, stamp) = (Kind::Data, Ecn::NotCapable, Time::ZERO);
    for (flow, src) in [(0, 0), (1, 1)] {
        let (sequence, epoch, entropy, priority, echo) = (0, 0, 0, 0, false);
        let (dst, len) = (2, 50_000_000);
        let frame =
            Frame { sequence, stamp, flow, epoch, src, dst, len, entropy, kind, priority, ecn, echo, ..Frame::EMPTY };
        network.offer(stamp, frame, &mut queue);
    }
    let (mut last, mut seen) = (Time::ZERO, network.totals());
    while let Some(event) = queue.pop() {
        network.handle(event, &mut queue);
        assert!(event.at.since(last) <= Span::from_ms(5), "nothing between {last} and {}", event.at);
        assert_ne!(network.totals(), seen);
        (last, seen) = (event.at, network.totals());
    }
    // A hundred megabytes at a byte a nanosecond.
    assert_eq!(last, Time::ZERO + Span::from_ms(100) + Span::from_ns(10));
}

#[test]
fn hosts_with_several_links_are_refused() {
    let text = r#"{"nodes": [{"id": "a", "kind": "host"}, {"id": "b", "kind": "host"}, {"id": "s", "kind": "switch"}],
        "edges": [{"source": "a", "target": "s"}, {"source": "a", "target": "s"}, {"source": "b", "target": "s"}]}"#;
    let topology = topology::node_link::parse(text, Rate::from_gbps(8), Span::from_ns(5)).unwrap();
    let refused = Fluid::new(&Config::default(), &topology, Seed(1)).unwrap_err();
    assert_eq!(refused.to_string(), "host a has 2 links: in a fluid network each has one");
}

/// Headers of 20 KB in front of a byte each: more bytes than 64 bits count.
#[test]
fn the_longest_message_in_the_smallest_packets_has_its_time() {
    let config = Config { mtu: Bytes::new(20_001), sharing: Sharing::Interfaces };
    let network = Fluid::new(&config, &star(2), Seed(1)).unwrap();
    let ideal = network.ideal(0, 1, units::bounds::MESSAGE, Bytes::new(20_000));
    assert!(ideal > network.ideal(0, 1, units::bounds::MESSAGE, Bytes::new(10_000)), "{ideal}");
    assert_eq!(ideal, Span::MAX, "at 1 byte a nanosecond, 2e28 ps");
}
