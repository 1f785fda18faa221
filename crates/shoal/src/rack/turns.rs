//! When pairs of nodes send, and to which of their cells feedback belongs (App. A).

use crate::schedule::Schedule;

/// All turns of a schedule.
#[derive(Debug, Clone)]
pub(super) struct Turns {
    /// By shift; of a schedule with all nodes.
    rows: Vec<Row>,
    /// By pair; of one that leaves nodes out. Empty otherwise.
    pairs: Vec<Turn>,
    /// The schedule is followed from this slot on, which begins this epoch.
    pub slot: u64,
    /// See `slot`. Epochs are only compared with others of the same time, and their numbers wrap.
    pub epoch: u32,
}

/// When a row of pairs sends: rows of half the nodes at a time have two slots.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Row {
    pub(super) early: Turn,
    /// Nodes from here on send in `late`.
    pub(super) split: u32,
    pub(super) late: Turn,
}

impl Row {
    #[inline(always)]
    pub(super) fn of(&self, node: u16) -> Turn {
        if u32::from(node) < self.split { self.early } else { self.late }
    }
}

/// A pair's turn in an epoch, and how its times fit those of the pair back.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Turn {
    slot: u32,
    /// From the epoch in which feedback comes, so many back, the cell was sent that it is about: the last that the other node had when
    /// it sent this, two delays ago.
    pub(super) back: u32,
    /// From the epoch in which feedback comes, so many on, the pair has its next turn: 0 or 1.
    pub(super) next: u32,
}

impl Turn {
    /// For a pair that sends in `slot`, and hears from the other node, who sends in `other`.
    fn new(slot: u32, other: u32, epoch: u32, delay: u32) -> Turn {
        let comes = i64::from((other + delay) % epoch);
        let (mine, length) = (i64::from(slot), i64::from(epoch));
        let back = -(comes - 2 * i64::from(delay) - mine).div_euclid(length);
        Turn { slot, back: back as u32, next: u32::from(comes > mine) }
    }
}

impl Turns {
    pub(super) fn new(schedule: &Schedule, delay: u32) -> Turns {
        Turns { rows: rows(schedule, delay), pairs: Vec::new(), slot: 0, epoch: 0 }
    }

    /// Those of a schedule with nodes left out, which is followed from `slot` on.
    pub(super) fn among(schedule: &Schedule, delay: u32, slot: u64, epoch: u32) -> Turns {
        let nodes = schedule.nodes();
        let mut pairs = Vec::with_capacity((nodes * (nodes - 1)) as usize);
        for shift in 1..nodes {
            for from in 0..nodes {
                let to = (from + shift) % nodes;
                let turn = schedule
                    .place(from, to)
                    .zip(schedule.place(to, from))
                    .map(|(place, back)| Turn::new(place.slot, back.slot, schedule.epoch(), delay));
                pairs.push(turn.unwrap_or_default());
            }
        }
        Turns { rows: Vec::new(), pairs, slot, epoch }
    }

    /// The schedule of all nodes again, from `slot` on.
    pub(super) fn all(schedule: &Schedule, delay: u32, slot: u64, epoch: u32) -> Turns {
        Turns { slot, epoch, ..Turns::new(schedule, delay) }
    }

    /// The epoch of a slot, where an epoch has so many slots.
    #[inline(always)]
    pub(super) fn epoch_of(&self, slot: u64, slots: u64) -> u32 {
        self.epoch.wrapping_add(((slot - self.slot) / slots) as u32)
    }

    /// Whether the schedule leaves nodes out.
    pub(super) fn leave_out(&self) -> bool {
        !self.pairs.is_empty()
    }

    /// Those of a shift.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> Row {
        self.rows[row]
    }

    #[inline(always)]
    pub(super) fn of(&self, row: usize, pair: usize, node: u16) -> Turn {
        if self.leave_out() { self.pairs[pair] } else { self.rows[row].of(node) }
    }
}

/// By shift.
fn rows(schedule: &Schedule, delay: u32) -> Vec<Row> {
    let nodes = schedule.nodes();
    let mut rows = vec![Row::default(); nodes as usize];
    for slot in 0..schedule.epoch() {
        for channel in 0..schedule.channels() {
            let turn = schedule.turn(slot, channel);
            let row = &mut rows[turn.shift as usize];
            if turn.first > 0 {
                (row.split, row.late.slot) = (turn.first, slot);
            } else {
                (row.split, row.early.slot) = (turn.last, slot);
            }
        }
    }
    let halves = |row: &Row| row.split < nodes;
    let slots: Vec<(u32, u32)> = rows.iter().map(|row| (row.early.slot, row.late.slot)).collect();
    for (shift, row) in (0..nodes).zip(&mut rows).skip(1) {
        // Of two that are half the nodes apart, one sends early and the other late.
        let (early, late) = slots[(nodes - shift) as usize];
        let (to_early, to_late) = if halves(row) { (late, early) } else { (early, early) };
        row.early = Turn::new(row.early.slot, to_early, schedule.epoch(), delay);
        row.late = Turn::new(row.late.slot, to_late, schedule.epoch(), delay);
    }
    rows
}
