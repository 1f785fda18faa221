//! What every run stands on: an event queue with a total order, named random streams.

pub mod stream;

pub use stream::{Seed, Stream, mix};
