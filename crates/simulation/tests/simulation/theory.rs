//! Against theory: what is known of queues and of congestion control must come out.

use crate::lab::{Lab, dctcp, direct, flows, ms, newreno, star, us};
use engine::Seed;
use ethernet::{Length, Port};
use transport::{Config as Protocol, config};
use units::{Bytes, Rate, Span, Time};

/// A star whose links to host 0 have 10 Gb/s and all others 40 Gb/s.
///
/// If all were alike, a flow whose packets come exactly as fast as they leave would meet a free place whenever one becomes
/// free, and another flow never: the phase effect of Floyd and Jacobson (1992), true of exactly equal clocks only.
fn dumbbell(hosts: u32) -> topology::Topology {
    let mut topology = star(hosts);
    for link in (0..topology.links().len() as u32).map(topology::LinkId) {
        if topology.link(link).to.0 != 0 {
            topology.set_link(link, Some(Rate::from_gbps(40)), None).unwrap();
        }
    }
    topology
}

/// Fraction of a link that is payload: 1460 of 1538 B on the wire.
const PAYLOAD: f64 = 1460.0 / 1538.0;

fn within(value: f64, expected: f64, tolerance: f64) {
    assert!((value / expected - 1.0).abs() <= tolerance, "{value} is not within {tolerance} of {expected}");
}

/// Poisson arrivals of single packets from many fast hosts to one slow link; returns the mean wait in units of the mean
/// service time.
fn wait(load: f64, exponential: bool) -> f64 {
    let senders = 64;
    let mut topology = star(senders + 1);
    for link in 0..topology.links().len() as u32 {
        let link = topology::LinkId(link);
        if topology.link(link).to.0 != 0 {
            topology.set_link(link, Some(Rate::from_gbps(100_000)), None).unwrap();
        }
    }
    let mean = 500.0;
    let mut stream = Seed(7).stream("arrivals", 0);
    let service_ps = mean * 800.0;
    let mut at = 0.0;
    let list = (0..150_000).map(|_| {
        at += stream.exponential(service_ps / load);
        // Headers and framing are nothing here: wire bytes are the payload.
        let bytes = if exponential { (stream.exponential(mean).round()).clamp(1.0, 9000.0) } else { mean };
        let src = 1 + stream.below(u64::from(senders)) as u32;
        (src, 0, Bytes::new(bytes as u64), Time::from_ps(at as u64))
    });
    let mut lab = Lab::new(topology, flows(list.collect::<Vec<_>>()), ms(1000));
    lab.fabric.framing = Bytes::ZERO;
    lab.fabric.mtu = Bytes::new(9000);
    lab.fabric.port = Port { queue: Length::Bytes(Bytes::new(1 << 40)), ecn_threshold: None, red: None, loss: 0.0 };
    let report = lab.run(&Protocol::Direct(config::Direct { header: Bytes::ZERO }));
    assert!(report.is_done());
    // The queue's own average: all of it minus what is being sent, by Little's law over the mean wait.
    let seconds = report.summary("simulated_ps") as f64 / 1e12;
    let bytes = report.downlink("host-0", "bytes");
    within(bytes * 8.0 / 1e10 / seconds, load, 0.02);
    let fct = report.numbers("summary", "fct_mean_ps")[0].unwrap();
    let unloaded = 2e6 + service_ps;
    (fct - unloaded) / service_ps
}

#[test]
fn constant_packets_wait_as_in_an_m_d_1_queue() {
    for load in [0.5, 0.8] {
        within(wait(load, false), load / (2.0 * (1.0 - load)), 0.05);
    }
}

#[test]
fn exponential_packets_wait_as_in_an_m_m_1_queue() {
    for load in [0.5, 0.8] {
        within(wait(load, true), load / (1.0 - load), 0.06);
    }
}

#[test]
fn a_message_alone_takes_exactly_the_ideal_time() {
    for bytes in [1, 1460, 1461, 100_000, 1_000_003] {
        let lab = Lab::new(crate::lab::tree(4), flows([(0, 15, Bytes::new(bytes), us(3))]), ms(10));
        let report = lab.run(&direct());
        assert_eq!(report.numbers("flows", "slowdown"), [Some(1.0)], "{bytes} B");
    }
}

#[test]
fn one_flow_fills_its_link() {
    let mut lab = Lab::new(star(2), flows([(0, 1, Bytes::MAX, us(0))]), ms(60));
    lab.warmup = ms(20);
    within(lab.run(&newreno()).goodputs()[0], 10.0 * PAYLOAD, 0.01);
    within(lab.run(&dctcp()).goodputs()[0], 10.0 * PAYLOAD, 0.01);
}

#[test]
fn two_flows_share_a_link() {
    let mut lab = Lab::new(dumbbell(3), flows([(1, 0, Bytes::MAX, us(0)), (2, 0, Bytes::MAX, us(777))]), ms(400));
    lab.warmup = ms(50);
    for goodputs in [lab.run(&newreno()).goodputs(), lab.run(&dctcp()).goodputs()] {
        within(goodputs.iter().sum(), 10.0 * PAYLOAD, 0.02);
        within(goodputs[0], 5.0 * PAYLOAD, 0.05);
        within(goodputs[1], 5.0 * PAYLOAD, 0.05);
    }
}

#[test]
fn a_little_jitter_at_hosts_undoes_phase_effects() {
    // All links alike: without jitter the second flow of NewReno gets nothing at all.
    let mut lab = Lab::new(star(3), flows([(1, 0, Bytes::MAX, us(0)), (2, 0, Bytes::MAX, us(777))]), ms(400));
    lab.warmup = ms(50);
    assert!(lab.run(&newreno()).goodputs()[1] < 0.1);
    lab.fabric.jitter = Span::from_ns(200);
    for goodputs in [lab.run(&newreno()).goodputs(), lab.run(&dctcp()).goodputs()] {
        within(goodputs.iter().sum(), 10.0 * PAYLOAD, 0.02);
        within(goodputs[0], 5.0 * PAYLOAD, 0.1);
    }
}

#[test]
fn dctcp_keeps_its_queue_about_the_threshold_and_newreno_fills_the_buffer() {
    let mut lab = Lab::new(dumbbell(3), flows([(1, 0, Bytes::MAX, us(0)), (2, 0, Bytes::MAX, us(777))]), ms(100));
    lab.warmup = ms(20);
    let queue = |report: &crate::lab::Report| report.downlink("host-0", "mean_queue_bytes") / 1538.0;
    let (dctcp, newreno) = (lab.run(&dctcp()), lab.run(&newreno()));
    // DCTCP §3.3: the queue oscillates below K + N: between 20 - amplitude and 22 packets, and does not run empty.
    let mean = queue(&dctcp);
    assert!((10.0..=22.0).contains(&mean), "{mean} packets on average");
    assert!(dctcp.downlink("host-0", "max_queue_bytes") / 1538.0 <= 30.0);
    assert_eq!(dctcp.downlink("host-0", "dropped_frames"), 0.0);
    assert!(dctcp.downlink("host-0", "marked_frames") > 0.0);
    assert!(queue(&newreno) > 40.0, "{} packets on average", queue(&newreno));
    assert!(newreno.downlink("host-0", "dropped_frames") > 0.0);
}

#[test]
fn losses_give_the_square_root_law() {
    // Mathis et al. 1997: window = sqrt(3 / 2p) segments if each is acknowledged. Known to hold within some ten per cent
    // while timeouts are rare. The link is far from full, so the round trip is that of an empty network.
    for probability in [0.0005, 0.002] {
        let mut lab = Lab::new(star(2), flows([(0, 1, Bytes::MAX, us(0))]), ms(4000));
        lab.fabric.port.loss = probability / 2.0; // two links; acknowledgements may go missing, the next one makes up for it
        lab.warmup = ms(100);
        let tcp = config::Tcp { min_rto: Span::from_ms(5), ..crate::lab::tcp() };
        lab.topology.set_class(0, None, Some(Span::from_us(100))).unwrap();
        let goodput = lab.run(&Protocol::NewReno(tcp)).goodputs()[0];
        let round_trip = 4.0 * 100e-6 + 2.0 * 1538.0 * 8.0 / 1e10 + 2.0 * 78.0 * 8.0 / 1e10;
        let law = (1.5 / probability).sqrt() * 1460.0 * 8.0 / round_trip / 1e9;
        within(goodput, law, 0.15);
    }
}
