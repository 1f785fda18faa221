//! Shoal (Shrivastav et al.; NSDI 2019): a plan of a rack, from the closed forms of the crate `shoal`, and what is only a plan's: power
//! (§5, App. B) and cost (§5).

pub mod cost;
mod impossible;
mod input;
pub mod plan;
pub mod power;

pub use impossible::Impossible;
pub use input::Input;
pub use plan::{Plan, plan};

/// What `gossamer plan` calls it.
pub const NAME: &str = "shoal";

#[expect(clippy::cast_precision_loss, reason = "counts, rates and picoseconds of racks are far below 2^53")]
fn float(number: u64) -> f64 {
    number as f64
}
