//! Stardust (Zilberman, Bracha, Schzukin; NSDI 2019): closed forms of §2, §4, §5, §6.2, §7 and appendices A to E.
//!
//! Words: an *adapter* is a Fabric Adapter or a top-of-rack switch (ToR), the edge to which hosts are connected. An *element*
//! is a Fabric Element or an ordinary switch, in one of the fabric's *tiers*; the edge is no tier. A *bundle* is what joins
//! two devices' ports: l serial links that are one to everybody, as 100GE is four of 25 Gb/s. Stardust has bundles of one.

pub mod cost;
pub mod device;
mod impossible;
pub mod incast;
mod input;
pub mod plan;
pub mod recovery;
pub mod silicon;
pub mod size;
pub mod table2;

pub use impossible::Impossible;
pub use input::{Counting, Input, Optics};
pub use plan::{Design, Plan, plan};

/// What `gossamer plan` calls it.
pub const NAME: &str = "stardust";
