//! One stage of the data path: a short queue, and a rule for when a word may go on.

use std::collections::VecDeque;

/// Words that the queue before a stage holds: 16, as NetFPGA's between all modules (`fallthrough_small_fifo`,
/// `MAX_DEPTH_BITS` 4).
const DEPTH: u32 = 16;

/// A word on its way; the first one of a unit says how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word {
    /// Words of its unit, where it is the first of them.
    pub first_of: Option<u32>,
    /// Whether the unit ends with it.
    pub last: bool,
}

/// A stage. What it is given in one clock it can pass on in the next.
#[derive(Debug)]
pub(crate) struct Stage {
    /// Least clocks from the start of a unit to the start of the next.
    interval: u32,
    /// Clocks for which the first word of a unit is held.
    hold: u32,
    waiting: u32,
    units: VecDeque<u32>,
    /// Words of the unit that is passing which have yet to go on.
    left: u32,
    held: u32,
    whole: u32,
    ready_at: u64,
}

impl Stage {
    pub(crate) fn new(interval: u32, hold: u32) -> Stage {
        Stage { interval, hold, waiting: 0, units: VecDeque::new(), left: 0, held: 0, whole: 0, ready_at: 0 }
    }
    /// Whether it can take a word in this clock. To be asked after its own step: a queue frees a word as it is read.
    pub(crate) fn has_room(&self) -> bool {
        self.waiting < DEPTH
    }
    /// Takes a word.
    pub(crate) fn take(&mut self, word: Word) {
        debug_assert!(self.has_room(), "a word for a full queue");
        self.units.extend(word.first_of);
        self.waiting += 1;
    }
    /// One clock: the word that goes on, if one does and `room` says that it may.
    pub(crate) fn step(&mut self, now: u64, room: bool) -> Option<Word> {
        if self.left == 0 && self.waiting > 0 && now >= self.ready_at {
            self.whole = self.units.pop_front().expect("the first word of a unit brought its length");
            self.left = self.whole;
            self.held = self.hold;
            self.ready_at = now + u64::from(self.interval);
        }
        if self.left == 0 || self.waiting == 0 {
            return None;
        }
        if self.held > 0 {
            self.held -= 1;
            return None;
        }
        if !room {
            return None;
        }
        let word = Word { first_of: (self.left == self.whole).then_some(self.whole), last: self.left == 1 };
        self.left -= 1;
        self.waiting -= 1;
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives the stage units of these lengths, a word a clock from clock 0, and says in which clocks a word goes on:
    /// `f` the first of a unit, `l` the last, `b` both, `w` another, `.` none.
    fn timeline(mut stage: Stage, units: &[u32], clocks: u64) -> String {
        let mut words = units.iter().flat_map(|whole| {
            (0..*whole).map(|place| Word { first_of: (place == 0).then_some(*whole), last: place + 1 == *whole })
        });
        let mut told = String::new();
        for now in 0..clocks {
            told.push(match stage.step(now, true) {
                None => '.',
                Some(Word { first_of: Some(_), last: true }) => 'b',
                Some(Word { first_of: Some(_), last: false }) => 'f',
                Some(Word { first_of: None, last: true }) => 'l',
                Some(Word { first_of: None, last: false }) => 'w',
            });
            if stage.has_room()
                && let Some(word) = words.next()
            {
                stage.take(word);
            }
        }
        told
    }

    #[test]
    fn a_word_given_in_one_clock_goes_on_in_the_next() {
        assert_eq!(timeline(Stage::new(1, 0), &[3, 2, 1], 8), ".fwlflb.");
    }

    #[test]
    fn look_ups_start_every_other_clock() {
        // Units of one word wait for the look-up; longer ones do not notice it.
        assert_eq!(timeline(Stage::new(2, 0), &[1, 1, 1, 3, 2], 13), ".b.b.b.fwlfl.");
    }

    #[test]
    fn a_first_word_that_is_held_takes_a_clock_more() {
        // NDP's stage: two words take three clocks, three take four.
        assert_eq!(timeline(Stage::new(1, 1), &[2, 2, 3], 12), "..fl.fl.fwl.");
    }

    #[test]
    fn without_room_nothing_goes_on_and_the_queue_fills() {
        let mut stage = Stage::new(1, 0);
        let mut taken = 0;
        for now in 0..40 {
            assert_eq!(stage.step(now, false), None);
            if stage.has_room() {
                stage.take(Word { first_of: (taken == 0).then_some(100), last: false });
                taken += 1;
            }
        }
        assert_eq!(taken, DEPTH);
        assert_eq!(stage.step(40, true), Some(Word { first_of: Some(100), last: false }));
    }
}
