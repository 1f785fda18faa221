//! `[topology.outside]`, `[fabric.gateways]` and `[fabric.uplinks]`: what a rack is joined to, and how.

use super::topology::{LeafSpineSpec, StarSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An outside network that a rack is joined to: a Shoal rack by some of its hosts, its gateways, which are in both, an AN3 network by bridges of its
/// operations centre, and an XFabric rack by uplinks. Hosts are numbered from the rack's first to its last, gateways before the others, and then those outside. Outside names begin with
/// `outside-`, so a star's links are of the class `outside-host-switch`. Those of gateways to the outside are of the class `gateway-uplink`. The bridges of an AN3 network are no
/// hosts but the nodes `noc-0` and so on, one a container, each with a link of the class `l1-noc` to both switches of its container. With
/// uplinks, each host of the rack has one more link to the switch `uplink-crosspoint`, of the class `host-uplink`; from there a link of
/// the class `uplink` leads to each of the nodes `uplink-0` and so on, and from these one of the class `outside-uplink` to the outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutsideSpec {
    /// With fabric.kind = "shoal": how many of the rack's hosts are gateways, the first ones. With fabric.kind = "an3": how many containers have a bridge to the outside, the first
    /// ones. Each gateway has a link to the outside, to its switches in turn.
    #[serde(default)]
    #[schemars(range(min = 1, max = 4096), extend("examples" = [4]))]
    pub gateways: Option<u32>,
    /// With fabric.kind = "xfabric": how many uplinks the rack has. Each leads to the outside, to its switches in turn.
    #[serde(default)]
    #[schemars(range(min = 1, max = 4096), extend("examples" = [4]))]
    pub uplinks: Option<u32>,
    /// Its kind and size, gateways not counted.
    #[serde(flatten)]
    pub kind: OutsideKind,
}

/// What may be outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum OutsideKind {
    /// All outside hosts on one switch, with the gateways.
    Star(StarSpec),
    /// Two layers: every leaf switch has one link to every spine switch. Gateways are dealt out to the leaves.
    LeafSpine(LeafSpineSpec),
}
