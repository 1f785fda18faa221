//! What is at the edge of what settings allow is counted right, or refused.

use engine::{EventQueue, Seed};
use fabric::{Frame, Network};
use shoal::build::Rig;
use shoal::{BuildError, Config, Shoal};
use topology::{Shape, Topology};
use units::{Bytes, Rate, Span, Time, bounds};

fn star(hosts: u32) -> Topology {
    Shape::Star { hosts }.build(Rate::from_gbps(100), Span::from_ns(5)).unwrap()
}

/// Cells of a flow are numbered in 32 bits, so no more than half of the numbers are given out at once.
#[test]
fn no_node_takes_more_cells_than_are_numbered() {
    let config = Config {
        mtu: bounds::PACKET,
        cell: Bytes::new(9),
        cell_header: Bytes::new(8),
        buffer: bounds::BUFFER,
        ..Config::default()
    };
    let mut network = Shoal::new(&config, &star(2), Seed(1)).unwrap();
    let mut queue = EventQueue::new(network.event_gap());
    let mut cells = 0_u64;
    while network.has_room(Time::ZERO, 0) {
        network.offer(Time::ZERO, Frame { dst: 1, len: 1 << 29, ..Frame::EMPTY }, &mut queue);
        cells += 1 << 29;
    }
    assert_eq!(cells, 1 << 30);
}

#[test]
fn queues_of_classes_have_no_more_cells_than_are_counted() {
    let config = |limit| Config { priorities: 2, class_queue: Some(limit), ..Config::default() };
    assert!(Rig::new(&config(65_519), &star(16)).is_ok());
    let error = Rig::new(&config(65_520), &star(16)).unwrap_err();
    assert_eq!(error, BuildError::ClassQueue { limit: 65_520, hosts: 16, most: 65_519 });
    assert_eq!(
        error.to_string(),
        "class_queue of 65520 cells: a queue of 16 nodes takes at most 65519, so that with the node's own its cells are counted in 16 bits"
    );
    // Where there is one class, nothing is dropped.
    assert!(Rig::new(&Config { priorities: 1, ..config(65_535) }, &star(16)).is_ok());
}

#[test]
fn the_longest_message_in_the_smallest_cells_has_its_time() {
    let (cell, header) = (Bytes::new(9), Bytes::new(8));
    let config = Config { mtu: bounds::PACKET, cell, cell_header: header, ..Config::default() };
    let network = Shoal::new(&config, &star(2), Seed(1)).unwrap();
    // A byte of the message in each packet, which has 2^30 cells.
    let ideal = network.ideal(0, 1, bounds::MESSAGE, Bytes::new((1 << 30) - 1));
    assert_eq!(ideal, Span::MAX);
}

#[test]
fn a_way_of_more_slots_than_are_numbered_is_refused() {
    let config = Config { channels: 1, node_latency: bounds::DELAY, ..Config::default() };
    let far = Rig::new(&config, &star(16));
    assert!(matches!(far, Err(BuildError::Far { slots }) if slots > u64::from(u32::MAX / 4)), "{far:?}");
}
