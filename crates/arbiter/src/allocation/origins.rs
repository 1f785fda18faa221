//! Whose packets a source sends, where it sends other people's: a core switch has those of hosts of other pods (Fastpod §3.4).

use std::collections::BTreeMap;

/// The origin of what is its source's own.
const OWN: u16 = u16::MAX;

/// Slots after which an origin that got none may be forgotten: it comes first then, as one that never had any.
const MEMORY: u64 = 1 << 16;

/// What is known of origins. Nothing, and nothing is kept, while nobody has named any.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Origins {
    /// For each pair.
    of: Vec<u16>,
    /// The slot after the last one of an origin and a destination, from whichever source.
    last: BTreeMap<(u16, u16), u64>,
}

impl Origins {
    /// Whether any has been named.
    pub(super) fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// What one of so many pairs sends next is of this origin.
    pub(super) fn set(&mut self, pair: usize, pairs: usize, origin: u16) {
        if self.of.is_empty() {
            self.of = vec![OWN; pairs];
        }
        self.of[pair] = origin;
    }

    /// The slot after the last one of the origin and destination of a pair; none if what it sends is its own.
    pub(super) fn last(&self, pair: usize, destination: u16) -> Option<u64> {
        let origin = *self.of.get(pair).filter(|origin| **origin != OWN)?;
        Some(self.last.get(&(origin, destination)).copied().unwrap_or(0))
    }

    /// A pair gets a slot.
    pub(super) fn give(&mut self, pair: usize, destination: u16, last: u64) {
        if let Some(origin) = self.of.get(pair).filter(|origin| **origin != OWN) {
            self.last.insert((*origin, destination), last);
        }
    }

    /// Nothing that was given is given any more.
    pub(super) fn clear(&mut self) {
        self.last.clear();
    }

    /// A batch begins with this slot.
    pub(super) fn forget(&mut self, first: u64) {
        if first.is_multiple_of(MEMORY / 64) {
            self.last.retain(|_, last| *last + MEMORY > first);
        }
    }
}
