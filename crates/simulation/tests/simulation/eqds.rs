//! EQDS, against what its paper says of it (Olteanu et al., NSDI 2022): incasts as fast as the receiver's link with queues of a few packets, high
//! throughput of permutations, fair shares, and the same over switches that only drop.

use crate::lab::{Lab, Report, fabric, flows, ms, star, tree, us};
use engine::{Control, Seed};
use ethernet::{Config, Ethernet, Fifo, Length, Port, Trim, Trimming};
use topology::Shape;
use transport::Config as Protocol;
use transport::config::{Backend, Eqds};
use units::{Bytes, Rate, Span};
use workload::{Group, Kind, Pairs, Permutation, Rounds};
use xfabric::network::{Config as RackConfig, Start, XFabric};

const MTU: u64 = 9000;
const PAYLOAD: u64 = MTU - 40;

fn queue_of(packets: u32) -> Port {
    Port { queue: Length::Packets(packets), ecn_threshold: None, red: None, loss: 0.0 }
}

/// Queues of 8 packets, as NDP's.
fn trimming() -> Config {
    let trim = Some(Trim { header: Bytes::new(64), headers_in_a_row: 10 });
    Config { mtu: Bytes::new(MTU), framing: Bytes::ZERO, port: queue_of(8), trimming: trim, ..fabric() }
}

fn run(lab: &Lab, eqds: Eqds) -> Report {
    let network = Ethernet::<Trimming>::new(&lab.fabric, &lab.topology, Seed(1)).unwrap();
    lab.run_over(network, &Protocol::Eqds(eqds), &Control::default())
}

/// Everything over one link of 10 Gb/s, headers included.
fn alone(senders: u64, bytes: u64) -> Span {
    Span::from_ps(senders * (bytes + 40 * bytes.div_ceil(PAYLOAD)) * 800)
}

/// How many times as long as its receiver's link needs an incast of 450 KB from each takes.
fn incast(report: &Report, senders: u64) -> f64 {
    assert!(report.is_done(), "{:?}", report.outcome.ended);
    let last = report.integers("flows", "fct_ps").into_iter().max().unwrap().unwrap();
    last as f64 / alone(senders, 450_000).as_ps() as f64
}

#[test]
fn a_permutation_has_nearly_the_full_rate() {
    let permutation = Permutation { pairs: Pairs::Random { count: None }, size: None, rounds: Rounds::default() };
    let mut lab = Lab::new(tree(4), vec![Group::new("permutation", Kind::Permutation(permutation))], ms(10));
    (lab.warmup, lab.fabric) = (ms(2), trimming());
    let report = run(&lab, Eqds::default());
    let goodputs = report.goodputs();
    let payload = 10.0 * PAYLOAD as f64 / MTU as f64;
    let mean = goodputs.iter().sum::<f64>() / goodputs.len() as f64;
    assert!(mean > 0.94 * payload, "{mean} of {payload}: {goodputs:?}");
    assert!(goodputs.iter().all(|goodput| *goodput > 0.85 * payload), "{goodputs:?}");
    assert_eq!((report.summary("total_dropped_frames"), report.summary("timeouts")), (0, 0));
}

#[test]
fn an_incast_of_any_size_takes_as_long_as_the_link_of_its_receiver() {
    for senders in [2, 5, 12, 40, 120] {
        let list = (1..=senders).map(|src| (src, 0, Bytes::new(450_000), us(0)));
        let mut lab = Lab::new(tree(8), flows(list), ms(1000));
        lab.fabric = trimming();
        let report = run(&lab, Eqds::default());
        let ratio = incast(&report, u64::from(senders));
        // A hundredth of the link is left free on purpose, and it takes a round trip of about 50 us until anything comes.
        assert!((1.0..1.08).contains(&ratio), "{senders}: {ratio}");
        // Nothing is lost, but where there are more headers at once than have room.
        let dropped = report.summary("total_dropped_frames");
        assert!(dropped == 0 || senders > 40, "{senders}: {dropped}");
        // No queue is longer than it can be: 8 packets and as much in headers.
        assert!(report.downlink("host-0", "max_queue_bytes") <= 16.0 * MTU as f64);
    }
}

#[test]
fn without_trimming_credit_alone_keeps_the_queue_of_an_incast_short() {
    for senders in [2, 12, 120] {
        let list = (1..=senders).map(|src| (src, 0, Bytes::new(450_000), us(0)));
        let mut lab = Lab::new(tree(8), flows(list), ms(1000));
        lab.fabric = Config { trimming: None, port: queue_of(100), ..trimming() };
        let eqds = Protocol::Eqds(Eqds { backend: Backend::Rts, ..Eqds::default() });
        let report = lab.run_with::<Fifo>(&eqds, &Control::default());
        let ratio = incast(&report, u64::from(senders));
        assert!((1.0..1.08).contains(&ratio), "{senders}: {ratio}");
        assert_eq!((report.summary("total_dropped_frames"), report.summary("retransmits")), (0, 0), "{senders}");
        assert!(report.downlink("host-0", "max_queue_bytes") < 8.0 * MTU as f64, "{senders}");
    }
}

#[test]
fn senders_to_one_host_share_its_link() {
    let mut lab = Lab::new(tree(4), flows((1..14).map(|src| (src, 0, Bytes::MAX, us(0)))), ms(40));
    (lab.warmup, lab.fabric) = (ms(5), trimming());
    let report = run(&lab, Eqds::default());
    let goodputs = report.goodputs();
    let share = 10.0 * PAYLOAD as f64 / MTU as f64 / 13.0;
    assert!(goodputs.iter().all(|goodput| (0.95..1.01).contains(&(goodput / share))), "{share}: {goodputs:?}");
    // Once the first windows have come, the queue is that of credit: short, and nothing is trimmed.
    assert!(report.downlink("host-0", "mean_queue_bytes") < 2.0 * MTU as f64);
}

#[test]
fn no_loss_of_any_kind_of_frame_stalls_a_flow() {
    // Links lose a frame in fifty: data, headers, acknowledgements, credit and requests alike.
    for (senders, seed) in [(2, 0), (31, 0), (31, 1), (31, 2)] {
        for (backend, window) in [(Backend::Trimming, 50), (Backend::Trimming, 1), (Backend::Rts, 50)] {
            let list = (1..=senders).map(|src| (src, 0, Bytes::new(450_000), us(0)));
            let mut lab = Lab::new(star(32), flows(list), ms(20_000));
            (lab.fabric, lab.seed) = (trimming(), seed);
            lab.fabric.port.loss = 0.02;
            let report = run(&lab, Eqds { backend, window, ..Eqds::default() });
            assert!(report.is_done(), "{:?}", report.outcome.ended);
            assert_eq!(report.summary("flows_completed"), u64::from(senders));
            let counts = ["total_lost_frames", "retransmits"].map(|name| report.summary(name));
            assert!(senders < 31 || counts.iter().all(|count| *count > 0), "{backend:?} {window}: {counts:?}");
        }
    }
}

/// Timers that are shorter than a packet are due before anything can be heard, over interfaces that are slow: what is due is due now, and not in the past, which
/// debug builds would not let an event be in.
#[test]
fn a_timeout_shorter_than_a_packet_ends() {
    let topology = Shape::Planes { hosts: 6, planes: 7 }.build(Rate::from_gbps(10), Span::from_us(1)).unwrap();
    let pairs = (0..6).flat_map(|host| [(host, (host + 1) % 6), (host, (host + 3) % 6)]);
    let lab = Lab::new(topology, flows(pairs.map(|(src, dst)| (src, dst, Bytes::new(60_000), us(0)))), ms(200));
    let slow = RackConfig { framing: Bytes::new(3649), start: Start::Random, ..RackConfig::default() };
    let network = XFabric::new(&slow, &lab.topology, Seed(1)).unwrap();
    let eqds = Eqds { backend: Backend::Rts, timeout: Span::from_ns(182), ..Eqds::default() };
    let report = lab.run_over(network, &Protocol::Eqds(eqds), &Control::default());
    assert_eq!(report.summary("flows_completed"), 12);
}
