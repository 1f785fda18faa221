//! What a failure takes away (§3.5, Table 1).

use super::{Clos, Decomposition};
use crate::schedule::Place;

/// What can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// A node.
    Node(u32),
    /// The link between a node and its leaf, both directions.
    NodeLink(u32),
    /// A leaf switch.
    Leaf(u32),
    /// The link between a leaf and a spine, both directions.
    LeafSpine {
        /// The leaf.
        leaf: u32,
        /// The spine.
        spine: u32,
    },
    /// A spine switch.
    Spine(u32),
}

/// A part, and of which channel's plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Failure {
    /// What failed.
    pub part: Part,
    /// In which plane; `None`: the same part in all of them. A node that has failed on one channel still sends on the others.
    pub channel: Option<u32>,
}

impl From<Part> for Failure {
    /// In all planes.
    fn from(part: Part) -> Failure {
        Failure { part, channel: None }
    }
}

/// A part that the fabric does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} {number} does not exist; the fabric has {count}, numbered from 0 to {}", .count - 1)]
pub struct NoSuchPart {
    /// `"node"`, `"leaf"`, `"spine"` or `"channel"`.
    pub what: &'static str,
    /// Which.
    pub number: u32,
    /// How many there are; at least one.
    pub count: u32,
}

/// A circuit: in this slot of every epoch, on this channel, `source` is joined to `destination`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Circuit {
    /// Of the epoch.
    pub slot: u32,
    /// Whose plane the circuit crosses.
    pub channel: u32,
    /// Who sends.
    pub source: u32,
    /// Who hears.
    pub destination: u32,
}

/// How much is lost, in circuits an epoch. Table 1's fractions are not all of one kind (see [`Decomposition::loss`]), so there are
/// several counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    /// All circuits of an epoch: `N (N - 1)`.
    pub circuits: u64,
    /// Circuits that cross what has failed.
    pub lost: u64,
    /// Circuits that are not used any more, since detection is symmetric (§3.5): `i` stops sending to `j` when it does not hear `j`.
    pub unused: u64,
    /// Circuits whose source still reaches somebody: `(N - 1)` times the nodes that are not cut off.
    pub circuits_left: u64,
    /// Those of them that cross what has failed.
    pub lost_left: u64,
}

impl Loss {
    /// Of all circuits, how many cross what has failed. Table 1's fraction for a leaf-spine link.
    pub fn share(self) -> f64 {
        self.lost as f64 / self.circuits.max(1) as f64
    }
    /// Of all circuits, how many are not used any more. Table 1's fraction for a spine.
    pub fn share_unused(self) -> f64 {
        self.unused as f64 / self.circuits.max(1) as f64
    }
    /// Of the slots of nodes that are not cut off, how many are lost. Table 1's fraction for a node, its link, and a leaf.
    pub fn share_left(self) -> f64 {
        self.lost_left as f64 / self.circuits_left.max(1) as f64
    }
}

impl Clos {
    /// Whether there is such a part.
    ///
    /// # Errors
    /// If there is not.
    pub fn check(self, failure: Failure, channels: u32) -> Result<(), NoSuchPart> {
        let below = |what, number, count| if number < count { Ok(()) } else { Err(NoSuchPart { what, number, count }) };
        match failure.part {
            Part::Node(node) | Part::NodeLink(node) => below("node", node, self.nodes())?,
            Part::Leaf(leaf) => below("leaf", leaf, self.leaves())?,
            Part::LeafSpine { leaf, spine } => {
                below("leaf", leaf, self.leaves())?;
                below("spine", spine, self.spines())?;
            }
            Part::Spine(spine) => below("spine", spine, self.spines())?,
        }
        failure.channel.map_or(Ok(()), |channel| below("channel", channel, channels))
    }
}

impl Decomposition {
    /// Whether the circuit over which `source` sends in a slot and on a channel crosses `failure`. False if it does not send.
    ///
    /// # Panics
    /// If there is no such slot or channel.
    pub fn crosses(&self, failure: Failure, slot: u32, channel: u32, source: u32) -> bool {
        if failure.channel.is_some_and(|failed| failed != channel) {
            return false;
        }
        let (Some(destination), Some(crossed)) =
            (self.schedule().to(slot, channel, source), self.spine(slot, channel, source))
        else {
            return false;
        };
        let under = |leaf| self.clos().leaf_of(source) == leaf || self.clos().leaf_of(destination) == leaf;
        match failure.part {
            Part::Node(node) | Part::NodeLink(node) => source == node || destination == node,
            Part::Leaf(leaf) => under(leaf),
            Part::LeafSpine { leaf, spine } => crossed == spine && under(leaf),
            Part::Spine(spine) => crossed == spine,
        }
    }

    /// The circuits of an epoch that cross any of `failures`, in the order of slots, channels and sources.
    pub fn lost(&self, failures: &[Failure]) -> impl Iterator<Item = Circuit> {
        let schedule = self.schedule();
        let places =
            (0..schedule.epoch()).flat_map(|slot| (0..schedule.channels()).map(move |channel| Place { slot, channel }));
        places.flat_map(move |Place { slot, channel }| {
            (0..schedule.nodes()).filter_map(move |source| {
                let crosses = failures.iter().any(|&failure| self.crosses(failure, slot, channel, source));
                let destination = schedule.to(slot, channel, source).filter(|_| crosses)?;
                Some(Circuit { slot, channel, source, destination })
            })
        })
    }

    /// How many circuits an epoch loses to `failures`.
    ///
    /// Table 1 counts in three ways, as its numbers show. One node, its link, one leaf (1/N, 1/N, 1/sqrt(2N)): the slots that each node
    /// which is not cut off has lost; of all circuits it would be twice as many. A leaf-spine link (2/N): circuits that cross it, of
    /// all. A spine (2 sqrt(2) / sqrt(N), which is 4/k): a spine carries 2/k of all circuits, and the inverse circuits, unused because
    /// detection is symmetric, are about as many again; for a leaf-spine link those would make 4/N.
    pub fn loss(&self, failures: &[Failure]) -> Loss {
        let schedule = self.schedule();
        let others = u64::from(schedule.living() - 1);
        let mut by_source = vec![0_u64; schedule.nodes() as usize];
        let mut unused = 0;
        for circuit in self.lost(failures) {
            by_source[circuit.source as usize] += 1;
            let back = schedule.place(circuit.destination, circuit.source);
            let back_is_lost = back.is_some_and(|back| {
                let crosses = |&failure| self.crosses(failure, back.slot, back.channel, circuit.destination);
                failures.iter().any(crosses)
            });
            unused += if back_is_lost { 1 } else { 2 };
        }
        let lost = by_source.iter().sum();
        let left = by_source.iter().zip(0..).filter(|&(&lost, node)| schedule.includes(node) && lost < others);
        let (sources, lost_left) = left.fold((0, 0), |(sources, sum), (&lost, _)| (sources + 1, sum + lost));
        Loss {
            circuits: u64::from(schedule.living()) * others,
            lost,
            unused,
            circuits_left: sources * others,
            lost_left,
        }
    }
}
