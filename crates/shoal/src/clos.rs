//! The fabric's switches: a two-stage folded Clos of circuit switches, and what each of them does in each slot (§3.2, Figs 2 to 4).
//!
//! A leaf has half its ports for nodes and half for uplinks, one to each spine; a spine has a port for each leaf. Every path crosses
//! leaf, spine, leaf, even under one leaf, so that all are equally long (§3.2). Each channel has such a plane of switches to itself
//! (§3.4: channels "can be switched independently").
//!
//! ```
//! use shoal::clos::{Clos, Decomposition};
//! use shoal::schedule::{Order, Schedule};
//! let clos = Clos::new(8, 4)?;
//! let fabric = Decomposition::new(clos, Schedule::new(8, 1, Order::Cyclic)?);
//! // Fig 4: in slot 1, switch 1 joins port a to port d, and b to c.
//! let slot = fabric.configuration(0, 0);
//! assert_eq!((slot.leaf(0, 0), slot.leaf(0, 1)), (Some(3), Some(2)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod colouring;
mod failures;
mod plane;
mod table_1;
#[cfg(test)]
mod tests;

pub use failures::{Circuit, Failure, Loss, NoSuchPart, Part};
pub use plane::{Network, Plane, planes};
pub use table_1::{Built, COMPONENTS, Component, Failed, printed, table_1};

use crate::schedule::Schedule;
use colouring::Colouring;

/// Switches with more ports than this are refused; 362 join as many nodes as a schedule can have, and closed forms go further.
pub const MOST_PORTS: u32 = 4096;

/// Why there is no such fabric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClosError {
    /// Ports that are not 2, 4, 6, ...
    #[error(
        "`ports` is {ports}; a switch has half its ports up and half down: write an even number from 2 to {MOST_PORTS}"
    )]
    Ports {
        /// What it was given.
        ports: u32,
    },
    /// More nodes than the switches join.
    #[error(
        "`nodes` is {nodes}; two stages of {ports}-port switches join 1 to {most}: write fewer, or `ports` of {least} or more"
    )]
    Nodes {
        /// What it was given.
        nodes: u32,
        /// Ports of a switch.
        ports: u32,
        /// `ports^2 / 2`.
        most: u32,
        /// The least ports that do.
        least: u32,
    },
}

/// Two stages of circuit switches. Nodes fill the leaves in the order of their numbers; spines, and ports of either kind, are numbered
/// from 0. Ports of a leaf: those of nodes first, then the uplinks in the order of the spines. Ports of a spine: by leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clos {
    nodes: u32,
    ports: u32,
}

impl Clos {
    /// Switches of `ports` ports that join `nodes` nodes.
    ///
    /// # Errors
    /// For ports that are odd, none or more than [`MOST_PORTS`], and for no nodes or more than `ports^2 / 2`.
    pub fn new(nodes: u32, ports: u32) -> Result<Clos, ClosError> {
        if ports == 0 || ports % 2 == 1 || ports > MOST_PORTS {
            return Err(ClosError::Ports { ports });
        }
        let most = ports * ports / 2;
        if nodes == 0 || nodes > most {
            let least = (1..).map(|half| half * 2).find(|&ports: &u64| ports * ports / 2 >= u64::from(nodes));
            let least = least.and_then(|least| u32::try_from(least).ok()).unwrap_or(MOST_PORTS).max(2);
            return Err(ClosError::Nodes { nodes, ports, most, least });
        }
        Ok(Clos { nodes, ports })
    }

    /// How many nodes it joins.
    pub fn nodes(self) -> u32 {
        self.nodes
    }
    /// Ports of a switch.
    pub fn ports(self) -> u32 {
        self.ports
    }
    /// Half the ports of a switch: a leaf's nodes, and its uplinks.
    pub fn half(self) -> u32 {
        self.ports / 2
    }
    /// Leaves that have nodes. The last may have fewer than [`Clos::half`].
    pub fn leaves(self) -> u32 {
        self.nodes.div_ceil(self.half())
    }
    /// Spines: as many as a leaf has uplinks. Any node may need any of them.
    pub fn spines(self) -> u32 {
        self.half()
    }
    /// Switches in a plane.
    pub fn switches(self) -> u32 {
        self.leaves() + self.spines()
    }
    /// The leaf that `node` is joined to.
    pub fn leaf_of(self, node: u32) -> u32 {
        node / self.half()
    }
    /// The port of its leaf that `node` is joined to.
    pub fn port_of(self, node: u32) -> u32 {
        node % self.half()
    }
    /// The port of a leaf that leads to `spine`.
    pub fn uplink(self, spine: u32) -> u32 {
        self.half() + spine
    }
}

/// What every switch of a plane does in one slot: for each port, which port it sends what comes in there to.
///
/// A switch is a crossbar whose inputs and outputs are set separately: port 0 may go to port 3 while port 3 goes to port 1 (§4.1, one
/// multiplexer a port).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configuration {
    ports: usize,
    /// By switch and port of entry; [`Configuration::OPEN`] for nothing.
    leaves: Vec<u16>,
    spines: Vec<u16>,
}

impl Configuration {
    const OPEN: u16 = u16::MAX;

    /// Where `leaf` sends what comes in at `port`; `None` if no circuit starts there.
    pub fn leaf(&self, leaf: u32, port: u32) -> Option<u32> {
        Configuration::read(&self.leaves[leaf as usize * self.ports..][..self.ports], port)
    }
    /// Where `spine` sends what comes in at `port`; `None` if no circuit starts there.
    pub fn spine(&self, spine: u32, port: u32) -> Option<u32> {
        Configuration::read(&self.spines[spine as usize * self.ports..][..self.ports], port)
    }
    fn read(switch: &[u16], port: u32) -> Option<u32> {
        Some(switch[port as usize]).filter(|&out| out != Configuration::OPEN).map(u32::from)
    }
}

/// A fabric schedule taken apart into one schedule a switch.
///
/// In each slot and channel the circuits are a partial permutation of the nodes, and a spine must be found for each such that no two
/// from one leaf, and no two to one leaf, have the same: an edge colouring of the bipartite graph of leaves, which exists because no
/// leaf has more nodes than there are spines (König). Where nodes fill the leaves it is closed-form: the spine is the number of the
/// port that the destination has at its leaf. The nodes of a leaf are consecutive, so their destinations are too, and have different
/// ports; and the nodes under the destination's leaf have different ports because they are different nodes.
///
/// Closed-form fabrics take no memory; others two bytes for each slot, channel and node.
#[derive(Debug, Clone)]
pub struct Decomposition {
    clos: Clos,
    schedule: Schedule,
    /// By slot, channel and source, where there is no closed form.
    spines: Option<Box<[u16]>>,
}

impl Decomposition {
    /// Routes every circuit of `schedule` over `clos`. O(slots x channels x nodes), less where it is closed-form.
    ///
    /// # Panics
    /// If the schedule has more nodes than the fabric.
    pub fn new(clos: Clos, schedule: Schedule) -> Decomposition {
        assert!(schedule.nodes() <= clos.nodes(), "each node of the schedule has a port");
        let nodes = schedule.nodes();
        let fills = nodes.is_multiple_of(clos.half()) || nodes < clos.half();
        let spines = (schedule.living() < nodes || !fills).then(|| Decomposition::route(clos, &schedule));
        Decomposition { clos, schedule, spines }
    }

    fn route(clos: Clos, schedule: &Schedule) -> Box<[u16]> {
        let mut colouring = Colouring::new(clos.leaves(), clos.spines());
        let mut spines = Vec::with_capacity((schedule.epoch() * schedule.channels() * schedule.nodes()) as usize);
        for slot in 0..schedule.epoch() {
            for channel in 0..schedule.channels() {
                colouring.clear();
                for source in 0..schedule.nodes() {
                    let destination = schedule.to(slot, channel, source);
                    colouring.add(destination.map(|to| (clos.leaf_of(source), clos.leaf_of(to), clos.port_of(to))));
                }
                spines.extend_from_slice(colouring.colours());
            }
        }
        spines.into_boxed_slice()
    }

    /// The switches.
    pub fn clos(&self) -> Clos {
        self.clos
    }
    /// The fabric schedule.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Which spine the cell of `source` crosses in a slot of the epoch on a channel; `None` if it sends to nobody.
    ///
    /// # Panics
    /// If there is no such slot or channel.
    pub fn spine(&self, slot: u32, channel: u32, source: u32) -> Option<u32> {
        let destination = self.schedule.to(slot, channel, source)?;
        Some(match &self.spines {
            None => self.clos.port_of(destination),
            Some(spines) => {
                let turn = (slot * self.schedule.channels() + channel) as usize;
                u32::from(spines[turn * self.schedule.nodes() as usize + source as usize])
            }
        })
    }

    /// What every switch of the channel's plane does in a slot of the epoch.
    ///
    /// # Panics
    /// If there is no such slot or channel.
    pub fn configuration(&self, slot: u32, channel: u32) -> Configuration {
        let clos = self.clos;
        let ports = clos.ports() as usize;
        let mut leaves = vec![Configuration::OPEN; clos.leaves() as usize * ports];
        let mut spines = vec![Configuration::OPEN; clos.spines() as usize * ports];
        for source in 0..self.schedule.nodes() {
            let Some(destination) = self.schedule.to(slot, channel, source) else { continue };
            let Some(spine) = self.spine(slot, channel, source) else { continue };
            let (up, down) = (clos.leaf_of(source), clos.leaf_of(destination));
            let join = |switches: &mut [u16], switch: u32, from: u32, to: u32| {
                let circuit = &mut switches[switch as usize * ports + from as usize];
                debug_assert_eq!(*circuit, Configuration::OPEN, "a port takes one cell a slot");
                *circuit = to as u16;
            };
            join(&mut leaves, up, clos.port_of(source), clos.uplink(spine));
            join(&mut spines, spine, up, down);
            join(&mut leaves, down, clos.uplink(spine), clos.port_of(destination));
        }
        Configuration { ports, leaves, spines }
    }
}
