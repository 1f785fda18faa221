//! What hosts, arbiters and voters send each other.

use crate::pod::Path;
use crate::slot::Slot;

/// An arbiter's term. A later one has a higher number; among equals the arbiter's number decides, so no two arbiters have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Epoch {
    /// Counts up.
    pub number: u64,
    /// Whose it is.
    pub arbiter: u8,
}

/// From a host to the arbiters: what it wants to send to one destination, in all (Fastpod's RTS).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Request {
    /// The host.
    pub source: u16,
    /// Where it wants to send.
    pub destination: u16,
    /// The host's slot when it said so: it takes no allocation for this one or earlier ones any more.
    pub slot: Slot,
    /// For which of the 64 slots after that it holds an allocation, to whatever destination; the lowest bit is the next slot.
    pub held: u64,
    /// Slots that it has ever wanted for this destination.
    pub requested: u64,
    /// Slots that it has ever been given for it, and taken.
    pub granted: u64,
}

/// From an arbiter to a host: one packet's slot and way (Fastpod's SCHD).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Allocation {
    /// Of the arbiter, for logs: hosts take any.
    pub epoch: Epoch,
    /// When.
    pub slot: Slot,
    /// The host that sends.
    pub source: u16,
    /// The host that it sends to.
    pub destination: u16,
    /// Over which switches.
    pub path: Path,
}

/// From an arbiter to a voter: may I hand out slots below `until`?
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lease {
    /// Of the arbiter.
    pub epoch: Epoch,
    /// The first slot that it does not ask for.
    pub until: Slot,
}

/// A voter's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Vote {
    /// Yes.
    Granted {
        /// Of the arbiter that asked.
        epoch: Epoch,
        /// The first slot that the voter had leased to no earlier epoch.
        floor: Slot,
        /// The first slot that it has not leased to this one.
        until: Slot,
    },
    /// No: it obeys a later one.
    Refused {
        /// Which.
        epoch: Epoch,
    },
}

/// From the arbiter in charge to the others: it is alive (Fastpass's watchdog packets).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Beat {
    /// Of the arbiter.
    pub epoch: Epoch,
}

/// What an arbiter wants sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// To the allocation's source.
    Allocate(Allocation),
    /// To the voter of this number.
    Ask(u8, Lease),
    /// To all other arbiters.
    Beat(Beat),
}
