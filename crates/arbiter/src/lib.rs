//! The arbiter of a zero-buffer pod: which host sends to which in each time slot, and over which switches, so that no two packets ever meet at
//! a port. After Fastpod (*Towards "Zero-buffer" Datacenter Networks*), which takes its algorithms from Fastpass (Perry, Ousterhout, Balakrishnan, Shah and Fugal,
//! *Fastpass: A Centralized "Zero-Queue" Datacenter Network*, SIGCOMM 2014). Section numbers are Fastpod's unless they say otherwise.
//!
//! The crate needs nothing of the simulator: it counts slots, not seconds, and owns no clock, no generator and no socket, and but for [`pipeline`] no thread.
//!
//! | module | what it does | where from |
//! |---|---|---|
//! | [`pod`] | hosts, racks, paths and links of a pod of two or three tiers | §3, Fig. 1 |
//! | [`allocation`] | time slots: maximal matchings, max-min fair or smallest demand first | §3.1; Fastpass §3 |
//! | [`paths`] | paths that share no link: edge colouring of the bipartite multigraph of racks | §3.1; Fastpass §4 |
//! | [`pipeline`] | slots on one core, their paths on others | Fastpass §3, §4 |
//! | [`interpod`] | slots and paths at once, where core switches send and receive; backpressure | §3.4, which leaves it open |
//! | [`control`] | requests and allocations among messages that get lost; a second arbiter that takes over | §3.2, §4; Fastpass §5 |
//!
//! ```
//! use arbiter::allocation::{Allocator, Policy, hosts::Hosts};
//! use arbiter::paths::PathAssigner;
//! use arbiter::{Pod, Slot};
//!
//! # fn main() -> Result<(), arbiter::PodError> {
//! let pod = Pod::of_fat_tree(8)?; // 16 hosts, four to a rack, four paths
//! let mut allocator = Allocator::new(Policy::MaxMin, Hosts::new(&pod), pod.hosts(), pod.hosts(), 64, Slot(0));
//! let (mut assigner, mut paths) = (PathAssigner::new(&pod), Vec::new());
//! allocator.add(0, 5, 3); // host 0 wants three slots to host 5
//! allocator.add(1, 5, 1);
//! allocator.add(2, 9, 1);
//!
//! let (slot, transfers) = allocator.next_slot();
//! assigner.assign(transfers, &mut paths);
//! assert_eq!((slot, transfers.len()), (Slot(0), 2)); // 0 to 5, and 2 to 9, over different aggregation switches
//! assert_ne!(paths[0], paths[1]);
//! # Ok(())
//! # }
//! ```
//!
//! # How fast
//! Fastpass reports 2.21 Tb/s of traffic on eight cores (its abstract): 0.28 Tb/s a core, or 23 million packets of 1500 B a core-second. `docs/performance.md` has
//! what this crate does, from `cargo bench -p benches --bench arbiter`.
//!
//! Words: a *transfer* is one packet of a slot from a host to another; a *matching* is a slot's transfers, in which each host sends at most
//! one and receives at most one; a *plane* is an aggregation switch and the core switches above it.

pub mod allocation;
pub mod control;
pub mod interpod;
pub mod paths;
pub mod pipeline;
pub mod pod;
pub mod slot;

pub use pod::{Link, Part, Path, Pod, PodError, Transfer, Turn};
pub use slot::Slot;
