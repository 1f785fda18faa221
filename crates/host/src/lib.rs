//! What a host runs: a stack that is given messages to send and frames that arrive, and hands out frames when its interface asks.
//!
//! | file | what |
//! |---|---|
//! | [`stack`] | what its driver calls |
//! | `ends` | the two ends of connections, by place |
//! | `line` | the order of an interface |
//! | [`actions`] | what a stack asks of its driver |
//!
//! A [`Stack`] is sans-IO and holds any number of hosts: all of a simulation's, or the one that a machine is. It knows no network: its driver
//! asks for a frame when the interface has room, and sends at once what [`Actions`] holds. Protocols are files of `transport`; a stack
//! runs any number of them beside each other.

pub mod actions;
mod ends;
mod line;
pub mod stack;

pub use actions::{Actions, End, Timer};
pub use stack::{Arrival, Limits, Message, Stack};
