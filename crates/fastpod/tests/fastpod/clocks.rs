//! Clocks that are off (§4): guard bands absorb so much, and what is more makes packets collide.

use crate::lab::{Lab, pod};
use fabric::{Collision, Network};
use fastpod::Config;
use units::{Bytes, Span, Time};

/// Collisions under much traffic of everybody to everybody, and how far clocks were off at most, in ps.
fn collisions(config: &Config, seed: u64) -> (f64, f64) {
    let mut lab = Lab::new(config, &pod(4, 4, 4), seed);
    let mut flow = 0;
    for round in 1..=40 {
        for src in 0..16 {
            for dst in (0..16).filter(|dst| *dst != src) {
                lab.send(flow, src, dst, 3000);
                flow += 1;
            }
        }
        lab.run_until(Time::ZERO + Span::from_us(10 * round));
    }
    (lab.counter("collisions of scheduled packets"), lab.counter("largest error of a clock"))
}

#[test]
fn an_error_within_half_of_the_guard_band_does_no_harm_and_a_larger_one_does() {
    for seed in 1..4 {
        for optimistic in [false, true] {
            let config = Config { guard: Span::from_ns(10), optimistic, ..Config::default() };
            let within = Config { clock_error: Span::from_ns(5), ..config.clone() };
            let (collided, error) = collisions(&within, seed);
            assert_eq!(collided, 0.0);
            assert!(error > 2500.0 && error <= 5000.0, "{error}");
            let beyond = Config { clock_error: Span::from_ns(20), ..config };
            assert!(collisions(&beyond, seed).0 > 0.0);
        }
    }
}

#[test]
fn clocks_that_drift_are_kept_right_by_answers() {
    // 100 ppm are 40 ns in the 400 us that this takes.
    let config = Config {
        guard: Span::from_ns(10),
        clock_drift: 100.0,
        clock_resolution: Span::from_ns(1),
        optimistic: false,
        ..Config::default()
    };
    let (collided, error) = collisions(&config, 1);
    assert_eq!(collided, 0.0);
    assert!(error < 2000.0, "{error}");
    let (collided, error) = collisions(&Config { clock_tracking: false, ..config }, 1);
    assert!(collided > 0.0 && error > 10_000.0, "{collided} {error}");
}

/// What collides is told: the port, when, and both packets.
#[test]
fn who_met_whom_and_when_is_told() {
    let topology = pod(4, 4, 4);
    // Requests are so long that those of neighbouring gaps can meet before an arbiter.
    let config = Config {
        control: Bytes::new(500),
        guard: Span::from_ns(10),
        clock_error: Span::from_ns(100),
        optimistic: false,
        ..Config::default()
    };
    let mut lab = Lab::new(&config, &topology, 1);
    for (flow, (src, dst)) in (0..).zip((0..16).flat_map(|src| (0..16).map(move |dst| (src, dst)))) {
        if src != dst {
            lab.send(flow, src, dst, 30_000);
        }
    }
    lab.run_until(Time::ZERO + Span::from_us(200));
    let met: Vec<Collision> = std::iter::from_fn(|| lab.network.take_collision()).collect();
    assert_eq!(met.len() as f64, lab.counter("collisions of scheduled packets"));
    assert!(met.len() > 10 && met.windows(2).all(|pair| pair[0].at <= pair[1].at));
    assert_eq!(met[0].at.as_ps() as f64, lab.counter("first collision"));
    let tor = |host: u32| topology.link(topology::LinkId(topology.ports(topology::NodeId(host)).start)).to.0;
    for Collision { from, link, lost, met, .. } in &met {
        assert_ne!((lost.kind, lost.source, lost.destination), (met.kind, met.source, met.destination));
        if let Some(link) = link {
            let link = topology.link(topology::LinkId(*link));
            assert_eq!(link.from.0, *from);
            // Before a host's link both are for that host.
            if link.to.0 < topology.hosts() {
                assert_eq!([lost.destination, met.destination], [Some(link.to.0); 2]);
            }
        } else {
            assert_eq!([lost.kind, met.kind], ["request"; 2], "only they go to an arbiter");
            assert_eq!([lost.source, met.source].map(|host| tor(host.unwrap())), [*from; 2]);
        }
        for party in [lost, met] {
            let is_data = party.kind == "data";
            assert_eq!(party.slot.is_some(), is_data);
            assert!(is_data || party.flow.is_none());
            if let (Some([flow, _]), Some(source), Some(destination)) = (party.flow, party.source, party.destination) {
                assert_eq!(flow, source * 16 + destination);
            }
        }
    }
    let kinds = |kind| met.iter().any(|collision| collision.lost.kind == kind || collision.met.kind == kind);
    assert!(kinds("data") && kinds("request") && kinds("answer"));
    assert!(met.iter().any(|collision| collision.link.is_none()), "some requests met before an arbiter");
}
