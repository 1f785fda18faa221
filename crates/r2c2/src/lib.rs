//! R2C2 (Costa, Ballani, Razavi and Kash, SIGCOMM 2015): a rack without switches of its own, whose nodes forward each other's packets.
//!
//! A node tells all others of each flow that starts or ends there, by packets along a spanning tree. So every node knows all flows, and
//! computes from that alone at what rate its own may send: max-min fair shares of all links, of which it knows how much of each flow
//! crosses them, as packets are sprayed over all shortest paths, or over those to and from a random node between (Valiant). Nothing is
//! probed and nothing is acknowledged.
//!
//! Only the paper's abstract could be read when this was written. What is said of it here is from memory, and is marked so where it
//! matters.

mod announcements;
mod config;
mod crossings;
mod failures;
mod filling;
mod flows;
mod hops;
mod known;
mod network;
mod plan;
mod rates;
mod rig;
mod sources;
mod trees;

pub use config::{Config, Knowledge, Routing};
pub use network::R2c2;
pub use plan::Plan;
pub use rig::{BuildError, Rig};
