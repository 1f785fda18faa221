//! The contract of networks, kept by racks that change their circuits and by racks that do not.

use engine::Seed;
use fabric::conformance::{Breakable, Tally, Traffic, network, network_with_faults, observed};
use topology::{Shape, Topology};
use units::{Bytes, Rate, Span, Time};
use xfabric::control::Exchanges;
use xfabric::network::rig::Rig;
use xfabric::network::{Config, Control, ControlPlane, Multipath, ProtocolSettings, Start, XFabric};

/// SoCs with six ports of 1 Gb/s.
fn rack(socs: u32) -> Topology {
    Shape::Planes { hosts: socs, planes: 6 }.build(Rate::from_gbps(1), Span::from_ns(10)).unwrap()
}

/// Changes its circuits every 400 us, a crosspoint every 20 us.
fn restless() -> Config {
    Config {
        queue: Bytes::new(20_000),
        period: Span::from_us(400),
        control: Control::Ideal,
        ideal_tables: Span::from_us(20),
        plane: ControlPlane { message: Span::from_us(20), exchanges: Exchanges::Sequential, program: Span::from_us(4) },
        detection: Span::from_us(100),
        hop_limit: 16,
        ..Config::default()
    }
}

/// The same, told by the protocol.
fn told() -> Config {
    Config { control: Control::Protocol, protocol: settings(), ..restless() }
}

fn settings() -> ProtocolSettings {
    ProtocolSettings {
        hosts: vec![0, 1],
        takeover: Some(Span::from_us(200)),
        dies: vec![Time::ZERO + Span::from_us(900)],
        hello: Span::from_us(500),
        misses: 3,
        retry: Span::from_us(300),
        tries: 6,
    }
}

fn still() -> Config {
    Config { reconfigure: false, ..restless() }
}

fn keeps_the_contract(config: &Config, socs: u32) {
    // Far too much for the links, about what they carry, and so little that nothing waits.
    for (seed, gap) in [(1, 50), (2, 400), (3, 50_000)] {
        let traffic = Traffic { hosts: socs, frames: 4000, gap: Span::from_ns(gap), seed };
        let (delivered, gone) = network(|| XFabric::new(config, &rack(socs), Seed(seed)).unwrap(), traffic);
        assert_eq!(delivered + gone, 4000);
        assert!(delivered > 1000, "{delivered} delivered at {gap} ns");
        if config.period().is_none() {
            assert!(if gap == 50 { gone > 0 } else { gap == 400 || gone == 0 }, "{gone} gone at {gap} ns");
        }
    }
}

#[test]
fn racks_that_stay_as_they_are() {
    for start in [Start::Torus, Start::Random, Start::Uniform] {
        keeps_the_contract(&Config { start, ..still() }, 27);
    }
    keeps_the_contract(&Config { start: Start::Uniform, ..still() }, 2);
    keeps_the_contract(&Config { routing: Multipath::Packet, ..still() }, 27);
}

#[test]
fn racks_that_follow_demand() {
    for start in [Start::Torus, Start::Random, Start::Uniform] {
        keeps_the_contract(&Config { start, ..restless() }, 27);
    }
    keeps_the_contract(&Config { start: Start::Uniform, ..restless() }, 2);
    keeps_the_contract(&Config { routing: Multipath::Packet, ..restless() }, 16);
    // Light takes its time, and mirrors take longer than a queue.
    let optical = Config { switching: Span::from_us(30), crosspoint_latency: Span::from_us(2), ..restless() };
    keeps_the_contract(&Config { start: Start::Uniform, ..optical }, 12);
}

#[test]
fn racks_that_follow_demand_by_the_protocol() {
    for start in [Start::Torus, Start::Random, Start::Uniform] {
        keeps_the_contract(&Config { start, ..told() }, 27);
    }
    keeps_the_contract(&Config { start: Start::Uniform, ..told() }, 2);
    let plane = ControlPlane { exchanges: Exchanges::Parallel, ..told().plane };
    keeps_the_contract(&Config { routing: Multipath::Packet, plane, ..told() }, 16);
}

fn survives(config: &Config, socs: u32) {
    survives_within(config, socs, Span::from_ms(2));
}

/// The protocol has to find out by hellos and by answers that do not come.
fn survives_within(config: &Config, socs: u32, settle: Span) {
    let topology = rack(socs);
    let breakable = Breakable { links: topology.links().len() as u32, nodes: topology.nodes(), faults: 60, settle };
    for (seed, gap) in [(1, 300), (2, 1000), (3, 5000)] {
        let traffic = Traffic { hosts: socs, frames: 2000, gap: Span::from_ns(gap), seed };
        let make = || XFabric::new(config, &topology, Seed(seed)).unwrap();
        let (delivered, gone) = network_with_faults(make, traffic, breakable);
        assert_eq!(delivered + gone, 2000 + u64::from(socs * (socs - 1)));
        assert!(gone > 20 && delivered > 500, "{gone} gone, {delivered} delivered at {gap} ns");
    }
}

#[test]
fn parts_that_break_and_are_repaired() {
    survives(&still(), 8);
    survives(&Config { start: Start::Random, detection: Span::ZERO, ..still() }, 12);
    survives(&restless(), 8);
    survives(&Config { start: Start::Uniform, routing: Multipath::Packet, ..restless() }, 12);
    // At the end no period ends while pairs are tried: what a pair sends would change circuits under the next.
    let told = Config { period: Span::from_ms(2), ..told() };
    let plane = ControlPlane { exchanges: Exchanges::Parallel, ..told.plane };
    survives_within(&told, 8, Span::from_ms(51));
    survives_within(&Config { start: Start::Uniform, plane, ..told }, 12, Span::from_ms(51));
    // Nothing is reconfigured before all is over.
    survives(&Config { reconfigure_from: Time::ZERO + Span::from_ms(1000), ..restless() }, 8);
}

#[test]
fn all_is_shown_to_who_looks_on() {
    for config in [still(), restless(), told()] {
        let config = Config { start: Start::Uniform, ..config };
        let tally = Tally::default();
        let rig = Rig::new(&config, &rack(12)).unwrap();
        let network = XFabric::on(&config, rig, Seed(1), tally.clone()).unwrap();
        let sums = observed(network, &tally, Traffic { hosts: 12, frames: 4000, gap: Span::from_ns(400), seed: 1 });
        let [made, ended] = sums.circuits;
        assert_eq!(made > 0, config.period().is_some(), "{made} circuits were made");
        assert!(
            made >= ended && sums.arrived > 0 && sums.delivered > 1000,
            "{made} made, {ended} ended, {}",
            sums.delivered
        );
    }
}
