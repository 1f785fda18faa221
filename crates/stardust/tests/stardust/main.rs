//! Stardust as a network: its contract, in every configuration.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod configurations;
mod conformance;
