//! The contract that all fabrics and transports share: [`Configuration`] that become a [`Fabric`], [`Frame`]s, sans-IO [`Device`]s, [`Network`]s that carry frames between
//! hosts, and the checks that every implementation inherits (`conformance`).

pub mod arena;
#[cfg(feature = "conformance")]
pub mod conformance;
mod contract;
pub mod counters;
pub mod device;
pub mod ecmp;
pub mod footprint;
pub mod frame;
pub mod health;
pub mod network;
pub mod observer;
pub mod red;
pub mod refusal;

pub use arena::Arena;
pub use contract::{
    BuildFailure, Configuration, Fabric, Lack, Loss, Offer, Parts, PortChange, ReadText, Run, Runner, Site, Traffic,
};
pub use counters::Counters;
pub use device::{Device, Env, Port};
pub use ecmp::Ecmp;
pub use footprint::Footprint;
pub use frame::{Ecn, Fate, Frame, Kind, Options, SackBlock, Waited};
pub use health::Health;
pub use network::{
    Collision, Counter, Deadlock, Distribution, Fault, Inside, LinkCounters, Needs, Network, Offers, Over, Party,
    Sampled, Totals, kind,
};
pub use observer::{Observer, Off, Seen, What};
pub use red::Red;
