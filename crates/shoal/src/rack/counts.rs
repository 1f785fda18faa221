//! What a rack counts.

/// The cells in a node's queues, and what passed through them since the measurement began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Held {
    /// How many there are.
    pub cells: u32,
    /// The most there were.
    pub most: u32,
    /// Of these, cells of other nodes, which it passes on; and the most of them.
    pub passing: u32,
    /// See `passing`.
    pub most_passing: u32,
    /// Cells times slots: those that they were in when they left, less those in which they came. What is here has not left yet, so it wraps.
    area: u64,
    /// Cells that left it, and that came to it.
    pub sent: u64,
    /// See `sent`.
    pub received: u64,
}

impl Held {
    /// A cell joins a queue.
    #[inline(always)]
    pub(super) fn join(&mut self, now: u64, is_own: bool) {
        self.area = self.area.wrapping_sub(now);
        self.cells += 1;
        self.most = self.most.max(self.cells);
        self.passing += u32::from(!is_own);
        self.most_passing = self.most_passing.max(self.passing);
    }
    /// A cell leaves a queue.
    #[inline(always)]
    pub(super) fn leave(&mut self, now: u64, is_own: bool) {
        self.area = self.area.wrapping_add(now);
        self.cells -= 1;
        self.passing -= u32::from(!is_own);
    }
    /// Counting begins anew, at the beginning of slot `now`.
    pub(super) fn restart(&mut self, now: u64) {
        let Held { cells, passing, .. } = *self;
        let area = u64::from(cells).wrapping_mul(now).wrapping_neg();
        *self = Held { cells, most: cells, passing, most_passing: passing, area, ..Held::default() };
    }
    /// Cells times slots since the measurement began, at the beginning of slot `now`.
    pub fn area(&self, now: u64) -> u64 {
        self.area.wrapping_add(u64::from(self.cells).wrapping_mul(now))
    }
}

/// Counted since the measurement began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sums {
    /// Cells over the fabric, a hop each.
    pub moves: u64,
    /// Cells that came to their destination.
    pub delivered: u64,
    /// Of these, straight from their source.
    pub direct: u64,
    /// Most cells in one queue.
    pub longest_queue: u32,
    /// Most cells of a flow that waited for an earlier one.
    pub most_early: u32,
    /// Cells that are lost with something that failed.
    pub lost: u64,
    /// Cells dropped for want of room, of any class but the first.
    pub dropped: u64,
    /// Cells received wrong, empty ones among them; and those of which the CRC did not find it.
    pub corrupted: u64,
    /// See `corrupted`.
    pub undetected: u64,
    /// Cells sent again, because they were dropped or wrong, or may have been, or went to a node that failed.
    pub sent_again: u64,
    /// Of those received wrong, those that left their slot.
    pub untimely: u64,
    /// How often a node has inferred that another failed.
    pub inferred: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_right_however_late_it_is() {
        let late = 1_u64 << 60;
        let mut held = Held::default();
        (0..100).for_each(|_| held.join(late, true));
        held.restart(late + 10);
        assert_eq!(held.area(late + 10), 0);
        held.leave(late + 15, true);
        assert_eq!(held.area(late + 20), 5 + 99 * 10);
    }
}
