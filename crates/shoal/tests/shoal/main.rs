//! Shoal as a network: its contract, the bounds of its settings, and what hosts see of clocks, connections and nodes that are off.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod bounds;
mod clocks;
mod conformance;
mod connections;
mod off;
