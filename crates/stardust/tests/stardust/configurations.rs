//! The contract of networks, kept by Stardust whatever a person configures, while all is whole and while things break. What must hold
//! inside is checked at every event meanwhile.

use engine::Seed;
use fabric::conformance::{Breakable, Traffic, network, network_with_faults};
use proptest::prelude::*;
use stardust::config::Class;
use stardust::interior::Interior;
use stardust::{Config, Lanes, LockStep, Stardust};
use topology::{Shape, Topology};
use units::{Bytes, Rate, Span};

fn topology(three_tiers: bool) -> Topology {
    let shape = if three_tiers {
        Shape::FatTree { k: 4, oversubscription: 1.0 }
    } else {
        Shape::LeafSpine { leaves: 4, spines: 3, hosts_per_leaf: 4 }
    };
    shape.build(Rate::from_gbps(10), Span::from_us(1)).unwrap_or_else(|error| panic!("{error}"))
}

fn classes() -> impl Strategy<Value = Vec<Class>> {
    let class = (0u32..4, prop::bool::weighted(0.2)).prop_map(|(weight, low_latency)| Class { weight, low_latency });
    prop::collection::vec(class, 1..4)
}

prop_compose! {
    fn configs()(
        (size, header, packing, packet_header) in (64u64..600, 4u64..20, any::<bool>(), 0u64..32),
        (credit, watermark, step, window, speed_up) in (200u64..20_000, 1u64..100_000, 1u64..10_000, 1u64..100, 0.0..0.2),
        (interval, fci_threshold, memory, rounds) in (0u64..2000, 0u32..20, 40u32..200, 1u32..6),
        (ecn, pause) in (prop::option::of(0u64..50_000), prop::option::of(10_000u64..100_000)),
        (reassembly, timeout) in (100_000u64..1_000_000, 20u64..200),
        (signal, threshold, period) in (any::<bool>(), 2u32..4, 5u64..20),
        classes in classes(),
    ) -> Config {
        let mut config = Config::default().with_classes(&classes);
        (config.cells.size, config.cells.header) = (Bytes::new(size), Bytes::new(header));
        (config.cells.packing, config.cells.packet_header) = (packing, Bytes::new(packet_header));
        (config.credits.size, config.credits.watermark) = (Bytes::new(credit), Bytes::new(watermark));
        config.credits.step = Bytes::new(step);
        (config.credits.window, config.credits.speed_up) = (Span::from_us(window), speed_up);
        (config.credits.interval, config.credits.watchdog) = (Span::from_ns(interval), Span::from_us(400));
        (config.element.fci_threshold, config.element.memory) = (fci_threshold, memory);
        config.adapter.rounds = rounds;
        (config.adapter.ecn_threshold, config.adapter.pause_threshold) = (ecn.map(Bytes::new), pause.map(Bytes::new));
        (config.adapter.reassembly, config.adapter.reassembly_timeout) = (Bytes::new(reassembly), Span::from_us(timeout));
        config.reachability.silent_failures = !signal;
        (config.reachability.threshold, config.reachability.period) = (threshold, Span::from_us(period));
        config
    }
}

fn whole<I: Interior>(config: &Config, topology: &Topology, seed: u64, gap: u64) {
    let traffic = Traffic { hosts: 16, frames: 600, gap: Span::from_ns(gap), seed };
    let (delivered, dropped) =
        network(|| Stardust::<I>::new(config, topology, Seed(seed)).unwrap_or_else(|error| panic!("{error}")), traffic);
    assert_eq!((delivered, dropped), (600, 0));
}

fn broken<I: Interior>(config: &Config, topology: &Topology, seed: u64, gap: u64) {
    let breakable = Breakable {
        links: topology.links().len() as u32,
        nodes: topology.nodes(),
        faults: 40,
        settle: Span::from_ms(2),
    };
    let traffic = Traffic { hosts: 16, frames: 600, gap: Span::from_ns(gap), seed };
    let make = || Stardust::<I>::new(config, topology, Seed(seed)).unwrap_or_else(|error| panic!("{error}"));
    let (delivered, lost) = network_with_faults(make, traffic, breakable);
    assert_eq!(delivered + lost, 600 + 16 * 15);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn all_is_whole(config in configs(), three_tiers: bool, seed in 1u64..1000, gap in 20u64..500) {
        whole::<Lanes>(&config, &topology(three_tiers), seed, gap);
        whole::<LockStep>(&config, &topology(three_tiers), seed, gap);
    }

    #[test]
    fn things_break(config in configs(), three_tiers: bool, seed in 1u64..1000, gap in 60u64..2000) {
        broken::<Lanes>(&config, &topology(three_tiers), seed, gap);
        broken::<LockStep>(&config, &topology(three_tiers), seed, gap);
    }
}
