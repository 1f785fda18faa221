//! Racks in which something fails, is wrong, or finds no room.

use super::{PAPER, rack, releases, run};
use crate::rack::*;
use crate::schedule::Order;
use proptest::prelude::*;

fn recovery(rack: &Rack, leave_out_after: Option<u64>) -> Recovery {
    Recovery {
        patience: 2 * u64::from(rack.nodes()) * u64::from(rack.epoch()) + 4 * rack.delay,
        leave_out_after,
        errors: engine::Seed(1).stream("errors", 0),
        layout: crate::header::Layout::FIGURE_5,
        payload: 56,
    }
}

/// All paths work, but those to or from nodes for which `is_cut` is so.
fn cut(rack: &mut Rack, slot: u64, is_cut: impl Fn(u16, u16) -> bool) {
    let down = vec![false; rack.nodes() as usize];
    rack.set_paths(slot, &down, |from, to| Path { works: !is_cut(from, to), bit_errors: 0.0 });
}

/// What may happen to a rack.
#[derive(Debug, Clone)]
enum Happens {
    /// A node goes off or on.
    Node(u16),
    /// A path, in one direction, is cut or works again.
    Path(u16, u16),
    /// All paths have so many wrong bits in a million, or none. Where half of all cells are wrong, App. D never comes to an end: each
    /// has two sent again.
    Noise(u32),
}

fn what_happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        any::<u16>().prop_map(Happens::Node),
        (any::<u16>(), any::<u16>()).prop_map(|(from, to)| Happens::Path(from, to)),
        prop_oneof![Just(0), 1_u32..600].prop_map(Happens::Noise),
    ]
}

proptest! {
    #[test]
    fn every_frame_arrives_once_or_is_known_to_be_lost(
        nodes in 2_u32..12,
        channels in 1_u32..3,
        delay in 1_u32..20,
        classes in 1_u8..4,
        limit in 1_u32..6,
        leave_out_after in prop_oneof![Just(None), (1_u64..400).prop_map(Some)],
        release in releases(),
        mut frames in prop::collection::vec((0_u32..1500, any::<u16>(), any::<u16>(), any::<u8>(), 1_u32..40), 1..150),
        mut events in prop::collection::vec((0_u32..1500, what_happens()), 0..12),
    ) {
        let schedule = Schedule::new(nodes, channels, Order::Rearranged).expect("a schedule");
        let mut rack = Rack::new(schedule, delay, release);
        rack.set_classes(classes, limit);
        rack.set_recovery(recovery(&rack, leave_out_after));
        frames.sort_by_key(|frame| frame.0);
        events.sort_by_key(|event| event.0);
        let (mut down, mut paths, mut noise) = (vec![false; nodes as usize], std::collections::BTreeSet::new(), 0);
        let (mut events, mut waiting) = (events.into_iter().peekable(), (0..).zip(&frames).peekable());
        let (mut complete, mut lost) = (Vec::new(), Vec::new());
        let mut slot = 0;
        while slot < 1600 || !rack.is_idle() {
            prop_assert!(slot < 200_000, "stuck: {:?}", rack.sums);
            while let Some((_, what)) = events.next_if(|event| u64::from(event.0) <= slot) {
                match what {
                    Happens::Node(node) => down[usize::from(node) % nodes as usize] ^= true,
                    Happens::Path(from, to) => {
                        let path = (from % nodes as u16, to % nodes as u16);
                        if !paths.remove(&path) {
                            paths.insert(path);
                        }
                    }
                    Happens::Noise(millionths) => noise = millionths,
                }
                let bit_errors = f64::from(noise) / 1e6;
                rack.set_paths(slot, &down, |from, to| Path { works: !paths.contains(&(from, to)), bit_errors });
            }
            while let Some((number, &(_, from, to, class, cells))) = waiting.next_if(|(_, frame)| u64::from(frame.0) <= slot) {
                let from = from % nodes as u16;
                let to = (from + 1 + to % (nodes as u16 - 1)) % nodes as u16;
                let (class, connection) = (class % classes, number % 3);
                rack.offer_packet(slot, Packet { source: from, destination: to, class, connection, cells, frame: number });
            }
            rack.step(slot, &mut complete);
            rack.check();
            lost.extend(rack.take_lost());
            slot += 1;
        }
        let mut found: Vec<u32> = complete.iter().map(|arrived| arrived.frame).chain(lost.iter().copied()).collect();
        found.sort_unstable();
        prop_assert!(found.iter().copied().eq(0..frames.len() as u32), "each frame once: {found:?}");
        for arrived in &complete {
            let (_, from, to, _, _) = frames[arrived.frame as usize];
            let from = from % nodes as u16;
            prop_assert_eq!((arrived.source, arrived.destination), (from, (from + 1 + to % (nodes as u16 - 1)) % nodes as u16));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// What has failed and is known to all is no more than pairs that send nothing: the fast path gives what the general one gives, and so do
    /// both by turns.
    #[test]
    fn the_fast_path_gives_the_same_where_something_has_failed(
        nodes in prop_oneof![3_u32..12, 60_u32..75],
        channels in 1_u32..4,
        delay in 1_u32..20,
        leave_out_after in prop_oneof![Just(None), (1_u64..400).prop_map(Some)],
        by_turns in any::<u64>(),
        to_all in 0_u16..3,
        mut frames in prop::collection::vec((0_u32..3000, any::<u16>(), any::<u16>(), 1_u32..40), 1..200),
        mut events in prop::collection::vec((0_u32..1500, what_happens()), 0..6),
    ) {
        let schedule = Schedule::new(nodes, channels, Order::Rearranged).expect("a schedule");
        let mut racks = [(); 3].map(|()| {
            let mut rack = Rack::new(schedule.clone(), delay, PAPER);
            rack.set_recovery(recovery(&rack, leave_out_after));
            rack.watch(30);
            rack
        });
        // Some nodes have so many flows that a word of them is not enough.
        frames.extend((0..to_all).flat_map(|from| (0..nodes as u16 - 1).map(move |to| (20, from, to, 60))));
        frames.sort_by_key(|frame| frame.0);
        events.sort_by_key(|event| event.0);
        let (mut down, mut paths) = (vec![false; nodes as usize], std::collections::BTreeSet::new());
        let (mut events, mut waiting) = (events.into_iter().peekable(), (0..).zip(&frames).peekable());
        let mut slot = 0;
        while slot < 3100 || !racks[1].is_idle() {
            prop_assert!(slot < 200_000, "stuck: {:?}", racks[1].sums);
            while let Some((_, what)) = events.next_if(|event| u64::from(event.0) <= slot) {
                match what {
                    Happens::Node(node) => down[usize::from(node) % nodes as usize] ^= true,
                    Happens::Path(from, to) => {
                        let path = (from % nodes as u16, to % nodes as u16);
                        if !paths.remove(&path) {
                            paths.insert(path);
                        }
                    }
                    Happens::Noise(_) => continue,
                }
                for rack in &mut racks {
                    rack.set_paths(slot, &down, |from, to| Path { works: !paths.contains(&(from, to)), bit_errors: 0.0 });
                }
            }
            while let Some((number, &(_, from, to, cells))) = waiting.next_if(|(_, frame)| u64::from(frame.0) <= slot) {
                let from = from % nodes as u16;
                let to = (from + 1 + to % (nodes as u16 - 1)) % nodes as u16;
                let packet = Packet { source: from, destination: to, class: 0, connection: number % 3, cells, frame: number };
                let taken = racks.each_mut().map(|rack| rack.offer_packet(slot, packet));
                prop_assert!(taken[0] == taken[1] && taken[0] == taken[2]);
            }
            let mut complete = [(); 3].map(|()| Vec::new());
            racks[0].step(slot, &mut complete[0]);
            racks[1].step_slowly(slot, &mut complete[1]);
            match by_turns >> (slot / 16 % 64) & 1 {
                0 => racks[2].step(slot, &mut complete[2]),
                _one => racks[2].step_slowly(slot, &mut complete[2]),
            }
            slot += 1;
            let [fast, slow, both] = &complete;
            prop_assert!(fast == slow && fast == both, "slot {}: {:?}", slot, complete);
            let [fast, slow, both] = racks.each_mut().map(|rack| {
                let mut drained: Vec<u16> = rack.drained().collect();
                drained.sort_unstable();
                (rack.take_lost(), rack.sums, rack.backlog.clone(), rack.silent_pairs(), rack.is_idle(), drained)
            });
            prop_assert!(fast == slow && fast == both, "slot {}", slot);
        }
        for node in 0..nodes as u16 {
            let held = racks.each_ref().map(|rack| rack.held(node));
            prop_assert!(held[0] == held[1] && held[0] == held[2], "node {}: {:?}", node, held);
        }
    }
}

#[test]
fn a_rack_settles_when_all_know_what_has_failed() {
    let mut rack = mortal(None);
    (0..8).for_each(|node| rack.offer(0, node, (node + 1) % 8, 4000, node.into()));
    until(&mut rack, 0, 80);
    assert!(rack.is_fast(), "nothing has failed");
    let down: Vec<bool> = (0..8).map(|node| node == 3).collect();
    rack.set_paths(80, &down, |_, _| Path { works: true, bit_errors: 0.0 });
    assert!(!rack.is_fast());
    until(&mut rack, 80, 89);
    assert!(!rack.is_fast(), "an epoch later not all have heard of it");
    until(&mut rack, 89, 200);
    assert!(rack.is_fast());
    cut(&mut rack, 200, |from, to| (from, to) == (0, 1));
    assert!(!rack.is_fast());
    until(&mut rack, 200, 500);
    assert!(rack.is_fast(), "flows over 0 and 1 go round by others");
    rack.set_paths(500, &[false; 8], |_, _| Path { works: true, bit_errors: 1e-6 });
    until(&mut rack, 500, 900);
    assert!(!rack.is_fast(), "bits are wrong");
    let look_at = rack.trouble.as_ref().map(|trouble| trouble.settled.look_at);
    assert!(
        look_at.is_some_and(|slot| slot > 900 + 8),
        "what does not settle is looked at less and less often: {look_at:?}"
    );
}

/// Steps until `slot`.
fn until(rack: &mut Rack, from: u64, slot: u64) -> Vec<Arrived> {
    let mut complete = Vec::new();
    (from..slot).for_each(|slot| rack.step(slot, &mut complete));
    complete
}

/// A rack of 8 nodes that may fail, with epochs of 8 slots.
fn mortal(leave_out_after: Option<u64>) -> Rack {
    let mut rack = rack(8, 1, 1, PAPER);
    rack.set_recovery(recovery(&rack, leave_out_after));
    rack
}

#[test]
fn a_node_that_fails_is_missed_within_an_epoch() {
    let mut rack = mortal(None);
    rack.offer(0, 0, 1, 400, 7);
    rack.offer(0, 2, 3, 400, 8);
    until(&mut rack, 0, 80);
    let down: Vec<bool> = (0..8).map(|node| node == 3).collect();
    rack.set_paths(80, &down, |_, _| Path { works: true, bit_errors: 0.0 });
    until(&mut rack, 80, 80 + 9);
    assert_eq!((rack.sums.inferred, rack.silent_pairs()), (7, 7), "an epoch and a delay later all have missed it");
    assert!(rack.take_lost().is_empty(), "node 2 has not heard that of all others");
    until(&mut rack, 89, 89 + 9);
    assert_eq!(rack.take_lost(), [8], "there is no path to node 3");
    let moves = rack.sums.moves;
    let arrived = until(&mut rack, 98, 700);
    assert!(arrived.iter().any(|arrived| arrived.frame == 7), "the others go on: {arrived:?}");
    assert!(rack.sums.moves > moves);
    rack.offer(700, 4, 3, 1, 9);
    assert_eq!(rack.take_lost(), [9]);
}

#[test]
fn a_way_that_is_cut_falls_silent_both_ways_and_is_gone_round() {
    let mut rack = mortal(None);
    rack.offer(0, 0, 1, 600, 7);
    rack.offer(0, 2, 1, 600, 8);
    until(&mut rack, 0, 40);
    cut(&mut rack, 40, |from, to| (from, to) == (0, 1));
    let silent: Vec<usize> = (40..58)
        .map(|slot| {
            until(&mut rack, slot, slot + 1);
            rack.silent_pairs()
        })
        .collect();
    let (first, second) = (silent.iter().position(|pairs| *pairs == 1), silent.iter().position(|pairs| *pairs == 2));
    assert!(first.is_some_and(|after| after <= 9), "node 1 has missed node 0 within an epoch and a delay: {silent:?}");
    // The two directions of a pair are half an epoch apart.
    assert_eq!(second, first.map(|after| after + 4), "and then node 0 has missed node 1: {silent:?}");
    until(&mut rack, 58, 67);
    let direct = rack.sums.direct;
    let mut slot = 67;
    let mut arrived = Vec::new();
    while !rack.is_idle() {
        rack.step(slot, &mut arrived);
        slot += 1;
        assert_eq!(rack.queue(0, 1), 0, "all know that nothing goes from 0 to 1");
    }
    // What node 0 had sent in vain it sent again over another path. What it was to pass on for node 2 is lost (§3.5).
    let frames: Vec<u32> = arrived.iter().map(|arrived| arrived.frame).collect();
    assert_eq!((frames, rack.take_lost()), (vec![7], vec![8]));
    assert!(rack.sums.lost > 0 && rack.sums.direct > direct, "{:?}", rack.sums);
    assert!(
        (1..10).contains(&rack.sums.sent_again),
        "a cell or two that had no answer, and those in the queue: {:?}",
        rack.sums
    );
}

#[test]
fn nodes_that_stay_away_lose_their_slots_until_they_are_back() {
    let mut rack = mortal(Some(100));
    let works = |_, _| Path { works: true, bit_errors: 0.0 };
    let down: Vec<bool> = (0..8).map(|node| node == 7).collect();
    rack.set_paths(0, &down, works);
    rack.offer(0, 0, 1, 1 << 20, 7);
    let sent_in = |rack: &mut Rack, from: u64, slots: u64| {
        let before = rack.held(0).sent;
        until(rack, from, from + slots);
        rack.held(0).sent - before
    };
    let long = sent_in(&mut rack, 0, 96);
    assert!(long <= 12 * 6, "{long} cells in 12 epochs, of 6 nodes each");
    until(&mut rack, 96, 200);
    assert_eq!((rack.schedule().living(), rack.epoch()), (7, 6));
    assert!(rack.take_changed());
    assert_eq!(sent_in(&mut rack, 200, 60), 60, "no slot is empty");
    rack.set_paths(260, &[false; 8], works);
    until(&mut rack, 260, 400);
    assert_eq!((rack.schedule().living(), rack.epoch()), (8, 8));
    rack.offer(400, 3, 7, 10, 9);
    let arrived = until(&mut rack, 400, 600);
    assert!(arrived.iter().any(|arrived| arrived.frame == 9));
}

/// Idle slots are left out, so a rack may well be at any: here epochs have 8 slots, and their numbers 32 bits.
#[test]
fn a_rack_that_has_changed_goes_on_when_the_numbers_of_epochs_wrap() {
    let mut rack = mortal(Some(100));
    let works = |_, _| Path { works: true, bit_errors: 0.0 };
    let down: Vec<bool> = (0..8).map(|node| node == 7).collect();
    rack.set_paths(0, &down, works);
    until(&mut rack, 0, 200);
    rack.set_paths(260, &[false; 8], works);
    until(&mut rack, 260, 400);
    assert_eq!((rack.schedule().living(), rack.epoch()), (8, 8));
    let late = (8 << 32) - 100;
    rack.offer(late, 3, 7, 40, 9);
    let arrived = until(&mut rack, late, late + 400);
    assert!(arrived.iter().any(|arrived| arrived.frame == 9), "{arrived:?}");
}

#[test]
fn cells_that_come_wrong_are_sent_again_and_none_is_lost() {
    let mut rack = mortal(None);
    let whole = [false; 8];
    rack.set_paths(0, &whole, |_, _| Path { works: true, bit_errors: 1e-4 });
    for node in 0..8 {
        rack.offer(0, node, (node + 3) % 8, 500, node.into());
    }
    let arrived = run(&mut rack, 0, 100_000);
    assert_eq!(arrived.len(), 8);
    let Sums { corrupted, sent_again, lost, inferred, .. } = rack.sums;
    assert_eq!((lost, inferred), (0, 0));
    // One cell in twenty, and for most of them the last one the other way, too.
    assert!(corrupted > 200 && sent_again > corrupted && sent_again < 2 * corrupted, "{:?}", rack.sums);
}

#[test]
fn the_first_class_goes_first() {
    let time_for = |class: u8| {
        let mut rack = rack(8, 1, 1, PAPER);
        rack.set_classes(2, 3);
        for node in 1..7 {
            let frame = node.into();
            rack.offer_packet(0, Packet { source: node, destination: 7, class: 1, connection: 0, cells: 200, frame });
        }
        let mut complete = until(&mut rack, 0, 400);
        rack.offer_packet(400, Packet { source: 0, destination: 7, class, connection: 0, cells: 20, frame: 99 });
        for slot in 400..10_000 {
            rack.step(slot, &mut complete);
            if complete.iter().any(|arrived| arrived.frame == 99) {
                return (slot - 400, rack.sums.dropped);
            }
        }
        panic!("it never came: {:?}", rack.sums);
    };
    let ((first, _), (second, dropped)) = (time_for(0), time_for(1));
    assert!(first <= 5 * 8, "20 cells over 7 nodes take three epochs, and two hops: {first} slots");
    assert!(second > 3 * first, "in the second class they wait for the others: {second} slots");
    assert!(dropped > 0, "queues of three cells overflow, and nothing is lost by it");
}
