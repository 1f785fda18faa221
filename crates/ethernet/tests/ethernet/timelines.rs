//! Single frames and few through one switch, to the picosecond: what is dropped, marked, cut through, and who goes first.
//!
//! Hosts at 10 Gb/s, 1 us from the switch. 1500 B take 1538 B on the wire, 1,230,400 ps; 64 B take 102 B, 81,600 ps.

use crate::lab::{Lab, config, frame, us};
use ethernet::{
    Config, Discipline, Fifo, Length, Pausing, Pfc, Port, Priorities, Ranked, Routing, Switching, Trim, Trimming,
};
use fabric::{Distribution, Ecn, Frame, Kind, Network, Red};
use topology::{Shape, Topology};
use units::{Bytes, Rate, Span, Time};

/// Frames go from hosts 1 to 4 to this one.
const TO: u32 = 0;

pub(crate) fn star() -> Topology {
    Shape::Star { hosts: 5 }.build(Rate::from_gbps(10), Span::from_us(1)).unwrap()
}

pub(crate) fn ps(ps: u64) -> Time {
    Time::ZERO + Span::from_ps(ps)
}

pub(crate) fn full(from: u32) -> Frame {
    frame(from, TO, 1500)
}

fn small(from: u32) -> Frame {
    frame(from, TO, 64)
}

/// Offers frames at their times. Gives when they arrive and where they are from, and the port's count of drops and of marks.
fn timeline<D: Discipline>(
    topology: Topology,
    config: &Config,
    offered: &[(u64, Frame)],
) -> (Vec<(u64, u32, Ecn)>, u64, u64) {
    let mut lab = Lab::<D>::new(topology, config);
    for (at, frame) in offered {
        lab.until(ps(*at)).offer(*frame);
    }
    lab.until(ps(100_000_000));
    let port = lab.network.link_counters(lab.now, lab.topology.find_link("switch-0 -> host-0").unwrap().0);
    let arrivals = lab.delivered.iter().map(|(at, frame)| (at.as_ps(), frame.src, frame.ecn)).collect();
    (arrivals, port.dropped, port.marked)
}

/// When frames arrive and where they are from, where nothing is dropped or marked.
fn arrivals<D: Discipline>(topology: Topology, config: &Config, offered: &[(u64, Frame)]) -> Vec<(u64, u32)> {
    let (arrivals, dropped, marked) = timeline::<D>(topology, config, offered);
    assert_eq!((dropped, marked), (0, 0));
    arrivals.into_iter().map(|(at, from, _)| (at, from)).collect()
}

/// Host 1 offers two packets at once, of which the second waits for the first at its interface and is behind host 2's at the switch.
fn latency_without_the_wait_at_the_host<D: Discipline>(config: &Config) {
    let mut lab = Lab::<D>::new(star(), &Config { in_network_latency: true, ..config.clone() });
    let ack = Frame { kind: Kind::Ack, ..small(3) };
    lab.offer(full(1)).offer(full(1)).offer(full(2)).until(us(20)).offer(ack).until(us(100));
    let arrivals: Vec<_> = lab.arrivals().iter().map(|(at, _)| at.as_ps()).collect();
    assert_eq!(arrivals[..3], [4_460_800, 5_691_200, 6_921_600]);
    let distributions = lab.network.distributions();
    let [Distribution { name: "in-network latency", unit: "ps", bins }] = &distributions[..] else {
        panic!("{distributions:?}")
    };
    // To 0.4 %, and the wait to a 2048th of it: alone; twice behind one packet at the switch. Acknowledgements do not count.
    let of = |latency: u64| bins.iter().find(|(low, high, _)| (*low..*high).contains(&latency)).map(|bin| bin.2);
    assert_eq!((of(4_460_800), of(5_691_200), bins.len()), (Some(1), Some(2), 2), "{bins:?}");
    lab.network.begin_measurement(lab.now);
    assert!(lab.network.distributions()[0].bins.is_empty());
    assert!(Lab::<D>::new(star(), config).network.distributions().is_empty(), "nobody asked for it");
}

#[test]
fn latency_inside_begins_when_a_packet_leaves_its_host() {
    latency_without_the_wait_at_the_host::<Fifo>(&config());
    latency_without_the_wait_at_the_host::<Priorities>(&config());
    latency_without_the_wait_at_the_host::<Ranked>(&Config { pfabric: true, ..config() });
    latency_without_the_wait_at_the_host::<Trimming>(&Config { trimming: Some(Trim::default()), ..config() });
}

fn queue(queue: Length) -> Config {
    Config { port: Port { queue, ..config().port }, ..config() }
}

/// Two frames are at the port at 2,230,400 ps; the first has left it at 3,460,800 ps.
fn a_full_queue<D: Discipline>() {
    for limit in [Length::Packets(2), Length::Bytes(Bytes::new(2 * 1538))] {
        let offered = [(0, full(1)), (0, full(2)), (1, full(3)), (1_230_399, full(4)), (1_230_400, full(3))];
        let (arrivals, dropped, _) = timeline::<D>(star(), &queue(limit), &offered);
        let not = Ecn::NotCapable;
        // Host 3's interface is busy with its first frame until 1,230,401 ps, so its second is at the port at 3,460,801 ps.
        assert_eq!(arrivals, [(4_460_800, 1, not), (5_691_200, 2, not), (6_921_600, 3, not)], "{limit:?}");
        assert_eq!(dropped, 2, "{limit:?}: 1 ps after the queue is full, and 1 ps before a frame has left");
        // At the very instant there is room.
        let offered = [(0, full(1)), (0, full(2)), (1_230_400, full(4))];
        let (arrivals, dropped, _) = timeline::<D>(star(), &queue(limit), &offered);
        assert_eq!((arrivals[2], dropped), ((6_921_600, 4, not), 0), "{limit:?}");
    }
}

#[test]
fn a_frame_that_finds_the_queue_full_is_dropped() {
    a_full_queue::<Fifo>();
    a_full_queue::<Priorities>();
}

/// What is being sent counts with what is left of it: 102 B have left the queue after 81,600 ps.
fn a_queue_in_bytes<D: Discipline>() {
    let config = queue(Length::Bytes(Bytes::new(2 * 1538)));
    let two = [(0, full(1)), (0, full(2))];
    // A small frame is at the port 1,081,600 ps after it was offered.
    let (arrivals, dropped, _) = timeline::<D>(star(), &config, &[&two[..], &[(1_230_399, small(3))]].concat());
    assert_eq!((arrivals.len(), dropped), (2, 1));
    let (arrivals, dropped, _) = timeline::<D>(star(), &config, &[&two[..], &[(1_230_400, small(3))]].concat());
    assert_eq!((arrivals[2], dropped), ((5_772_800, 3, Ecn::NotCapable), 0));
}

#[test]
fn a_queue_in_bytes_empties_bit_by_bit() {
    a_queue_in_bytes::<Fifo>();
    a_queue_in_bytes::<Priorities>();
}

/// The third frame finds more than one until the first has left, at 3,460,800 ps.
fn marks<D: Discipline>() {
    for threshold in [Length::Packets(1), Length::Bytes(Bytes::new(1538))] {
        let config = Config { port: Port { ecn_threshold: Some(threshold), ..config().port }, ..config() };
        let capable = |from| Frame { ecn: Ecn::Capable, ..full(from) };
        for (at, ecn) in [(1, Ecn::Marked), (1_230_399, Ecn::Marked), (1_230_400, Ecn::Capable)] {
            let offered = [(0, capable(1)), (0, capable(2)), (at, capable(3))];
            let (arrivals, dropped, marked) = timeline::<D>(star(), &config, &offered);
            let expected = [(4_460_800, 1, Ecn::Capable), (5_691_200, 2, Ecn::Capable), (6_921_600, 3, ecn)];
            assert_eq!(arrivals, expected, "{threshold:?}, {at} ps");
            assert_eq!((dropped, marked), (0, u64::from(ecn == Ecn::Marked)));
        }
        let offered = [(0, capable(1)), (0, capable(2)), (1, full(3))];
        let (arrivals, _, marked) = timeline::<D>(star(), &config, &offered);
        assert_eq!((arrivals[2], marked), ((6_921_600, 3, Ecn::NotCapable), 0), "its transport knows no marks");
    }
}

#[test]
fn a_frame_that_finds_more_than_the_threshold_is_marked() {
    marks::<Fifo>();
    marks::<Priorities>();
}

/// Frames that find so much, in packets of 1538 B, of which so many were sent and so many marked.
fn red<D: Discipline>(red: Red, pfc: Option<Pfc>) -> (u32, [(u32, u32); 4]) {
    let port = Port { ecn_threshold: None, red: Some(red), ..config().port };
    let config = Config { port, pfc, ..config() };
    let mut found = [(0, 0); 4];
    let mut lab = Lab::<D>::new(star(), &config);
    // Four at once, again and again: they find 0, 1, 2 and 3 packets, of the first of which some has been sent.
    for round in 0..4000 {
        lab.until(us(20 * round));
        for from in 1..5 {
            let late = Span::from_ps(u64::from(from));
            lab.until(us(20 * round) + late).offer(Frame { ecn: Ecn::Capable, ..full(from) });
        }
    }
    lab.until(us(90_000));
    assert_eq!(lab.delivered.len(), 16_000);
    for (_, frame) in &lab.delivered {
        let (all, marked) = &mut found[frame.src as usize - 1];
        *all += 1;
        *marked += u32::from(frame.ecn == Ecn::Marked);
    }
    let port = lab.network.link_counters(lab.now, lab.topology.find_link("switch-0 -> host-0").unwrap().0);
    (port.marked as u32, found)
}

#[test]
fn red_marks_the_more_the_longer_the_queue_is() {
    // From one packet to four, at 0.6 in the end: two packets that wait are marked with 0.2, three with 0.4.
    let some = Red { min_threshold: Bytes::new(1538), max_threshold: Bytes::new(4 * 1538), max_probability: 0.6 };
    // Three packets are more than so much.
    let all = Red { max_threshold: Bytes::new(3 * 1538 - 10), ..some };
    type Marks = fn(Red, Option<Pfc>) -> (u32, [(u32, u32); 4]);
    let disciplines: [(Marks, Option<Pfc>); 4] = [
        (red::<Fifo>, None),
        (red::<Priorities>, None),
        (red::<Trimming>, None),
        (red::<Pausing>, Some(Pfc::default())),
    ];
    for (red, pfc) in disciplines {
        let (counted, found) = red(some, pfc);
        let [none, one, two, three] = found.map(|(all, marked)| f64::from(marked) / f64::from(all));
        assert_eq!((none, one), (0.0, 0.0), "at the threshold and below it nothing is marked");
        assert!((two - 0.2).abs() < 0.02 && (three - 0.4).abs() < 0.025, "{two} and {three}");
        assert_eq!(counted, found.iter().map(|(_, marked)| marked).sum::<u32>());
        // Above the higher threshold all are.
        let (_, found) = red(all, pfc);
        assert_eq!(found[3], (4000, 4000));
        // As wide as a step, it is one.
        let step = Red { min_threshold: Bytes::new(1538), max_threshold: Bytes::new(1539), max_probability: 1.0 };
        let (_, found) = red(step, pfc);
        assert_eq!(found.map(|(_, marked)| marked), [0, 0, 4000, 4000]);
    }
}

#[test]
fn marks_by_chance_change_no_other_chance() {
    // Two ways to each host, and a link that loses half: neither is drawn otherwise if marks are drawn too.
    let topology = Shape::LeafSpine { leaves: 2, spines: 2, hosts_per_leaf: 2 };
    let topology = topology.build(Rate::from_gbps(10), Span::from_us(1)).unwrap();
    let sent = |red| {
        let port = Port { ecn_threshold: None, red, loss: 0.2, ..config().port };
        let config = Config { port, routing: Routing::Spray, priorities: 1, ..config() };
        let mut lab = Lab::<Fifo>::new(topology.clone(), &config);
        for n in 0..400 {
            for src in 0..2 {
                lab.until(us(2 * n)).offer(Frame { ecn: Ecn::Capable, sequence: n, ..frame(src, 2, 1500) });
            }
        }
        lab.until(us(10_000));
        let marked = lab.delivered.iter().filter(|(_, frame)| frame.ecn == Ecn::Marked).count();
        (lab.delivered.iter().map(|(at, frame)| (*at, frame.sequence)).collect::<Vec<_>>(), marked)
    };
    let red = Red { min_threshold: Bytes::new(100), max_threshold: Bytes::new(100_000), max_probability: 1.0 };
    let (plain, none) = sent(None);
    let (drawn, some) = sent(Some(red));
    assert_eq!(plain, drawn);
    assert!(none == 0 && some > 0, "{some}");
}

fn cut_through<D: Discipline>() {
    let through = Config { switching: Switching::CutThrough, ..config() };
    let one = [(0, full(1))];
    assert_eq!(arrivals::<D>(star(), &config(), &one), [(4_460_800, 1)], "store and forward, to compare");
    // The header is there after 81,600 + 1,000,000 ps; the last bit leaves 1,230,400 ps later.
    assert_eq!(arrivals::<D>(star(), &through, &one), [(3_312_000, 1)]);
    // Two at once: the second waits for the first.
    assert_eq!(arrivals::<D>(star(), &through, &[(0, full(1)), (0, full(2))]), [(3_312_000, 1), (4_542_400, 2)]);
    // A frame shorter than the header is whole before: 39 B, 31,200 ps on each link.
    assert_eq!(arrivals::<D>(star(), &through, &[(0, frame(1, TO, 1))]), [(2_062_400, 1)]);
    // A link of another rate. At 40 Gb/s the last bit cannot leave before it has come, at 2,230,400 ps.
    for (gbps, at) in [(40, 3_230_400), (5, 1_081_600 + 2 * 1_230_400 + 1_000_000)] {
        let mut topology = star();
        let link = topology.find_link("switch-0 -> host-0").unwrap();
        topology.set_link(link, Some(Rate::from_gbps(gbps)), None).unwrap();
        assert_eq!(arrivals::<D>(topology, &through, &one), [(at, 1)], "{gbps} Gb/s");
    }
}

#[test]
fn a_switch_that_cuts_through_begins_with_the_header() {
    cut_through::<Fifo>();
    cut_through::<Priorities>();
}

#[test]
fn the_first_class_goes_first_whenever_the_link_is_free() {
    let low = |from| Frame { priority: 1, ..full(from) };
    // The link is free at 3,460,800 ps; a frame of the first class that is at the port by then overtakes what waits, but not
    // what is being sent.
    for (at, order) in [(1, [1, 3, 2]), (1_230_400, [1, 3, 2]), (1_230_401, [1, 2, 3])] {
        let offered = [(0, low(1)), (0, low(2)), (at, full(3))];
        let expected: Vec<(u64, u32)> = [4_460_800, 5_691_200, 6_921_600].into_iter().zip(order).collect();
        assert_eq!(arrivals::<Priorities>(star(), &config(), &offered), expected, "{at} ps");
    }
}

#[test]
fn a_class_that_fills_its_queue_takes_no_room_from_another() {
    let low = |from| Frame { priority: 1, ..full(from) };
    let offered = [(0, low(1)), (0, low(2)), (1, low(3)), (2, full(4))];
    let (arrivals, dropped, _) = timeline::<Priorities>(star(), &queue(Length::Packets(2)), &offered);
    assert_eq!(arrivals.iter().map(|(_, from, _)| *from).collect::<Vec<_>>(), [1, 4, 2]);
    assert_eq!(dropped, 1);
    // What is being sent counts for every class.
    let (arrivals, dropped, _) =
        timeline::<Priorities>(star(), &queue(Length::Packets(1)), &[(0, low(1)), (1, full(4))]);
    assert_eq!((arrivals.len(), dropped), (1, 1));
}
