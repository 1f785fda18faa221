//! The queues `Q_ij`: one for each ordered pair of nodes, in the order in which the schedule comes to them. With it is what else is looked
//! at when the pair sends, a cache line in all: where few pairs have anything, each would be waited for.

use super::{Bits, Got};
use std::collections::VecDeque;

/// A cell as nodes keep it, in one word: its number, its destination, and the node whose flow it is of with its class and whether it is
/// a copy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Cell(u64);

impl Cell {
    /// No cell.
    pub const NONE: Cell = Cell((u16::MAX as u64) << Cell::ORIGIN | (u16::MAX as u64) << Cell::DESTINATION);

    const DESTINATION: u32 = 32;
    const ORIGIN: u32 = 48;
    const CLASS: u32 = Cell::ORIGIN + 12;
    const COPY: u64 = 1 << 63;
    /// Most classes there can be.
    pub const MOST_CLASSES: u8 = 8;

    /// A cell of a flow.
    #[inline(always)]
    pub fn new(source: u16, destination: u16, class: u8, number: u32) -> Cell {
        let (source, destination, class) = (u64::from(source), u64::from(destination), u64::from(class));
        Cell(source << Cell::ORIGIN | class << Cell::CLASS | destination << Cell::DESTINATION | u64::from(number))
    }
    /// The node whose flow it is of.
    #[inline(always)]
    pub fn source(self) -> u16 {
        (self.0 >> Cell::ORIGIN) as u16 & 0xfff
    }
    /// The node that it goes to in the end.
    #[inline(always)]
    pub fn destination(self) -> u16 {
        (self.0 >> Cell::DESTINATION) as u16
    }
    /// Its number in its flow; numbers wrap.
    #[inline(always)]
    pub fn number(self) -> u32 {
        self.0 as u32
    }
    /// Its priority class, 0 first.
    #[inline(always)]
    pub fn class(self) -> usize {
        (self.0 >> Cell::CLASS & 7) as usize
    }
    /// Whether it is an own cell of this node's: not one that it passes on, not a copy, and not [`Cell::NONE`].
    #[inline(always)]
    pub fn is_own(self, node: u16) -> bool {
        (self.0 & !(7 << Cell::CLASS)) >> Cell::ORIGIN == u64::from(node)
    }
    /// Whether it may be there twice, since its sender could not know if it had come (App. D).
    pub fn is_copy(self) -> bool {
        self.0 & Cell::COPY != 0
    }
    /// The same cell, as a copy.
    pub fn to_copy(self) -> Cell {
        Cell(self.0 | Cell::COPY)
    }
}

impl std::fmt::Debug for Cell {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if *self == Cell::NONE {
            return to.write_str("Cell::NONE");
        }
        let copy = if self.is_copy() { ", a copy" } else { "" };
        write!(to, "Cell({} -> {}, {}, class {}{copy})", self.source(), self.destination(), self.number(), self.class())
    }
}

#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Line {
    /// Where the first cell lies.
    head: u8,
    /// A local cell is among them.
    local: bool,
    len: u16,
    /// Where those are that find no place here; [`Line::NOWHERE`].
    far: u32,
    cells: [Cell; Line::NEAR],
    /// The first 64 flows of the pair's source.
    bits: Bits,
    /// The last cell that the pair's source has from its destination.
    got: Got,
    /// Whose turn it is among the flows that are ready.
    rotor: u16,
}

impl Line {
    const NEAR: usize = 3;
    const NOWHERE: u32 = u32::MAX;
    const EMPTY: Line = Line {
        head: 0,
        local: false,
        len: 0,
        far: Line::NOWHERE,
        cells: [Cell::NONE; Line::NEAR],
        bits: Bits { busy: 0, ready: 0, waiting: 0 },
        got: Got::NOTHING,
        rotor: 0,
    };

    #[inline(always)]
    fn at(&self, index: usize) -> usize {
        let place = usize::from(self.head) + index;
        if place < Line::NEAR { place } else { place - Line::NEAR }
    }
}

/// All queues, by the number of the pair.
#[derive(Debug, Clone)]
pub(crate) struct Lines {
    lines: Vec<Line>,
    /// Further flows of the pairs' sources, by word and pair.
    more: Vec<Vec<Bits>>,
    /// Long queues' further cells, and which of these places are free.
    far: Vec<VecDeque<Cell>>,
    free: Vec<u32>,
}

impl Lines {
    pub fn new(pairs: usize) -> Lines {
        Lines { lines: vec![Line::EMPTY; pairs], more: Vec::new(), far: Vec::new(), free: Vec::new() }
    }

    /// Room for so many words of flows.
    pub fn widen(&mut self, words: usize) {
        self.more.resize_with(words - 1, || vec![Bits::default(); self.lines.len()]);
    }
    /// Subflows of a word of flows.
    #[inline(always)]
    pub fn bits(&self, pair: usize, word: usize) -> Bits {
        if word == 0 { self.lines[pair].bits } else { self.more[word - 1][pair] }
    }
    #[inline(always)]
    pub fn bits_mut(&mut self, pair: usize, word: usize) -> &mut Bits {
        if word == 0 { &mut self.lines[pair].bits } else { &mut self.more[word - 1][pair] }
    }
    /// What the pair's source has to answer.
    #[inline(always)]
    pub fn got(&mut self, pair: usize) -> &mut Got {
        &mut self.lines[pair].got
    }
    /// Whose turn it is among the flows that are ready: this one's, or the next one's that is.
    #[inline(always)]
    pub fn rotor(&mut self, pair: usize) -> &mut u16 {
        &mut self.lines[pair].rotor
    }

    /// How many cells wait.
    #[inline(always)]
    pub fn len(&self, pair: usize) -> u32 {
        u32::from(self.lines[pair].len)
    }

    /// Whether the ready queue's cell is among them.
    #[inline(always)]
    pub fn has_local(&self, pair: usize) -> bool {
        self.lines[pair].local
    }
    #[inline(always)]
    pub fn set_local(&mut self, pair: usize, local: bool) {
        self.lines[pair].local = local;
    }

    /// The ready queue's cell has left it, if `is_local`.
    #[inline(always)]
    pub fn clear_local(&mut self, pair: usize, is_local: bool) {
        self.lines[pair].local &= !is_local;
    }

    /// A cell joins the end. Gives how many there are then.
    #[inline(always)]
    pub fn push(&mut self, pair: usize, cell: Cell) -> u32 {
        let line = &mut self.lines[pair];
        let len = usize::from(line.len);
        line.len += 1;
        if len < Line::NEAR {
            let place = line.at(len);
            line.cells[place] = cell;
        } else {
            self.push_far(pair, cell);
        }
        len as u32 + 1
    }

    #[inline(never)]
    fn push_far(&mut self, pair: usize, cell: Cell) {
        let line = &mut self.lines[pair];
        if line.far == Line::NOWHERE {
            line.far = self.free.pop().unwrap_or_else(|| {
                self.far.push(VecDeque::new());
                self.far.len() as u32 - 1
            });
        }
        self.far[line.far as usize].push_back(cell);
    }

    /// The first one leaves, if there is any.
    #[inline(always)]
    pub fn pop(&mut self, pair: usize) -> Option<Cell> {
        let line = &mut self.lines[pair];
        if line.len == 0 {
            return None;
        }
        let cell = line.cells[usize::from(line.head)];
        line.head = line.at(1) as u8;
        line.len -= 1;
        if usize::from(line.len) >= Line::NEAR {
            self.refill(pair);
        }
        Some(cell)
    }

    /// Takes all cells out, first to last.
    #[cold]
    pub fn drain(&mut self, pair: usize) -> Vec<Cell> {
        std::iter::from_fn(|| self.pop(pair)).collect()
    }

    #[inline(never)]
    fn refill(&mut self, pair: usize) {
        let line = &mut self.lines[pair];
        let far = &mut self.far[line.far as usize];
        let place = line.at(Line::NEAR - 1);
        line.cells[place] = far.pop_front().unwrap_or(Cell::NONE);
        if far.is_empty() {
            self.free.push(line.far);
            line.far = Line::NOWHERE;
        }
    }

    /// Every cell of a queue, first to last.
    pub fn iter(&self, pair: usize) -> impl Iterator<Item = Cell> + '_ {
        let line = &self.lines[pair];
        let near = usize::from(line.len).min(Line::NEAR);
        let far = self.far.get(line.far as usize).into_iter().flatten();
        (0..near).map(|index| line.cells[line.at(index)]).chain(far.copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_line_is_a_queue(operations in prop::collection::vec((0_usize..3, 0_u8..20), 1..600)) {
            let (mut lines, mut queues) = (Lines::new(3), vec![VecDeque::new(); 3]);
            for (number, (pair, what)) in (0..).zip(operations) {
                match what {
                    0..11 => {
                        let cell = Cell::new(1, pair as u16, (number % 8) as u8, number);
                        lines.push(pair, cell);
                        queues[pair].push_back(cell);
                    }
                    _pop => prop_assert_eq!(lines.pop(pair), queues[pair].pop_front()),
                }
                for (pair, queue) in queues.iter().enumerate() {
                    prop_assert_eq!(lines.len(pair) as usize, queue.len());
                    prop_assert!(lines.iter(pair).eq(queue.iter().copied()));
                }
            }
        }
    }

    #[test]
    fn a_cell_knows_whose_it_is() {
        let cell = Cell::new(4095, 7, 5, 9);
        assert_eq!((cell.source(), cell.class(), cell.is_copy()), (4095, 5, false));
        assert_eq!((cell.to_copy().source(), cell.to_copy().class(), cell.to_copy().is_copy()), (4095, 5, true));
        assert!(cell.is_own(4095) && !cell.to_copy().is_own(4095) && !cell.is_own(4094) && !Cell::NONE.is_own(4095));
    }

    #[test]
    fn a_pair_is_a_cache_line() {
        assert_eq!(size_of::<Line>(), 64);
    }
}
