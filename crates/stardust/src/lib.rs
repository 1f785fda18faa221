//! Stardust (Zilberman, Bracha, Schzukin, NSDI 2019): a network fabric of cell switches. Fabric Adapters at its edge hold packets in
//! virtual output queues until the egress port gives credit, chop them into cells, spray those over all links, and put packets
//! together again; Fabric Elements inside only pass cells on.

pub mod build;
pub mod cell;
mod clock;
pub mod config;
mod control;
mod control_loop;
mod edge;
mod faults;
mod fifo;
mod footprint;
mod ideal;
pub mod ingress;
mod inside;
pub mod interior;
pub mod lane;
mod lanes;
mod lockstep;
mod network;
mod packets;
mod plan;
pub mod queueing;
pub mod reach;
mod reachability;
pub mod reassembly;
mod report;
#[cfg(test)]
mod rig;
pub mod ring;
pub mod scheduler;
pub mod spray;
pub mod store;
mod tables;
#[cfg(test)]
mod theory;

pub use build::BuildError;
pub use config::Config;
pub use control_loop::least_watermark;
pub use lanes::Lanes;
pub use lockstep::LockStep;
pub use network::Stardust;
pub use plan::Plan;
pub use reachability::least_threshold;
