//! What a run sends: flows with dependencies.
//!
//! A flow starts at a time or when other flows end, so Poisson arrivals, permutations, incasts, collectives and traces are
//! all the same: one stream of [`Flow`]s, taken from a [`Workload`] one by one, which is told when they end.
//!
//! ```
//! use engine::Seed;
//! use units::{Bytes, Rate, Time};
//! use workload::sizes::Sizes;
//! use workload::{Group, Hosts, Incast, Kind, Rounds, Setting, Workload};
//!
//! let setting = Setting {
//!     hosts: 16,
//!     host_rate: Rate::from_gbps(10),
//!     leaf: Vec::new(),
//!     seed: Seed(1),
//!     duration: "10 ms".parse()?,
//! };
//! let incast = Incast {
//!     receiver: Some(0),
//!     senders: Hosts::Random(8),
//!     size: Some(Sizes::Fixed(Bytes::new(450_000))),
//!     rounds: Rounds::default(),
//! };
//! let mut workload = Workload::new(&[Group::new("incast", Kind::Incast(incast))], &setting)?;
//! assert_eq!(workload.groups()[0].description, "8 hosts to host 0, 450 KB each");
//! while let Some(at) = workload.next_start() {
//!     assert_eq!(at, Time::ZERO);
//!     let flow = workload.start_next().expect("it was announced");
//!     assert_eq!((flow.dst, flow.bytes), (0, Bytes::new(450_000)));
//!     workload.finish(flow.id, "1 ms".parse()?);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alias;
mod bursts;
mod destinations;
mod error;
mod flow;
mod group;
mod hosts;
mod info;
mod operation;
mod order;
mod pattern;
mod plan;
mod prose;
pub mod readers;
mod setting;
pub mod sizes;
mod source;
mod sources;
mod trace;
mod workload;

pub use bursts::Bursts;
pub use error::{Problem, WorkloadError};
pub use flow::{Flow, Waiting};
pub use group::{
    AllToAll, AllToMany, Arrivals, Background, ClosedLoop, Collective, Group, Hosts, Incast, Kind, Order, Pairs,
    Permutation, Poisson, Receivers, Rounds,
};
pub use info::GroupInfo;
pub use operation::{Operation, OperationKind};
pub use pattern::{Matrix, Pattern};
pub use setting::Setting;
pub use trace::{Gate, Trace, TraceFlow, TraceStart};
pub use workload::Workload;
