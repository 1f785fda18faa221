//! Graphs of hosts, switches and full-duplex links; builders and readers of them; routes over them.
//!
//! A [`Topology`] comes from a [`Shape`] (fat-tree, leaf-spine, folded Clos, Clos of any depth, star, planes, torus, AN3), from a file ([`node_link`],
//! [`htsim_topo`]) or from a [`Builder`]. Its links are directed: a cable is two of them, and each has its own rate, delay
//! and queue. [`Routes`] says for every node and every destination which links lead there by as few hops as can be.
//!
//! ```
//! use topology::{Routes, Shape};
//! let rate = "10 Gb/s".parse()?;
//! let topology = Shape::FatTree { k: 12, oversubscription: 1.0 }.build(rate, "1 us".parse()?)?;
//! assert_eq!(topology.describe(), "fat-tree, k = 12: 432 hosts, 180 switches, 1296 cables of 10 Gb/s and 1 us");
//! let routes = Routes::shortest(&topology)?;
//! assert_eq!(routes.hop_count(0, 431), 6);
//! assert_eq!(routes.next_hops(topology.find_node("edge-0")?, 431).len(), 6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod an3;
mod bisection;
mod build_error;
mod builder;
mod clos;
mod describe;
pub mod htsim_topo;
mod joined;
mod link;
mod lookup;
mod names;
pub mod node_link;
#[cfg(test)]
mod random_graph;
mod read_error;
mod routes;
mod shape;
mod topology;
mod torus;
mod tree;
mod two_stage;

pub use an3::{An3, L1_PORTS, Wiring};
pub use build_error::{BuildError, RateOutOfRange};
pub use builder::{Builder, Handle, LinkSpec};
pub use clos::{Clos, Tier};
pub use joined::{Joined, Part};
pub use link::{Direction, Link, LinkId, NodeId};
pub use lookup::{UnknownLink, UnknownNode};
pub use read_error::ReadError;
pub use routes::{NextHops, RouteError, Routes};
pub use shape::{Shape, Size};
pub use topology::Topology;
pub use torus::Torus;
