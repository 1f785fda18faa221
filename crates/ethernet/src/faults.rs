//! What becomes of the fabric when parts of it break and are repaired.
//!
//! A link is dead if it is broken or a node at one of its ends is. Whatever is on it then is lost, and what waits for it.
//! Switches go on sending to it, and lose that too, until their routes have changed, `convergence` later: until then they know
//! the fabric as it was that long ago. On the way of a frame all this costs one look at whether anything ever broke: a dead
//! link has a class of ports of its own, without room.

use crate::discipline::Discipline;
use crate::network::{Ethernet, NO_WAYS};
use crate::switch::Wire;
use engine::{Event, EventQueue, Rank};
use fabric::{Counter, Fault, Frame, Health, Inside, Network, Observer, Seen, What, kind};
use std::collections::VecDeque;
use std::sync::Arc;
use topology::Routes;
use units::Time;

/// Frames that faults took, since the measurement began, and what routes did about it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Losses {
    /// On a dead link or before it.
    pub broken: u64,
    /// With no path left to their host.
    pub unreachable: u64,
    /// With a wrong bit.
    pub bit_errors: u64,
    /// Times that all switches changed their routes.
    pub reroutes: u64,
    /// Not lost: cut down to their headers for want of room, those included that were sent back.
    pub trimmed: u64,
    /// Not lost: headers that were sent back to their sources.
    pub returned: u64,
}

/// What has happened to a fabric.
#[derive(Debug)]
pub(crate) struct Faults {
    /// As it is.
    actual: Health,
    /// As the routes have it.
    known: Health,
    /// What the routes do not have yet, and when they will.
    news: VecDeque<(Time, Fault)>,
    /// Routes as long as everything worked: what slowdown is measured against. `None`: the routes have not changed.
    whole: Option<Arc<Routes>>,
    /// The class of each link while nothing is wrong with it.
    sound: Vec<u32>,
    /// By link.
    bit_errors: Vec<f64>,
    /// Hosts that are down and asked to be called.
    called: Vec<u32>,
}

impl<D: Discipline, O: Observer> Ethernet<D, O> {
    fn unharmed(&self) -> Faults {
        let (links, nodes) = (self.wires.len(), self.topology.nodes() as usize);
        let health = Health::whole(links, nodes);
        Faults {
            actual: health.clone(),
            known: health,
            news: VecDeque::new(),
            whole: None,
            sound: self.wires.iter().map(|wire| wire.class).collect(),
            bit_errors: vec![0.0; links],
            called: Vec::new(),
        }
    }

    /// Something breaks or is repaired.
    pub(crate) fn strike(&mut self, now: Time, fault: Fault, queue: &mut EventQueue) {
        let mut faults = self.faults.take().unwrap_or_else(|| Box::new(self.unharmed()));
        let links: Vec<u32> = match fault {
            Fault::Link { link, .. } | Fault::BitErrors { link, .. } => vec![link],
            Fault::Node { node, .. } => {
                self.uplinks(node).flat_map(|link| [link, self.wires[link as usize].back]).collect()
            }
        };
        links.iter().for_each(|link| self.settle_through(now, *link, queue));
        let carried: Vec<bool> = links.iter().map(|link| self.carries(&faults.actual, *link)).collect();
        faults.actual.apply(fault);
        if let Fault::BitErrors { link, rate } = fault {
            faults.bit_errors[link as usize] = rate;
        }
        let died = |(link, carried): (&u32, &bool)| (*carried && !self.carries(&faults.actual, *link)).then_some(*link);
        let dead: Vec<u32> = links.iter().zip(&carried).filter_map(died).collect();
        self.lose_what_is_on(now, &dead);
        for link in &links {
            self.choose_class(&faults, *link);
            // Whether it asks for what waits may have changed, and what it is sending may arrive nowhere.
            if D::KEEPS && !D::PAUSES && self.ports.free_at(*link) > now {
                self.ask(now, *link, queue);
            }
        }
        if D::PAUSES {
            let faults = &faults;
            let works: Vec<u32> = links.iter().copied().filter(|link| self.carries(&faults.actual, *link)).collect();
            self.tell_of_change(now, fault, &works, queue);
        }
        if let Fault::Node { node, up: true } = fault {
            // Only hosts ever ask.
            let calls = faults.called.iter().filter(|host| **host == node);
            calls.for_each(|host| queue.push(Event { at: now, rank: Rank::new(kind::READY, *host), slot: 0 }));
            faults.called.retain(|host| *host != node);
        }
        if !matches!(fault, Fault::BitErrors { .. }) {
            let due = now + self.config.convergence;
            if faults.news.back().is_none_or(|(last, _)| *last < due) {
                queue.push(Event { at: due, rank: Rank::new(kind::DEADLINE, 0), slot: 0 });
            }
            faults.news.push_back((due, fault));
        }
        self.faults = Some(faults);
    }

    fn carries(&self, health: &Health, link: u32) -> bool {
        let Wire { from, to, .. } = self.wires[link as usize];
        health.carries(link, from, to)
    }

    /// Gives a link the class that it has in its present state.
    fn choose_class(&mut self, faults: &Faults, link: u32) {
        let sound = self.classes[faults.sound[link as usize] as usize];
        let mut class = sound.with_bit_errors(faults.bit_errors[link as usize]);
        if !self.carries(&faults.actual, link) {
            class = class.dead(self.is_interface(link));
        }
        let known = self.classes.iter().position(|other| *other == class);
        let place = known.unwrap_or_else(|| {
            self.classes.push(class);
            self.classes.len() - 1
        });
        self.wires[link as usize].class = place as u32;
    }

    /// These links have just died, with all that is on them or waits for them.
    fn lose_what_is_on(&mut self, now: Time, dead: &[u32]) {
        if dead.is_empty() {
            return;
        }
        let mut on = vec![false; self.wires.len()];
        dead.iter().for_each(|link| on[*link as usize] = true);
        if O::ACTIVE {
            for Inside { frame, link } in self.frames_inside().iter().filter(|inside| on[inside.link as usize]) {
                self.observer.see(now, Seen::Frame { frame, link: *link, what: What::Lost });
            }
        }
        let lost = self.on_links.lose(&on);
        self.totals.lost += lost.len() as u64;
        self.losses.broken += lost.len() as u64;
        for link in lost {
            self.counters_mut(link).lost += 1;
            #[cfg(debug_assertions)]
            {
                self.ledger[link as usize][2] += 1;
            }
        }
        for link in dead.iter().copied() {
            let (rate, wait) = (self.class(link).rate, self.wait(now, link));
            self.counters_mut(link).abandon(rate, wait);
            let waited = if self.is_simple(link) { self.interfaces.flush(link) } else { self.ports.flush(link) };
            self.counters_mut(link).lost += waited;
            self.held -= waited;
            self.totals.lost += waited;
            self.losses.broken += waited;
            self.asking[link as usize] = Time::MAX;
        }
        self.totals.held = self.frames_inside().iter().map(|inside| u64::from(inside.frame.len)).sum();
    }

    /// Routes learn what happened a convergence ago.
    pub(crate) fn converge(&mut self, now: Time) {
        let Some(faults) =
            self.faults.as_mut().filter(|faults| faults.news.front().is_some_and(|(due, _)| *due <= now))
        else {
            return;
        };
        while let Some((_, fault)) = faults.news.front().filter(|(due, _)| *due <= now) {
            faults.known.apply(*fault);
            faults.news.pop_front();
        }
        let known = (0..).zip(&self.wires).map(|(link, wire)| faults.known.carries(link, wire.from, wire.to));
        let works: Vec<bool> = known.collect();
        let routes = Routes::over_what_works(&self.topology, &works).expect("tables grow little with faults");
        let old = std::mem::replace(&mut self.routes, Arc::new(routes));
        self.ways = NO_WAYS;
        faults.whole.get_or_insert(old);
        self.losses.reroutes += 1;
    }

    /// Routes of the fabric when nothing is broken.
    pub(crate) fn whole_routes(&self) -> &Routes {
        self.faults.as_ref().and_then(|faults| faults.whole.as_deref()).unwrap_or(&self.routes)
    }

    /// Whether a host is broken.
    #[inline]
    pub(crate) fn is_down(&self, host: u32) -> bool {
        self.faults.as_ref().is_some_and(|faults| !faults.actual.nodes[host as usize])
    }

    /// Call this host, which is down, when it is up.
    pub(crate) fn call_when_up(&mut self, host: u32) {
        if let Some(faults) = self.faults.as_mut().filter(|faults| !faults.called.contains(&host)) {
            faults.called.push(host);
        }
    }

    /// A host sends to one that no path leads to. Its interface takes its time over it all the same: a host that does not wait
    /// for answers would else send everything at once.
    #[cold]
    pub(crate) fn send_nowhere(&mut self, now: Time, mut frame: Frame) {
        let link = self.uplinks(frame.src).start;
        let class = *self.class(link);
        self.waste(now, link, &mut frame, &class);
        self.counters_mut(link).lost += 1;
        self.totals.lose(frame.len);
        self.losses.unreachable += 1;
        self.observer.see(now, Seen::Frame { frame: &frame, link, what: What::Lost });
    }

    /// What is counted of faults, once there was one.
    pub(crate) fn fault_counters(&self) -> Vec<Counter> {
        let Losses { broken, unreachable, bit_errors, reroutes, trimmed, returned } = self.losses;
        let counter = |name, unit, value: u64| Counter { name, unit, value: value as f64 };
        let mut counters = Vec::new();
        if self.config.trimming.is_some() {
            counters.push(counter("trimmed to headers", "frames", trimmed));
            counters.push(counter("headers sent back", "frames", returned));
        }
        if self.faults.is_none() {
            return counters;
        }
        counters.extend([
            counter("lost on dead links", "frames", broken),
            counter("lost for want of a path", "frames", unreachable),
            counter("lost to bit errors", "frames", bit_errors),
            counter("changes of all routes", "times", reroutes),
        ]);
        counters
    }
}
