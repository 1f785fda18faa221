//! EQDS: Olteanu et al., "An edge-queued datagram service for all datacenter traffic", NSDI 2022.
//!
//! Packets wait at their sender. It says with each how far it wants to be let send, its pull target, and the receiver's host gives credit up to there, a packet
//! each time that one could come over its link ([`crate::puller`]). Both count from the connection's beginning, so that what is lost of either is made
//! good by the next. The backend keeps queues short until the first credit is there: a sender speculates with a first window, over all paths, and
//! switches trim what they have no room for; or, where they cannot, it asks by a request and waits. What was trimmed or lost goes again before anything new.
//!
//! The paper's text was not at hand. What it leaves to an implementation is as in its authors' simulator (csg-htsim, `eqds.cpp`): speculation ends when
//! something is heard, who was trimmed is given credit first, a path on which a packet was trimmed, marked or lost is passed over once, a request goes when
//! nothing else could tell the receiver of a loss. Ours: credit counts packets, not bytes; acknowledgements carry no credit; how long a sender waits
//! before it asks once more.

mod arrived;
pub mod receiver;
pub mod sender;

pub use receiver::EqdsReceiver;
pub use sender::EqdsSender;

use crate::config::{Backend, Eqds};
use crate::{Connection, Transport};
use fabric::Needs;
use units::Bytes;

impl Transport for Eqds {
    type Sender = EqdsSender;
    type Receiver = EqdsReceiver;

    fn needs(&self) -> Needs {
        Needs { trimming: self.backend == Backend::Trimming, ..Needs::default() }
    }
    fn header(&self) -> Bytes {
        self.header
    }
    fn open(&self, connection: &Connection) -> (EqdsSender, EqdsReceiver) {
        (EqdsSender::new(connection, self), EqdsReceiver::new(connection, self))
    }
}

#[cfg(test)]
mod tests;
