//! Frames of hosts on their way through the pod, in pieces that each fit into a packet.

use arbiter::Slot;
use fabric::Frame;

/// A piece of a message: the message's place, and the piece's number.
pub(crate) type Piece = (u32, u32);

/// A frame in pieces. Each piece is sent once by schedule, and perhaps before without; and again if it was lost. It counts when it comes for the first
/// time.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub frame: Frame,
    /// Its number among all, in the order in which they came.
    pub serial: u64,
    /// How many pieces it has.
    pub pieces: u32,
    /// How many have been sent by schedule, and how many without.
    pub scheduled: u32,
    pub tried: u32,
    /// Pieces that are to be sent once more, by schedule.
    pub again: u32,
    /// Pieces that have come, and which: the first 64, and the others.
    pub came: u32,
    few: u64,
    many: Vec<u64>,
    /// Packets on their way that carry some of it, and slots that its host may be told to send once more.
    pub copies: u32,
    pub fate: Fate,
    /// Some of it found no room in a queue.
    pub is_dropped: bool,
    pub hope: Hope,
}

/// What has become of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is on its way.
    Open,
    /// All of it has come.
    Delivered,
    /// Some of it will never come.
    Lost,
}

/// Whether a message may be sent without being scheduled (§3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hope {
    /// No.
    None,
    /// Yes: the arbiter has not heard of it.
    Unasked,
    /// Until the answer to the request of this slot is there.
    Asked(Slot),
}

impl Message {
    pub(crate) fn new(frame: Frame, serial: u64, pieces: u32, hope: Hope) -> Message {
        Message {
            frame,
            serial,
            pieces,
            scheduled: 0,
            tried: 0,
            again: 0,
            came: 0,
            few: 0,
            many: vec![0; pieces.saturating_sub(64).div_ceil(64) as usize],
            copies: 0,
            fate: Fate::Open,
            is_dropped: false,
            hope,
        }
    }

    /// Pieces that have not been sent by schedule.
    pub(crate) fn unsent(&self) -> u32 {
        self.pieces - self.scheduled
    }

    /// A piece has come. False: it had come before.
    pub(crate) fn take(&mut self, piece: u32) -> bool {
        let word = match piece.checked_sub(64) {
            None => &mut self.few,
            Some(later) => &mut self.many[(later / 64) as usize],
        };
        let bit = 1 << (piece % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        self.came += u32::from(is_new);
        is_new
    }

    /// Nothing of it is anywhere any more.
    pub(crate) fn is_over(&self) -> bool {
        self.copies == 0 && self.again == 0 && self.unsent() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_piece_counts_once() {
        let mut message = Message::new(Frame::EMPTY, 0, 200, Hope::None);
        for piece in (0..200).rev().chain(0..200) {
            let was_there = message.came == 200;
            assert_eq!(message.take(piece), !was_there);
        }
        assert_eq!(message.came, 200);
    }
}
