//! When a node's own cells join its queues (§3.3.2, §3.3.3).

use super::{Cell, Rack};

impl Rack {
    /// Local cells for a pair, once an epoch: those that Eq. 2 lets go, and those of idle subflows.
    #[inline(always)]
    pub(super) fn release(&mut self, pair: usize, node: u16) {
        for word in 0..self.words {
            self.release_of(pair, node, word);
        }
        self.refill(pair, node);
    }

    /// Those of a word of flows.
    #[inline(always)]
    fn release_of(&mut self, pair: usize, node: u16, word: usize) {
        let data = self.has_data[usize::from(node) * self.words + word];
        let bits = self.queues.bits(pair, word);
        let mut waiting = bits.waiting;
        while waiting != 0 {
            let bit = waiting.trailing_zeros();
            waiting &= waiting - 1;
            let key = self.keys[self.key(pair, word, bit)];
            let passed = i32::from((self.epoch as u16).wrapping_sub(key) as i16);
            let len = self.before(pair, self.class_of(node, word, bit)) as i32;
            if len + passed >= 0 {
                self.queues.bits_mut(pair, word).waiting &= !(1 << bit);
                self.free_subflow(pair, node, word, bit);
            }
        }
        let idle = data & !bits.busy;
        if idle != 0 {
            self.begin(pair, node, word, idle);
        }
    }

    /// Idle subflows of flows that have cells: they are ready at once, but for young flows.
    #[inline(never)]
    pub(super) fn begin(&mut self, pair: usize, node: u16, word: usize, idle: u64) {
        let place = usize::from(node) * self.words + word;
        let mut begin = idle;
        let mut rest = idle & self.young[place];
        while rest != 0 && self.release.age_rule {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            let flow = &self.flows[self.slots[place * 64 + bit as usize] as usize];
            let age = self.epoch.wrapping_sub(flow.began);
            if age >= u32::BITS - self.nodes.leading_zeros() {
                self.young[place] &= !(1 << bit); // no queue is as long as that
            } else if self.before(pair, usize::from(flow.class)) > 1 << age {
                begin &= !(1 << bit);
            }
        }
        begin &= !self.blocked(pair, node, word, begin);
        let bits = self.queues.bits_mut(pair, word);
        bits.busy |= begin;
        bits.ready |= begin;
        while begin != 0 {
            let bit = begin.trailing_zeros();
            begin &= begin - 1;
            let flow = &mut self.flows[self.slots[place * 64 + bit as usize] as usize];
            flow.outstanding += 1;
            self.backlog[usize::from(flow.class) * self.pairs + pair] += 1;
        }
    }

    /// A subflow may send its next cell, if its flow has any.
    #[inline(always)]
    pub(super) fn free_subflow(&mut self, pair: usize, node: u16, word: usize, bit: u32) {
        let place = usize::from(node) * self.words + word;
        let blocked = self.blocked(pair, node, word, 1 << bit) != 0;
        let bits = self.queues.bits_mut(pair, word);
        if self.has_data[place] >> bit & 1 == 1 && !blocked {
            bits.ready |= 1 << bit;
            let at = self.at(pair, self.class_of(node, word, bit));
            self.backlog[at] += 1;
        } else {
            bits.busy &= !(1 << bit);
            self.rest(self.slots[place * 64 + bit as usize]);
        }
    }

    /// Cells of flows that are ready join the queue: one if there is none yet, or with Eqs. 1 to 3 all. Each class for itself.
    #[inline(always)]
    pub(super) fn refill(&mut self, pair: usize, node: u16) {
        if !self.has_ready(pair) {
            return;
        }
        for class in 0..self.classes.count {
            if !(self.release.ready_queue && self.queues.has_local(self.at(pair, class))) {
                self.refill_some(pair, node, class);
            }
        }
    }

    /// Whether flows are ready for a pair (`R_ij`).
    #[inline(always)]
    pub(super) fn has_ready(&self, pair: usize) -> bool {
        (0..self.words).any(|word| self.queues.bits(pair, word).ready != 0)
    }

    fn refill_some(&mut self, pair: usize, node: u16, class: usize) {
        while let Some((word, bit)) = self.next_ready(pair, node, class) {
            let bits = self.queues.bits_mut(pair, word);
            bits.ready &= !(1 << bit);
            let place = usize::from(node) * self.words + word;
            let number = self.slots[place * 64 + bit as usize];
            if self.has_data[place] >> bit & 1 == 0 {
                // Others have sent the flow's last cells since.
                bits.busy &= !(1 << bit);
                let at = self.at(pair, class);
                self.backlog[at] -= 1;
                self.rest(number);
                continue;
            }
            let flow = &mut self.flows[number as usize];
            let cell = if flow.again > 0 {
                self.next_again(number)
            } else {
                let number = flow.send();
                Cell::new(node, flow.destination, class as u8, number)
            };
            let has_data = self.flows[number as usize].has_data();
            self.has_data[place] &= !(u64::from(!has_data) << bit);
            let unsent = &mut self.unsent[usize::from(node)];
            *unsent -= 1;
            if *unsent + 1 == self.room {
                self.drained.push(node);
            }
            #[cfg(debug_assertions)]
            {
                self.inside += 1;
            }
            let ready_queue = self.release.ready_queue;
            self.enqueue_own(pair, node, cell, ready_queue);
            if ready_queue {
                return;
            }
        }
    }

    /// Whose turn it is among the flows of a class that are ready.
    #[inline(never)]
    pub(super) fn next_ready(&mut self, pair: usize, node: u16, class: usize) -> Option<(usize, u32)> {
        let at = self.at(pair, class);
        let (turn, words) = (usize::from(*self.queues.rotor(at)), self.words);
        let ready = |word: usize| self.queues.bits(pair, word).ready & self.mask(class, node, word);
        let after = |word: usize| if word == turn / 64 { ready(word) & (u64::MAX << (turn % 64)) } else { ready(word) };
        let from = turn / 64 % words;
        let word = (from..words).find(|word| after(*word) != 0).map(|word| (word, after(word)));
        let (word, bits) =
            word.or_else(|| (0..=from).find(|word| ready(*word) != 0).map(|word| (word, ready(word))))?;
        let bit = bits.trailing_zeros();
        *self.queues.rotor(at) = (word * 64) as u16 + bit as u16 + 1;
        Some((word, bit))
    }
}
