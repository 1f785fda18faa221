//! Packet-processing data paths, clock by clock (Stardust §2.3, §6.1.1, Appendix B).
//!
//! Ports of a line rate feed an arbiter, the arbiter feeds a data path that moves one word a clock, and each stage of the
//! data path takes a number of clocks for every unit that passes: a packet, or a cell. What is asked is how much of their
//! line rate the ports get through, at which clock they get all of it, and how many such data paths a faster device needs.
//!
//! ```
//! use pipeline::{Design, Mix, Spec, run};
//! let mut spec = Spec::new(Design::ReferenceSwitch, Mix::fixed(65));
//! spec.clock_hz = 150_000_000;
//! let measured = run(&spec.check()?, engine::Seed(1));
//! // 65 B are three words of 32 B: 50 million of them a second, where four lines of 10 Gb/s bring 58.8 million.
//! assert_eq!(format!("{:.3}", measured.throughput()), "0.850");
//! # Ok::<(), pipeline::Refusal>(())
//! ```
//!
//! Not in the model: the output lines (every input has an output of the same rate to itself), the time for which a unit
//! waits for its look-up (it delays, and does not limit), and the clock crossing at the ports.

mod arbiter;
mod arithmetic;
mod design;
mod machine;
mod measured;
mod mix;
mod packing;
mod search;
mod source;
mod spec;
mod stage;

pub use arithmetic::{clocks_per_unit, pipelines_needed, required_clock_hz};
pub use design::{Design, Lines, Traffic};
pub use machine::run;
pub use measured::{Measured, Tally};
pub use mix::{MIXES, Mix, NamedMix, Part};
pub use packing::{Burst, Packer};
pub use search::lowest_clock_hz;
pub use spec::{Plan, Refusal, Spec};
