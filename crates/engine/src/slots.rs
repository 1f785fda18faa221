//! The clock of fabrics that move in lock-step.

use units::{Span, Time};

/// Slots of equal length, one after the other. Slot `n` lasts from `n * length` to `(n + 1) * length`.
///
/// The clock runs only while somebody has something to do: [`SlotClock::skip_to`] leaves out idle slots, however many.
#[derive(Debug, Clone)]
pub struct SlotClock {
    length: Span,
    next: u64,
}

impl SlotClock {
    /// A clock that is about to begin slot 0.
    ///
    /// # Panics
    /// If `length` is zero.
    pub fn new(length: Span) -> SlotClock {
        assert!(length > Span::ZERO, "a slot has a length");
        SlotClock { length, next: 0 }
    }

    /// The slot that is about to begin.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// When it begins.
    pub fn begins(&self) -> Time {
        Time::ZERO + self.length * self.next
    }

    /// Begins the next slot and says which it is.
    pub fn tick(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// Leaves out the slots that begin before `at`: the next is the first that begins then or later. Never goes back.
    pub fn skip_to(&mut self, at: Time) {
        self.next = self.next.max(at.as_ps().div_ceil(self.length.as_ps()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_slots_are_left_out() {
        let mut clock = SlotClock::new(Span::from_ps(5120));
        assert_eq!((clock.tick(), clock.tick(), clock.begins()), (0, 1, Time::from_ps(10_240)));
        clock.skip_to(Time::from_ps(5_120_000_000));
        assert_eq!(clock.next(), 1_000_000);
        clock.skip_to(Time::from_ps(5_120_000_001));
        assert_eq!(clock.next(), 1_000_001); // a slot that has begun cannot be joined
        clock.skip_to(Time::ZERO);
        assert_eq!(clock.next(), 1_000_001);
    }
}
