//! AN3 (Chung, Nowatzky, Rodeheffer, Thacker and Yu, *AN3: A Low-Cost, Circuit-Switched Datacenter Network*): devices and links for so many servers beside a network of ToR and
//! aggregation switches, and what both cost and draw (§7, Tables 2 and 3); what follows from the size of its switches and frames is of the crate `an3`.

pub mod cost;
mod input;
pub mod plan;

pub use input::{Input, Nic};
pub use plan::{Plan, plan};

/// What `gossamer plan` calls it.
pub const NAME: &str = "an3";

#[expect(clippy::cast_precision_loss, reason = "servers and parts of a data centre are far below 2^53")]
fn float(number: u64) -> f64 {
    number as f64
}

/// Half a device is one more, as Table 2 has it: 62.5 L1 switches are 63.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts, not negative")]
fn nearest(number: f64) -> u64 {
    number.round() as u64
}
