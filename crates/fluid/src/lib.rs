//! The ideal network: data flow like water, without packets, queues or delays of control, and at every instant each flow has its
//! max-min fair rate (Bertsekas and Gallager, Data Networks, §6.5.2): none could have more without taking from one that has no
//! more than itself. What systems with congestion control try to reach, as a baseline.

mod config;
pub mod filling;
mod network;
mod paths;
mod plan;
mod sharing;
mod streams;

pub use config::Config;
pub use filling::{Crossings, Filling};
pub use network::{BuildError, Fluid};
pub use plan::Plan;
pub use sharing::Sharing;
