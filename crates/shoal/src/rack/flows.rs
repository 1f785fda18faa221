//! Flows: all cells from one node to another (§3.3.2), at their source and at their destination.

use super::connections::Connections;
use std::collections::VecDeque;

/// What is between an ordered pair of nodes, while there is anything.
#[derive(Debug, Clone, Default)]
pub(super) struct Flow {
    pub source: u16,
    pub destination: u16,
    /// Its place among the flows of its source; [`Flow::NOWHERE`] when that has nothing more to do for it.
    pub slot: u16,
    /// Its priority class, 0 first.
    pub class: u8,
    /// Cells of its that have to be sent again.
    pub again: u32,
    /// The epoch in which it began to have cells.
    pub began: u32,
    /// The number of the next cell to be sent, and of the first that does not exist yet.
    pub next: u32,
    pub end: u32,
    /// Subflows that are not idle: a cell of theirs, or the right to one, is somewhere.
    pub outstanding: u32,
    /// The number of the cell that its destination waits for.
    pub expected: u32,
    /// Cells that came before their turn: a bit for each, by number modulo the length; and how many.
    early: Vec<u64>,
    pub waiting: u32,
    /// Frames in flight, one after the other: the number after their last cell, and their place.
    frames: VecDeque<(u32, u32)>,
    /// The number after the last cell of the first of them. If there are none, one that has come.
    first_end: u32,
    /// The connection that these are of.
    connection: u32,
    /// Instead of these: frames of several connections, which take turns.
    connections: Option<Box<Connections>>,
}

impl Flow {
    pub(super) const NOWHERE: u16 = u16::MAX;

    /// A flow whose first cell has this number.
    pub(super) fn new(source: u16, destination: u16, class: u8, first: u32) -> Flow {
        let (next, end, expected) = (first, first, first);
        Flow { source, destination, slot: Flow::NOWHERE, class, next, end, expected, ..Flow::default() }
    }

    /// Whether it has cells to send.
    #[inline(always)]
    pub(super) fn has_data(&self) -> bool {
        self.next != self.end || self.again != 0
    }

    /// It has a frame more, of so many cells and of this connection.
    pub(super) fn add(&mut self, connection: u32, frame: u32, cells: u32) {
        if self.connections.is_none() && self.frames.is_empty() {
            self.connection = connection;
        } else if self.connections.is_none() && self.connection != connection {
            self.share();
        }
        self.end = self.end.wrapping_add(cells);
        match &mut self.connections {
            Some(connections) => connections.add(connection, frame, cells),
            None => self.frames.push_back((self.end, frame)),
        }
        self.note_first();
    }

    /// From now on connections take turns.
    #[cold]
    fn share(&mut self) {
        let mut connections = Box::<Connections>::default();
        let left = self.expected.wrapping_sub(self.next);
        if left as i32 > 0 {
            // Of a frame that was given up not all cells have been sent. None of the cells after them can have come.
            connections.add_rest(self.connection, left);
            self.expected = self.next;
        }
        let mut number = self.expected.wrapping_add(if left as i32 > 0 { left } else { 0 });
        for (end, frame) in std::mem::take(&mut self.frames) {
            connections.add(self.connection, frame, end.wrapping_sub(number));
            while number != end && self.next.wrapping_sub(number) as i32 > 0 {
                connections.take_turn(number);
                if self.has(number) {
                    // It came early, so its frame is not the first, or not complete.
                    let complete = connections.arrive(number).count();
                    debug_assert_eq!(complete, 0, "what is complete was handed out before");
                }
                number = number.wrapping_add(1);
            }
            number = end;
        }
        self.connections = Some(connections);
    }

    /// The number of the cell that is sent next.
    #[inline(always)]
    pub(super) fn send(&mut self) -> u32 {
        let number = self.next;
        if let Some(connections) = &mut self.connections {
            connections.take_turn(number);
        }
        self.next = number.wrapping_add(1);
        number
    }

    /// Frames that are complete, now that the cell with this number has come for the first time, if any has.
    pub(super) fn complete(&mut self, number: Option<u32>, mut hand_out: impl FnMut(u32)) {
        if let Some(connections) = &mut self.connections {
            if let Some(number) = number {
                connections.arrive(number).for_each(hand_out);
                connections.forget_before(self.expected);
            }
            if connections.is_over() {
                self.connections = None;
            }
        } else {
            while let Some(&(end, frame)) = self.frames.front()
                && self.expected.wrapping_sub(end) as i32 >= 0
            {
                self.frames.pop_front();
                hand_out(frame);
            }
        }
        self.note_first();
    }

    /// The cell with this number, which has not come, will not: gives up the frame that it is of, and those that wait before it.
    pub(super) fn give_up(&mut self, number: u32, mut lose: impl FnMut(u32)) {
        if let Some(connections) = &mut self.connections {
            connections.give_up(number).into_iter().for_each(lose);
            self.arrive(number);
            return;
        }
        while !self.has(number)
            && let Some((end, frame)) = self.frames.pop_front()
        {
            lose(frame);
            self.skip_to(end);
        }
    }

    /// Takes all frames in flight.
    pub(super) fn take_frames(&mut self) -> Vec<u32> {
        let frames = std::mem::take(&mut self.frames).into_iter().map(|(_, frame)| frame);
        let others = self.connections.take();
        frames.chain(others.iter().flat_map(|connections| connections.frames())).collect()
    }

    /// Notes which frame is its first.
    fn note_first(&mut self) {
        self.first_end = self.frames.front().map_or(self.expected, |frame| frame.0);
    }

    /// Whether nothing is in flight.
    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty() && self.connections.is_none()
    }

    /// Whether its first frame is complete, or it has none; with several connections always.
    #[inline(always)]
    pub(super) fn is_first_complete(&self) -> bool {
        self.expected.wrapping_sub(self.first_end) as i32 >= 0
    }

    /// Whether its destination has a cell.
    pub(super) fn has(&self, number: u32) -> bool {
        let ahead = number.wrapping_sub(self.expected);
        if ahead as i32 <= 0 {
            return ahead != 0;
        }
        (ahead as usize) < self.early.len() * 64 && {
            let (word, bit) = self.place(number);
            self.early[word] & bit != 0
        }
    }

    /// Its destination waits no longer for cells before this one.
    fn skip_to(&mut self, number: u32) {
        if number.wrapping_sub(self.expected) as usize >= self.early.len() * 64 {
            // None of those that are here comes after it.
            if number.wrapping_sub(self.expected) as i32 > 0 {
                (self.expected, self.waiting) = (number, 0);
                self.early.fill(0);
            }
            return;
        }
        while number.wrapping_sub(self.expected) as i32 > 0 {
            self.arrive(self.expected);
        }
    }

    /// Whether nothing is left of it anywhere.
    pub(super) fn is_over(&self) -> bool {
        self.slot == Flow::NOWHERE && self.expected == self.end
    }

    /// A cell has come to the destination. False: it was there before, or given up.
    #[inline]
    pub(super) fn arrive(&mut self, number: u32) -> bool {
        let ahead = number.wrapping_sub(self.expected);
        if ahead == 0 {
            self.expected = self.expected.wrapping_add(1);
            if self.waiting > 0 {
                self.catch_up();
            }
            return true;
        }
        if ahead as i32 <= 0 {
            return false;
        }
        if ahead as usize >= self.early.len() * 64 {
            self.grow(ahead);
        }
        let (word, bit) = self.place(number);
        let is_new = self.early[word] & bit == 0;
        self.early[word] |= bit;
        self.waiting += u32::from(is_new);
        is_new
    }

    #[inline(always)]
    fn place(&self, number: u32) -> (usize, u64) {
        let place = number as usize & (self.early.len() * 64 - 1);
        (place / 64, 1 << (place % 64))
    }

    /// Goes on over cells that are here already.
    #[inline]
    fn catch_up(&mut self) {
        loop {
            let (word, bit) = self.place(self.expected);
            if self.early[word] & bit == 0 {
                return;
            }
            self.early[word] &= !bit;
            self.waiting -= 1;
            self.expected = self.expected.wrapping_add(1);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, ahead: u32) {
        let before = std::mem::take(&mut self.early);
        self.early = vec![0; (ahead as usize / 64 + 1).next_power_of_two().max(2)];
        for step in 0..(before.len() * 64) as u32 {
            let number = self.expected.wrapping_add(step);
            let place = number as usize & (before.len() * 64 - 1);
            if before[place / 64] >> (place % 64) & 1 == 1 {
                let (word, bit) = self.place(number);
                self.early[word] |= bit;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn cells_come_in_any_order_and_once(
            order in Just((0_u32..400).collect::<Vec<_>>()).prop_shuffle(),
            first in prop_oneof![Just(0), any::<u32>(), Just(u32::MAX - 100)],
            twice in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        ) {
            let mut flow = Flow::new(0, 1, 0, first);
            let mut come = BTreeSet::new();
            for (step, &number) in order.iter().enumerate() {
                prop_assert!(flow.arrive(first.wrapping_add(number)));
                come.insert(number);
                if twice.iter().any(|index| index.index(400) == step) {
                    prop_assert!(!flow.arrive(first.wrapping_add(number)), "a copy");
                }
                let in_order = (0..).take_while(|number| come.contains(number)).count();
                prop_assert_eq!(flow.expected, first.wrapping_add(in_order as u32));
                prop_assert_eq!(flow.waiting as usize, come.len() - in_order);
                prop_assert!((0..400).all(|number| flow.has(first.wrapping_add(number)) == come.contains(&number)));
            }
        }
    }
}
