//! pFabric: Alizadeh et al., "pFabric: Minimal Near-Optimal Datacenter Transport", SIGCOMM 2013.
//!
//! Switches schedule: their ports send the message of which the fewest bytes remain first, and drop the packets of that of which most remain
//! (`fabric.pfabric`). So senders need little rate control ("rate control design"), which [`sender`] has: a first window of a bandwidth-delay product,
//! no reaction to single losses, a short timeout that never grows, and probes once several timeouts follow each other. The receiver acknowledges every
//! packet by itself ([`receiver`]).

pub mod receiver;
pub mod sender;

pub use receiver::PfabricReceiver;
pub use sender::PfabricSender;

use crate::config::Pfabric;
use crate::{Connection, Transport};
use fabric::Needs;
use units::Bytes;

impl Transport for Pfabric {
    type Sender = PfabricSender;
    type Receiver = PfabricReceiver;

    fn needs(&self) -> Needs {
        Needs { ranked: true, ..Needs::default() }
    }
    fn header(&self) -> Bytes {
        self.header
    }
    fn open(&self, connection: &Connection) -> (PfabricSender, PfabricReceiver) {
        (PfabricSender::new(connection, self), PfabricReceiver::new(connection, self))
    }
}

#[cfg(test)]
mod tests;
