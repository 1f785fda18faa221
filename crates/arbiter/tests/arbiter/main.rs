//! Tests of the arbiter's public face.

mod takeover;
