//! AN3 networks as a whole.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod conformance;
mod lab;
mod sockets;
