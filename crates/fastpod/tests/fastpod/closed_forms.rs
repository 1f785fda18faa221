//! What the closed forms say is what happens.

use crate::lab::{Lab, ns, pod};
use fastpod::timing::{Cables, Latency};
use fastpod::{Config, Rig};
use std::sync::Arc;
use units::Span;

fn cables(config: &Config) -> Cables {
    let cable = Span::from_us(1);
    Cables { host: cable, rack: cable, arbiter: config.arbiter_delay, switch: config.switch_latency }
}

#[test]
fn slots_are_handed_out_as_far_ahead_as_in_a_pod() {
    for (delay, latency, switch) in [(1000, 0, 0), (50, 0, 0), (1000, 700, 0), (3000, 10_000, 400), (1, 1, 1)] {
        let config = Config {
            arbiter_delay: Span::from_ns(delay),
            arbiter_latency: Span::from_ns(latency),
            switch_latency: Span::from_ns(switch),
            guard: Span::from_ns(10),
            ..Config::default()
        };
        let rig = Rig::new(&Arc::new(pod(4, 4, 4)), &config).unwrap();
        let found = cables(&config).turnaround(config.arbiter_latency, rig.layout().slot());
        assert_eq!(found.ahead, rig.ahead(), "{delay} {latency} {switch}");
    }
}

/// One packet alone, offered at every 10 ns of more than a slot, by every host of a rack to every host of another.
#[test]
fn packets_take_as_long_as_they_say() {
    let config = Config { guard: Span::from_ns(4), arbiter_latency: Span::from_ns(100), ..Config::default() };
    let topology = pod(4, 4, 4);
    let rig = Rig::new(&Arc::new(topology.clone()), &config).unwrap();
    let said = Latency::new(&cables(&config), rig.layout(), rig.ahead());
    for optimistic in [false, true] {
        let config = Config { optimistic, ..config.clone() };
        let mut took = Vec::new();
        for (source, destination) in (0..4).flat_map(|source| (4..8).map(move |destination| (source, destination))) {
            for begin in (0..=40).map(|step| 20_000 + 10 * step) {
                let mut lab = Lab::new(&config, &topology, 1);
                lab.run_until(ns(begin));
                lab.send(1, source, destination, 1460);
                lab.run_until(ns(begin + 20_000));
                let &[(1, at)] = lab.delivered.as_slice() else { panic!("{:?}", lab.delivered) };
                took.push(at.since(ns(begin)));
            }
        }
        let (least, most) = (took.iter().min().copied().unwrap(), took.iter().max().copied().unwrap());
        if optimistic {
            assert_eq!(least, said.optimistic);
        } else {
            let (step, mean) = (Span::from_ns(10), took.iter().copied().sum::<Span>() / took.len() as u64);
            assert!(said.least <= least && least <= said.least + step, "{least}, {said:?}");
            assert!(most <= said.most && said.most <= most + step, "{most}, {said:?}");
            assert!(mean.as_ps().abs_diff(said.mean.as_ps()) < 12_000, "{mean}, {said:?}");
        }
    }
}
