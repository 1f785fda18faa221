//! The connections between two nodes, where there are several: they take turns cell by cell, and each is put in order for itself.
//!
//! To the congestion control all that two nodes exchange is one flow (§3.3.2), which has one cell at most in each queue and one share of
//! each virtual link. Which of its connections a cell is of makes no difference there, so cells are numbered in the order in which they are
//! sent, and this keeps which numbers are whose.

use std::collections::{BTreeMap, VecDeque};

/// A frame of a connection.
#[derive(Debug, Clone, Copy)]
struct Part {
    frame: u32,
    /// Its cells that have not been sent, and those that have not come.
    unsent: u32,
    missing: u32,
    /// It was given up: what is left of it is sent, and handed to nobody.
    lost: bool,
}

#[derive(Debug, Clone, Default)]
struct Connection {
    /// Frames in flight. They are counted from the connection's first.
    parts: VecDeque<Part>,
    /// How many came before the first of them; it wraps.
    before: u32,
    /// The first that has cells to send.
    sending: u32,
}

impl Connection {
    fn has_data(&self) -> bool {
        self.sending.wrapping_sub(self.before) < self.parts.len() as u32
    }
    fn part(&mut self, place: u32) -> Option<&mut Part> {
        self.parts.get_mut(place.wrapping_sub(self.before) as usize)
    }
}

/// Cells with successive numbers, of one frame.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// The number after the last.
    end: u32,
    connection: u32,
    /// The frame's place in its connection.
    place: u32,
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Connections {
    /// Those that have frames in flight.
    all: BTreeMap<u32, Connection>,
    /// Those that have cells to send: the first one is next.
    turns: VecDeque<u32>,
    /// Whose the cells are that have been sent, from the one on that the destination waits for.
    runs: VecDeque<Run>,
}

impl Connections {
    /// A frame of a connection, of so many cells, none of them sent.
    pub(super) fn add(&mut self, connection: u32, frame: u32, cells: u32) {
        self.push(connection, Part { frame, unsent: cells, missing: cells, lost: false });
    }

    /// Cells that are to be sent still, of a frame that was given up.
    pub(super) fn add_rest(&mut self, connection: u32, cells: u32) {
        self.push(connection, Part { frame: 0, unsent: cells, missing: cells, lost: true });
    }

    fn push(&mut self, connection: u32, part: Part) {
        let of = self.all.entry(connection).or_default();
        if !of.has_data() {
            self.turns.push_back(connection);
        }
        of.parts.push_back(part);
    }

    /// Whose turn it is: the cell with this number is of the next connection.
    #[inline(never)]
    pub(super) fn take_turn(&mut self, number: u32) {
        let Some(connection) = self.turns.pop_front() else { return };
        let Some(of) = self.all.get_mut(&connection) else { return };
        let place = of.sending;
        let Some(part) = of.part(place) else { return };
        part.unsent -= 1;
        if part.unsent == 0 {
            of.sending = place.wrapping_add(1);
        }
        if of.has_data() {
            self.turns.push_back(connection);
        }
        let end = number.wrapping_add(1);
        match self.runs.back_mut() {
            Some(run) if (run.connection, run.place) == (connection, place) => run.end = end,
            Some(_) | None => self.runs.push_back(Run { end, connection, place }),
        }
    }

    /// The frame that a cell is of, if it is in flight.
    fn find(&self, number: u32) -> Option<Run> {
        let before = self.runs.partition_point(|run| run.end.wrapping_sub(number) as i32 <= 0);
        self.runs.get(before).copied()
    }

    /// The cell with this number has come, for the first time: gives the frames that are complete with it, in order.
    pub(super) fn arrive(&mut self, number: u32) -> impl Iterator<Item = u32> {
        let run = self.find(number);
        let mut complete = Vec::new();
        if let Some(Run { connection, place, .. }) = run
            && let Some(of) = self.all.get_mut(&connection)
            && let Some(part) = of.part(place)
        {
            part.missing -= 1;
            while let Some(&part) = of.parts.front()
                && part.missing == 0
            {
                of.parts.pop_front();
                of.before = of.before.wrapping_add(1);
                complete.extend((!part.lost).then_some(part.frame));
            }
            if of.parts.is_empty() {
                self.all.remove(&connection);
            }
        }
        complete.into_iter()
    }

    /// The destination waits for the cell with this number, and has all before.
    pub(super) fn forget_before(&mut self, number: u32) {
        while self.runs.front().is_some_and(|run| run.end.wrapping_sub(number) as i32 <= 0) {
            self.runs.pop_front();
        }
    }

    /// The cell with this number will not come: gives the frame that is lost with it, unless it was lost before.
    pub(super) fn give_up(&mut self, number: u32) -> Option<u32> {
        let Run { connection, place, .. } = self.find(number)?;
        let part = self.all.get_mut(&connection)?.part(place)?;
        (!std::mem::replace(&mut part.lost, true)).then_some(part.frame)
    }

    /// Whether everything has come.
    pub(super) fn is_over(&self) -> bool {
        self.all.is_empty()
    }

    /// The frames in flight.
    pub(super) fn frames(&self) -> impl Iterator<Item = u32> {
        let parts = self.all.values().flat_map(|of| &of.parts);
        parts.filter(|part| !part.lost).map(|part| part.frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_goes_on_when_the_numbers_of_its_frames_wrap() {
        let mut connections = Connections::default();
        connections.add(5, 70, 1);
        let of = connections.all.get_mut(&5).expect("it has a frame");
        (of.before, of.sending) = (u32::MAX, u32::MAX);
        connections.add(5, 71, 2);
        (0..3).for_each(|number| connections.take_turn(number));
        let complete: Vec<Vec<u32>> = [1, 0, 2].map(|number| connections.arrive(number).collect()).into();
        assert_eq!(complete, [vec![], vec![70], vec![71]]);
        assert!(connections.is_over());
    }
}
