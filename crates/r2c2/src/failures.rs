//! Links and nodes that break and are repaired.
//!
//! What is on a dead link is lost, and what waits for it. Nodes go on sending to it until they know, `convergence` later. Then they have new
//! paths and trees, and announce all their flows again, so that what was lost with the old trees is known (the paper has it so, from memory).

use crate::crossings::Crossings;
use crate::flows::Phase;
use crate::hops::Fate;
use crate::network::R2c2;
use engine::{Event, EventQueue, Rank};
use fabric::{Fault, Health, Observer, kind};
use std::collections::VecDeque;
use std::sync::Arc;
use topology::{LinkId, NodeId, Routes};
use units::Time;

/// What has happened to a rack.
#[derive(Debug)]
pub(crate) struct Failures {
    actual: Health,
    known: Health,
    /// What nodes do not know yet, and when they will.
    news: VecDeque<(Time, Fault)>,
    /// Whether something ever broke.
    pub any: bool,
}

impl Failures {
    pub(crate) fn new(links: usize, nodes: u32) -> Failures {
        let health = Health::whole(links, nodes as usize);
        Failures { actual: health.clone(), known: health, news: VecDeque::new(), any: false }
    }

    /// Whether a host works.
    pub(crate) fn is_up(&self, host: u32) -> bool {
        self.actual.nodes[host as usize]
    }
}

impl<O: Observer> R2c2<O> {
    /// Something breaks or is repaired.
    pub(crate) fn strike(&mut self, now: Time, fault: Fault, queue: &mut EventQueue) {
        self.failures.any = true;
        let was_up = |node: u32| self.failures.actual.nodes[node as usize];
        let stops = matches!(fault, Fault::Node { node, up: false } if was_up(node));
        self.failures.actual.apply(fault);
        let links: Vec<u32> = match fault {
            Fault::BitErrors { link, rate } => {
                self.wires[link as usize].bit_errors = rate;
                return;
            }
            Fault::Link { link, .. } => vec![link],
            Fault::Node { node, .. } => {
                let ports = self.rig.topology.ports(NodeId(node));
                ports.flat_map(|link| [link, self.rig.topology.reverse(LinkId(link)).0]).collect()
            }
        };
        for link in links {
            let carries = self.carries(&self.failures.actual, link);
            let wire = &mut self.wires[link as usize];
            let died = std::mem::replace(&mut wire.carries, carries) && !carries;
            let lost = if died { wire.die(now) } else { VecDeque::new() };
            for (_, packet) in lost {
                self.give_up(now, link, packet, Fate::Broken, queue);
            }
        }
        if let Fault::Node { node, up } = fault {
            if node >= self.hosts {
                if stops {
                    self.known.lose(self.rig.number(node));
                }
            } else if stops {
                self.stop_host(now, node, queue);
            } else if up && std::mem::take(&mut self.sources[node as usize].is_called) {
                queue.push(Event { at: now, rank: Rank::new(kind::READY, node), slot: 0 });
            }
        }
        let due = now + self.config.convergence;
        if self.failures.news.back().is_none_or(|(last, _)| *last < due) {
            queue.push(Event { at: due, rank: Rank::new(kind::DEADLINE, 0), slot: 0 });
        }
        self.failures.news.push_back((due, fault));
    }

    fn carries(&self, health: &Health, link: u32) -> bool {
        let wire = &self.wires[link as usize];
        health.carries(link, wire.from, wire.to)
    }

    /// Nodes learn what happened a convergence ago.
    pub(crate) fn converge(&mut self, now: Time, queue: &mut EventQueue) {
        while let Some((_, fault)) = self.failures.news.front().copied().filter(|(due, _)| *due <= now) {
            self.failures.known.apply(fault);
            self.failures.news.pop_front();
        }
        let links = self.wires.len() as u32;
        self.works = (0..links).map(|link| self.carries(&self.failures.known, link)).collect();
        let routes = Routes::over_what_works(&self.rig.topology, &self.works).expect("tables grow little with faults");
        self.routes = Arc::new(routes);
        let crossings = Crossings::new(&self.rig, Arc::clone(&self.routes), self.config.routing);
        let old = self.crossings.replace(crossings);
        self.whole.get_or_insert(old.into());
        self.trees.forget();
        self.sums.reroutes += 1;
        for place in 0..self.flows.places() {
            if self.flows[place].phase == Phase::Going {
                self.announce(now, place, true, queue);
            }
        }
    }
}
