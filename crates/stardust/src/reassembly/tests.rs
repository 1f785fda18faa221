//! Cells of one VOQ, chopped by an ingress adapter, come in any order or not at all.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use crate::config::Config;
use crate::ingress::{Admitted, Ingress, VoqKey};
use fabric::{Ecn, Frame, Kind};
use proptest::prelude::*;
use std::collections::BTreeSet;
use units::Bytes;

const KEY: VoqKey = VoqKey { src: 0, dst: 1, port: 1, place: 0, ports: 1, class: 0 };
const TIMEOUT: Span = Span::from_us(100);

fn frame(len: u32, sequence: u64) -> Frame {
    let (flow, epoch, src, dst, entropy) = (0, 0, 0, 1, 0);
    let (kind, priority, ecn, echo, stamp) = (Kind::Data, 0, Ecn::NotCapable, false, Time::ZERO);
    Frame { sequence, stamp, flow, epoch, src, dst, len, entropy, kind, priority, ecn, echo, ..Frame::EMPTY }
}

/// What an ingress adapter makes of packets of these lengths, with these credits and one for the rest. Packets have the places of
/// their numbers in the store.
fn chop(config: &Config, lengths: &[u32], credits: &[u32]) -> (Store, Vec<Cell>) {
    let (mut store, mut cells) = (Store::default(), Vec::new());
    let mut ingress = Ingress::new(2, config);
    for (number, len) in (0..).zip(lengths) {
        let packet = store.put(frame(*len, number), 0);
        assert_eq!(ingress.admit(Time::ZERO, KEY, packet, &mut store), Admitted::Queued(0));
    }
    for credit in credits {
        ingress.credit(Time::ZERO, 0, *credit, &mut store, &mut cells);
    }
    ingress.credit(Time::ZERO, 0, 1 << 30, &mut store, &mut cells);
    (store, cells)
}

/// For each packet the cells that hold some of it: from the one where it begins to the one where it ends, found by counting bytes.
fn parts(config: &Config, store: &Store, lengths: &[u32], cells: &[Cell]) -> Vec<Vec<usize>> {
    let mut room: Vec<u32> = cells.iter().map(|cell| payload(config, cell)).collect();
    let mut at = 0;
    let parts = lengths.iter().map(|len| {
        let (mut left, mut held) = (len + config.cells.packet_header.get() as u32, Vec::new());
        while left > 0 {
            if room[at] == 0 {
                at += 1;
            }
            let part = left.min(room[at]);
            (left, room[at]) = (left - part, room[at] - part);
            held.push(at);
        }
        held
    });
    let parts: Vec<Vec<usize>> = parts.collect();
    for (number, held) in parts.iter().enumerate() {
        let ends = ends(store, &cells[*held.last().unwrap()]);
        assert!(ends.contains(&(number as u32)), "packet {number} ends in its last cell");
    }
    parts
}

fn ends(store: &Store, cell: &Cell) -> Vec<u32> {
    let some = |packet: u32| (packet != Store::NONE).then_some(packet);
    std::iter::successors(some(cell.cargo), |packet| some(store.next(*packet))).collect()
}

fn payload(config: &Config, cell: &Cell) -> u32 {
    u32::from(cell.len) - u32::from(cell.padding) - config.cells.header.get() as u32
}

fn config(size: u64, packing: bool, packet_header: u64) -> Config {
    let mut config = Config::default();
    config.cells.size = Bytes::new(size);
    config.cells.packing = packing;
    config.cells.packet_header = Bytes::new(packet_header);
    config.mtu = Bytes::new(9000);
    config
}

prop_compose! {
    fn configs()(size in 33u64..600, packing: bool, packet_header in prop::sample::select(vec![0u64, 8, 30])) -> Config {
        config(size, packing, packet_header)
    }
}

fn orders(cells: usize) -> impl Strategy<Value = Vec<usize>> {
    // Some cells are put off by some others: the fabric does this. By any number of them: no fabric does.
    (prop::collection::vec(0usize..40, cells), any::<bool>(), Just((0..cells).collect::<Vec<_>>()).prop_shuffle())
        .prop_map(|(late, any, shuffled)| {
            if any {
                return shuffled;
            }
            let mut order: Vec<usize> = (0..late.len()).collect();
            order.sort_by_key(|cell| cell + late[*cell]);
            order
        })
}

fn trials() -> impl Strategy<Value = (Config, Vec<u32>, Vec<u32>, Vec<usize>, Vec<bool>)> {
    let lengths = prop::collection::vec(prop_oneof![40u32..100, 40u32..1501, Just(1500u32), 1000u32..9001], 1..60);
    let credits = prop::collection::vec(prop_oneof![1u32..10_000, Just(4096u32)], 0..30);
    (configs(), lengths, credits).prop_flat_map(|(config, lengths, credits)| {
        let (_, cells) = chop(&config, &lengths, &credits);
        let losses = prop_oneof![Just(0.0), Just(0.02), Just(0.3)];
        let lost = losses.prop_flat_map(move |share| prop::collection::vec(prop::bool::weighted(share), cells.len()));
        let count = chop(&config, &lengths, &credits).1.len();
        (Just(config), Just(lengths), Just(credits), orders(count), lost)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// A packet is delivered if and only if none of its cells is lost, once, and in order; what is delivered and what is missing are all
    /// the bytes up to the last credit's end that came.
    #[test]
    fn packets_come_out_once_in_order_and_whole((config, lengths, credits, order, lost) in trials()) {
        let (store, cells) = chop(&config, &lengths, &credits);
        let parts = parts(&config, &store, &lengths, &cells);
        let mut reassembly = Reassembly::new(2, config.cells, u64::MAX);
        let (mut complete, mut torn, mut missing) = (Vec::new(), BTreeSet::new(), 0);
        let mut outcome = Outcome::default();
        let mut collect = |outcome: &mut Outcome| {
            complete.append(&mut outcome.complete);
            for packet in outcome.torn.drain(..) {
                assert!(torn.insert(packet), "a packet is torn once");
            }
            missing += u64::from(outcome.missing);
            outcome.clear();
        };
        for place in order.iter().filter(|place| !lost[**place]) {
            reassembly.arrive(Time::ZERO, &cells[*place], &store, &mut outcome);
            collect(&mut outcome);
        }
        while reassembly.streams.first().is_some_and(|stream| stream.held > 0) {
            reassembly.give_up(1, 0, &store, &mut outcome);
            collect(&mut outcome);
        }
        let whole = |packet: &u32| parts[*packet as usize].iter().all(|cell| !lost[*cell]);
        let expected: Vec<u32> = (0..lengths.len() as u32).filter(whole).collect();
        prop_assert_eq!(&complete, &expected);
        // The packets that end in a cell that came are told as torn; those that end in one that did not are lost with it.
        let told = |packet: &u32| !whole(packet) && !lost[*parts[*packet as usize].last().unwrap()];
        let expected: BTreeSet<u32> = (0..lengths.len() as u32).filter(told).collect();
        prop_assert_eq!(torn, expected);
        prop_assert_eq!(reassembly.waiting(1), 0);
        // Up to the last credit whose last cell came.
        if let Some(last) = (0..cells.len()).rev().find(|cell| cells[*cell].has(Cell::LAST) && !lost[*cell]) {
            let bytes: u64 = cells[..=last].iter().map(|cell| u64::from(payload(&config, cell))).sum();
            let size = |packet: &u32| u64::from(lengths[*packet as usize]) + config.cells.packet_header.get();
            let delivered: u64 = complete.iter().filter(|packet| *parts[**packet as usize].last().unwrap() <= last).map(size).sum();
            let turns = (delivered + missing).abs_diff(bytes);
            // Bytes of lost cells are known modulo 2^16: exact unless so much was lost at once.
            let most_lost = lost.split(|lost| !lost).map(<[bool]>::len).max().unwrap_or(0) as u64 * (config.cells.size - config.cells.header).get();
            prop_assert!(turns == 0 || most_lost > 1 << 16, "{} B delivered, {} B missing, {} B sent", delivered, missing, bytes);
            prop_assert_eq!(turns % (1 << 16), 0);
        }
    }

    /// Memory and time are bounded: what waits is never more than the limit, nor longer than the timeout; and then too nothing comes out
    /// twice or out of order.
    #[test]
    fn memory_and_time_are_bounded((config, lengths, credits, order, lost) in trials(), limit in 0u64..5000, gap in 1u64..40) {
        let (store, cells) = chop(&config, &lengths, &credits);
        let parts = parts(&config, &store, &lengths, &cells);
        let mut reassembly = Reassembly::new(2, config.cells, limit);
        let (mut complete, mut settled) = (Vec::new(), BTreeSet::new());
        let mut outcome = Outcome::default();
        let mut collect = |outcome: &mut Outcome| {
            for packet in outcome.complete.iter().chain(&outcome.torn) {
                assert!(settled.insert(*packet), "a packet comes out once");
            }
            complete.append(&mut outcome.complete);
            outcome.clear();
        };
        let mut due: Option<Time> = None;
        let mut now = Time::ZERO;
        for place in order.iter().filter(|place| !lost[**place]) {
            now += Span::from_us(gap);
            while let Some(at) = due.filter(|at| *at <= now) {
                due = reassembly.expire(at, 1, 0, TIMEOUT, &store, &mut outcome);
                collect(&mut outcome);
            }
            let waits = reassembly.arrive(now, &cells[*place], &store, &mut outcome);
            collect(&mut outcome);
            let stream = &mut reassembly.streams[0];
            if waits && !stream.armed {
                stream.armed = true;
                due = Some(now + TIMEOUT);
            }
            prop_assert_eq!(waits, stream.held > 0);
            prop_assert!(stream.oldest().is_none_or(|oldest| oldest + TIMEOUT > now));
            prop_assert!(reassembly.waiting(1) <= limit);
        }
        prop_assert!(complete.is_sorted());
        let whole = |packet: &u32| parts[*packet as usize].iter().all(|cell| !lost[*cell]);
        prop_assert!(complete.iter().all(whole));
    }
}

fn number(cells: &[Cell]) -> Vec<u32> {
    cells.iter().map(|cell| cell.sequence).collect()
}

#[test]
fn a_timer_runs_from_the_first_cell_that_waits_to_the_picosecond() {
    let config = config(256, true, 0);
    let (store, cells) = chop(&config, &[1000], &[]);
    assert_eq!(number(&cells), [0, 1, 2, 3, 4]);
    let at = |ns: u64| Time::ZERO + Span::from_ns(ns);
    let mut reassembly = Reassembly::new(2, config.cells, 1 << 20);
    let mut outcome = Outcome::default();
    assert!(!reassembly.arrive(at(0), &cells[0], &store, &mut outcome));
    assert!(reassembly.arrive(at(10), &cells[2], &store, &mut outcome));
    assert!(reassembly.arrive(at(20), &cells[3], &store, &mut outcome));
    assert_eq!(reassembly.waiting(1), 480);
    let due = at(10) + TIMEOUT;
    let early = Time::from_ps(due.as_ps() - 1);
    assert_eq!(reassembly.expire(early, 1, 0, TIMEOUT, &store, &mut outcome), Some(due));
    assert_eq!(reassembly.given_up, 0);
    assert_eq!(reassembly.expire(due, 1, 0, TIMEOUT, &store, &mut outcome), None);
    assert_eq!((reassembly.given_up, reassembly.waiting(1)), (1, 0));
    assert!(outcome.complete.is_empty() && outcome.torn.is_empty());
    // The rest of the packet ends the credit: 1000 B are missing, 760 of which came in vain.
    assert!(!reassembly.arrive(due, &cells[4], &store, &mut outcome));
    assert_eq!((&outcome.complete, &outcome.torn, outcome.missing), (&vec![], &vec![0], 1000));
    // What was given up and comes after all changes nothing: no packet ends in it.
    outcome.clear();
    assert!(!reassembly.arrive(due, &cells[1], &store, &mut outcome));
    assert_eq!((&outcome.complete, &outcome.torn, outcome.missing), (&vec![], &vec![], 0));
}

#[test]
fn the_timer_runs_on_for_cells_that_wait_when_a_stream_has_moved_on() {
    let config = config(256, true, 0);
    let (store, cells) = chop(&config, &[1500], &[]);
    let at = |us: u64| Time::ZERO + Span::from_us(us);
    let mut reassembly = Reassembly::new(2, config.cells, 1 << 20);
    let mut outcome = Outcome::default();
    assert!(reassembly.arrive(at(0), &cells[1], &store, &mut outcome));
    assert!(reassembly.arrive(at(5), &cells[3], &store, &mut outcome));
    assert!(reassembly.arrive(at(60), &cells[0], &store, &mut outcome));
    assert_eq!(reassembly.expire(at(100), 1, 0, TIMEOUT, &store, &mut outcome), Some(at(105)));
    assert_eq!(reassembly.expire(at(105), 1, 0, TIMEOUT, &store, &mut outcome), None);
    assert_eq!(reassembly.given_up, 1);
}

#[test]
fn a_lost_cell_tears_its_packets_and_no_others() {
    // 240 B of payload: packet 0 in cell 0, packet 1 in cells 0 and 1, packet 2 in cells 1 and 2, packet 3 in cell 2.
    let config = config(256, true, 0);
    let (store, cells) = chop(&config, &[200, 200, 200, 100], &[]);
    let ends: Vec<Vec<u32>> = cells.iter().map(|cell| ends(&store, cell)).collect();
    assert_eq!(ends, [vec![0], vec![1], vec![2, 3]]);
    let mut reassembly = Reassembly::new(2, config.cells, 1 << 20);
    let mut outcome = Outcome::default();
    reassembly.arrive(Time::ZERO, &cells[0], &store, &mut outcome);
    reassembly.arrive(Time::ZERO, &cells[2], &store, &mut outcome);
    reassembly.give_up(1, 0, &store, &mut outcome);
    assert_eq!((&outcome.complete, &outcome.torn, outcome.missing), (&vec![0, 3], &vec![2], 400));
}

#[test]
fn bytes_of_a_large_credit_are_counted_right() {
    // One lost cell in a credit of more than 2^16 B.
    let config = config(256, true, 0);
    let (store, cells) = chop(&config, &[1500; 60], &[]);
    let mut reassembly = Reassembly::new(2, config.cells, u64::MAX);
    let mut outcome = Outcome::default();
    for cell in cells.iter().filter(|cell| cell.sequence != 3) {
        reassembly.arrive(Time::ZERO, cell, &store, &mut outcome);
    }
    reassembly.give_up(1, 0, &store, &mut outcome);
    assert_eq!((outcome.complete.len(), outcome.missing), (59, 1500));
}

#[test]
fn what_an_adapter_held_when_it_went_off_is_lost() {
    let config = config(256, true, 0);
    let (store, cells) = chop(&config, &[600, 100, 240], &[]);
    let mut reassembly = Reassembly::new(2, config.cells, 1 << 20);
    let (mut outcome, mut lost) = (Outcome::default(), Vec::new());
    reassembly.arrive(Time::ZERO, &cells[0], &store, &mut outcome);
    reassembly.clear(1, 0, &store, &mut lost);
    assert_eq!((reassembly.waiting(1), lost.len()), (0, 0));
    // The rest of the first packet comes, but its beginning is gone.
    for cell in &cells[1..] {
        reassembly.arrive(Time::ZERO, cell, &store, &mut outcome);
    }
    assert_eq!((&outcome.complete, &outcome.torn, outcome.missing), (&vec![1, 2], &vec![0], 600));
}
