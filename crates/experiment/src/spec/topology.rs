//! `[topology]`: hosts, switches, links.

use super::OutsideSpec;
use fabric::Red;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{DelayText, Length, QueueText, RateText, Threshold, ThresholdText};
use std::collections::BTreeMap;
use units::{Rate, Span};

/// The graph: hosts, switches and the links between them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TopologySpec {
    /// Its kind and size.
    #[serde(flatten)]
    pub kind: TopologyKind,
    /// Rate of every link, in each direction, but for those of hosts in a torus (`host_rate`), unless `topology.links` or `topology.link` says otherwise.
    #[serde(default = "hundred_gigabits")]
    #[schemars(with = "RateText")]
    pub rate: Rate,
    /// Time that light and electronics take from one end of a link to the other, unless `topology.links` or
    /// `topology.link` says otherwise. 5 ns a metre of fibre, plus what a switch takes to pass a frame on.
    #[serde(default = "one_microsecond")]
    #[schemars(with = "DelayText")]
    pub delay: Span,
    /// What is different about a class of links: `[topology.links.CLASS]`. The classes are `host-edge`, `edge-aggregation`
    /// and `aggregation-core` of a fat-tree, `host-leaf` and `leaf-spine` of a leaf-spine and a folded Clos, `host-leaf`,
    /// `leaf-tier1`, `tier1-tier2` and so on of a Clos, `host-switch` of a star and
    /// of planes, `host-switch`, `dimension-0`, `dimension-1` and so on of a torus; a topology from a file has those that its file names.
    #[serde(default)]
    pub links: BTreeMap<String, LinkSpec>,
    /// What is different about single links: `[[topology.link]]`, applied after `links`, in the order of the file.
    #[serde(default)]
    pub link: Vec<OneLinkSpec>,
    /// What is outside, if this is a rack that is joined to an outside network.
    #[serde(default)]
    pub outside: Option<OutsideSpec>,
}

/// The kinds of topologies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TopologyKind {
    /// Three layers of switches with k ports each: k pods of k/2 edge and k/2 aggregation switches, and (k/2)^2 core switches.
    /// k^3/4 hosts at full bisection (Al-Fares et al., SIGCOMM 2008).
    FatTree(FatTreeSpec),
    /// Two layers: every leaf switch has one link to every spine switch.
    LeafSpine(LeafSpineSpec),
    /// Two layers of equal switches at full bisection: a leaf has as many links up as it has hosts.
    FoldedClos(FoldedClosSpec),
    /// Leaf switches with hosts and any number of tiers of switches above, joined by single links: a folded Clos of any depth,
    /// oversubscription and size of pods. Leaves of a pod have a link to every tier-1 switch of the pod; the tier-1 switches of
    /// a pod are dealt out to the groups of tier 2, and so on. A node with more uplinks than there are switches to share them
    /// has several to each.
    Clos(ClosSpec),
    /// All hosts on one switch: nothing but their own links to share.
    Star(StarSpec),
    /// Every host on each of several switches, which nothing else joins: a network of planes, or a rack of crosspoints.
    Planes(PlanesSpec),
    /// A rack without switches of its own: each node is a host and a switch in one box, joined to its neighbours along each of any
    /// number of dimensions, the last with the first. Host `i` is on switch `i`; of sizes `[x, y, z]` that is place i mod x of the
    /// first dimension, i / x mod y of the second and i / (x y) of the third.
    Torus(TorusSpec),
    /// Any graph, from a file.
    File(FileSpec),
}

/// A k-ary fat-tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FatTreeSpec {
    /// Ports of a switch; even. 4 gives 16 hosts, 8 gives 128, 12 gives 432, 16 gives 1024, 24 gives 3456.
    #[schemars(range(min = 2, max = 128), example = 12)]
    pub k: u32,
    /// Hosts on an edge switch for each of its links up; hosts per edge switch are k/2 times this, which must be whole.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1000))]
    pub oversubscription: f64,
}

/// Two layers, fully meshed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeafSpineSpec {
    /// Leaf switches (top of rack).
    #[schemars(range(min = 1, max = 100_000), example = 8)]
    pub leaves: u32,
    /// Spine switches.
    #[schemars(range(min = 1, max = 100_000), example = 4)]
    pub spines: u32,
    /// Hosts on each leaf switch.
    #[schemars(range(min = 1, max = 100_000), example = 16)]
    pub hosts_per_leaf: u32,
}

/// A folded Clos of equal switches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FoldedClosSpec {
    /// Ports of a switch; even. Half of a leaf's ports go to hosts.
    #[schemars(range(min = 2, max = 4096), example = 16)]
    pub radix: u32,
    /// Leaf switches, up to `radix`, which is also the default: the largest network that these switches can build.
    #[serde(default)]
    #[schemars(range(min = 1, max = 4096))]
    pub leaves: Option<u32>,
}

/// Tiers of switches above leaves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClosSpec {
    /// Leaf switches.
    #[schemars(range(min = 1, max = 1_000_000), example = 256)]
    pub leaves: u32,
    /// Hosts on each leaf switch.
    #[schemars(range(min = 1, max = 100_000), example = 32)]
    pub hosts_per_leaf: u32,
    /// Links up from each leaf switch.
    #[schemars(range(min = 1, max = 100_000), example = 32)]
    pub uplinks: u32,
    /// The tiers above, from the leaves upwards. Their links are of the classes `leaf-tier1`, `tier1-tier2` and so on.
    #[schemars(length(min = 1, max = 8), extend("examples" = [[{ "switches": 128, "uplinks": 64 }, { "switches": 64 }]]))]
    pub tiers: Vec<TierSpec>,
}

/// A tier of switches above leaves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TierSpec {
    /// How many switches it has, in all pods together.
    #[schemars(range(min = 1, max = 1_000_000), example = 128)]
    pub switches: u32,
    /// Links up from each of them. The last tier has none.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100_000), example = 64)]
    pub uplinks: Option<u32>,
}

/// One switch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StarSpec {
    /// Hosts.
    #[schemars(range(min = 2, max = 100_000), example = 16)]
    pub hosts: u32,
}

/// Several switches, each with all hosts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanesSpec {
    /// Hosts.
    #[schemars(range(min = 2, max = 100_000), example = 27)]
    pub hosts: u32,
    /// Switches; each host has a link to each of them.
    #[schemars(range(min = 1, max = 1000), example = 6)]
    pub planes: u32,
}

/// Neighbours along dimensions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TorusSpec {
    /// Nodes along each dimension; one entry makes a ring. A node has two links a dimension. In a dimension of 2 both lead to the
    /// same neighbour, and one of 1 has none.
    #[schemars(length(min = 1, max = 16), inner(range(min = 1, max = 100_000)), extend("examples" = [[8, 8, 8]]))]
    pub sizes: Vec<u32>,
    /// Rate of the link between a host and its switch, which is inside the node's box. As much as all links of the node to its
    /// neighbours have together by `rate`, unless written. A node of 100 Gb/s in a torus of three dimensions has six links of 16.667
    /// Gb/s.
    #[serde(default)]
    #[schemars(with = "Option<RateText>")]
    pub host_rate: Option<Rate>,
}

/// A graph from a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileSpec {
    /// The file, relative to the folder of the experiment file.
    #[schemars(example = "my-network.json")]
    pub path: String,
    /// Its format. By default, what its name ends in says it: `.json` is `node-link`, `.topo` is `htsim`.
    #[serde(default)]
    pub format: Option<FileFormat>,
}

/// Formats of topology files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FileFormat {
    /// Node-link JSON, as NetworkX writes it.
    NodeLink,
    /// htsim's `.topo` description of a fat-tree.
    Htsim,
}

/// What is different about some links, in both directions. Keys that are left out stay as they are elsewhere.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// Their rate.
    #[serde(default)]
    #[schemars(with = "Option<RateText>")]
    pub rate: Option<Rate>,
    /// Their delay.
    #[serde(default)]
    #[schemars(with = "Option<DelayText>")]
    pub delay: Option<Span>,
    /// The queue at each of their ends, in place of `fabric.queue`.
    #[serde(default)]
    #[schemars(with = "Option<QueueText>")]
    pub queue: Option<Length>,
    /// Their marking threshold, in place of `fabric.ecn_threshold`; "none" switches marking off.
    #[serde(default)]
    #[schemars(with = "Option<ThresholdText>")]
    pub ecn_threshold: Option<Threshold>,
    /// Marks by random early detection there, in place of `fabric.red` or `fabric.ecn_threshold`.
    #[serde(default)]
    pub red: Option<Red>,
    /// Their probability of losing a frame, in place of `fabric.loss`.
    #[serde(default)]
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1.0))]
    pub loss: Option<f64>,
}

/// What is different about one link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OneLinkSpec {
    /// The node that it leaves, by name.
    #[schemars(example = "edge-0")]
    pub from: String,
    /// The node that it enters, by name.
    #[schemars(example = "aggregation-1")]
    pub to: String,
    /// Whether the way back is changed as well.
    #[serde(default = "super::yes")]
    pub both: bool,
    /// What is different.
    #[serde(flatten)]
    pub change: LinkSpec,
}

fn hundred_gigabits() -> Rate {
    Rate::from_gbps(100)
}
fn one_microsecond() -> Span {
    Span::from_us(1)
}
fn one() -> f64 {
    1.0
}
