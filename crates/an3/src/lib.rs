//! AN3 (Chung, Nowatzky, Rodeheffer, Thacker and Yu, *AN3: A Low-Cost, Circuit-Switched Datacenter Network*): every flow has a circuit of its own, a time slot on
//! each link of its path. A circuit is set up hop by hop, and its first cells follow the request before it has arrived.
//!
//! Clients open *sockets*, logical connections of which a NIC has any number and its few circuits carry some at a time ([`An3::open_socket`]). What the fabric does for transports
//! ([`fabric::Network`]) is one such client: a flow has a socket there, and one back for its acknowledgements.
//!
//! Words: a *NIC* is a host and passes on what others send; those of half a rack are an *L0 network*, and the *egress NICs* among them have a link to each *L1 switch* of
//! their *container*. A link carries *frames* of *slots*; a slot has a data cell and a control cell.

#[cfg(test)]
mod agreement;
mod circuit;
mod client;
mod config;
mod connection;
mod divisor;
pub mod effect;
mod egress;
mod flows;
pub mod frame;
mod frames;
pub mod l0;
pub mod message;
mod network;
pub mod nic;
mod nodes;
mod plan;
mod rig;
pub mod ring;
mod ringing;
mod roads;
pub mod size;
pub mod slots;
mod sockets;
mod source;
pub mod switch;
pub mod table;
mod times;
#[cfg(test)]
mod trace;

pub use client::OpenError;
pub use config::Config;
pub use frame::Frame;
pub use network::An3;
pub use plan::Plan;
pub use rig::{BuildError, Rig};
pub use sockets::{Failure, SendError, Socket, SocketEvent, Told};
