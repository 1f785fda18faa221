//! The fast path of [`super::slot`], for a rack as most are most of the time: one class, the default release of local cells, and nothing
//! has failed, or all know what has (`settled`). Its results are the same, to the last cell.
//!
//! What a row of pairs does is done step by step for 64 of them at a time. So each step is a short loop over a few arrays, whose ends are
//! looked up once.

use super::line::Line;
use super::slot::{TOGETHER, places, within};
use super::{Arrived, Cell, Flying, Got, MINE, NOTHING, Rack};
use std::hint::black_box;
use std::num::NonZero;

/// Feedback about an own cell of a node's, which it sent over a pair.
#[derive(Debug, Clone, Copy, Default)]
struct Told {
    pair: u32,
    node: u16,
    feedback: u16,
    destination: u16,
    /// [`Turn::next`](super::turns::Turn::next).
    next: u32,
}

/// A cell that a node passes on, and the pair over which it says what became of it.
#[derive(Debug, Clone, Copy)]
struct Passing {
    cell: Cell,
    back: u32,
    node: u16,
}

/// Room for what cells that are looked at together come to: feedback; those that are where they go, with their rows; and the others.
#[derive(Debug, Clone)]
pub(super) struct Lists {
    told: [Told; TOGETHER],
    home: [Cell; TOGETHER],
    rows: [u16; TOGETHER],
    passing: [Passing; TOGETHER],
}

impl Default for Lists {
    fn default() -> Lists {
        let passing = Passing { cell: Cell::NONE, back: 0, node: 0 };
        Lists {
            told: [Told::default(); TOGETHER],
            home: [Cell::NONE; TOGETHER],
            rows: [0; TOGETHER],
            passing: [passing; TOGETHER],
        }
    }
}

impl Rack {
    /// Whether [`Rack::step_fast`] may be used.
    #[inline(always)]
    pub(super) fn is_fast(&self) -> bool {
        self.is_simple() && self.trouble.as_deref().is_none_or(|trouble| trouble.settled.is_so)
    }

    /// Whether [`Rack::step_fast`] may be used while nothing has failed.
    #[inline(always)]
    pub(super) fn is_simple(&self) -> bool {
        self.classes.count == 1 && !self.release.joins_at_once()
    }

    /// See [`Rack::step`]; with `MANY`, nodes have more than a word of flows.
    pub(super) fn step_fast<const MANY: bool>(&mut self, slot: u64, complete: &mut Vec<Arrived>) {
        self.now = slot;
        self.attend(complete);
        let epoch = u64::from(self.schedule.epoch());
        self.epoch = self.turns.epoch_of(slot, epoch);
        let here = (slot % self.air.len() as u64) as usize;
        if !self.air[here].is_empty() {
            let mut arrived = std::mem::take(&mut self.air[here]);
            let mut lists = self.lists.take().unwrap_or_default();
            self.flying -= arrived.len() as u64;
            for some in arrived.chunks(TOGETHER) {
                self.arrive_fast::<MANY>(some, &mut lists, complete);
            }
            arrived.clear();
            (self.air[here], self.lists) = (arrived, Some(lists));
        }
        let there = ((slot + self.delay) % self.air.len() as u64) as usize;
        let mut leaving = std::mem::take(&mut self.air[there]);
        for channel in 0..self.schedule.channels() {
            let turn = self.schedule.turn(((slot - self.turns.slot) % epoch) as u32, channel);
            let row = turn.shift as usize;
            if row == 0 {
                continue; // nobody's turn
            }
            let first = (row - 1) * self.nodes as usize;
            for word in turn.first as usize / 64..(turn.last as usize).div_ceil(64) {
                let active = self.active[word];
                let senders = (self.stirring(first + word * 64) | active) & within(turn.first, turn.last, word);
                let senders = senders & !self.silent(first + word * 64);
                if senders != 0 {
                    self.release_fast::<MANY>(row, word, senders & active);
                    self.depart_fast(row, word, senders, &mut leaving);
                }
            }
        }
        self.flying += leaving.len() as u64;
        self.air[there] = leaving;
    }

    /// See [`Rack::release`], for those nodes of a word that have flows.
    #[inline(always)]
    fn release_fast<const MANY: bool>(&mut self, row: usize, word: usize, nodes: u64) {
        let words = if MANY { self.words } else { 1 };
        let base = word * 64;
        let first = (row - 1) * self.nodes as usize + base;
        let some = (self.nodes as usize - base).min(64);
        let (mut begin, mut fill) = (0, 0);
        let lines = &mut self.queues.lines[first..first + some];
        let (backlog, has_data) = (&mut self.backlog[first..first + some], &self.has_data[base * words..]);
        let has_data = &has_data[..some * words];
        for place in places(nodes) {
            let line = &mut lines[place];
            let (mut begins, mut is_ready) = (false, false);
            for word in 0..words {
                let further = MANY && word > 0;
                let bits = if further { &mut self.queues.more[word - 1][first + place] } else { &mut line.bits };
                let has_data = has_data[place * words + word];
                for bit in places(bits.waiting) {
                    let key = self.keys[(word * 64 + bit) * self.pairs + first + place];
                    let passed = i32::from((self.epoch as u16).wrapping_sub(key) as i16);
                    if i32::from(line.len) + passed >= 0 {
                        bits.waiting &= !(1 << bit);
                        if has_data >> bit & 1 == 1 {
                            bits.ready |= 1 << bit;
                            backlog[place] += 1;
                        } else {
                            bits.busy &= !(1 << bit);
                            self.resting.push(self.slots[((base + place) * words + word) * 64 + bit]);
                        }
                    }
                }
                begins |= has_data & !bits.busy != 0;
                is_ready |= bits.ready != 0;
            }
            begin |= u64::from(begins) << place;
            fill |= u64::from(is_ready & !line.local) << place;
        }
        self.rest_all();
        for place in places(begin) {
            let (pair, node) = (first + place, base + place);
            for word in 0..words {
                let idle = self.has_data[node * words + word] & !self.queues.bits(pair, word).busy;
                if idle != 0 {
                    self.begin(pair, node as u16, word, idle);
                }
            }
            fill |= u64::from(self.has_ready(pair) && !self.queues.has_local(pair)) << place;
        }
        for place in places(fill) {
            self.refill_fast::<MANY>(first + place, (base + place) as u16);
        }
    }

    /// Subflows of these flows rest.
    #[inline(always)]
    fn rest_all(&mut self) {
        if !self.resting.is_empty() {
            let mut resting = std::mem::take(&mut self.resting);
            resting.drain(..).for_each(|number| self.rest(number));
            self.resting = resting;
        }
    }

    /// See [`Rack::refill`], for a pair for which flows may be ready, and whose ready queue's cell has left.
    #[inline(always)]
    fn refill_fast<const MANY: bool>(&mut self, pair: usize, node: u16) {
        let words = if MANY { self.words } else { 1 };
        while let Some((word, bit)) = self.next_ready_fast::<MANY>(pair, node) {
            let place = usize::from(node) * words + word;
            let (number, has_data) = (self.slots[place * 64 + bit as usize], &mut self.has_data[place]);
            if *has_data >> bit & 1 == 0 {
                // Others have sent the flow's last cells since.
                self.queues.bits_mut(pair, word).busy &= !(1 << bit);
                self.backlog[pair] -= 1;
                self.rest(number);
                continue;
            }
            let flow = &mut self.flows[number as usize];
            let number = flow.send();
            let cell = Cell::new(node, flow.destination, 0, number);
            *has_data &= !(u64::from(flow.next == flow.end) << bit);
            let unsent = &mut self.unsent[usize::from(node)];
            *unsent -= 1;
            if *unsent + 1 == self.room {
                self.drained.push(node);
            }
            #[cfg(debug_assertions)]
            {
                self.inside += 1;
                self.check_queue(pair, node, cell);
            }
            let line = &mut self.queues.lines[pair];
            let len = line.push(cell, &mut self.queues.far);
            line.local = true;
            self.sums.longest_queue = self.sums.longest_queue.max(len);
            self.queued += 1;
            self.held[usize::from(node)].join(self.now, true);
            return;
        }
    }

    /// Whose turn it is among the flows that are ready. It is not any more.
    #[inline(always)]
    fn next_ready_fast<const MANY: bool>(&mut self, pair: usize, node: u16) -> Option<(usize, u32)> {
        if MANY {
            let (word, bit) = self.next_ready(pair, node, 0)?;
            self.queues.bits_mut(pair, word).ready &= !(1 << bit);
            return Some((word, bit));
        }
        let Line { bits, rotor, .. } = &mut self.queues.lines[pair];
        let after = bits.ready & (u64::MAX << (*rotor % 64));
        let bit = NonZero::new(if after == 0 { bits.ready } else { after })?.trailing_zeros();
        *rotor = bit as u16 + 1;
        bits.ready &= !(1 << bit);
        Some((0, bit))
    }

    /// What some nodes send over a row of pairs.
    #[inline(always)]
    fn depart_fast(&mut self, row: usize, word: usize, senders: u64, leaving: &mut Vec<Flying>) {
        let (nodes, base) = (self.nodes as usize, word * 64);
        let first = (row - 1) * nodes + base;
        let some = (nodes - base).min(64);
        let entry = self.entry(first, self.epoch);
        let (lines, sent) = (&mut self.queues.lines[first..first + some], &mut self.sent[entry..entry + some]);
        let held = &mut self.held[base..base + some];
        let (mut answered, mut moves, mut waits) = (0, 0, 0);
        for place in places(senders) {
            let (node, line) = (base + place, &mut lines[place]);
            let Got { destination, joined } = std::mem::replace(&mut line.got, Got::NOTHING);
            answered += u64::from(destination != NOTHING);
            // Whether a cell went on cannot be foreseen, so a queue is read in any case: after those of all pairs there is one that is
            // always empty. (Seen through, it would be compiled to a branch.)
            let shift = i32::from(destination) - node as i32;
            let shift = shift + (nodes as i32 & shift >> 31);
            let next = (shift as usize).wrapping_sub(1).wrapping_mul(nodes).wrapping_add(node);
            let here = black_box(0_usize.wrapping_sub(usize::from(next < self.pairs)));
            let now = self.backlog[next & here | self.pairs & !here].saturating_sub(1);
            let feedback = now.max(joined);
            let to = (node + row).min((node + row).wrapping_sub(nodes)) as u16;
            let cell = line.pop(&mut self.queues.far);
            sent[place] = cell;
            if cell != Cell::NONE {
                let is_own = cell.is_from(node as u16);
                self.backlog[first + place] -= 1;
                moves += 1;
                held[place].leave(self.now, is_own);
                held[place].sent += 1;
                line.local &= !is_own;
            }
            waits |= u64::from(line.len != 0) << place;
            if cell != Cell::NONE || feedback != NOTHING {
                leaving.push(Flying { cell, row: row as u16, to, feedback, news: 0 });
            }
        }
        self.unanswered -= answered;
        self.queued -= moves;
        self.sums.moves += moves;
        if !self.paths.is_empty() {
            for place in places(senders).filter(|place| sent[*place] != Cell::NONE) {
                let path = self.paths[first + place];
                self.crossed[usize::from(path[0])] += 1;
                self.crossed[usize::from(path[1])] += 1;
            }
        }
        self.set_stirring(first, senders, waits);
    }

    /// Of 64 pairs from this one on, for some, whether they have something to send.
    #[inline(always)]
    fn set_stirring(&mut self, pair: usize, which: u64, stir: u64) {
        let (word, bit) = (pair / 64, pair % 64);
        let low = &mut self.stirring[word];
        *low = *low & !(which << bit) | stir << bit;
        if bit > 0 {
            let high = &mut self.stirring[word + 1];
            *high = *high & !(which >> (64 - bit)) | stir >> (64 - bit);
        }
    }

    /// See [`Rack::arrive`].
    #[inline(always)]
    fn arrive_fast<const MANY: bool>(&mut self, some: &[Flying], lists: &mut Lists, complete: &mut Vec<Arrived>) {
        // What a cell is cannot be foreseen, so it is entered in all lists, and only the right one becomes longer.
        let Lists { told, home, rows, passing } = lists;
        let (mut answers, mut at_home, mut abroad) = (0, 0, 0);
        let nodes = self.nodes as usize;
        // Cells of a row are answered in the same slot; of the row that goes half way round, those of each half.
        let half = (self.nodes / 2) as u16;
        let alike = |one: &Flying, next: &Flying| {
            one.row == next.row && (one.row != half || (one.to < half) == (next.to < half))
        };
        for some in some.chunk_by(alike) {
            let Flying { row, to, .. } = some[0];
            let back_row = nodes - usize::from(row);
            let (first, turn) = ((back_row - 1) * nodes, self.turns.row(back_row).of(to));
            let entry = self.entry(first, self.epoch.wrapping_sub(turn.back));
            let sent = &mut self.sent[entry..entry + nodes];
            let lines = &mut self.queues.lines[first..first + nodes];
            let mut unanswered = 0;
            for Flying { to, cell, feedback, .. } in some {
                let (node, pair) = (usize::from(*to), first + usize::from(*to));
                let line = &mut lines[node];
                if *feedback != NOTHING {
                    let sent = std::mem::replace(&mut sent[node], Cell::NONE);
                    let (pair, destination, next) = (pair as u32, sent.destination(), turn.next);
                    told[answers % TOGETHER] = Told { pair, node: *to, feedback: *feedback, destination, next };
                    answers += usize::from(sent.is_from(*to));
                }
                let (is_there, is_home) = (*cell != Cell::NONE, cell.destination() == *to);
                let destination = if is_home { MINE } else { cell.destination() };
                unanswered += u64::from(is_there & (line.got.destination == NOTHING));
                line.got = if is_there { Got { destination, joined: 0 } } else { line.got };
                self.stirring[pair / 64] |= u64::from(is_there) << (pair % 64);
                self.held[node].received += u64::from(is_there);
                (home[at_home % TOGETHER], rows[at_home % TOGETHER]) = (*cell, row);
                at_home += usize::from(is_home);
                passing[abroad % TOGETHER] = Passing { cell: *cell, back: pair as u32, node: *to };
                abroad += usize::from(!is_home & is_there);
            }
            self.unanswered += unanswered;
        }
        let next = self.look_ahead(&passing[..abroad]);
        self.take_answers::<MANY>(&told[..answers]);
        for (cell, row) in home[..at_home].iter().zip(rows) {
            let is_direct = self.row(cell.source(), cell.destination()) == usize::from(*row);
            self.sums.direct += u64::from(is_direct);
            self.deliver(*cell, complete);
        }
        self.sums.delivered += at_home as u64;
        self.pass_on(&passing[..abroad], &next);
    }

    /// The pairs over which cells go on. Their queues, which lie anywhere, are read now: one by one each would be waited for, and all at once
    /// they are waited for together.
    #[inline(always)]
    fn look_ahead(&self, passing: &[Passing]) -> [u32; TOGETHER] {
        let mut next = [0; TOGETHER];
        let lengths = next.iter_mut().zip(passing).map(|(next, Passing { cell, node, .. })| {
            let pair = self.pair(*node, cell.destination());
            *next = pair as u32;
            self.queues.len(pair)
        });
        black_box(lengths.sum::<u32>());
        next
    }

    /// Cells of other nodes join queues.
    #[inline(always)]
    fn pass_on(&mut self, passing: &[Passing], next: &[u32; TOGETHER]) {
        let mut longest = self.sums.longest_queue;
        for (Passing { cell, back, node }, next) in passing.iter().zip(next) {
            let next = *next as usize;
            #[cfg(debug_assertions)]
            self.check_queue(next, *node, *cell);
            let backlog = &mut self.backlog[next];
            let before = *backlog;
            *backlog += 1;
            longest = longest.max(self.queues.push(next, *cell));
            self.stirring[next / 64] |= 1 << (next % 64);
            self.held[usize::from(*node)].join(self.now, false);
            self.queues.got(*back as usize).joined = before;
        }
        self.sums.longest_queue = longest;
        self.queued += passing.len() as u64;
    }

    /// See [`Rack::take_answer`].
    #[inline(always)]
    fn take_answers<const MANY: bool>(&mut self, told: &[Told]) {
        let words = if MANY { self.words } else { 1 };
        for Told { pair, node, feedback, destination, next } in told {
            let (pair, place) = (*pair as usize, usize::from(*node));
            let number = self.flow_of[place * self.nodes as usize + usize::from(*destination)];
            let Some(flow) = self.flows.get(number as usize) else { continue }; // it was given up
            let slot = flow.slot;
            let (word, bit) = if MANY { (usize::from(slot) / 64, slot % 64) } else { (0, slot) };
            let line = &mut self.queues.lines[pair];
            let bits = if MANY && word > 0 { &mut self.queues.more[word - 1][pair] } else { &mut line.bits };
            if line.len < *feedback {
                // No epoch has passed when it next sends.
                let next = self.epoch.wrapping_add(*next) as u16;
                self.keys[usize::from(slot) * self.pairs + pair] = next.wrapping_add(*feedback);
                bits.waiting |= 1 << bit;
                continue;
            }
            if self.has_data[place * words + word] >> bit & 1 == 1 {
                bits.ready |= 1 << bit;
                self.backlog[pair] += 1;
            } else {
                bits.busy &= !(1 << bit);
                self.rest(number);
            }
        }
    }
}
