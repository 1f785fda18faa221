//! XFabric's control: the agents on SoCs and crosspoints, the controller, and the protocol between them (§4.4).
//!
//! All are sans-IO: no clock, no chance, no threads. They are given `now`, messages and expiries, and push what they want done onto
//! a list. The same code runs in a simulator, under a model checker, and against real links. Whoever drives them does this:
//!
//! - **[`SocAgent`]**, one a SoC. Hand it each [`LinkMessage`] that comes in on a port ([`SocAgent::receive`]) and do what it pushes:
//!   [`SocOutput::Transmit`] sends a message over the circuit that the port has *now* (lost if it has none),
//!   [`SocOutput::Controller`] goes to [`Controller::receive`] of the controller on this SoC, if one runs there,
//!   [`SocOutput::Installed`] says that packets go by another [`SocAgent::table`] from now on. Frames of hosts are counted with
//!   [`SocAgent::count_sent`] where they enter the rack, and a frame whose source differs from [`SocAgent::neighbour`] is reported
//!   with [`SocAgent::hear`].
//! - **[`CrosspointAgent`]**, one a crosspoint. [`CrosspointOutput::Set`] sets the circuits of [`CrosspointAgent::active`], at once or
//!   after as long as the hardware takes. Answers and signals go over the control plane, which takes as long as it takes.
//! - **[`Plane`]** is the way between these and the controller, in models of a rack: one exchange after another, or all at once.
//! - **[`Controller`]**, one in the rack. [`ControllerOutput::Inject`] goes to [`SocAgent::inject`] of its own SoC,
//!   [`ControllerOutput::Command`] over the control plane to [`CrosspointAgent::command`], whose
//!   [`CrosspointOutput::Answer`] comes back to [`Controller::answer`]. To kill a controller, drop it. To start one elsewhere, make
//!   a new one there.
//! - Each has a `deadline`, at which `expire` is to be called. Calling it earlier does nothing. The deadline may have changed after
//!   any call.
//!
//! [`encoding`] turns messages into bytes and back, for real links and to know how long they are.

pub mod controller;
pub mod crosspoint;
pub mod encoding;

pub mod generator;
pub mod loss;
pub mod message;
pub mod plane;
pub mod rack;
mod routes;
pub mod soc;
#[cfg(test)]
mod tests;
pub mod timeline;
pub mod version;
pub mod wiring;

pub use controller::{Controller, ControllerOutput, ControllerSettings, Note, Phase};
pub use crosspoint::{CrosspointAgent, CrosspointOutput, CrosspointSettings};
pub use generator::{Choice, DemandDriven, Generator};
pub use message::{Answer, Body, Command, LinkMessage, Packet, PortMap, Report, Setting, Signal};
pub use plane::{ControlPlane, Exchanges, Plane};
pub use rack::{InFlight, Outcome, Rack};
pub use soc::{SocAgent, SocOutput, SocSettings};
pub use version::{Epoch, Version};
pub use wiring::{Wiring, address};
