//! The fabrics there are, and a run of any of them.
//!
//! The loop of events is compiled here, once for each fabric's network, and nowhere else.

mod list;
mod simulate;

pub use list::{FabricPlan, FabricSpec};
pub use simulate::{Simulation, SimulationError};
