//! A flow at its source and its destination: chunks of cells, which circuits carry, one or several at once.

use fabric::Frame;
use std::collections::VecDeque;
use units::Time;

/// Cells between two marks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chunk {
    /// Of data, without the mark.
    pub cells: u32,
    /// How many frames end in it.
    ends: u32,
    state: State,
    /// It has come.
    arrived: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// A circuit has it, or had it and nobody knows what became of it.
    Sent,
    /// It is to be sent again.
    Again,
    /// Its source knows that it has come.
    Acked,
}

/// What one host sends to another in one flow, in one direction.
///
/// What a request touches that is refused comes first and fits a cache line: most requests are, and there are millions of flows.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub(crate) struct Connection {
    /// The flow's place and epoch, and its source.
    pub key: [u32; 3],
    pub destination: u32,
    /// Since when it wants a circuit, until it has one.
    pub wanted: Option<Time>,
    /// Cells that are in no chunk yet.
    pub unsent_cells: u64,
    again: u32,
    /// Circuits that it has or has asked for, and how many of those will take another chunk.
    pub circuits: u32,
    pub sending: u32,
    /// Records of circuits that know it.
    pub records: u32,
    /// Over which egress NIC it was last refused.
    pub avoid: Option<u8>,
    /// It stands among its host's requests.
    pub is_queued: bool,
    pub is_open: bool,
    /// Its host waits for room.
    pub is_awaited: bool,
    /// How often it was refused in a row between containers.
    pub turned_away: u32,
    /// The next connection of its flow ([`crate::flows`]).
    pub next: u32,
    /// Bytes that are in no chunk yet.
    pub unsent: u64,
    /// Frames that have not been delivered, and their cells.
    frames: VecDeque<(Frame, u32)>,
    /// Frames, from the first that has not been delivered, that are in chunks, whole; and cells of the next that are.
    chunked: usize,
    partly: u32,
    /// Chunks that are not acknowledged or not delivered, in order; the number of the first; and how many of them have been delivered.
    chunks: VecDeque<Chunk>,
    first: u32,
    delivered: usize,
}

impl Connection {
    pub(crate) fn new(key: [u32; 3], destination: u32) -> Connection {
        Connection {
            key,
            next: 0,
            destination,
            // Most have a single frame: a flow is often one whole message.
            frames: VecDeque::with_capacity(1),
            chunked: 0,
            partly: 0,
            chunks: VecDeque::new(),
            first: 0,
            delivered: 0,
            again: 0,
            unsent_cells: 0,
            unsent: 0,
            is_awaited: false,
            is_queued: false,
            circuits: 0,
            sending: 0,
            records: 0,
            avoid: None,
            turned_away: 0,
            wanted: None,
            is_open: true,
        }
    }

    pub(crate) fn source(&self) -> u32 {
        self.key[2]
    }

    pub(crate) fn push(&mut self, frame: Frame, cells: u32) {
        self.frames.push_back((frame, cells));
        self.unsent_cells += u64::from(cells);
        self.unsent += u64::from(frame.len);
    }

    /// Whether a circuit would have something to carry.
    pub(crate) fn has_work(&self) -> bool {
        self.again > 0 || self.unsent_cells > 0
    }

    /// Everything has come, and its source knows it.
    pub(crate) fn is_over(&self) -> bool {
        self.unsent_cells == 0 && self.frames.is_empty() && self.chunks.is_empty()
    }

    pub(crate) fn frames(&self) -> impl Iterator<Item = &Frame> {
        self.frames.iter().map(|(frame, _)| frame)
    }

    fn at(&mut self, number: u32) -> Option<&mut Chunk> {
        let place = number.checked_sub(self.first)?;
        self.chunks.get_mut(place as usize)
    }

    /// The next chunk for a circuit, of so many cells at most: one that is to be sent again, or a new one. Its number and its cells.
    pub(crate) fn pull(&mut self, most: u32) -> Option<(u32, u32)> {
        if self.again > 0 {
            let place = self.chunks.iter().position(|chunk| chunk.state == State::Again)?;
            self.again -= 1;
            self.chunks[place].state = State::Sent;
            return Some((self.first + place as u32, self.chunks[place].cells));
        }
        let mut chunk = Chunk { cells: 0, ends: 0, state: State::Sent, arrived: false };
        while chunk.cells < most {
            let Some((frame, cells)) = self.frames.get(self.chunked) else { break };
            let take = (cells - self.partly).min(most - chunk.cells);
            chunk.cells += take;
            self.partly += take;
            if self.partly == *cells {
                chunk.ends += 1;
                self.unsent -= u64::from(frame.len);
                (self.chunked, self.partly) = (self.chunked + 1, 0);
            }
        }
        self.unsent_cells -= u64::from(chunk.cells);
        if chunk.cells == 0 {
            return None;
        }
        self.chunks.push_back(chunk);
        Some((self.first + self.chunks.len() as u32 - 1, chunk.cells))
    }

    /// Nobody knows whether a chunk has come: it is to be sent again, unless its source knows by now.
    pub(crate) fn repeat(&mut self, number: u32) -> bool {
        let Some(chunk) = self.at(number).filter(|chunk| chunk.state == State::Sent) else { return false };
        chunk.state = State::Again;
        self.again += 1;
        true
    }

    /// Its source knows that a chunk has come.
    pub(crate) fn acknowledge(&mut self, number: u32) {
        let Some(chunk) = self.at(number) else { return };
        let before = std::mem::replace(&mut chunk.state, State::Acked);
        self.again -= u32::from(before == State::Again);
        self.forget();
    }

    /// A chunk has come, perhaps once more. Frames that are complete by that, in their order.
    pub(crate) fn arrive(&mut self, number: u32) -> impl Iterator<Item = Frame> + use<'_> {
        let mut complete = 0;
        if let Some(chunk) = self.at(number) {
            chunk.arrived = true;
            while let Some(next) = self.chunks.get(self.delivered).filter(|next| next.arrived) {
                complete += next.ends as usize;
                self.delivered += 1;
            }
        }
        self.chunked -= complete;
        self.frames.drain(..complete).map(|(frame, _)| frame)
    }

    /// What both ends know is forgotten.
    pub(crate) fn forget(&mut self) {
        while self.delivered > 0 && self.chunks.front().is_some_and(|chunk| chunk.state == State::Acked) {
            self.chunks.pop_front();
            self.first += 1;
            self.delivered -= 1;
        }
    }

    /// Its source has stopped: what was not delivered never will be.
    pub(crate) fn stop(&mut self) -> Vec<Frame> {
        // A chunk that still comes is none of those that follow.
        self.first += self.chunks.len() as u32;
        self.chunks.clear();
        (self.chunked, self.partly, self.delivered, self.again, self.unsent_cells, self.unsent) = (0, 0, 0, 0, 0, 0);
        self.frames.drain(..).map(|(frame, _)| frame).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection(lengths: &[u32]) -> Connection {
        let mut connection = Connection::new([0, 0, 0], 1);
        for (sequence, len) in (0..).zip(lengths) {
            connection.push(Frame { sequence, len: *len * 64, ..Frame::EMPTY }, *len);
        }
        connection
    }

    #[test]
    fn frames_come_in_order_whatever_circuits_do() {
        let mut connection = connection(&[3, 1, 6, 2]);
        let chunks: Vec<_> = std::iter::from_fn(|| connection.pull(4)).collect();
        assert_eq!(chunks, [(0, 4), (1, 4), (2, 4)]);
        assert_eq!(connection.arrive(1).count(), 0);
        assert_eq!(connection.arrive(0).map(|frame| frame.sequence).collect::<Vec<_>>(), [0, 1]);
        connection.acknowledge(1);
        assert!(connection.repeat(2), "its circuit was torn down");
        assert!(!connection.repeat(1), "its source knows that it has come");
        assert_eq!(connection.pull(4), Some((2, 4)));
        assert_eq!(connection.arrive(2).map(|frame| frame.sequence).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(connection.arrive(2).count(), 0, "once is enough");
        connection.acknowledge(0);
        connection.acknowledge(2);
        assert!(connection.is_over());
    }
}
