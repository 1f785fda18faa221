//! The arbiter as a machine among hosts and other arbiters: requests in, allocations out, and a second arbiter that takes over.
//!
//! Machines own no clock, no wires and no generator. [`Arbiter::advance`] tells an arbiter which slot it is, [`Arbiter::on_request`] and its like give it
//! messages; what is to be sent is put into a list. An [`Endpoint`] is a host's half of the protocol, and a [`Voter`] is what arbiters ask before they hand
//! out slots. Any message may be lost, late, doubled or overtaken.
//!
//! # Demand
//! A [`Request`] is absolute. A host counts, for each destination, the slots that it has ever wanted and those that it has ever been given, says as of which
//! slot that is so, and for which later slots it holds an allocation. From that an arbiter works out what to give: wanted, less given, less
//! what it has itself allocated for slots after the host's and the host does not hold yet. That is the same however often a request comes. A host
//! repeats its requests while anything is missing, as Fastpod's hosts do in every slot anyway (§3.2), so one that is lost is made good by the next.
//! (Fastpass counts cumulatively too and numbers its packets: §5 there, `fpproto.h` of its code.)
//!
//! # Allocations
//! The map of slots in a request is the acknowledgement. An allocation that should have arrived and is not in it is sent again while its slot is to
//! come. Once the host's slot is past it, it is in neither count, and another slot takes its place. A host takes an allocation for a later slot
//! than its own only, so one that comes after it was written off does nothing.
//!
//! # Takeover
//! Fastpod leaves the arbiter's failure to Fastpass: another arbiter misses its beats and takes over, and hosts tell it their demands again
//! (§4). That is not enough for a fabric without buffers. The first one may be alive, its beats being lost, and hosts hold its
//! allocations for slots to come: if the second one gave those slots away again, frames would collide.
//!
//! Here an arbiter hands out a slot only if it has *leased* it. Leases are granted by [`Voter`]s, an odd number of machines that keep three
//! numbers each: the epoch that they obey, the first slot that they have leased to nobody, and what that was when the epoch began (the *floor*). A voter never grants anything to an epoch below the one that it obeys.
//! An arbiter begins an epoch of its own with grants of a majority. It hands out no slot before the highest of their floors, and none from that on
//! which a majority has leased to it. Any two majorities have a voter in common, so whatever slot an earlier epoch can ever hand out is
//! below the floor that this voter gave the later one. So no slot is handed out in two epochs, whoever is alive, whatever is lost, and however wrong clocks
//! are: the argument counts slots, not time. Hosts need not know which arbiter is in charge and take allocations of any epoch.
//!
//! The guard interval of a takeover is therefore what is left of the lease: with leases of L slots, renewed when half is left, at most
//! L slots go by unused after the last renewal. Some voters can share a machine with an arbiter; with two arbiters, three voters on three machines survive the
//! loss of any one. A voter that forgets may not come back.
//!
//! The second arbiter learns demands from the next request of each host. It does not know which allocations of the first are on their way, so
//! a pair may be given as many slots too many as were under way to its host then, never one too few.
//!
//! Safety needs nothing but voters' memories. That a demand is met in the end needs a majority of voters, and that beats get through often enough: two
//! arbiters that reach hosts and voters but never each other depose each other for ever.
//!
//! # What has been checked
//! `cargo test -p arbiter --test arbiter takeover -- --nocapture` has [stateright](https://www.stateright.rs) try every order of the messages that a machine
//! receives, with two arbiters, three voters and three hosts. In each state: no two allocations that hosts hold collide or contradict each other; no pair has been
//! given more than it wants if one arbiter alone has handed out slots; and if nothing goes wrong from there on, every demand is met. One slot
//! takes as long as messages that are not late; what different machines receive in it they receive in one order only, as the outcome is the same.
//!
//! | what goes wrong | different states |
//! |---|---|
//! | a message is lost, one comes twice, the second time at any later time | 9 586 |
//! | a message is lost, one comes at any later time | 11 750 |
//! | an arbiter dies at any step, half-way through sending too, with the voter beside it; a message is lost | 3 362 |
//! | the second arbiter takes over at any step though the first one is alive | 5 579 |
//! | the two do not hear each other and both hand out slots; a message is lost | 11 362 |
//! | the same; a message comes at any later time | 20 528 |
//!
//! Arbiters that begin before the floor or go on beyond their lease, voters that forget, requests that add up and hosts that ask once are each found out by a counterexample.

mod arbiter;
mod endpoint;
mod message;
mod scheduler;
#[cfg(test)]
mod tests;
mod voter;

pub use arbiter::{Arbiter, LARGEST_NETWORK, RequestError, Role, Settings, SettingsError};
pub use endpoint::{Endpoint, Taken};
pub use message::{Action, Allocation, Beat, Epoch, Lease, Request, Vote};
pub use voter::Voter;
