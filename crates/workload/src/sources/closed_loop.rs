//! Each host works through a list of flows of its own, so many at a time.

use super::{delay, size};
use crate::destinations::Destinations;
use crate::group::ClosedLoop;
use crate::setting::Chance;
use crate::sizes::Sizes;
use crate::source::{Due, Source, Start, Wait};
use engine::looking;
use units::{Span, Time};

/// "Six flows per SoC concurrently, operating as a closed loop per SoC, so when one flow finishes the next is started on the SoC"
/// (XFabric §6.5).
pub(crate) struct ClosedLoopSource {
    destinations: Destinations,
    size: Sizes,
    repeat: u64,
    chance: Chance,
    /// By host: how many flows it has in all, and how many of them have become due.
    hosts: Vec<(u64, u64)>,
    due: Due,
}

impl ClosedLoopSource {
    pub(crate) fn new(
        kind: &ClosedLoop,
        to: Destinations,
        hosts: u32,
        start: Time,
        jitter: Span,
        chance: Chance,
    ) -> Self {
        let flows = match kind.flows {
            Some(flows) => to.deal(flows),
            None => (0..hosts).map(|host| if to.sends(host) { u64::MAX } else { 0 }).collect(),
        };
        let mut source = ClosedLoopSource {
            destinations: to,
            size: kind.size.clone(),
            repeat: u64::from(kind.repeat),
            chance,
            hosts: flows.into_iter().map(|flows| (flows, 0)).collect(),
            due: Due::default(),
        };
        for host in 0..hosts {
            let at = start + delay(&source.chance, jitter, u64::from(host));
            // No more than it has: a list of a few flows may be worked through by any number at a time.
            let first = u64::from(kind.flows_per_host).min(source.hosts[host as usize].0);
            looking(0..first).for_each(|_| source.push(host, at));
        }
        source
    }

    /// The next flow of a host's list becomes due.
    fn push(&mut self, host: u32, at: Time) {
        let all = self.hosts.len() as u64;
        let (flows, next) = &mut self.hosts[host as usize];
        if *next == *flows {
            return;
        }
        let index = *next;
        *next += 1;
        let watched = *next < *flows;
        let place = |index: u64| index * all + u64::from(host);
        let order = place(index);
        let dst = self.destinations.pick(host, &mut self.chance.stream("destination", place(index / self.repeat)));
        let bytes = size(&self.chance, Some(&self.size), order);
        self.due.push(Start { at, order, src: host, dst, bytes, watched, round: None });
    }
}

impl Source for ClosedLoopSource {
    fn next_start(&self) -> Option<Time> {
        self.due.next_start()
    }
    fn start_next(&mut self) -> Option<Start> {
        self.due.pop()
    }
    fn finish(&mut self, order: u64, now: Time) {
        self.push((order % self.hosts.len() as u64) as u32, now);
    }
    fn waiting(&self, in_flight: &[u64]) -> Vec<Wait> {
        let all = self.hosts.len() as u64;
        let waits = |(host, (flows, next)): (u64, &(u64, u64))| {
            let on: Vec<u64> = in_flight.iter().copied().filter(|order| order % all == host).collect();
            (next < flows && !on.is_empty()).then(|| Wait { what: format!("the next flow of host {host}"), on })
        };
        (0..).zip(&self.hosts).filter_map(waits).collect()
    }
    fn held(&self) -> usize {
        self.due.len()
    }
}
