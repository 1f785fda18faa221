//! Time slots.

use std::fmt;

/// The number of a time slot, counted from an instant that all hosts and arbiters of a pod agree on. How long a slot lasts is no concern
/// of the arbiter's: with three packets of 1500 B and two control packets at 100 Gb/s it is some 0.4 us (§3.2, §5 of the Fastpod paper).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Slot(pub u64);

impl Slot {
    /// The slot that is this many slots later.
    ///
    /// # Panics
    /// After 2^64 slots, which are more than a hundred thousand years.
    #[must_use]
    pub fn plus(self, slots: u64) -> Slot {
        Slot(self.0.checked_add(slots).expect("slots last a hundred thousand years"))
    }

    /// How many slots this one is after an `earlier` one; none if it is not after it.
    #[must_use]
    pub fn since(self, earlier: Slot) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "slot {}", self.0)
    }
}
