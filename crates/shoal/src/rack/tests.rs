//! Whole racks.

mod failing;

use super::*;
use crate::schedule::Order;
use proptest::prelude::*;

/// Runs until everything is there: slots, and what was complete when.
fn run(rack: &mut Rack, from: u64, most: u64) -> Vec<(u64, Arrived)> {
    let mut all = Vec::new();
    let mut complete = Vec::new();
    for slot in from..from + most {
        if rack.is_idle() {
            return all;
        }
        rack.step(slot, &mut complete);
        all.extend(complete.drain(..).map(|arrived| (slot, arrived)));
    }
    panic!("not idle after {most} slots: {:?}", rack.sums);
}

/// Every way to release cells.
fn releases() -> impl Strategy<Value = Release> {
    let refill = prop::sample::select(&[Refill::AtTurn, Refill::AtOnce]);
    let sharing = prop::sample::select(&[Sharing::TakeTurns, Sharing::InOrder]);
    let choices = (any::<bool>(), any::<bool>(), refill, sharing);
    choices.prop_map(|(ready_queue, by_age, refill, sharing)| Release {
        ready_queue,
        age_rule: by_age,
        refill,
        connections: sharing,
    })
}

proptest! {
    #[test]
    fn every_frame_arrives_once_and_in_order(
        nodes in 2_u32..20,
        channels in 1_u32..4,
        rearranged in any::<bool>(),
        delay in 1_u32..40,
        release in releases(),
        frames in prop::collection::vec((0_u32..400, any::<u16>(), any::<u16>(), 1_u32..60, 0_u32..3), 1..120),
    ) {
        let order = if rearranged { Order::Rearranged } else { Order::Cyclic };
        let schedule = Schedule::new(nodes, channels, order).expect("a schedule");
        let mut rack = Rack::new(schedule, delay, release);
        let mut frames: Vec<_> = frames
            .into_iter()
            .map(|(at, from, to, cells, connection)| {
                let from = from % nodes as u16;
                (at, from, (from + 1 + to % (nodes as u16 - 1)) % nodes as u16, cells, connection)
            })
            .collect();
        frames.sort_by_key(|frame| frame.0);
        let (mut slot, mut complete, mut all) = (0, Vec::new(), Vec::new());
        for (number, &(at, source, destination, cells, connection)) in (0..).zip(&frames) {
            while slot < u64::from(at) {
                rack.step(slot, &mut complete);
                slot += 1;
            }
            rack.offer_packet(slot, Packet { source, destination, class: 0, connection, cells, frame: number });
        }
        all.append(&mut complete);
        all.extend(run(&mut rack, slot, 1_000_000).into_iter().map(|(_, arrived)| arrived));
        let mut expected: Vec<_> = frames.iter().map(|&(_, from, to, ..)| (from, to)).collect();
        let mut found: Vec<_> = all.iter().map(|arrived| (arrived.source, arrived.destination)).collect();
        expected.sort_unstable();
        found.sort_unstable();
        prop_assert_eq!(found, expected);
        let connection = |arrived: &Arrived| {
            let one_by_one = release.connections == Sharing::TakeTurns;
            (arrived.source, arrived.destination, one_by_one.then(|| frames[arrived.frame as usize].4))
        };
        for one in all.iter().map(connection) {
            let of = all.iter().filter(|arrived| connection(arrived) == one);
            prop_assert!(of.map(|arrived| arrived.frame).is_sorted(), "frames of a connection arrive in order");
        }
        let cells: u64 = frames.iter().map(|frame| u64::from(frame.3)).sum();
        prop_assert_eq!(rack.sums.delivered, cells);
        prop_assert_eq!(rack.sums.moves, 2 * cells - rack.sums.direct, "a cell takes one hop or two");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// What is compiled for most racks, and what can do everything; and, by turns, both.
    #[test]
    fn the_fast_path_gives_the_same(
        nodes in prop_oneof![2_u32..20, 60_u32..90],
        channels in 1_u32..5,
        delay in 1_u32..60,
        by_age in any::<bool>(),
        by_turns in any::<u64>(),
        to_all in 0_u16..4,
        frames in prop::collection::vec((0_u32..300, any::<u16>(), any::<u16>(), 1_u32..40), 1..200),
    ) {
        let release = Release { age_rule: by_age, ..PAPER };
        let mut racks = [(); 3].map(|()| rack(nodes, channels, delay, release));
        racks[0].count_crossings(2, |from, to| [u16::from(from < to), 0]);
        for rack in &mut racks {
            rack.watch(30);
        }
        // Some nodes have so many flows that a word of them is not enough.
        let to_all = (0..to_all).flat_map(|from| (0..nodes as u16 - 1).map(move |to| (0, from, to, 3 * nodes)));
        let mut frames: Vec<_> = to_all.chain(frames).collect();
        frames.sort_by_key(|frame| frame.0);
        let mut frames = (0..).zip(frames).peekable();
        let mut slot = 0;
        while frames.peek().is_some() || !racks[0].is_idle() {
            while let Some((number, (_, from, to, cells))) = frames.next_if(|(_, frame)| u64::from(frame.0) <= slot) {
                let from = from % nodes as u16;
                let to = (from + 1 + to % (nodes as u16 - 1)) % nodes as u16;
                let packet =
                    Packet { source: from, destination: to, class: 0, connection: number % 3, cells, frame: number };
                racks.iter_mut().for_each(|rack| assert!(rack.offer_packet(slot, packet)));
            }
            let mut complete = [(); 3].map(|()| Vec::new());
            prop_assert!(racks[0].is_fast());
            racks[0].step(slot, &mut complete[0]);
            racks[1].step_slowly(slot, &mut complete[1]);
            match by_turns >> (slot % 64) & 1 {
                0 => racks[2].step(slot, &mut complete[2]),
                _one => racks[2].step_slowly(slot, &mut complete[2]),
            }
            slot += 1;
            let [fast, slow, both] = &complete;
            prop_assert!(fast == slow && fast == both, "slot {}: {:?}", slot, complete);
            prop_assert!(racks[0].sums == racks[1].sums && racks[0].sums == racks[2].sums, "slot {}", slot);
            let [fast, slow, both] = racks.each_ref().map(|rack| &rack.backlog);
            prop_assert!(fast == slow && fast == both, "slot {}", slot);
            let [fast, slow, both] = racks.each_mut().map(|rack| {
                let mut drained: Vec<u16> = rack.drained().collect();
                drained.sort_unstable();
                drained
            });
            prop_assert!(fast == slow && fast == both, "slot {}", slot);
            prop_assert!(slot < 2_000_000);
        }
        for node in 0..nodes as u16 {
            let held = racks.each_ref().map(|rack| rack.held(node));
            prop_assert!(held[0] == held[1] && held[0] == held[2], "node {}: {:?}", node, held);
        }
        let crossed = racks[0].crossed(0) + racks[0].crossed(1);
        prop_assert_eq!(crossed, 2 * racks[0].sums.moves);
    }
}

const PAPER: Release = Release::PAPER;

fn rack(nodes: u32, channels: u32, delay: u32, release: Release) -> Rack {
    Rack::new(Schedule::new(nodes, channels, Order::Rearranged).expect("a schedule"), delay, release)
}

/// Cells that node 0 sends in each of so many epochs, with one flow without end to node 1.
fn sent_alone(mut rack: Rack, epochs: u64) -> Vec<u64> {
    rack.offer(0, 0, 1, 1 << 30, 0);
    let (epoch, mut complete) = (u64::from(rack.epoch()), Vec::new());
    let mut sent = Vec::new();
    for number in 0..epochs {
        let before = rack.held(0).sent;
        (number * epoch..(number + 1) * epoch).for_each(|slot| rack.step(slot, &mut complete));
        sent.push(rack.held(0).sent - before);
    }
    sent
}

#[test]
fn a_flow_alone_uses_every_turn() {
    // Seven turns in an epoch of eight slots: the one to spare is App. A's.
    assert_eq!(sent_alone(rack(8, 1, 1, PAPER), 6), [7; 6]);
    assert_eq!(sent_alone(rack(8, 1, 4, PAPER), 6), [7; 6], "feedback comes in time from half an epoch away");
    // A slot further, and the answer misses its turn and then ours: 4 and 8 slots to leave, 5 to come, are more than two epochs.
    assert_eq!(sent_alone(rack(8, 1, 5, PAPER), 6), [7, 0, 0, 7, 0, 0]);
}

#[test]
fn without_eq_6_a_flow_alone_waits_for_its_own_cells() {
    let sent = sent_alone(rack(8, 1, 1, Release { ready_queue: false, age_rule: false, ..PAPER }), 20);
    assert_eq!(sent[0], 7);
    let later: u64 = sent[1..].iter().sum();
    assert!((60..7 * 19).contains(&later), "some turns are lost: {sent:?}");
}

#[test]
fn a_young_flow_keeps_out_of_long_queues() {
    // Nodes 1 to 6 send to node 7, so that their queues for it are long: six cells each in the end.
    let most_found = |by_age| {
        let mut rack = rack(8, 1, 1, Release { age_rule: by_age, ..PAPER });
        let mut complete = Vec::new();
        for node in 1..7 {
            rack.offer(0, node, 7, 1000, u32::from(node));
        }
        let mut slot = 0;
        while rack.queue(1, 7) < 4 {
            rack.step(slot, &mut complete);
            slot += 1;
        }
        let (before, place) = (rack.queue(1, 7), 1);
        // Node 1 has a cell for node 2: any of its queues will do but this one.
        rack.offer(slot, place, 2, 1, 99);
        let mut joined = false;
        while rack.unsent(place) > 0 && complete.iter().all(|arrived| arrived.frame != 99) && slot < 10_000 {
            rack.step(slot, &mut complete);
            joined |= rack.queues.iter(rack.pair(1, 7)).any(|cell| cell.destination() == 2);
            slot += 1;
        }
        (before, joined)
    };
    let (long, joined) = most_found(true);
    assert!(long >= 4 && !joined, "a cell of age 0 joined a queue of {long}");
}

#[test]
fn what_waits_is_counted_over_time() {
    let mut rack = rack(4, 1, 1, PAPER);
    rack.offer(0, 0, 1, 3, 0);
    let mut complete = Vec::new();
    let mut area = 0;
    let mut slot = 0;
    while !rack.is_idle() {
        rack.step(slot, &mut complete);
        slot += 1;
        area += (0..4).map(|node| u64::from(rack.held(node).cells)).sum::<u64>();
        assert_eq!((0..4).map(|node| rack.held(node).area(slot)).sum::<u64>(), area, "at the beginning of slot {slot}");
    }
    assert_eq!(complete, [Arrived { source: 0, destination: 1, frame: 0 }]);
    assert_eq!((rack.sums.delivered, rack.sums.direct), (3, 1), "one cell over each of the others, one straight");
}

/// The slot after which a frame is complete.
fn time_of(rack: &mut Rack, frame: u32) -> u64 {
    let mut complete = Vec::new();
    (0..1_000_000)
        .find(|slot| {
            rack.step(*slot, &mut complete);
            complete.iter().any(|arrived| arrived.frame == frame)
        })
        .expect("it comes")
}

#[test]
fn a_short_message_does_not_wait_for_a_long_one_of_another_connection() {
    let time_for = |sharing, connections: [u32; 2]| {
        let mut rack = rack(8, 1, 1, Release { connections: sharing, ..PAPER });
        for (frame, (connection, cells)) in (0..).zip(connections.into_iter().zip([7000, 14])) {
            rack.offer_packet(0, Packet { source: 0, destination: 1, class: 0, connection, cells, frame });
        }
        time_of(&mut rack, 1)
    };
    // Seven cells in an epoch of eight slots. 14 and as many of the other connection take four epochs, and one or two more to be passed on.
    let short = time_for(Sharing::TakeTurns, [5, 9]);
    assert!((4 * 8..6 * 8).contains(&short), "{short} slots");
    let behind = 7000 / 7 * 8;
    assert!(time_for(Sharing::TakeTurns, [5, 5]) > behind, "one connection's packets go in order");
    assert!(time_for(Sharing::InOrder, [5, 9]) > behind, "all of two nodes go in order");
}

/// To congestion control the connections of two nodes are one flow: two of them get no more than one.
#[test]
fn two_connections_have_the_share_of_one() {
    let mut rack = rack(8, 1, 1, PAPER);
    for (source, connection, frame) in [(0, 1, 0), (0, 2, 1), (2, 3, 2)] {
        rack.offer_packet(0, Packet { source, destination: 1, class: 0, connection, cells: 1 << 20, frame });
    }
    (0..8 * 4000).for_each(|slot| rack.step(slot, &mut Vec::new()));
    let left = [0, 2].map(|node| rack.unsent(node));
    let sent = [(2 << 20) - left[0], (1 << 20) - left[1]];
    assert!(sent[0].abs_diff(sent[1]) * 20 < sent[1], "{sent:?}");
}

/// A node keeps cells of its own in no queue but those in which others wait before them.
#[test]
fn local_cells_join_when_their_turn_comes() {
    let most = |refill| {
        let mut rack = rack(64, 4, 1, Release { refill, ..PAPER });
        rack.offer(0, 0, 1, 1 << 20, 0);
        (0..32 * 100).for_each(|slot| rack.step(slot, &mut Vec::new()));
        (rack.held(0).most, rack.held(0).sent)
    };
    let (at_turn, at_once) = (most(Refill::AtTurn), most(Refill::AtOnce));
    assert_eq!(at_turn.0, 1, "nobody else has cells for node 0 to pass on");
    assert!(at_once.0 > 30, "{at_once:?}");
    assert!(at_turn.1.abs_diff(at_once.1) <= 63, "the rate is the same: {at_turn:?}, {at_once:?}");
}
