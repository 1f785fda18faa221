//! Workloads from outside: what a run sees of them.
#![cfg(test)]

mod files;
mod kinds;
mod memory;
mod messages;
mod network;
mod poisson;
mod stream;
