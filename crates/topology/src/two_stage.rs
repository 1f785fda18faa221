//! Two stages of switches: every leaf joined to every spine.

use crate::builder::Builder;
use crate::tree::Cables;
use crate::{BuildError, Topology};

/// Leaves with hosts, and spines that join all of them: a leaf-spine or, of equal switches, a folded Clos.
pub(crate) struct TwoStage {
    pub label: String,
    pub leaves: u32,
    pub spines: u32,
    pub hosts_per_leaf: u32,
    pub host_leaf: Cables,
    pub leaf_spine: Cables,
}

impl TwoStage {
    /// # Errors
    /// For rates out of range. Counts must have been checked: they are multiplied in 32 bits.
    pub(crate) fn build(self) -> Result<Topology, BuildError> {
        let mut builder = Builder::new(self.label);
        let hosts = self.leaves * self.hosts_per_leaf;
        let hosts: Vec<_> = (0..hosts).map(|i| builder.host(format!("host-{i}"))).collect();
        let leaves: Vec<_> = (0..self.leaves).map(|i| builder.switch(format!("leaf-{i}"), Some(1))).collect();
        let spines: Vec<_> = (0..self.spines).map(|i| builder.switch(format!("spine-{i}"), Some(2))).collect();
        let class = builder.class("host-leaf");
        for (hosts, &leaf) in hosts.chunks(self.hosts_per_leaf as usize).zip(&leaves) {
            for &host in hosts {
                self.host_leaf.lay(&mut builder, host, leaf, class);
            }
        }
        let class = builder.class("leaf-spine");
        for &leaf in &leaves {
            for &spine in &spines {
                self.leaf_spine.lay(&mut builder, leaf, spine, class);
            }
        }
        builder.finish()
    }
}
