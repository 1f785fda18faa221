//! Connections between the same two hosts.

use engine::{EventQueue, Seed};
use fabric::{Ecn, Frame, Kind, Network};
use shoal::{Config, Shoal};
use topology::Shape;
use units::{Bytes, Rate, Span, Time};

/// A message of 1 MB takes 100 us. One of 1 KB that comes just after it, of another connection, does not wait for its end.
#[test]
fn a_short_flow_overtakes_a_long_one() {
    let topology = Shape::Star { hosts: 16 }.build(Rate::from_gbps(100), Span::from_ns(5)).unwrap();
    let config = Config { mtu: Bytes::new(1 << 30), buffer: Bytes::new(1 << 40), ..Config::default() };
    let mut network = Shoal::new(&config, &topology, Seed(1)).unwrap();
    let mut queue = EventQueue::new(network.event_gap());
    for (flow, len) in [(3, 1_000_000), (7, 1000)] {
        let (stamp, kind, ecn) = (Time::ZERO, Kind::Data, Ecn::NotCapable);
        let (src, dst, entropy, priority) = (0, 1, flow, 0);
        let frame = Frame {
            sequence: 0,
            stamp,
            flow,
            epoch: 0,
            src,
            dst,
            len,
            entropy,
            kind,
            priority,
            ecn,
            echo: false,
            ..Frame::EMPTY
        };
        network.offer(Time::ZERO, frame, &mut queue);
    }
    let mut came = Vec::new();
    while let Some(event) = queue.pop() {
        came.extend(network.handle(event, &mut queue).map(|frame| (frame.flow, event.at)));
    }
    let [(7, short), (3, long)] = came[..] else { panic!("the short one first, and both: {came:?}") };
    assert!(short < Time::ZERO + Span::from_us(3) && long > Time::ZERO + Span::from_us(80), "{short:?}, {long:?}");
}
