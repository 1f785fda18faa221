//! A schedule without nodes that nobody can reach: §7.3's "more sophisticated mechanism that, on detecting long-term failures, updates
//! the schedule of both rack nodes and switches".
//!
//! Everybody has to change in the same slot, and an answer belongs to a turn of the schedule in which it was asked for. So
//! nodes first send answers only, until nothing is unanswered, then nothing, until nothing is on its way.

use super::trouble::Change;
use super::turns::Turns;
use super::{Cell, Rack, epochs_kept};
use crate::schedule::Schedule;

impl Rack {
    /// Goes on with a change of the schedule, if it is time.
    #[cold]
    pub(super) fn change(&mut self) {
        let epoch = u64::from(self.schedule.epoch());
        let begins = (self.now - self.turns.slot).is_multiple_of(epoch);
        let Some(trouble) = &mut self.trouble else { return };
        match trouble.change {
            Change::From(slot) if slot <= self.now && begins => {
                let epochs = (2 * self.delay).div_ceil(epoch) + 2;
                trouble.change = Change::WindingDown(self.now + epochs * epoch);
            }
            Change::WindingDown(until) if until <= self.now => {
                trouble.change = Change::Silent(self.now + self.delay);
            }
            Change::Silent(until) if until <= self.now => self.follow_another_schedule(),
            Change::From(_) | Change::WindingDown(_) | Change::Silent(_) => {}
        }
    }

    /// The schedule of those that can be reached now.
    fn follow_another_schedule(&mut self) {
        let Some(trouble) = &mut self.trouble else { return };
        let after = trouble.recovery.leave_out_after.unwrap_or(u64::MAX);
        let stays = |since: &Option<u64>| since.is_none_or(|since| since.saturating_add(after) > self.now);
        let lives: Vec<bool> = trouble.absent.iter().map(stays).collect();
        trouble.change = Change::NEVER;
        let (channels, order) = (self.schedule.channels(), self.schedule.order());
        let Ok(schedule) = Schedule::among(&lives, channels, order) else { return };
        trouble.changed = true;
        self.answer_all();
        let epoch = self.epoch.wrapping_add(1);
        let delay = self.delay as u32;
        self.turns = if schedule.living() < self.nodes {
            Turns::among(&schedule, delay, self.now, epoch)
        } else {
            Turns::all(&schedule, delay, self.now, epoch)
        };
        self.depth = epochs_kept(delay.into(), schedule.epoch().into());
        self.sent = vec![Cell::NONE; self.pairs * self.depth as usize];
        self.schedule = schedule;
        self.learn_who_is_left_out(&lives);
        self.note_absent();
    }

    /// Whom the schedule has no turn for nobody can miss: that it is left out says the same.
    fn learn_who_is_left_out(&mut self, lives: &[bool]) {
        for pair in 0..self.pairs {
            let (from, to) = self.ends(pair);
            let apart = !(lives[usize::from(from)] && lives[usize::from(to)]);
            if apart && !self.gives_up(pair) && !self.is_down(from) {
                self.infer(from, to);
            }
        }
    }

    /// What is unanswered counts as answered: nothing stands before it.
    fn answer_all(&mut self) {
        for pair in 0..self.pairs {
            let (node, _) = self.ends(pair);
            self.forget_answer(pair);
            for cell in self.forget_sent(pair, |_| true) {
                self.fear(cell);
                let Some(number) = self.flow_of(cell).filter(|_| cell.is_own(node)) else { continue };
                let slot = self.flows[number as usize].slot;
                self.free_subflow(pair, node, usize::from(slot) / 64, u32::from(slot % 64));
            }
        }
    }
}
