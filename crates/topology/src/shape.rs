//! Regular topologies, by their parameters.

#[cfg(test)]
pub(crate) mod tests;

use crate::an3::An3;
use crate::build_error::check_rate;
use crate::builder::{Builder, LIMIT, LinkSpec};
use crate::clos::Clos;
use crate::torus::Torus;
use crate::tree::{Cables, Tree};
use crate::two_stage::TwoStage;
use crate::{BuildError, Topology};
use units::{Rate, Span};

/// A regular topology.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A k-ary fat-tree: k pods of k/2 edge and k/2 aggregation switches, and (k/2)² cores, all of k ports
    /// (al-Fares et al., SIGCOMM 2008, §3.1).
    FatTree {
        /// Ports of a switch; even.
        k: u32,
        /// Bandwidth from hosts over bandwidth upwards, at edge switches: each has k/2 times this many hosts, which must be
        /// whole. At least 1.
        oversubscription: f64,
    },
    /// Every leaf joined to every spine by one cable.
    LeafSpine {
        /// Switches with hosts.
        leaves: u32,
        /// Switches that join them.
        spines: u32,
        /// Hosts of each leaf.
        hosts_per_leaf: u32,
    },
    /// Two stages of switches of one radix r: leaves with r/2 hosts and r/2 uplinks, r/2 spines.
    FoldedClos {
        /// Ports of a switch; even.
        radix: u32,
        /// Leaves, at most `radix`; as many as that if not given.
        leaves: Option<u32>,
    },
    /// Tiers of switches above leaves, joined by single links as far as can be: a folded Clos of any depth.
    Clos(Clos),
    /// All hosts on one switch.
    Star {
        /// How many.
        hosts: u32,
    },
    /// Every host on each of several switches, which nothing else joins.
    Planes {
        /// How many hosts.
        hosts: u32,
        /// How many switches.
        planes: u32,
    },
    /// Hosts with a switch each, joined to their neighbours in any number of dimensions, the last with the first.
    Torus(Torus),
    /// NICs that pass on what others send, and two switches a container.
    An3(An3),
}

/// How large a shape is, in closed form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Hosts.
    pub hosts: u32,
    /// Switches.
    pub switches: u32,
    /// Cables, each of two links.
    pub cables: u32,
}

impl Shape {
    /// The graph, all links alike but for those between hosts of AN3, which have half the rate and a delay of their own.
    pub fn build(&self, rate: Rate, delay: Span) -> Result<Topology, BuildError> {
        check_rate(rate)?;
        self.size()?;
        let link = Cables::one(LinkSpec { rate, delay, queue: None });
        let label = self.label();
        match *self {
            Shape::Clos(ref clos) => clos.build(label, link),
            Shape::FatTree { k, oversubscription } => Tree {
                label,
                pods: k,
                edges_per_pod: k / 2,
                aggregations_per_pod: k / 2,
                hosts_per_edge: hosts_per_edge(k, oversubscription)?,
                cores_per_aggregation: k / 2,
                host_edge: link,
                edge_aggregation: link,
                aggregation_core: link,
            }
            .build(),
            Shape::LeafSpine { leaves, spines, hosts_per_leaf } => {
                TwoStage { label, leaves, spines, hosts_per_leaf, host_leaf: link, leaf_spine: link }.build()
            }
            Shape::FoldedClos { radix, leaves } => TwoStage {
                label,
                leaves: leaves.unwrap_or(radix),
                spines: radix / 2,
                hosts_per_leaf: radix / 2,
                host_leaf: link,
                leaf_spine: link,
            }
            .build(),
            Shape::Star { hosts } => {
                let mut builder = Builder::new(label);
                let switch = builder.switch("switch-0", Some(1));
                let class = builder.class("host-switch");
                for host in 0..hosts {
                    let host = builder.host(format!("host-{host}"));
                    link.lay(&mut builder, host, switch, class);
                }
                builder.finish()
            }
            Shape::Torus(ref torus) => torus.build(label, link.up),
            Shape::An3(ref an3) => an3.build(label, link.up),
            Shape::Planes { hosts, planes } => {
                let mut builder = Builder::new(label);
                let switches: Vec<_> =
                    (0..planes).map(|plane| builder.switch(format!("switch-{plane}"), Some(1))).collect();
                let class = builder.class("host-switch");
                for host in 0..hosts {
                    let host = builder.host(format!("host-{host}"));
                    for &switch in &switches {
                        link.lay(&mut builder, host, switch, class);
                    }
                }
                builder.finish()
            }
        }
    }

    /// Counts without building; refuses what [`Shape::build`] refuses, but for the rate.
    pub fn size(&self) -> Result<Size, BuildError> {
        let (hosts, switches, cables) = match *self {
            Shape::FatTree { k, oversubscription } => {
                even("k", "fat-tree", k)?;
                let (half, per_edge) = (u128::from(k / 2), u128::from(hosts_per_edge(k, oversubscription)?));
                let edges = u128::from(k) * half;
                (edges * per_edge, 2 * edges + half * half, edges * (per_edge + 2 * half))
            }
            Shape::LeafSpine { leaves, spines, hosts_per_leaf } => {
                let shape = "leaf-spine";
                let [leaves, spines, per_leaf] =
                    [("leaves", leaves), ("spines", spines), ("hosts_per_leaf", hosts_per_leaf)]
                        .map(|(key, value)| not_zero(key, shape, value));
                let (leaves, spines, per_leaf) = (leaves?, spines?, per_leaf?);
                (leaves * per_leaf, leaves + spines, leaves * (per_leaf + spines))
            }
            Shape::FoldedClos { radix, leaves } => {
                let shape = "folded Clos";
                even("radix", shape, radix)?;
                let leaves = leaves.unwrap_or(radix);
                if leaves == 0 || leaves > radix {
                    return Err(BuildError::TooManyLeaves { leaves, radix });
                }
                let (leaves, half) = (u128::from(leaves), u128::from(radix / 2));
                (leaves * half, leaves + half, leaves * 2 * half)
            }
            Shape::Clos(ref clos) => {
                clos.check()?;
                clos.counts()
            }
            Shape::Star { hosts } => {
                let hosts = not_zero("hosts", "star", hosts)?;
                (hosts, 1, hosts)
            }
            Shape::Planes { hosts, planes } => {
                let shape = "topology of planes";
                let hosts = not_zero("hosts", shape, hosts)?;
                let planes = not_zero("planes", shape, planes)?;
                (hosts, planes, hosts * planes)
            }
            Shape::Torus(ref torus) => torus.counts()?,
            Shape::An3(ref an3) => an3.counts()?,
        };
        for (what, count) in [("nodes", hosts + switches), ("cables", cables)] {
            if count > u128::from(LIMIT) {
                return Err(BuildError::TooLarge { label: self.label(), what, count, limit: LIMIT });
            }
        }
        let [hosts, switches, cables] =
            [hosts, switches, cables].map(|count| u32::try_from(count).expect("below the limit"));
        Ok(Size { hosts, switches, cables })
    }

    /// `"fat-tree, k = 12"`.
    pub fn label(&self) -> String {
        match *self {
            Shape::FatTree { k, oversubscription: 1.0 } => format!("fat-tree, k = {k}"),
            Shape::FatTree { k, oversubscription } => format!("fat-tree, k = {k}, oversubscription {oversubscription}"),
            Shape::LeafSpine { leaves, spines, hosts_per_leaf } => {
                let count = |count, one| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
                let (hosts, spines) = (count(hosts_per_leaf, "host"), count(spines, "spine"));
                format!(
                    "leaf-spine, {leaves} {} with {hosts} each, {spines}",
                    if leaves == 1 { "leaf" } else { "leaves" }
                )
            }
            Shape::FoldedClos { radix, leaves } => {
                format!("folded Clos, radix {radix}, {} leaves", leaves.unwrap_or(radix))
            }
            Shape::Clos(ref clos) => clos.label(),
            Shape::Star { .. } => "star".to_owned(),
            Shape::Torus(ref torus) => torus.label(),
            Shape::An3(ref an3) => an3.label(),
            Shape::Planes { planes, .. } => format!("{planes} plane{}", if planes == 1 { "" } else { "s" }),
        }
    }
}

fn even(key: &'static str, shape: &'static str, value: u32) -> Result<(), BuildError> {
    if value >= 2 && value.is_multiple_of(2) { Ok(()) } else { Err(BuildError::Odd { key, shape, value }) }
}

pub(crate) fn not_zero(key: &'static str, shape: &'static str, value: u32) -> Result<u128, BuildError> {
    if value == 0 { Err(BuildError::Zero { key, shape }) } else { Ok(u128::from(value)) }
}

/// Hosts of an edge switch. A value written with few digits (1.3333 for 4/3) is taken for the whole number it is meant for.
fn hosts_per_edge(k: u32, oversubscription: f64) -> Result<u32, BuildError> {
    if oversubscription.is_nan() || oversubscription < 1.0 {
        return Err(BuildError::Undersubscribed { value: oversubscription });
    }
    let half = f64::from(k / 2);
    let hosts = half * oversubscription;
    if hosts > f64::from(LIMIT) {
        let label = Shape::FatTree { k, oversubscription }.label();
        return Err(BuildError::TooLarge { label, what: "hosts an edge switch", count: hosts as u128, limit: LIMIT });
    }
    // Values are suggested with four digits, so as many must do.
    if (hosts - hosts.round()).abs() > 1e-4 * half {
        let four_digits = |hosts: f64| (hosts / half * 1e4).round() / 1e4;
        let (below, above) = (four_digits(hosts.floor()), four_digits(hosts.ceil()));
        return Err(BuildError::PartOfAHost { value: oversubscription, k, hosts, below, above });
    }
    Ok(hosts.round() as u32)
}
