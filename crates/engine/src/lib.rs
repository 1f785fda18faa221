//! What every run stands on: an event queue with a total order, a slot clock, named random streams, numbered places, and the line between a
//! run and whoever watches it.

pub mod control;
mod memory;
pub mod queue;
mod slab;
pub mod slots;
pub mod stream;

pub use control::{Control, Looks, Progress, Stopped, look, looking};
pub use memory::{OutOfMemory, long_array, prefetch, prefetch_at, room};
pub use queue::{Event, EventQueue, Rank};
pub use slab::Slab;
pub use slots::SlotClock;
pub use stream::{Seed, Stream, mix};
