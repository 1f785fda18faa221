//! Deadlocks: frames that wait for each other in a circle.
//!
//! A port waits for the switch at the far end of its link if that has paused it, and the switch lets it go on only when enough of the frames
//! that came over the link have left. Where they wait for ports that are paused in turn, and so on back to the first, none will ever leave
//! (cyclic buffer dependency).

use super::memory::Account;
use super::{NOWHERE, Pausing};
use units::{Span, Time};

impl Pausing {
    /// Ports and classes in a circle, each of which waits for the next, and the last for the first, if there are any that can never go on
    /// as long as nothing breaks and no route changes: not even if everything else drained and nothing new came.
    pub(crate) fn deadlock(&self) -> Vec<(u32, u8)> {
        let stuck = self.stuck();
        let Some(start) = stuck.iter().position(|stuck| *stuck) else { return Vec::new() };
        // Each waits for a next one that is stuck too, so a walk comes round.
        let mut walk = vec![start];
        loop {
            let Some(next) = walk.last().and_then(|last| self.waits_for(*last, &stuck)) else { return Vec::new() };
            if let Some(first) = walk.iter().position(|queue| *queue == next) {
                let mut circle = walk.split_off(first);
                let least = circle.iter().enumerate().min_by_key(|(_, queue)| **queue).map_or(0, |(place, _)| place);
                circle.rotate_left(least);
                let named =
                    circle.into_iter().map(|queue| ((queue / self.classes) as u32, (queue % self.classes) as u8));
                return named.collect();
            }
            walk.push(next);
        }
    }

    /// For how long a port has been paused at which a frame waits, the longest of all.
    pub(crate) fn longest_pause(&self, now: Time) -> Span {
        let paused = self.queues.iter().filter(|queue| queue.is_paused(now) && !queue.frames.is_empty());
        paused.map(|queue| now.since(queue.since)).max().unwrap_or(Span::ZERO)
    }

    /// Which queues can never go on: of those that are paused, as many as remain when all that could go on are taken out, again and again.
    fn stuck(&self) -> Vec<bool> {
        let Some(limits) = &self.limits else { return Vec::new() };
        let paused = |(number, queue): (usize, &super::ClassQueue)| {
            let port = &self.ports[number / self.classes];
            let heard = !self.ports[port.back as usize].dead;
            heard && !queue.frames.is_empty() && port.off >> (number % self.classes) & 1 == 1
        };
        let mut stuck: Vec<bool> = self.queues.iter().enumerate().map(paused).collect();
        loop {
            let after = self.after_all_else(&stuck);
            let mut used = vec![0; self.memories.len()];
            for (number, account) in after.iter().enumerate() {
                if let Some(used) = used.get_mut(self.far_end(number) as usize) {
                    *used += account.shared;
                }
            }
            let mut changed = false;
            for number in 0..stuck.len() {
                let memory = self.far_end(number) as usize;
                let goes_on = |free| limits.may_resume(&after[number], free);
                if stuck[number] && goes_on(self.memories[memory].pool - used[memory]) {
                    (stuck[number], changed) = (false, true);
                }
            }
            if !changed {
                return stuck;
            }
        }
    }

    /// The switch at the far end of a queue's link.
    fn far_end(&self, queue: usize) -> u32 {
        self.ports[self.ports[queue / self.classes].back as usize].memory
    }

    /// What accounts hold when only the frames of these queues are left.
    fn after_all_else(&self, left: &[bool]) -> Vec<Account> {
        let mut bytes = vec![0; self.accounts.len()];
        for (number, queue) in self.queues.iter().enumerate().filter(|(number, _)| left[*number]) {
            if self.ports[number / self.classes].memory == NOWHERE {
                continue;
            }
            for stored in &queue.frames {
                let account = stored.from as usize * self.classes + number % self.classes;
                bytes[account] += u64::from(stored.frame.len + self.framing);
            }
        }
        let account = |(account, bytes): (&Account, u64)| {
            let shared = account.shared.min(bytes);
            Account { shared, headroom: bytes - shared, ..*account }
        };
        self.accounts.iter().zip(bytes).map(account).collect()
    }

    /// The first queue that is stuck and has frames that came over the link of this one.
    fn waits_for(&self, queue: usize, stuck: &[bool]) -> Option<usize> {
        let (link, own) = ((queue / self.classes) as u32, queue % self.classes);
        let far_end = self.far_end(queue);
        let holds = |number: &usize| {
            stuck[*number]
                && number % self.classes == own
                && self.ports[number / self.classes].memory == far_end
                && self.queues[*number].frames.iter().any(|stored| stored.from == link)
        };
        (0..stuck.len()).find(holds)
    }
}
