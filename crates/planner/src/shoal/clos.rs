//! How many circuit switches join so many nodes (§3.2, Fig. 2), and how many packet switches would (§5).

use serde::Serialize;
use units::Rate;

/// A two-stage Clos of switches with k ports: k/2 of a leaf's go to nodes, k/2 to spines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Clos {
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

/// k^2/2, the nodes of a full two-stage Clos (§3.2).
pub const fn most_nodes(switch_ports: u64) -> u64 {
    switch_ports / 2 * switch_ports
}

impl Clos {
    /// The smallest that joins `nodes` without blocking; at most [`most_nodes`] of them, and k even.
    ///
    /// Uplink number u of all leaves has to end in the same spine. Else take two leaves that differ in how many uplinks they
    /// have to some spine: the slot in which all nodes of the one send to all of the other does not fit. So a spine takes
    /// floor(k / leaves) uplinks of every leaf, and there are ceil(k/2 / that) spines. In a full Clos these are the k/2 that
    /// counting ports gives; the racks of the paper (8, 512 and 2048 nodes) have as many as counting ports gives, too.
    pub fn new(nodes: u64, switch_ports: u64) -> Clos {
        let down = switch_ports / 2;
        let leaves = nodes.div_ceil(down);
        let trunk = (switch_ports / leaves).min(down);
        Clos { nodes, switch_ports, leaves, spines: down.div_ceil(trunk), trunk }
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

/// A whole network: planes of a Clos.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Network {
    /// One plane of it.
    pub plane: Clos,
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
    /// For `nodes` with `rate` each, of switches with `switch_ports` ports of `port`.
    pub fn new(nodes: u64, rate: Rate, switch_ports: u64, port: Rate) -> Network {
        let (plane, planes) = (Clos::new(nodes, switch_ports), planes(rate, port));
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

    fn counted(nodes: u64, ports: u64) -> (u64, u64) {
        let found = Clos::new(nodes, ports);
        (found.leaves, found.spines)
    }

    #[test]
    fn the_paper_s_sizes() {
        assert_eq!((most_nodes(64), most_nodes(4)), (2_048, 8));
        assert_eq!(counted(8, 4), (4, 2), "Fig. 2: six switches");
        assert_eq!(counted(512, 64), (16, 8), "§5: 24 switches");
        assert_eq!(counted(2_048, 64), (64, 32));
        let shoal = Network::new(512, Rate::from_gbps(100), 64, Rate::from_gbps(50));
        assert_eq!((shoal.planes, shoal.switches, shoal.node_links, shoal.spine_links), (2, 48, 1_024, 1_024));
        assert_eq!(Network::new(512, Rate::from_gbps(50), 64, Rate::from_gbps(50)).switches, 24);
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
        fn ports_suffice_and_every_uplink_has_one(half in 1u64..40, part in 0.0f64..1.0) {
            let ports = 2 * half;
            #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
            let nodes = ((most_nodes(ports) as f64 * part) as u64).max(1);
            let found = Clos::new(nodes, ports);
            prop_assert!(found.leaves * half >= nodes && (found.leaves - 1) * half < nodes);
            prop_assert!(found.trunk * found.leaves <= ports, "a spine has the ports for its trunks");
            prop_assert!(found.trunk * found.spines >= half && found.trunk * (found.spines - 1) < half);
            prop_assert!(found.spines * ports >= found.spine_links());
        }

        #[test]
        fn full_networks_have_three_halves_of_k(half in 1u64..200) {
            let full = Clos::new(most_nodes(2 * half), 2 * half);
            prop_assert_eq!((full.leaves, full.spines, full.trunk), (2 * half, half, 1));
        }
    }
}
