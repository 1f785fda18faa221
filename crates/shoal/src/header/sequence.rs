//! Sequence numbers of a few bits, which begin again from zero.

/// A cell's number modulo a power of two. Has no order of its own: see [`Numbering::precedes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Sequence(u32);

impl Sequence {
    /// The first cell of a flow.
    pub const ZERO: Sequence = Sequence(0);

    /// As it stands in the header.
    pub fn get(self) -> u32 {
        self.0
    }
}

/// How cells of a flow are numbered: modulo `2^bits`. Of two numbers, the one from which the other is reached by less than half
/// of that comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbering {
    bits: u32,
}

impl Numbering {
    /// Numbers of so many bits.
    ///
    /// # Panics
    /// Unless there are 1 to 31.
    pub fn new(bits: u32) -> Numbering {
        assert!((1..=31).contains(&bits), "1 to 31 bits");
        Numbering { bits }
    }

    /// The number of the cell before which `count` cells were sent.
    pub fn of(self, count: u64) -> Sequence {
        Sequence((count & self.mask()) as u32)
    }
    /// The number after.
    pub fn next(self, sequence: Sequence) -> Sequence {
        self.of(u64::from(sequence.0) + 1)
    }
    /// Steps from one to the other, going up: 0 to `2^bits - 1`.
    pub fn ahead(self, from: Sequence, to: Sequence) -> u32 {
        to.0.wrapping_sub(from.0) & self.mask() as u32
    }
    /// Whether `one` comes before `other`. If they are exactly half the numbers apart, each seems to come after the other.
    pub fn precedes(self, one: Sequence, other: Sequence) -> bool {
        (1..self.window()).contains(&u64::from(self.ahead(one, other)))
    }
    /// Half of the numbers: cells of a flow that are fewer apart than this are put in order rightly.
    pub fn window(self) -> u64 {
        1 << (self.bits - 1)
    }
    /// How many cells were sent before the one numbered `sequence`, given that it is less than a window from `near`; of an exact window,
    /// the one below.
    pub fn count(self, near: u64, sequence: Sequence) -> u64 {
        let ahead = u64::from(self.ahead(self.of(near), sequence));
        let around = 2 * self.window();
        if ahead < self.window() || near + ahead < around { near + ahead } else { near + ahead - around }
    }

    fn mask(self) -> u64 {
        (1 << self.bits) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_begin_again() {
        let numbering = Numbering::new(22);
        let last = numbering.of((1 << 22) - 1);
        assert_eq!((last.get(), numbering.next(last)), (4_194_303, Sequence(0)));
        assert_eq!((numbering.ahead(last, numbering.of(2)), numbering.ahead(numbering.of(2), last)), (3, 4_194_301));
        assert!(numbering.precedes(last, Sequence(0)) && !numbering.precedes(Sequence(0), last));
        assert!(!numbering.precedes(last, last));
        assert_eq!((numbering.count(0, Sequence(3)), numbering.count(0, last)), (3, 4_194_303)); // nothing comes before the first
    }

    proptest! {
        #[test]
        fn cells_less_than_a_window_apart_keep_their_order(bits in 1..32_u32, start in 0..u64::MAX / 2, apart in 1..u64::MAX) {
            let numbering = Numbering::new(bits);
            let apart = apart % numbering.window();
            let (one, other) = (numbering.of(start), numbering.of(start + apart));
            prop_assert_eq!(numbering.ahead(one, other), apart as u32);
            prop_assert_eq!(numbering.precedes(one, other), apart > 0);
            prop_assert!(!numbering.precedes(other, one));
            prop_assert_eq!(numbering.count(start, other), start + apart);
            prop_assert_eq!(numbering.count(start + apart, one), start);
            prop_assert_eq!(numbering.next(one), numbering.of(start + 1));
        }
    }
}
