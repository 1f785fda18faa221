#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::config::{Class, Config};
use crate::interior::Interior;
use crate::rig::{Rig, us};
use crate::{Lanes, LockStep};
use topology::Shape;
use units::{Rate, Span, bounds};

/// Six hosts send to one, without credits, through an element with memory for 16 cells a link. Gives how often its inputs were paused,
/// and the cells that found no room.
fn crowded<I: Interior>(delay: Span) -> (u64, u64) {
    let shape = Shape::LeafSpine { leaves: 4, spines: 1, hosts_per_leaf: 2 };
    let topology = shape.build(Rate::from_gbps(10), delay).unwrap();
    let mut config = Config::default().with_classes(&[Class { weight: 0, low_latency: true }]);
    config.element.memory = 16;
    let mut rig = Rig::<I>::new(&config, &topology, 1);
    for src in 2..8 {
        for _ in 0..200 {
            rig.send(src, 0, 1500, 0);
        }
    }
    rig.run(us(5000));
    rig.is_at_rest();
    assert_eq!(rig.delivered.len(), 1200);
    (rig.fabric.sums.pauses, rig.fabric.sums.homeless)
}

#[test]
fn pauses_keep_an_element_within_its_memory() {
    for (pauses, homeless) in [crowded::<Lanes>(Span::from_ns(100)), crowded::<LockStep>(Span::from_ns(100))] {
        assert!(pauses > 10, "{pauses} pauses");
        assert_eq!(homeless, 0);
    }
}

#[test]
fn what_is_in_flight_on_links_too_long_for_the_memory_is_counted() {
    assert!(crowded::<Lanes>(Span::from_us(50)).1 > 100);
    assert!(crowded::<LockStep>(Span::from_us(50)).1 > 100);
}

#[test]
fn an_element_between_the_longest_links_pauses_at_once() {
    // More cells would be in flight than 32 bits count.
    let shape = Shape::LeafSpine { leaves: 2, spines: 1, hosts_per_leaf: 1 };
    let topology = shape.build(bounds::RATE, bounds::DELAY).unwrap();
    let rig = Rig::<Lanes>::new(&Config::default(), &topology, 1);
    let element = rig.fabric.held.last().unwrap();
    assert_eq!(element.pause_at, 2, "its two links");
}
