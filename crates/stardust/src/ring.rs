//! Cells in order: a ring that grows.

use crate::cell::Cell;

/// A queue of cells.
#[derive(Debug, Clone, Default)]
pub struct Ring {
    /// As many as a power of two, or none.
    cells: Box<[Cell]>,
    head: u32,
    len: u32,
}

impl Ring {
    #[inline(always)]
    fn place(&self, index: u32) -> usize {
        (self.head.wrapping_add(index) & (self.cells.len() as u32).wrapping_sub(1)) as usize
    }

    /// How many cells are in it.
    #[inline(always)]
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether none is.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let larger = (self.cells.len() * 2).max(8);
        let empty = std::iter::repeat_n(Cell::EMPTY, larger - self.len as usize);
        let cells: Vec<Cell> = self.iter().copied().chain(empty).collect();
        self.cells = cells.into_boxed_slice();
        self.head = 0;
    }

    /// A cell joins the end.
    #[inline(always)]
    pub fn push(&mut self, cell: Cell) {
        if self.len as usize == self.cells.len() {
            self.grow();
        }
        let place = self.place(self.len);
        self.cells[place] = cell;
        self.len += 1;
    }

    /// The oldest cell leaves.
    ///
    /// # Panics
    /// If there is none.
    #[inline(always)]
    pub fn pop(&mut self) -> Cell {
        assert!(self.len > 0, "a cell leaves a queue that has one");
        let cell = self.cells[self.place(0)];
        self.head = self.head.wrapping_add(1);
        self.len -= 1;
        cell
    }

    /// The cell that has this many before it.
    #[inline(always)]
    pub fn at(&self, index: u32) -> &Cell {
        debug_assert!(index < self.len);
        &self.cells[self.place(index)]
    }

    /// See [`Ring::at`].
    #[inline(always)]
    pub fn at_mut(&mut self, index: u32) -> &mut Cell {
        debug_assert!(index < self.len);
        let place = self.place(index);
        &mut self.cells[place]
    }

    /// Every cell, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Cell> + '_ {
        (0..self.len).map(|index| &self.cells[self.place(index)])
    }

    /// Takes all cells out.
    pub fn drain(&mut self) -> Vec<Cell> {
        let cells = self.iter().copied().collect();
        self.len = 0;
        cells
    }
}

#[cfg(test)]
mod tests;
