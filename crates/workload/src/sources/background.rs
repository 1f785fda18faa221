//! Flows that are always there.

use super::{delay, size};
use crate::hosts::other;
use crate::setting::Chance;
use crate::sizes::Sizes;
use crate::source::{Due, Source, Start, Wait};
use engine::looking;
use units::{Span, Time};

/// So many flows from each host to random others; where one ends, the next begins.
pub(crate) struct BackgroundSource {
    senders: Vec<u32>,
    /// Flows a host keeps going.
    each: u64,
    size: Option<Sizes>,
    hosts: u32,
    chance: Chance,
    due: Due,
}

impl BackgroundSource {
    pub(crate) fn new(
        senders: Vec<u32>,
        each: u32,
        size: Option<Sizes>,
        start: Time,
        jitter: Span,
        hosts: u32,
        chance: Chance,
    ) -> BackgroundSource {
        let mut source = BackgroundSource { senders, each: u64::from(each), size, hosts, chance, due: Due::default() };
        for order in looking(0..source.slots()) {
            source.push(order, start + delay(&source.chance, jitter, order));
        }
        source
    }

    /// Flows that are there at any time: the `order`-th flow takes slot `order` % slots.
    fn slots(&self) -> u64 {
        self.senders.len() as u64 * self.each
    }

    fn push(&mut self, order: u64, at: Time) {
        let src = self.senders[(order % self.slots() / self.each) as usize];
        let dst = other(src, self.hosts, &mut self.chance.stream("destination", order));
        let bytes = size(&self.chance, self.size.as_ref(), order);
        self.due.push(Start { at, order, src, dst, bytes, watched: self.size.is_some(), round: None });
    }
}

impl Source for BackgroundSource {
    fn next_start(&self) -> Option<Time> {
        self.due.next_start()
    }
    fn start_next(&mut self) -> Option<Start> {
        self.due.pop()
    }
    fn finish(&mut self, order: u64, now: Time) {
        self.push(order + self.slots(), now);
    }
    fn waiting(&self, in_flight: &[u64]) -> Vec<Wait> {
        let next = |order: &u64| {
            let src = self.senders[(order % self.slots() / self.each) as usize];
            Wait { what: format!("the next flow of host {src}"), on: vec![*order] }
        };
        in_flight.iter().map(next).collect()
    }
    fn held(&self) -> usize {
        self.due.len()
    }
}
