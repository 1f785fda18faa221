//! Which gateway a packet takes.

use crate::config::{Config, Spreading};
use crate::places::Places;
use engine::{Seed, Stream, mix};
use fabric::{Fault, Frame};
use std::cmp::Reverse;
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use topology::{NodeId, Topology};
use units::Time;

/// What hosts know of gateways.
#[derive(Debug)]
pub(crate) struct Choice {
    spreading: Spreading,
    /// By gateway and by host of the rack: links between the two, if it matters.
    distances: Vec<Vec<u16>>,
    /// Gateways that work, as far as hosts know; all of them, if none does.
    known: Vec<u32>,
    /// By gateway: whether hosts know it to work.
    works: Vec<bool>,
    /// By gateway: what of its cables and what they lead to is broken: links, then nodes.
    broken: Vec<BTreeSet<(bool, u32)>>,
    /// Gateways that have failed or been repaired, and when hosts will know.
    news: VecDeque<(Time, u32, bool)>,
    stream: Stream,
    salt: u64,
}

impl Choice {
    /// On a rack by itself, whose gateways have these numbers among its nodes.
    pub(crate) fn new(config: &Config, rack: &Topology, gateways: Range<u32>, seed: Seed) -> Choice {
        let spreading = config.spreading();
        let distances = match spreading {
            Spreading::Host => gateways.clone().map(|gateway| rack.hops_from(NodeId(gateway))).collect(),
            Spreading::Flow | Spreading::Packet => Vec::new(),
        };
        let gateways = gateways.len() as u32;
        Choice {
            spreading,
            distances,
            known: (0..gateways).collect(),
            works: vec![true; gateways as usize],
            broken: vec![BTreeSet::new(); gateways as usize],
            news: VecDeque::new(),
            stream: seed.stream("gateway.chance", 0),
            salt: seed.stream("gateway.hash", 0).bits(),
        }
    }

    /// The gateway of a frame, whose other end in the rack is this host.
    pub(crate) fn gateway(&mut self, of_rack: u32, frame: &Frame) -> u32 {
        // The highest of one hash for each: when one fails, only its own flows or hosts take another (Thaler and Ravishankar, 1998).
        let hash = |whose: u32, gateway: u32| mix(self.salt ^ (u64::from(whose) << 32) ^ u64::from(gateway));
        let known = || self.known.iter().copied();
        let chosen = match self.spreading {
            Spreading::Packet => return self.known[self.stream.below(self.known.len() as u64) as usize],
            Spreading::Flow => known().max_by_key(|gateway| hash(frame.entropy, *gateway)),
            Spreading::Host => {
                let distance = |gateway: u32| self.distances[gateway as usize][of_rack as usize];
                known().max_by_key(|gateway| (Reverse(distance(*gateway)), hash(of_rack, *gateway)))
            }
        };
        chosen.unwrap_or(0)
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
            if !needed.has(part) {
                continue;
            }
            let worked = needed.works(broken);
            if up {
                broken.remove(&part);
            } else {
                broken.insert(part);
            }
            if worked != needed.works(broken) {
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
