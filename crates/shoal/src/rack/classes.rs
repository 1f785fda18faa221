//! Priority classes (App. C): queues of their own, served in order of priority, and feedback that counts what goes before.

use super::line::Lines;
use super::{Cell, NONE, Rack};

/// How many there are, and whose flows are of which.
#[derive(Debug, Clone)]
pub(super) struct Classes {
    pub count: usize,
    /// Most cells from other nodes that a queue takes, of any class but the first.
    limit: u32,
    /// By class, node and word: flows of the class. Not kept for one class.
    masks: Vec<u64>,
}

impl Default for Classes {
    fn default() -> Classes {
        Classes { count: 1, limit: u32::MAX, masks: Vec::new() }
    }
}

impl Rack {
    /// Has `count` strict priority classes, 0 first. A queue takes as many cells of the first as come, whose number is bounded (§3.3.4),
    /// and up to `limit` from other nodes of each other class; what comes then is dropped, and its sender told.
    ///
    /// # Panics
    /// If there are none or more than [`Cell::MOST_CLASSES`], if a queue takes none, or if the rack has had traffic.
    pub fn set_classes(&mut self, count: u8, limit: u32) {
        assert!((1..=Cell::MOST_CLASSES).contains(&count) && limit > 0, "there are classes, and room");
        assert!(self.flows.is_empty(), "classes are set before anything is sent");
        let (count, nodes) = (usize::from(count), self.nodes as usize);
        let masks = if count > 1 { vec![0; count * nodes * self.words] } else { Vec::new() };
        self.classes = Classes { count, limit, masks };
        self.queues = Lines::new(count * self.pairs);
        self.backlog = vec![0; count * self.pairs + 1];
        self.flow_of = vec![NONE; count * nodes * nodes];
    }

    /// Room for more flows of each class.
    pub(super) fn widen_classes(&mut self, before: usize, after: usize) {
        let wide = self.classes.masks.chunks(before.max(1)).flat_map(|words| {
            let more = std::iter::repeat_n(0, after - before);
            words.iter().copied().chain(more)
        });
        self.classes.masks = wide.collect();
    }

    /// Notes, or forgets, that a flow is of a class.
    pub(super) fn mark_class(&mut self, class: u8, node: u16, slot: u16, is_there: bool) {
        if self.classes.count > 1 {
            let row = usize::from(class) * self.nodes as usize + usize::from(node);
            let (word, bit) = (&mut self.classes.masks[row * self.words + usize::from(slot) / 64], 1 << (slot % 64));
            if is_there { *word |= bit } else { *word &= !bit }
        }
    }

    /// Which of the flows of a word are of a class.
    #[inline(always)]
    pub(super) fn mask(&self, class: usize, node: u16, word: usize) -> u64 {
        if self.classes.count == 1 {
            return u64::MAX;
        }
        self.classes.masks[(class * self.nodes as usize + usize::from(node)) * self.words + word]
    }

    /// The class of the flow with this bit.
    #[inline(always)]
    pub(super) fn class_of(&self, node: u16, word: usize, bit: u32) -> usize {
        if self.classes.count == 1 {
            return 0;
        }
        let place = (usize::from(node) * self.words + word) * 64 + bit as usize;
        usize::from(self.flows[self.slots[place] as usize].class)
    }

    /// Cells that wait in a queue, of all classes.
    #[inline(always)]
    pub(super) fn waiting(&self, pair: usize) -> u32 {
        (0..self.classes.count).map(|class| self.queues.len(class * self.pairs + pair)).sum()
    }

    /// Cells in a queue that are sent before one that joins it in this class.
    #[inline(always)]
    pub(super) fn before(&self, pair: usize, class: usize) -> u32 {
        (0..=class).map(|class| self.queues.len(class * self.pairs + pair)).sum()
    }

    /// Eq. 1, or with ready queues Eq. 6 and its sum over classes (App. C): what stands before the next node for `pair`'s destination. The 1 is
    /// taken off where something stands.
    #[inline(always)]
    pub(super) fn standing(&self, pair: usize, class: usize) -> u16 {
        let sum: u32 = match self.release.ready_queue {
            true => (0..=class).map(|class| u32::from(self.backlog[class * self.pairs + pair].saturating_sub(1))).sum(),
            false => self.before(pair, class),
        };
        sum.min(Rack::MOST_FEEDBACK) as u16
    }

    /// Feedback is counted in epochs of 16 bits, half of which may be ahead.
    const MOST_FEEDBACK: u32 = i16::MAX as u32;

    /// The next cell of the first class that has any.
    #[inline(always)]
    pub(super) fn pop(&mut self, pair: usize) -> Cell {
        let mut cells = (0..self.classes.count).map(|class| self.queues.pop(class * self.pairs + pair));
        cells.find(|cell| *cell != Cell::NONE).unwrap_or(Cell::NONE)
    }

    /// Whether a queue has no room for another node's cell of this class. Own cells are not counted: they may wait for room elsewhere.
    pub(super) fn is_full(&self, pair: usize, class: usize) -> bool {
        let (at, limit) = (class * self.pairs + pair, self.classes.limit);
        let (node, _) = self.ends(pair);
        let others = || self.queues.iter(at).filter(|cell| cell.source() != node).count();
        class > 0 && self.queues.len(at) >= limit && others() >= limit as usize
    }
}
