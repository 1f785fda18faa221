//! A slot: what arrives and what leaves, with its feedback (§3.3.1, §3.3.2).

use super::flows::Flow;
use super::turns::Turn;
use super::{Arrived, Cell, DROPPED, Flying, Got, MINE, MISSING, NONE, NOTHING, Rack};

/// So many cells are looked at together: few enough that what was read ahead is still near when it is needed.
const TOGETHER: usize = 64;

/// The places of some of those that are looked at together.
struct List {
    places: [u8; TOGETHER],
    len: usize,
}

impl List {
    const EMPTY: List = List { places: [0; TOGETHER], len: 0 };

    /// Adds it if it belongs here.
    #[inline(always)]
    fn add(&mut self, place: u8, belongs: bool) {
        self.places[self.len % TOGETHER] = place;
        self.len += usize::from(belongs);
    }
    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = usize> {
        self.places[..self.len].iter().map(|place| usize::from(*place))
    }
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

impl Answer {
    /// Room for as many as can come together.
    pub(super) fn room() -> Vec<Answer> {
        vec![Answer { pair: 0, node: 0, feedback: 0, cell: Cell::NONE, next: 0 }; TOGETHER]
    }
}

impl Rack {
    /// A slot: what arrives by its beginning, and then what leaves in it. Frames that are complete are added to `complete`.
    pub fn step(&mut self, slot: u64, complete: &mut Vec<Arrived>) {
        if self.classes.count == 1 && self.trouble.is_none() {
            self.go_through::<true>(slot, complete);
        } else {
            self.go_through::<false>(slot, complete);
        }
    }

    fn go_through<const PLAIN: bool>(&mut self, slot: u64, complete: &mut Vec<Arrived>) {
        let epoch = u64::from(self.schedule.epoch());
        if PLAIN {
            (self.now, self.epoch) = (slot, (slot / epoch) as u32);
        } else {
            self.now = slot;
            self.attend(complete);
            self.epoch = self.turns.epoch + ((slot - self.turns.slot) / u64::from(self.schedule.epoch())) as u32;
        }
        let here = (slot % self.air.len() as u64) as usize;
        let mut arrived = std::mem::take(&mut self.air[here]);
        self.flying -= arrived.len() as u64;
        for some in arrived.chunks(TOGETHER) {
            self.look_ahead(some);
            self.arrive::<PLAIN>(some, complete);
        }
        arrived.clear();
        self.air[here] = arrived;
        let there = ((slot + self.delay) % self.air.len() as u64) as usize;
        let mut leaving = std::mem::take(&mut self.air[there]);
        if PLAIN {
            self.send::<PLAIN>((slot % epoch) as u32, &mut leaving);
        } else {
            let epoch = u64::from(self.schedule.epoch());
            self.send::<PLAIN>(((slot - self.turns.slot) % epoch) as u32, &mut leaving);
        }
        self.flying += leaving.len() as u64;
        self.air[there] = leaving;
        #[cfg(debug_assertions)]
        self.check_conservation();
    }

    /// Reads the queues that cells are about to join. They lie anywhere; read one by one, each would be waited for, and all at once they
    /// are waited for together.
    #[inline(always)]
    fn look_ahead(&self, arrived: &[Flying]) {
        let passes_on =
            arrived.iter().filter(|flying| flying.cell != Cell::NONE && flying.cell.destination() != flying.to);
        let lengths = passes_on.map(|flying| {
            let next = self.pair(flying.to, flying.cell.destination());
            self.queues.len(next) + u32::from(self.backlog[next])
        });
        std::hint::black_box(lengths.sum::<u32>());
    }

    /// What leaves in a slot of the epoch.
    #[inline(always)]
    fn send<const PLAIN: bool>(&mut self, slot: u32, leaving: &mut Vec<Flying>) {
        if !PLAIN && self.is_silent() {
            return;
        }
        for channel in 0..self.schedule.channels() {
            let turn = self.schedule.turn(slot, channel);
            if !PLAIN && self.turns.leave_out() {
                self.send_by_rank(turn, leaving);
                continue;
            }
            let everybody = if !PLAIN && self.is_alert() { u64::MAX } else { 0 };
            let row = turn.shift as usize;
            let Some(before) = row.checked_sub(1) else { continue }; // nobody's turn
            let first = before * self.nodes as usize;
            for word in turn.first as usize / 64..(turn.last as usize).div_ceil(64) {
                let range = within(turn.first, turn.last, word);
                let mut nodes = (self.stirring(first + word * 64) | self.active[word] | everybody) & range;
                while nodes != 0 {
                    let node = (word * 64) as u32 + nodes.trailing_zeros();
                    nodes &= nodes - 1;
                    self.depart::<PLAIN>(row, node, leaving);
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
    pub(super) fn depart<const PLAIN: bool>(&mut self, row: usize, node: u32, leaving: &mut Vec<Flying>) {
        let pair = (row - 1) * self.nodes as usize + node as usize;
        let to = node + row as u32;
        let to = if to < self.nodes { to } else { to - self.nodes } as u16;
        let from = node as u16;
        if !PLAIN && self.sends_nothing(pair, from) {
            self.miss(pair, from, to, leaving);
            return;
        }
        if self.active[node as usize / 64] >> (node % 64) & 1 == 1 {
            self.release::<PLAIN>(pair, from);
        }
        let got = self.queues.got(pair);
        let Got { destination, joined } = *got;
        got.destination = NOTHING;
        self.unanswered -= u64::from(destination != NOTHING);
        let feedback = self.feedback::<PLAIN>(from, destination, joined);
        let cell = if !PLAIN && self.is_winding_down() { Cell::NONE } else { self.pop::<PLAIN>(pair) };
        let entry = self.entry(pair, self.epoch);
        self.sent[entry] = cell;
        if cell != Cell::NONE {
            let at = self.at::<PLAIN>(pair, cell.class());
            self.backlog[at] -= 1;
            self.queued -= 1;
            if let Some(way) = self.ways.get(pair) {
                self.crossed[usize::from(way[0])] += 1;
                self.crossed[usize::from(way[1])] += 1;
            }
            self.sums.moves += 1;
            let held = &mut self.held[node as usize];
            let is_own = cell.is_own(from);
            held.leave(self.now, is_own);
            held.sent += 1;
            self.queues.clear_local(at, is_own);
            let has_ready = self.has_ready(pair);
            if has_ready && is_own {
                self.refill::<PLAIN>(pair, from);
            }
        }
        let waits = if PLAIN { self.queues.len(pair) } else { self.waiting(pair) };
        self.stirring[pair / 64] &= !(u64::from(waits == 0) << (pair % 64));
        let news = if PLAIN { 0 } else { self.reported(from) };
        let flying = Flying { cell, pair: pair as u32, row: row as u16, from, to, feedback, news };
        if cell != Cell::NONE || feedback != NOTHING || (!PLAIN && self.is_alert()) {
            leaving.push(if PLAIN { flying } else { self.on_the_way(flying) });
        }
    }

    /// Eq. 1, or with ready queues Eq. 6: what stands before the next node for `destination`, which has the class of the cell in its upper bits.
    ///
    /// The 1 that Eq. 6 takes off lets a subflow that is alone send in every epoch. But the queue may have been served between the cell's
    /// joining and now; then its length less 1 would let the next cell come while this one is still there, as the last, which §3.3.2
    /// rules out. So it counts what stood there when the cell joined, if that was more.
    #[inline(always)]
    fn feedback<const PLAIN: bool>(&self, node: u16, destination: u16, joined: u16) -> u16 {
        let is_here = destination < MISSING;
        let (next, class) = if PLAIN { (destination, 0) } else { Got::parts(destination) };
        // What it is cannot be foreseen: reading any queue is cheaper than guessing.
        let pair = self.pair(node, next);
        let (pair, class) = (if is_here { pair } else { 0 }, if is_here { class } else { 0 });
        let now = self.standing::<PLAIN>(pair, class);
        let told = if self.release.ready_queue { now.max(joined) } else { now };
        let otherwise = if destination == MINE { 0 } else { destination };
        if is_here { told } else { otherwise }
    }

    /// Another node's cell joins a queue. Gives what Eq. 6 does then.
    #[inline(always)]
    fn enqueue<const PLAIN: bool>(&mut self, pair: usize, node: u16, cell: Cell) -> u16 {
        #[cfg(debug_assertions)]
        self.check_queue(pair, node, cell);
        let at = self.at::<PLAIN>(pair, cell.class());
        self.backlog[at] += 1;
        let len = self.queues.push(at, cell);
        self.sums.longest_queue = self.sums.longest_queue.max(len);
        self.stir(pair, node, cell);
        self.standing::<PLAIN>(pair, cell.class())
    }

    /// An own cell joins a queue, and `is_local` says whether it is the ready queue's one. While it was ready, the backlog counted it already.
    #[inline(always)]
    pub(super) fn enqueue_own<const PLAIN: bool>(&mut self, pair: usize, node: u16, cell: Cell, is_local: bool) {
        #[cfg(debug_assertions)]
        self.check_queue(pair, node, cell);
        let at = self.at::<PLAIN>(pair, cell.class());
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
    ///
    /// What a cell is cannot be foreseen, and a processor that guesses is wrong half the time. So they are told apart without
    /// a branch: each is entered in all lists, and only the right one becomes longer.
    #[inline(always)]
    fn arrive<const PLAIN: bool>(&mut self, some: &[Flying], complete: &mut Vec<Arrived>) {
        let mut answers = 0;
        let (mut at_home, mut abroad) = (List::EMPTY, List::EMPTY);
        for (index, flying) in (0_u8..).zip(some) {
            let Flying { row, to, cell, feedback, .. } = *flying;
            let (back_row, back) = self.back_of(row, to);
            if !PLAIN && !self.is_received(flying, back_row, back) {
                continue;
            }
            if feedback != NOTHING {
                let turn = self.turns.of::<PLAIN>(back_row, back, to);
                let cell = self.take_sent(back, turn);
                if !PLAIN && feedback == DROPPED {
                    self.send_again(back, to, cell);
                } else {
                    self.answers[answers] = Answer { pair: back as u32, node: to, feedback, cell, next: turn.next };
                    answers += usize::from(cell.is_own(to));
                }
            }
            let is_home = cell.destination() == to;
            at_home.add(index, is_home);
            abroad.add(index, !is_home & (cell != Cell::NONE));
        }
        for answer in 0..answers {
            self.take_answer::<PLAIN>(self.answers[answer]);
        }
        for index in at_home.iter() {
            let Flying { row, from, to, cell, .. } = some[index];
            self.held[usize::from(to)].received += 1;
            self.owe(self.back_of(row, to).1, Got { destination: MINE, joined: 0 });
            self.sums.delivered += 1;
            self.sums.direct += u64::from(cell.is_own(from));
            self.deliver(cell, complete);
        }
        for index in abroad.iter() {
            let Flying { row, to, cell, .. } = some[index];
            self.held[usize::from(to)].received += 1;
            let (back, next) = (self.back_of(row, to).1, self.pair(to, cell.destination()));
            if !PLAIN && !self.has_room_for(next, cell) {
                let destination = if self.gives_up(next) { MINE } else { DROPPED };
                self.owe(back, Got { destination, joined: 0 });
                continue;
            }
            let joined = self.enqueue::<PLAIN>(next, to, cell);
            self.owe(back, Got { destination: Got::destination::<PLAIN>(cell), joined });
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
    pub(super) fn take_feedback<const PLAIN: bool>(&mut self, row: usize, pair: usize, node: u16, feedback: u16) {
        let turn = self.turns.of::<PLAIN>(row, pair, node);
        let cell = self.take_sent(pair, turn);
        if !PLAIN && feedback == DROPPED {
            self.send_again(pair, node, cell);
        } else if cell.is_own(node) {
            self.take_answer::<PLAIN>(Answer { pair: pair as u32, node, feedback, cell, next: turn.next });
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
    fn take_answer<const PLAIN: bool>(&mut self, Answer { pair, node, feedback, cell, next }: Answer) {
        let pair = pair as usize;
        let number = self.flow_of[self.flow_key(node, cell.destination(), cell.class())];
        if !PLAIN && number == NONE {
            return; // it was given up
        }
        let at = self.flows[number as usize].slot;
        let (word, bit) = (usize::from(at) / 64, u32::from(at % 64));
        if self.before::<PLAIN>(pair, cell.class()) >= u32::from(feedback) {
            self.free_subflow::<PLAIN>(pair, node, word, bit);
            self.refill::<PLAIN>(pair, node);
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
    fn deliver(&mut self, cell: Cell, complete: &mut Vec<Arrived>) {
        #[cfg(debug_assertions)]
        {
            self.inside -= 1;
        }
        let index = self.flow_of[self.flow_key(cell.source(), cell.destination(), cell.class())];
        if index == NONE {
            return; // a copy
        }
        let flow = &mut self.flows[index as usize];
        flow.arrive(cell.number());
        self.sums.most_early = self.sums.most_early.max(flow.waiting);
        self.complete(index, complete);
    }

    /// Frames of a flow that are complete are handed out.
    #[inline(always)]
    pub(super) fn complete(&mut self, index: u32, complete: &mut Vec<Arrived>) {
        let flow = &mut self.flows[index as usize];
        let Flow { source, destination, .. } = *flow;
        while let Some(&(end, frame)) = flow.frames.front()
            && flow.expected.wrapping_sub(end) as i32 >= 0
        {
            flow.frames.pop_front();
            complete.push(Arrived { source, destination, frame });
        }
        if flow.frames.is_empty() {
            self.end_if_over(index);
        }
    }
}

/// Of 64 nodes those from `first` to before `last`, a bit each.
#[inline(always)]
fn within(first: u32, last: u32, word: usize) -> u64 {
    let begin = (word * 64) as u32;
    let from = first.saturating_sub(begin);
    let to = (last - begin).min(64);
    (u64::MAX >> (64 - to)) & (u64::MAX << from)
}
