//! Tests of the crate's public face, one program.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod eqds;
mod ndp;
mod world;
