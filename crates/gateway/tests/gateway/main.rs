//! Two networks that gateways join: the contract of networks, and single packets as timelines.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod bridges;
mod conformance;
mod pairs;
mod timelines;
mod uplinks;
