//! Ethernet fabrics as networks: their contract, and faults and queues as timelines.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod conformance;
mod departures;
mod faults;
mod lab;
mod pfc;
mod ranked;
mod timelines;
mod trimming;
