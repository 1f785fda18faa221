//! The arbiter of a zero-buffer pod (Fastpod), after Fastpass (Perry et al., SIGCOMM 2014).

pub mod allocation;
pub mod control;
pub mod interpod;
pub mod paths;
pub mod pod;
pub mod slot;

pub use pod::{Link, Path, Pod, PodError, Transfer, Turn};
pub use slot::Slot;
