//! A pod of switches without buffers, from outside.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod clocks;
mod closed_forms;
mod conformance;
mod failures;
mod fastpass;
mod inter_pod;
mod lab;
mod refusals;
mod timelines;
