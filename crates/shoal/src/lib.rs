//! Shoal (Shrivastav et al., NSDI 2019): a rack's network of circuit switches that are set anew every few nanoseconds, all after
//! one static schedule that joins each pair of nodes equally often. Switches hold nothing and decide nothing.
//!
//! [`schedule`], [`timing`], [`clos`] and [`header`] say what a rack is, and with [`latency`], [`memory`] and [`throughput`] what follows from
//! that in closed form; planner plans racks with them. The others run one, cell by cell: [`rack`] and the network in front of it.
//!
//! Words: a *leaf* and a *spine* are the circuit switches of the two stages; every cell crosses a leaf, a spine and a leaf. A
//! *plane* is one whole two-stage Clos: a node with twice the rate of a switch's port needs two of them. A *channel* is a part
//! of a node's rate that has a schedule of its own. In a *slot* every channel of every node carries one cell; in an *epoch* every
//! node has had a slot with every other. A queue is served once an epoch, so what waits for c cells waits for c epochs.

pub mod build;
pub mod clos;
pub mod config;
pub mod examine;
pub mod header;
pub mod latency;
pub mod memory;
mod network;
mod paths;
mod plan;
pub mod rack;
pub mod schedule;
pub mod throughput;
mod timekeeper;
pub mod timing;

pub use build::BuildError;
pub use config::Config;
pub use network::Shoal;
pub use plan::Plan;
