//! When a rack in which something has failed may take the fast path (`fast`) again: all have found out, all have heard of it, and nothing is
//! left that the fast path knows nothing of. Then a failure is no more than pairs that send nothing.

use super::trouble::{Change, Trouble};
use super::{Cell, DROPPED, Flying, MISSING, NONE, Rack};
use std::collections::VecDeque;

/// Whether a rack has settled since something failed in it last.
#[derive(Debug, Clone, Default)]
pub(super) struct Settled {
    pub is_so: bool,
    /// If so: pairs that send nothing, a bit each.
    silent: Vec<u64>,
    /// If so: every flow may go over every pair that can be used.
    pub all_may_go: bool,
    /// From which slot on it is looked at again, and after how many slots the next time.
    pub look_at: u64,
    wait: u64,
}

impl Rack {
    /// Looks whether the rack has settled by the beginning of a slot, or is stirred up again by a change of the schedule.
    #[inline(always)]
    pub(super) fn look_around(&mut self, slot: u64) {
        let Some(trouble) = self.trouble.as_deref() else { return };
        let (settled, stays) = (&trouble.settled, matches!(trouble.change, Change::From(at) if at > slot));
        if settled.is_so && !stays {
            self.unsettle(slot);
        } else if !settled.is_so && stays && slot >= trouble.alert_until.max(settled.look_at) {
            self.look_whether_settled(slot);
        }
    }

    #[cold]
    fn look_whether_settled(&mut self, slot: u64) {
        let found = self.trouble.as_deref().and_then(|trouble| self.settled(trouble));
        let epoch = u64::from(self.schedule.epoch());
        let Some(trouble) = &mut self.trouble else { return };
        let settled = &mut trouble.settled;
        // What has not settled for long may never do so, and each look goes through all pairs.
        settled.wait = (2 * settled.wait).clamp(epoch, 64 * epoch);
        settled.look_at = slot + settled.wait;
        if let Some((silent, all_may_go)) = found {
            (settled.is_so, settled.silent, settled.all_may_go) = (true, silent, all_may_go);
        }
    }

    /// From slot `slot` on it may be otherwise.
    pub(super) fn unsettle(&mut self, slot: u64) {
        let Some(trouble) = &mut self.trouble else { return };
        if std::mem::take(&mut trouble.settled.is_so) {
            // The fast path sends nothing of what nodes have reported: it has been heard.
            for place in 0..self.air.len() {
                let mut air = std::mem::take(&mut self.air[place]);
                for flying in &mut air {
                    flying.news = self.reported(self.pair_to(flying.row, flying.to).1);
                }
                self.air[place] = air;
            }
        }
        if let Some(trouble) = &mut self.trouble {
            (trouble.settled.look_at, trouble.settled.wait) = (slot, 0);
        }
    }

    /// Of 64 pairs from this one on those that send nothing.
    #[inline(always)]
    pub(super) fn silent(&self, pair: usize) -> u64 {
        let Some(trouble) = self.trouble.as_deref() else { return 0 };
        let (word, bit) = (pair / 64, pair % 64);
        let silent = &trouble.settled.silent;
        let both = u128::from(silent[word]) | u128::from(silent[word + 1]) << 64;
        (both >> bit) as u64
    }

    /// If the rack has settled: the pairs that send nothing, and whether all flows may go over all others.
    fn settled(&self, trouble: &Trouble) -> Option<(Vec<u64>, bool)> {
        let none_again = trouble.again.values().all(VecDeque::is_empty);
        if !none_again
            || trouble.spoiled
            || trouble.rejoin_at != u64::MAX
            || self.turns.leave_out()
            || !self.is_simple()
        {
            return None;
        }
        let mut silent = vec![0; self.pairs.div_ceil(64) + 1];
        let mut reached = vec![false; self.nodes as usize];
        for pair in 0..self.pairs {
            let (from, to) = self.ends(pair);
            if self.sends_nothing(pair, from) {
                silent[pair / 64] |= 1 << (pair % 64);
                continue;
            }
            let both_ways = !self.sends_nothing(self.pair(to, from), to) && !trouble.broken[pair];
            if !both_ways || trouble.heard[pair] as usize != trouble.reports[usize::from(to)].len() {
                return None;
            }
            reached[usize::from(to)] = true;
        }
        let mut all_may_go = true;
        for pair in (0..self.pairs).filter(|pair| trouble.distrust[*pair]) {
            let (from, to) = self.ends(pair);
            if reached[usize::from(from)] && trouble.standing[pair] == 0 {
                return None; // nobody knows that cells for the one must not be sent to the other
            }
            all_may_go &= !(reached[usize::from(from)] && reached[usize::from(to)]);
        }
        let flows = self.flow_of.chunks(self.nodes as usize);
        let mut to = flows.flat_map(|to| to.iter().zip(&reached));
        let is_free = |pair: usize| all_may_go || self.is_free_of_detours(trouble, pair);
        let is_settled = to.all(|(flow, reached)| *flow == NONE || *reached)
            && (0..self.pairs).all(|pair| self.is_plain(trouble, pair) && is_free(pair))
            && self.air.iter().flatten().all(|flying| self.is_known(trouble, flying));
        is_settled.then_some((silent, all_may_go))
    }

    /// Whether what a pair has to send and to say is what the fast path knows.
    fn is_plain(&self, trouble: &Trouble, pair: usize) -> bool {
        let (from, to) = self.ends(pair);
        let line = &self.queues.lines[pair];
        let goes_on = |cell: Cell| cell.destination() == to || !trouble.distrust[self.pair(to, cell.destination())];
        let is_silent = self.sends_nothing(pair, from);
        !matches!(line.got.destination, DROPPED | MISSING) && (is_silent || self.queues.iter(pair).all(goes_on))
    }

    /// Whether no flow is about to send over a pair what cannot go on there.
    fn is_free_of_detours(&self, trouble: &Trouble, pair: usize) -> bool {
        let (from, _) = self.ends(pair);
        trouble.heard[pair] == 0
            || (0..self.words).all(|word| self.blocked(pair, from, word, self.queues.bits(pair, word).busy) == 0)
    }

    /// Whether what is on its way comes to somebody who takes it, and goes on from there.
    fn is_known(&self, trouble: &Trouble, flying: &Flying) -> bool {
        let Flying { cell, row, to, feedback, news } = *flying;
        let (_, from) = self.pair_to(row, to);
        let back = self.pair(to, from);
        let is_received = !self.sends_nothing(back, to) && trouble.heard[back] as u16 == news;
        let goes_on = || cell.destination() == to || !trouble.distrust[self.pair(to, cell.destination())];
        is_received && !matches!(feedback, DROPPED | MISSING) && (cell == Cell::NONE || goes_on())
    }
}
