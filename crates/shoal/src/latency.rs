//! How long a cell is on its way, and a burst to one node: bounds that follow from Eqs. 2 to 5.

use crate::schedule::{Epoch, Order};
use crate::timing::share;
use schemars::JsonSchema;
use serde::Serialize;
use units::Span;

/// Clock cycles and wires on the way of a cell from node to node (§4.1, §6.2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Path {
    /// The clock, in MHz.
    pub clock_mhz: f64,
    /// Cycles that a switch takes from port to port.
    pub switch_cycles: u64,
    /// Cycles that MAC and PHY of the two nodes take together.
    pub nic_cycles: u64,
    /// All wires.
    pub wire: Span,
}

/// Switches between two nodes: leaf, spine, leaf (§3.2).
pub const SWITCHES: u64 = 3;

impl Path {
    /// So many cycles of the clock.
    pub fn cycles(&self, cycles: u64) -> Span {
        Span::from_secs_f64(cycles as f64 / (self.clock_mhz * 1e6))
    }

    /// From port to port of a switch.
    pub fn switch(&self) -> Span {
        self.cycles(self.switch_cycles)
    }

    /// From node to node, without the time that the cell itself takes.
    pub fn delay(&self) -> Span {
        self.wire + self.cycles(SWITCHES * self.switch_cycles + self.nic_cycles)
    }
}

/// Epochs from the slot in which i sends a cell of a subflow over j to the first slot in which it may send the next one: after
/// j's slot to i that tells the queue's length has come in (§3.3.2, §6.2). One, if the way takes no longer than the schedule's
/// gap (App. A). What counts of a cell is its header, which comes first; of pairs of nodes, the one that waits longest.
pub fn feedback_epochs(epoch: &Epoch, slot: Span, delay: Span) -> u64 {
    let (length, one_way) = (epoch.epoch_ps, delay.as_ps());
    let epochs = |gap_slots: u64| {
        let gap = slot.as_ps() * gap_slots;
        let answered = gap + one_way.saturating_sub(gap).div_ceil(length) * length;
        (answered + one_way).div_ceil(length)
    };
    match epoch.order {
        Order::Cyclic => (epoch.gap_slots..=epoch.slots).map(epochs).max().unwrap_or(1),
        Order::Rearranged => epochs(epoch.gap_slots).max(epochs(epoch.slots - epoch.gap_slots)),
    }
}

/// Times of a cell from its release into a queue of its source to its last bit at the destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ShoalLatency")]
pub struct Latency {
    /// From node to node: wires, switches, MAC and PHY.
    pub delay_ps: u64,
    /// That in slots: the k of App. A, which must not be more than the schedule's gap.
    pub delay_slots: u64,
    /// Epochs from a cell of a subflow to its next.
    pub feedback_epochs: u64,
    /// Empty queues, and the next slot is the destination's: one hop.
    pub direct_ps: u64,
    /// Empty queues, over another node, and half an epoch there.
    pub zero_load_ps: u64,
    /// Empty queues, over another node, and a whole epoch there.
    pub zero_load_worst_ps: u64,
    /// A flow to a node that nobody else sends to: the second queue has one local cell before this one (§7.2).
    pub alone_ps: u64,
    /// Both queues at their bound, N cells (Eq. 5).
    pub worst_ps: u64,
}

impl Latency {
    /// Over `epoch`, with cells that take `cell` of a `slot`.
    pub fn new(epoch: &Epoch, slot: Span, cell: Span, delay: Span, nodes: u64) -> Latency {
        let hop = (cell + delay).as_ps();
        let epochs = |number: u64| epoch.epoch_ps.saturating_mul(number);
        Latency {
            delay_ps: delay.as_ps(),
            delay_slots: delay.as_ps().div_ceil(slot.as_ps()),
            feedback_epochs: feedback_epochs(epoch, slot, delay),
            direct_ps: hop,
            zero_load_ps: 2 * hop + epochs(1) / 2,
            zero_load_worst_ps: 2 * hop + epochs(1),
            alone_ps: 2 * hop + epochs(2),
            worst_ps: (2 * hop).saturating_add(epochs(2 * nodes)),
        }
    }
}

/// So many nodes send so much to one at once.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ShoalIncast")]
pub struct Incast {
    /// Nodes that send.
    pub senders: u64,
    /// Cells of each.
    pub cells: u64,
    /// The longest that the queue for the destination gets, at every node (Eq. 5).
    pub queue_cells: u64,
    /// Epochs in which the destination gets a cell from every other node.
    pub epochs: f64,
    /// The least in which the last cell can come: those epochs, and two ways from node to node.
    pub optimum_ps: u64,
}

impl Incast {
    /// To one of `nodes` nodes, over a schedule with epochs of `epoch`.
    pub fn new(senders: u64, cells: u64, nodes: u64, epoch: Span, delay: Span) -> Incast {
        let all = senders.saturating_mul(cells);
        Incast {
            senders,
            cells,
            queue_cells: (1 + senders).min(nodes),
            epochs: all as f64 / (nodes - 1) as f64,
            optimum_ps: share(epoch.as_ps(), all, nodes - 1).saturating_add(2 * delay.as_ps()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// §6.1 and §6.2: clock of 156.25 MHz, 40 ns of wire.
    fn prototype() -> Path {
        Path { clock_mhz: 156.25, switch_cycles: 50, nic_cycles: 90, wire: Span::from_ns(40) }
    }

    #[test]
    fn the_prototype_s_delays() {
        assert_eq!(prototype().cycles(1), Span::from_ps(6_400));
        assert_eq!(prototype().switch(), Span::from_ns(320));
        assert_eq!(prototype().delay(), Span::from_ns(1_576), "1.57 us");
    }

    /// §6.2: 3.76 us of queueing and 2 x 1.57 us.
    #[test]
    fn the_prototype_s_incast() {
        let found = Incast::new(7, 7, 8, Span::from_ps(537_600), prototype().delay());
        assert_eq!((found.queue_cells, found.epochs), (8, 7.0));
        assert_eq!(found.optimum_ps, 3_763_200 + 2 * 1_576_000);
    }

    #[test]
    fn feedback_comes_within_an_epoch_up_to_half_of_it() {
        let slot = Span::from_ps(1_000);
        let of = |delay| {
            let epoch = Epoch::new(Order::Rearranged, slot, 21, 1); // 20 slots, 10 between
            feedback_epochs(&epoch, slot, Span::from_ps(delay))
        };
        assert_eq!([0, 1, 9_999, 10_000].map(of), [1, 1, 1, 1]);
        // Later than that, j's slot to i has passed: the next is a whole epoch later, and its answer misses i's as well.
        assert_eq!([10_001, 20_000, 30_000, 30_001].map(of), [3, 3, 3, 5]);
    }

    #[test]
    fn in_any_order_some_pair_waits_longer() {
        let slot = Span::from_ps(1_000);
        let epoch = Epoch::new(Order::Cyclic, slot, 21, 1);
        let of = |delay| feedback_epochs(&epoch, slot, Span::from_ps(delay));
        assert_eq!([0, 1, 1_000, 15_000].map(of), [1, 2, 2, 3]);
    }

    /// §6.2: three epochs' way makes six epochs between cells of a subflow, or seven.
    #[test]
    fn the_prototype_s_cells_wait_for_seven_epochs() {
        let slot = Span::from_ps(76_800);
        let epoch = Epoch::new(Order::Cyclic, slot, 8, 1);
        assert_eq!(feedback_epochs(&epoch, slot, prototype().delay()), 7);
    }

    #[test]
    fn bounds_by_hand() {
        let (slot, cell, delay) = (Span::from_ps(100), Span::from_ps(80), Span::from_ps(150));
        let epoch = Epoch::new(Order::Rearranged, slot, 9, 1); // 800 ps an epoch
        let found = Latency::new(&epoch, slot, cell, delay, 9);
        assert_eq!((found.direct_ps, found.zero_load_ps, found.zero_load_worst_ps), (230, 860, 1_260));
        assert_eq!((found.alone_ps, found.worst_ps, found.delay_slots), (2_060, 460 + 18 * 800, 2));
    }

    proptest! {
        #[test]
        fn feedback_never_comes_before_it_was_sent(nodes in 3u64..300, delay in 0u64..1_000_000, rearranged: bool) {
            let slot = Span::from_ps(1_000);
            let order = if rearranged { Order::Rearranged } else { Order::Cyclic };
            let epoch = Epoch::new(order, slot, nodes, 1);
            let epochs = feedback_epochs(&epoch, slot, Span::from_ps(delay));
            prop_assert!(epochs * epoch.epoch_ps >= 2 * delay, "there and back");
            prop_assert!(epochs * epoch.epoch_ps < 2 * delay + 3 * epoch.epoch_ps);
        }
    }
}
