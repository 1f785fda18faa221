//! Packets between pods: slots and paths in a pod whose core switches take part (§3.4).
//!
//! # The problem
//! A pod has R racks of hosts, each rack an uplink to each of P aggregation switches. Aggregation switch a has C core switches above it, its *plane*,
//! with one link to each; a core switch has a buffer, and one port for every pod. A packet to another pod is scheduled twice: by the
//! arbiter of its source's pod, which sends it to any core switch, and by that of its destination's pod, when the core switch asks for it.
//! So in one slot an arbiter serves demands of three kinds:
//!
//! - *within*, host s to host d: takes s, d, an uplink of s's rack and the downlink of d's rack in **one plane of its choice**;
//! - *out*, host s to pod q: takes s, an uplink of s's rack in **a plane of its choice**, and the link to a core switch of that plane that may take packets for q;
//! - *in*, core switch (a, c) to host d: takes the link down from (a, c), the downlink of d's rack in **plane a**, and d.
//!
//! Everything is taken once a slot. Which core switches may take packets is the backpressure (both kinds of §3.4: [`InterPod::close_core`],
//! [`InterPod::close_port`]). To be found: as many transfers as possible, in the order of a [`Policy`].
//!
//! # How hard it is
//! With demands within alone, any matching has paths (Kőnig; [`paths`](crate::paths)), so slots and paths can be found one after the other. Demands
//! out change nothing: core switch c of every plane together are a vertex of their own. Demands in come with their colour: the bipartite multigraph
//! is partly coloured already, and the colouring need not extend. Whether a given set of transfers fits in a slot is the question whether classes that can always
//! meet and teachers with given hours have a timetable (racks that send, racks that receive with the planes that packets from the core leave them, planes as hours), which is
//! NP-complete even for three hours (Even, Itai and Shamir, *On the complexity of timetable and multicommodity flow problems*, SIAM J. Comput. 5, 1976).
//! So is the largest set.
//!
//! # What is done
//! One demand after another, in the policy's order, gets the first slot of the batch in which its ends are free and a path exists: a plane that both racks have free;
//! or one that becomes free when two planes are swapped along an alternating path, which may not pass a packet from the core (it cannot change its plane) and may end at one to
//! the core (which takes another core switch). So slots and paths are found together ([`WithCores`]), and the queue and its order are those of
//! [`allocation`](crate::allocation): demands of all kinds stand in one line, so neither traffic within the pod nor that between pods starves. Under max-min fairness
//! a core switch's demand has the place of the host of another pod whose packet it sends next ([`InterPod::set_origin`]): that host has one host's turns, in however many core switches its packets wait. The first in line at the beginning of
//! a batch always gets a slot, unless backpressure forbids it, and under max-min fairness everyone who waits becomes the first.
//!
//! # How far from the optimum
//! When packets have changed planes, demands that were refused are tried again, so in batches of one slot what is given cannot be extended by a transfer. A transfer takes at
//! most four things, each of which keeps at most one transfer of the best set out: at least a quarter of the optimum is reached, whatever the demands. (In larger batches a demand that
//! has a slot is not moved to an earlier one that has become possible.) What is reached in truth, `cargo run --release -p arbiter --example optimum` prints ([`optimum`] has
//! the exact search for small pods, a linear program for larger ones, in which packets may be split over planes, and a bound by maximum flow for those that are too large for that):
//!
//! | pod | mix of demands | of the optimum, mean | worst of all cases | optimum reached in |
//! |---|---|---|---|---|
//! | 2 racks of 2 hosts, 10 demands, 10,000 cases | within alone | 0.886 | 0.500 | 55 % |
//! | | thirds | 0.921 | 0.400 | 62 % |
//! | | in and out alone | 0.955 | 0.500 | 75 % |
//! | 3 racks of 3 hosts, 14 demands, 2,000 cases | within alone | 0.886 | 0.571 | 37 % |
//! | | thirds | 0.947 | 0.667 | 60 % |
//! | | in and out alone | 0.967 | 0.625 | 73 % |
//! | 4 racks of 4 hosts, 64 demands, 100 cases, of the linear program | within alone | 0.852 | 0.687 | |
//! | | thirds | 0.874 | 0.756 | |
//! | | in and out alone | 0.924 | 0.846 | |
//! | 8 racks of 8 hosts, 64 demands, 25 cases, of the linear program | within alone | 0.935 | 0.868 | |
//! | | thirds | 0.966 | 0.925 | |
//! | | in and out alone | 0.983 | 0.907 | |
//! | the same, 256 demands, of the maximum flow | within alone | 0.830 | 0.742 | |
//! | | thirds | 0.855 | 0.806 | |
//! | | in and out alone | 0.884 | 0.835 | |
//!
//! In the small pods the linear program is the optimum but for less than 0.001 on average, so that it is a fair measure for larger ones. That is one slot from random demands in random order. Demands within alone, for which any matching has paths, come off worst: what is lost is lost by
//! taking a maximal matching for a maximum one, as Fastpass does, and not by paths or core switches.
//!
//! Backpressure takes effect for slots that have not been allocated: what a batch has given and has been handed out is still sent. A core switch therefore needs
//! room, above the mark at which it says stop, for what all pods can send it meanwhile: for each pod as many packets as slots pass until its arbiter has heard, and as many more as
//! are handed out ahead, and the rest of the batch ([`slots_after_stop`]).

mod admission;
pub mod optimum;
#[cfg(test)]
mod tests;

pub use admission::WithCores;

use crate::allocation::{Allocator, Policy};
use crate::pod::{Link, Part, Pod, PodError};
use crate::slot::Slot;

/// A pod of two tiers with core switches above.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Attached {
    pod: Pod,
    cores_per_plane: u32,
    pods: u16,
}

impl Attached {
    /// A pod with `cores_per_plane` core switches above each aggregation switch, in a network of `pods` pods.
    ///
    /// # Errors
    /// [`PodError`] if there are none, or more than bits in a word, or the pod has three tiers, or there are too many core switches and pods to be numbered beside hosts.
    pub fn new(pod: Pod, cores_per_plane: u32, pods: u16) -> Result<Attached, PodError> {
        if pod.cores_per_aggregation() > 0 {
            return Err(PodError::ThreeTiers);
        }
        if cores_per_plane == 0 || pods == 0 {
            return Err(PodError::NothingOutside { cores_per_plane, pods });
        }
        if cores_per_plane > crate::pod::LARGEST_FAN {
            return Err(PodError::TooManyLinks { links: cores_per_plane });
        }
        let participants = u64::from(pod.hosts()) + u64::from(pod.uplinks() * cores_per_plane).max(pods.into());
        if participants >= u64::from(u16::MAX) {
            return Err(PodError::TooManyParticipants { participants });
        }
        Ok(Attached { pod, cores_per_plane, pods })
    }

    /// A pod of a fat-tree of switches with `ports` ports, with all its k/2 x k/2 core switches and k pods.
    ///
    /// # Errors
    /// [`PodError`] if that is no even number, or too large.
    pub fn of_fat_tree(ports: u32) -> Result<Attached, PodError> {
        Attached::new(Pod::of_fat_tree(ports)?, ports / 2, u16::try_from(ports).unwrap_or(u16::MAX))
    }

    /// The pod.
    pub fn pod(&self) -> &Pod {
        &self.pod
    }

    /// Core switches above each aggregation switch.
    pub fn cores_per_plane(&self) -> u32 {
        self.cores_per_plane
    }

    /// Pods of the network.
    pub fn pods(&self) -> u16 {
        self.pods
    }

    /// All core switches.
    pub fn cores(&self) -> impl Iterator<Item = Core> + use<> {
        let per_plane = self.cores_per_plane;
        (0..self.pod.uplinks())
            .flat_map(move |plane| (0..per_plane).map(move |number| Core { plane: plane as u8, number: number as u8 }))
    }
}

/// Slots in which a pod can still send to a core switch that has said stop, and so the slots for which the switch needs room, for each pod: `heard`
/// until its arbiter has heard and what it gave before has come, as many as are handed out `ahead`, and the rest of a batch.
pub fn slots_after_stop(heard: u64, ahead: u64, batch: u32) -> u64 {
    heard + ahead + u64::from(batch.saturating_sub(1))
}

/// A core switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Core {
    /// The aggregation switch that it is above, the same in every pod.
    pub plane: u8,
    /// Its number in the plane.
    pub number: u8,
}

/// What is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Demand {
    /// From a host of the pod to another.
    Within {
        /// Who sends.
        source: u16,
        /// Who receives.
        destination: u16,
    },
    /// From a host to a core switch, for another pod.
    Out {
        /// Who sends.
        source: u16,
        /// The pod.
        pod: u16,
    },
    /// From a core switch to a host.
    In {
        /// Where it waits.
        core: Core,
        /// Who receives.
        destination: u16,
    },
}

/// What is given: a transfer and its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Given {
    /// For whom.
    pub demand: Demand,
    /// Over which aggregation switch.
    pub plane: u8,
    /// To or from which core switch of the plane; none within the pod.
    pub core: Option<u8>,
}

impl Given {
    /// The links that it takes, in the pod and up to its core switches.
    pub fn links(self, pod: &Pod) -> impl Iterator<Item = Link> + use<> {
        let (plane, core) = (self.plane, self.core.unwrap_or(0));
        let up = |source: u16| [Link::FromHost(source), Link::FromRack(pod.rack(source), plane)];
        let down = |destination: u16| [Link::ToRack(pod.rack(destination), plane), Link::ToHost(destination)];
        let links = match self.demand {
            Demand::Within { source, destination } => [Some(up(source)), Some(down(destination))],
            Demand::Out { source, .. } => [Some(up(source)), None],
            Demand::In { destination, .. } => [Some(down(destination)), None],
        };
        let last = match self.demand {
            Demand::Within { .. } => None,
            Demand::Out { .. } => Some(Link::FromAggregation(0, plane, core)),
            Demand::In { .. } => Some(Link::ToAggregation(0, plane, core)),
        };
        links.into_iter().flatten().flatten().chain(last)
    }
}

/// The arbiter of a pod among pods: slots and paths for demands of all three kinds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct InterPod {
    allocator: Allocator<WithCores>,
    /// Slots handed out since a batch began, modulo the batch.
    batch: u32,
    number: u32,
}

impl InterPod {
    /// Nothing is wanted yet, and all core switches may take packets.
    ///
    /// # Panics
    /// If `batch` is not within 1..=[`LARGEST_BATCH`](crate::allocation::LARGEST_BATCH).
    pub fn new(attached: &Attached, policy: Policy, batch: u32, first: Slot) -> InterPod {
        let admission = WithCores::new(attached, batch);
        let (sources, destinations) = admission.participants();
        let allocator = Allocator::new(policy, admission, sources, destinations, batch, first);
        InterPod { allocator, batch, number: 0 }
    }

    /// More slots are wanted. O(1).
    ///
    /// # Panics
    /// If there is no such host, core switch or pod.
    pub fn add(&mut self, demand: Demand, slots: u32) {
        let (source, destination) = self.allocator.admission().ends(demand);
        self.allocator.add(source, destination, slots);
    }

    /// What a demand is of: see [`Allocator::set_origin`].
    ///
    /// # Panics
    /// If there is no such host, core switch or pod.
    pub fn set_origin(&mut self, demand: Demand, origin: u16) {
        let (source, destination) = self.allocator.admission().ends(demand);
        self.allocator.set_origin(source, destination, origin);
    }

    /// Slots that are still wanted and not given, in this batch or before.
    ///
    /// # Panics
    /// If there is no such host, core switch or pod.
    pub fn remaining(&self, demand: Demand) -> u32 {
        let (source, destination) = self.allocator.admission().ends(demand);
        self.allocator.remaining(source, destination)
    }

    /// Backpressure of a core switch whose buffer is about to overflow: nothing may be sent to it, or again.
    ///
    /// # Panics
    /// If there is no such core switch.
    pub fn close_core(&mut self, core: Core, closed: bool) {
        self.allocator.admission_mut().close_core(core, closed);
    }

    /// Backpressure of one port of a core switch whose queue is long: nothing may be sent to it for that pod, or again.
    ///
    /// # Panics
    /// If there is no such core switch or pod.
    pub fn close_port(&mut self, core: Core, pod: u16, closed: bool) {
        self.allocator.admission_mut().close_port(core, pod, closed);
    }

    /// Something works from the next batch on, or does not: then nothing is given that needs it.
    ///
    /// # Panics
    /// If it is no part of the pod.
    pub fn set_works(&mut self, part: Part, works: bool) {
        self.allocator.admission_mut().set_works(part, works);
    }

    /// The next slot and what is given in it.
    pub fn next_slot(&mut self) -> (Slot, &[Given]) {
        let number = self.number;
        self.number = (self.number + 1) % self.batch;
        let (slot, _) = self.allocator.next_slot();
        (slot, self.allocator.admission().given(number))
    }
}
