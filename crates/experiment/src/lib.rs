//! Experiment files: from TOML to a checked plan, and everything that is said about them.
//!
//! [`Plan::read`] is the only way from a file to something that can be run. It goes in steps, and each step finds all that is
//! wrong before the next one begins:
//!
//! 1. [`settings::document`]: TOML to a tree in which every value knows its line.
//! 2. `layers`: `--set`, `[[variant]]` and `[sweep]` make a tree for each run.
//! 3. [`settings::inspect()`]: keys, types, words, units and ranges, against the shape of [`spec::Spec`].
//! 4. [`plan`]: the network is built, files are read, workloads are checked against it: what can't run is refused.
//!
//! The shape comes from the types in [`spec`] and their comments, and so do the JSON Schema for editors ([`schema`]), the
//! reference ([`reference()`]) and the catalogue ([`catalogue`]): a key that is added there is known everywhere.
//!
//! ```
//! let text = r#"
//!     seed = 1
//!     topology = { kind = "fat-tree", k = 4 }
//!     workload = [{ kind = "permutation" }]
//!     transport.kind = "dctpc"
//! "#;
//! let problems = experiment::Plan::read(text, "mine.toml", &[]).unwrap_err();
//! assert_eq!(problems.to_string(), r#"mine.toml:5: transport.kind = "dctpc": no such kind; did you mean dctcp?"#);
//! ```

mod catalogue;
mod check;
mod compare;
mod estimate;
mod layers;
mod memory;
pub mod plan;
mod reference;
pub mod run;
mod schema;
pub mod spec;
mod template;
mod warnings;

pub use catalogue::{Catalogue, KnownKind, KnownSizes, catalogue};
pub use check::{Check, PlannedRun, PlannedWorkload};
pub use compare::{CompareError, Worth};
pub use estimate::HOPS_PER_CORE_SECOND;
pub use fabrics::{FabricPlan, FabricSpec};
pub use layers::LayerError;
pub use memory::MemoryError;
pub use plan::{Faults, Measure, Plan, PlannedFault, Refusal, RunPlan};
pub use reference::reference;
pub use schema::schema;
pub use settings::{KeyPath, Length, Mistake, Origin, Problem, Problems, Threshold, Volume, printable};
pub use template::{UnknownTemplate, template, template_companion, template_kinds};

#[cfg(test)]
mod tests;
