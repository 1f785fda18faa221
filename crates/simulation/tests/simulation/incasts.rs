//! Incasts of any size, under every transport, over what it is made for, with and without frames that links lose.

use crate::lab::{Lab, Report, fabric, flows, ms, reliable, star, us};
use engine::Control;
use ethernet::{Config, Fifo, Length, Pausing, Pfc, Port, Ranked, Trim, Trimming};
use fabric::Red;
use proptest::prelude::*;
use transport::{Config as Protocol, config};
use units::Bytes;

/// Ports of the kind that a transport is run over.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Ports {
    /// That drop.
    Dropping,
    /// That trim.
    Trimming,
    /// That pause.
    Pausing,
    /// That order by rank.
    Ranked,
}

/// Every transport that sees to it that all arrives, over the ports that it may be run over.
fn systems() -> Vec<(Protocol, Ports)> {
    let everywhere = reliable()
        .into_iter()
        .flat_map(|transport| [Ports::Dropping, Ports::Pausing].map(|ports| (transport.clone(), ports)));
    let ndp = Protocol::Ndp(config::Ndp::default());
    let eqds = Protocol::Eqds(config::Eqds::default());
    let pfabric = Protocol::Pfabric(config::Pfabric::default());
    everywhere.chain([(ndp, Ports::Trimming), (eqds, Ports::Trimming), (pfabric, Ports::Ranked)]).collect()
}

/// Hosts `1..=senders` each send so much to host 0, over links that lose this share of all frames.
fn incast((transport, ports): &(Protocol, Ports), senders: u32, bytes: u64, loss: f64, seed: u64) -> Report {
    let list = (1..=senders).map(|host| (host, 0, Bytes::new(bytes), us(0)));
    let mut lab = Lab::new(star(senders + 1), flows(list), ms(600_000));
    let port = Port { loss, ..lab.fabric.port };
    let control = Control::default();
    lab.seed = seed;
    match ports {
        Ports::Dropping => {
            lab.fabric = Config { port, ..lab.fabric };
            lab.run_with::<Fifo>(transport, &control)
        }
        Ports::Trimming => {
            let trimming = Some(Trim { header: Bytes::new(64), headers_in_a_row: 10 });
            let port = Port { queue: Length::Packets(8), ecn_threshold: None, ..port };
            lab.fabric = Config { port, trimming, ..fabric() };
            lab.run_with::<Trimming>(transport, &control)
        }
        Ports::Ranked => {
            let port = Port { queue: Length::Packets(24), ecn_threshold: None, ..port };
            lab.fabric = Config { port, pfabric: true, ..fabric() };
            lab.run_with::<Ranked>(transport, &control)
        }
        Ports::Pausing => {
            // Memory for a few packets of each sender beside the headroom: everybody is paused.
            let pfc = Pfc { buffer: Bytes::new(200_000 + 40_000 * u64::from(senders + 1)), ..Pfc::default() };
            let port = Port { queue: Length::Packets(1), ecn_threshold: None, red: Some(Red::default()), ..port };
            lab.fabric = Config { port, pfc: Some(pfc), ..fabric() };
            lab.run_with::<Pausing>(transport, &control)
        }
    }
}

/// All of it arrives.
fn ends(report: &Report, senders: u32, system: &(Protocol, Ports)) {
    assert!(report.is_done(), "{senders} senders over {system:?}: {:?}", report.outcome.ended);
    assert_eq!(report.summary("flows_completed"), u64::from(senders), "{system:?}");
}

#[test]
fn incasts_of_all_sizes_end() {
    for system in systems() {
        for senders in [2, 3, 8, 31, 120, 431] {
            ends(&incast(&system, senders, 30_000, 0.0, 1), senders, &system);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is lost: data, acknowledgements, trimmed headers, pulls, credits, requests, notifications, pauses, and the
    /// last frame of all.
    #[test]
    fn every_incast_ends_whatever_is_lost(
        system in proptest::sample::select(systems()),
        senders in prop_oneof![2_u32..40, 40_u32..432],
        bytes in 1_u64..60_000,
        loss in 0.0..0.05_f64,
        seed in any::<u64>(),
    ) {
        ends(&incast(&system, senders, bytes, loss, seed), senders, &system);
    }
}
