//! Output-queued packet switches: store and forward or cut through; drop-tail by packets or bytes; ECN marks at a threshold;
//! strict priorities; ECMP by flow hash or spraying packet by packet.
//!
//! What a port does with frames is a [`Discipline`], compiled in: PFC, trimming, pFabric queues and shared buffers come as
//! further ones.

pub mod class;
pub mod config;
pub mod discipline;
mod faults;
pub mod fifo;
pub mod ideal;
pub mod network;
pub mod priority;
mod slab;
mod surroundings;
pub mod switch;

pub use config::{Config, Length, Port, Routing, Rule, Switching};
pub use discipline::{Admission, Discipline};
pub use fifo::Fifo;
pub use network::Ethernet;
pub use priority::Priorities;
pub use switch::Switch;
