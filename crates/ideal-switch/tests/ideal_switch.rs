//! The contract of networks, kept by the ideal switch, and its times to the picosecond.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use engine::EventQueue;
use fabric::conformance::{Tally, Traffic, network, observed};
use fabric::observer::Log;
use fabric::{Ecn, Frame, Kind, Network};
use ideal_switch::{Config, IdealSwitch};
use settings::Length;
use topology::{Shape, Topology};
use units::{Bytes, Rate, Span, Time};

/// Hosts on two leaves; a byte takes a nanosecond on each link, and a link 5 ns.
fn tree() -> Topology {
    let shape = Shape::LeafSpine { leaves: 2, spines: 1, hosts_per_leaf: 4 };
    shape.build(Rate::from_gbps(8), Span::from_ns(5)).unwrap()
}

fn plain() -> Config {
    Config { framing: Bytes::ZERO, ..Config::default() }
}

#[test]
fn the_contract_is_kept() {
    let bounded = Config { queue: Some(Length::Packets(8)), ecn_threshold: Some(Length::Packets(3)), ..plain() };
    for (config, loses) in [(Config::default(), false), (bounded, true)] {
        let mut lost = 0;
        for (seed, gap) in [(1, 10), (2, 300), (3, 10_000)] {
            let traffic = Traffic { hosts: 8, frames: 2000, gap: Span::from_ns(gap), seed };
            let (delivered, dropped) = network(|| IdealSwitch::new(&config, &tree()).unwrap(), traffic);
            assert_eq!(delivered + dropped, 2000);
            lost += dropped;
        }
        assert_eq!(lost > 0, loses, "only a bounded queue drops");
    }
}

#[test]
fn all_is_shown_to_who_looks_on() {
    let config = Config { queue: Some(Length::Packets(8)), ecn_threshold: Some(Length::Packets(3)), ..plain() };
    let tally = Tally::default();
    let network = IdealSwitch::on(&config, &tree(), tally.clone()).unwrap();
    let sums = observed(network, &tally, Traffic { hosts: 8, frames: 2000, gap: Span::from_ns(10), seed: 1 });
    assert!(sums.dropped > 0 && sums.marked > 0 && sums.queued.values().all(|times| *times <= 2), "{sums:?}");
}

#[test]
fn a_frame_is_shown_from_its_host_to_the_other() {
    let mut network = IdealSwitch::on(&plain(), &tree(), Log::default()).unwrap();
    let mut queue = EventQueue::new(network.event_gap());
    let frame = Frame { sequence: 3, flow: 1, src: 0, dst: 7, len: 1000, kind: Kind::Data, ..Frame::EMPTY };
    network.offer(Time::ZERO, frame, &mut queue);
    while let Some(event) = queue.pop() {
        network.handle(event, &mut queue);
    }
    let expected = [
        "0 data 0 -> 7 flow 1 at 3: 0 Queued { leaves: Some(Time(1000000)) }",
        "1005000 data 0 -> 7 flow 1 at 3: 0 Arrived",
        "1005000 data 0 -> 7 flow 1 at 3: 16 Queued { leaves: Some(Time(2005000)) }",
        "2010000 data 0 -> 7 flow 1 at 3: 16 Delivered",
    ];
    assert_eq!(network.observer().lines, expected);
}

/// Sends frames (when in ns, from, to, bytes) and says when each arrives, in ns, and whether it was marked.
fn arrivals(config: &Config, frames: &[(u64, u32, u32, u32)]) -> Vec<(u64, bool)> {
    let mut network = IdealSwitch::new(config, &tree()).unwrap();
    let mut queue = EventQueue::new(network.event_gap());
    for (sequence, (at, src, dst, len)) in (0..).zip(frames) {
        let frame =
            Frame { sequence, src: *src, dst: *dst, len: *len, kind: Kind::Data, ecn: Ecn::Capable, ..Frame::EMPTY };
        network.offer(Time::ZERO + Span::from_ns(*at), frame, &mut queue);
    }
    let mut found = Vec::new();
    while let Some(event) = queue.pop() {
        if let Some(frame) = network.handle(event, &mut queue) {
            found.push((event.at.as_ps() / 1000, frame.ecn == Ecn::Marked));
        }
    }
    network.check();
    found
}

#[test]
fn frames_wait_for_the_link_to_their_destination_alone() {
    // Over both leaves as within one: 1000 ns to the switch, 5 on the way, and the same from there.
    assert_eq!(arrivals(&plain(), &[(0, 0, 7, 1000)]), [(2010, false)]);
    // Two to one host: the second waits. Two to two hosts: neither does.
    assert_eq!(arrivals(&plain(), &[(0, 0, 7, 1000), (0, 1, 7, 1000)]), [(2010, false), (3010, false)]);
    assert_eq!(arrivals(&plain(), &[(0, 0, 7, 1000), (0, 1, 6, 1000)]), [(2010, false), (2010, false)]);
}

#[test]
fn a_bounded_port_marks_and_drops() {
    let incast: Vec<_> = (0..6).map(|src| (0, src, 7, 1000)).collect();
    // Those that find more than one waiting are marked; those that find three are dropped.
    let packets = Config { queue: Some(Length::Packets(3)), ecn_threshold: Some(Length::Packets(1)), ..plain() };
    assert_eq!(arrivals(&packets, &incast), [(2010, false), (3010, false), (4010, true)]);
    let bytes = |bytes| Some(Length::Bytes(Bytes::new(bytes)));
    let bytes = Config { queue: bytes(3000), ecn_threshold: bytes(1000), ..plain() };
    assert_eq!(arrivals(&bytes, &incast), [(2010, false), (3010, false), (4010, true)]);
}

#[test]
fn a_message_alone_takes_its_ideal_time() {
    for rate in [4, 8, 16] {
        let mut topology = tree();
        let down = topology.reverse(topology::LinkId(topology.ports(topology::NodeId(7)).start));
        topology.set_link(down, Some(Rate::from_gbps(rate)), None).unwrap();
        for bytes in [1, 1460, 1461, 10_000, 14_600] {
            let mut network = IdealSwitch::new(&plain(), &topology).unwrap();
            let mut queue = EventQueue::new(network.event_gap());
            let (mut left, mut end) = (bytes, Time::ZERO);
            while left > 0 {
                let data = left.min(1460);
                let frame = Frame { src: 0, dst: 7, len: data as u32 + 40, kind: Kind::Data, ..Frame::EMPTY };
                network.offer(Time::ZERO, frame, &mut queue);
                left -= data;
            }
            while let Some(event) = queue.pop() {
                network.handle(event, &mut queue);
                end = event.at;
            }
            let ideal = network.ideal(0, 7, Bytes::new(bytes), Bytes::new(40));
            assert_eq!(end, Time::ZERO + ideal, "{bytes} B at {rate} Gb/s");
        }
    }
}

#[test]
fn hosts_with_several_links_are_refused() {
    let planes = Shape::Planes { hosts: 4, planes: 2 }.build(Rate::from_gbps(8), Span::from_ns(5)).unwrap();
    let error = IdealSwitch::new(&plain(), &planes).unwrap_err();
    assert_eq!(error.to_string(), "host host-0 has 2 links: an ideal switch joins hosts with one");
}
