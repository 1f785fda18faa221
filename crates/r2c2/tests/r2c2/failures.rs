//! What is lost, and that it stops nothing.

use crate::lab::{Lab, link, torus, us};
use engine::Seed;
use fabric::{Fault, Network};
use r2c2::{Config, Knowledge};
use settings::Length;
use units::{Bytes, Span};

fn whole_messages() -> Config {
    Config { mtu: Bytes::new(1_000_000_000), ..Config::default() }
}

#[test]
fn announcements_that_find_no_room_are_sent_again() {
    for knowledge in [Knowledge::EachNode, Knowledge::Common] {
        let config =
            Config { queue: Some(Length::Packets(4)), interval: Span::from_us(50), knowledge, ..whole_messages() };
        let mut lab = Lab::new(&config, torus(&[4, 4]));
        // All to one, so that the links around it are full until there are rates.
        for host in 1..16 {
            (0..4).for_each(|more| lab.send(host * 4 + more, host, 0, 100_000));
        }
        lab.run_until(us(500));
        assert!(lab.counter("announcements that found no room") > 0.0, "{knowledge:?}");
        // Whoever has not ended has a rate, and all of those share the links to that host.
        lab.run_out(us(60_000));
        assert_eq!(lab.counter("flows"), 60.0);
        let totals = lab.network.totals();
        assert_eq!((totals.delivered + totals.dropped, totals.in_flight), (60, 0));
        // Nobody takes them for flows any more: the next has all that there is.
        lab.run_until(us(200_000));
        lab.send(99, 1, 2, 10_000_000);
        lab.run_until(us(200_060));
        assert_eq!(lab.rate(99), 9.5e9);
    }
}

#[test]
fn wrong_bits_hide_flows_until_they_are_announced_again() {
    let config = Config { refresh: Span::from_us(100), interval: Span::from_us(20), ..whole_messages() };
    let mut lab = Lab::new(&config, torus(&[8]));
    // Host 0 hears nothing of host 2, nor the other way round: nearly everything on these links is wrong.
    let noisy: Vec<u32> = ["1", "7"]
        .iter()
        .flat_map(|near| {
            [
                link(&lab.topology, &format!("switch-{near}"), "switch-0"),
                link(&lab.topology, "switch-0", &format!("switch-{near}")),
            ]
        })
        .collect();
    noisy.iter().for_each(|link| lab.fault(Fault::BitErrors { link: *link, rate: 0.5 }));
    lab.send(0, 2, 4, 100_000_000);
    lab.run_until(us(30));
    noisy.iter().for_each(|link| lab.fault(Fault::BitErrors { link: *link, rate: 0.0 }));
    // From 0 to 4 there are two paths, of which one shares two links with the other flow: of which host 0 does not know.
    lab.send(1, 0, 4, 100_000_000);
    lab.run_until(us(50));
    assert_eq!(lab.rate(1), 19e9);
    // Half of it and all of the other make 9.5 Gb/s.
    lab.run_until(us(150));
    assert!((lab.rate(1) / (9.5e9 / 1.5) - 1.0).abs() < 1e-6, "{}", lab.rate(1));
    assert!(lab.counter("packets lost to bit errors") > 0.0);
}

#[test]
fn the_end_of_a_flow_that_somebody_misses_is_forgotten_in_time() {
    let config = Config { refresh: Span::from_us(100), interval: Span::from_us(20), ..whole_messages() };
    let mut lab = Lab::new(&config, torus(&[8]));
    lab.send(0, 2, 4, 50_000);
    lab.send(1, 0, 4, 100_000_000);
    lab.run_until(us(30));
    let rate = lab.rate(1);
    for near in ["1", "7"] {
        lab.fault(Fault::BitErrors { link: link(&lab.topology, &format!("switch-{near}"), "switch-0"), rate: 0.5 });
    }
    // It has ended, and host 0 goes on as if it had not.
    lab.run_until(us(150));
    assert_eq!((lab.delivered.len(), lab.rate(1)), (1, rate));
    assert!((rate / (9.5e9 / 1.5) - 1.0).abs() < 1e-6, "{rate}");
    lab.run_until(us(450));
    assert_eq!(lab.rate(1), 19e9);
}

#[test]
fn flows_go_another_way_when_a_link_fails() {
    for knowledge in [Knowledge::EachNode, Knowledge::Common] {
        let config =
            Config { convergence: Span::from_us(30), interval: Span::from_us(50), knowledge, ..whole_messages() };
        let mut lab = Lab::new(&config, torus(&[8]));
        lab.send(0, 0, 1, 100_000_000);
        lab.send(1, 7, 6, 100_000_000);
        lab.run_until(us(60));
        assert_eq!([lab.rate(0), lab.rate(1)], [9.5e9, 9.5e9]);
        lab.fault(Fault::Link { link: link(&lab.topology, "switch-0", "switch-1"), up: false });
        // Seven links round, one of which is that of the other flow.
        lab.run_until(us(101));
        assert_eq!([lab.rate(0), lab.rate(1)], [4.75e9, 4.75e9]);
        lab.fault(Fault::Link { link: link(&lab.topology, "switch-0", "switch-1"), up: true });
        lab.run_until(us(151));
        assert_eq!([lab.rate(0), lab.rate(1)], [9.5e9, 9.5e9]);
        // What was on the link is lost, with the message that it is of; the other arrives.
        lab.run_out(us(100_000));
        assert_eq!(lab.delivered.iter().map(|(flow, _)| *flow).collect::<Vec<_>>(), [1]);
        assert_eq!(lab.network.totals().lost, 1);
    }
}

#[test]
fn a_node_that_was_down_learns_all_flows_anew() {
    let config = Config { convergence: Span::from_us(10), interval: Span::from_us(50), ..whole_messages() };
    let mut lab = Lab::new(&config, torus(&[4, 4]));
    let node = lab.topology.find_node("switch-5").unwrap().0;
    for flow in 0..3 {
        lab.send(flow, 4, 6, 100_000_000);
    }
    lab.run_until(us(60));
    for up in [false, true] {
        lab.fault(Fault::Node { node, up });
        lab.run_until(us(if up { 140 } else { 100 }));
    }
    // Half of each flow goes through it, and it has a flow of its own to one of the two.
    lab.send(9, 5, 6, 100_000_000);
    lab.run_until(us(201));
    let rates = [0, 1, 2, 9].map(|flow| lab.rate(flow));
    assert!(rates.iter().all(|rate| (rate / (9.5e9 / 2.5) - 1.0).abs() < 1e-6), "{rates:?}");
}

#[test]
fn a_host_that_fails_is_no_source_any_more() {
    let config = Config {
        convergence: Span::from_us(10),
        interval: Span::from_us(50),
        refresh: Span::from_us(100),
        ..whole_messages()
    };
    let mut lab = Lab::new(&config, torus(&[8]));
    lab.send(0, 0, 1, 100_000_000);
    lab.send(1, 7, 1, 100_000_000);
    lab.run_until(us(60));
    assert_eq!([lab.rate(0), lab.rate(1)], [4.75e9, 4.75e9]);
    lab.fault(Fault::Node { node: 0, up: false });
    assert_eq!(lab.network.totals().lost, 1);
    lab.run_until(us(500));
    assert_eq!(lab.rate(1), 9.5e9);
    assert!(!lab.network.has_room(us(500), 0));
    lab.fault(Fault::Node { node: 0, up: true });
    lab.run_until(us(600));
    lab.send(2, 0, 1, 100_000_000);
    lab.run_until(us(700));
    assert_eq!([lab.rate(2), lab.rate(1)], [4.75e9, 4.75e9]);
}

#[test]
fn the_same_seed_does_the_same() {
    let run = |seed: u64| {
        let config = Config { interval: Span::from_us(20), queue: Some(Length::Packets(20)), ..whole_messages() };
        let mut lab = Lab::new(&config, torus(&[4, 4]));
        let mut stream = Seed(seed).stream("test", 0);
        for flow in 0..200 {
            lab.run_until(us(u64::from(flow)));
            let src = stream.below(16) as u32;
            lab.send(flow, src, (src + 1 + stream.below(15) as u32) % 16, 1 + stream.below(50_000) as u32);
        }
        lab.run_out(us(100_000));
        (lab.delivered.clone(), lab.network.counters())
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}
