//! Shoal (Shrivastav et al.; NSDI 2019): closed forms of §3, §4, §5 and appendices A, B and D.
//!
//! Words: a *leaf* and a *spine* are the circuit switches of the two stages; every cell crosses a leaf, a spine and a leaf. A
//! *plane* is one whole two-stage Clos: a node with twice the rate of a switch's port needs two of them. A *channel* is a part
//! of a node's rate that has a schedule of its own. In a *slot* every channel of every node carries one cell; in an *epoch* every
//! node has had a slot with every other. A queue is served once an epoch, so what waits for c cells waits for c epochs.

pub mod clos;
pub mod cost;
pub mod failures;
mod impossible;
mod input;
pub mod latency;
pub mod node;
pub mod plan;
pub mod power;
pub mod slot;

pub use impossible::Impossible;
pub use input::Input;
pub use plan::{Plan, plan};

/// What `gossamer plan` calls it.
pub const NAME: &str = "shoal";

#[expect(clippy::cast_precision_loss, reason = "counts, rates and picoseconds of racks are far below 2^53")]
fn float(number: u64) -> f64 {
    number as f64
}

/// a b / c to the nearest whole number, as far as 64 bits go.
fn share(a: u64, b: u64, c: u64) -> u64 {
    let rounded = (u128::from(a) * u128::from(b) * 2 + u128::from(c)) / (2 * u128::from(c));
    u64::try_from(rounded).unwrap_or(u64::MAX)
}
