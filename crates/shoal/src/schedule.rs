//! The fabric schedule: who sends to whom in which slot, over which channel (§3.2, §3.4, App A).
//!
//! A schedule is cyclic: in a slot and a channel every node `i` sends to node `i + shift`, modulo the number of nodes. Each shift from 1
//! to `N - 1` has its place in the epoch, so each ordered pair meets exactly once. With several channels a slot has as many shifts
//! in parallel (§3.4), and an epoch is shorter by that factor, rounded up.
//!
//! Nodes are numbered from 0 (the paper's figures number from 1), and so are slots and channels.
//!
//! ```
//! use shoal::schedule::{Order, Schedule};
//! let rack = Schedule::new(512, 4, Order::Rearranged)?;
//! assert_eq!((rack.epoch(), rack.tolerated_delay()), (128, 64));
//! let meets = rack.place(17, 400).expect("two nodes of the rack");
//! assert_eq!(rack.to(meets.slot, meets.channel, 17), Some(400));
//! # Ok::<(), shoal::schedule::ScheduleError>(())
//! ```

mod epoch;
mod order;
#[cfg(test)]
mod tests;

pub use epoch::{Epoch, quotient};
pub use order::Order;

/// More nodes than this are refused: 32 times what the largest switches of the paper join (§3.2).
pub const MOST_NODES: u32 = 1 << 16;

/// Why there is no such schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// Nobody to send to.
    #[error("`nodes` is {nodes}; a fabric joins 2 to 65536 nodes")]
    Nodes {
        /// What it was given.
        nodes: u32,
    },
    /// Nothing to send over.
    #[error("`channels` is 0; write 1 or more")]
    NoChannels,
    /// Fewer than two nodes are left.
    #[error("{living} of {nodes} nodes are left; a schedule needs at least 2")]
    Left {
        /// How many live.
        living: u32,
        /// How many there were.
        nodes: u32,
    },
}

/// What the fabric does in one slot on one channel: members of rank `first..last` send, each to the one `shift` ranks further.
///
/// Ranks are node numbers unless nodes were left out ([`Schedule::among`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Turn {
    /// From 1 to `N - 1`; 0 if the channel is idle.
    pub shift: u32,
    /// The first rank that sends.
    pub first: u32,
    /// The rank after the last that sends; equal to `first` if the channel is idle.
    pub last: u32,
}

/// A slot of the epoch, and a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Place {
    /// From 0 to the epoch less 1.
    pub slot: u32,
    /// From 0 to the channels less 1.
    pub channel: u32,
}

/// Who takes part, where not all do.
#[derive(Debug, Clone)]
struct Members {
    /// By node; [`Members::ABSENT`] for those left out.
    rank: Box<[u32]>,
    /// By rank.
    node: Box<[u32]>,
}

impl Members {
    const ABSENT: u32 = u32::MAX;
}

/// A fabric schedule. Its memory grows with the number of nodes, not of pairs; every question is answered in O(1).
#[derive(Debug, Clone)]
pub struct Schedule {
    nodes: u32,
    /// How many take part.
    living: u32,
    channels: u32,
    epoch: u32,
    order: Order,
    /// By slot, then channel.
    turns: Box<[Turn]>,
    /// By shift: where its first ranks send. At 0: where the upper half of a halved shift does.
    places: Box<[Place]>,
    members: Option<Members>,
}

impl Schedule {
    /// The schedule of `nodes` nodes with `channels` channels each.
    ///
    /// # Errors
    /// For fewer than two nodes or more than [`MOST_NODES`], and for no channels.
    pub fn new(nodes: u32, channels: u32, order: Order) -> Result<Schedule, ScheduleError> {
        if !(2..=MOST_NODES).contains(&nodes) {
            return Err(ScheduleError::Nodes { nodes });
        }
        Schedule::build(nodes, nodes, channels, order, None)
    }

    /// The schedule of those nodes for which `lives` is true, and no slots for the others: what §7.3 suggests for failures that last.
    /// Nodes keep their numbers; all nodes and switches have to change to it in the same slot.
    ///
    /// # Errors
    /// As [`Schedule::new`], and if fewer than two nodes live.
    pub fn among(lives: &[bool], channels: u32, order: Order) -> Result<Schedule, ScheduleError> {
        let nodes = u32::try_from(lives.len()).unwrap_or(u32::MAX);
        if !(2..=MOST_NODES).contains(&nodes) {
            return Err(ScheduleError::Nodes { nodes });
        }
        let node: Box<[u32]> = (0..nodes).filter(|&node| lives[node as usize]).collect();
        let living = node.len() as u32;
        if living < 2 {
            return Err(ScheduleError::Left { living, nodes });
        }
        if living == nodes {
            return Schedule::build(nodes, nodes, channels, order, None);
        }
        let mut rank = vec![Members::ABSENT; lives.len()].into_boxed_slice();
        for (at, &node) in node.iter().enumerate() {
            rank[node as usize] = at as u32;
        }
        Schedule::build(nodes, living, channels, order, Some(Members { rank, node }))
    }

    fn build(
        nodes: u32,
        living: u32,
        channels: u32,
        order: Order,
        members: Option<Members>,
    ) -> Result<Schedule, ScheduleError> {
        if channels == 0 {
            return Err(ScheduleError::NoChannels);
        }
        let epoch = order.slots(living.into(), channels.into()) as u32;
        let mut turns = vec![Turn::default(); epoch as usize * channels as usize].into_boxed_slice();
        let mut places = vec![Place::default(); living as usize].into_boxed_slice();
        order.lay(living, channels, epoch, |turn, place| {
            let there = &mut turns[(place.slot * channels + place.channel) as usize];
            debug_assert_eq!(*there, Turn::default(), "one shift at a time on a channel");
            *there = turn;
            places[if turn.first == 0 { turn.shift as usize } else { 0 }] = place;
        });
        Ok(Schedule { nodes, living, channels, epoch, order, turns, places, members })
    }

    /// How many nodes there are, those left out included.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }
    /// How many take part.
    pub fn living(&self) -> u32 {
        self.living
    }
    /// How many channels a node has.
    pub fn channels(&self) -> u32 {
        self.channels
    }
    /// Slots of an epoch: after so many, everything repeats.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }
    /// In which order the shifts come.
    pub fn order(&self) -> Order {
        self.order
    }
    /// Whether `node` takes part.
    pub fn includes(&self, node: u32) -> bool {
        self.rank(node).is_some()
    }

    /// What the fabric does in a slot of the epoch on a channel. For loops over all nodes, with [`Schedule::node`]; the closed form of
    /// [`Schedule::to`].
    ///
    /// # Panics
    /// If there is no such slot or channel.
    #[inline]
    pub fn turn(&self, slot: u32, channel: u32) -> Turn {
        debug_assert!(channel < self.channels);
        self.turns[slot as usize * self.channels as usize + channel as usize]
    }

    /// Which node has this rank among those that take part.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub fn node(&self, rank: u32) -> u32 {
        match &self.members {
            None => rank,
            Some(members) => members.node[rank as usize],
        }
    }

    #[inline]
    fn rank(&self, node: u32) -> Option<u32> {
        match &self.members {
            None => (node < self.nodes).then_some(node),
            Some(members) => members.rank.get(node as usize).copied().filter(|&rank| rank != Members::ABSENT),
        }
    }

    /// Whom `node` sends to in a slot of the epoch on a channel; `None` if it does not.
    ///
    /// # Panics
    /// If there is no such slot or channel.
    #[inline]
    pub fn to(&self, slot: u32, channel: u32, node: u32) -> Option<u32> {
        let turn = self.turn(slot, channel);
        let rank = self.rank(node)?;
        if !(turn.first..turn.last).contains(&rank) {
            return None;
        }
        let to = rank + turn.shift;
        Some(self.node(if to < self.living { to } else { to - self.living }))
    }

    /// Whom `node` hears in a slot of the epoch on a channel; `None` if nobody.
    ///
    /// # Panics
    /// If there is no such slot or channel.
    #[inline]
    pub fn from(&self, slot: u32, channel: u32, node: u32) -> Option<u32> {
        let turn = self.turn(slot, channel);
        let rank = self.rank(node)?;
        let from = if rank < turn.shift { rank + self.living - turn.shift } else { rank - turn.shift };
        (turn.first..turn.last).contains(&from).then(|| self.node(from))
    }

    /// Where in the epoch `source` sends to `destination`; `None` for a node to itself and for nodes that do not take part.
    pub fn place(&self, source: u32, destination: u32) -> Option<Place> {
        let (source, destination) = (self.rank(source)?, self.rank(destination)?);
        if source == destination {
            return None;
        }
        let shift = if destination > source { destination - source } else { destination + self.living - source };
        let place = self.places[shift as usize];
        let turn = self.turn(place.slot, place.channel);
        Some(if source < turn.last { place } else { self.places[0] })
    }

    /// Slots from a cell of `source` to `destination` until `destination` next sends to `source`: 1 to a whole epoch. A whole epoch
    /// says that they send to each other in the same slot.
    pub fn distance(&self, source: u32, destination: u32) -> Option<u32> {
        let (there, back) = (self.place(source, destination)?, self.place(destination, source)?);
        Some(if back.slot > there.slot { back.slot - there.slot } else { back.slot + self.epoch - there.slot })
    }

    /// The largest propagation delay, in slots, at which every node has the last cell from another before it next sends to that one:
    /// App A's `k`, for the worst ordered pair. Zero if any two send to each other in the same slot.
    ///
    /// Both directions count, since the two distances of a pair make up an epoch: a pair that is far apart one way is close the
    /// other way. So no schedule tolerates more than half an epoch.
    pub fn tolerated_delay(&self) -> u32 {
        let pairs = (1..self.living).filter_map(|rank| {
            let (one, other) = (self.node(0), self.node(rank));
            Some(self.distance(one, other)?.min(self.distance(other, one)?) % self.epoch)
        });
        pairs.min().unwrap_or(0)
    }
}
