//! Nodes compute the rates of their flows.

use crate::config::Knowledge;
use crate::filling::{Filling, Member};
use crate::flows::{Flow, Phase};
use crate::network::R2c2;
use engine::{Event, EventQueue, Rank};
use fabric::{Observer, kind};
use std::collections::BTreeMap;
use std::ops::Range;
use units::Time;

/// Working space, kept from one computation to the next.
#[derive(Debug, Default)]
pub(crate) struct Work {
    filling: Filling,
    /// By flow's place: where the links are that it crosses. Found once for all views.
    crosses: Vec<[Range<u32>; 2]>,
    members: Vec<Member>,
    left: Vec<f64>,
    levels: Vec<f64>,
    /// By flow of a view: its rate.
    rates: Vec<f64>,
}

impl<O: Observer> R2c2<O> {
    /// The clock runs while there are flows.
    pub(crate) fn start_clock(&mut self, now: Time, queue: &mut EventQueue) {
        if !self.ticking {
            self.ticking = true;
            let interval = self.config.interval.as_ps();
            let at = Time::from_ps((now.as_ps() / interval + 1) * interval);
            queue.push(Event { at, rank: Rank::new(kind::TICK, 0), slot: 0 });
        }
    }

    /// Every interval: what has not been heard of for long is forgotten, what goes on for long is announced again, and rates are computed.
    pub(crate) fn tick(&mut self, now: Time, queue: &mut EventQueue) {
        self.ticking = false;
        while let Some(&(_, place)) = self.stale.front().filter(|(due, _)| *due <= now) {
            self.stale.pop_front();
            self.forget(place);
        }
        for place in 0..self.flows.places() {
            let Flow { phase, announced, .. } = self.flows[place];
            if phase == Phase::Going && announced + self.config.refresh <= now {
                self.announce(now, place, true, queue);
            }
        }
        let flows = self.in_order();
        self.find_crossings(&flows);
        match self.config.knowledge {
            Knowledge::Common => {
                let view: Vec<u32> = flows.into_iter().filter(|place| self.flows[*place].is_common()).collect();
                self.sums.most_views = self.sums.most_views.max(1);
                self.compute(now, &view, |_| true);
            }
            Knowledge::EachNode => self.compute_each(now, &flows),
        }
        for host in 0..self.hosts {
            self.serve(now, host, queue);
        }
        if self.going > 0 {
            self.start_clock(now, queue);
        }
    }

    /// All flows that somebody may know of, those alike in priority, source and destination together.
    fn in_order(&self) -> Vec<u32> {
        let is_known = |place: &u32| self.flows[*place].phase != Phase::Free;
        let mut flows: Vec<u32> = (0..self.flows.places()).filter(is_known).collect();
        let key = |place: &u32| {
            let Flow { priority, src, dst, .. } = self.flows[*place];
            (priority, src, dst, *place)
        };
        flows.sort_unstable_by_key(key);
        flows
    }

    fn same_pair(&self, one: u32, other: u32) -> bool {
        let [one, other] = [one, other].map(|place| [self.flows[place].src, self.flows[place].dst]);
        one == other
    }

    fn find_crossings(&mut self, flows: &[u32]) {
        let mut crosses = std::mem::take(&mut self.work.crosses);
        crosses.resize(self.flows.places() as usize, [0..0, 0..0]);
        let mut crossings = self.crossings.borrow_mut();
        crossings.make_room();
        for group in flows.chunk_by(|one, other| self.same_pair(*one, *other)) {
            let Flow { src, dst, .. } = self.flows[group[0]];
            let parts = crossings.of(&self.rig, src, dst);
            group.iter().for_each(|place| crosses[*place as usize] = parts.clone());
        }
        drop(crossings);
        self.work.crosses = crosses;
    }

    /// Each node from what it knows; once for all nodes that know the same.
    fn compute_each(&mut self, now: Time, flows: &[u32]) {
        let mut sends = vec![false; self.rig.topology.switches() as usize];
        for place in flows.iter().filter(|place| self.flows[**place].phase == Phase::Going) {
            sends[self.rig.number(self.rig.switch[self.flows[*place].src as usize])] = true;
        }
        let mut views: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for node in (0..sends.len()).filter(|node| sends[*node]) {
            let view = flows.iter().copied().filter(|place| self.known.knows(*place, node)).collect();
            views.entry(view).or_default().push(node);
        }
        self.sums.most_views = self.sums.most_views.max(views.len() as u64);
        for (view, nodes) in views {
            if self.control.is_stopped() {
                return;
            }
            let mut is_one = vec![false; sends.len()];
            nodes.iter().for_each(|node| is_one[*node] = true);
            self.compute(now, &view, |node| is_one[node]);
        }
    }

    /// Rates of these flows, which are in order; those of flows of the nodes chosen are set.
    fn compute(&mut self, now: Time, view: &[u32], is_chosen: impl Fn(usize) -> bool) {
        self.sums.fillings += 1;
        let mut work = std::mem::take(&mut self.work);
        let crossings = self.crossings.borrow();
        work.left.clear();
        let free = 1.0 - self.config.headroom;
        work.left.extend(self.wires.iter().map(|wire| wire.rate.as_bps() as f64 * free));
        work.rates.clear();
        // Strict priority: what one class leaves the next one shares.
        for class in view.chunk_by(|one, other| self.flows[*one].priority == self.flows[*other].priority) {
            work.members.clear();
            for group in class.chunk_by(|one, other| self.same_pair(*one, *other)) {
                let parts = work.crosses[group[0] as usize].clone();
                work.members.push(Member { flows: group.len() as f64, parts });
            }
            work.filling.fill(&mut work.left, &crossings.parts, &work.members, &mut work.levels);
            let groups = class.chunk_by(|one, other| self.same_pair(*one, *other));
            for (group, level) in groups.zip(&work.levels) {
                work.rates.extend(group.iter().map(|_| *level));
            }
        }
        drop(crossings);
        for (place, rate) in view.iter().zip(&work.rates) {
            let Flow { phase, src, .. } = self.flows[*place];
            if phase == Phase::Going && is_chosen(self.rig.number(self.rig.switch[src as usize])) {
                self.flows[*place].has_rate = true;
                self.set_rate(now, *place, *rate);
            }
        }
        self.work = work;
    }
}
