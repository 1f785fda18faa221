//! The arbiter of a zero-buffer pod as a service for real hosts: requests and allocations as UDP datagrams, voters, a second arbiter that takes over, and a
//! generator of load. `docs/arbiter.md` says how to run it and what each byte of a datagram is.
//!
//! | module | what it does |
//! |---|---|
//! | [`wire`] | datagrams, written and read; whatever comes in, what is wrong with it is named |
//! | [`server`] | an arbiter among addresses, without clock or socket |
//! | [`voting`] | a voter among addresses, and what it remembers on disk |
//! | [`service`] | the loops around them: sockets, threads, clocks |
//! | [`mod@load`] | hosts that ask, and measure what they are given |
//! | [`metrics`], [`journal`] | what is counted, and what is said |

pub mod clock;
pub mod intake;
pub mod journal;
pub mod load;
pub mod metrics;
pub mod outbox;
pub mod server;
pub mod service;
mod settings;
pub mod task;
pub mod voting;
pub mod wire;

pub use load::{LoadReport, load};
pub use metrics::{ArbiterMetrics, VoterMetrics};
pub use service::{serve, vote};
pub use settings::{Load, Order, Serve, ServiceError, Vote};
pub use task::Task;
