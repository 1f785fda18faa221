//! Failures (§3.5): a node that misses a cell of another infers that it failed, tells all others, and sends it nothing more, so that it
//! is missed in its turn.

use super::flows::Flow;
use super::trouble::{Change, Path, Trouble};
use super::{Bits, Cell, MISSING, Rack};

impl Rack {
    /// What works and what does not, from slot `slot` on. Cells on a path that does not are lost. Nodes find out by themselves.
    ///
    /// # Panics
    /// Without [`Rack::set_recovery`].
    pub fn set_paths(&mut self, slot: u64, down: &[bool], path: impl Fn(u16, u16) -> Path) {
        self.now = self.now.max(slot);
        self.unsettle(slot);
        let ends: Vec<(u16, u16)> = self.ordered_pairs().collect();
        let trouble = self.trouble();
        let mut noise = vec![0.0; ends.len()];
        for (pair, &(from, to)) in ends.iter().enumerate() {
            let path = path(from, to);
            trouble.broken[pair] = !path.works || down[usize::from(from)] || down[usize::from(to)];
            noise[pair] = path.bit_errors;
        }
        trouble.spoiled |= noise.iter().any(|rate| *rate > 0.0);
        trouble.noise = if noise.iter().any(|rate| *rate > 0.0) { noise } else { Vec::new() };
        self.lose_what_flies();
        for node in 0..self.nodes as u16 {
            match (self.is_down(node), down[usize::from(node)]) {
                (false, true) => self.fail(node),
                (true, false) => self.come_back(node),
                (false, false) | (true, true) => {}
            }
        }
        self.plan_rejoin();
        self.note_absent();
        self.raise_alert();
    }

    /// Whether both ways between two nodes work.
    fn works(&self, trouble: &Trouble, pair: usize) -> bool {
        !trouble.broken[pair] && !trouble.broken[self.back(pair)]
    }

    /// Slots within which two nodes have found out about each other.
    fn time_to_find_out(&self) -> u64 {
        2 * u64::from(self.schedule.epoch()) + 3 * self.delay
    }

    /// All cells are sent for a while, even empty ones.
    fn raise_alert(&mut self) {
        let until = self.now + self.time_to_find_out();
        if let Some(trouble) = &mut self.trouble {
            trouble.alert_until = until;
        }
    }

    /// Cells that are on a path that is cut do not arrive.
    fn lose_what_flies(&mut self) {
        for place in 0..self.air.len() {
            let mut air = std::mem::take(&mut self.air[place]);
            for flying in &mut air {
                *flying = self.on_the_way(self.pair_to(flying.row, flying.to).0, *flying);
            }
            self.air[place] = air;
        }
    }

    /// A node goes off, and all that it has is lost.
    fn fail(&mut self, node: u16) {
        for flow in self.flows_of(node) {
            self.abort(flow);
        }
        for other in (0..self.nodes as u16).filter(|other| *other != node) {
            let pair = self.pair(node, other);
            for class in 0..self.classes.count {
                let out = self.take_out(pair, class, |_| true);
                out.into_iter().for_each(|cell| self.lose(cell));
            }
            let sent = self.forget_sent(pair, |_| true);
            sent.into_iter().for_each(|cell| self.fear(cell));
            self.forget_answer(pair);
            if let Some(trouble) = &mut self.trouble {
                (trouble.distrust[pair], trouble.standing[pair]) = (false, 0);
            }
        }
        if let Some(trouble) = &mut self.trouble {
            trouble.down[usize::from(node)] = true;
        }
    }

    /// A node goes on again. It sends nothing until all others know.
    fn come_back(&mut self, node: u16) {
        for other in (0..self.nodes as u16).filter(|other| *other != node) {
            let pair = self.pair(node, other);
            if let Some(trouble) = &mut self.trouble {
                trouble.distrust[pair] = true;
                trouble.heard[pair] = trouble.reports[usize::from(other)].len() as u32;
            }
        }
        if let Some(trouble) = &mut self.trouble {
            trouble.down[usize::from(node)] = false;
        }
    }

    /// Those who can hear each other again, and do not know it, are told when everybody has found out about what failed.
    fn plan_rejoin(&mut self) {
        let at = self.now + self.time_to_find_out();
        let Some(trouble) = self.trouble.as_deref() else { return };
        let any = (0..self.pairs).any(|pair| trouble.distrust[pair] && self.works(trouble, pair));
        if any && let Some(trouble) = &mut self.trouble {
            trouble.rejoin_at = at;
        }
    }

    /// Those who can hear each other again send to each other again.
    #[cold]
    pub(super) fn rejoin(&mut self) {
        for pair in 0..self.pairs {
            let Some(trouble) = self.trouble.as_deref() else { return };
            let (from, to) = self.ends(pair);
            let back = self.back(pair);
            let apart = trouble.distrust[pair] || trouble.distrust[back];
            if from > to || !apart || !self.works(trouble, pair) {
                continue;
            }
            for (one, other) in [(from, to), (to, from)] {
                self.abandon(one, other);
            }
            let Some(trouble) = &mut self.trouble else { return };
            for pair in [pair, back] {
                (trouble.distrust[pair], trouble.standing[pair]) = (false, 0);
            }
            let there = [(self.row(from, to) as u16, to), (self.row(to, from) as u16, from)];
            for air in &mut self.air {
                let before = air.len();
                air.retain(|flying| flying.feedback != MISSING || !there.contains(&(flying.row, flying.to)));
                self.flying -= (before - air.len()) as u64;
            }
        }
        if let Some(trouble) = &mut self.trouble {
            trouble.rejoin_at = u64::MAX;
        }
        self.note_absent();
        self.raise_alert();
    }

    /// Since when nobody can reach whom, and so when the schedule is to be changed.
    pub(super) fn note_absent(&mut self) {
        let Some(trouble) = self.trouble.as_deref() else { return };
        let mut reached = vec![false; self.nodes as usize];
        for pair in 0..self.pairs {
            let (from, to) = self.ends(pair);
            if self.works(trouble, pair) && !trouble.distrust[pair] {
                (reached[usize::from(from)], reached[usize::from(to)]) = (true, true);
            }
        }
        let now = self.now;
        let Some(trouble) = &mut self.trouble else { return };
        let Some(after) = trouble.recovery.leave_out_after else { return };
        let mut from = u64::MAX;
        for (node, reached) in (0..).zip(reached) {
            let absent = &mut trouble.absent[node as usize];
            *absent = if reached { None } else { absent.or(Some(now)) };
            match (*absent, self.schedule.includes(node)) {
                (Some(since), true) => from = from.min(since + after),
                (None, false) => from = now,
                (Some(_), false) | (None, true) => {}
            }
        }
        if matches!(trouble.change, Change::From(_)) {
            trouble.change = Change::From(from);
        }
    }

    /// Node `node` has not heard `other` in its turn.
    pub(super) fn infer(&mut self, node: u16, other: u16) {
        let pair = self.pair(node, other);
        let Some(trouble) = &mut self.trouble else { return };
        trouble.distrust[pair] = true;
        let reports = &mut trouble.reports[usize::from(node)];
        reports.push(other);
        trouble.standing[pair] = reports.len() as u32;
        self.sums.inferred += 1;
        self.abandon(node, other);
        for number in self.flows_of(node) {
            self.abort_if_unreachable(number);
        }
        self.raise_alert();
        // A link that was cut for less than an epoch works again by now.
        if self.trouble.as_deref().is_some_and(|trouble| self.works(trouble, pair)) {
            self.plan_rejoin();
        }
    }

    /// A node takes back what of its own it has sent to another and has no answer for, and throws away what it was to pass on to it.
    fn abandon(&mut self, node: u16, other: u16) {
        let pair = self.pair(node, other);
        for cell in self.forget_sent(pair, |cell| cell.source() == node) {
            self.give_back(cell);
        }
        let sent = self.forget_sent(pair, |_| true);
        sent.into_iter().for_each(|cell| self.fear(cell));
        for class in 0..self.classes.count {
            for cell in self.take_out(pair, class, |_| true) {
                if cell.source() == node {
                    self.leave_rack(1);
                    self.give_back(cell);
                } else {
                    self.lose(cell);
                }
            }
        }
        self.forget_answer(pair);
        for word in 0..self.words {
            let mut bits = std::mem::take(self.queues.bits_mut(pair, word));
            while bits.busy != 0 {
                let bit = bits.busy.trailing_zeros();
                bits.busy &= bits.busy - 1;
                let number = self.slots[(usize::from(node) * self.words + word) * 64 + bit as usize];
                let class = usize::from(self.flows[number as usize].class);
                self.backlog[class * self.pairs + pair] -= u16::from(bits.ready >> bit & 1 == 1);
                self.rest(number);
            }
        }
    }

    /// A node has heard what another reports: whom that one cannot reach, and so must get no cells for.
    pub(super) fn hear(&mut self, node: u16, by: u16, pair: usize, news: u16) {
        loop {
            let Some(trouble) = &mut self.trouble else { return };
            let heard = &mut trouble.heard[pair];
            if *heard as u16 == news {
                return;
            }
            let about = trouble.reports[usize::from(by)][*heard as usize];
            *heard += 1;
            let number = *heard;
            let standing = self.pair(by, about);
            if about != node && self.trouble.as_ref().is_some_and(|trouble| trouble.standing[standing] == number) {
                self.avoid(node, by, about);
            }
        }
    }

    /// A node sends no cells for `about` over `by` any more.
    fn avoid(&mut self, node: u16, by: u16, about: u16) {
        let pair = self.pair(node, by);
        for class in 0..self.classes.count {
            let Some(number) = self.flow_of(Cell::new(node, about, class as u8, 0)) else { continue };
            let is_its = |cell: Cell| cell.destination() == about && cell.source() == node;
            let out = self.take_out(pair, class, is_its);
            self.leave_rack(out.len() as u64);
            out.iter().for_each(|cell| self.give_back(*cell));
            let slot = self.flows[number as usize].slot;
            if slot != Flow::NOWHERE {
                let bits = self.queues.bits_mut(pair, usize::from(slot) / 64);
                let bit = 1_u64 << (slot % 64);
                let is_ready = bits.ready & bit != 0;
                // A cell that is on its way is answered yet.
                if is_ready || bits.waiting & bit != 0 || out.iter().any(|cell| cell.is_own(node)) {
                    let Bits { busy, ready, waiting } = *bits;
                    *bits = Bits { busy: busy & !bit, ready: ready & !bit, waiting: waiting & !bit };
                    self.backlog[class * self.pairs + pair] -= u16::from(is_ready);
                    self.rest(number);
                }
            }
            if let Some(number) = self.flow_of(Cell::new(node, about, class as u8, 0)) {
                self.abort_if_unreachable(number);
            }
        }
    }

    /// A flow that has no path left is given up.
    fn abort_if_unreachable(&mut self, number: u32) {
        let flow = &self.flows[number as usize];
        if !self.has_way(flow.source, flow.destination) {
            self.abort(number);
        }
    }

    /// A node's own flows.
    fn flows_of(&self, node: u16) -> Vec<u32> {
        let others = (0..self.nodes as u16).filter(|other| *other != node);
        let cells =
            others.flat_map(|other| (0..self.classes.count as u8).map(move |class| Cell::new(node, other, class, 0)));
        cells.filter_map(|cell| self.flow_of(cell)).collect()
    }
}
