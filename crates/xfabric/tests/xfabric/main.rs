//! XFabric as a network, and the production workload behind its experiments.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod conformance;
mod production_of_27;
