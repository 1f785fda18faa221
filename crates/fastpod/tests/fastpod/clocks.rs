//! Clocks that are off (§4): guard bands absorb so much, and what is more makes packets collide.

use crate::lab::{Lab, pod};
use fastpod::Config;
use units::{Span, Time};

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
