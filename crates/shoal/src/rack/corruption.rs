//! Cells that are received wrong, or dropped for want of room, and are sent again (App. C, App. D).

use super::{Cell, DROPPED, Flying, Got, Rack};
use crate::header::{BYTES, Header};

/// What is left of a cell whose CRC is wrong.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wrong {
    /// The rate-limit feedback as it came; it may be wrong itself.
    feedback: u16,
}

impl Wrong {
    /// Nothing of the cell can be read.
    pub(super) const UNREADABLE: Wrong = Wrong { feedback: 0 };
}

impl Rack {
    /// Whether the CRC finds that some bits of a cell are wrong: each of them is with the probability of its path.
    #[cold]
    pub(super) fn wrong_bits(&mut self, pair: usize, cell: Cell, feedback: u16) -> Option<Wrong> {
        let trouble = self.trouble.as_mut()?;
        let rate = trouble.noise[pair];
        let (layout, payload) = (trouble.recovery.layout, trouble.recovery.payload);
        let bits = (BYTES + payload) * 8;
        if rate == 0.0 {
            return None;
        }
        // The bits that are wrong, header before payload; empty while none is.
        let mut wrong = Vec::new();
        let mut place = 0.0;
        loop {
            // From one wrong bit to the next.
            place += libm::floor(libm::log1p(-trouble.recovery.errors.unit()) / libm::log1p(-rate));
            if place >= bits as f64 {
                break;
            }
            wrong.resize(BYTES + payload, 0_u8);
            wrong[place as usize / 8] ^= 0x80 >> (place as usize % 8);
            place += 1.0;
        }
        if wrong.is_empty() {
            return None;
        }
        let header = Header {
            source: if cell == Cell::NONE { 0 } else { cell.source() },
            destination: if cell == Cell::NONE { 0 } else { cell.destination() },
            sequence: layout.numbering().of(u64::from(cell.number())),
            feedback: if feedback < DROPPED { feedback.min((1 << layout.feedback_bits()) - 1) } else { 0 },
            start: false,
            end: false,
            last_dropped: feedback == DROPPED,
        };
        let mut bytes = layout.encode(&header, &vec![0; payload]).ok()?;
        let (in_header, in_payload) = wrong.split_at(BYTES);
        bytes.iter_mut().zip(in_header).for_each(|(byte, wrong)| *byte ^= wrong);
        match layout.decode(bytes, in_payload) {
            Ok(_) => {
                self.sums.undetected += 1;
                None
            }
            Err(corrupted) => Some(Wrong { feedback: corrupted.feedback }),
        }
    }

    /// A cell came, and is wrong: its feedback is used, the rest thrown away, and its sender told with the next cell to it. And as the
    /// news that the last cell to that one was dropped may be lost with it, that one goes again, too (App. D).
    #[cold]
    pub(super) fn take_corrupted(&mut self, flying: &Flying, back_row: usize, back: usize, wrong: Wrong) {
        let Flying { to, cell, .. } = *flying;
        self.sums.corrupted += 1;
        self.leave_rack(u64::from(cell != Cell::NONE));
        self.owe(back, Got { destination: DROPPED, joined: 0 });
        let turn = self.turns.of(back_row, back, to);
        let last = self.sent[self.entry(back, self.epoch.wrapping_sub(turn.back))];
        if last != Cell::NONE {
            self.take_feedback(back_row, back, to, wrong.feedback);
            self.send_again(back, to, last.to_copy());
        }
    }

    /// A node sends its last cell over a pair again, after those that wait already. If it went before them, and was dropped once more for
    /// want of room, they would wait for a queue elsewhere that may wait for theirs.
    #[cold]
    pub(super) fn send_again(&mut self, pair: usize, node: u16, cell: Cell) {
        if cell == Cell::NONE {
            return;
        }
        let at = cell.class() * self.pairs + pair;
        self.queues.push(at, cell);
        self.queues.set_local(at, self.queues.has_local(at) || cell.is_own(node));
        self.backlog[at] += 1;
        self.stir(pair, node, cell);
        self.sums.sent_again += 1;
        #[cfg(debug_assertions)]
        {
            self.inside += 1;
        }
    }
}
