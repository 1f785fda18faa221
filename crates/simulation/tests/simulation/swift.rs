//! Swift, against what its paper says of it (Kumar et al., SIGCOMM 2020): delays stay near the target whatever the number of flows, nothing is lost, shares are
//! fair, and more flows than the path holds packets share it by pacing.

use crate::lab::{Lab, Report, fabric, flows, ms, star, tree, us};
use ethernet::{Config, Length, Port};
use transport::Config as Protocol;
use transport::config::{self, Swift};
use units::{Bytes, Span};

fn swift() -> Swift {
    Swift { tcp: config::Tcp { initial_window: 1, ..config::Tcp::default() }, ..Swift::default() }
}

/// Endless flows to host 0 over ports of 1000 packets, begun 10 us apart, and how they do after 10 ms.
fn endless(senders: u32, swift: &Swift) -> Report {
    let list = (1..=senders).map(|src| (src, 0, Bytes::MAX, us(u64::from(src) * 10)));
    let mut lab = Lab::new(star(senders + 1), flows(list), ms(40));
    lab.warmup = ms(10);
    let port = Port { queue: Length::Packets(1000), ecn_threshold: None, red: None, loss: 0.0 };
    lab.fabric = Config { port, ..fabric() };
    lab.run(&Protocol::Swift(swift.clone()))
}

/// Jain's index of fairness.
fn jain(rates: &[f64]) -> f64 {
    let (sum, squares) = rates.iter().fold((0.0, 0.0), |(sum, squares), rate| (sum + rate, squares + rate * rate));
    sum * sum / (rates.len() as f64 * squares)
}

#[test]
fn the_queue_stays_at_the_target_and_flows_share_the_link() {
    for senders in [2, 10, 100] {
        let report = endless(senders, &swift());
        let rates = report.goodputs();
        let (sum, queue) = (rates.iter().sum::<f64>(), report.downlink("host-0", "mean_queue_bytes"));
        // All of the link, of which 1460 B of 1538 are payload.
        assert!((sum / (10.0 * 1460.0 / 1538.0) - 1.0).abs() < 0.001, "{senders}: {sum}");
        assert!(jain(&rates) > 0.99, "{senders}: {rates:?}");
        // What the target of a window leaves to the queue, where all windows together are the queue and what is under way.
        let target = |window: f64| (20e-6 + (32.655e-6 / window.sqrt() - 3.2655e-6).clamp(0.0, 100e-6)) * 1.25e9;
        let expected =
            (0..100).fold(25_000.0, |queue: f64, _| target((queue + 10_000.0) / 1538.0 / f64::from(senders)));
        assert!((0.9..1.5).contains(&(queue / expected)), "{senders}: {queue} for {expected}");
        assert!(report.downlink("host-0", "max_queue_bytes") < 2.6 * expected, "{senders}");
        let lost = ["total_dropped_frames", "retransmits", "timeouts"].map(|name| report.summary(name));
        assert_eq!(lost, [0; 3], "{senders}");
    }
    // It is flow scaling that makes it fair (§3.5): with one target for all, what a flow has by chance it keeps for long.
    let flat = endless(100, &Swift { flow_range: Span::ZERO, ..swift() });
    assert!(jain(&flat.goodputs()) < 0.8, "{}", jain(&flat.goodputs()));
}

#[test]
fn an_incast_that_begins_at_once_ends_without_a_timeout() {
    // 100 senders with a window of one packet each, far more than the 6 that the path holds: all but the first round is paced.
    let list = (1..=100).map(|src| (src, 0, Bytes::new(150_000), us(0)));
    let mut lab = Lab::new(star(101), flows(list), ms(1000));
    lab.fabric.port.queue = Length::Packets(150);
    let report = lab.run(&Protocol::Swift(swift()));
    assert!(report.is_done(), "{:?}", report.outcome.ended);
    let lost = ["total_dropped_frames", "retransmits", "timeouts"].map(|name| report.summary(name));
    assert_eq!(lost, [0; 3]);
    // 103 packets each over 10 Gb/s.
    let last = report.integers("flows", "fct_ps").into_iter().max().unwrap().unwrap() as f64 / 1e12;
    let alone = 100.0 * 103.0 * 1538.0 * 8.0 / 10e9;
    assert!(last < 1.1 * alone, "{last} for {alone}");
}

#[test]
fn targets_follow_the_length_of_the_path() {
    // A flow within a switch and one across three tiers into the same host.
    let shares = |hop_target| {
        let list = [(1, 0, Bytes::MAX, us(0)), (15, 0, Bytes::MAX, us(0))];
        let mut lab = Lab::new(tree(4), flows(list), ms(40));
        lab.warmup = ms(10);
        let goodputs = lab.run(&Protocol::Swift(Swift { hop_target, ..swift() })).goodputs();
        goodputs[0] / (goodputs[0] + goodputs[1])
    };
    // By default the target grows by what the longer path takes, and both get about as much. With one target for both, the shorter path wins, and with more
    // for each link than it takes, the longer one.
    let [fair, short, long] = [None, Some(Span::ZERO), Some(Span::from_us(5))].map(shares);
    assert!((0.4..0.6).contains(&fair) && short > 0.8 && long < 0.3, "{fair} {short} {long}");
}
