//! Fastpod (Wang, Liang, Liu, Jiang and Cui, *Towards "Zero-buffer" Datacenter Networks*): a pod of switches without buffers, in which an arbiter gives every packet
//! its time slot and its path, so that no two ever meet at a port. Section numbers are the paper's.
//!
//! Hosts keep what they have to send in virtual output queues (`agent`), ask for slots with a request in each slot, and send what has just come without being
//! scheduled where they may (§3.3). Requests and answers fill gaps between data packets, at times that follow from who sends to whom (`layout`, §3.2).
//! Arbiters (`arbiters`) are the machines of the crate `arbiter`: the same that run as a service. Ports (`links`) hold nothing: what finds its port taken is gone.
//! Between pods, each with arbiters and a clock of its own, are core switches (`cores`), which have buffers and ask for slots as hosts do (§3.4); hosts keep what
//! these hold until it has come (`crossing`).

mod agent;
mod arbiters;
mod clocks;
mod collisions;
mod config;
mod cores;
mod crossing;
mod fastpass;
pub mod layout;
mod links;
mod messages;
mod network;
mod plan;
mod rig;
pub mod timing;

pub use clocks::largest_error;
pub use config::{Config, Order, Policy};
pub use fastpass::Fastpass;
pub use layout::{Layout, LayoutError};
pub use network::Fastpod;
pub use plan::Plan;
pub use rig::{BuildError, Rig};
