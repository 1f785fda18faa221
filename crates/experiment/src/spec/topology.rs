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
    /// 100 Gb/s if it is not written; in `an3`, 10 Gb/s, and links within L0 networks have half of it.
    #[serde(default)]
    #[schemars(with = "Option<RateText>")]
    pub rate: Option<Rate>,
    /// Time that light and electronics take from one end of a link to the other, unless `topology.links` or
    /// `topology.link` says otherwise. 5 ns a metre of fibre, plus what a switch takes to pass a frame on. 1 us if it is not written;
    /// in `an3`, 100 ns, and 5 ns within L0 networks whatever is written here.
    #[serde(default)]
    #[schemars(with = "Option<DelayText>")]
    pub delay: Option<Span>,
    /// What is different about a class of links: `[topology.links.CLASS]`. The classes are `host-edge`, `edge-aggregation`
    /// and `aggregation-core` of a fat-tree, `host-leaf` and `leaf-spine` of a leaf-spine and a folded Clos, `host-leaf`,
    /// `leaf-tier1`, `tier1-tier2` and so on of a Clos, `host-switch` of a star and
    /// of planes, `host-switch`, `dimension-0`, `dimension-1` and so on of a torus, `l0` within L0 networks, `l0-l1` and `l1-l1` between
    /// containers of `an3`; a topology from a file has those that its file names. Those of links to an outside: `[topology.outside]`.
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
    /// AN3's network: NICs that are joined to each other and pass on each other's cells, half a rack at a time (an L0 network), and containers of such networks with
    /// two switches of 128 ports each. NIC 7 of L0 network 3 in container 0 is the host `c0-n3-h7`; switches are `c0-primary` and `c0-secondary`.
    #[serde(rename = "an3")]
    An3(An3Spec),
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

/// Containers of L0 networks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct An3Spec {
    /// Containers. The primary switches of any two are joined, and so are the secondary ones.
    #[serde(default = "one_of_them")]
    #[schemars(range(min = 1, max = 64))]
    pub containers: u32,
    /// L0 networks of a container.
    #[schemars(range(min = 1, max = 64), example = 64)]
    pub networks: u32,
    /// NICs of an L0 network; a fat-tree has 22.
    #[serde(default = "half_a_rack")]
    #[schemars(range(min = 2, max = 128))]
    pub hosts: u32,
    /// How they are joined to each other.
    #[serde(default)]
    pub wiring: WiringSpec,
    /// NICs of an L0 network that have a link to an L1 switch of their container: the first to the primary switch, the second to the secondary, and so on in turn.
    #[serde(default = "two")]
    #[schemars(range(min = 2, max = 128))]
    pub egress: u32,
    /// Links between the primary switches of any two containers, and as many between the secondary ones: ports that fewer than 64 containers leave unused give more.
    #[serde(default = "one_of_them")]
    #[schemars(range(min = 1, max = 127))]
    pub container_links: u32,
}

/// How the NICs of an L0 network are joined, by at most four links each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WiringSpec {
    /// Two trees with an egress NIC each as root, whose twelve leaves they share, and links between leaves: 22 NICs.
    #[default]
    FatTree,
    /// A torus of two dimensions, as near to a square as the number of NICs allows.
    Torus,
    /// The same without the links from the last to the first.
    Mesh,
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

impl TopologySpec {
    /// Rate of links, as written or as is usual for the kind.
    pub fn rate(&self) -> Rate {
        let usual = if matches!(self.kind, TopologyKind::An3(_)) { 10 } else { 100 };
        self.rate.unwrap_or(Rate::from_gbps(usual))
    }
    /// Delay of links, as written or as is usual for the kind: 20 m of fibre in AN3 (Table 3).
    pub fn delay(&self) -> Span {
        let usual = if matches!(self.kind, TopologyKind::An3(_)) { Span::from_ns(100) } else { Span::from_us(1) };
        self.delay.unwrap_or(usual)
    }
}

fn one_of_them() -> u32 {
    1
}
fn two() -> u32 {
    2
}
fn half_a_rack() -> u32 {
    22
}
fn one() -> f64 {
    1.0
}
