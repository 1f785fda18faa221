//! All nodes of a rack, slot by slot (§3.3): queues, release of local cells, feedback.
//!
//! Nodes move in lock-step, so their state is dense. An ordered pair `i -> j` has a number such that all pairs with the same
//! shift `j - i`, which send in the same slot, lie one after the other: a slot reads and writes memory from end to end. Only where a cell
//! goes to its next queue is anywhere. Pairs with nothing to send and nothing to say are left out.
//!
//! The paper's words and ours: `Q_ij` is [`Lines`], `R_ij` the `ready` bits of pair `i -> j`, a bit for each of the flows that node
//! `i` has just now. Ready flows take turns, where the paper has a queue of their names: either way none has a second turn before
//! all others that are ready had one.

mod flows;
mod line;
#[cfg(test)]
mod tests;

pub use line::Cell;

use crate::schedule::Schedule;
use flows::Flow;
use line::Lines;

/// The latency optimisations of §3.3.3; without them it is Eqs. 1 to 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Release {
    /// One local cell at most in a queue, further ones wait in the ready queue (Eqs. 4 to 6).
    pub ready_queue: bool,
    /// A young flow gets no cell into queues longer than 2^age, its age in epochs.
    pub by_age: bool,
}

/// What came to its destination in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrived {
    /// Where it came from first.
    pub source: u16,
    /// Where it is.
    pub destination: u16,
    /// The place of the frame that is complete with it.
    pub frame: u32,
}

/// A cell on its way between two nodes, or an empty one with feedback.
#[derive(Debug, Clone, Copy)]
struct Flying {
    pair: u32,
    from: u16,
    to: u16,
    cell: Cell,
    feedback: u16,
}

/// The cells in a node's queues, and what passed through them since the measurement began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Held {
    /// How many there are.
    pub cells: u32,
    /// The most there were.
    pub most: u32,
    /// Cells times slots, up to `since`.
    area: u64,
    since: u64,
    /// Cells that left it, and that came to it.
    pub sent: u64,
    /// See `sent`.
    pub received: u64,
}

impl Held {
    #[inline(always)]
    fn change(&mut self, now: u64, cells: u32) {
        self.area += u64::from(self.cells) * (now - self.since);
        self.since = now;
        self.cells = cells;
        self.most = self.most.max(cells);
    }
    /// Cells times slots since the measurement began, at the beginning of slot `now`.
    pub fn area(&self, now: u64) -> u64 {
        self.area + u64::from(self.cells) * (now - self.since)
    }
}

/// The last cell that a node has from another, until it is answered.
#[derive(Debug, Clone, Copy)]
struct Got {
    /// Where it went from here; [`MINE`], or [`NOTHING`].
    destination: u16,
    /// What stood in `Q` and `R` there when it had joined.
    joined: u16,
}

/// When a row of pairs sends: rows of half the nodes at a time have two slots.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    early: Turn,
    /// Nodes from here on send in `late`.
    split: u32,
    late: Turn,
}

impl Row {
    #[inline(always)]
    fn of(&self, node: u16) -> Turn {
        if u32::from(node) < self.split { self.early } else { self.late }
    }
}

/// A pair's turn in an epoch, and how its times fit those of the pair back.
#[derive(Debug, Clone, Copy, Default)]
struct Turn {
    slot: u32,
    /// From the epoch in which feedback comes, so many back, the cell was sent that it is about: the last that the other node had when
    /// it sent this, two delays ago.
    back: u32,
    /// From the epoch in which feedback comes, so many on, the pair has its next turn: 0 or 1.
    next: u32,
}

impl Turn {
    /// For a pair that sends in `slot`, and hears from the other node, who sends in `other`.
    fn new(slot: u32, other: u32, epoch: u32, delay: u32) -> Turn {
        let comes = i64::from((other + delay) % epoch);
        let (mine, length) = (i64::from(slot), i64::from(epoch));
        let back = -(comes - 2 * i64::from(delay) - mine).div_euclid(length);
        Turn { slot, back: back as u32, next: u32::from(comes > mine) }
    }
}

/// Counted since the measurement began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sums {
    /// Cells over the fabric, a hop each.
    pub moves: u64,
    /// Cells that came to their destination.
    pub delivered: u64,
    /// Of these, straight from their source.
    pub direct: u64,
    /// Most cells in one queue.
    pub longest_queue: u32,
    /// Most cells of a flow that waited for an earlier one.
    pub most_early: u32,
}

/// Subflows of the flows of a node over one other, a bit each.
#[derive(Debug, Clone, Copy, Default)]
struct Bits {
    /// Not idle: what follows, or a cell is in a queue here or there, or its feedback is on its way.
    busy: u64,
    /// May send a cell (`R_ij`).
    ready: u64,
    /// Have feedback, and wait until enough epochs have passed (Eq. 2).
    waiting: u64,
}

/// A rack.
#[derive(Debug, Clone)]
pub struct Rack {
    nodes: u32,
    schedule: Schedule,
    release: Release,
    /// Slots from a cell's leaving until it may leave the next node.
    delay: u64,
    rows: Vec<Row>,
    /// By pair, as all that follows: `Q_ij`; its length and that of `R_ij` together; the last cell that the pair's source has from its
    /// destination: where it went; what was sent, so many epochs back.
    queues: Lines,
    backlog: Vec<u16>,
    got: Vec<Got>,
    sent: Vec<Cell>,
    depth: u64,
    /// 64 flows of a node to a word, so many words.
    words: usize,
    bits: Vec<Bits>,
    /// By flow and pair: the epoch in which Eq. 2 would hold for an empty queue.
    keys: Vec<u16>,
    /// Whose turn it is among those that are ready.
    rotor: Vec<u16>,
    /// Pairs that have something to send or to say, a bit each, by row and node.
    stirring: Vec<u64>,
    /// Nodes that have flows.
    active: Vec<u64>,
    /// Words of a bit for each node.
    span: usize,
    /// By node and word: flows that have cells, and those that are young.
    has_data: Vec<u64>,
    young: Vec<u64>,
    /// By node and bit: the flow.
    slots: Vec<u32>,
    taken: Vec<u64>,
    held: Vec<Held>,
    /// Cells of a node's flows that are in no queue yet; those who had this many, and have fewer now.
    unsent: Vec<u64>,
    room: u64,
    drained: Vec<u16>,
    /// Cells in all queues, and cells that wait for their answer.
    queued: u64,
    unanswered: u64,
    /// Links inside that a pair's cells cross, two each, if they are counted; and the cells that crossed each.
    ways: Vec<[u16; 2]>,
    crossed: Vec<u64>,
    /// The slot, and its epoch.
    now: u64,
    epoch: u32,
    flows: Vec<Flow>,
    free_flows: Vec<u32>,
    /// By source and destination.
    flow_of: Vec<u32>,
    air: Vec<Vec<Flying>>,
    flying: u64,
    /// Since the measurement began.
    pub sums: Sums,
    /// Cells that have left their source's flow and have not come to their destination.
    #[cfg(debug_assertions)]
    inside: u64,
}

/// By shift.
fn rows(schedule: &Schedule, delay: u32) -> Vec<Row> {
    let nodes = schedule.nodes();
    let mut rows = vec![Row::default(); nodes as usize];
    for slot in 0..schedule.epoch() {
        for channel in 0..schedule.channels() {
            let turn = schedule.turn(slot, channel);
            let row = &mut rows[turn.shift as usize];
            if turn.first > 0 {
                (row.split, row.late.slot) = (turn.first, slot);
            } else {
                (row.split, row.early.slot) = (turn.last, slot);
            }
        }
    }
    let halves = |row: &Row| row.split < nodes;
    let slots: Vec<(u32, u32)> = rows.iter().map(|row| (row.early.slot, row.late.slot)).collect();
    for (shift, row) in (0..nodes).zip(&mut rows).skip(1) {
        // Of two that are half the nodes apart, one sends early and the other late.
        let (early, late) = slots[(nodes - shift) as usize];
        let (to_early, to_late) = if halves(row) { (late, early) } else { (early, early) };
        row.early = Turn::new(row.early.slot, to_early, schedule.epoch(), delay);
        row.late = Turn::new(row.late.slot, to_late, schedule.epoch(), delay);
    }
    rows
}

const NONE: u32 = u32::MAX;
/// No cell came, or it has been answered.
const NOTHING: u16 = u16::MAX;
/// The cell was for the node itself.
const MINE: u16 = u16::MAX - 1;

impl Rack {
    /// An idle rack. A cell that leaves in slot `n` may leave the next node in slot `n + delay`.
    ///
    /// # Panics
    /// If `delay` is 0, or nodes have been left out of the schedule.
    pub fn new(schedule: Schedule, delay: u32, release: Release) -> Rack {
        assert!(delay > 0, "a cell takes a slot at least");
        assert_eq!(schedule.living(), schedule.nodes(), "all nodes take part");
        let nodes = schedule.nodes();
        let pairs = (nodes as usize - 1) * nodes as usize;
        let depth = (2 * u64::from(delay) / u64::from(schedule.epoch()) + 2).next_power_of_two();
        let span = (nodes as usize).div_ceil(64);
        let mut rack = Rack {
            nodes,
            release,
            delay: u64::from(delay),
            rows: rows(&schedule, delay),
            queues: Lines::new(pairs),
            backlog: vec![0; pairs],
            got: vec![Got { destination: NOTHING, joined: 0 }; pairs],
            sent: vec![Cell::NONE; pairs * depth as usize],
            depth,
            words: 0,
            bits: Vec::new(),
            keys: Vec::new(),
            rotor: vec![0; pairs],
            stirring: vec![0; nodes as usize * span],
            active: vec![0; span],
            span,
            has_data: Vec::new(),
            young: Vec::new(),
            slots: Vec::new(),
            taken: Vec::new(),
            held: vec![Held::default(); nodes as usize],
            unsent: vec![0; nodes as usize],
            room: u64::MAX,
            drained: Vec::new(),
            queued: 0,
            unanswered: 0,
            ways: Vec::new(),
            crossed: Vec::new(),
            now: 0,
            epoch: 0,
            flows: Vec::new(),
            free_flows: Vec::new(),
            flow_of: vec![NONE; nodes as usize * nodes as usize],
            air: vec![Vec::new(); delay as usize + 1],
            flying: 0,
            sums: Sums::default(),
            #[cfg(debug_assertions)]
            inside: 0,
            schedule,
        };
        rack.widen();
        rack
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }
    /// Slots of an epoch.
    pub fn epoch(&self) -> u32 {
        self.schedule.epoch()
    }
    /// Whether nothing is left to do.
    pub fn is_idle(&self) -> bool {
        self.flying + self.queued + self.unanswered == 0 && self.active.iter().all(|nodes| *nodes == 0)
    }
    /// Cells that wait in `Q_ij`.
    pub fn queue(&self, from: u16, to: u16) -> u32 {
        self.queues.len(self.pair(from, to))
    }
    /// What a node's queues hold.
    pub fn held(&self, node: u16) -> Held {
        self.held[usize::from(node)]
    }
    /// Has cells counted on so many links inside, two of which those of each ordered pair of nodes cross.
    pub fn count_crossings(&mut self, links: usize, way: impl Fn(u16, u16) -> [u16; 2]) {
        self.ways = vec![[0; 2]; self.backlog.len()];
        self.crossed = vec![0; links];
        for from in 0..self.nodes as u16 {
            for to in (0..self.nodes as u16).filter(|to| *to != from) {
                let pair = self.pair(from, to);
                self.ways[pair] = way(from, to);
            }
        }
    }
    /// Cells over a link inside since the measurement began.
    pub fn crossed(&self, link: usize) -> u64 {
        self.crossed[link]
    }
    /// Cells of a node's own flows that are in no queue yet.
    pub fn unsent(&self, node: u16) -> u64 {
        self.unsent[usize::from(node)]
    }
    /// Tells [`Rack::drained`] of nodes that have fewer than `cells` unsent.
    pub fn watch(&mut self, cells: u64) {
        self.room = cells;
    }
    /// Nodes that have come to have fewer unsent cells than [`Rack::watch`] says, since this was last asked.
    pub fn drained(&mut self) -> std::vec::Drain<'_, u16> {
        self.drained.drain(..)
    }
    /// Counters begin anew, at the beginning of slot `now`.
    pub fn begin_measurement(&mut self, now: u64) {
        self.sums = Sums::default();
        self.crossed.fill(0);
        for held in &mut self.held {
            *held = Held { cells: held.cells, most: held.cells, since: now, ..Held::default() };
        }
    }

    #[inline(always)]
    fn pair(&self, from: u16, to: u16) -> usize {
        let (from, to) = (u32::from(from), u32::from(to));
        let shift = if to > from { to - from } else { to + self.nodes - from };
        (shift as usize - 1) * self.nodes as usize + from as usize
    }

    /// Where a pair keeps what it sent in an epoch.
    #[inline(always)]
    fn entry(&self, pair: usize, epoch: u32) -> usize {
        pair * self.depth as usize + (epoch as usize & (self.depth as usize - 1))
    }

    #[inline(always)]
    fn key(&self, pair: usize, word: usize, bit: u32) -> usize {
        (word * 64 + bit as usize) * self.backlog.len() + pair
    }

    /// Room for 64 flows more at each node.
    #[cold]
    fn widen(&mut self) {
        let (before, after, nodes) = (self.words, self.words + 1, self.nodes as usize);
        let pairs = self.backlog.len();
        fn spread<T: Copy + Default>(of: &[T], rows: usize, before: usize, after: usize) -> Vec<T> {
            let mut wide = vec![T::default(); rows * after];
            for row in 0..rows {
                wide[row * after..row * after + before].copy_from_slice(&of[row * before..(row + 1) * before]);
            }
            wide
        }
        self.bits = spread(&self.bits, pairs, before, after);
        self.keys.resize(pairs * after * 64, 0);
        self.has_data = spread(&self.has_data, nodes, before, after);
        self.young = spread(&self.young, nodes, before, after);
        self.taken = spread(&self.taken, nodes, before, after);
        self.slots = spread(&self.slots, nodes, before * 64, after * 64);
        self.words = after;
    }

    /// A node has a frame of so many cells for another. `slot` is the slot that is about to begin.
    ///
    /// # Panics
    /// If it is for the node itself, or has no cells.
    pub fn offer(&mut self, slot: u64, source: u16, destination: u16, cells: u32, frame: u32) {
        assert!(source != destination && cells > 0, "a frame has cells, and goes to another node");
        let key = usize::from(source) * self.nodes as usize + usize::from(destination);
        if self.flow_of[key] == NONE {
            self.flow_of[key] = self.free_flows.pop().unwrap_or_else(|| {
                self.flows.push(Flow::default());
                self.flows.len() as u32 - 1
            });
            self.flows[self.flow_of[key] as usize] = Flow::new(source, destination);
        }
        self.unsent[usize::from(source)] += u64::from(cells);
        let number = self.flow_of[key];
        let flow = &mut self.flows[number as usize];
        let begins = !flow.has_data();
        flow.end = flow.end.wrapping_add(cells);
        flow.frames.push_back((flow.end, frame));
        if flow.slot == Flow::NOWHERE {
            self.settle(number, source);
        }
        if begins {
            let flow = &mut self.flows[number as usize];
            flow.began = (slot / u64::from(self.schedule.epoch())) as u32;
            let at = flow.slot;
            let (word, bit) = self.word(source, at);
            self.has_data[word] |= bit;
            self.young[word] |= bit;
        }
    }

    /// Gives a flow a place among those of its source.
    fn settle(&mut self, number: u32, source: u16) {
        let first = usize::from(source) * self.words;
        let free = self.taken[first..first + self.words].iter().position(|taken| *taken != u64::MAX);
        let word = free.unwrap_or_else(|| {
            self.widen();
            self.words - 1
        });
        let place = usize::from(source) * self.words + word;
        let bit = self.taken[place].trailing_ones();
        self.taken[place] |= 1 << bit;
        self.slots[place * 64 + bit as usize] = number;
        self.flows[number as usize].slot = (word * 64) as u16 + bit as u16;
        self.active[usize::from(source) / 64] |= 1 << (source % 64);
    }

    /// The word in which a flow of a node has its bit, among those by node; and the bit.
    #[inline(always)]
    fn word(&self, node: u16, slot: u16) -> (usize, u64) {
        (usize::from(node) * self.words + usize::from(slot) / 64, 1 << (slot % 64))
    }

    /// One subflow less of a flow has anything to do.
    #[inline(always)]
    fn rest(&mut self, number: u32) {
        let flow = &mut self.flows[number as usize];
        flow.outstanding -= 1;
        if flow.outstanding == 0 && !flow.has_data() {
            self.leave(number);
        }
    }

    /// A flow has nothing more to do at its source.
    #[inline(never)]
    fn leave(&mut self, number: u32) {
        let flow = &mut self.flows[number as usize];
        let (source, slot) = (flow.source, std::mem::replace(&mut flow.slot, Flow::NOWHERE));
        let (word, bit) = self.word(source, slot);
        self.taken[word] &= !bit;
        self.young[word] &= !bit;
        let first = usize::from(source) * self.words;
        if self.taken[first..first + self.words].iter().all(|taken| *taken == 0) {
            self.active[usize::from(source) / 64] &= !(1 << (source % 64));
        }
        self.end_if_over(number);
    }

    fn end_if_over(&mut self, number: u32) {
        let flow = &self.flows[number as usize];
        if flow.is_over() {
            let key = usize::from(flow.source) * self.nodes as usize + usize::from(flow.destination);
            self.flow_of[key] = NONE;
            self.free_flows.push(number);
        }
    }

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

    /// Local cells for a pair, once an epoch: those that Eq. 2 lets go, and those of idle subflows.
    #[inline(always)]
    fn release(&mut self, pair: usize, node: u16) {
        let len = self.queues.len(pair) as i32;
        for word in 0..self.words {
            let data = self.has_data[usize::from(node) * self.words + word];
            let bits = self.bits[pair * self.words + word];
            let mut waiting = bits.waiting;
            while waiting != 0 {
                let bit = waiting.trailing_zeros();
                waiting &= waiting - 1;
                let key = self.keys[self.key(pair, word, bit)];
                let passed = i32::from((self.epoch as u16).wrapping_sub(key) as i16);
                if len + passed >= 0 {
                    self.bits[pair * self.words + word].waiting &= !(1 << bit);
                    self.free_subflow(pair, node, word, bit);
                }
            }
            let idle = data & !bits.busy;
            if idle != 0 {
                self.begin(pair, node, word, idle);
            }
        }
        self.refill(pair, node);
    }

    /// Idle subflows of flows that have cells: they are ready at once, but for young flows.
    #[inline(never)]
    fn begin(&mut self, pair: usize, node: u16, word: usize, idle: u64) {
        let place = usize::from(node) * self.words + word;
        let len = self.queues.len(pair);
        let mut begin = idle;
        let mut rest = idle & self.young[place];
        while rest != 0 && self.release.by_age {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            let flow = &self.flows[self.slots[place * 64 + bit as usize] as usize];
            let age = self.epoch.wrapping_sub(flow.began);
            if age >= u32::BITS - self.nodes.leading_zeros() {
                self.young[place] &= !(1 << bit); // no queue is as long as that
            } else if len > 1 << age {
                begin &= !(1 << bit);
            }
        }
        let bits = &mut self.bits[pair * self.words + word];
        bits.busy |= begin;
        bits.ready |= begin;
        self.backlog[pair] += begin.count_ones() as u16;
        while begin != 0 {
            let bit = begin.trailing_zeros();
            begin &= begin - 1;
            self.flows[self.slots[place * 64 + bit as usize] as usize].outstanding += 1;
        }
    }

    /// A subflow may send its next cell, if its flow has any.
    #[inline(always)]
    fn free_subflow(&mut self, pair: usize, node: u16, word: usize, bit: u32) {
        let place = usize::from(node) * self.words + word;
        let bits = &mut self.bits[pair * self.words + word];
        if self.has_data[place] >> bit & 1 == 1 {
            bits.ready |= 1 << bit;
            self.backlog[pair] += 1;
        } else {
            bits.busy &= !(1 << bit);
            self.rest(self.slots[place * 64 + bit as usize]);
        }
    }

    /// Cells of flows that are ready join the queue: one if there is none yet, or with Eqs. 1 to 3 all.
    #[inline(always)]
    fn refill(&mut self, pair: usize, node: u16) {
        let any = (0..self.words).any(|word| self.bits[pair * self.words + word].ready != 0);
        if any && !(self.release.ready_queue && self.queues.has_local(pair)) {
            self.refill_some(pair, node);
        }
    }

    fn refill_some(&mut self, pair: usize, node: u16) {
        while let Some((word, bit)) = self.next_ready(pair) {
            self.bits[pair * self.words + word].ready &= !(1 << bit);
            let place = usize::from(node) * self.words + word;
            let number = self.slots[place * 64 + bit as usize];
            if self.has_data[place] >> bit & 1 == 0 {
                // Others have sent the flow's last cells since.
                self.bits[pair * self.words + word].busy &= !(1 << bit);
                self.backlog[pair] -= 1;
                self.rest(number);
                continue;
            }
            let flow = &mut self.flows[number as usize];
            let cell = Cell { source: node, destination: flow.destination, number: flow.next };
            flow.next = flow.next.wrapping_add(1);
            self.unsent[usize::from(node)] -= 1;
            if self.unsent[usize::from(node)] + 1 == self.room {
                self.drained.push(node);
            }
            if !flow.has_data() {
                self.has_data[place] &= !(1 << bit);
            }
            #[cfg(debug_assertions)]
            {
                self.inside += 1;
            }
            self.enqueue(pair, node, cell);
            self.backlog[pair] -= 1; // it was counted while it was ready
            if self.release.ready_queue {
                self.queues.set_local(pair, true);
                return;
            }
        }
    }

    /// Whose turn it is among the flows that are ready.
    fn next_ready(&mut self, pair: usize) -> Option<(usize, u32)> {
        let (turn, words) = (usize::from(self.rotor[pair]), self.words);
        let ready = |word: usize| self.bits[pair * words + word].ready;
        let after = |word: usize| if word == turn / 64 { ready(word) & (u64::MAX << (turn % 64)) } else { ready(word) };
        let from = turn / 64 % words;
        let word = (from..words).find(|word| after(*word) != 0).map(|word| (word, after(word)));
        let (word, bits) =
            word.or_else(|| (0..=from).find(|word| ready(*word) != 0).map(|word| (word, ready(word))))?;
        let bit = bits.trailing_zeros();
        self.rotor[pair] = (word * 64) as u16 + bit as u16 + 1;
        Some((word, bit))
    }

    #[inline(always)]
    fn enqueue(&mut self, pair: usize, node: u16, cell: Cell) {
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

    /// Queues are bounded (Eqs. 3 and 5), and a subflow has one cell at most in each of its two queues (§3.3.2).
    #[cfg(debug_assertions)]
    fn check_queue(&self, pair: usize, node: u16, cell: Cell) {
        let to = ((pair / self.nodes as usize + 1 + usize::from(node)) % self.nodes as usize) as u16;
        let twice =
            self.queues.iter(pair).any(|other| (other.source, other.destination) == (cell.source, cell.destination));
        assert!(!twice, "{cell:?} finds a cell of its subflow in the queue from {node} to {to}");
        let live = |source: u16, destination: u16| {
            self.flow_of[usize::from(source) * self.nodes as usize + usize::from(destination)] != NONE
        };
        let incast = (0..self.nodes as u16).filter(|source| live(*source, to)).count();
        let local = match self.release.ready_queue {
            true => 1,
            false => (0..self.nodes as u16).filter(|destination| live(node, *destination)).count(),
        };
        let len = self.queues.len(pair) as usize;
        assert!(
            len < local + incast,
            "{len} cells wait from {node} to {to} before {cell:?}: at most {local} + {incast} may"
        );
    }

    /// What must hold at any instant and costs much to check.
    #[cfg(debug_assertions)]
    pub fn check(&self) {
        for node in 0..self.nodes as u16 {
            let others = (0..self.nodes as u16).filter(|other| *other != node);
            let queued: u32 = others.clone().map(|other| self.queue(node, other)).sum();
            assert_eq!(self.held[usize::from(node)].cells, queued, "cells of node {node} are counted");
            let flows = others.filter_map(|other| {
                let key = usize::from(node) * self.nodes as usize + usize::from(other);
                self.flows.get(self.flow_of[key] as usize)
            });
            let unsent: u64 = flows.map(|flow| u64::from(flow.end.wrapping_sub(flow.next))).sum();
            assert_eq!(self.unsent(node), unsent, "unsent cells of node {node} are counted");
        }
    }

    /// Cells are where they are counted.
    #[cfg(debug_assertions)]
    fn check_conservation(&self) {
        let queued: u64 = self.held.iter().map(|held| u64::from(held.cells)).sum();
        let flying = self.air.iter().flatten().filter(|flying| flying.cell != Cell::NONE).count() as u64;
        assert_eq!(self.inside, queued + flying, "cells are conserved");
        assert_eq!(self.queued, queued, "cells in queues are counted");
    }
}
