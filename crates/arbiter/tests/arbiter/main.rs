//! Tests of the arbiter's public face.

mod takeover;
mod two_rounds;
