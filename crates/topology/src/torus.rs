//! The torus of any number of dimensions: a rack without switches of its own, whose nodes pass on each other's traffic (R2C2, SIGCOMM
//! 2015; Shoal, NSDI 2019, §7.3).
//!
//! A node of such a rack is a host and a switch in one box, and here it is both: a switch, and a host on it. So the link between the
//! two is inside the box.

#[cfg(test)]
mod tests;

use crate::builder::{Builder, LinkSpec};
use crate::{BuildError, Handle, Topology};
use units::{Pace, Rate};

/// A torus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torus {
    /// Nodes along each dimension. A dimension of two joins them by two cables, one each way round; one of a single node has none.
    pub sizes: Vec<u32>,
    /// Rate of the link between a host and the switch in its box; as much as the node's links to others have together if not given.
    pub host_rate: Option<Rate>,
}

/// Most dimensions: 16 of two nodes are 65536 nodes.
const MOST_DIMENSIONS: usize = 16;

impl Torus {
    /// Switch `i` of a torus of sizes `[x, y, z]` is at `(i mod x, i / x mod y, i / (x y))`, and host `i` is on it. Links along a
    /// dimension are a class, `dimension-0` and so on.
    ///
    /// # Errors
    /// For a rate out of range. Sizes must have been checked.
    pub(crate) fn build(&self, label: String, link: LinkSpec) -> Result<Topology, BuildError> {
        let mut builder = Builder::new(label);
        let nodes: u32 = self.sizes.iter().product();
        let hosts: Vec<Handle> = (0..nodes).map(|i| builder.host(format!("host-{i}"))).collect();
        let switches: Vec<Handle> = (0..nodes).map(|i| builder.switch(format!("switch-{i}"), Some(1))).collect();
        let class = builder.class("host-switch");
        let inside = LinkSpec { rate: self.host_rate.unwrap_or_else(|| self.rate_of_node(link.rate)), ..link };
        for (&host, &switch) in hosts.iter().zip(&switches) {
            builder.cable(host, switch, class, inside);
        }
        let mut stride = 1;
        for (dimension, &size) in self.sizes.iter().enumerate().filter(|(_, size)| **size > 1) {
            let class = builder.class(&format!("dimension-{dimension}"));
            for node in 0..nodes {
                let place = node / stride % size;
                let next = node - place * stride + (place + 1) % size * stride;
                builder.cable(switches[node as usize], switches[next as usize], class, link);
            }
            stride *= size;
        }
        builder.finish()
    }

    /// Links of a node to others.
    fn degree(&self) -> u64 {
        2 * self.sizes.iter().filter(|size| **size > 1).count() as u64
    }

    /// What these links carry together, as far as a link can have it.
    fn rate_of_node(&self, rate: Rate) -> Rate {
        Rate::from_bps(rate.as_bps().saturating_mul(self.degree())).min(Pace::FASTEST)
    }

    /// Hosts, switches, cables; refuses what can't be built, but for its size.
    pub(crate) fn counts(&self) -> Result<(u128, u128, u128), BuildError> {
        let count = self.sizes.len();
        if count == 0 || count > MOST_DIMENSIONS {
            return Err(BuildError::Dimensions { count, most: MOST_DIMENSIONS });
        }
        if self.sizes.contains(&0) {
            return Err(BuildError::NoNodes);
        }
        // What is too large for 64 bits is as large as that: it is refused, and that is all.
        let nodes = self.sizes.iter().fold(1, |nodes: u64, &size| nodes.saturating_mul(u64::from(size)));
        if nodes == 1 {
            return Err(BuildError::OneNode);
        }
        let nodes = u128::from(nodes);
        Ok((nodes, nodes, nodes + nodes * u128::from(self.degree() / 2)))
    }

    /// `"torus, 8 x 8 x 8"`.
    pub(crate) fn label(&self) -> String {
        let sizes: Vec<String> = self.sizes.iter().map(u32::to_string).collect();
        let ring = if self.sizes.len() == 1 { " (a ring)" } else { "" };
        format!("torus, {}{ring}", sizes.join(" x "))
    }
}
