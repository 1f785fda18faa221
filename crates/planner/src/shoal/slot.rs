//! Slots, guard bands, epochs and what is left of a node's rate (§3.4, App. A).

use super::{float, share};
use serde::Serialize;
use units::{Bytes, Rate, Span};

/// One slot of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// While a cell is on the line.
    pub usable: Span,
    /// Reconfiguration, variation of propagation and error of synchronisation together.
    pub guard: Span,
    /// What else passes between two cells, as a MAC's preamble and gap.
    pub overhead: Span,
}

impl Slot {
    /// From the start of one to the start of the next.
    pub fn length(&self) -> Span {
        self.usable + self.guard + self.overhead
    }

    /// Share of the slot that is guard band.
    pub fn guard_share(&self) -> f64 {
        float(self.guard.as_ps()) / float(self.length().as_ps())
    }

    /// The cell that fits, in whole bytes: 64 B in 20.5 ns of 25 Gb/s.
    pub fn cell(&self, channel: Rate) -> Bytes {
        channel.bytes_in(self.usable)
    }

    /// What is left of `rate` by the guard band alone: "max throughput" (§7.1).
    pub fn left_of(&self, rate: Rate) -> Rate {
        Rate::from_bps(share(rate.as_bps(), self.usable.as_ps(), self.length().as_ps()))
    }

    /// Bits a second if `bytes` go in each slot of each of `channels`.
    pub fn carries(&self, bytes: Bytes, channels: u64) -> Rate {
        Rate::from_bps(share((8 * channels).saturating_mul(bytes.get()), 1_000_000_000_000, self.length().as_ps()))
    }
}

/// (N-1) slots over the number of channels (§3.4): a quotient, which need not be whole slots.
pub fn epoch(slot: Span, nodes: u64, channels: u64) -> Span {
    Span::from_ps(share(slot.as_ps(), nodes - 1, channels))
}

/// In which order a node's slots with the others come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Node i sends to node i + s in slot s: any cyclic permutation, as Fig. 3.
    Cyclic,
    /// Half an epoch lies between i to j and j to i (App. A).
    Rearranged,
}

/// A schedule of whole slots.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Schedule {
    /// Its order.
    pub order: Order,
    /// Slots in an epoch, of every channel.
    pub slots: u64,
    /// Slots of a node in an epoch, over all channels, in which it sends to nobody.
    pub empty_slots: u64,
    /// From a slot with a node to the next with the same.
    pub epoch_ps: u64,
    /// Slots from i's slot to j until j's to i, at least. A slot in which both send counts as a whole epoch.
    pub gap_slots: u64,
    /// Share of slots that are not empty.
    pub share: f64,
}

impl Schedule {
    /// The schedule of `nodes` nodes. Rearranged, the last half of the permutations comes in reverse order, so that half an
    /// epoch lies between the two directions of every pair: (N-1)/2 slots of an odd number of nodes. An even number has a
    /// permutation that is its own reverse, i to i + N/2: half of the nodes send then, the others half an epoch later. So there
    /// are N slots, one of them empty for each node. Where channels do not divide the slots, some of the last stay empty.
    pub fn new(order: Order, slot: Span, nodes: u64, channels: u64) -> Schedule {
        let places = match order {
            Order::Rearranged if nodes.is_multiple_of(2) => nodes,
            Order::Cyclic | Order::Rearranged => nodes - 1,
        };
        let slots = places.div_ceil(channels);
        let gap_slots = match order {
            Order::Cyclic => 1,
            Order::Rearranged => (slots / 2).max(1),
        };
        let all = slots * channels;
        Schedule {
            order,
            slots,
            empty_slots: all - (nodes - 1),
            epoch_ps: slot.saturating_mul(slots).as_ps(),
            gap_slots,
            share: float(nodes - 1) / float(all),
        }
    }

    /// An epoch.
    pub fn epoch(&self) -> Span {
        Span::from_ps(self.epoch_ps)
    }
}

/// Lower bound of the share of the peak that any admissible traffic gets: every cell crosses the fabric at most twice (§3.3.1).
pub const WORST_CASE: f64 = 0.5;

/// Share of the peak that each of `talking` nodes gets while all send to one another in a permutation, one flow each, and the
/// other nodes only forward (§7.2, Fig. 12). Of the N-1 subflows of a flow those over nodes that do not talk have both links
/// for themselves, and so has the direct one; a subflow over a node that talks shares each of its two links with one other.
pub fn permutation(nodes: u64, talking: u64) -> f64 {
    (float(nodes) - float(talking) / 2.0) / float(nodes - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cmp::Ordering;
    use std::collections::BTreeSet;

    fn section_7() -> Slot {
        Slot { usable: Span::from_ps(20_500), guard: Span::from_ps(2_750), overhead: Span::ZERO }
    }

    #[test]
    fn the_slot_of_section_7() {
        let slot = section_7();
        assert_eq!(slot.length(), Span::from_ps(23_250));
        assert_eq!(slot.cell(Rate::from_gbps(25)), Bytes::new(64));
        assert_eq!(slot.cell(Rate::from_gbps(50)), Bytes::new(128), "half as many channels, cells twice as long");
        assert_eq!(slot.left_of(Rate::from_gbps(100)), Rate::from_bps(88_172_043_011));
        assert_eq!(slot.carries(Bytes::new(64), 4), Rate::from_bps(88_086_021_505));
        assert!((slot.guard_share() - 0.118_28).abs() < 1e-5);
        assert_eq!(epoch(slot.length(), 512, 4), Span::from_ps(2_970_188));
    }

    #[test]
    fn the_prototype_s_epoch() {
        let slot = Slot { usable: Span::from_ps(51_200), guard: Span::from_ps(6_400), overhead: Span::from_ps(19_200) };
        assert_eq!(slot.length(), Span::from_ps(76_800));
        assert_eq!(slot.cell(Rate::from_gbps(10)), Bytes::new(64));
        assert_eq!(epoch(slot.length(), 8, 1), Span::from_ps(537_600));
    }

    #[test]
    fn an_even_number_of_nodes_has_an_empty_slot() {
        let of = |order, nodes, channels| Schedule::new(order, Span::from_ps(10), nodes, channels);
        let odd = of(Order::Rearranged, 7, 1);
        assert_eq!((odd.slots, odd.empty_slots, odd.gap_slots, odd.share), (6, 0, 3, 1.0));
        let even = of(Order::Rearranged, 8, 1);
        assert_eq!((even.slots, even.empty_slots, even.gap_slots, even.share), (8, 1, 4, 7.0 / 8.0));
        let plain = of(Order::Cyclic, 8, 1);
        assert_eq!((plain.slots, plain.empty_slots, plain.gap_slots, plain.epoch_ps), (7, 0, 1, 70));
        // 511 slots do not go into 4 channels, 512 do: the empty slot costs an epoch nothing then.
        let (plain, moved) = (of(Order::Cyclic, 512, 4), of(Order::Rearranged, 512, 4));
        assert_eq!((plain.slots, plain.empty_slots), (128, 1));
        assert_eq!((moved.slots, moved.empty_slots, moved.gap_slots), (128, 1, 64));
        assert_eq!((of(Order::Cyclic, 2, 8).gap_slots, of(Order::Rearranged, 2, 8).gap_slots), (1, 1));
    }

    /// App. A by construction: shift s in slot s, the later half of them in reverse, half of the antipodes in the last slot.
    #[test]
    fn the_gap_is_half_an_epoch_by_construction() {
        for nodes in 3u64..100 {
            let found = Schedule::new(Order::Rearranged, Span::from_ps(1), nodes, 1);
            let half = found.slots / 2;
            let slot_of = |from: u64, shift: u64| match (2 * shift).cmp(&nodes) {
                Ordering::Less => shift,
                Ordering::Equal if from < nodes / 2 => shift,
                Ordering::Equal => nodes,
                Ordering::Greater => half + nodes - shift,
            };
            for from in 0..nodes {
                let taken: BTreeSet<u64> = (1..nodes).map(|shift| slot_of(from, shift)).collect();
                assert_eq!(found.slots - u64::try_from(taken.len()).unwrap(), found.empty_slots, "{nodes} nodes");
                for shift in 1..nodes {
                    let (there, back) = (slot_of(from, shift), slot_of((from + shift) % nodes, nodes - shift));
                    assert_eq!(
                        (back + found.slots - there) % found.slots,
                        found.gap_slots,
                        "{nodes} nodes, {shift} on"
                    );
                }
            }
        }
    }

    #[test]
    fn a_permutation_s_share_falls_to_a_half() {
        assert_eq!(permutation(512, 2), 1.0, "two nodes alone: the peak");
        assert!((permutation(512, 512) - 256.0 / 511.0).abs() < 1e-15);
        assert!((permutation(8, 8) - 4.0 / 7.0).abs() < 1e-15);
    }

    proptest! {
        #[test]
        fn every_other_node_has_a_slot(nodes in 2u64..5_000, channels in 1u64..16, rearranged: bool) {
            let order = if rearranged { Order::Rearranged } else { Order::Cyclic };
            let found = Schedule::new(order, Span::from_ps(23_250), nodes, channels);
            prop_assert_eq!(found.slots * channels, nodes - 1 + found.empty_slots);
            prop_assert!(found.empty_slots <= channels);
            prop_assert!(found.gap_slots <= (found.slots / 2).max(1));
            prop_assert!(epoch(Span::from_ps(23_250), nodes, channels) <= found.epoch() + Span::from_ps(1));
        }

        #[test]
        fn a_permutation_never_gets_less_than_the_bound(nodes in 2u64..5_000, part in 0u64..5_000) {
            let talking = (part % nodes).max(2);
            prop_assert!(permutation(nodes, talking) > WORST_CASE);
            prop_assert!(permutation(nodes, talking) <= permutation(nodes, talking - 1));
        }
    }
}
