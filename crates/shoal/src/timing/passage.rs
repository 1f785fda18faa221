//! Whether a cell's bits pass each switch while its circuits are up.

use super::{Clock, Slot, Timekeeping};
use std::cmp::Ordering;
use units::{Span, Time};

/// A switch that a cell crosses, or the node at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage {
    /// Its clock, which opens and closes its slots.
    pub clock: Clock,
    /// How much longer than by design a cell takes from the passage before, or the sender, to here, in picoseconds; negative if shorter.
    pub deviation: i64,
}

/// On which side a cell leaves its window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Its first bits come while the switch is still being reconfigured.
    Early,
    /// Its last bits come when the switch has gone on to the next slot.
    Late,
}

/// A cell that cannot come through whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Violation {
    /// Which passage, the first from 0: leaf, spine, leaf, node.
    pub passage: usize,
    /// On which side.
    pub side: Side,
    /// How much of the cell, in time.
    pub by: Span,
}

impl Slot {
    /// Whether the cell that `sender` sends in the slot that begins at `at`, by the master's clock, passes everything on its way while the
    /// circuits of that slot are up: neither before a switch is reconfigured nor after its slot. Names the first place where it does not.
    ///
    /// Each switch begins its slot, by its own clock, as much later than the sender as propagation by design takes; a sender begins
    /// its cell [`super::GuardBand::early`] after the reconfiguration. A cell is later by what the path so far was longer, and by what the
    /// switch's clock is ahead of the sender's. All clocks are read at `at`: on the way, a microsecond, even 100 ppm are 0.1 ps. A
    /// switch that retimes (§3.5) passes bits on as they come, so what is late stays late.
    ///
    /// # Errors
    /// The first passage at which the cell does not stay within its window.
    pub fn passes(
        &self,
        timekeeping: &Timekeeping,
        sender: Clock,
        passages: &[Passage],
        at: Time,
    ) -> Result<(), Violation> {
        let alone = timekeeping.alone(at);
        let sent = i128::from(sender.ahead(alone));
        let mut longer = 0;
        for (passage, Passage { clock, deviation }) in passages.iter().enumerate() {
            longer += i128::from(*deviation);
            let late = i128::from(clock.ahead(alone)) - sent + longer;
            let (side, allowed) = match late.cmp(&0) {
                Ordering::Less => (Side::Early, self.guard.early()),
                Ordering::Equal | Ordering::Greater => (Side::Late, self.guard.late()),
            };
            let off = Span::from_ps(u64::try_from(late.unsigned_abs()).unwrap_or(u64::MAX));
            if off > allowed {
                return Err(Violation { passage, side, by: off - allowed });
            }
        }
        Ok(())
    }
}
