//! Whole racks.

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

proptest! {
    #[test]
    fn every_frame_arrives_once_and_in_order(
        nodes in 2_u32..20,
        channels in 1_u32..4,
        spread in any::<bool>(),
        delay in 1_u32..40,
        (ready_queue, by_age) in (any::<bool>(), any::<bool>()),
        frames in prop::collection::vec((0_u32..400, any::<u16>(), any::<u16>(), 1_u32..60), 1..120),
    ) {
        let order = if spread { Order::Spread } else { Order::Plain };
        let schedule = Schedule::new(nodes, channels, order).expect("a schedule");
        let mut rack = Rack::new(schedule, delay, Release { ready_queue, by_age });
        let mut frames: Vec<_> = frames
            .into_iter()
            .map(|(at, from, to, cells)| {
                let from = from % nodes as u16;
                (at, from, (from + 1 + to % (nodes as u16 - 1)) % nodes as u16, cells)
            })
            .collect();
        frames.sort_by_key(|frame| frame.0);
        let (mut slot, mut complete, mut all) = (0, Vec::new(), Vec::new());
        for (number, &(at, from, to, cells)) in (0..).zip(&frames) {
            while slot < u64::from(at) {
                rack.step(slot, &mut complete);
                slot += 1;
            }
            rack.offer(slot, from, to, cells, number);
        }
        all.append(&mut complete);
        all.extend(run(&mut rack, slot, 1_000_000).into_iter().map(|(_, arrived)| arrived));
        let mut expected: Vec<_> = frames.iter().map(|&(_, from, to, _)| (from, to)).collect();
        let mut found: Vec<_> = all.iter().map(|arrived| (arrived.source, arrived.destination)).collect();
        expected.sort_unstable();
        found.sort_unstable();
        prop_assert_eq!(found, expected);
        for pair in all.iter().map(|arrived| (arrived.source, arrived.destination)) {
            let of = all.iter().filter(|arrived| (arrived.source, arrived.destination) == pair);
            prop_assert!(of.map(|arrived| arrived.frame).is_sorted(), "frames of a flow arrive in order");
        }
        let cells: u64 = frames.iter().map(|frame| u64::from(frame.3)).sum();
        prop_assert_eq!(rack.sums.delivered, cells);
        prop_assert_eq!(rack.sums.moves, 2 * cells - rack.sums.direct, "a cell takes one hop or two");
    }
}
