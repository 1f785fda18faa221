//! Ports that order by rank, to the picosecond, as in `timelines`: 1500 B take 1,230,400 ps, 64 B take 81,600 ps. And against a port that is written to be
//! read, whatever comes.

use crate::lab::{Lab, config};
use crate::timelines::{full, ps};
use engine::Seed;
use ethernet::class::PortClass;
use ethernet::{Admission, Config, Discipline, Length, Port, Ranked};
use fabric::{Frame, Kind, Network, Options};
use proptest::prelude::*;
use topology::Shape;
use units::{Bytes, Rate, Span, Time};

fn ranked(packets: u32) -> Config {
    let port = Port { queue: Length::Packets(packets), ..config().port };
    Config { pfabric: true, priorities: 1, port, ..config() }
}

fn of_rank(from: u32, flow: u32, rank: u64) -> Frame {
    Frame { flow, options: Options::of_rank(rank), ..full(from) }
}

/// Offers frames at their times: when each arrived, of which flow.
fn arrivals(config: &Config, offered: &[(u64, Frame)]) -> (Vec<(u64, u32)>, Lab<Ranked>) {
    let star = Shape::Star { hosts: 6 }.build(Rate::from_gbps(10), Span::from_us(1)).unwrap();
    let mut lab = Lab::<Ranked>::new(star, config);
    for (at, frame) in offered {
        lab.until(ps(*at)).offer(*frame);
    }
    lab.until(ps(100_000_000));
    let totals = lab.network.totals();
    assert_eq!((totals.held, totals.in_flight), (0, 0));
    (lab.delivered.iter().map(|(at, frame)| (at.as_ps(), frame.flow)).collect(), lab)
}

#[test]
fn the_least_rank_goes_first_and_the_greatest_is_dropped() {
    let offered = [(1, 50), (2, 40), (3, 30), (4, 20), (5, 10)].map(|(from, rank)| (0, of_rank(from, from, rank)));
    let (arrivals, lab) = arrivals(&ranked(3), &offered);
    // The first is being sent, of which a port can't repent. Two more have room: each of the last two takes the place of one.
    assert_eq!(arrivals, [(4_460_800, 1), (5_691_200, 5), (6_921_600, 4)]);
    let port = lab.network.link_counters(lab.now, lab.topology.find_link("switch-0 -> host-0").unwrap().0);
    assert_eq!((lab.network.totals().dropped, port.dropped, port.frames, port.bytes), (2, 2, 3, 3 * 1538));
}

#[test]
fn what_ranks_no_better_than_all_that_wait_is_dropped() {
    let offered = [(1, 50), (2, 40), (3, 40), (4, 40), (5, 41)].map(|(from, rank)| (0, of_rank(from, from, rank)));
    assert_eq!(arrivals(&ranked(3), &offered).0, [(4_460_800, 1), (5_691_200, 2), (6_921_600, 3)]);
}

#[test]
fn the_flow_of_the_least_rank_sends_what_came_first_of_it() {
    let offered =
        [(0, of_rank(1, 9, 99)), (0, of_rank(2, 1, 30)), (0, of_rank(3, 2, 20)), (100_000, of_rank(4, 1, 10))];
    let (arrivals, lab) = arrivals(&ranked(8), &offered);
    let ranks: Vec<_> =
        arrivals.iter().zip(&lab.delivered).map(|((_, flow), (_, frame))| (*flow, frame.rank())).collect();
    assert_eq!(ranks, [(9, 99), (1, 30), (1, 10), (2, 20)]);
}

#[test]
fn acknowledgements_have_no_rank_and_go_first() {
    let ack = Frame { kind: Kind::Ack, flow: 7, len: 64, ..full(5) };
    // It comes while the first is sent, and the last of the others makes room for it.
    let offered = [(0, of_rank(1, 1, 50)), (0, of_rank(2, 2, 40)), (0, of_rank(3, 3, 30)), (2_000_000, ack)];
    assert_eq!(arrivals(&ranked(3), &offered).0, [(4_460_800, 1), (4_542_400, 7), (5_772_800, 3)]);
}

#[test]
fn an_earlier_connection_in_the_same_place_is_another() {
    let later = Frame { epoch: 1, ..of_rank(4, 1, 10) };
    let offered = [(0, of_rank(1, 9, 1)), (0, of_rank(2, 1, 30)), (0, of_rank(3, 2, 20)), (0, later)];
    let flows: Vec<u32> = arrivals(&ranked(8), &offered).0.into_iter().map(|(_, flow)| flow).collect();
    assert_eq!(flows, [9, 1, 2, 1], "the later one goes first, and the earlier one last");
}

/// A port as one would tell it.
#[derive(Debug, Default)]
struct Told {
    free_at: Time,
    /// What waits: as it came, numbered.
    waiting: Vec<(usize, Frame)>,
    came: usize,
}

impl Told {
    fn fits(&self, now: Time, waiting: &[(usize, Frame)], class: &PortClass) -> bool {
        let time: Span = waiting.iter().map(|(_, frame)| class.time_on_wire(frame.len)).fold(Span::ZERO, |a, b| a + b);
        let count = waiting.len() as u32 + u32::from(self.free_at > now);
        self.free_at.since(now) + time <= class.limit && count <= class.limit_packets
    }

    /// What is dropped.
    fn admit(&mut self, now: Time, frame: Frame, class: &PortClass) -> Vec<Frame> {
        let number = self.came;
        self.came += 1;
        let mut all = self.waiting.clone();
        all.push((number, frame));
        let mut dropped = Vec::new();
        while !self.fits(now, &all, class) {
            let worst = (0..all.len()).max_by_key(|place| (all[*place].1.rank(), all[*place].0)).unwrap();
            if all[worst].0 == number {
                return vec![frame];
            }
            dropped.push(all.remove(worst).1);
        }
        self.waiting = all;
        dropped
    }

    fn next(&mut self, now: Time, class: &PortClass) -> Option<Frame> {
        let best = self.waiting.iter().min_by_key(|(number, frame)| (frame.rank(), *number))?.1;
        let same = |(_, frame): &(usize, Frame)| (frame.flow, frame.epoch) == (best.flow, best.epoch);
        let (_, frame) = self.waiting.remove(self.waiting.iter().position(same)?);
        self.free_at = now + class.time_on_wire(frame.len);
        Some(frame)
    }
}

proptest! {
    #[test]
    fn a_port_does_what_is_told_of_it(
        frames in prop::collection::vec((0_u64..2500, 0_u32..5, 0_u32..2, 0_u64..6, 1_u32..1500), 1..200),
        queue in prop_oneof![(1_u32..12).prop_map(Length::Packets), (1538_u64..12_000).prop_map(|bytes| Length::Bytes(Bytes::new(bytes)))],
    ) {
        let class = PortClass::new(Rate::from_gbps(10), Span::ZERO, Bytes::new(38)).with_limit(queue);
        let mut port = Ranked::new(3, 1, Seed(1).stream("marks", 0));
        let (mut told, mut now) = (Told::default(), Time::ZERO);
        for (number, (gap, flow, epoch, rank, len)) in (0..).zip(frames) {
            let comes = now + Span::from_ns(gap);
            // Until it comes the link asks whenever it is free.
            while !told.waiting.is_empty() && told.free_at <= comes {
                now = now.max(told.free_at);
                let expected = told.next(now, &class).map(|frame| (frame, told.free_at));
                prop_assert_eq!(port.next(now, 1, &class), expected);
            }
            now = comes;
            let options = Options::of_rank(rank);
            let mut frame = Frame { sequence: number, flow, epoch, options, len, ..Frame::EMPTY };
            let was_idle = told.waiting.is_empty() && told.free_at <= now;
            let mut dropped = told.admit(now, frame, &class);
            if was_idle {
                told.next(now, &class);
            }
            let admission = port.admit(now, now, 1, &mut frame, &class, |_| 0);
            let expected = match dropped.as_slice() {
                [only] if *only == frame => Admission::Dropped,
                [] if was_idle => Admission::Departs(told.free_at),
                [] => Admission::Waits,
                _ => Admission::Displaces,
            };
            prop_assert_eq!(admission, expected);
            if admission == Admission::Displaces {
                let mut displaced: Vec<Frame> = std::iter::from_fn(|| port.displaced()).collect();
                displaced.reverse();
                prop_assert_eq!(&displaced, &std::mem::take(&mut dropped));
            }
            let waiting: Vec<(u32, Frame)> = told.waiting.iter().map(|(_, frame)| (1, *frame)).collect();
            prop_assert_eq!(port.waiting(), waiting);
            let wait = told.waiting.iter().fold(told.free_at.since(now), |wait, (_, frame)| wait + class.time_on_wire(frame.len));
            prop_assert_eq!(port.wait(now, 1), wait);
        }
        let waiting = told.waiting.len() as u64;
        let (counters, wait) = (*port.counters(1), port.wait(now, 1));
        let dropped = counters.dropped;
        prop_assert_eq!(counters.frames + dropped, told.came as u64);
        let held: u64 = class.rate.bytes_in(wait).get();
        prop_assert!(counters.bytes >= held);
        prop_assert_eq!(port.flush(1), waiting);
        prop_assert_eq!((port.waiting(), port.wait(now, 1)), (Vec::new(), Span::ZERO));
    }
}
