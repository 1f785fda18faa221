//! What sees to it that no slot is handed out by two arbiters.

use super::{Epoch, Lease, Vote};
use crate::slot::Slot;

/// Grants leases of slots. It may be slow or die, but not forget.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Voter {
    epoch: Epoch,
    /// The first slot that had been leased to nobody when the epoch began here.
    floor: Slot,
    /// The first slot that is leased to nobody.
    until: Slot,
}

impl Voter {
    /// Answers an arbiter. The same question has the same answer while no other has come, so it may be asked any number of times.
    pub fn handle(&mut self, lease: Lease) -> Vote {
        if lease.epoch < self.epoch {
            return Vote::Refused { epoch: self.epoch };
        }
        if lease.epoch > self.epoch {
            self.epoch = lease.epoch;
            self.floor = self.until;
        }
        self.until = self.until.max(lease.until);
        Vote::Granted { epoch: self.epoch, floor: self.floor, until: self.until }
    }

    /// A voter that remembers: the epoch that it obeyed, the floor of that epoch, and a slot before which it has leased everything, which may be later
    /// than what [`until`](Voter::until) was.
    pub fn remembering(epoch: Epoch, floor: Slot, until: Slot) -> Voter {
        Voter { epoch, floor, until }
    }

    /// The first slot that had been leased to nobody when the epoch began here.
    pub fn floor(&self) -> Slot {
        self.floor
    }

    /// The first slot that is leased to nobody.
    pub fn until(&self) -> Slot {
        self.until
    }

    /// The epoch that it obeys.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }
}
