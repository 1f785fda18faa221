//! A slot: what arrives and what leaves, with its feedback (§3.3.1, §3.3.2).

use super::flows::Flow;
use super::turns::Turn;
use super::{Arrived, Cell, DROPPED, Flying, Got, MINE, MISSING, NONE, NOTHING, Rack};
use std::num::NonZero;

/// So many cells are looked at together: few enough that what was read ahead is still near when it is needed.
pub(super) const TOGETHER: usize = 64;

/// The places of the bits of a word.
#[inline(always)]
pub(super) fn places(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let rest = NonZero::new(word)?;
        word &= word - 1;
        Some(rest.trailing_zeros() as usize)
    })
}

/// Feedback about an own cell of a node's.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer {
    pair: u32,
    node: u16,
    feedback: u16,
    cell: Cell,
    /// [`Turn::next`].
    next: u32,
}

/// A cell that leaves a node for another, or arrives from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// Which node it leaves.
    pub from: u16,
    /// Which node it is on its way to.
    pub to: u16,
    /// Whether it leaves the one, and does not arrive at the other.
    pub leaves: bool,
}

impl Rack {
    /// A slot: what arrives by its beginning, and then what leaves in it. Frames that are complete are added to `complete`.
    pub fn step(&mut self, slot: u64, complete: &mut Vec<Arrived>) {
        self.look_around(slot);
        if !self.is_fast() {
            self.step_slowly(slot, complete);
        } else if self.words == 1 {
            self.step_fast::<false>(slot, complete);
        } else {
            self.step_fast::<true>(slot, complete);
        }
        #[cfg(debug_assertions)]
        self.check_conservation();
    }

    /// See [`Rack::step`].
    pub(super) fn step_slowly(&mut self, slot: u64, complete: &mut Vec<Arrived>) {
        self.step_shown(slot, complete, |_| {});
    }

    /// As [`Rack::step`], and shows every cell that arrives or leaves.
    pub fn step_shown(&mut self, slot: u64, complete: &mut Vec<Arrived>, mut show: impl FnMut(Move)) {
        if self.trouble.as_deref().is_some_and(|trouble| trouble.settled.is_so) {
            self.unsettle(slot);
        }
        self.now = slot;
        self.attend(complete);
        let epoch = u64::from(self.schedule.epoch());
        self.epoch = self.turns.epoch_of(slot, epoch);
        let here = (slot % self.air.len() as u64) as usize;
        let mut arrived = std::mem::take(&mut self.air[here]);
        self.flying -= arrived.len() as u64;
        arrived.iter().filter_map(|flying| self.moved(flying, false)).for_each(&mut show);
        for some in arrived.chunks(TOGETHER) {
            self.arrive(some, complete);
        }
        arrived.clear();
        self.air[here] = arrived;
        let there = ((slot + self.delay) % self.air.len() as u64) as usize;
        let mut leaving = std::mem::take(&mut self.air[there]);
        let epoch = u64::from(self.schedule.epoch());
        self.send(((slot - self.turns.slot) % epoch) as u32, &mut leaving);
        leaving.iter().filter_map(|flying| self.moved(flying, true)).for_each(&mut show);
        self.flying += leaving.len() as u64;
        self.air[there] = leaving;
    }

    /// Between whom a cell moves, if there is one.
    fn moved(&self, flying: &Flying, leaves: bool) -> Option<Move> {
        let Flying { cell, row, to, .. } = *flying;
        let from = (u32::from(to) + self.nodes - u32::from(row)) % self.nodes;
        (cell != Cell::NONE).then_some(Move { from: from as u16, to, leaves })
    }

    /// What leaves in a slot of the epoch.
    #[inline(always)]
    fn send(&mut self, slot: u32, leaving: &mut Vec<Flying>) {
        if self.is_silent() {
            return;
        }
        for channel in 0..self.schedule.channels() {
            let turn = self.schedule.turn(slot, channel);
            if self.turns.leave_out() {
                self.send_by_rank(turn, leaving);
                continue;
            }
            let everybody = if self.is_alert() { u64::MAX } else { 0 };
            let row = turn.shift as usize;
            let Some(before) = row.checked_sub(1) else { continue }; // nobody's turn
            let first = before * self.nodes as usize;
            for word in turn.first as usize / 64..(turn.last as usize).div_ceil(64) {
                let range = within(turn.first, turn.last, word);
                let nodes = (self.stirring(first + word * 64) | self.active[word] | everybody) & range;
                for place in places(nodes) {
                    self.depart(row, (word * 64 + place) as u32, leaving);
                }
            }
        }
    }

    /// Which of 64 pairs from this one on have something to send or to say.
    #[inline(always)]
    pub(super) fn stirring(&self, pair: usize) -> u64 {
        let (word, bit) = (pair / 64, pair % 64);
        let both = u128::from(self.stirring[word]) | u128::from(self.stirring[word + 1]) << 64;
        (both >> bit) as u64
    }

    /// What a node sends over a pair.
    #[inline(always)]
    pub(super) fn depart(&mut self, row: usize, node: u32, leaving: &mut Vec<Flying>) {
        let pair = (row - 1) * self.nodes as usize + node as usize;
        let to = node + row as u32;
        let to = if to < self.nodes { to } else { to - self.nodes } as u16;
        let from = node as u16;
        if self.sends_nothing(pair, from) {
            self.miss(pair, from, to, leaving);
            return;
        }
        if self.active[node as usize / 64] >> (node % 64) & 1 == 1 {
            self.release(pair, from);
        }
        let Got { destination, joined } = std::mem::replace(self.queues.got(pair), Got::NOTHING);
        self.unanswered -= u64::from(destination != NOTHING);
        let feedback = self.feedback(from, destination, joined);
        let cell = if self.is_winding_down() { Cell::NONE } else { self.pop(pair) };
        let entry = self.entry(pair, self.epoch);
        self.sent[entry] = cell;
        if cell != Cell::NONE {
            let at = self.at(pair, cell.class());
            self.backlog[at] -= 1;
            self.queued -= 1;
            if let Some(path) = self.paths.get(pair) {
                self.crossed[usize::from(path[0])] += 1;
                self.crossed[usize::from(path[1])] += 1;
            }
            self.sums.moves += 1;
            let held = &mut self.held[node as usize];
            let is_own = cell.is_own(from);
            held.leave(self.now, is_own);
            held.sent += 1;
            self.queues.clear_local(at, is_own);
            if is_own && self.release.joins_at_once() {
                self.refill(pair, from);
            }
        }
        let waits = self.waiting(pair);
        self.stirring[pair / 64] &= !(u64::from(waits == 0) << (pair % 64));
        let news = self.reported(from);
        let flying = Flying { cell, row: row as u16, to, feedback, news };
        if cell != Cell::NONE || feedback != NOTHING || (self.is_alert()) {
            leaving.push(self.on_the_way(pair, flying));
        }
    }

    /// Eq. 1, or with ready queues Eq. 6: what stands before the next node for `destination`, which has the class of the cell in its upper bits.
    ///
    /// The 1 that Eq. 6 takes off lets a subflow that is alone send in every epoch. But the queue may have been served between the cell's
    /// joining and now; then its length less 1 would let the next cell come while this one is still there, as the last, which §3.3.2
    /// rules out. So it counts what stood there when the cell joined, if that was more.
    #[inline(always)]
    fn feedback(&self, node: u16, destination: u16, joined: u16) -> u16 {
        if destination >= MISSING {
            return if destination == MINE { 0 } else { destination };
        }
        let (next, class) = Got::parts(destination);
        let now = self.standing(self.pair(node, next), class);
        if self.release.ready_queue { now.max(joined) } else { now }
    }

    /// Another node's cell joins a queue. Gives what Eq. 6 does then.
    #[inline(always)]
    fn enqueue(&mut self, pair: usize, node: u16, cell: Cell) -> u16 {
        #[cfg(debug_assertions)]
        self.check_queue(pair, node, cell);
        let at = self.at(pair, cell.class());
        self.backlog[at] += 1;
        let len = self.queues.push(at, cell);
        self.sums.longest_queue = self.sums.longest_queue.max(len);
        self.stir(pair, node, cell);
        self.standing(pair, cell.class())
    }

    /// An own cell joins a queue, and `is_local` says whether it is the ready queue's one. While it was ready, the backlog counted it already.
    #[inline(always)]
    pub(super) fn enqueue_own(&mut self, pair: usize, node: u16, cell: Cell, is_local: bool) {
        #[cfg(debug_assertions)]
        self.check_queue(pair, node, cell);
        let at = self.at(pair, cell.class());
        let len = self.queues.push(at, cell);
        if is_local {
            self.queues.set_local(at, true);
        }
        self.sums.longest_queue = self.sums.longest_queue.max(len);
        self.stir(pair, node, cell);
    }

    /// A queue has this cell more.
    #[inline(always)]
    pub(super) fn stir(&mut self, pair: usize, node: u16, cell: Cell) {
        self.stirring[pair / 64] |= 1 << (pair % 64);
        self.queued += 1;
        self.held[usize::from(node)].join(self.now, cell.is_own(node));
    }

    /// Cells, some of them empty, have come to nodes: first the feedback of all, then those that are where they go, then the others.
    fn arrive(&mut self, some: &[Flying], complete: &mut Vec<Arrived>) {
        let mut answers = std::mem::take(&mut self.answers);
        let (mut at_home, mut abroad) = (0, 0);
        for (index, flying) in some.iter().enumerate() {
            let Flying { row, to, cell, feedback, .. } = *flying;
            let (back_row, back) = self.back_of(row, to);
            if !self.is_received(flying, back_row, back) {
                continue;
            }
            if feedback != NOTHING {
                let turn = self.turns.of(back_row, back, to);
                let cell = self.take_sent(back, turn);
                if feedback == DROPPED {
                    self.send_again(back, to, cell);
                } else if cell.is_own(to) {
                    answers.push(Answer { pair: back as u32, node: to, feedback, cell, next: turn.next });
                }
            }
            let is_home = cell.destination() == to;
            at_home |= u64::from(is_home) << index;
            abroad |= u64::from(!is_home & (cell != Cell::NONE)) << index;
        }
        answers.drain(..).for_each(|answer| self.take_answer(answer));
        self.answers = answers;
        for index in places(at_home) {
            let Flying { row, to, cell, .. } = some[index];
            let from = self.pair_to(row, to).1;
            self.held[usize::from(to)].received += 1;
            self.owe(self.back_of(row, to).1, Got { destination: MINE, joined: 0 });
            self.sums.delivered += 1;
            self.sums.direct += u64::from(cell.is_own(from));
            self.deliver(cell, complete);
        }
        for index in places(abroad) {
            let Flying { row, to, cell, .. } = some[index];
            self.held[usize::from(to)].received += 1;
            let (back, next) = (self.back_of(row, to).1, self.pair(to, cell.destination()));
            if !self.has_room_for(next, cell) {
                let destination = if self.gives_up(next) { MINE } else { DROPPED };
                self.owe(back, Got { destination, joined: 0 });
                continue;
            }
            let joined = self.enqueue(next, to, cell);
            self.owe(back, Got { destination: Got::destination(cell), joined });
        }
    }

    /// The shift of the pair back, and its number; from those of a cell's pair, and the node that it came to.
    #[inline(always)]
    fn back_of(&self, row: u16, to: u16) -> (usize, usize) {
        let row = self.nodes as usize - usize::from(row);
        (row, (row - 1) * self.nodes as usize + usize::from(to))
    }

    /// A node owes another an answer to its last cell.
    #[inline(always)]
    pub(super) fn owe(&mut self, pair: usize, got: Got) {
        self.stirring[pair / 64] |= 1 << (pair % 64);
        let before = std::mem::replace(self.queues.got(pair), got);
        self.unanswered += u64::from(before.destination == NOTHING);
    }

    /// Feedback for what a node sent over a pair, the last cell that the other had from it when it sent this.
    pub(super) fn take_feedback(&mut self, row: usize, pair: usize, node: u16, feedback: u16) {
        let turn = self.turns.of(row, pair, node);
        let cell = self.take_sent(pair, turn);
        if feedback == DROPPED {
            self.send_again(pair, node, cell);
        } else if cell.is_own(node) {
            self.take_answer(Answer { pair: pair as u32, node, feedback, cell, next: turn.next });
        }
    }

    /// The cell that feedback is about which comes now.
    #[inline(always)]
    fn take_sent(&mut self, pair: usize, turn: Turn) -> Cell {
        let entry = self.entry(pair, self.epoch.wrapping_sub(turn.back));
        std::mem::replace(&mut self.sent[entry], Cell::NONE)
    }

    /// The next cell of a subflow may follow, or not yet (Eq. 2).
    #[inline(always)]
    fn take_answer(&mut self, Answer { pair, node, feedback, cell, next }: Answer) {
        let pair = pair as usize;
        let number = self.flow_of[self.flow_key(node, cell.destination(), cell.class())];
        if number == NONE {
            return; // it was given up
        }
        let at = self.flows[number as usize].slot;
        let (word, bit) = (usize::from(at) / 64, u32::from(at % 64));
        if self.before(pair, cell.class()) >= u32::from(feedback) {
            self.free_subflow(pair, node, word, bit);
            if self.release.joins_at_once() {
                self.refill(pair, node);
            }
        } else {
            // No epoch has passed when it next sends.
            let next = self.epoch.wrapping_add(next);
            let key = self.key(pair, word, bit);
            self.keys[key] = (next as u16).wrapping_add(feedback);
            self.queues.bits_mut(pair, word).waiting |= 1 << bit;
        }
    }

    /// A cell has come to its destination.
    #[inline(always)]
    pub(super) fn deliver(&mut self, cell: Cell, complete: &mut Vec<Arrived>) {
        #[cfg(debug_assertions)]
        {
            self.inside -= 1;
        }
        let index = self.flow_of[self.flow_key(cell.source(), cell.destination(), cell.class())];
        if index == NONE {
            return; // a copy
        }
        let flow = &mut self.flows[index as usize];
        let is_new = flow.arrive(cell.number());
        self.sums.most_early = self.sums.most_early.max(flow.waiting);
        if flow.is_first_complete() {
            self.complete(index, is_new.then_some(cell.number()), complete);
        }
    }

    /// Frames of a flow that are complete are handed out, now that the cell with this number has come, if any has.
    #[inline(never)]
    pub(super) fn complete(&mut self, index: u32, number: Option<u32>, complete: &mut Vec<Arrived>) {
        let flow = &mut self.flows[index as usize];
        let Flow { source, destination, .. } = *flow;
        flow.complete(number, |frame| complete.push(Arrived { source, destination, frame }));
        if flow.is_empty() {
            self.end_if_over(index);
        }
    }
}

/// Of 64 nodes those from `first` to before `last`, a bit each.
#[inline(always)]
pub(super) fn within(first: u32, last: u32, word: usize) -> u64 {
    let begin = (word * 64) as u32;
    let from = first.saturating_sub(begin);
    let to = (last - begin).min(64);
    (u64::MAX >> (64 - to)) & (u64::MAX << from)
}
