//! An epoch in closed form (§3.4, App. A): how many slots it has and how far the two directions of a pair are apart, for racks of any
//! size. A test holds it to [`Schedule`](super::Schedule), slot by slot.

use super::Order;
use crate::timing::share;
use schemars::JsonSchema;
use serde::Serialize;
use units::Span;

/// (N-1) slots over the number of channels (§3.4): a quotient, which need not be whole slots.
pub fn quotient(slot: Span, nodes: u64, channels: u64) -> Span {
    Span::from_ps(share(slot.as_ps(), nodes - 1, channels))
}

/// An epoch of whole slots.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ShoalEpoch")]
pub struct Epoch {
    /// The order of its slots.
    pub order: Order,
    /// Slots of every channel.
    pub slots: u64,
    /// Slots of a node, over all channels, in which it sends to nobody.
    pub empty_slots: u64,
    /// From a slot with a node to the next with the same.
    pub epoch_ps: u64,
    /// Slots from i's slot to j until j's to i, at least. A slot in which both send counts as a whole epoch.
    pub gap_slots: u64,
    /// Share of slots that are not empty.
    pub share: f64,
}

impl Epoch {
    /// That of `nodes` nodes. Where channels do not divide the slots, some of the last stay empty.
    pub fn new(order: Order, slot: Span, nodes: u64, channels: u64) -> Epoch {
        let slots = order.slots(nodes, channels);
        let all = slots * channels;
        Epoch {
            order,
            slots,
            empty_slots: all - (nodes - 1),
            epoch_ps: slot.saturating_mul(slots).as_ps(),
            gap_slots: order.gap(slots),
            share: (nodes - 1) as f64 / all as f64,
        }
    }

    /// How long it lasts.
    pub fn length(&self) -> Span {
        Span::from_ps(self.epoch_ps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Schedule;
    use proptest::prelude::*;

    #[test]
    fn the_epochs_of_the_paper() {
        assert_eq!(quotient(Span::from_ps(23_250), 512, 4), Span::from_ps(2_970_188), "§7.1: 2.9 us");
        assert_eq!(quotient(Span::from_ps(76_800), 8, 1), Span::from_ps(537_600), "§6.1: 0.53 us");
    }

    #[test]
    fn an_even_number_of_nodes_has_an_empty_slot() {
        let of = |order, nodes, channels| Epoch::new(order, Span::from_ps(10), nodes, channels);
        let odd = of(Order::Rearranged, 7, 1);
        assert_eq!((odd.slots, odd.empty_slots, odd.gap_slots, odd.share), (6, 0, 3, 1.0));
        let even = of(Order::Rearranged, 8, 1);
        assert_eq!((even.slots, even.empty_slots, even.gap_slots, even.share), (8, 1, 4, 7.0 / 8.0));
        let cyclic = of(Order::Cyclic, 8, 1);
        assert_eq!((cyclic.slots, cyclic.empty_slots, cyclic.gap_slots, cyclic.epoch_ps), (7, 0, 1, 70));
        // 511 slots do not go into 4 channels, 512 do: the empty slot costs an epoch nothing then.
        let (cyclic, moved) = (of(Order::Cyclic, 512, 4), of(Order::Rearranged, 512, 4));
        assert_eq!((cyclic.slots, cyclic.empty_slots), (128, 1));
        assert_eq!((moved.slots, moved.empty_slots, moved.gap_slots), (128, 1, 64));
    }

    #[test]
    fn it_is_that_of_the_schedule_slot_by_slot() {
        for order in [Order::Cyclic, Order::Rearranged] {
            for (nodes, channels) in (2..=40).flat_map(|nodes| [1, 2, 3, 4, 8].map(|channels| (nodes, channels))) {
                let found = Epoch::new(order, Span::from_ps(1), nodes.into(), channels.into());
                let schedule = &Schedule::new(nodes, channels, order).expect("a rack");
                let pairs = || (0..nodes).flat_map(|one| (0..nodes).map(move |other| (one, other)));
                let gap = pairs().filter_map(|(one, other)| schedule.distance(one, other)).min();
                assert_eq!(found.slots, u64::from(schedule.epoch()), "{order:?}, {nodes} nodes, {channels} channels");
                assert_eq!(Some(found.gap_slots), gap.map(u64::from), "{order:?}, {nodes} nodes, {channels} channels");
                for node in 0..nodes {
                    let sends = |slot| (0..channels).filter(move |&channel| schedule.to(slot, channel, node).is_some());
                    let used = (0..schedule.epoch()).flat_map(sends).count() as u64;
                    assert_eq!(
                        found.slots * u64::from(channels) - used,
                        found.empty_slots,
                        "{order:?}, {nodes}, {channels}"
                    );
                }
            }
        }
    }

    proptest! {
        #[test]
        fn every_other_node_has_a_slot(nodes in 2u64..1_000_000, channels in 1u64..1_024, rearranged: bool) {
            let order = if rearranged { Order::Rearranged } else { Order::Cyclic };
            let found = Epoch::new(order, Span::from_ps(23_250), nodes, channels);
            prop_assert_eq!(found.slots * channels, nodes - 1 + found.empty_slots);
            prop_assert!(found.empty_slots <= channels);
            prop_assert!(found.gap_slots <= (found.slots / 2).max(1));
            prop_assert!(quotient(Span::from_ps(23_250), nodes, channels) <= found.length() + Span::from_ps(1));
        }
    }
}
