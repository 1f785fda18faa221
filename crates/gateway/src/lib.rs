//! Gateways (Shoal §8, AN3 §2.2): nodes that are hosts of a rack and of an outside network as well, and pass packets on between the two.
//!
//! [`Joined`] makes one [`fabric::Network`] of any two. Each keeps its own events, cells, queues and congestion control; what joins them is
//! on the gateways: a packet that has come out of one network whole waits in a buffer there until the other's interface takes it. Both
//! networks carry it between hosts that they know, so what is on its way is kept here once, in `held`, under the number that its frames
//! have.

mod choice;
pub mod config;
mod crossing;
mod held;
mod joined;
mod line;
mod numbering;
mod places;
mod plan;
mod report;
mod side;

pub use config::{Config, Spreading, Uplinks};
pub use joined::Joined;
pub use numbering::{Numbered, Numbering};
pub use plan::{ByGateways, ByOperationsCentre, ByUplinks, Join, Plan};
