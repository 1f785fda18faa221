//! Running a plan: its runs over all cores, watched from outside, with results written as they come.

mod assemble;
mod folder;
mod job;
mod manifest;

pub use folder::StartError;
pub use job::{Job, Progress, RunProgress};
pub use manifest::{Machine, Manifest, RunEntry, RunStatus, Status};
