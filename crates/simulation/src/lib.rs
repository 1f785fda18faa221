//! The loop: a workload's flows, from the hosts' stack, over a network, watched.
//!
//! [`run`] is compiled once for each network, so that nothing in it is called through a pointer.

mod collisions;
mod completion;
mod flows;
mod hosts;
mod idle_waits;
mod operations;
mod output;
mod run;
mod sampling;
mod series;
mod settings;
mod stall;
mod transports;

pub use output::Output;
pub use run::{Ended, Outcome, run};
pub use settings::{Labels, Settings};
pub use transports::Transports;
