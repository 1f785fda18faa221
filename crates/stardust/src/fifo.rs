//! A link's queue in lock-step: control messages, then data, each in its order. The first ones lie in two cache lines, so that a
//! step over all links reads memory from end to end.

use crate::cell::{Cell, Kind};
use std::collections::VecDeque;

/// What queues and links hold of a cell: where it is kept, and what a link has to know of it. Eight bytes, so that a hop moves little.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Token {
    /// Its place, and the flags in the highest bits.
    place: u32,
    /// The adapter that it goes to.
    pub to: u16,
    /// Its length.
    pub len: u16,
}

impl Token {
    const CONTROL: u32 = 1 << 31;
    const INDICATED: u32 = 1 << 30;
    const LOCAL: u32 = 1 << 29;
    /// Places are below this.
    pub(crate) const PLACES: u32 = Token::LOCAL;

    pub(crate) fn new(place: u32, cell: &Cell) -> Token {
        debug_assert!(place < Token::PLACES);
        let flags = match cell.kind() {
            Kind::Data => 0,
            Kind::Request | Kind::Credit => Token::CONTROL,
            Kind::Reachability => Token::CONTROL | Token::LOCAL,
        };
        Token { place: place | flags, to: cell.to, len: cell.len }
    }
    pub(crate) fn place(self) -> usize {
        (self.place & (Token::PLACES - 1)) as usize
    }
    pub(crate) fn is_control(self) -> bool {
        self.place & Token::CONTROL != 0
    }
    /// Whether it is for the next device, whoever that is.
    pub(crate) fn is_local(self) -> bool {
        self.place & Token::LOCAL != 0
    }
    /// Whether some queue on its way was over the threshold.
    pub(crate) fn is_indicated(self) -> bool {
        self.place & Token::INDICATED != 0
    }
    pub(crate) fn indicate(&mut self) {
        self.place |= Token::INDICATED;
    }
}

/// The queue.
#[derive(Debug, Clone, Default)]
#[repr(align(128))]
pub(crate) struct Fifo {
    /// Bytes that the link may send; below zero, what it has sent too much.
    pub balance: i32,
    /// Where the first one lies.
    head: u8,
    /// How many lie here.
    near: u8,
    /// Control messages among all.
    control: u16,
    tokens: [Token; Fifo::NEAR],
    /// Those behind, if any; then all places here are taken.
    far: VecDeque<Token>,
}

impl Fifo {
    const NEAR: usize = 11;

    #[inline(always)]
    fn at(&self, index: usize) -> usize {
        let place = usize::from(self.head) + index;
        if place < Fifo::NEAR { place } else { place - Fifo::NEAR }
    }

    /// How many wait.
    #[inline(always)]
    pub(crate) fn len(&self) -> u32 {
        let far = if usize::from(self.near) == Fifo::NEAR { self.far.len() as u32 } else { 0 };
        u32::from(self.near) + far
    }

    /// How many of them are data.
    #[inline(always)]
    pub(crate) fn data(&self) -> u32 {
        self.len() - u32::from(self.control)
    }

    /// How many of them are control messages.
    #[inline(always)]
    pub(crate) fn control(&self) -> u32 {
        u32::from(self.control)
    }

    /// A data cell joins the end.
    #[inline(always)]
    pub(crate) fn push(&mut self, token: Token) {
        if usize::from(self.near) == Fifo::NEAR {
            self.far.push_back(token);
            return;
        }
        let place = self.at(usize::from(self.near));
        self.tokens[place] = token;
        self.near += 1;
    }

    /// A control message joins behind other control messages, before all data.
    pub(crate) fn push_control(&mut self, token: Token) {
        let before = usize::from(self.control);
        self.control += 1;
        if before >= Fifo::NEAR {
            self.far.insert(before - Fifo::NEAR, token);
            return;
        }
        if usize::from(self.near) == Fifo::NEAR {
            self.near -= 1;
            self.far.push_front(self.tokens[self.at(usize::from(self.near))]);
        }
        // Those before it move up by one.
        self.head = if self.head == 0 { Fifo::NEAR as u8 - 1 } else { self.head - 1 };
        self.near += 1;
        for index in 0..before {
            let (to, from) = (self.at(index), self.at(index + 1));
            self.tokens[to] = self.tokens[from];
        }
        let place = self.at(before);
        self.tokens[place] = token;
    }

    /// The first one leaves.
    ///
    /// # Panics
    /// If there is none.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Token {
        assert!(self.near > 0, "a cell leaves a queue that has one");
        let token = self.tokens[usize::from(self.head)];
        let was_full = usize::from(self.near) == Fifo::NEAR;
        self.head = self.at(1) as u8;
        self.near -= 1;
        self.control -= u16::from(token.is_control());
        if was_full && !self.far.is_empty() {
            self.refill();
        }
        token
    }

    #[inline(never)]
    fn refill(&mut self) {
        if let Some(token) = self.far.pop_front() {
            let place = self.at(usize::from(self.near));
            self.tokens[place] = token;
            self.near += 1;
        }
    }

    /// Every one, first to last.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Token> + '_ {
        (0..usize::from(self.near)).map(|index| self.tokens[self.at(index)]).chain(self.far.iter().copied())
    }

    /// Takes all out.
    pub(crate) fn drain(&mut self) -> Vec<Token> {
        let all = self.iter().collect();
        (self.near, self.control) = (0, 0);
        self.far.clear();
        all
    }
}

#[cfg(test)]
mod tests;
