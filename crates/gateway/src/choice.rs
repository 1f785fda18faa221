//! Which gateway a packet takes.

use crate::config::{Config, Spreading};
use crate::places::Places;
use engine::{Seed, Stream, mix};
use fabric::{Fault, Frame};
use std::collections::{BTreeSet, VecDeque};
use units::Time;

/// What hosts know of gateways.
#[derive(Debug)]
pub(crate) struct Choice {
    spreading: Spreading,
    /// Gateways that work, as far as hosts know; all of them, if none does.
    known: Vec<u32>,
    /// By gateway: whether hosts know it to work.
    works: Vec<bool>,
    /// By gateway: what it needs that is broken: links, then nodes.
    broken: Vec<BTreeSet<(bool, u32)>>,
    /// Gateways that have failed or been repaired, and when hosts will know.
    news: VecDeque<(Time, u32, bool)>,
    stream: Stream,
    salt: u64,
}

impl Choice {
    pub(crate) fn new(config: &Config, gateways: u32, seed: Seed) -> Choice {
        Choice {
            spreading: config.spreading,
            known: (0..gateways).collect(),
            works: vec![true; gateways as usize],
            broken: vec![BTreeSet::new(); gateways as usize],
            news: VecDeque::new(),
            stream: seed.stream("gateway.chance", 0),
            salt: seed.stream("gateway.hash", 0).bits(),
        }
    }

    /// The gateway that a frame takes.
    pub(crate) fn gateway(&mut self, frame: &Frame) -> u32 {
        match self.spreading {
            Spreading::Packet => self.known[self.stream.below(self.known.len() as u64) as usize],
            // The highest of one hash for each: when one fails, only its own flows take another (Thaler and Ravishankar, 1998).
            Spreading::Flow => {
                let hash = |gateway: &u32| mix(self.salt ^ (u64::from(frame.entropy) << 32) ^ u64::from(*gateway));
                self.known.iter().copied().max_by_key(hash).unwrap_or(0)
            }
        }
    }

    /// Something breaks or is repaired. When hosts will know of it, if it matters to a gateway and nothing else is learnt then.
    pub(crate) fn strike(&mut self, now: Time, fault: Fault, places: &Places, config: &Config) -> Option<Time> {
        let (part, up) = match fault {
            Fault::Link { link, up } => ((false, link), up),
            Fault::Node { node, up } => ((true, node), up),
            Fault::BitErrors { .. } => return None,
        };
        let due = now + config.failover;
        let mut told = None;
        for ((gateway, broken), needed) in (0..).zip(&mut self.broken).zip(&places.needed) {
            let of_it = if part.0 { needed.nodes.contains(&part.1) } else { needed.links.contains(&part.1) };
            if !of_it {
                continue;
            }
            let worked = broken.is_empty();
            if up {
                broken.remove(&part);
            } else {
                broken.insert(part);
            }
            if worked != broken.is_empty() {
                if self.news.back().is_none_or(|(last, ..)| *last < due) {
                    told = Some(due);
                }
                self.news.push_back((due, gateway, !worked));
            }
        }
        told
    }

    /// Hosts learn what happened so long ago.
    pub(crate) fn learn(&mut self, now: Time) {
        while let Some((_, gateway, works)) = self.news.front().copied().filter(|(due, ..)| *due <= now) {
            self.news.pop_front();
            self.works[gateway as usize] = works;
        }
        let working = (0..).zip(&self.works).filter(|(_, works)| **works).map(|(gateway, _)| gateway);
        self.known = working.collect();
        if self.known.is_empty() {
            self.known = (0..self.works.len() as u32).collect();
        }
    }
}
