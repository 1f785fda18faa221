//! Clocks that drift apart when the master fails, and the guard band that they use up (§3.4, §3.5).

use engine::{EventQueue, Seed};
use fabric::{Ecn, Fault, Frame, Kind, Network};
use shoal::config::Clocks;
use shoal::timing::Frequency;
use shoal::{Config, Shoal};
use topology::{Shape, Topology};
use units::{Rate, Span, Time};

const HOSTS: u32 = 16;

fn frame(src: u32, dst: u32, sequence: u64) -> Frame {
    let flow = src * HOSTS + dst;
    let (stamp, kind, ecn) = (Time::ZERO, Kind::Data, Ecn::NotCapable);
    Frame {
        sequence,
        stamp,
        flow,
        epoch: 0,
        src,
        dst,
        len: 1500,
        entropy: 0,
        kind,
        priority: 0,
        ecn,
        echo: false,
        ..Frame::EMPTY
    }
}

/// Sends 40 packets from each node but the first to the next; the first has the master's clock and goes off after 5 us. Gives how many
/// packets came and were lost, and how many cells left their slots.
fn master_fails(topology: &Topology, clocks: Clocks) -> (u64, u64, f64) {
    let config = Config { clocks, ..Config::default() };
    let mut network = Shoal::new(&config, topology, Seed(3)).unwrap();
    let mut queue = EventQueue::new(network.event_gap());
    for (src, sequence) in (1..HOSTS - 1).flat_map(|src| (0..40).map(move |sequence| (src, sequence))) {
        network.offer(Time::ZERO, frame(src, src + 1, sequence), &mut queue);
    }
    let mut failed = false;
    while let Some(event) = queue.pop() {
        if !failed && event.at > Time::ZERO + Span::from_us(5) {
            failed = true;
            network.fault(event.at, Fault::Node { node: 0, up: false }, &mut queue);
        }
        network.handle(event, &mut queue);
        assert!(event.at < Time::ZERO + Span::from_ms(5), "it comes to an end: {:?}", network.totals());
    }
    let totals = network.totals();
    assert_eq!(totals.in_flight, 0);
    let untimely =
        network.counters().iter().find(|counter| counter.name == "of these, out of their slot").unwrap().value;
    (totals.delivered, totals.lost, untimely)
}

#[test]
fn another_master_has_to_take_over_in_time() {
    let sent = 14 * 40;
    for shape in [Shape::Star { hosts: HOSTS }, Shape::FoldedClos { radix: 8, leaves: Some(4) }] {
        let topology = shape.build(Rate::from_gbps(100), Span::from_ns(5)).unwrap();
        // Clocks of 100 ppm are up to 200 ppm apart: the 125 ps of the guard band either side are used up after 0.6 us at worst.
        let clocks = |takeover| Clocks { drift: 100.0, takeover, ..Clocks::default() };
        let (delivered, lost, untimely) = master_fails(&topology, clocks(Span::from_ns(500)));
        assert_eq!((delivered + lost, untimely), (sent, 0.0), "in time");
        assert!(lost < 20, "only what stood at the node that failed is lost: {lost}");
        let (delivered, lost, untimely) = master_fails(&topology, clocks(Span::from_us(20)));
        assert!(untimely > 100.0, "too late: {untimely}");
        // Cells out of their slots are cells received wrong, and those are sent again (App. D).
        assert!(delivered + lost == sent && lost < 20, "all the same, only what stood at the node is lost: {lost}");
    }
}

#[test]
fn clocks_that_are_set_too_seldom_leave_their_slots() {
    let topology = Shape::Star { hosts: HOSTS }.build(Rate::from_gbps(100), Span::from_ns(5)).unwrap();
    let own = |interval| Clocks { drift: 10.0, frequency: Frequency::Own, interval, ..Clocks::default() };
    assert_eq!(master_fails(&topology, Clocks { takeover: Span::from_ns(1), ..own(Span::from_us(5)) }).2, 0.0);
    assert!(master_fails(&topology, Clocks { takeover: Span::from_ns(1), ..own(Span::from_us(15)) }).2 > 0.0);
}
