//! Which packets of a message have come, in whatever order: a bit each, from the first that is missing on.

use std::collections::VecDeque;

/// How many packets a word has.
const WORD: u64 = 64;

/// Packets that have come.
#[derive(Debug, Clone, Default)]
pub(super) struct Arrived {
    /// Words of which all packets have come.
    full: u64,
    /// Those that follow, as far as something has come.
    words: VecDeque<u64>,
}

impl Arrived {
    /// A packet has come. Whether it had not before.
    pub(super) fn add(&mut self, number: u64) -> bool {
        let Some(index) = (number / WORD).checked_sub(self.full) else { return false };
        let index = index as usize;
        if index >= self.words.len() {
            self.words.resize(index + 1, 0);
        }
        let bit = 1 << (number % WORD);
        let is_new = self.words[index] & bit == 0;
        self.words[index] |= bit;
        while self.words.front() == Some(&u64::MAX) {
            self.words.pop_front();
            self.full += 1;
        }
        is_new
    }

    /// Whether a packet has come.
    pub(super) fn has(&self, number: u64) -> bool {
        self.word(number / WORD) & 1 << (number % WORD) != 0
    }

    /// The first packet that is missing.
    pub(super) fn first_missing(&self) -> u64 {
        self.full * WORD + self.words.front().map_or(0, |word| u64::from(word.trailing_ones()))
    }

    /// Which of the 64 packets from this one on have come, the first in the lowest bit.
    pub(super) fn from(&self, number: u64) -> u64 {
        let (word, shift) = (number / WORD, number % WORD);
        let low = self.word(word) >> shift;
        if shift == 0 { low } else { low | self.word(word + 1) << (WORD - shift) }
    }

    fn word(&self, word: u64) -> u64 {
        match word.checked_sub(self.full) {
            Some(index) => self.words.get(index as usize).copied().unwrap_or(0),
            None => u64::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_are_those_that_were_added(numbers in prop::collection::vec(0_u64..400, 0..800)) {
            let mut arrived = Arrived::default();
            let mut plain = [false; 600];
            for number in numbers {
                prop_assert_eq!(arrived.add(number), !std::mem::replace(&mut plain[number as usize], true));
                let missing = plain.iter().position(|has| !has).unwrap();
                prop_assert_eq!(arrived.first_missing(), missing as u64);
                for from in [0, number, missing as u64] {
                    prop_assert_eq!(arrived.has(from), plain[from as usize]);
                    let bits = arrived.from(from);
                    prop_assert!((0..64).all(|bit| (bits >> bit & 1 == 1) == plain[from as usize + bit]));
                }
            }
        }
    }
}
