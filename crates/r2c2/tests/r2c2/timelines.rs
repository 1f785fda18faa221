//! What happens when, to the picosecond.

use crate::lab::{Lab, link, torus, us};
use fabric::Network;
use r2c2::{Config, Knowledge, Routing};
use units::{Bytes, Span, Time};

/// A byte takes 0.8 ns on links between nodes of a ring, and half of that inside a node.
fn plain() -> Config {
    Config { header: Bytes::ZERO, trees: 1, mtu: Bytes::new(1_000_000), ..Config::default() }
}

fn ps(ps: u64) -> Time {
    Time::from_ps(ps)
}

#[test]
fn a_packet_hops_from_node_to_node() {
    let mut lab = Lab::new(&plain(), torus(&[8]));
    lab.send(0, 1, 3, 1000);
    lab.run_out(us(600));
    // Its announcement is before it on the first link. It comes there 500 ns after, which is long gone.
    let inside = 400_000 + 100_000;
    assert_eq!(lab.delivered, [(0, ps(inside + 2 * (800_000 + 100_000) + inside))]);
    assert_eq!(lab.network.ideal(1, 3, Bytes::new(1000), Bytes::ZERO), Span::from_ps(2 * inside + 1_800_000));
}

#[test]
fn a_message_goes_as_fast_as_its_paths_carry_it() {
    let mut lab = Lab::new(&plain(), torus(&[8]));
    lab.send(0, 1, 2, 4500);
    lab.run_until(us(100));
    // Three packets, which leave their host at the rate of the link that all of them take.
    let inside = |len: u64| len * 400 + 100_000;
    let hop = |len: u64| len * 800 + 100_000;
    // The announcement that it has ended leaves with the last of them, and is before it on that link.
    let announcement = 16 * 800;
    assert_eq!(lab.delivered, [(0, ps(2 * 1500 * 800 + 2 * inside(1500) + announcement + hop(1500)))]);
    assert_eq!(lab.rate(0), 10e9);
    // Half way round a ring there are two paths, and it is twice as fast.
    lab.send(1, 1, 5, 4500);
    assert_eq!(lab.rate(1), 20e9);
    assert_eq!(
        lab.network.ideal(1, 5, Bytes::new(4500), Bytes::ZERO).as_ps() + 3,
        2 * 1500 * 400 + 2 * inside(1500) + 4 * hop(1500)
    );
}

#[test]
fn announcements_reach_every_node_by_the_shortest_way() {
    let mut lab = Lab::new(&plain(), torus(&[5]));
    lab.send(0, 2, 3, 3000);
    lab.run_until(us(1));
    let hop = 16 * 800 + 100_000;
    let over = |from: u32, to: u32| link(&lab.topology, &format!("switch-{from}"), &format!("switch-{to}"));
    let mut expected =
        vec![(ps(hop), over(2, 1)), (ps(hop), over(2, 3)), (ps(2 * hop), over(1, 0)), (ps(2 * hop), over(3, 4))];
    expected.sort();
    assert_eq!(lab.announcements(), expected);
    // And again when it ends: when its last packet has left.
    lab.run_out(us(600));
    assert_eq!(lab.announcements().len(), 8);
    assert_eq!(["announcements", "packets of announcements"].map(|name| lab.counter(name)), [2.0, 8.0]);
}

#[test]
fn a_flow_that_is_over_before_rates_are_computed_never_has_one() {
    let config = Config { interval: Span::from_us(10), ..plain() };
    let mut lab = Lab::new(&config, torus(&[8]));
    lab.send(0, 1, 2, 1000);
    lab.send(1, 1, 2, 1_000_000);
    assert_eq!([lab.rate(0), lab.rate(1)], [10e9, 10e9]);
    lab.run_until(us(11));
    // Alone it has what the headroom leaves.
    assert_eq!([lab.rate(0), lab.rate(1)], [10e9, 9.5e9]);
    assert_eq!(lab.counter("of these, over before they had a rate"), 1.0);
    lab.run_out(us(2000));
    assert_eq!(lab.delivered.len(), 2);
}

#[test]
fn a_flow_lingers_unless_its_last_packet_is_short() {
    let config = Config { mtu: Bytes::new(1500), ..plain() };
    let mut lab = Lab::new(&config, torus(&[8]));
    lab.send(0, 1, 2, 1500);
    lab.run_until(us(10));
    assert_eq!(lab.counter("announcements"), 1.0);
    // What follows soon is of the same flow, and ends it if it is short.
    lab.send(0, 1, 2, 1400);
    lab.run_until(us(19));
    assert_eq!([lab.counter("flows"), lab.counter("announcements")], [1.0, 2.0]);
    lab.send(0, 1, 2, 1500);
    lab.run_until(us(38));
    assert_eq!([lab.counter("flows"), lab.counter("announcements")], [2.0, 3.0]);
    lab.run_until(us(41));
    assert_eq!(lab.counter("announcements"), 4.0);
}

#[test]
fn a_node_takes_no_more_of_a_flow_than_its_buffer() {
    let config = Config { mtu: Bytes::new(1500), buffer: Bytes::new(4000), ..plain() };
    let mut lab = Lab::new(&config, torus(&[8]));
    // One leaves at once; with three more there are 4500 B unsent.
    (0..4).for_each(|_| lab.send(0, 1, 2, 1500));
    assert!(!lab.network.takes(0, 0) && lab.network.takes(1, 0), "another flow has a buffer of its own");
    lab.run_until(us(3));
    assert!(lab.network.takes(0, 0));
}

#[test]
fn nodes_that_know_the_same_compute_once() {
    let config = Config { interval: Span::from_us(10), ..plain() };
    let mut lab = Lab::new(&config, torus(&[8]));
    (0..8).for_each(|host| lab.send(host, host, (host + 1) % 8, 100_000));
    lab.run_until(us(11));
    assert_eq!(["computations of all rates", "most views at once"].map(|name| lab.counter(name)), [1.0, 1.0]);
    // A flow that began 150 ns ago is known by its neighbours only, which are one view, and by nobody else; they have a rate for it at once.
    lab.run_until(us(20) - Span::from_ns(150));
    lab.send(8, 4, 5, 100_000);
    lab.run_until(us(21));
    assert_eq!(lab.counter("most views at once"), 2.0);
    assert_eq!([4, 8, 5].map(|flow| lab.rate(flow)), [4.75e9, 4.75e9, 9.5e9]);
    // Where only what all know counts, it has to wait for the next.
    let mut lab = Lab::new(&Config { knowledge: Knowledge::Common, ..config }, torus(&[8]));
    (0..8).for_each(|host| lab.send(host, host, (host + 1) % 8, 100_000));
    lab.run_until(us(20) - Span::from_ns(150));
    lab.send(8, 4, 5, 100_000);
    lab.run_until(us(21));
    assert_eq!([4, 8, 5].map(|flow| lab.rate(flow)), [9.5e9, 10e9, 9.5e9]);
    lab.run_until(us(31));
    assert_eq!([4, 8, 5].map(|flow| lab.rate(flow)), [4.75e9, 4.75e9, 9.5e9]);
}

#[test]
fn valiants_packets_go_over_any_node() {
    let config = Config { routing: Routing::Valiant, ..plain() };
    let mut lab = Lab::new(&config, torus(&[4, 4]));
    lab.send(0, 0, 1, 900_000);
    lab.run_until(us(1_000));
    assert_eq!(lab.delivered.len(), 1);
    let now = us(1_000);
    let crossed = |link: u32| lab.network.link_counters(now, link).frames;
    let between =
        (0..lab.topology.links().len() as u32).filter(|link| lab.topology.link(topology::LinkId(*link)).class > 0);
    assert!(between.clone().filter(|link| crossed(*link) > 4).count() > 40, "most of 64 links carry some of it");
    // 2 links to a random node and from one, on average.
    let hops: u64 = between.map(crossed).sum::<u64>() - 2 * 15;
    assert!((2300..2500).contains(&hops), "{hops} hops of 600 packets");
}
