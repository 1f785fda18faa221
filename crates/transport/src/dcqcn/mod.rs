//! DCQCN: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, over a reliable connection of RoCEv2.
//!
//! Switches mark packets by RED on their queue (the congestion point, §3.1: `fabric.red`). The receiver answers marks with congestion notifications, at
//! most one in so long (the notification point, `receiver`). The sender begins at the rate of its link, cuts its rate upon each notification, and raises it
//! as time passes and bytes go (the reaction point, [`rate`]). Nothing limits what is in flight. A fabric that pauses loses nothing; where something is lost
//! all the same, everything from there on is sent again (go-back-N, [`sender`]).

pub mod rate;
pub mod receiver;
pub mod sender;

pub use rate::RateControl;
pub use receiver::DcqcnReceiver;
pub use sender::DcqcnSender;

use crate::config::Dcqcn;
use crate::{Connection, Transport};
use fabric::Needs;
use units::Bytes;

impl Transport for Dcqcn {
    type Sender = DcqcnSender;
    type Receiver = DcqcnReceiver;

    fn needs(&self) -> Needs {
        Needs { ecn: true, goes_back: true, ..Needs::default() }
    }
    fn header(&self) -> Bytes {
        self.header
    }
    fn open(&self, connection: &Connection) -> (DcqcnSender, DcqcnReceiver) {
        (DcqcnSender::new(connection, self), DcqcnReceiver::new(connection, self))
    }
}

#[cfg(test)]
mod tests;
