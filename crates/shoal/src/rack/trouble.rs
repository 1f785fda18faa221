//! What is only there once something has failed: who is broken, who has found out about whom, and what is to be sent again.

use super::corruption::Wrong;
use super::settled::Settled;
use super::{Cell, Flying, Got, MISSING, NONE, NOTHING, Rack};
use crate::header::Layout;
use crate::schedule::Turn;
use engine::Stream;
use std::collections::{BTreeMap, VecDeque};

/// How a rack recovers.
#[derive(Debug, Clone)]
pub struct Recovery {
    /// Slots after which a destination waits no longer for a lost cell, and gives up the frame that it is of.
    pub patience: u64,
    /// Slots after which nodes that nobody can reach are left out of the schedule (§7.3); never, if there are none.
    pub leave_out_after: Option<u64>,
    /// Draws bit errors.
    pub errors: Stream,
    /// Fields of a cell's header.
    pub layout: Layout,
    /// Bytes of a cell after its header.
    pub payload: usize,
}

/// The path over switches and links from one node to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Path {
    /// Whether a cell comes through.
    pub works: bool,
    /// Probability that a bit of it is wrong then.
    pub bit_errors: f64,
}

/// A cell that is lost, unless its node sends it again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wound {
    pub due: u64,
    pub key: u32,
    pub number: u32,
}

/// A change of the schedule, in steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// At the first epoch from this slot on, if ever.
    From(u64),
    /// Nodes send answers only, until this slot.
    WindingDown(u64),
    /// Nothing is sent, until this slot.
    Silent(u64),
}

impl Change {
    pub(super) const NEVER: Change = Change::From(u64::MAX);
}

/// See the module.
#[derive(Debug, Clone)]
pub(super) struct Trouble {
    pub recovery: Recovery,
    /// By node: it is off. And since when nobody can reach it.
    pub down: Vec<bool>,
    pub absent: Vec<Option<u64>>,
    /// By pair: what its source sends does not come; bit error rates, if there are any.
    pub broken: Vec<bool>,
    pub noise: Vec<f64>,
    /// By pair, if there are any: cells between clocks that are too far apart, which lose some of their bits.
    pub untimely: Vec<bool>,
    /// Bits have been wrong, so that there may be copies of cells.
    pub spoiled: bool,
    /// By pair: the source has inferred that the destination failed, and sends it nothing.
    pub distrust: Vec<bool>,
    /// By node: whom it reported as failed, in order; and by pair the place of the report that stands, counted from 1.
    pub reports: Vec<Vec<u16>>,
    pub standing: Vec<u32>,
    /// By pair: how many reports of the destination the source has heard.
    pub heard: Vec<u32>,
    /// Until then every cell is sent, even an empty one, so that those that do not come are missed.
    pub alert_until: u64,
    /// When those that can hear each other again begin to send again.
    pub rejoin_at: u64,
    pub change: Change,
    /// The schedule was changed, and whoever asks has not been told.
    pub changed: bool,
    /// By flow key: the number of its next cell, while there is no flow.
    numbers: Vec<u32>,
    /// By flow: cells to be sent again, first to last.
    pub again: BTreeMap<u32, VecDeque<u32>>,
    pub wounds: VecDeque<Wound>,
    /// Frames that are lost, and whoever asks has not been told.
    pub lost: Vec<u32>,
    pub settled: Settled,
}

impl Trouble {
    pub(super) fn new(nodes: usize, pairs: usize, keys: usize, recovery: Recovery) -> Trouble {
        Trouble {
            recovery,
            down: vec![false; nodes],
            absent: vec![None; nodes],
            broken: vec![false; pairs],
            noise: Vec::new(),
            untimely: Vec::new(),
            spoiled: false,
            distrust: vec![false; pairs],
            reports: vec![Vec::new(); nodes],
            standing: vec![0; pairs],
            heard: vec![0; pairs],
            alert_until: 0,
            rejoin_at: u64::MAX,
            change: Change::NEVER,
            changed: false,
            numbers: vec![0; keys],
            again: BTreeMap::new(),
            wounds: VecDeque::new(),
            lost: Vec::new(),
            settled: Settled::default(),
        }
    }

    /// Whether nothing of it is in flight.
    pub(super) fn is_over(&self, now: u64) -> bool {
        let settled = self.rejoin_at == u64::MAX && self.change == Change::NEVER;
        settled && self.wounds.is_empty() && now >= self.alert_until
    }

    /// Cells of a flow are numbered on, even if there was none for a while: a late copy must not pass for a new cell.
    pub(super) fn remember(&mut self, key: usize, next: u32) {
        self.numbers[key] = next;
    }
    /// The number of the first cell of a flow.
    pub(super) fn first_number(&self, key: usize) -> u32 {
        self.numbers[key]
    }
}

impl Rack {
    /// How it recovers from failures; to be said before there are any.
    pub fn set_recovery(&mut self, recovery: Recovery) {
        self.recovery = Some(recovery);
    }

    /// Which ordered pairs' cells leave their slots, in the order of [`Rack::ordered_pairs`]; none, if empty.
    ///
    /// # Panics
    /// Without [`Rack::set_recovery`].
    pub fn set_untimely(&mut self, untimely: Vec<bool>) {
        self.unsettle(self.now);
        let trouble = self.trouble();
        trouble.spoiled |= !untimely.is_empty();
        trouble.untimely = untimely;
    }

    /// All ordered pairs of nodes.
    pub fn ordered_pairs(&self) -> impl Iterator<Item = (u16, u16)> + '_ {
        (0..self.pairs).map(|pair| self.ends(pair))
    }

    /// What there is only once something has failed.
    pub(super) fn trouble(&mut self) -> &mut Trouble {
        let (nodes, pairs, keys) = (self.nodes as usize, self.pairs, self.flow_of.len());
        let recovery = &mut self.recovery;
        self.trouble.get_or_insert_with(|| {
            let recovery = recovery.take().expect("a rack that may fail is told how to recover");
            Box::new(Trouble::new(nodes, pairs, keys, recovery))
        })
    }

    /// Frames that are lost, since this was last asked.
    pub fn take_lost(&mut self) -> Vec<u32> {
        self.trouble.as_mut().map_or_else(Vec::new, |trouble| std::mem::take(&mut trouble.lost))
    }

    /// Whether the schedule was changed since this was last asked.
    pub fn take_changed(&mut self) -> bool {
        self.trouble.as_mut().is_some_and(|trouble| std::mem::take(&mut trouble.changed))
    }

    /// Ordered pairs whose source has found that it cannot reach its destination.
    pub fn silent_pairs(&self) -> usize {
        self.trouble.as_ref().map_or(0, |trouble| trouble.distrust.iter().filter(|silent| **silent).count())
    }

    /// Whether anything has failed so far.
    pub fn has_failed(&self) -> bool {
        self.trouble.is_some()
    }

    /// Whether a node is off.
    pub(super) fn is_down(&self, node: u16) -> bool {
        self.trouble.as_ref().is_some_and(|trouble| trouble.down[usize::from(node)])
    }

    /// The ordered pair the other way.
    pub(super) fn back(&self, pair: usize) -> usize {
        let (from, to) = self.ends(pair);
        self.pair(to, from)
    }

    /// The nodes of a pair.
    pub(super) fn ends(&self, pair: usize) -> (u16, u16) {
        let (shift, from) = (pair / self.nodes as usize + 1, pair % self.nodes as usize);
        (from as u16, ((from + shift) % self.nodes as usize) as u16)
    }

    /// Whether a node sends nothing over a pair: it is off, or has inferred that the other is.
    #[inline(always)]
    pub(super) fn sends_nothing(&self, pair: usize, node: u16) -> bool {
        let silent = |trouble: &Trouble| trouble.down[usize::from(node)] || trouble.distrust[pair];
        self.trouble.as_deref().is_some_and(silent)
    }

    /// The other node notices, if it still expects a cell.
    pub(super) fn miss(&mut self, pair: usize, from: u16, to: u16, leaving: &mut Vec<Flying>) {
        let back = self.back(pair);
        let Some(trouble) = &self.trouble else { return };
        if self.now < trouble.alert_until && !trouble.down[usize::from(to)] && !trouble.distrust[back] {
            let (cell, feedback, row) = (Cell::NONE, MISSING, self.row(from, to) as u16);
            leaving.push(Flying { cell, row, to, feedback, news: 0 });
        }
    }

    /// What becomes of a cell that leaves now.
    #[inline(always)]
    pub(super) fn on_the_way(&mut self, pair: usize, flying: Flying) -> Flying {
        if !self.trouble.as_deref().is_some_and(|trouble| trouble.broken[pair]) {
            return flying;
        }
        self.lose(flying.cell);
        Flying { cell: Cell::NONE, feedback: MISSING, ..flying }
    }

    /// Whether a cell can be used where it comes to. If one is missing or wrong, what has to be done about it is done.
    #[inline(always)]
    pub(super) fn is_received(&mut self, flying: &Flying, back_row: usize, back: usize) -> bool {
        let Some(trouble) = &self.trouble else { return true };
        let Flying { cell, row, to, feedback, news } = *flying;
        let (pair, from) = self.pair_to(row, to);
        if trouble.distrust[back] || trouble.down[usize::from(to)] {
            self.lose(cell);
            return false;
        }
        if feedback == MISSING {
            self.infer(to, from);
            return false;
        }
        if trouble.untimely.get(pair).copied().unwrap_or(false) {
            self.sums.untimely += 1;
            self.take_corrupted(flying, back_row, back, Wrong::UNREADABLE);
            return false;
        }
        if !trouble.noise.is_empty()
            && let Some(wrong) = self.wrong_bits(pair, cell, feedback)
        {
            self.take_corrupted(flying, back_row, back, wrong);
            return false;
        }
        if self.trouble.as_ref().is_some_and(|trouble| trouble.heard[back] as u16 != news) {
            self.hear(to, from, back, news);
        }
        true
    }

    /// Whether there is room where a cell goes next, or a node there at all. What there is none for is lost or dropped.
    pub(super) fn has_room_for(&mut self, next: usize, cell: Cell) -> bool {
        if self.gives_up(next) {
            self.lose(cell);
            return false;
        }
        let full = self.is_full(next, cell.class());
        if full {
            self.sums.dropped += 1;
            self.leave_rack(1);
        }
        !full
    }

    /// Whether a pair's source passes nothing on to its destination any more.
    pub(super) fn gives_up(&self, pair: usize) -> bool {
        self.trouble.as_deref().is_some_and(|trouble| trouble.distrust[pair])
    }

    /// How many nodes a node has reported, modulo 2^16.
    #[inline(always)]
    pub(super) fn reported(&self, node: u16) -> u16 {
        self.trouble.as_deref().map_or(0, |trouble| trouble.reports[usize::from(node)].len() as u16)
    }

    #[inline(always)]
    pub(super) fn is_alert(&self) -> bool {
        self.trouble.as_deref().is_some_and(|trouble| self.now < trouble.alert_until)
    }
    #[inline(always)]
    pub(super) fn is_winding_down(&self) -> bool {
        self.trouble.as_deref().is_some_and(|trouble| matches!(trouble.change, Change::WindingDown(_)))
    }
    #[inline(always)]
    pub(super) fn is_silent(&self) -> bool {
        self.trouble.as_deref().is_some_and(|trouble| matches!(trouble.change, Change::Silent(_)))
    }

    /// What is due at the beginning of a slot.
    #[inline(always)]
    pub(super) fn attend(&mut self, complete: &mut Vec<super::Arrived>) {
        let Some(trouble) = self.trouble.as_deref() else { return };
        let now = self.now;
        if trouble.wounds.front().is_some_and(|wound| wound.due <= now) {
            self.give_up_wounds(complete);
        }
        if self.trouble.as_deref().is_some_and(|trouble| trouble.rejoin_at <= now) {
            self.rejoin();
        }
        if self.trouble.as_deref().is_some_and(|trouble| trouble.change != Change::NEVER) {
            self.change();
        }
    }

    /// Those of the flows with these bits that may not go over a pair: its destination has reported that it cannot reach theirs.
    pub(super) fn blocked(&self, pair: usize, node: u16, word: usize, mut bits: u64) -> u64 {
        let Some(trouble) = self.trouble.as_deref() else { return 0 };
        let mut blocked = 0;
        let heard = trouble.heard[pair];
        if heard == 0 || trouble.settled.is_so && trouble.settled.all_may_go {
            return 0;
        }
        let (_, via) = self.ends(pair);
        while bits != 0 {
            let bit = bits.trailing_zeros();
            bits &= bits - 1;
            let place = (usize::from(node) * self.words + word) * 64 + bit as usize;
            let destination = self.flows[self.slots[place] as usize].destination;
            if destination != via && self.is_reported(trouble, via, destination, heard) {
                blocked |= 1 << bit;
            }
        }
        blocked
    }

    fn is_reported(&self, trouble: &Trouble, by: u16, about: u16, heard: u32) -> bool {
        let standing = trouble.standing[self.pair(by, about)];
        standing != 0 && standing <= heard
    }

    /// Whether a node knows any path to another.
    pub(super) fn has_way(&self, source: u16, destination: u16) -> bool {
        let Some(trouble) = self.trouble.as_deref() else { return true };
        let direct = self.pair(source, destination);
        !trouble.distrust[direct]
            || (0..self.nodes as u16).filter(|via| *via != source && *via != destination).any(|via| {
                let first = self.pair(source, via);
                !trouble.distrust[first] && !self.is_reported(trouble, via, destination, trouble.heard[first])
            })
    }

    /// Whether a frame cannot be sent at all. It is lost then.
    pub(super) fn refuses(&mut self, source: u16, destination: u16, frame: u32) -> bool {
        let refuses = self.is_down(source) || !self.has_way(source, destination);
        if refuses && let Some(trouble) = &mut self.trouble {
            trouble.lost.push(frame);
        }
        refuses
    }

    /// What is sent by those that the schedule has not left out.
    pub(super) fn send_by_rank(&mut self, turn: Turn, leaving: &mut Vec<Flying>) {
        let living = self.schedule.living();
        for rank in turn.first..turn.last {
            let node = self.schedule.node(rank);
            let to = self.schedule.node((rank + turn.shift) % living);
            let row = ((to + self.nodes - node) % self.nodes) as usize;
            let pair = (row - 1) * self.nodes as usize + node as usize;
            let active = self.active[node as usize / 64] >> (node % 64);
            let stirs = (self.stirring(pair) | active) & 1 == 1;
            if stirs || self.is_alert() {
                self.depart(row, node, leaving);
            }
        }
    }

    /// Cells leave the rack without having come to their destination.
    #[inline(always)]
    pub(super) fn leave_rack(&mut self, _cells: u64) {
        #[cfg(debug_assertions)]
        {
            self.inside -= _cells;
        }
    }

    /// The flow of a cell, if there is still one.
    pub(super) fn flow_of(&self, cell: Cell) -> Option<u32> {
        let number = self.flow_of[self.flow_key(cell.source(), cell.destination(), cell.class())];
        (number != NONE).then_some(number)
    }

    /// A pair has nothing to answer any more.
    pub(super) fn forget_answer(&mut self, pair: usize) {
        let got = std::mem::replace(self.queues.got(pair), Got::NOTHING);
        self.unanswered -= u64::from(got.destination != NOTHING);
    }
}
