//! The queues `Q_ij`: one for each ordered pair of nodes, in the order in which the schedule comes to them. With it is what else is looked
//! at when the pair sends, a cache line in all: where few pairs have anything, each would be waited for.

use super::{Bits, Got};
use engine::long_array;
use std::collections::VecDeque;

/// A cell as nodes keep it, in one word: its number, its destination, and the node whose flow it is of with its class and whether it is
/// a copy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Cell(u64);

impl Cell {
    /// No cell.
    pub const NONE: Cell = Cell(u64::MAX);

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
    /// [`Cell::is_own`] where there is one class only, and nothing is sent twice.
    #[inline(always)]
    pub fn is_from(self, node: u16) -> bool {
        self.0 >> Cell::ORIGIN == u64::from(node)
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
pub(super) struct Line {
    /// A local cell is among them.
    pub local: bool,
    pub len: u16,
    /// Where those are that find no place here; [`Line::NOWHERE`].
    far: u32,
    cells: [Cell; Line::NEAR],
    /// The first 64 flows of the pair's source.
    pub bits: Bits,
    /// The last cell that the pair's source has from its destination.
    pub got: Got,
    /// Whose turn it is among the flows that are ready.
    pub rotor: u16,
}

impl Line {
    const NEAR: usize = 3;
    const NOWHERE: u32 = u32::MAX;
    const EMPTY: Line = Line {
        local: false,
        len: 0,
        far: Line::NOWHERE,
        cells: [Cell::NONE; Line::NEAR],
        bits: Bits { busy: 0, ready: 0, waiting: 0 },
        got: Got::NOTHING,
        rotor: 0,
    };

    /// A cell joins the end. Gives how many there are then.
    #[inline(always)]
    pub(super) fn push(&mut self, cell: Cell, far: &mut Far) -> u32 {
        let len = usize::from(self.len);
        self.len += 1;
        if len < Line::NEAR {
            self.cells[len] = cell;
        } else {
            far.push(self, cell);
        }
        len as u32 + 1
    }

    /// The first one leaves, if there is any.
    #[inline(always)]
    pub(super) fn pop(&mut self, far: &mut Far) -> Cell {
        if self.len == 0 {
            return Cell::NONE;
        }
        let [cell, second, third] = self.cells;
        self.cells = [second, third, third];
        self.len -= 1;
        if usize::from(self.len) >= Line::NEAR {
            far.refill(self);
        }
        cell
    }
}

/// What finds no place in its line.
#[derive(Debug, Clone, Default)]
pub(super) struct Far {
    queues: Vec<VecDeque<Cell>>,
    free: Vec<u32>,
}

impl Far {
    #[inline(never)]
    fn push(&mut self, line: &mut Line, cell: Cell) {
        if line.far == Line::NOWHERE {
            line.far = self.free.pop().unwrap_or_else(|| {
                self.queues.push(VecDeque::new());
                self.queues.len() as u32 - 1
            });
        }
        self.queues[line.far as usize].push_back(cell);
    }

    #[inline(never)]
    fn refill(&mut self, line: &mut Line) {
        let far = &mut self.queues[line.far as usize];
        line.cells[Line::NEAR - 1] = far.pop_front().unwrap_or(Cell::NONE);
        if far.is_empty() {
            self.free.push(line.far);
            line.far = Line::NOWHERE;
        }
    }
}

/// All queues, by the number of the pair.
#[derive(Debug, Clone)]
pub(crate) struct Lines {
    pub(super) lines: Vec<Line>,
    /// Further flows of the pairs' sources, by word and pair.
    pub(super) more: Vec<Vec<Bits>>,
    /// Long queues' further cells.
    pub(super) far: Far,
}

impl Lines {
    pub(super) fn new(pairs: usize) -> Lines {
        Lines { lines: long_array(Line::EMPTY, pairs), more: Vec::new(), far: Far::default() }
    }

    /// Room for so many words of flows.
    pub(super) fn widen(&mut self, words: usize) {
        self.more.resize_with(words - 1, || vec![Bits::default(); self.lines.len()]);
    }
    /// Subflows of a word of flows.
    #[inline(always)]
    pub(super) fn bits(&self, pair: usize, word: usize) -> Bits {
        if word == 0 { self.lines[pair].bits } else { self.more[word - 1][pair] }
    }
    #[inline(always)]
    pub(super) fn bits_mut(&mut self, pair: usize, word: usize) -> &mut Bits {
        if word == 0 { &mut self.lines[pair].bits } else { &mut self.more[word - 1][pair] }
    }
    /// What the pair's source has to answer.
    #[inline(always)]
    pub(super) fn got(&mut self, pair: usize) -> &mut Got {
        &mut self.lines[pair].got
    }
    /// Whose turn it is among the flows that are ready: this one's, or the next one's that is.
    #[inline(always)]
    pub(super) fn rotor(&mut self, pair: usize) -> &mut u16 {
        &mut self.lines[pair].rotor
    }

    /// How many cells wait.
    #[inline(always)]
    pub(super) fn len(&self, pair: usize) -> u32 {
        u32::from(self.lines[pair].len)
    }

    /// Whether the ready queue's cell is among them.
    #[inline(always)]
    pub(super) fn has_local(&self, pair: usize) -> bool {
        self.lines[pair].local
    }
    #[inline(always)]
    pub(super) fn set_local(&mut self, pair: usize, local: bool) {
        self.lines[pair].local = local;
    }

    /// The ready queue's cell has left it, if `is_local`.
    #[inline(always)]
    pub(super) fn clear_local(&mut self, pair: usize, is_local: bool) {
        self.lines[pair].local &= !is_local;
    }

    /// A cell joins the end. Gives how many there are then.
    #[inline(always)]
    pub(super) fn push(&mut self, pair: usize, cell: Cell) -> u32 {
        self.lines[pair].push(cell, &mut self.far)
    }

    /// The first one leaves; [`Cell::NONE`] if there is none.
    #[inline(always)]
    pub(super) fn pop(&mut self, pair: usize) -> Cell {
        self.lines[pair].pop(&mut self.far)
    }

    /// Takes all cells out, first to last.
    #[cold]
    pub(super) fn drain(&mut self, pair: usize) -> Vec<Cell> {
        let next = std::iter::repeat_with(|| self.pop(pair));
        next.take_while(|cell| *cell != Cell::NONE).collect()
    }

    /// Every cell of a queue, first to last.
    pub(super) fn iter(&self, pair: usize) -> impl Iterator<Item = Cell> + '_ {
        let line = &self.lines[pair];
        let near = usize::from(line.len).min(Line::NEAR);
        let far = self.far.queues.get(line.far as usize).into_iter().flatten();
        line.cells[..near].iter().chain(far).copied()
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
                    _pop => prop_assert_eq!(lines.pop(pair), queues[pair].pop_front().unwrap_or(Cell::NONE)),
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
