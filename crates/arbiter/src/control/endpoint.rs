//! A host's half of the protocol: what it wants, what it has been given.

use super::{Allocation, Request};
use crate::allocation::LARGEST_BATCH;
use crate::pod::Path;
use crate::slot::Slot;

/// Counts what a host wants and gets, and holds its allocations for slots to come. What to send in a slot's packets, and what without an
/// allocation (§3.3), is the host's business.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Endpoint {
    host: u16,
    now: Slot,
    /// For each destination, slots wanted and given.
    counts: Vec<(u64, u64)>,
    /// Of slots to come and the present one, at most 65, in the order in which they came.
    held: Vec<(Slot, u16, Path)>,
}

/// What became of an allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Taken {
    /// It is held.
    Held,
    /// It was held already.
    Again,
    /// Its slot is past, or further ahead than an arbiter may go.
    OutOfReach,
    /// The host has another allocation for that slot, or is not the source: whoever sent it is no arbiter of this pod.
    Contradiction,
}

impl Endpoint {
    /// A host that wants nothing, in a pod of this many hosts.
    pub fn new(host: u16, hosts: u16, now: Slot) -> Endpoint {
        Endpoint { host, now, counts: vec![(0, 0); hosts.into()], held: Vec::new() }
    }

    /// The host wants to send more slots' worth of packets.
    ///
    /// # Panics
    /// If the destination is not of the pod.
    pub fn want(&mut self, destination: u16, slots: u64) {
        self.counts[usize::from(destination)].0 += slots;
    }

    /// It is this slot now: where the host sends in it, and how, if it has been given it. An earlier slot than before, and the same, do nothing.
    pub fn advance(&mut self, now: Slot) -> Option<(u16, Path)> {
        if now <= self.now {
            return None;
        }
        self.now = now;
        self.held.retain(|(slot, ..)| *slot >= now);
        self.held.iter().find(|(slot, ..)| *slot == now).map(|&(_, destination, path)| (destination, path))
    }

    /// An allocation has come.
    pub fn handle(&mut self, allocation: Allocation) -> Taken {
        let Allocation { slot, source, destination, path, .. } = allocation;
        if source != self.host || usize::from(destination) >= self.counts.len() {
            return Taken::Contradiction;
        }
        if slot <= self.now || slot.since(self.now) > u64::from(LARGEST_BATCH) {
            return Taken::OutOfReach;
        }
        match self.held.iter().find(|(held, ..)| *held == slot) {
            Some(&held) if held == (slot, destination, path) => Taken::Again,
            Some(_) => Taken::Contradiction,
            None => {
                self.held.push((slot, destination, path));
                self.counts[usize::from(destination)].1 += 1;
                Taken::Held
            }
        }
    }

    /// What to tell the arbiters: a request for each destination for which something is missing. O(hosts).
    pub fn requests(&self) -> impl Iterator<Item = Request> + '_ {
        let missing = (0..).zip(&self.counts).filter(|(_, (requested, granted))| requested > granted);
        missing.map(|(destination, _)| self.request(destination))
    }

    /// What to tell the arbiters of one destination, whether something is missing or not.
    ///
    /// # Panics
    /// If the destination is not of the pod.
    pub fn request(&self, destination: u16) -> Request {
        let held = self.held().fold(0, |map, (slot, ..)| map | 1 << (slot.since(self.now) - 1));
        let (requested, granted) = self.counts(destination);
        Request { source: self.host, destination, slot: self.now, held, requested, granted }
    }

    /// Slots wanted and given, in all, for a destination.
    pub fn counts(&self, destination: u16) -> (u64, u64) {
        self.counts[usize::from(destination)]
    }

    /// Its allocations for slots to come, in no order.
    pub fn held(&self) -> impl Iterator<Item = (Slot, u16, Path)> + '_ {
        self.held.iter().filter(|(slot, ..)| *slot > self.now).copied()
    }

    /// Its slot.
    pub fn now(&self) -> Slot {
        self.now
    }
}
