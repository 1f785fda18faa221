//! NDP: Handley et al., "Re-architecting datacenter networks and stacks for low latency and high performance", SIGCOMM 2017.
//!
//! A sender pushes its first window at once, each packet over another path; where a queue is full, switches trim packets to headers, which
//! go ahead of data. The receiver acknowledges every packet and asks for every header again, and each lets one pull join the queue of its
//! host, which paces pulls at the rate of its link ([`crate::puller`]). Nothing but pulls lets a sender send after its first window. Paths on which more
//! is trimmed or lost than on others are left out for a time (`paths`).

mod paths;
pub mod receiver;
pub mod sender;

pub use receiver::NdpReceiver;
pub use sender::NdpSender;

use crate::config::Ndp;
use crate::{Connection, Transport};
use fabric::Needs;
use units::Bytes;

impl Transport for Ndp {
    type Sender = NdpSender;
    type Receiver = NdpReceiver;

    fn needs(&self) -> Needs {
        Needs { trimming: true, ..Needs::default() }
    }
    fn header(&self) -> Bytes {
        self.header
    }
    fn open(&self, connection: &Connection) -> (NdpSender, NdpReceiver) {
        (NdpSender::new(connection, self), NdpReceiver::new(connection, self))
    }
}
