//! Whether any two allocations use a link in one slot.

use arbiter::{Link, Path, Pod, Slot, Transfer};
use std::collections::{BTreeMap, BTreeSet};

/// The links of each slot's allocations, of slots that can still be given.
#[derive(Debug)]
pub(super) struct Collisions {
    pod: Pod,
    slots: BTreeMap<Slot, BTreeSet<Link>>,
    found: u64,
    /// The last slot that was forgotten and had an allocation.
    latest: Option<Slot>,
    longest_gap: u64,
}

impl Collisions {
    /// For a pod.
    pub(super) fn new(pod: Pod) -> Collisions {
        Collisions { pod, slots: BTreeMap::new(), found: 0, latest: None, longest_gap: 0 }
    }

    /// A host has been given a slot.
    pub(super) fn add(&mut self, slot: Slot, transfer: Transfer, path: Path) {
        let links = self.slots.entry(slot).or_default();
        let is_shared = self.pod.links(transfer, path).filter(|link| !links.insert(*link)).count() > 0;
        self.found += u64::from(is_shared);
    }

    /// No more slots before this one are given to anybody.
    pub(super) fn forget_before(&mut self, slot: Slot) {
        while let Some(first) = self.slots.first_entry().filter(|first| *first.key() < slot) {
            let given = *first.key();
            let gap = self.latest.map_or(0, |latest| given.since(latest).saturating_sub(1));
            self.longest_gap = self.longest_gap.max(gap);
            self.latest = Some(given);
            first.remove();
        }
    }

    /// Allocations that share a link with one before them.
    pub(super) fn found(&self) -> u64 {
        self.found
    }

    /// The most slots in a row without an allocation, between two with one.
    pub(super) fn longest_gap(&self) -> u64 {
        self.longest_gap
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_of_a_slot_that_share_a_link_are_found() {
        let pod = Pod::two_tiers(2, 2, 2).expect("a pod");
        let mut collisions = Collisions::new(pod);
        let mut add = |slot, source, destination, aggregation| {
            collisions.add(Slot(slot), Transfer { source, destination }, Path::Aggregation(aggregation));
            collisions.found()
        };
        assert_eq!(add(5, 0, 2, 0), 0);
        assert_eq!(add(5, 1, 3, 1), 0, "over another switch");
        assert_eq!(add(6, 1, 3, 0), 0, "in another slot");
        assert_eq!(add(6, 0, 2, 0), 1, "over the same switch");
        assert_eq!(add(9, 0, 2, 0), 1);
        assert_eq!(add(9, 1, 2, 1), 2, "to the same host");
        collisions.forget_before(Slot(9));
        assert_eq!(collisions.longest_gap(), 0);
        collisions.forget_before(Slot(10));
        assert_eq!(collisions.longest_gap(), 2);
    }
}
