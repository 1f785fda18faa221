//! Which port's unit enters the data path next: round robin, a word a clock.

use crate::source::Unit;
use crate::stage::Word;
use std::collections::VecDeque;

/// The arbiter before the data path.
#[derive(Debug)]
pub(crate) struct Arbiter {
    inputs: usize,
    polls: bool,
    next: usize,
    left: u32,
}

impl Arbiter {
    /// `inputs` of them, those without a port never having anything. If it `polls`, an empty one takes a clock to pass
    /// over, as in NetFPGA's `input_arbiter.v`.
    pub(crate) fn new(inputs: usize, polls: bool) -> Arbiter {
        Arbiter { inputs, polls, next: 0, left: 0 }
    }
    /// One clock: the word that enters, and with a unit's first word its port and the unit, which leaves the port's queue.
    pub(crate) fn step(&mut self, queues: &mut [VecDeque<Unit>]) -> Option<(Word, Option<(usize, Unit)>)> {
        if self.left > 0 {
            self.left -= 1;
            return Some((Word { first_of: None, last: self.left == 0 }, None));
        }
        for _ in 0..if self.polls { 1 } else { self.inputs } {
            let input = self.next;
            self.next = (self.next + 1) % self.inputs;
            if let Some(unit) = queues.get_mut(input).and_then(VecDeque::pop_front) {
                self.left = unit.words - 1;
                let word = Word { first_of: Some(unit.words), last: unit.words == 1 };
                return Some((word, Some((input, unit))));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(words: u32) -> Unit {
        Unit { words, bytes: words * 32, payload: words * 32, packets: 1, line_bytes: words * 32 + 20 }
    }
    /// The words of the units that enter, clock by clock: a unit by its length as its first word enters, `+` for the rest.
    fn timeline(mut arbiter: Arbiter, mut queues: Vec<VecDeque<Unit>>, clocks: u32) -> String {
        (0..clocks)
            .map(|_| match arbiter.step(&mut queues) {
                None => ".".to_owned(),
                Some((_, None)) => "+".to_owned(),
                Some((_, Some((_, unit)))) => unit.words.to_string(),
            })
            .collect()
    }
    fn queues() -> Vec<VecDeque<Unit>> {
        vec![[unit(2), unit(2)].into(), VecDeque::new(), [unit(3)].into()]
    }

    #[test]
    fn ports_take_turns_and_empty_ones_cost_nothing() {
        assert_eq!(timeline(Arbiter::new(3, false), queues(), 9), "2+3++2+..");
    }

    #[test]
    fn an_arbiter_that_polls_loses_a_clock_at_each_empty_input() {
        // Four inputs, of which the last one is no port.
        assert_eq!(timeline(Arbiter::new(4, true), queues(), 12), "2+.3++.2+...");
    }
}
