//! What a host may hand over when some nodes are off.

use engine::{EventQueue, Seed};
use fabric::{Ecn, Fault, Frame, Kind, Network};
use shoal::{Config, Shoal};
use topology::Shape;
use units::{Bytes, Rate, Span, Time};

/// A packet of 100 MB for a node that is off, all of a flow as one, is given up at once. The host's other flows do not wait for the 8 ms
/// that it would have taken on its way.
#[test]
fn a_packet_for_a_node_that_is_off_holds_up_no_others() {
    let topology = Shape::Star { hosts: 16 }.build(Rate::from_gbps(100), Span::from_ns(5)).unwrap();
    let config = Config { mtu: Bytes::new(1 << 30), buffer: Bytes::new(1 << 40), ..Config::default() };
    let mut network = Shoal::new(&config, &topology, Seed(1)).unwrap();
    let mut queue = EventQueue::new(network.event_gap());
    let frame = |dst, len| {
        let (stamp, kind, ecn) = (Time::ZERO, Kind::Data, Ecn::NotCapable);
        Frame {
            sequence: 0,
            stamp,
            flow: dst,
            epoch: 0,
            src: 0,
            dst,
            len,
            entropy: 0,
            kind,
            priority: 0,
            ecn,
            echo: false,
            ..Frame::EMPTY
        }
    };
    let us = |us| Time::ZERO + Span::from_us(us);
    network.fault(Time::ZERO, Fault::Node { node: 1, up: false }, &mut queue);
    // Something keeps the rack awake until all have found out.
    for dst in 2..16 {
        network.offer(Time::ZERO, frame(dst, 100_000), &mut queue);
    }
    let (mut offered, mut ready) = (false, None);
    while let Some(event) = queue.pop() {
        if !offered && event.at > us(40) {
            offered = true;
            network.offer(event.at, frame(1, 100_000_000), &mut queue);
            assert_eq!(network.totals().lost, 1, "all know that it is off");
            assert!(!network.has_room(event.at, 0), "a host does not hand over all it has at once");
        }
        network.handle(event, &mut queue);
        if offered && ready.is_none() && network.has_room(event.at, 0) {
            ready = Some(event.at);
        }
        assert!(event.at < us(1000), "it comes to an end");
    }
    assert!(ready.unwrap() < us(41), "{ready:?}");
}
