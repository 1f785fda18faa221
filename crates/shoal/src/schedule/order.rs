//! In which order an epoch goes through the shifts.

use super::{Place, Turn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// In which order an epoch goes through the schedule.
// Either way, no two channels differ by more than a pair of inverse shifts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "ShoalOrder")]
pub enum Order {
    /// Rearranged so that the two directions of a pair are half an epoch apart, and feedback is fresh in spite of propagation (App. A).
    // A shift and its inverse (`s` and `N - s`) are half an epoch apart. One channel: shifts 1 to `(N-1)/2`, and then, in the same order,
    // their inverses (the paper: the last `(N-1)/2` columns inverted). For even `N`, shift `N/2` is its own inverse. Its lower half of the
    // nodes sends at the end of the first half of the epoch, its upper half at the end of the second; each node is idle once, and the epoch
    // is one slot longer.
    //
    // Several channels (the paper is silent): with an even epoch the same on each channel. With an odd one no two slots are exactly half an
    // epoch apart; on each pair of channels one has the shifts and the other, half an epoch (rounded down) later, their inverses. A last odd
    // channel goes on its own, with one slot idle. So the distance is `floor(epoch / 2)` at least, which is as much as an epoch of that length
    // allows. For an even number of channels, the empty slot of even `N` costs nothing: an epoch has room for `N` shifts wherever it has for
    // `N - 1`.
    #[schemars(extend("x-formerly" = "spread"))]
    Rearranged,
    /// The next node, the one after it, and so on (Fig. 3).
    // Shift 1 in slot 1, shift 2 in slot 2, ... With several channels shifts 1, 2, ... go to the channels in turn. With an even number of nodes,
    // two that are `N/2` apart send to each other in the same slot.
    #[schemars(extend("x-formerly" = "plain"))]
    Cyclic,
}

impl Order {
    /// Slots of an epoch of `nodes` nodes.
    pub fn slots(self, nodes: u64, channels: u64) -> u64 {
        let places = match self {
            Order::Rearranged if nodes.is_multiple_of(2) => nodes,
            Order::Cyclic | Order::Rearranged => nodes - 1,
        };
        places.div_ceil(channels)
    }

    /// Slots from i's slot to j until j's to i, of the pair for which it is the fewest, in an epoch of `slots`. A slot in which both
    /// send counts as a whole epoch.
    pub fn gap(self, slots: u64) -> u64 {
        match self {
            Order::Cyclic => 1,
            Order::Rearranged => (slots / 2).max(1),
        }
    }

    /// Gives every shift its place; a shift in two halves gets two.
    pub(super) fn lay(self, nodes: u32, channels: u32, epoch: u32, put: impl FnMut(Turn, Place)) {
        match self {
            Order::Cyclic => cyclic(nodes, channels, put),
            Order::Rearranged => rearranged(nodes, channels, epoch, put),
        }
    }
}

fn cyclic(nodes: u32, channels: u32, mut put: impl FnMut(Turn, Place)) {
    for shift in 1..nodes {
        let place = Place { slot: (shift - 1) / channels, channel: (shift - 1) % channels };
        put(Turn { shift, first: 0, last: nodes }, place);
    }
}

fn rearranged(nodes: u32, channels: u32, epoch: u32, mut put: impl FnMut(Turn, Place)) {
    for (shift, (there, back)) in (1..=nodes / 2).zip(opposite(channels, epoch)) {
        if shift * 2 == nodes {
            put(Turn { shift, first: 0, last: shift }, there);
            put(Turn { shift, first: shift, last: nodes }, back);
        } else {
            put(Turn { shift, first: 0, last: nodes }, there);
            put(Turn { shift: nodes - shift, first: 0, last: nodes }, back);
        }
    }
}

/// Pairs of places half an epoch apart, no place twice; as many as there can be.
fn opposite(channels: u32, epoch: u32) -> impl Iterator<Item = (Place, Place)> {
    let half = epoch / 2;
    let alone = move |slot, channel| (Place { slot, channel }, Place { slot: slot + half, channel });
    let paired =
        move |slot, channel| (Place { slot, channel }, Place { slot: (slot + half) % epoch, channel: channel + 1 });
    let even = epoch.is_multiple_of(2);
    (0..if even { half } else { epoch }).flat_map(move |slot| {
        let pairs = if even { 0 } else { channels / 2 };
        let single = if even { 0..channels } else { channels / 2 * 2..if slot < half { channels } else { 0 } };
        (0..pairs).map(move |pair| paired(slot, pair * 2)).chain(single.map(move |channel| alone(slot, channel)))
    })
}
