//! Slots, the guard band between them, and the clocks that it has to cover for (§3.4, §6.1, §7.1). Whole picoseconds.
//!
//! ```
//! use shoal::timing::{GuardBand, Slot};
//! use units::{Bytes, Rate, Span};
//! // §7.1: 2.5 ns to reconfigure and 0.25 ns for propagation and synchronisation; 512 nodes on four channels of 25 Gb/s.
//! let guard = GuardBand {
//!     reconfiguration: Span::from_ps(2500),
//!     propagation_variation: Span::from_ps(200),
//!     synchronisation_error: Span::from_ps(50),
//! };
//! let slot = Slot { guard, overhead: Span::ZERO, usable: Span::from_ps(20_500) };
//! assert_eq!(slot.length(), Span::from_ps(23_250));
//! assert_eq!(slot.cell(Rate::from_gbps(25)), Bytes::new(64));
//! assert_eq!(slot.epoch(128), Span::from_ps(2_976_000));
//! ```

mod clocks;
mod passage;
#[cfg(test)]
mod tests;

pub use clocks::{Clock, Frequency, Timekeeping, holdover};
pub use passage::{Passage, Side, Violation};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::DelayText;
use units::{Bytes, Rate, Span};

/// What a slot loses to switching: "the sum of the reconfiguration delay, variability in propagation and the precision of
/// synchronization" (§3.4).
///
/// The last two are widths: from the earliest to the latest that a cell may come to a switch, by the switch's clock. In §3.4, links that
/// vary by ±2 cm at 5 ns/m vary by 0.2 ns in all; with 50 ps of synchronisation that is §7.1's 0.25 ns. A cell that is on time stands
/// in the middle, so it may be early or late by half of both, [`GuardBand::early`] and [`GuardBand::late`]. Two clocks that may be off by
/// a whole `synchronisation_error` either way need twice as much; the paper's sum then does not hold.
///
/// §6.1 is shorter than this: the prototype takes one cycle for a reconfiguration of one cycle and synchronisation "of less than a clock
/// cycle" together. That is the sum only with a synchronisation error of zero, as clocks have that count the same cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GuardBand {
    /// How long a switch takes to be set anew at the beginning of each slot: the guard band's first part.
    #[schemars(with = "DelayText")]
    pub reconfiguration: Span,
    /// By how much propagation varies from path to path: the guard band's second part.
    #[schemars(with = "DelayText")]
    pub propagation_variation: Span,
    /// By how much clocks vary, from furthest behind to furthest ahead: the guard band's third part.
    #[schemars(with = "DelayText", extend("x-formerly" = "synchronisation"))]
    pub synchronisation_error: Span,
}

impl Default for GuardBand {
    /// That of §7.1.
    fn default() -> GuardBand {
        GuardBand {
            reconfiguration: Span::from_ps(2500),
            propagation_variation: Span::from_ps(200),
            synchronisation_error: Span::from_ps(50),
        }
    }
}

impl GuardBand {
    /// The sum.
    pub fn total(self) -> Span {
        self.reconfiguration + self.late() + self.early()
    }
    /// How much too early a cell may come, by the clock of whom it comes to.
    pub fn early(self) -> Span {
        (self.propagation_variation + self.synchronisation_error) / 2
    }
    /// How much too late a cell may come, by the clock of whom it comes to; a picosecond more than too early where the sum is odd.
    pub fn late(self) -> Span {
        self.propagation_variation + self.synchronisation_error - self.early()
    }
}

/// A slot: guard band, what the link layer adds to each cell, and the cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// Between the cells of two slots.
    pub guard: GuardBand,
    /// Preamble, gap and check that the link layer adds to a cell: 24 B or three cycles in §6.1, nothing in §7.1.
    pub overhead: Span,
    /// The cell's.
    pub usable: Span,
}

impl Slot {
    /// The slot in which a channel sends one cell and `overhead` more bytes, each rounded up to a picosecond.
    ///
    /// # Panics
    /// At a rate of zero.
    pub fn for_cell(cell: Bytes, overhead: Bytes, channel: Rate, guard: GuardBand) -> Slot {
        Slot { guard, overhead: channel.time_for(overhead), usable: channel.time_for(cell) }
    }
    /// From one slot to the next.
    pub fn length(self) -> Span {
        self.guard.total() + self.overhead + self.usable
    }
    /// The cell that a channel can send in it, header included.
    pub fn cell(self, channel: Rate) -> Bytes {
        channel.bytes_in(self.usable)
    }
    /// The part of a channel's rate that cells get; 1 less the overhead of the guard band and the link layer.
    pub fn duty(self) -> f64 {
        self.usable.as_ps() as f64 / self.length().as_ps() as f64
    }
    /// Share of the slot that is guard band.
    pub fn guard_share(self) -> f64 {
        self.guard.total().as_ps() as f64 / self.length().as_ps() as f64
    }
    /// What is left of `rate` by guard band and overhead: "max throughput" (§7.1).
    pub fn left_of(self, rate: Rate) -> Rate {
        Rate::from_bps(share(rate.as_bps(), self.usable.as_ps(), self.length().as_ps()))
    }
    /// Bits a second if `bytes` go in each slot of each of `channels`.
    pub fn carries(self, bytes: Bytes, channels: u64) -> Rate {
        Rate::from_bps(share((8 * channels).saturating_mul(bytes.get()), 1_000_000_000_000, self.length().as_ps()))
    }
    /// An epoch of so many slots ([`crate::schedule::Schedule::epoch`]).
    pub fn epoch(self, slots: u32) -> Span {
        self.length() * u64::from(slots)
    }
}

/// a b / c to the nearest whole number, as far as 64 bits go.
pub(crate) fn share(a: u64, b: u64, c: u64) -> u64 {
    let rounded = (u128::from(a) * u128::from(b) * 2 + u128::from(c)) / (2 * u128::from(c));
    u64::try_from(rounded).unwrap_or(u64::MAX)
}
