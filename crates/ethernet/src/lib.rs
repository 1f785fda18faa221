//! Output-queued packet switches: store and forward or cut through; drop-tail by packets or bytes; ECN marks at a threshold
//! or by RED;
//! strict priorities; trimming; ranks; priority flow control over shared memory; ECMP by flow hash, spraying packet by packet, or paths that sources choose.
//!
//! What a port does with frames is a [`Discipline`], compiled in.

pub mod class;
pub mod config;
mod departures;
pub mod discipline;
mod faults;
pub mod fifo;
pub mod ideal;
pub mod network;
mod pauses;
pub mod pausing;
mod plan;
pub mod priority;
mod queue;
pub mod ranked;
mod slab;
mod surroundings;
mod switch;
pub mod trimming;

pub use config::{Config, Pfc, Port, Routing, Rule, Switching, Trim};
pub use discipline::{Admission, Discipline};
pub use fifo::Fifo;
pub use network::Ethernet;
pub use pausing::Pausing;
pub use plan::Plan;
pub use priority::Priorities;
pub use ranked::Ranked;
pub use settings::Length;
pub use trimming::Trimming;
