//! Cells and flows that are lost, and cells that are sent again.

use super::flows::Flow;
use super::trouble::Wound;
use super::{Arrived, Bits, Cell, NONE, Rack};

impl Rack {
    /// A cell is lost. Its destination will wait for it, but not for ever.
    pub(super) fn lose(&mut self, cell: Cell) {
        if cell == Cell::NONE {
            return;
        }
        self.leave_rack(1);
        self.sums.lost += 1;
        self.fear(cell);
    }

    /// A cell may be lost: nobody will send it again if it is.
    pub(super) fn fear(&mut self, cell: Cell) {
        let key = self.flow_key(cell.source(), cell.destination(), cell.class());
        let due = self.now;
        if let Some(trouble) = &mut self.trouble
            && self.flow_of[key] != NONE
        {
            let due = due + trouble.recovery.patience;
            trouble.wounds.push_back(Wound { due, key: key as u32, number: cell.number() });
        }
    }

    /// Gives up frames of which a cell has been missing for too long.
    #[cold]
    pub(super) fn give_up_wounds(&mut self, complete: &mut Vec<Arrived>) {
        while let Some(trouble) = &mut self.trouble
            && let Some(wound) = trouble.wounds.front().copied().filter(|wound| wound.due <= self.now)
        {
            trouble.wounds.pop_front();
            let index = self.flow_of[wound.key as usize];
            if index == NONE || self.flows[index as usize].has(wound.number) {
                continue; // it was sent again, or the whole flow was given up
            }
            if trouble.again.get(&index).is_some_and(|again| again.contains(&wound.number)) {
                trouble.wounds.push_back(Wound { due: self.now + trouble.recovery.patience, ..wound });
                continue;
            }
            self.flows[index as usize].give_up(wound.number, |frame| trouble.lost.push(frame));
            self.complete(index, Some(wound.number), complete);
        }
    }

    /// A node sends a cell of its own again, over another path.
    pub(super) fn give_back(&mut self, cell: Cell) {
        let Some(number) = self.flow_of(cell) else { return };
        let Some(trouble) = &mut self.trouble else { return };
        trouble.again.entry(number).or_default().push_back(cell.number());
        self.flows[number as usize].again += 1;
        self.unsent[usize::from(cell.source())] += 1;
        self.wake(number);
    }

    /// The next cell of a flow that is sent again.
    #[cold]
    pub(super) fn next_again(&mut self, number: u32) -> Cell {
        let flow = &mut self.flows[number as usize];
        let again = self
            .trouble
            .as_mut()
            .and_then(|trouble| trouble.again.get_mut(&number))
            .and_then(|again| again.pop_front());
        flow.again -= 1;
        self.sums.sent_again += 1;
        debug_assert!(again.is_some(), "cells that are sent again are counted");
        Cell::new(flow.source, flow.destination, flow.class, again.unwrap_or(flow.expected))
    }

    /// Takes those cells out of a queue for which `is_out` is so, and gives them.
    pub(super) fn take_out(&mut self, pair: usize, class: usize, is_out: impl Fn(Cell) -> bool) -> Vec<Cell> {
        let at = class * self.pairs + pair;
        if self.queues.len(at) == 0 {
            return Vec::new();
        }
        let (node, _) = self.ends(pair);
        let (out, stay): (Vec<Cell>, Vec<Cell>) = self.queues.drain(at).into_iter().partition(|cell| is_out(*cell));
        self.queues.set_local(at, stay.iter().any(|cell| cell.is_own(node)));
        for cell in stay {
            self.queues.push(at, cell);
        }
        self.backlog[at] -= out.len() as u16;
        self.queued -= out.len() as u64;
        let held = &mut self.held[usize::from(node)];
        out.iter().for_each(|cell| held.leave(self.now, cell.is_own(node)));
        out
    }

    /// A pair forgets what it sent, so that answers that come for it are for nothing. Gives the cells.
    pub(super) fn forget_sent(&mut self, pair: usize, is_out: impl Fn(Cell) -> bool) -> Vec<Cell> {
        let sent = self.sent[pair..].iter_mut().step_by(self.pairs);
        let out = sent.filter(|cell| **cell != Cell::NONE && is_out(**cell));
        out.map(|cell| std::mem::replace(cell, Cell::NONE)).collect()
    }

    /// A flow has no path any more, or its node is off: what is not there yet of its frames is lost.
    pub(super) fn abort(&mut self, number: u32) {
        let flow = &mut self.flows[number as usize];
        let Flow { source, destination, class, slot, next, end, again, .. } = *flow;
        let frames = flow.take_frames();
        let is_its =
            |cell: Cell| (cell.source(), cell.destination(), cell.class()) == (source, destination, usize::from(class));
        for via in (0..self.nodes as u16).filter(|via| *via != source) {
            let pair = self.pair(source, via);
            let out = self.take_out(pair, class.into(), is_its);
            self.leave_rack(out.len() as u64);
            self.forget_sent(pair, is_its);
            if slot != Flow::NOWHERE {
                let bits = self.queues.bits_mut(pair, usize::from(slot) / 64);
                let bit = 1_u64 << (slot % 64);
                self.backlog[usize::from(class) * self.pairs + pair] -= u16::from(bits.ready & bit != 0);
                *bits = Bits { busy: bits.busy & !bit, ready: bits.ready & !bit, waiting: bits.waiting & !bit };
            }
        }
        let unsent = &mut self.unsent[usize::from(source)];
        let before = *unsent;
        *unsent -= u64::from(end.wrapping_sub(next) + again);
        if before >= self.room && *unsent < self.room {
            self.drained.push(source);
        }
        if slot != Flow::NOWHERE {
            let (word, bit) = self.word(source, slot);
            self.has_data[word] &= !bit;
            self.give_up_place(number);
        }
        let key = self.flow_key(source, destination, class.into());
        self.flow_of[key] = NONE;
        self.flows[number as usize] = Flow::default();
        self.free_flows.push(number);
        if let Some(trouble) = &mut self.trouble {
            trouble.remember(key, end);
            trouble.again.remove(&number);
            trouble.lost.extend(frames);
        }
    }
}
