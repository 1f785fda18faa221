//! A logical connection at its source and its destination: chunks of cells, which circuits carry, one or several at once.

use crate::sockets::{Client, Reach};
use fabric::Frame;
use std::collections::VecDeque;
use units::{Span, Time};

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
    /// Its mark says that nothing follows.
    is_end: bool,
}

/// How far the end of a connection has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Its source may send more.
    Open,
    /// It has closed the connection, and no mark has said so yet.
    Closing,
    /// A mark says it, which is on its way, is to be sent again or has come.
    Marked,
    /// Its destination has all of it, and knows that nothing follows.
    Known,
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

/// What one host sends to another, in one direction.
///
/// What a request touches that is refused comes first and fits a cache line: most requests are, and there are millions of flows.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub(crate) struct Connection {
    pub source: u32,
    pub destination: u32,
    /// Cells that are in no chunk yet.
    pub unsent_cells: u64,
    /// Since when it wants a circuit, until it has one.
    pub wanted: Option<Time>,
    again: u32,
    /// Circuits that it has or has asked for, and how many of those will take another chunk.
    pub circuits: u32,
    pub sending: u32,
    /// Records of circuits that know it.
    pub records: u32,
    /// How often it was refused in a row between containers.
    pub turned_away: u32,
    /// Over which egress NIC it was last refused.
    pub avoid: Option<u8>,
    /// Whether it stays within its L0 network, or leads beyond.
    pub reach: Reach,
    pub end: End,
    /// It stands among its host's requests.
    pub is_queued: bool,
    pub is_open: bool,
    /// Its client waits for room.
    pub is_awaited: bool,
    /// Its client knows that it is idle.
    pub is_idle: bool,
    /// Its client has no use for it any more.
    pub is_released: bool,
    /// It has failed, and its frames will not come.
    pub is_failed: bool,
    /// All its requests are refused for something that is broken.
    pub is_cut_off: bool,
    /// Whose it is, and below what that client calls it.
    pub client: Client,
    /// Bytes that are in no chunk yet.
    pub unsent: u64,
    /// Frames that were not received, and their cells.
    frames: VecDeque<(Frame, u32)>,
    /// So many of them, the first, have come whole and in order.
    arrived: u32,
    /// So many of those that follow are in chunks, whole; and cells of the next that are.
    chunked: u32,
    partly: u32,
    /// The number of the first chunk; and how many of them have been delivered.
    first: u32,
    delivered: u32,
    /// No other connection had this number: places are used again.
    pub serial: u32,
    /// Chunks that are not acknowledged or not delivered, in order.
    chunks: VecDeque<Chunk>,
    pub token: u64,
    /// Since when it is cut off, if it is.
    cut_off: Time,
    /// After how long without a way it fails.
    pub give_up: Option<Span>,
}

const _: () = assert!(std::mem::offset_of!(Connection, unsent) == 64 && size_of::<Connection>() == 192);

impl Connection {
    pub(crate) fn new(
        serial: u32,
        [source, destination]: [u32; 2],
        reach: Reach,
        client: Client,
        token: u64,
    ) -> Connection {
        Connection {
            source,
            destination,
            unsent_cells: 0,
            wanted: None,
            again: 0,
            circuits: 0,
            sending: 0,
            records: 0,
            turned_away: 0,
            avoid: None,
            reach,
            end: End::Open,
            is_queued: false,
            is_open: true,
            is_awaited: false,
            is_idle: false,
            is_released: false,
            is_failed: false,
            is_cut_off: false,
            client,
            unsent: 0,
            // Most have a single frame: a flow is often one whole message.
            frames: VecDeque::with_capacity(1),
            arrived: 0,
            chunked: 0,
            partly: 0,
            first: 0,
            delivered: 0,
            serial,
            chunks: VecDeque::new(),
            token,
            cut_off: Time::ZERO,
            give_up: None,
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, frame: Frame, cells: u32) {
        self.frames.push_back((frame, cells));
        self.unsent_cells += u64::from(cells);
        self.unsent += u64::from(frame.len);
    }

    /// Whether a circuit would have something to carry.
    #[inline]
    pub(crate) fn has_work(&self) -> bool {
        self.again > 0 || self.unsent_cells > 0 || self.end == End::Closing
    }

    /// Everything has come, and its source knows it.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.unsent_cells == 0
            && (self.frames.len() == self.arrived as usize || self.is_failed)
            && self.chunks.is_empty()
            && self.end != End::Closing
    }

    /// Nothing of it is anywhere in the network, and it waits for nothing.
    #[inline]
    pub(crate) fn is_still(&self) -> bool {
        self.circuits == 0 && self.records == 0 && !self.is_queued
    }

    /// What was sent, and was neither received nor taken back.
    pub(crate) fn frames(&self) -> impl Iterator<Item = &Frame> {
        self.frames.iter().map(|(frame, _)| frame)
    }

    /// The next frame that has come.
    pub(crate) fn receive(&mut self) -> Option<Frame> {
        self.arrived = self.arrived.checked_sub(1)?;
        self.frames.pop_front().map(|(frame, _)| frame)
    }

    /// Whether all that has come was received.
    #[inline]
    pub(crate) fn is_received(&self) -> bool {
        self.arrived == 0
    }

    #[inline]
    fn at(&mut self, number: u32) -> Option<&mut Chunk> {
        let place = number.checked_sub(self.first)?;
        self.chunks.get_mut(place as usize)
    }

    /// The next chunk for a circuit, of so many cells at most: one that is to be sent again, or a new one; of a connection that was closed when all had been sent, one without
    /// cells. Its number and its cells.
    #[inline]
    pub(crate) fn pull(&mut self, most: u32) -> Option<(u32, u32)> {
        if self.is_failed {
            return None;
        }
        if self.again > 0 {
            let place = self.chunks.iter().position(|chunk| chunk.state == State::Again)?;
            self.again -= 1;
            self.chunks[place].state = State::Sent;
            return Some((self.first + place as u32, self.chunks[place].cells));
        }
        let mut chunk = Chunk { cells: 0, ends: 0, state: State::Sent, arrived: false, is_end: false };
        while chunk.cells < most {
            let Some((frame, cells)) = self.frames.get((self.arrived + self.chunked) as usize) else { break };
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
        if self.end == End::Closing && self.unsent_cells == 0 {
            (chunk.is_end, self.end) = (true, End::Marked);
        }
        if chunk.cells == 0 && !chunk.is_end {
            return None;
        }
        self.chunks.push_back(chunk);
        Some((self.first + self.chunks.len() as u32 - 1, chunk.cells))
    }

    /// Nobody knows whether a chunk has come: it is to be sent again, unless its source knows by now.
    #[inline]
    pub(crate) fn repeat(&mut self, number: u32) -> bool {
        let Some(chunk) = self.at(number).filter(|chunk| chunk.state == State::Sent) else { return false };
        chunk.state = State::Again;
        self.again += 1;
        true
    }

    /// Its source knows that a chunk has come.
    #[inline]
    pub(crate) fn acknowledge(&mut self, number: u32) {
        let Some(chunk) = self.at(number) else { return };
        let before = std::mem::replace(&mut chunk.state, State::Acked);
        self.again -= u32::from(before == State::Again);
        self.forget();
    }

    /// A chunk has come, perhaps once more. How many frames are complete by that: they can be received, in their order.
    #[inline]
    pub(crate) fn arrive(&mut self, number: u32) -> u32 {
        let mut complete = 0;
        if let Some(chunk) = self.at(number) {
            chunk.arrived = true;
            while let Some(next) = self.chunks.get(self.delivered as usize).filter(|next| next.arrived) {
                complete += next.ends;
                self.delivered += 1;
                if next.is_end {
                    self.end = End::Known;
                }
            }
        }
        self.chunked -= complete;
        self.arrived += complete;
        complete
    }

    /// What both ends know is forgotten.
    #[inline]
    pub(crate) fn forget(&mut self) {
        while self.delivered > 0 && self.chunks.front().is_some_and(|chunk| chunk.state == State::Acked) {
            self.chunks.pop_front();
            self.first += 1;
            self.delivered -= 1;
        }
    }

    /// Its source gives it up: what has not come never will.
    pub(crate) fn fail(&mut self) {
        // A chunk that still comes is none of those that follow.
        self.first += self.chunks.len() as u32;
        self.chunks.clear();
        (self.chunked, self.partly, self.delivered, self.again, self.unsent_cells, self.unsent) = (0, 0, 0, 0, 0, 0);
        self.is_failed = true;
        if self.end == End::Closing {
            self.end = End::Marked;
        }
    }

    /// All its requests are refused for something that is broken, now once more: since when.
    pub(crate) fn cut_off_since(&mut self, now: Time) -> Time {
        if !std::mem::replace(&mut self.is_cut_off, true) {
            self.cut_off = now;
        }
        self.cut_off
    }

    /// What has not come.
    pub(crate) fn take_back(&mut self) -> Vec<Frame> {
        self.frames.drain(self.arrived as usize..).map(|(frame, _)| frame).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection(lengths: &[u32]) -> Connection {
        let mut connection = Connection::new(0, [0, 1], Reach::Local, Client::Other, 0);
        for (sequence, len) in (0..).zip(lengths) {
            connection.push(Frame { sequence, len: *len * 64, ..Frame::EMPTY }, *len);
        }
        connection
    }

    fn received(connection: &mut Connection) -> Vec<u64> {
        std::iter::from_fn(|| connection.receive()).map(|frame| frame.sequence).collect()
    }

    #[test]
    fn frames_come_in_order_whatever_circuits_do() {
        let mut connection = connection(&[3, 1, 6, 2]);
        let chunks: Vec<_> = std::iter::from_fn(|| connection.pull(4)).collect();
        assert_eq!(chunks, [(0, 4), (1, 4), (2, 4)]);
        assert_eq!(connection.arrive(1), 0);
        assert_eq!((connection.arrive(0), received(&mut connection)), (2, vec![0, 1]));
        connection.acknowledge(1);
        assert!(connection.repeat(2), "its circuit was torn down");
        assert!(!connection.repeat(1), "its source knows that it has come");
        assert_eq!(connection.pull(4), Some((2, 4)));
        assert_eq!((connection.arrive(2), received(&mut connection)), (2, vec![2, 3]));
        assert_eq!(connection.arrive(2), 0, "once is enough");
        connection.acknowledge(0);
        connection.acknowledge(2);
        assert!(connection.is_over());
    }

    #[test]
    fn the_end_goes_with_the_last_chunk_or_in_one_of_its_own() {
        let mut early = connection(&[5]);
        early.end = End::Closing;
        assert_eq!((early.pull(4), early.end), (Some((0, 4)), End::Closing));
        assert_eq!((early.pull(4), early.end, early.pull(4)), (Some((1, 1)), End::Marked, None));
        early.arrive(1);
        assert_eq!(early.end, End::Marked, "a chunk before it is missing");
        early.arrive(0);
        assert_eq!((early.end, received(&mut early)), (End::Known, vec![0]));

        let mut late = connection(&[2]);
        assert_eq!((late.pull(4), late.pull(4)), (Some((0, 2)), None));
        late.end = End::Closing;
        assert!(late.has_work() && !late.is_over());
        assert_eq!(late.pull(4), Some((1, 0)));
        assert!(late.repeat(1), "a mark can be lost as any cell");
        assert_eq!(late.pull(4), Some((1, 0)));
        late.arrive(0);
        late.arrive(1);
        assert_eq!(late.end, End::Known);
        (0..2).for_each(|chunk| late.acknowledge(chunk));
        assert!(late.is_over());
    }
}
