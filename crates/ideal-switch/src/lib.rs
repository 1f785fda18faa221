//! One output-queued switch that joins all hosts at their own rates: what a non-blocking fabric would do. Frames wait for the link to their
//! destination and for nothing else, so what is left between it and another fabric is that fabric's.

mod config;
mod network;
mod plan;
mod port;

pub use config::Config;
pub use network::{BuildError, IdealSwitch};
pub use plan::Plan;
