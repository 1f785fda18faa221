//! Shoal (Shrivastav et al., NSDI 2019): a rack's network of circuit switches that are set anew every few nanoseconds, all after
//! one static schedule that joins each pair of nodes equally often. Switches hold nothing and decide nothing.

pub mod build;
pub mod clos;
pub mod config;
pub mod examine;
pub mod header;
mod network;
mod plan;
pub mod rack;
pub mod schedule;
mod timekeeper;
pub mod timing;
mod ways;

pub use build::BuildError;
pub use config::Config;
pub use network::Shoal;
pub use plan::Plan;
