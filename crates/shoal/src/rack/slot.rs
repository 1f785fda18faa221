//! A slot: what arrives and what leaves, with its feedback (§3.3.1, §3.3.2).

use super::{Arrived, Cell, Flying, Got, MINE, NOTHING, Rack};

impl Rack {
    /// A slot: what arrives by its beginning, and then what leaves in it. Frames that are complete are added to `complete`.
    pub fn step(&mut self, slot: u64, complete: &mut Vec<Arrived>) {
        let epoch = u64::from(self.schedule.epoch());
        (self.now, self.epoch) = (slot, (slot / epoch) as u32);
        let here = (slot % self.air.len() as u64) as usize;
        let mut arrived = std::mem::take(&mut self.air[here]);
        self.flying -= arrived.len() as u64;
        for flying in &arrived {
            self.arrive(flying, complete);
        }
        arrived.clear();
        self.air[here] = arrived;
        let there = ((slot + self.delay) % self.air.len() as u64) as usize;
        let mut leaving = std::mem::take(&mut self.air[there]);
        for channel in 0..self.schedule.channels() {
            let turn = self.schedule.turn((slot % epoch) as u32, channel);
            let row = turn.shift as usize;
            for word in turn.first as usize / 64..(turn.last as usize).div_ceil(64) {
                let mut nodes = self.stirring[row * self.span + word] | self.active[word];
                while nodes != 0 {
                    let node = (word * 64) as u32 + nodes.trailing_zeros();
                    nodes &= nodes - 1;
                    if (turn.first..turn.last).contains(&node) {
                        self.depart(row, node, &mut leaving);
                    }
                }
            }
        }
        self.flying += leaving.len() as u64;
        self.air[there] = leaving;
        #[cfg(debug_assertions)]
        self.check_conservation();
    }

    /// What a node sends over a pair.
    #[inline(always)]
    fn depart(&mut self, row: usize, node: u32, leaving: &mut Vec<Flying>) {
        let pair = (row - 1) * self.nodes as usize + node as usize;
        if self.active[node as usize / 64] >> (node % 64) & 1 == 1 {
            self.release(pair, node as u16);
        }
        let Got { destination, joined } = self.got[pair];
        self.got[pair].destination = NOTHING;
        self.unanswered -= u64::from(destination != NOTHING);
        let feedback = match destination {
            NOTHING => NOTHING,
            MINE => 0,
            destination => self.feedback(node as u16, destination, joined),
        };
        let cell = self.queues.pop(pair).unwrap_or(Cell::NONE);
        let entry = self.entry(pair, self.epoch);
        self.sent[entry] = cell;
        if cell != Cell::NONE {
            self.backlog[pair] -= 1;
            self.queued -= 1;
            if let Some(way) = self.ways.get(pair) {
                self.crossed[usize::from(way[0])] += 1;
                self.crossed[usize::from(way[1])] += 1;
            }
            self.sums.moves += 1;
            let held = &mut self.held[node as usize];
            held.change(self.now, held.cells - 1);
            held.sent += 1;
            if u32::from(cell.source) == node {
                self.queues.set_local(pair, false);
                self.refill(pair, node as u16);
            }
        }
        if self.queues.len(pair) == 0 {
            self.stirring[row * self.span + node as usize / 64] &= !(1 << (node % 64));
        }
        if cell != Cell::NONE || feedback != NOTHING {
            let to = node + row as u32;
            let to = if to < self.nodes { to } else { to - self.nodes };
            leaving.push(Flying { pair: pair as u32, from: node as u16, to: to as u16, cell, feedback });
        }
    }

    /// Eq. 1, or with ready queues Eq. 6: what stands before the next node for `destination`.
    ///
    /// The 1 that Eq. 6 takes off lets a subflow that is alone send in every epoch. But the queue may have been served between the cell's
    /// joining and now; then its length less 1 would let the next cell come while this one is still there, as the last, which §3.3.2
    /// rules out. So it counts what stood there when the cell joined, if that was more.
    #[inline(always)]
    fn feedback(&self, node: u16, destination: u16, joined: u16) -> u16 {
        let pair = self.pair(node, destination);
        match self.release.ready_queue {
            true => self.backlog[pair].max(joined).saturating_sub(1),
            false => self.queues.len(pair) as u16,
        }
    }

    #[inline(always)]
    pub(super) fn enqueue(&mut self, pair: usize, node: u16, cell: Cell) {
        #[cfg(debug_assertions)]
        self.check_queue(pair, node, cell);
        self.queues.push(pair, cell);
        self.backlog[pair] += 1;
        let row = pair / self.nodes as usize + 1;
        self.stirring[row * self.span + usize::from(node) / 64] |= 1 << (node % 64);
        self.queued += 1;
        self.sums.longest_queue = self.sums.longest_queue.max(self.queues.len(pair));
        let held = &mut self.held[usize::from(node)];
        held.change(self.now, held.cells + 1);
    }

    /// A cell, empty or not, has come to a node.
    #[inline(always)]
    fn arrive(&mut self, flying: &Flying, complete: &mut Vec<Arrived>) {
        let Flying { pair, from, to, cell, feedback } = *flying;
        let shift = pair as usize / self.nodes as usize + 1;
        let back_row = self.nodes as usize - shift;
        let back = (back_row - 1) * self.nodes as usize + usize::from(to);
        if feedback != NOTHING {
            self.take_feedback(back_row, back, to, feedback);
        }
        if cell == Cell::NONE {
            return;
        }
        self.stirring[back_row * self.span + usize::from(to) / 64] |= 1 << (to % 64); // it has to be answered
        self.unanswered += 1;
        self.held[usize::from(to)].received += 1;
        if cell.destination == to {
            self.got[back] = Got { destination: MINE, joined: 0 };
            self.sums.delivered += 1;
            self.sums.direct += u64::from(cell.source == from);
            self.deliver(cell, complete);
        } else {
            let next = self.pair(to, cell.destination);
            self.enqueue(next, to, cell);
            self.got[back] = Got { destination: cell.destination, joined: self.backlog[next] };
        }
    }

    /// Feedback for what a node sent over a pair, the last cell that the other had from it when it sent this.
    #[inline(always)]
    fn take_feedback(&mut self, row: usize, pair: usize, node: u16, feedback: u16) {
        let turn = self.rows[row].of(node);
        let entry = self.entry(pair, self.epoch.wrapping_sub(turn.back));
        let cell = std::mem::replace(&mut self.sent[entry], Cell::NONE);
        if cell.source != node {
            return;
        }
        let number = self.flow_of[usize::from(node) * self.nodes as usize + usize::from(cell.destination)];
        let at = self.flows[number as usize].slot;
        let (word, bit) = (usize::from(at) / 64, u32::from(at % 64));
        if self.queues.len(pair) >= u32::from(feedback) {
            self.free_subflow(pair, node, word, bit);
            self.refill(pair, node);
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
        let Cell { source, destination, number } = cell;
        let index = self.flow_of[usize::from(source) * self.nodes as usize + usize::from(destination)];
        let flow = &mut self.flows[index as usize];
        flow.arrive(number);
        self.sums.most_early = self.sums.most_early.max(flow.waiting);
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
