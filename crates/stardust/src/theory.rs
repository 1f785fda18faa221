//! Against theory, over whole runs: queues, shares, completion times, and the two interiors against each other.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::config::{Class, Config};
use crate::interior::Interior;
use crate::queueing::md1;
use crate::rig::{Rig, us};
use crate::{Lanes, LockStep};
use engine::Seed;
use fabric::Network;
use topology::{LinkId, Shape, Topology};
use units::{Bytes, Rate, Span, Time};

/// A topology whose links to hosts have another rate than those inside.
fn build(shape: Shape, inside: Rate, hosts: Rate) -> Topology {
    let mut topology = shape.build(inside, Span::from_ns(500)).unwrap();
    for link in (0..topology.links().len() as u32).map(LinkId) {
        let ends = *topology.link(link);
        if topology.is_host(ends.from) || topology.is_host(ends.to) {
            topology.set_link(link, Some(hosts), None).unwrap();
        }
    }
    topology
}

fn gbps(gbps: u64) -> Rate {
    Rate::from_gbps(gbps)
}

fn within(value: f64, expected: f64, tolerance: f64) {
    assert!((value / expected - 1.0).abs() <= tolerance, "{value} is not within {tolerance} of {expected}");
}

/// P(N >= n), by n, of the queue before the only link to an adapter, N counting what waits and what is being sent. Cells come at random
/// from many adapters, each a packet.
fn last_link_queue<I: Interior>(load: f64, cells: u32, count: impl Fn(&Rig<I>, u32) -> usize) -> Vec<f64> {
    let sources = 64;
    let shape = Shape::LeafSpine { leaves: sources + 1, spines: 1, hosts_per_leaf: 1 };
    // What is sent is not held up by hosts' links, and leaves the adapter as fast as it comes. No credits: they would space it.
    let config = Config::default().with_classes(&[Class { weight: 0, low_latency: true }]);
    let mut rig = Rig::<I>::new(&config, &build(shape, gbps(10), gbps(400)), 1);
    let last = rig.link(sources + 1, 0);
    let service = gbps(10).time_for(config.cells.size).as_ps() as f64;
    let mut stream = Seed(5).stream("arrivals", 0);
    let (mut at, mut sample) = (0.0, us(50));
    let mut seen = Vec::new();
    for _ in 0..cells {
        at += stream.exponential(service / load);
        let next = Time::from_ps(at as u64);
        while sample < next {
            rig.run(sample);
            let queue = count(&rig, last);
            seen.resize(seen.len().max(queue + 1), 0u32);
            seen[queue] += 1;
            sample += Span::from_ps(331_777);
        }
        rig.run(next);
        let src = 1 + stream.below(u64::from(sources)) as u32;
        rig.send(src, 0, (config.cells.size - config.cells.header).get() as u32, 0);
    }
    let total = f64::from(seen.iter().sum::<u32>());
    (0..seen.len()).map(|n| f64::from(seen[n..].iter().sum::<u32>()) / total).collect()
}

/// Against the exact tail, down to one in two hundred: further out a run of this length has seen too few. Sources are not endlessly
/// many, so long queues are a little rarer than the theory's (§4.2.1).
fn like_md1(measured: &[f64], load: f64, shift: usize) {
    let exact = md1::tail(load, 100);
    for (n, expected) in exact.iter().enumerate().skip(1 + shift).take_while(|(_, expected)| **expected > 5e-3) {
        let value = measured.get(n - shift).copied().unwrap_or(0.0);
        let tolerance = 0.05 + 0.01 * n as f64;
        assert!((value / expected - 1.0).abs() <= tolerance, "load {load}: P(N >= {n}) is {value}, not {expected}");
    }
}

#[test]
fn the_last_link_has_an_md1_queue() {
    for (load, cells) in [(0.5, 400_000), (0.8, 400_000), (0.9, 1_200_000)] {
        // By events: work that is left, in cells that are begun or whole.
        let cell = Config::default().cells.size.get();
        let queue = |rig: &Rig<Lanes>, link: u32| rig.fabric.queue(rig.now, link).get().div_ceil(cell) as usize;
        like_md1(&last_link_queue::<Lanes>(load, cells, queue), load, 0);
        // In lock-step the cell that is being sent has left the queue.
        let queue = |rig: &Rig<LockStep>, link: u32| rig.fabric.interior.cells(link) as usize;
        like_md1(&last_link_queue::<LockStep>(load, cells, queue), load, 1);
    }
}

/// Adapters with a host each, more than fast enough inside.
fn adapters(count: u32) -> Topology {
    build(Shape::LeafSpine { leaves: count, spines: 4, hosts_per_leaf: 1 }, gbps(10), gbps(10))
}

/// Payload's share of a link between host and adapter, for packets of 1500 B.
const PAYLOAD: f64 = 1500.0 / 1538.0;

/// What comes of demands, in bits a second of packets, on one port: everybody gets what he asks for, or the same.
fn water_filling(demands: &[f64], capacity: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..demands.len()).collect();
    order.sort_by(|one, other| demands[*one].total_cmp(&demands[*other]));
    let (mut left, mut shares) = (capacity, vec![0.0; demands.len()]);
    for (served, source) in order.iter().enumerate() {
        shares[*source] = demands[*source].min(left / (demands.len() - served) as f64);
        left -= shares[*source];
    }
    shares
}

fn shares<I: Interior>() {
    // Demands in Gb/s of packets; the fourth and fifth want more than their shares.
    let demands = [0.5, 1.0, 2.0, 8.0, 4.5];
    let mut rig = Rig::<I>::new(&Config::default(), &adapters(6), 1);
    let (begin, end) = (us(2_000), us(12_000));
    let mut next: Vec<f64> = (0..demands.len()).map(|source| source as f64 * 1e5).collect();
    loop {
        let source = (0..next.len()).min_by(|one, other| next[*one].total_cmp(&next[*other])).unwrap();
        let at = Time::from_ps(next[source] as u64);
        if at >= end {
            break;
        }
        rig.run(at);
        rig.send(source as u32 + 1, 0, 1500, 0);
        next[source] += 12_000.0 / demands[source] * 1e3;
    }
    rig.run(end);
    let bits = |source: usize| -> f64 {
        let from = |(at, frame): &&(Time, fabric::Frame)| *at >= begin && frame.src == source as u32 + 1;
        rig.delivered.iter().filter(from).map(|(_, frame)| f64::from(frame.len) * 8.0).sum()
    };
    let expected = water_filling(&demands.map(|demand| demand * 1e9), 1e10 * PAYLOAD);
    for (source, share) in expected.into_iter().enumerate() {
        within(bits(source) / end.since(begin).as_secs_f64(), share, 0.01);
    }
    assert_eq!(rig.fabric.totals.dropped, 0);
}

#[test]
fn round_robin_gives_max_min_shares() {
    shares::<Lanes>();
    shares::<LockStep>();
}

#[test]
fn an_incast_takes_as_long_as_its_port_and_one_round_trip() {
    for sources in [1u32, 4, 15] {
        let mut rig = Rig::<Lanes>::new(&Config::default(), &adapters(16), 1);
        let packets = 200;
        for source in 1..=sources {
            (0..packets).for_each(|_| rig.send(source, 0, 1500, 0));
        }
        rig.run(us(20_000));
        assert_eq!(rig.delivered.len() as u32, sources * packets);
        let last = rig.delivered.iter().map(|(at, _)| *at).max().unwrap();
        let port = gbps(10).time_for(Bytes::new(1538)) * u64::from(sources * packets);
        // Before the first byte: a packet over the host's link, a request and a credit over two links each, a packet's cells over two, and
        // the delays of all eight. Then the port is never idle: the window holds more than a round trip.
        let link = |bytes| gbps(10).time_for(Bytes::new(bytes));
        let first = link(1538) + link(24) * 4 + Span::from_ns(500) * 8 + link(256) * 2;
        let idle = last.since(us(0)).saturating_sub(port);
        assert!(idle >= first && idle <= first + Span::from_us(2), "{sources} sources: {idle} beside {first}");
        // A port's surplus waits at its sources (§5.4): each sends its share of the time.
        assert_eq!(rig.fabric.totals.dropped, 0);
        rig.is_at_rest();
    }
}

#[test]
fn one_voq_is_as_fast_as_its_window_allows() {
    // Links of 50 us and a window of so many credits: a credit comes back as room when its packets have left the port.
    let shape = Shape::LeafSpine { leaves: 2, spines: 4, hosts_per_leaf: 1 };
    let mut topology = build(shape, gbps(10), gbps(10));
    for link in (0..topology.links().len() as u32).map(LinkId) {
        topology.set_link(link, None, Some(Span::from_us(50))).unwrap();
    }
    for credits in [2u64, 8, 20, 100] {
        let mut config = Config::default();
        // The port knows of enough to be busy for longer than a request takes.
        config.credits.watermark = Bytes::new(1 << 24);
        config.credits.window = gbps(10).time_for(Bytes::new(4096 * credits));
        let mut rig = Rig::<Lanes>::new(&config, &topology, 1);
        (0..30_000).for_each(|_| rig.send(1, 0, 1024, 0));
        rig.run(us(20_000));
        let (begin, end) = (us(5_000), us(20_000));
        let came = rig.delivered.iter().filter(|(at, _)| *at >= begin).count();
        // A credit over two links, its cells over two, and its packets over the port's.
        let packet = gbps(10).time_for(Bytes::new(1024 + 38));
        let turn = Span::from_us(200) + packet * 4 + gbps(10).time_for(Bytes::new(24 + 256)) * 2;
        let port = 1.0 / packet.as_secs_f64();
        let window = 4.0 * credits as f64 / turn.as_secs_f64();
        within(came as f64 / end.since(begin).as_secs_f64(), window.min(port), 0.03);
    }
}

/// A distribution, as counts by value.
type Counts = Vec<u64>;

fn count(counts: &mut Counts, value: usize) {
    counts.resize(counts.len().max(value + 1), 0);
    counts[value] += 1;
}

fn mean(counts: &Counts) -> f64 {
    let total: u64 = counts.iter().sum();
    counts.iter().enumerate().map(|(value, count)| value as f64 * *count as f64).sum::<f64>() / total as f64
}

/// The least value that a share of all does not exceed.
fn quantile(counts: &Counts, share: f64) -> usize {
    let wanted = counts.iter().sum::<u64>() as f64 * share;
    let mut below = 0.0;
    let reached = |count: &u64| {
        below += *count as f64;
        below >= wanted
    };
    counts.iter().position(reached).unwrap()
}

/// Kolmogorov and Smirnov's distance of two distributions.
fn distance(one: &Counts, other: &Counts) -> f64 {
    let total = |counts: &Counts| counts.iter().sum::<u64>() as f64;
    let (mut below, mut most) = ((0.0, 0.0), 0.0f64);
    for value in 0..one.len().max(other.len()) {
        below.0 += one.get(value).map_or(0.0, |count| *count as f64) / total(one);
        below.1 += other.get(value).map_or(0.0, |count| *count as f64) / total(other);
        most = most.max((below.0 - below.1).abs());
    }
    most
}

/// Queues before last links in whole cells that wait, and the times of cells from adapter to adapter in cell times, under credits.
fn interior<I: Interior>(load: f64) -> (Counts, Counts) {
    let shape = Shape::FatTree { k: 4, oversubscription: 1.0 };
    let mut topology = build(shape, gbps(10), gbps(10));
    for link in (0..topology.links().len() as u32).map(LinkId) {
        // Five cell times: in steps, delays are whole ones.
        topology.set_link(link, None, Some(Span::from_ns(1024))).unwrap();
    }
    let mut rig = Rig::<I>::new(&Config::default(), &topology, 1);
    let mut stream = Seed(3).stream("traffic", 0);
    let (mut queues, mut sample) = (Counts::new(), us(100));
    let down: Vec<u32> = (0..rig.fabric.layout.wires.len() as u32)
        .filter(|link| {
            let wire = rig.fabric.layout.wires[*link as usize];
            wire.role == crate::build::Role::Down && wire.to < rig.fabric.layout.adapters
        })
        .collect();
    let gap = 1500.0 * 8.0 / (16.0 * 1e10 * load) * 1e12;
    let mut at = 0.0;
    while at < 8e9 {
        at += stream.exponential(gap);
        let next = Time::from_ps(at as u64);
        while sample < next {
            rig.run(sample);
            for link in &down {
                let class = *rig.fabric.link_class(*link);
                count(&mut queues, rig.fabric.interior.waiting(sample, *link, &class) as usize);
            }
            sample += Span::from_ps(733_333);
        }
        rig.run(next);
        let src = stream.below(16) as u32;
        let dst = (src + 1 + stream.below(15) as u32) % 16;
        rig.send(src, dst, 1500, 0);
    }
    let cell = gbps(10).time_for(Config::default().cells.size).as_ps();
    let mut latency = Counts::new();
    for (lower, upper, number) in rig.fabric.cell_latency.bins() {
        let value = (((lower + upper) / 2) << 10) / cell;
        latency.resize(latency.len().max(value as usize + 1), 0);
        latency[value as usize] += number;
    }
    (queues, latency)
}

#[test]
fn both_interiors_give_the_same_distributions() {
    for load in [0.3, 0.6, 0.8] {
        let (events, steps) = (interior::<Lanes>(load), interior::<LockStep>(load));
        // In steps, cells that arrive together are served from that instant; by events one may find half of another's time left. So a queue
        // is a quarter of a cell longer at a sample by events, and a cell waits half a step for its first link in steps: times are the same.
        assert!(distance(&events.0, &steps.0) < 0.08, "queues at load {load}: {}", distance(&events.0, &steps.0));
        assert!((mean(&events.0) - mean(&steps.0)).abs() < 0.35, "{} and {} cells", mean(&events.0), mean(&steps.0));
        assert!(distance(&events.1, &steps.1) < 0.1, "times at load {load}: {}", distance(&events.1, &steps.1));
        within(mean(&steps.1), mean(&events.1), 0.015);
        for share in [0.5, 0.9, 0.99, 0.999] {
            let apart = |one: &Counts, other: &Counts| quantile(one, share).abs_diff(quantile(other, share));
            assert!(apart(&events.0, &steps.0) <= 1 && apart(&events.1, &steps.1) <= 1, "{share} at load {load}");
        }
    }
}
