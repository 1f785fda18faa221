//! Fastpod (Wang, Liang, Liu, Jiang and Cui, *Towards "Zero-buffer" Datacenter Networks*): a plan of pods, from the closed forms of the crates `fastpod` and
//! `arbiter`, and what is only a plan's: silicon, cost and power (§2.1), the arbiter's load by measurement, and the schedule-less epoch beside it (§2.2).
//!
//! Words: a *pod* is racks of hosts, each with a ToR switch that has one link to every aggregation switch; a *plane* is an aggregation switch and the core
//! switches above it. The *buffered* network beside it is the same, of ordinary switches and without an arbiter.

pub mod arbiter;
pub mod cost;
mod impossible;
mod input;
pub mod plan;
pub mod silicon;

pub use impossible::Impossible;
pub use input::Input;
pub use plan::{Plan, plan};

/// What `gossamer plan` calls it.
pub const NAME: &str = "fastpod";

#[expect(clippy::cast_precision_loss, reason = "counts, rates and picoseconds of pods are far below 2^53")]
fn float(number: u64) -> f64 {
    number as f64
}
