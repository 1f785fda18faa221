//! R2C2 as whoever uses it sees it.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod conformance;
mod failures;
mod lab;
mod rates;
mod timelines;
