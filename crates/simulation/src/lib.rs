//! The loop: a workload's flows, over a transport, over a network, watched.
//!
//! [`run`] is compiled once for each pair of network and transport, so that nothing in it is called through a pointer.

mod completion;
mod flows;
mod hosts;
mod operations;
mod output;
mod run;
mod sampling;
mod series;
mod settings;
mod stall;

pub use output::{Output, Tables};
pub use run::{Ended, Outcome, run};
pub use settings::{Labels, Settings};
