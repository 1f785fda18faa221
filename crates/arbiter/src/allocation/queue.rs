//! Where demands wait for their turn.

use super::Demand;

/// No further demand in a bucket.
pub(super) const END: u32 = u32::MAX;

/// A demand that waits, with what is needed to try it, so that one that fails is not looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Entry {
    /// What the policy orders by.
    pub key: u64,
    /// Of the demand; decides among equals, so that nothing depends on the order of sorting.
    pub number: u32,
    pub source: u16,
    pub destination: u16,
}

/// The demands that got each slot of the batch and want more, first come first served.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Buckets {
    ends: Vec<Option<(u32, u32)>>,
}

impl Buckets {
    pub(super) fn new(slots: u32) -> Buckets {
        Buckets { ends: vec![None; slots as usize] }
    }

    pub(super) fn put(&mut self, slot: u32, number: u32, demands: &mut [Demand]) {
        demands[number as usize].next = END;
        let ends = &mut self.ends[slot as usize];
        *ends = match *ends {
            None => Some((number, number)),
            Some((first, last)) => {
                demands[last as usize].next = number;
                Some((first, number))
            }
        };
    }

    /// Empties a bucket; its first demand has the others behind it.
    pub(super) fn take(&mut self, slot: u32) -> Option<u32> {
        self.ends[slot as usize].take().map(|(first, _)| first)
    }
}
