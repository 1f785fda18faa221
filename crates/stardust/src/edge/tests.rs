//! A host's interface and its adapter's port as timelines.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use fabric::{Ecn, Frame, Kind};

/// 8 Gb/s: a byte a nanosecond. Each packet takes 38 B more.
fn class() -> EdgeClass {
    let rate = Rate::from_gbps(8);
    EdgeClass { rate, pace: Pace::new(rate), delay: Span::from_ns(500), framing: 38 }
}

fn ns(ns: u64) -> Time {
    Time::ZERO + Span::from_ns(ns)
}

fn put(store: &mut Store, len: u32, priority: u8) -> u32 {
    let (sequence, stamp, flow, epoch, src, dst, entropy) = (0, Time::ZERO, 0, 0, 0, 1, 0);
    let (kind, ecn, echo) = (Kind::Data, Ecn::NotCapable, false);
    store.put(
        Frame { sequence, stamp, flow, epoch, src, dst, len, entropy, kind, priority, ecn, echo, ..Frame::EMPTY },
        0,
    )
}

#[test]
fn an_interface_sends_packets_one_after_the_other() {
    let (mut interface, class) = (Interface::default(), class());
    assert_eq!(interface.send(ns(0), 62, &class), ns(100));
    assert_eq!(interface.send(ns(10), 162, &class), ns(300));
    assert_eq!(interface.wait(ns(250)), Span::from_ns(50));
    assert_eq!(interface.send(ns(400), 62, &class), ns(500));
    assert_eq!((interface.counters.frames, interface.counters.bytes), (3, 400));
}

#[test]
fn a_port_sends_its_first_class_first_and_never_stops_in_a_packet() {
    let (mut outlet, mut store, class) = (Outlet::new(2), Store::default(), class());
    let [low, lower, high, beyond] =
        [(100, 1), (200, 1), (300, 0), (400, 9)].map(|(len, priority)| put(&mut store, len, priority));
    assert!(outlet.take(low, &mut store, &class), "the link is idle");
    assert_eq!(outlet.begin(ns(0), &mut store, &class), Some((low, ns(138))));
    for packet in [lower, high, beyond] {
        assert!(!outlet.take(packet, &mut store, &class));
    }
    assert_eq!(outlet.waiting(), 1000 + 4 * 38);
    assert_eq!(outlet.wait(&class), Span::from_ns(1152));
    assert_eq!(outlet.end(&class), Some(100));
    // Of the last class what is beyond it, in the order of completion.
    for (packet, len, end) in [(high, 300, 476), (lower, 200, 714), (beyond, 400, 1152)] {
        let began = ns(end - u64::from(len) - 38);
        assert_eq!(outlet.begin(began, &mut store, &class), Some((packet, ns(end))));
        assert_eq!(outlet.end(&class), Some(len));
    }
    assert_eq!(outlet.begin(ns(1152), &mut store, &class), None);
    assert_eq!((outlet.end(&class), outlet.waiting()), (None, 0));
}

#[test]
fn a_port_that_goes_off_loses_what_waits_and_ends_what_it_sends() {
    let (mut outlet, mut store, class) = (Outlet::new(1), Store::default(), class());
    let packets = [100, 200, 300].map(|len| put(&mut store, len, 0));
    for packet in packets {
        outlet.take(packet, &mut store, &class);
    }
    outlet.begin(ns(0), &mut store, &class);
    let mut lost = Vec::new();
    outlet.clear(&mut store, &class, &mut lost);
    assert_eq!(lost, packets[1..]);
    assert_eq!(outlet.waiting(), 138);
    assert_eq!(outlet.end(&class), Some(100));
    assert_eq!((outlet.waiting(), outlet.begin(ns(138), &mut store, &class)), (0, None));
}
