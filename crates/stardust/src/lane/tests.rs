//! A link's queue as timelines, and against a server that does one thing after the other.

use super::*;
use crate::cell::Kind;
use proptest::prelude::*;
use std::collections::VecDeque;

const DELAY: Span = Span::from_ns(500);

/// 8 Gb/s: a byte a nanosecond. Cells of 256 B, indications above 2 of them.
fn class() -> LinkClass {
    LinkClass::new(Rate::from_gbps(8), DELAY, Bytes::new(256), 2)
}

fn ns(ns: u64) -> Time {
    Time::ZERO + Span::from_ns(ns)
}

fn data(sequence: u32, len: u16) -> Cell {
    Cell { sequence, len, ..Cell::EMPTY }
}

fn control(sequence: u32, len: u16) -> Cell {
    Cell { sequence, ..Cell::control(Kind::Credit, 0, 0, len) }
}

/// Numbers of the cells, and when the last bit of each leaves, in nanoseconds; `None` for what waits for a release.
fn plan(lane: &Lane) -> Vec<(u32, Option<u64>)> {
    let end = |cell: &Cell| (cell.at != Time::MAX).then(|| (cell.at - DELAY).as_ps() / 1000);
    lane.iter().map(|cell| (cell.sequence, end(cell))).collect()
}

#[test]
fn cells_leave_one_after_the_other() {
    let (mut lane, class) = (Lane::default(), class());
    lane.join(ns(100), data(0, 256), &class);
    lane.join(ns(100), data(1, 64), &class);
    lane.join(ns(1000), data(2, 256), &class);
    assert_eq!(plan(&lane), [(0, Some(356)), (1, Some(420)), (2, Some(1256))]);
    assert_eq!(lane.next_arrival(), ns(856));
    assert_eq!((lane.waiting(ns(99), &class), lane.waiting(ns(355), &class), lane.waiting(ns(356), &class)), (3, 2, 1));
    assert_eq!(lane.pop().sequence, 0);
    assert_eq!(lane.len(), 2);
}

#[test]
fn control_goes_before_data_that_has_not_begun_and_behind_control() {
    let (mut lane, class) = (Lane::default(), class());
    for number in 0..3 {
        lane.join(ns(0), data(number, 256), &class);
    }
    lane.join_first(ns(100), control(10, 24), &class);
    lane.join_first(ns(100), control(11, 24), &class);
    let expected = [(0, Some(256)), (10, Some(280)), (11, Some(304)), (1, Some(560)), (2, Some(816))];
    assert_eq!(plan(&lane), expected);
    // Cell 1 begins at 304 ns: not before, the message could have gone first.
    let mut later = lane.clone();
    later.join_first(ns(304), control(12, 24), &class);
    assert_eq!(plan(&later)[3..], [(1, Some(560)), (12, Some(584)), (2, Some(840))]);
    lane.join_first(ns(303), control(12, 24), &class);
    assert_eq!(plan(&lane)[3..], [(12, Some(328)), (1, Some(584)), (2, Some(840))]);
}

#[test]
fn cells_are_marked_exactly_above_the_threshold() {
    let (mut lane, class) = (Lane::default(), class());
    let mut join = |at: u64| {
        lane.join(ns(at), data(0, 256), &class);
        lane.iter().last().is_some_and(|cell| cell.has(Cell::FCI))
    };
    // Two cells' time is 512 ns.
    assert_eq!([join(0), join(0), join(0), join(1), join(511)], [false, false, false, true, true]);
    assert!(!join(768), "512 ns are left");
    assert_eq!(lane.counters.marked, 2);
    lane.join_first(ns(768), control(1, 24), &class);
    assert!(lane.iter().all(|cell| !cell.is_control() || !cell.has(Cell::FCI)));
}

#[test]
fn a_link_that_is_held_finishes_its_cell_and_sends_control_only() {
    let (mut lane, class) = (Lane::default(), class());
    for number in 0..3 {
        lane.join(ns(0), data(number, 256), &class);
    }
    lane.hold(ns(300), &class);
    assert_eq!(plan(&lane), [(0, Some(256)), (1, Some(512)), (2, None)]);
    lane.join(ns(400), data(3, 100), &class);
    lane.join_first(ns(400), control(10, 24), &class);
    assert_eq!(plan(&lane)[2..], [(10, Some(536)), (2, None), (3, None)]);
    assert_eq!(lane.queued(ns(400), &class), Bytes::new(112 + 256 + 100 + 24));
    // What waits for the release counts for indications.
    lane.join(ns(400), data(4, 256), &class);
    lane.join(ns(400), data(5, 256), &class);
    assert_eq!(lane.counters.marked, 1);
    lane.release(ns(700), &class);
    let expected = [(10, Some(536)), (2, Some(956)), (3, Some(1056)), (4, Some(1312)), (5, Some(1568))];
    assert_eq!(plan(&lane)[2..], expected);
}

#[test]
fn a_link_that_fails_loses_everything_and_begins_anew() {
    let (mut lane, class) = (Lane::default(), class());
    lane.join(ns(0), data(0, 256), &class);
    lane.hold(ns(0), &class);
    lane.join(ns(0), data(1, 256), &class);
    assert_eq!(lane.clear(ns(10)).iter().map(|cell| cell.sequence).collect::<Vec<_>>(), [0, 1]);
    assert!(lane.is_empty() && !lane.is_held());
    lane.join(ns(20), data(2, 256), &class);
    assert_eq!(plan(&lane), [(2, Some(276))]);
}

/// The same link, told as a server: whenever it is free it takes what waits, control first, data only if it is not held.
#[derive(Default)]
struct Server {
    control: VecDeque<Cell>,
    data: VecDeque<Cell>,
    free_at: Time,
    held: bool,
    sent: Vec<(u32, Time)>,
}

impl Server {
    fn serve(&mut self, begin: Time, class: &LinkClass) {
        let data = if self.held { None } else { self.data.front().copied() };
        if let Some(cell) = self.control.pop_front().or(data) {
            if !cell.is_control() {
                self.data.pop_front();
            }
            self.free_at = begin + class.service(cell.len);
            self.sent.push((cell.sequence, self.free_at));
        }
    }
    fn waits(&self) -> usize {
        self.control.len() + self.data.len()
    }
    /// Goes on until now.
    fn run(&mut self, now: Time, class: &LinkClass) {
        while self.free_at <= now && (!self.control.is_empty() || (!self.held && !self.data.is_empty())) {
            self.serve(self.free_at, class);
        }
    }
    /// Something has changed.
    fn look(&mut self, now: Time, class: &LinkClass) {
        if self.free_at <= now {
            self.serve(now, class);
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Operation {
    Data(u16),
    Control(u16),
    Hold,
    Release,
    Clear,
}

fn operations() -> impl Strategy<Value = Vec<(u64, Operation)>> {
    let one = prop_oneof![
        8 => (1u16..257).prop_map(Operation::Data),
        3 => (1u16..65).prop_map(Operation::Control),
        1 => Just(Operation::Hold),
        1 => Just(Operation::Release),
        1 => prop::bool::weighted(0.1).prop_map(|clear| if clear { Operation::Clear } else { Operation::Release }),
    ];
    prop::collection::vec((prop_oneof![Just(0u64), 0u64..400], one), 1..200)
}

proptest! {
    /// Whatever joins, holds and releases come: cells of a kind leave in order, never two at once, and never late.
    #[test]
    fn a_lane_sends_when_a_server_would(operations in operations()) {
        let (mut lane, mut server, class) = (Lane::default(), Server::default(), class());
        let (mut now, mut arrived) = (0, Vec::new());
        let take = |lane: &mut Lane, until: Time, arrived: &mut Vec<(u32, Time)>| {
            while lane.next_arrival() <= until && !lane.is_empty() && lane.next_arrival() != Time::MAX {
                let cell = lane.pop();
                arrived.push((cell.sequence, cell.at - DELAY));
            }
        };
        for (number, (gap, operation)) in (0..).zip(operations) {
            now += gap;
            let at = ns(now);
            server.run(at, &class);
            take(&mut lane, at, &mut arrived);
            match operation {
                Operation::Data(len) => {
                    lane.join(at, data(number, len), &class);
                    server.data.push_back(data(number, len));
                }
                Operation::Control(len) => {
                    lane.join_first(at, control(number, len), &class);
                    server.control.push_back(control(number, len));
                }
                Operation::Hold => {
                    if !lane.is_held() {
                        lane.hold(at, &class);
                        server.held = true;
                    }
                }
                Operation::Release => {
                    if lane.is_held() {
                        lane.release(at, &class);
                        server.held = false;
                    }
                }
                Operation::Clear => {
                    lane.clear(at);
                    server.sent.truncate(arrived.len());
                    server = Server { sent: server.sent, free_at: at, ..Server::default() };
                }
            }
            server.look(at, &class);
            prop_assert_eq!(lane.waiting(at, &class) as usize, server.waits());
            prop_assert!(lane.iter().zip(lane.iter().skip(1)).all(|(one, other)| one.at <= other.at));
        }
        lane.release(ns(now), &class);
        server.held = false;
        server.look(ns(now), &class);
        let end = ns(now + 1_000_000);
        server.run(end, &class);
        take(&mut lane, end, &mut arrived);
        prop_assert!(lane.is_empty());
        prop_assert_eq!(arrived, server.sent);
    }
}
