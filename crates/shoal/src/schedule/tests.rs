use super::*;
use proptest::prelude::*;

/// Whom each node sends to, a row a node, a column a slot, as the paper's figures: from 1, and 0 where it is idle.
fn table(schedule: &Schedule) -> Vec<Vec<u32>> {
    let row = |node| (0..schedule.epoch()).map(move |slot| schedule.to(slot, 0, node).map_or(0, |to| to + 1)).collect();
    (0..schedule.nodes()).map(row).collect()
}

#[test]
fn figure_3() {
    let schedule = Schedule::new(8, 1, Order::Cyclic).unwrap();
    let figure = [
        [2, 3, 4, 5, 6, 7, 8],
        [3, 4, 5, 6, 7, 8, 1],
        [4, 5, 6, 7, 8, 1, 2],
        [5, 6, 7, 8, 1, 2, 3],
        [6, 7, 8, 1, 2, 3, 4],
        [7, 8, 1, 2, 3, 4, 5],
        [8, 1, 2, 3, 4, 5, 6],
        [1, 2, 3, 4, 5, 6, 7],
    ];
    assert_eq!(table(&schedule), figure);
}

/// App A for odd N: the last (N-1)/2 columns inverted.
#[test]
fn figure_19_odd() {
    let schedule = Schedule::new(7, 1, Order::Rearranged).unwrap();
    let figure = [
        [2, 3, 4, 7, 6, 5],
        [3, 4, 5, 1, 7, 6],
        [4, 5, 6, 2, 1, 7],
        [5, 6, 7, 3, 2, 1],
        [6, 7, 1, 4, 3, 2],
        [7, 1, 2, 5, 4, 3],
        [1, 2, 3, 6, 5, 4],
    ];
    assert_eq!(table(&schedule), figure);
}

/// App A for even N: one empty slot a node.
#[test]
fn figure_19_even() {
    let schedule = Schedule::new(6, 1, Order::Rearranged).unwrap();
    let figure = [
        [2, 3, 4, 6, 5, 0],
        [3, 4, 5, 1, 6, 0],
        [4, 5, 6, 2, 1, 0],
        [5, 6, 0, 3, 2, 1],
        [6, 1, 0, 4, 3, 2],
        [1, 2, 0, 5, 4, 3],
    ];
    assert_eq!(table(&schedule), figure);
}

/// Two channels, an odd epoch: channel 1 has the inverses of channel 0's shifts, two slots later.
#[test]
fn two_channels() {
    let schedule = Schedule::new(10, 2, Order::Rearranged).unwrap();
    let shifts = |channel| (0..schedule.epoch()).map(|slot| schedule.turn(slot, channel)).collect::<Vec<_>>();
    let all = |shift| Turn { shift, first: 0, last: 10 };
    let lower = Turn { shift: 5, first: 0, last: 5 };
    let upper = Turn { shift: 5, first: 5, last: 10 };
    assert_eq!(shifts(0), [all(1), all(2), all(3), all(4), lower]);
    assert_eq!(shifts(1), [all(6), upper, all(9), all(8), all(7)]);
}

/// In every slot and on every channel each node sends to one at most and hears one at most, `from` and `to` agree, and in an epoch
/// each ordered pair of living nodes meets once, where `place` says.
fn check(schedule: &Schedule, context: &str) {
    let nodes = schedule.nodes();
    let mut meetings = vec![0; (nodes * nodes) as usize];
    for slot in 0..schedule.epoch() {
        for channel in 0..schedule.channels() {
            let mut heard = vec![false; nodes as usize];
            for source in 0..nodes {
                let Some(destination) = schedule.to(slot, channel, source) else { continue };
                assert!(schedule.includes(source) && schedule.includes(destination), "{context}");
                assert!(!std::mem::replace(&mut heard[destination as usize], true), "{context}: heard twice");
                assert_eq!(schedule.from(slot, channel, destination), Some(source), "{context}");
                assert_eq!(schedule.place(source, destination), Some(Place { slot, channel }), "{context}");
                meetings[(source * nodes + destination) as usize] += 1;
            }
            for (node, heard) in (0..).zip(heard) {
                assert_eq!(schedule.from(slot, channel, node).is_some(), heard, "{context}");
            }
        }
    }
    for source in 0..nodes {
        for destination in 0..nodes {
            let meet = source != destination && schedule.includes(source) && schedule.includes(destination);
            assert_eq!(meetings[(source * nodes + destination) as usize], u32::from(meet), "{context}");
            assert_eq!(schedule.place(source, destination).is_some(), meet, "{context}");
        }
    }
}

#[test]
fn every_ordered_pair_meets_once_an_epoch() {
    for order in [Order::Cyclic, Order::Rearranged] {
        for channels in [1, 2, 3, 4, 8] {
            for nodes in 2..=64 {
                check(&Schedule::new(nodes, channels, order).unwrap(), &format!("{order:?} {channels} {nodes}"));
            }
        }
    }
}

/// App A's distance, counted in the table of who sends to whom: half an epoch both ways, rounded down one way and up the other.
#[test]
fn rearranging_keeps_inverse_circuits_half_an_epoch_apart() {
    for channels in [1, 2, 3, 4, 5, 8] {
        for nodes in 2..=64 {
            let schedule = Schedule::new(nodes, channels, Order::Rearranged).unwrap();
            let epoch = schedule.epoch();
            let mut when = vec![None; (nodes * nodes) as usize];
            for slot in 0..epoch {
                for channel in 0..channels {
                    for node in 0..nodes {
                        if let Some(to) = schedule.to(slot, channel, node) {
                            when[(node * nodes + to) as usize] = Some(slot);
                        }
                    }
                }
            }
            let mut least = u32::MAX;
            for source in 0..nodes {
                for destination in (0..nodes).filter(|&destination| destination != source) {
                    let there = when[(source * nodes + destination) as usize].unwrap();
                    let back = when[(destination * nodes + source) as usize].unwrap();
                    let distance = (back + epoch - there) % epoch;
                    assert!((epoch / 2..=epoch.div_ceil(2)).contains(&distance), "{nodes} {channels}: {distance}");
                    assert_eq!(schedule.distance(source, destination).unwrap() % epoch, distance);
                    least = least.min(distance);
                }
            }
            // The least of distances that add up to an epoch is at most half of it: no schedule of this length does better.
            assert_eq!((schedule.tolerated_delay(), least), (epoch / 2, epoch / 2), "{nodes} {channels}");
        }
    }
}

/// The epoch is as short as it can be (§3.4), and what App A costs: a slot for even N, but only where N - 1 shifts fill the channels.
#[test]
fn what_an_epoch_lasts() {
    for nodes in 2..=64_u32 {
        for channels in [1, 2, 3, 4, 8] {
            let cyclic = Schedule::new(nodes, channels, Order::Cyclic).unwrap();
            let rearranged = Schedule::new(nodes, channels, Order::Rearranged).unwrap();
            assert_eq!(cyclic.epoch(), (nodes - 1).div_ceil(channels));
            let costs = nodes % 2 == 0 && (nodes - 1) % channels == 0;
            assert_eq!(rearranged.epoch() - cyclic.epoch(), u32::from(costs), "{nodes} {channels}");
            for (schedule, most) in [(cyclic, 1), (rearranged, 2)] {
                let share =
                    |channel| (0..schedule.epoch()).filter(|&slot| schedule.turn(slot, channel).shift > 0).count();
                let shares: Vec<_> = (0..channels).map(share).collect();
                assert!(
                    shares.iter().max().unwrap() - shares.iter().min().unwrap() <= most,
                    "{nodes} {channels}: {shares:?}"
                );
            }
        }
    }
    // §7.1: 512 nodes and 4 channels; 511 shifts take 128 slots, one of them idle on one channel.
    let rack = Schedule::new(512, 4, Order::Cyclic).unwrap();
    assert_eq!((rack.epoch(), rack.turn(127, 3)), (128, Turn::default()));
    assert_eq!((rack.tolerated_delay(), Schedule::new(512, 4, Order::Rearranged).unwrap().tolerated_delay()), (0, 64));
}

#[test]
fn wrong_sizes_are_named() {
    let wrong = |schedule: Result<Schedule, ScheduleError>| schedule.expect_err("wrong").to_string();
    assert_eq!(wrong(Schedule::new(1, 1, Order::Cyclic)), "`nodes` is 1; a fabric joins 2 to 65536 nodes");
    assert_eq!(wrong(Schedule::new(65537, 1, Order::Cyclic)), "`nodes` is 65537; a fabric joins 2 to 65536 nodes");
    assert_eq!(wrong(Schedule::new(8, 0, Order::Rearranged)), "`channels` is 0; write 1 or more");
    let lives = [false, true, false];
    assert_eq!(wrong(Schedule::among(&lives, 1, Order::Cyclic)), "1 of 3 nodes are left; a schedule needs at least 2");
}

#[test]
fn without_nodes_the_epoch_is_that_of_the_others() {
    let mut lives = vec![true; 512];
    lives[100..356].fill(false);
    let schedule = Schedule::among(&lives, 4, Order::Rearranged).unwrap();
    assert_eq!((schedule.nodes(), schedule.living(), schedule.epoch(), schedule.tolerated_delay()), (512, 256, 64, 32));
    assert_eq!((schedule.to(0, 0, 99), schedule.to(0, 0, 100), schedule.place(99, 200)), (Some(356), None, None));
}

proptest! {
    #[test]
    fn without_nodes_the_others_meet_as_before(
        lives in prop::collection::vec(prop::bool::weighted(0.7), 2..40),
        channels in 1..6_u32,
        rearranged in any::<bool>(),
    ) {
        let order = if rearranged { Order::Rearranged } else { Order::Cyclic };
        let living = lives.iter().filter(|&&lives| lives).count() as u32;
        prop_assume!(living >= 2);
        let schedule = Schedule::among(&lives, channels, order).unwrap();
        check(&schedule, &format!("{lives:?} {channels} {order:?}"));
        let fresh = Schedule::new(living, channels, order).unwrap();
        prop_assert_eq!(schedule.epoch(), fresh.epoch());
        prop_assert_eq!(schedule.tolerated_delay(), fresh.tolerated_delay());
    }
}
