//! Whole runs: a workload's flows over a transport over a network, and the tables that come of it.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod alone;
mod cubic;
mod dcqcn;
mod eqds;
mod fluid;
mod idle_waits;
mod incasts;
mod lab;
mod mptcp;
mod ndp;
mod observed;
mod operations;
mod pfabric;
mod pfc;
mod quiet;
mod runs;
mod swift;
mod theory;
mod window;
