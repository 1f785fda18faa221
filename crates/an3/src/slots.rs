//! Slots of a frame, as a set.

/// A set of the slots of a frame: one bit each, as ringmasters keep their schedules (§4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slots(u128);

impl Slots {
    /// None.
    pub const NONE: Slots = Slots(0);

    /// The first so many, of 128 at most.
    pub fn first_of(count: u32) -> Slots {
        Slots(if count >= u128::BITS { u128::MAX } else { (1 << count) - 1 })
    }

    /// Those of both.
    pub fn and(self, other: Slots) -> Slots {
        Slots(self.0 & other.0)
    }

    /// Those that the other has not.
    pub fn without(self, other: Slots) -> Slots {
        Slots(self.0 & !other.0)
    }

    /// All of them, from the least on.
    pub fn all(self) -> impl Iterator<Item = u8> {
        let after = |slots: &Slots| Some(Slots(slots.0 & slots.0.wrapping_sub(1)));
        std::iter::successors(Some(self), after).map_while(Slots::least)
    }

    /// How many.
    pub fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether it has this one.
    pub fn has(self, slot: u8) -> bool {
        self.0 >> slot & 1 == 1
    }

    /// The least.
    pub fn least(self) -> Option<u8> {
        (self.0 != 0).then(|| self.0.trailing_zeros() as u8)
    }

    /// The first from this one on, and from the least on if there is none: the next that a link comes to.
    pub fn next(self, from: u8) -> Option<u8> {
        Slots(self.0 >> from << from).least().or(self.least())
    }

    /// Adds one that is not there.
    pub fn put(&mut self, slot: u8) {
        debug_assert!(!self.has(slot), "slot {slot} is free already");
        self.0 |= 1 << slot;
    }

    /// Takes one out that is there.
    pub fn take(&mut self, slot: u8) {
        debug_assert!(self.has(slot), "slot {slot} is taken already");
        self.0 &= !(1 << slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_slot_goes_around() {
        let mut slots = Slots::first_of(128);
        assert_eq!((slots.count(), slots.next(127)), (128, Some(127)));
        (0..128).filter(|slot| !matches!(slot, 5 | 90)).for_each(|slot| slots.take(slot));
        assert_eq!([0, 5, 6, 90, 91].map(|from| slots.next(from)), [5, 5, 90, 90, 5].map(Some));
        slots.take(5);
        slots.take(90);
        assert_eq!((slots, slots.next(3)), (Slots::NONE, None));
        let odd = Slots::first_of(128).without(Slots::first_of(125));
        assert_eq!((odd.all().collect::<Vec<_>>(), Slots::NONE.all().count()), (vec![125, 126, 127], 0));
        assert_eq!(Slots::first_of(64).and(Slots::first_of(3)).count(), 3);
    }
}
