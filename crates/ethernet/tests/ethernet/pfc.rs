//! Priority flow control, to the picosecond: who is paused when, what it still sends, when it goes on; and that nothing is lost.
//!
//! As in `timelines`: hosts at 10 Gb/s, 1 us from the switch; 1500 B take 1,230,400 ps, a PAUSE of 84 B on the wire takes 67,200 ps.

use crate::lab::{Lab, config, frame};
use crate::timelines::{full, ps, star};
use ethernet::{Config, Discipline, Fifo, Length, Pausing, Pfc, Port, Switching};
use fabric::{Fault, Frame, Network};
use proptest::prelude::*;
use topology::{Builder, LinkSpec, Shape, Topology};
use units::{Bytes, Rate, Span, Time};

/// A frame of 1500 B, on the wire.
const WIRE: u64 = 1538;
const SERVICE: u64 = 1_230_400;
/// From the decision on a pause until the host at the other end of an idle link has heard of it.
const TOLD: u64 = 67_200 + 1_000_000;

pub(crate) fn pfc() -> Pfc {
    Pfc { buffer: Bytes::new(1_000_000), ..Pfc::default() }
}

fn with(pfc: Pfc) -> Config {
    Config { pfc: Some(pfc), priorities: 1, port: Port { queue: Length::Packets(1), ..config().port }, ..config() }
}

/// Paused above two frames, on again at one.
fn two_frames() -> Pfc {
    Pfc { xoff: Some(Bytes::new(2 * WIRE)), resume_offset: Some(Bytes::new(WIRE)), ..pfc() }
}

/// Hosts 1 and 2 have so many frames each for host 0.
fn two_into_one(config: &Config, frames: u32) -> Lab<Pausing> {
    let mut lab = Lab::<Pausing>::new(star(), config);
    for _ in 0..frames {
        lab.offer(full(1)).offer(full(2));
    }
    lab
}

/// When a host's class changes between paused and not, after this time; looked for up to `until`.
fn changes(lab: &mut Lab<Pausing>, host: u32, until: u64) -> Vec<u64> {
    let mut changes = Vec::new();
    let mut was = lab.network.is_paused(lab.now, host, 0);
    while let Some(at) = lab.queue.next_at().filter(|at| *at < ps(until)) {
        lab.until(at + Span::from_ps(1));
        let is = lab.network.is_paused(at, host, 0);
        if is != was {
            changes.push(at.as_ps());
        }
        was = is;
    }
    changes
}

fn arrivals_from(lab: &Lab<Pausing>, host: u32) -> Vec<u64> {
    lab.delivered.iter().filter(|(_, frame)| frame.src == host).map(|(at, _)| at.as_ps()).collect()
}

#[test]
fn a_sender_is_paused_completes_its_frame_and_goes_on() {
    // The n-th frame of either is at the switch at n x 1,230,400 + 1,000,000 ps, and of each two one leaves. Host 2's fourth, at 5,921,600 ps,
    // finds two of its own, and the one that is about to leave is one of them.
    let mut lab = two_into_one(&with(two_frames()), 20);
    let heard = 5_921_600 + TOLD;
    lab.until(ps(heard)).until(ps(heard + 1));
    assert!(lab.network.is_paused(ps(heard), 2, 0));
    let link = lab.topology.find_link("host-2 -> switch-0").unwrap().0;
    let on_link = |lab: &Lab<Pausing>| {
        let inside = lab.network.frames_inside();
        inside.iter().filter(|inside| inside.link == link).count()
    };
    // Four are at the switch or further. The fifth is on the link, and the sixth is being sent.
    assert_eq!(on_link(&lab), 20 - 4);
    lab.until(ps(6 * SERVICE + 1_000_000)).until(ps(6 * SERVICE + 1_000_001));
    assert_eq!(on_link(&lab), 20 - 6, "all that are left wait at the host");
    // Its third, fourth and fifth leave at 8,382,400, 10,843,200 and 13,304,000 ps; then one is left, and it may go on.
    let again = 13_304_000 + TOLD;
    lab.until(ps(again));
    assert!(lab.network.is_paused(ps(again - 1), 2, 0));
    lab.until(ps(again + 1));
    assert!(!lab.network.is_paused(ps(again), 2, 0));
    assert_eq!(on_link(&lab), 20 - 6);
    lab.until(ps(again + SERVICE + 1_000_001));
    // The seventh is at the switch then, behind host 1's seventh, and the eighth on the link.
    assert_eq!(on_link(&lab), 20 - 7);
    assert_eq!(lab.counted("pauses received"), 2.0);
    assert_eq!(lab.counted("pauses ended"), 2.0);
    assert_eq!(lab.counted("largest use of headroom"), 2.0 * WIRE as f64);
    lab.until(ps(100_000_000));
    // The port never runs dry: forty frames, one after the other.
    let expected: Vec<u64> = (0..40).map(|n| 4_460_800 + n * SERVICE).collect();
    assert_eq!(lab.delivered.iter().map(|(at, _)| at.as_ps()).collect::<Vec<_>>(), expected);
    assert_eq!(lab.network.totals().dropped, 0);
}

#[test]
fn a_pause_waits_for_the_frame_that_is_being_sent_and_for_no_other() {
    let mut lab = two_into_one(&with(two_frames()), 20);
    // Two frames to host 2 are at the switch at 5,230,400 and 5,230,401 ps; the first is sent until 6,460,800 ps.
    lab.until(ps(3_000_000)).offer(frame(0, 2, 1500)).until(ps(3_000_001)).offer(frame(3, 2, 1500));
    assert_eq!(changes(&mut lab, 2, 10_000_000), [6_460_800 + TOLD]);
    lab.until(ps(100_000_000));
    let to_host_2: Vec<_> = lab.delivered.iter().filter(|(_, frame)| frame.dst == 2).collect();
    let at = |n: usize| to_host_2[n].0.as_ps();
    assert_eq!((at(0), at(1)), (7_460_800, 6_460_800 + 67_200 + SERVICE + 1_000_000));
}

#[test]
fn a_sender_takes_its_time_to_respond() {
    let response = Span::from_ns(300);
    let mut lab = two_into_one(&with(Pfc { response, ..two_frames() }), 20);
    assert_eq!(changes(&mut lab, 2, 10_000_000), [5_921_600 + TOLD + 300_000]);
}

#[test]
fn a_pause_that_is_not_repeated_ends_by_itself() {
    // A thousand quanta are 51.2 us. The link to host 2 breaks when it has just heard of its pause.
    let mut lab = two_into_one(&with(Pfc { quanta: 1000, ..two_frames() }), 60);
    let heard = 5_921_600 + TOLD;
    lab.until(ps(heard + 1)).link("switch-0 -> host-2", false);
    assert_eq!(changes(&mut lab, 2, 70_000_000), [heard + 51_200_000]);
    // It sends again.
    lab.until(ps(90_000_000));
    assert!(arrivals_from(&lab, 2).last().unwrap() > &(heard + 51_200_000));
}

#[test]
fn a_pause_is_repeated_for_as_long_as_it_takes() {
    // Host 0's link has 100 Mb/s: a frame takes 123 us, more than two times 51.2 us.
    let mut topology = star();
    let slow = topology.find_link("switch-0 -> host-0").unwrap();
    topology.set_link(slow, Some(Rate::from_bps(100_000_000)), None).unwrap();
    let mut lab = Lab::<Pausing>::new(topology, &with(Pfc { quanta: 1000, ..two_frames() }));
    for _ in 0..12 {
        lab.offer(full(2));
    }
    // One is being sent and two wait when the fourth comes.
    let heard = 4 * SERVICE + 1_000_000 + TOLD;
    // Its sixth has begun then. The second to fifth leave at 123.04 us each, and with the fifth two wait less than the threshold.
    let on = 2_230_400 + 4 * 123_040_000 + TOLD;
    assert_eq!(changes(&mut lab, 2, on + 1_000_000), [heard, on]);
    assert!(lab.counted("pauses repeated") >= 18.0, "every 25.6 us");
    assert_eq!(lab.counted("pauses sent"), 1.0);
    let paused = lab.counted("time paused, all ports and classes");
    assert!((paused - (on - heard) as f64 / 1e12).abs() < 1e-15, "{paused}");
}

#[test]
fn a_class_is_paused_and_others_are_not() {
    let config = Config { priorities: 3, ..with(two_frames()) };
    let mut lab = Lab::<Pausing>::new(star(), &config);
    let low = |from| Frame { priority: 2, ..full(from) };
    for _ in 0..20 {
        lab.offer(low(1)).offer(low(2));
    }
    let heard = 5_921_600 + TOLD;
    lab.until(ps(heard + 1));
    assert_eq!([0, 1, 2].map(|class| lab.network.is_paused(lab.now, 2, class)), [false, false, true]);
    assert!(lab.network.has_room(lab.now, 2) || lab.network.has_room(ps(6 * SERVICE), 2), "for other classes");
    // A frame of another class goes when the sixth is out, and ahead of all others at the switch.
    lab.offer(Frame { priority: 1, dst: 3, ..full(2) }).until(ps(100_000_000));
    let other = lab.delivered.iter().find(|(_, frame)| frame.dst == 3).unwrap();
    assert_eq!(other.0, ps(6 * SERVICE + 2 * (SERVICE + 1_000_000) - SERVICE + SERVICE));
    assert_eq!(lab.network.totals().dropped, 0);
}

#[test]
fn a_host_is_called_when_its_class_goes_on() {
    let mut lab = two_into_one(&with(two_frames()), 9);
    let heard = 5_921_600 + TOLD;
    lab.until(ps(heard + 1));
    lab.network.call_when_resumed(2);
    lab.network.call_when_resumed(2);
    lab.until(ps(30_000_000));
    // Three frames wait at its interface, of which it takes two for full.
    let again = 13_304_000 + TOLD;
    assert_eq!(lab.ready, [(ps(again + 2 * SERVICE), 2)]);
}

#[test]
fn the_threshold_follows_what_is_free() {
    // A pool of 40 frames, of which an account may have as much as is free: with x frames in it, and no others, 40 - x.
    let mut topology = star();
    let slow = topology.find_link("switch-0 -> host-0").unwrap();
    topology.set_link(slow, Some(Rate::from_bps(1_000_000)), None).unwrap();
    let reserved: u64 = with(pfc()).headroom(&topology).iter().map(|bytes| bytes.get()).sum();
    let alone = Pfc { buffer: Bytes::new(reserved + 40 * WIRE), alpha: 1.0, ..pfc() };
    let run = |senders: &[u32]| {
        let mut lab = Lab::<Pausing>::new(topology.clone(), &with(alone));
        for _ in 0..60 {
            senders.iter().for_each(|from| {
                lab.offer(full(*from));
            });
        }
        lab.until(ps(100_000_000));
        (lab.counted("largest use of shared memory") / WIRE as f64, lab.counted("pauses sent"))
    };
    assert_eq!(run(&[1]), (20.0, 1.0));
    // Two have a third each: with 13 each, 14 are free, and the next one has a fourteenth. Three have a quarter each.
    assert_eq!(run(&[1, 2]), (27.0, 2.0));
    assert_eq!(run(&[1, 2, 3]), (30.0, 3.0));
}

#[test]
fn a_class_that_is_not_lossless_is_dropped_at_its_threshold() {
    // No headroom is reserved, and a queue may have as much as is free: half of 40 frames.
    let lossy = Pfc { buffer: Bytes::new(40 * WIRE), lossless: 0, ..pfc() };
    let mut lab = two_into_one(&with(lossy), 60);
    lab.until(ps(1_000_000_000));
    assert_eq!(lab.counted("largest use of shared memory"), 20.0 * WIRE as f64);
    assert_eq!(lab.counted("pauses sent") + lab.counted("dropped from lossless classes"), 0.0);
    // 120 come, the last when 59 have begun to leave.
    assert_eq!(lab.network.totals().dropped, 120 - 59 - 20);
    assert!(!lab.network.offers().lossless.is_given());
}

#[test]
fn too_little_headroom_loses_frames_and_is_said_to() {
    let config = with(Pfc { headroom: Some(Bytes::new(WIRE)), ..two_frames() });
    let mut lab = two_into_one(&config, 20);
    assert!(!lab.network.offers().lossless.is_given());
    lab.until(ps(100_000_000));
    assert!(lab.network.totals().dropped > 0);
    assert_eq!(lab.counted("dropped from lossless classes"), lab.network.totals().dropped as f64);
    assert!(Lab::<Pausing>::new(star(), &with(two_frames())).network.offers().lossless.is_given());
}

#[test]
fn headroom_is_what_ieee_802_1qbb_reckons_with() {
    // Two frames; and a frame, a PAUSE, and the way there and back at 10 Gb/s: 1538 + 84 + 1250 + 1250 B. One for rounding.
    let needs = with(Pfc { response: Span::from_ns(80), ..pfc() }).headroom_needs(&star());
    let topology = star();
    let of = |name: &str| needs[topology.find_link(name).unwrap().index()].get();
    assert_eq!(of("host-1 -> switch-0"), 2 * WIRE + WIRE + 84 + 2500 + 100 + 1);
    assert_eq!(of("switch-0 -> host-1"), 0, "hosts pause nobody");
}

#[test]
fn headroom_is_used_up_but_for_a_frame() {
    // Nothing may wait without a pause, nothing leaves for long, and full frames go to host 2 at all times. What is in flight depends on where in
    // one of them the decision falls.
    let config = with(Pfc { xoff: Some(Bytes::ZERO), ..pfc() });
    let need = config.headroom_needs(&star())[star().find_link("host-2 -> switch-0").unwrap().index()].get();
    let mut topology = star();
    let slow = topology.find_link("switch-0 -> host-0").unwrap();
    topology.set_link(slow, Some(Rate::from_bps(10_000_000)), None).unwrap();
    let used = |start: u64| {
        let mut lab = Lab::<Pausing>::new(topology.clone(), &config);
        (0..30).for_each(|_| _ = lab.offer(frame(3, 2, 1500)));
        lab.until(ps(start));
        (0..30).for_each(|_| _ = lab.offer(full(1)).offer(full(2)));
        lab.until(ps(1_000_000_000_000));
        assert_eq!((lab.delivered.len(), lab.network.totals().dropped), (90, 0));
        lab.counted("largest use of headroom") as u64
    };
    let most = (0..20).map(|n| used(n * SERVICE / 20)).max().unwrap();
    assert!((need - WIRE..=need).contains(&most), "{most} of {need} B");
}

#[test]
fn what_waits_for_a_link_that_breaks_gives_its_memory_back() {
    let mut lab = two_into_one(&with(two_frames()), 20);
    lab.until(ps(9_000_000)).link("switch-0 -> host-0", false);
    // Nothing is at the switch any more, so both may go on, into the gap.
    assert_eq!(changes(&mut lab, 1, 12_000_000), [9_000_000 + TOLD]);
    lab.until(ps(60_000_000));
    assert_eq!(lab.network.totals().in_flight, 0);
    // Repaired, all is as before.
    lab.link("switch-0 -> host-0", true);
    for _ in 0..20 {
        lab.offer(full(1)).offer(full(2));
    }
    let before = lab.delivered.len();
    lab.until(ps(200_000_000));
    assert_eq!(lab.delivered.len() - before, 40);
}

fn leaf_spine(leaves: u32, spines: u32, hosts_per_leaf: u32, gbps: u64, delay: Span) -> Topology {
    Shape::LeafSpine { leaves, spines, hosts_per_leaf }.build(Rate::from_gbps(gbps), delay).unwrap()
}

/// Hosts 5 to 7 have a hundred frames each for host 0, whose link has a tenth of the rate of all others. When a frame from host 4 beside them
/// arrives at host 1, beside host 0, that was offered at 500 us.
fn victim<D: Discipline>(config: &Config) -> u64 {
    let mut topology = leaf_spine(2, 1, 4, 10, Span::from_us(1));
    let slow = topology.find_link("leaf-0 -> host-0").unwrap();
    topology.set_link(slow, Some(Rate::from_gbps(1)), None).unwrap();
    let mut lab = Lab::<D>::new(topology, config);
    for from in (0..100).flat_map(|_| 5..8) {
        lab.offer(frame(from, 0, 1500));
    }
    lab.until(ps(500_000_000)).offer(frame(4, 1, 1500)).until(ps(10_000_000_000));
    assert_eq!(lab.delivered.len(), 301);
    lab.delivered.iter().find(|(_, frame)| frame.dst == 1).unwrap().0.as_ps()
}

#[test]
fn a_flow_that_shares_a_paused_link_is_a_victim() {
    // Alone it takes four links of 2,230,400 ps. By then queues that take everything are empty, but for the one before host 0.
    let large = Config { port: Port { queue: Length::Packets(1000), ..config().port }, ..config() };
    assert_eq!(victim::<Fifo>(&large), 500_000_000 + 4 * 2_230_400);
    // What waits before host 0 has the spine paused, and the spine leaf 1: the frame waits there behind some of the incast, which is let go on at a
    // tenth of the rate. With a tenth of the memory less of it is ahead of the frame.
    let behind =
        |buffer| (victim::<Pausing>(&with(Pfc { buffer: Bytes::new(buffer), ..pfc() })) - 500_000_000) / (10 * SERVICE);
    let (small, large) = (behind(100_000), behind(400_000));
    assert!(small > 10 && large > small, "{small} and {large} frames");
}

/// Switches in a ring with a host each. Every host sends to the one two further on, all the same way round.
pub(crate) fn ring(switches: u32) -> Topology {
    let mut builder = Builder::new("ring");
    let cable = LinkSpec { rate: Rate::from_gbps(10), delay: Span::from_us(1), queue: None };
    let class = builder.class("cables");
    let hosts: Vec<_> = (0..switches).map(|n| builder.host(format!("host-{n}"))).collect();
    let nodes: Vec<_> = (0..switches).map(|n| builder.switch(format!("switch-{n}"), None)).collect();
    for n in 0..switches as usize {
        builder.cable(hosts[n], nodes[n], class, cable);
        builder.cable(nodes[n], nodes[(n + 1) % switches as usize], class, cable);
    }
    builder.finish().unwrap()
}

fn around_the_ring(senders: &[u32], config: &Config) -> Lab<Pausing> {
    let mut lab = Lab::<Pausing>::new(ring(5), config);
    for _ in 0..300 {
        for from in senders {
            lab.offer(frame(*from, (from + 2) % 5, 1500));
        }
    }
    lab.until(ps(20_000_000_000));
    lab
}

#[test]
fn frames_that_wait_in_a_circle_are_a_deadlock() {
    let config = with(Pfc { buffer: Bytes::new(200_000), ..pfc() });
    let mut lab = around_the_ring(&[0, 1, 2, 3, 4], &config);
    let deadlock = lab.network.deadlock().expect("each switch waits for the next");
    let mut names: Vec<_> =
        deadlock.circle.iter().map(|(link, _)| lab.topology.link_name(topology::LinkId(*link))).collect();
    assert_eq!(deadlock.by, "PFC");
    let first = names.iter().position(|name| name == "switch-0 -> switch-1").unwrap();
    names.rotate_left(first);
    let ring = [
        "switch-0 -> switch-1",
        "switch-1 -> switch-2",
        "switch-2 -> switch-3",
        "switch-3 -> switch-4",
        "switch-4 -> switch-0",
    ];
    assert_eq!(names, ring);
    let inside = lab.network.totals().in_flight;
    assert!(inside > 100, "{inside} frames are stuck");
    // PAUSEs go to and fro for ever, but no frame moves.
    lab.until(ps(100_000_000_000));
    assert_eq!(lab.network.totals().in_flight, inside);
    assert!(lab.network.deadlock().is_some());
}

#[test]
fn without_one_of_them_there_is_no_circle() {
    let config = with(Pfc { buffer: Bytes::new(200_000), ..pfc() });
    let lab = around_the_ring(&[0, 1, 2, 3], &config);
    assert!(lab.counted("pauses sent") > 0.0);
    assert_eq!((lab.delivered.len(), lab.network.deadlock()), (1200, None));
    // Nor is there one with memory for all.
    let large = with(Pfc { buffer: Bytes::new(100_000_000), ..pfc() });
    assert_eq!(around_the_ring(&[0, 1, 2, 3, 4], &large).delivered.len(), 1500);
}

#[test]
fn a_link_that_breaks_ends_a_deadlock() {
    let config = with(Pfc { buffer: Bytes::new(200_000), ..pfc() });
    let mut lab = around_the_ring(&[0, 1, 2, 3, 4], &config);
    let link = lab.topology.find_link("switch-2 -> switch-3").unwrap().0;
    lab.network.fault(lab.now, Fault::Link { link, up: false }, &mut lab.queue);
    lab.until(ps(60_000_000_000));
    assert_eq!((lab.network.deadlock(), lab.network.totals().in_flight), (None, 0));
    assert!(lab.network.totals().lost > 10);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Random incasts over random small leaf-spines, with links of random rates and delays, and memory for headroom and a few frames.
    #[test]
    fn nothing_is_lost(
        (leaves, spines, hosts_per_leaf) in (1_u32..4, 1_u32..3, 1_u32..4),
        (host_gbps, spine_gbps, delay_ns) in (1_u64..41, 1_u64..101, 0_u64..5000),
        (mtu, framing, cut_through, jitter_ns) in (64_u32..9001, 0_u64..40, any::<bool>(), prop_oneof![Just(0), 0_u64..2000]),
        (alpha, xoff, response_ns, extra) in (0.01_f64..4.0, prop_oneof![Just(None), (0_u64..20_000).prop_map(Some)], 0_u64..2000, 0_u64..50_000),
        (classes, quanta) in (1_u8..4, 1000_u16..u16::MAX),
        frames in prop::collection::vec((0_u32..12, 0_u32..3, 41_u32..9001, 0_u64..30_000_000, 0_u8..4), 1..400),
    ) {
        let mut topology = leaf_spine(leaves, spines, hosts_per_leaf, spine_gbps, Span::from_ns(delay_ns));
        let hosts = topology.hosts();
        prop_assume!(hosts > 1);
        for link in (0..topology.links().len() as u32).map(topology::LinkId) {
            let ends = [topology.link(link).from, topology.link(link).to];
            if ends.into_iter().any(|node| topology.is_host(node)) {
                topology.set_link(link, Some(Rate::from_gbps(host_gbps)), None).unwrap();
            }
        }
        let pause = Pfc {
            alpha,
            xoff: xoff.map(Bytes::new),
            response: Span::from_ns(response_ns),
            quanta,
            buffer: Bytes::ZERO,
            ..pfc()
        };
        let header = Bytes::new(64_u64.min(u64::from(mtu)));
        let mut config = Config {
            mtu: Bytes::new(u64::from(mtu)),
            framing: Bytes::new(framing),
            switching: if cut_through { Switching::CutThrough } else { Switching::StoreAndForward },
            cut_through_header: header,
            jitter: Span::from_ns(jitter_ns),
            priorities: classes,
            ..with(pause)
        };
        let reserved = config.headroom(&topology).iter().map(|bytes| bytes.get()).sum::<u64>();
        let buffer = Bytes::new(reserved + extra);
        config.pfc = Some(Pfc { buffer, ..pause });
        let mut lab = Lab::<Pausing>::new(topology, &config);
        let mut offers: Vec<_> = frames.into_iter().map(|(from, to, len, at, priority)| (at, from, to, len, priority)).collect();
        offers.sort_unstable();
        let total = offers.len();
        for (at, from, to, len, priority) in offers {
            let (src, dst) = (from % hosts, to % hosts);
            let dst = if src == dst { (dst + 1) % hosts } else { dst };
            lab.until(ps(at)).offer(Frame { priority, ..frame(src, dst, len.min(mtu)) });
        }
        lab.until(Time::ZERO + Span::from_ms(2000));
        prop_assert_eq!(lab.delivered.len(), total);
        prop_assert_eq!(lab.network.totals().dropped, 0);
        prop_assert_eq!(lab.network.deadlock(), None);
    }
}

#[test]
fn pauses_of_each_link_are_counted_and_timed() {
    // As in the first timeline: host 2 is paused from 5,921,600 ps on, and told so later, until 13,304,000 ps, and told so as much later.
    let mut lab = two_into_one(&with(two_frames()), 20);
    let (heard, again) = (5_921_600 + TOLD, 13_304_000 + TOLD);
    let link = |lab: &Lab<Pausing>, name: &str, at: u64| {
        let counters = lab.network.link_counters(ps(at), lab.topology.find_link(name).unwrap().0);
        (counters.pauses, counters.paused.as_ps(), counters.longest_pause.as_ps())
    };
    lab.until(ps(heard + 1));
    assert_eq!(link(&lab, "host-2 -> switch-0", heard), (1, 0, 0));
    lab.until(ps(10_000_000));
    let open = 10_000_000 - heard;
    assert_eq!(link(&lab, "host-2 -> switch-0", 10_000_000), (1, open, open), "one that is not over counts so far");
    lab.until(ps(again + 1));
    assert_eq!(link(&lab, "host-2 -> switch-0", again), (1, again - heard, again - heard));
    assert_eq!(link(&lab, "switch-0 -> host-0", again), (0, 0, 0), "hosts pause nobody");
    // Both senders have been paused, of ten links, and for the share of the time that their links say.
    assert_eq!(lab.counted("links paused at once, at most"), 2.0);
    let paused = link(&lab, "host-1 -> switch-0", again + 1).1 + link(&lab, "host-2 -> switch-0", again + 1).1;
    let share = |lab: &mut Lab<Pausing>, at| {
        let samples = lab.network.sample(ps(at));
        assert_eq!((samples.len(), samples[0].name), (1, "links paused"));
        samples[0].value
    };
    let expected = paused as f64 / (10.0 * (again + 1) as f64);
    assert!((share(&mut lab, again + 1) / expected - 1.0).abs() < 1e-12);
    lab.until(ps(1_000_000_000));
    share(&mut lab, 500_000_000);
    assert_eq!(share(&mut lab, 1_000_000_000), 0.0, "nothing is paused any more");
    assert_eq!(lab.counted("longest pause"), longest(&lab) as f64 / 1e12);
    let all = lab.counted("time paused, all ports and classes") * 1e12;
    let sum = link(&lab, "host-1 -> switch-0", 0).1 + link(&lab, "host-2 -> switch-0", 0).1;
    assert!((all - sum as f64).abs() < 1.0, "{all} and {sum}");
}

fn longest(lab: &Lab<Pausing>) -> u64 {
    let of = |link| lab.network.link_counters(lab.now, link).longest_pause.as_ps();
    (0..10).map(of).max().unwrap()
}

#[test]
fn frames_that_a_pause_held_though_their_way_was_free_are_counted() {
    // Hosts 1 and 2 have twenty frames each for host 0, and host 2 has five for host 3 behind them, which are in nobody's way.
    let mut lab = two_into_one(&with(two_frames()), 20);
    for _ in 0..5 {
        lab.offer(frame(2, 3, 1500));
    }
    lab.until(ps(100_000_000));
    assert_eq!((lab.delivered.len(), lab.network.totals().dropped), (45, 0));
    let (held, victims) =
        (lab.counted("held by a pause"), lab.counted("held by a pause though their next port was free"));
    // Six frames of host 2 and seven of host 1 had left when they were paused for the first time.
    assert_eq!((held, victims), (14.0 + 13.0 + 5.0, 5.0));
    // Where nobody is paused, nothing is held.
    let mut lab = two_into_one(&with(pfc()), 20);
    lab.until(ps(100_000_000));
    assert_eq!((lab.counted("pauses received"), lab.counted("held by a pause")), (0.0, 0.0));
}
