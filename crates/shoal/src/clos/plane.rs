//! How few circuit switches join so many nodes (§3.2, Fig. 2), and how few packet switches would (§5).

use super::{Clos, ClosError};
use schemars::JsonSchema;
use serde::Serialize;
use units::Rate;

/// A two-stage Clos of switches with k ports and no more spines than it takes. Where leaves are few, several uplinks of a leaf end in one
/// spine; for [`Clos`] each of them is a spine of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ShoalPlane")]
pub struct Plane {
    /// Nodes that it joins.
    pub nodes: u64,
    /// k, ports of a switch; even.
    pub switch_ports: u64,
    /// Switches that nodes are connected to.
    pub leaves: u64,
    /// Switches that join leaves.
    pub spines: u64,
    /// Links from one leaf to one spine: as many to each, but for a last spine that has fewer.
    pub trunk: u64,
}

impl From<Clos> for Plane {
    /// Uplink number u of all leaves has to end in the same spine. Else take two leaves that differ in how many uplinks they
    /// have to some spine: the slot in which all nodes of the one send to all of the other does not fit. So a spine takes
    /// floor(k / leaves) uplinks of every leaf, and there are ceil(k/2 / that) spines. In a full Clos these are the k/2 that
    /// counting ports gives; the racks of the paper (8, 512 and 2048 nodes) have as many as counting ports gives, too.
    fn from(clos: Clos) -> Plane {
        let trunk = (clos.ports() / clos.leaves()).min(clos.half());
        Plane {
            nodes: clos.nodes().into(),
            switch_ports: clos.ports().into(),
            leaves: clos.leaves().into(),
            spines: clos.half().div_ceil(trunk).into(),
            trunk: trunk.into(),
        }
    }
}

impl Plane {
    /// The smallest that joins `nodes` without blocking.
    ///
    /// # Errors
    /// As [`Clos::new`].
    pub fn new(nodes: u32, switch_ports: u32) -> Result<Plane, ClosError> {
        Ok(Clos::new(nodes, switch_ports)?.into())
    }

    /// Nodes on a full leaf, which are as many as its uplinks.
    pub const fn nodes_per_leaf(&self) -> u64 {
        self.switch_ports / 2
    }

    /// Leaves and spines.
    pub const fn switches(&self) -> u64 {
        self.leaves + self.spines
    }

    /// Links from nodes to leaves, one a node.
    pub const fn node_links(&self) -> u64 {
        self.nodes
    }

    /// Links from leaves to spines. A leaf that is not full has all of its own: the nodes of others detour over them.
    pub const fn spine_links(&self) -> u64 {
        self.leaves * self.nodes_per_leaf()
    }
}

/// Planes of switches that it takes to give every node `rate`: 2 for 100 Gb/s over ports of 50 Gb/s (§5).
pub const fn planes(rate: Rate, port: Rate) -> u64 {
    rate.as_bps().div_ceil(port.as_bps())
}

/// A whole network: planes of switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ShoalNetwork")]
pub struct Network {
    /// One plane of it.
    pub plane: Plane,
    /// How many there are.
    pub planes: u64,
    /// Switches in all planes.
    pub switches: u64,
    /// Links between nodes and leaves.
    pub node_links: u64,
    /// Links between leaves and spines.
    pub spine_links: u64,
}

impl Network {
    /// So many planes that every node has `rate` over ports of `port`.
    pub fn new(plane: Plane, rate: Rate, port: Rate) -> Network {
        let planes = planes(rate, port);
        Network {
            plane,
            planes,
            switches: planes * plane.switches(),
            node_links: planes * plane.node_links(),
            spine_links: planes * plane.spine_links(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plane(nodes: u32, ports: u32) -> Plane {
        Plane::new(nodes, ports).expect("switches that join them")
    }

    fn counted(nodes: u32, ports: u32) -> (u64, u64) {
        let found = plane(nodes, ports);
        (found.leaves, found.spines)
    }

    #[test]
    fn the_paper_s_sizes() {
        assert_eq!(counted(8, 4), (4, 2), "Fig. 2: six switches");
        assert_eq!(counted(512, 64), (16, 8), "§5: 24 switches");
        assert_eq!(counted(2_048, 64), (64, 32));
        let shoal = Network::new(plane(512, 64), Rate::from_gbps(100), Rate::from_gbps(50));
        assert_eq!((shoal.planes, shoal.switches, shoal.node_links, shoal.spine_links), (2, 48, 1_024, 1_024));
        assert_eq!(Network::new(plane(512, 64), Rate::from_gbps(50), Rate::from_gbps(50)).switches, 24);
    }

    #[test]
    fn uneven_trunks_take_more_spines_than_ports_would() {
        // 24 leaves have 768 uplinks, the ports of 12 spines; a spine takes 2 of each leaf, though, not 2 2/3.
        assert_eq!(counted(768, 64), (24, 16));
        assert_eq!(counted(3, 4), (2, 1));
        assert_eq!(counted(1, 2), (1, 1));
    }

    proptest! {
        #[test]
        fn ports_suffice_and_every_uplink_has_one(half in 1u32..40, part in 0.0f64..1.0) {
            let ports = 2 * half;
            let nodes = (f64::from(half * ports) * part) as u32;
            let found = plane(nodes.max(1), ports);
            let (nodes, ports, half) = (found.nodes, u64::from(ports), u64::from(half));
            prop_assert!(found.leaves * half >= nodes && (found.leaves - 1) * half < nodes);
            prop_assert!(found.trunk * found.leaves <= ports, "a spine has the ports for its trunks");
            prop_assert!(found.trunk * found.spines >= half && found.trunk * (found.spines - 1) < half);
            prop_assert!(found.spines * ports >= found.spine_links());
        }

        #[test]
        fn full_networks_have_three_halves_of_k(half in 1u32..200) {
            let clos = Clos::new(2 * half * half, 2 * half).expect("a full Clos");
            let full = Plane::from(clos);
            prop_assert_eq!((full.leaves, full.spines, full.trunk), (2 * u64::from(half), half.into(), 1));
            prop_assert_eq!(full.switches(), u64::from(clos.switches()), "where no uplinks are joined, they are the same");
        }
    }
}
