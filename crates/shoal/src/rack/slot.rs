//! A slot: what arrives and what leaves, with its feedback (§3.3.1, §3.3.2).

use super::flows::Flow;
use super::{Arrived, Cell, DROPPED, Flying, Got, MINE, NONE, NOTHING, Rack};

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
        self.look_ahead(&arrived);
        for flying in &arrived {
            self.arrive::<PLAIN>(flying, complete);
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
            arrived.iter().filter(|flying| flying.cell != Cell::NONE && flying.cell.destination != flying.to);
        let lengths = passes_on.map(|flying| self.queues.len(self.pair(flying.to, flying.cell.destination)));
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
            for word in turn.first as usize / 64..(turn.last as usize).div_ceil(64) {
                let mut nodes = self.stirring[row * self.span + word] | self.active[word] | everybody;
                while nodes != 0 {
                    let node = (word * 64) as u32 + nodes.trailing_zeros();
                    nodes &= nodes - 1;
                    if (turn.first..turn.last).contains(&node) {
                        self.depart::<PLAIN>(row, node, leaving);
                    }
                }
            }
        }
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
        let Got { destination, joined } = self.got[pair];
        self.got[pair].destination = NOTHING;
        self.unanswered -= u64::from(destination != NOTHING);
        let feedback = match destination {
            NOTHING => NOTHING,
            MINE => 0,
            DROPPED => DROPPED,
            next => self.feedback::<PLAIN>(from, next, joined),
        };
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
            if is_own {
                self.queues.set_local(at, false);
                self.refill::<PLAIN>(pair, from);
            }
        }
        let waits = if PLAIN { self.queues.len(pair) } else { self.waiting(pair) };
        if waits == 0 {
            self.stirring[row * self.span + node as usize / 64] &= !(1 << (node % 64));
        }
        let news = if PLAIN { 0 } else { self.reported(from) };
        let flying = Flying { pair: pair as u32, from, to, cell, feedback, news };
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
        let (destination, class) = if PLAIN { (destination, 0) } else { Got::parts(destination) };
        let now = self.standing::<PLAIN>(self.pair(node, destination), class);
        if self.release.ready_queue { now.max(joined) } else { now }
    }

    #[inline(always)]
    pub(super) fn enqueue<const PLAIN: bool>(&mut self, pair: usize, node: u16, cell: Cell) {
        #[cfg(debug_assertions)]
        self.check_queue(pair, node, cell);
        let at = self.at::<PLAIN>(pair, cell.class());
        self.queues.push(at, cell);
        self.backlog[at] += 1;
        self.sums.longest_queue = self.sums.longest_queue.max(self.queues.len(at));
        self.stir(pair, node, cell);
    }

    /// A queue has this cell more.
    #[inline(always)]
    pub(super) fn stir(&mut self, pair: usize, node: u16, cell: Cell) {
        let row = pair / self.nodes as usize + 1;
        self.stirring[row * self.span + usize::from(node) / 64] |= 1 << (node % 64);
        self.queued += 1;
        self.held[usize::from(node)].join(self.now, cell.is_own(node));
    }

    /// A cell, empty or not, has come to a node.
    #[inline(always)]
    fn arrive<const PLAIN: bool>(&mut self, flying: &Flying, complete: &mut Vec<Arrived>) {
        let Flying { pair, from, to, cell, feedback, .. } = *flying;
        let shift = pair as usize / self.nodes as usize + 1;
        let back_row = self.nodes as usize - shift;
        let back = (back_row - 1) * self.nodes as usize + usize::from(to);
        if !PLAIN && !self.is_received(flying, back_row, back) {
            return;
        }
        if feedback != NOTHING {
            self.take_feedback::<PLAIN>(back_row, back, to, feedback);
        }
        if cell == Cell::NONE {
            return;
        }
        self.held[usize::from(to)].received += 1;
        if cell.destination == to {
            self.owe(back_row, back, to, Got { destination: MINE, joined: 0 });
            self.sums.delivered += 1;
            self.sums.direct += u64::from(cell.is_own(from));
            self.deliver(cell, complete);
            return;
        }
        let next = self.pair(to, cell.destination);
        if !PLAIN && !self.has_room_for(next, cell) {
            let destination = if self.gives_up(next) { MINE } else { DROPPED };
            self.owe(back_row, back, to, Got { destination, joined: 0 });
            return;
        }
        self.enqueue::<PLAIN>(next, to, cell);
        let joined = self.standing::<PLAIN>(next, cell.class());
        self.owe(back_row, back, to, Got { destination: Got::destination::<PLAIN>(cell), joined });
    }

    /// A node owes another an answer to its last cell.
    #[inline(always)]
    pub(super) fn owe(&mut self, row: usize, pair: usize, node: u16, got: Got) {
        self.stirring[row * self.span + usize::from(node) / 64] |= 1 << (node % 64);
        self.unanswered += u64::from(self.got[pair].destination == NOTHING);
        self.got[pair] = got;
    }

    /// Feedback for what a node sent over a pair, the last cell that the other had from it when it sent this.
    #[inline(always)]
    pub(super) fn take_feedback<const PLAIN: bool>(&mut self, row: usize, pair: usize, node: u16, feedback: u16) {
        let turn = self.turns.of::<PLAIN>(row, pair, node);
        let entry = self.entry(pair, self.epoch.wrapping_sub(turn.back));
        let cell = std::mem::replace(&mut self.sent[entry], Cell::NONE);
        if !PLAIN && feedback == DROPPED {
            self.send_again(pair, node, cell);
            return;
        }
        if !cell.is_own(node) {
            return;
        }
        let number = self.flow_of[self.flow_key(node, cell.destination, cell.class())];
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
            let next = self.epoch.wrapping_add(turn.next);
            let key = self.key(pair, word, bit);
            self.keys[key] = (next as u16).wrapping_add(feedback);
            self.bits[pair * self.words + word].waiting |= 1 << bit;
        }
    }

    /// A cell has come to its destination.
    #[inline(always)]
    fn deliver(&mut self, cell: Cell, complete: &mut Vec<Arrived>) {
        #[cfg(debug_assertions)]
        {
            self.inside -= 1;
        }
        let index = self.flow_of[self.flow_key(cell.source(), cell.destination, cell.class())];
        if index == NONE {
            return; // a copy
        }
        let flow = &mut self.flows[index as usize];
        flow.arrive(cell.number);
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
