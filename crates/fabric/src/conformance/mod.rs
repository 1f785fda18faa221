//! What every implementation of a contract must do, as checks that its tests call. A new fabric or device inherits them by one
//! call each; a check that fails panics with what was expected.

mod devices;
mod faults;
mod networks;
mod observed;

pub use devices::{Recorder, never_early};
pub use faults::Breakable;
pub use networks::{Traffic, network, network_with_faults};
pub use observed::{Sums, Tally, observed};
