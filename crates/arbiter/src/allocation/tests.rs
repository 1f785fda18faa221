use super::hosts::Hosts;
use super::*;
use crate::pod::{Pod, Turn};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn allocator(pod: &Pod, policy: Policy, batch: u32) -> Allocator<Hosts> {
    Allocator::new(policy, Hosts::new(pod), pod.hosts(), pod.hosts(), batch, Slot(0))
}

/// Pods with as many uplinks as hosts or fewer, in which packets within a rack take one or not.
fn pods() -> impl Strategy<Value = Pod> {
    (1..5_u32, 1..5_u32, 1..5_u32, any::<bool>()).prop_map(|(racks, hosts, uplinks, nearest)| {
        let pod = Pod::two_tiers(racks, hosts, uplinks).expect("a pod");
        if nearest { pod.turning(Turn::AtNearest) } else { pod }
    })
}

fn policies() -> impl Strategy<Value = Policy> {
    prop_oneof![Just(Policy::MaxMin), Just(Policy::MinCompletion)]
}

/// What is asked for before each slot.
fn requests() -> impl Strategy<Value = Vec<Vec<(u16, u16, u32)>>> {
    let request = (any::<u16>(), any::<u16>(), 1..6_u32);
    prop::collection::vec(prop::collection::vec(request, 0..6), 1..30)
}

/// How many packets of a matching leave and reach each rack over an uplink.
fn uplinks(pod: &Pod, matching: &[Transfer]) -> BTreeMap<(u32, bool), u32> {
    let mut counts = BTreeMap::new();
    for transfer in matching {
        let (from, to) = (pod.rack(transfer.source), pod.rack(transfer.destination));
        if from != to || pod.turn() == Turn::AtTop {
            *counts.entry((from, true)).or_default() += 1;
            *counts.entry((to, false)).or_default() += 1;
        }
    }
    counts
}

proptest! {
    #[test]
    fn slots_have_maximal_matchings_and_nothing_is_lost(
        pod in pods(), policy in policies(), batch in 1..9_u32, requests in requests()
    ) {
        let mut allocator = allocator(&pod, policy, batch);
        let mut wanted: BTreeMap<(u16, u16), u32> = BTreeMap::new();
        let nothing = Vec::new();
        // Long enough for all that can be asked for.
        for number in 0..1200_u64 {
            for &(source, destination, slots) in requests.get(number as usize).unwrap_or(&nothing) {
                let (source, destination) = (source % pod.hosts(), destination % pod.hosts());
                allocator.add(source, destination, slots);
                *wanted.entry((source, destination)).or_default() += slots;
            }
            let (slot, matching) = allocator.next_slot();
            prop_assert_eq!(slot, Slot(number));
            let matching = matching.to_vec();
            let full = uplinks(&pod, &matching);
            prop_assert!(full.values().all(|&used| used <= pod.uplinks()));
            for transfer in &matching {
                let left = wanted.get_mut(&(transfer.source, transfer.destination)).expect("was asked for");
                prop_assert!(*left > 0, "more than was asked for");
                *left -= 1;
            }
            let count = |is: &dyn Fn(&Transfer) -> bool| matching.iter().filter(|transfer| is(transfer)).count();
            for host in 0..pod.hosts() {
                prop_assert!(count(&|transfer| transfer.source == host) <= 1);
                prop_assert!(count(&|transfer| transfer.destination == host) <= 1);
            }
            // Maximal: whatever is left has an end that is busy, or a rack without an uplink.
            for &(source, destination) in wanted.keys() {
                if allocator.remaining(source, destination) == 0 {
                    continue;
                }
                let (from, to) = (pod.rack(source), pod.rack(destination));
                let is_full = |rack, up| full.get(&(rack, up)) == Some(&pod.uplinks());
                let crosses = from != to || pod.turn() == Turn::AtTop;
                prop_assert!(
                    count(&|transfer| transfer.source == source) + count(&|transfer| transfer.destination == destination) > 0
                        || crosses && (is_full(from, true) || is_full(to, false)),
                    "{} to {} could have had {}", source, destination, slot
                );
            }
        }
        prop_assert!(wanted.values().all(|&left| left == 0), "left over: {:?}", wanted);
    }

    #[test]
    fn a_demand_waits_for_each_demand_at_its_ends_at_most_once(
        pairs in prop::collection::btree_set((0..6_u16, 0..6_u16), 1..20), batch in 1..65_u32
    ) {
        let mut allocator = allocator(&Pod::two_tiers(2, 3, 3).expect("a pod"), Policy::MaxMin, batch);
        for &(source, destination) in &pairs {
            allocator.add(source, destination, 10_000);
        }
        let mut last: BTreeMap<(u16, u16), u64> = BTreeMap::new();
        for _ in 0..300 {
            let (slot, matching) = allocator.next_slot();
            for transfer in matching {
                let pair = (transfer.source, transfer.destination);
                let gap = slot.0 - last.insert(pair, slot.0).unwrap_or(0);
                let rivals = pairs.iter().filter(|(source, destination)| *source == pair.0 || *destination == pair.1);
                // The pair is among those at its source, and among those at its destination: s + d - 1 in all.
                prop_assert!(gap <= rivals.count() as u64, "{:?} waited {} slots", pair, gap);
            }
        }
        prop_assert_eq!(last.len(), pairs.len());
    }

    #[test]
    fn slots_are_what_going_through_lists_gives(
        pairs in prop::collection::btree_map((0..6_u16, 0..6_u16), 1..40_u32, 1..20), policy in policies(), batch in 1..65_u32
    ) {
        let mut allocator = allocator(&Pod::two_tiers(2, 3, 3).expect("a pod"), policy, batch);
        for (&(source, destination), &slots) in &pairs {
            allocator.add(source, destination, slots);
        }
        let demands: Vec<(u16, u16, u32)> = pairs.iter().map(|(&(from, to), &slots)| (from, to, slots)).collect();
        let mut reference = Reference::new(demands);
        for _ in 0..(300 / batch) {
            for expected in reference.batch(policy, batch) {
                let mut got = allocator.next_slot().1.to_vec();
                got.sort_unstable();
                prop_assert_eq!(got, expected);
            }
        }
    }
}

/// The same without bits and buckets: whoever is first in the order and has anything left is tried.
struct Reference {
    /// Source, destination, slots left, the slot after the last one.
    demands: Vec<(u16, u16, u32, u64)>,
    begin: u64,
}

impl Reference {
    fn new(demands: Vec<(u16, u16, u32)>) -> Reference {
        Reference { demands: demands.into_iter().map(|(from, to, slots)| (from, to, slots, 0)).collect(), begin: 0 }
    }

    fn batch(&mut self, policy: Policy, slots: u32) -> Vec<Vec<Transfer>> {
        let mut matchings = vec![Vec::new(); slots as usize];
        // Ties: under max-min fairness those that waited are in the order in which they were gone through, which is kept here by sorting
        // stably; else they are in the order of their numbers.
        let mut order: Vec<usize> = (0..self.demands.len()).filter(|&index| self.demands[index].2 > 0).collect();
        match policy {
            Policy::MaxMin => order.sort_by_key(|&index| self.demands[index].3),
            Policy::MinCompletion => order.sort_by_key(|&index| self.demands[index].2),
        }
        while !order.is_empty() {
            let index = order.remove(0);
            let (source, destination, ref mut left, ref mut last) = self.demands[index];
            let is_free = |matching: &Vec<Transfer>| {
                matching.iter().all(|transfer| transfer.source != source && transfer.destination != destination)
            };
            let Some(slot) = matchings.iter().position(is_free) else { continue };
            matchings[slot].push(Transfer { source, destination });
            *left -= 1;
            *last = self.begin + slot as u64 + 1;
            if *left == 0 {
                continue;
            }
            match policy {
                Policy::MinCompletion => order.insert(0, index),
                Policy::MaxMin => {
                    let last = *last;
                    let place = order.iter().position(|&other| self.demands[other].3 > last);
                    order.insert(place.unwrap_or(order.len()), index);
                }
            }
        }
        self.begin += u64::from(slots);
        matchings.iter_mut().for_each(|matching| matching.sort_unstable());
        matchings
    }
}

#[test]
fn senders_to_one_host_get_equal_shares() {
    for batch in [1, 16, 64] {
        let mut allocator = allocator(&Pod::of_fat_tree(8).expect("a pod"), Policy::MaxMin, batch);
        for source in 1..8 {
            allocator.add(source, 0, 1_000_000);
        }
        let mut shares = [0_u32; 8];
        for _ in 0..7 * 100 {
            allocator.next_slot().1.iter().for_each(|transfer| shares[usize::from(transfer.source)] += 1);
        }
        assert_eq!(shares, [0, 100, 100, 100, 100, 100, 100, 100], "batches of {batch}");
        // One who comes later neither catches up nor waits.
        allocator.add(8, 0, 1_000_000);
        let mut late = 0;
        for _ in 0..8 * 100 {
            late += allocator.next_slot().1.iter().filter(|transfer| transfer.source == 8).count();
        }
        assert!((99..=101).contains(&late), "{late} with batches of {batch}");
    }
}

#[test]
fn the_smallest_demand_is_complete_first() {
    let mut allocator = allocator(&Pod::of_fat_tree(8).expect("a pod"), Policy::MinCompletion, 64);
    let sizes = [40_u32, 7, 100, 1, 25];
    for (destination, &slots) in (1..).zip(&sizes) {
        allocator.add(0, destination, slots);
    }
    let mut completed = vec![0; sizes.len()];
    for slot in 1..=sizes.iter().sum::<u32>() {
        let (_, matching) = allocator.next_slot();
        assert_eq!(matching.len(), 1, "the source is never idle");
        completed[usize::from(matching[0].destination) - 1] = slot;
    }
    // Shortest remaining first: 1, 1 + 7, 1 + 7 + 25, ...
    assert_eq!(completed, [73, 8, 173, 1, 33]);
}

#[test]
fn what_comes_while_a_batch_is_handed_out_gets_what_is_open_of_it() {
    let mut allocator = allocator(&Pod::of_fat_tree(4).expect("a pod"), Policy::MaxMin, 64);
    allocator.add(0, 1, 1000);
    for _ in 0..10 {
        assert_eq!(allocator.next_slot().1.len(), 1);
    }
    // The first one has the next slot already, and no other: it gets them one by one.
    allocator.add(2, 1, 1);
    let sources: Vec<u16> = (0..3).map(|_| allocator.next_slot().1[0].source).collect();
    assert_eq!(sources, [0, 2, 0]);
}

#[test]
fn what_was_not_handed_out_is_wanted_again_elsewhere() {
    for policy in [Policy::MaxMin, Policy::MinCompletion] {
        let mut allocator = allocator(&Pod::of_fat_tree(4).expect("a pod"), policy, 8);
        allocator.add(0, 1, 20);
        allocator.add(2, 3, 1);
        assert_eq!(allocator.next_slot().1.len(), 2);
        allocator.resume_at(Slot(100));
        let slots: Vec<u64> = (0..20)
            .filter_map(|_| {
                let (slot, matching) = allocator.next_slot();
                (matching == [Transfer { source: 0, destination: 1 }]).then_some(slot.0)
            })
            .collect();
        assert_eq!(slots, (100..119).collect::<Vec<u64>>(), "{policy:?}");
    }
}

#[test]
#[should_panic(expected = "a batch has 1 to 64 slots, not 65")]
fn a_batch_fits_a_word() {
    allocator(&Pod::of_fat_tree(4).expect("a pod"), Policy::MaxMin, 65);
}

#[test]
fn a_met_demand_that_comes_again_keeps_its_place_in_the_order() {
    let mut allocator = allocator(&Pod::of_fat_tree(4).expect("a pod"), Policy::MaxMin, 4);
    allocator.add(0, 1, 1000);
    let mut shares = [0; 3];
    // Host 2 asks for one slot at a time: it gets as many as the host that asked for all at once, not more.
    for _ in 0..100 {
        if allocator.remaining(2, 1) == 0 {
            allocator.add(2, 1, 1);
        }
        allocator.next_slot().1.iter().for_each(|transfer| shares[usize::from(transfer.source)] += 1);
    }
    assert!((49..=51).contains(&shares[0]) && shares[0] + shares[2] == 100, "{shares:?}");
}

#[test]
fn what_is_wanted_in_all_counts_what_the_batch_has_given() {
    for policy in [Policy::MaxMin, Policy::MinCompletion] {
        let mut allocator = allocator(&Pod::of_fat_tree(4).expect("a pod"), policy, 8);
        allocator.add(0, 1, 3);
        allocator.add(2, 1, 3);
        let mut given = [0; 3];
        // Said again before every slot: three each, less what has been handed out.
        for _ in 0..20 {
            allocator.next_slot().1.iter().for_each(|transfer| given[usize::from(transfer.source)] += 1);
            allocator.set(0, 1, 3 - given[0]);
            allocator.set(2, 1, 3 - given[2]);
        }
        assert_eq!(given, [3, 0, 3], "{policy:?}");
    }
}

#[test]
fn shares_converge_to_those_that_are_max_min_fair() {
    // Host 9 is short: a third each. What host 0 has left goes to host 8, which nobody else asks for.
    let pairs = [(0, 8), (0, 9), (1, 9), (2, 9)];
    for batch in [1, 16, 64] {
        let mut allocator = allocator(&Pod::of_fat_tree(8).expect("a pod"), Policy::MaxMin, batch);
        pairs.iter().for_each(|&(source, destination)| allocator.add(source, destination, 1 << 20));
        let mut shares = [0_i64; 4];
        for _ in 0..9_000 {
            for transfer in allocator.next_slot().1 {
                let pair = pairs.iter().position(|&pair| pair == (transfer.source, transfer.destination));
                shares[pair.expect("was asked for")] += 1;
            }
        }
        for (share, fair) in shares.into_iter().zip([6_000, 3_000, 3_000, 3_000]) {
            assert!((share - fair).abs() <= 90, "{shares:?} with batches of {batch}");
        }
    }
}

#[test]
fn the_same_requests_have_the_same_slots() {
    let run = |policy| {
        let mut allocator = allocator(&Pod::of_fat_tree(8).expect("a pod"), policy, 16);
        let mut slots = Vec::new();
        for number in 0..500_u32 {
            // Any fixed mixture.
            let mixed = number.wrapping_mul(2_654_435_761);
            allocator.add((mixed >> 28) as u16, (mixed >> 8 & 15) as u16, mixed >> 16 & 3);
            slots.push(allocator.next_slot().1.to_vec());
        }
        (allocator, slots)
    };
    for policy in [Policy::MaxMin, Policy::MinCompletion] {
        assert!(run(policy) == run(policy), "{policy:?}");
    }
}
