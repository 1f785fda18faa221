//! What happens when, in a pod of the paper's size.

use crate::lab::{Lab, ns, pod};
use fastpod::Config;
use units::{Span, Time};

fn scheduled() -> Config {
    Config { optimistic: false, ..Config::default() }
}

#[test]
fn a_packet_that_is_scheduled() {
    let mut lab = Lab::new(&scheduled(), &pod(4, 4, 4), 1);
    lab.run_until(ns(10_000));
    lab.send(1, 0, 5, 1460);
    lab.run_until(ns(30_000));
    let &[(1, at)] = lab.delivered.as_slice() else { panic!("{:?}", lab.delivered) };
    println!("{}", at.since(ns(10_000)));
    assert_eq!(lab.counter("collisions of scheduled packets"), 0.0);
    // To the arbiter and back 4 us, to the receiver 4 us, and up to two slots each way for gaps.
    assert!(at.since(ns(10_000)) > Span::from_ns(8120) && at.since(ns(10_000)) < Span::from_ns(9700), "{at}");
}

#[test]
fn a_packet_that_is_not() {
    let mut lab = Lab::new(&Config::default(), &pod(4, 4, 4), 1);
    lab.run_until(ns(10_000));
    lab.send(1, 0, 5, 1460);
    lab.run_until(ns(30_000));
    let &[(1, at)] = lab.delivered.as_slice() else { panic!("{:?}", lab.delivered) };
    println!("{}", at.since(ns(10_000)));
    assert!(at.since(ns(10_000)) < Span::from_ns(4500), "{at}");
    assert_eq!(lab.counter("pieces that came again"), 1.0, "and again when it was scheduled");
    assert_eq!(lab.network_totals(), (1, 1));
}

#[test]
fn everybody_to_everybody_meets_nobody() {
    for (optimistic, racks, planes, hosts) in [(false, 4, 4, 4), (true, 4, 4, 4), (false, 3, 2, 3), (true, 2, 8, 8)] {
        let config = Config { optimistic, ..Config::default() };
        let mut lab = Lab::new(&config, &pod(racks, planes, hosts), 1);
        let all = racks * hosts;
        let mut flow = 0;
        for round in 0..20 {
            for src in 0..all {
                for dst in (0..all).filter(|dst| *dst != src) {
                    lab.send(flow, src, dst, 100 + 700 * (flow % 13));
                    flow += 1;
                }
            }
            lab.run_until(Time::ZERO + Span::from_us(5 * (round + 1)));
        }
        lab.run_until(Time::ZERO + Span::from_ms(3));
        assert_eq!(lab.delivered.len() as u32, flow, "{optimistic} {racks} {planes} {hosts}");
        assert_eq!(lab.counter("collisions of scheduled packets"), 0.0);
        assert!(optimistic == (lab.counter("of these, dropped") > 0.0));
    }
}
