//! Slots that a failed component takes (§3.5, Table 1), in closed form: as the paper has it, and counted over the plane with the fewest
//! switches. [`Decomposition::loss`](super::Decomposition::loss) counts them circuit by circuit, over any schedule and for any failures.

use super::Plane;
use schemars::JsonSchema;
use serde::Serialize;

/// What has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "ShoalComponent")]
pub enum Component {
    /// A node.
    Node,
    /// The link between a node and its leaf.
    NodeLeafLink,
    /// A leaf.
    Leaf,
    /// A link between a leaf and a spine.
    LeafSpineLink,
    /// A spine.
    Spine,
}

/// In Table 1's order.
pub const COMPONENTS: [Component; 5] =
    [Component::Node, Component::NodeLeafLink, Component::Leaf, Component::LeafSpineLink, Component::Spine];

/// Share of the slots of nodes that are not cut off, where one component of a plane has failed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ShoalFailed")]
pub struct Failed {
    /// What has failed.
    pub component: Component,
    /// Table 1's approximation.
    pub printed: f64,
    /// Slots whose own path crosses it. With spines or links that carry unequally many, the mean over them.
    pub one_way: f64,
    /// Slots that are not used: a node that no longer hears another stops sending to it, so a pair is given up both ways.
    pub both_ways: f64,
    /// That of all slots of the rack: each plane has a part of them, and a node is in all planes.
    pub rack: f64,
}

/// What Table 1 prints, for N nodes.
pub fn printed(component: Component, nodes: u64) -> f64 {
    let n = nodes as f64;
    match component {
        Component::Node | Component::NodeLeafLink => 1.0 / n,
        Component::Leaf => 1.0 / (2.0 * n).sqrt(),
        Component::LeafSpineLink => 2.0 / n,
        Component::Spine => 2.0 * 2f64.sqrt() / n.sqrt(),
    }
}

/// A schedule over a Clos whose leaves are all full, down to the uplink of every cell.
///
/// In slot s node i sends to i + s. The node at place x of its leaf sends by uplink x + floor(s / m), modulo the m uplinks: at
/// its own leaf and at the destination's no two cells of a slot have the same, and uplink u of all leaves ends in one spine.
#[derive(Debug, Clone, Copy)]
pub struct Built {
    leaves: u64,
    /// m, nodes and uplinks of a leaf.
    down: u64,
    trunk: u64,
    spines: u64,
}

impl Built {
    /// Over the Clos with all its leaves full.
    pub fn new(plane: &Plane) -> Built {
        Built { leaves: plane.leaves, down: plane.nodes_per_leaf(), trunk: plane.trunk, spines: plane.spines }
    }

    /// Nodes for which it is built.
    pub const fn nodes(&self) -> u64 {
        self.leaves * self.down
    }

    /// Uplink, from 0, by which the node at place `place` of its leaf sends in slot `slot`.
    pub const fn uplink(&self, place: u64, slot: u64) -> u64 {
        (place + slot / self.down) % self.down
    }

    /// By how many uplinks the path back lies beyond the path there, for all pairs of `slot`.
    const fn turn(&self, slot: u64) -> u64 {
        let back = self.nodes() - slot;
        (slot + back / self.down + self.down - (slot / self.down) % self.down) % self.down
    }

    /// Pairs of nodes with a slot in an epoch.
    fn pairs(&self) -> f64 {
        self.nodes() as f64 * (self.nodes() - 1) as f64
    }

    /// Shares of slots (one way, both ways) that fail with `component`, of nodes that are not cut off.
    pub fn failed(&self, component: Component) -> (f64, f64) {
        let others = (self.nodes() - 1) as f64;
        match component {
            Component::Node | Component::NodeLeafLink => (1.0 / others, 1.0 / others),
            Component::Leaf => {
                let lost = (self.down as f64 / others).min(1.0);
                (lost, lost)
            }
            Component::LeafSpineLink => self.leaf_spine_link(),
            Component::Spine => self.spine(),
        }
    }

    /// Every cell goes up by one link of its leaf and down by one of the destination's: within a leaf by the same one.
    fn leaf_spine_link(&self) -> (f64, f64) {
        let (m, n) = (self.down, self.nodes());
        // Of one leaf, over all its uplinks: pairs that use one, and those of them that use the same one back.
        let used = 2 * m * (n - 1) - m * (m - 1);
        let same: u64 = (1..n)
            .filter(|&slot| self.turn(slot) == 0)
            .map(|slot| 2 * m - (m.saturating_sub(slot) + m.saturating_sub(n - slot)))
            .sum();
        let links = m as f64 * self.pairs();
        (used as f64 / links, (2 * used - same) as f64 / links)
    }

    /// Every cell crosses one spine; a pair is given up if either way does.
    fn spine(&self) -> (f64, f64) {
        let m = self.down;
        let with = |uplinks: u64| {
            let of_slot = |slot: u64| {
                let turn = self.turn(slot);
                2 * uplinks - (uplinks.saturating_sub(turn) + uplinks.saturating_sub(m - turn))
            };
            (1..self.nodes()).map(of_slot).sum::<u64>() * self.leaves
        };
        // All spines but the last have as many uplinks.
        let full = self.spines - 1;
        let lost = full * with(self.trunk) + with(m - full * self.trunk);
        (1.0 / self.spines as f64, lost as f64 / (self.spines as f64 * self.pairs()))
    }
}

/// Table 1 for a plane of a rack with `planes`.
pub fn table_1(plane: &Plane, planes: u64) -> Vec<Failed> {
    let built = Built::new(plane);
    let row = |component| {
        let (one_way, both_ways) = built.failed(component);
        let rack = match component {
            Component::Node => both_ways,
            Component::NodeLeafLink | Component::Leaf | Component::LeafSpineLink | Component::Spine => {
                both_ways / planes as f64
            }
        };
        Failed { component, printed: printed(component, plane.nodes), one_way, both_ways, rack }
    };
    COMPONENTS.map(row).into()
}

#[cfg(test)]
mod tests;
