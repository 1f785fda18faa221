//! `[topology.outside]` and `[fabric.gateways]`: what a rack is joined to, and how.

use super::topology::{LeafSpineSpec, StarSpec};
use crate::quantity::{TimeText, VolumeText};
use gateway::Config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Span};

/// An outside network that some of the rack's hosts, its gateways, are in as well. Hosts are numbered from the rack's first to its last, the
/// gateways before the others, and then those outside. Outside names begin with `outside-`, so a star's links are of the class
/// `outside-host-switch`; those of gateways to the outside are of the class `gateway-uplink`. For fabrics of kind `shoal`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutsideSpec {
    /// How many of the rack's hosts are gateways: the first ones. Each has a link to the outside, to its switches in turn.
    #[schemars(range(min = 1, max = 4096), example = 4)]
    pub gateways: u32,
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

/// The nodes that pass packets on between the rack and the outside. The paper leaves them open (Shoal §8); see papers/shoal/README.md. A
/// packet that has come out of one network whole waits at its gateway until the other takes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GatewaysSpec {
    /// What can wait at a gateway, in each direction; packets beyond it are dropped. Into the rack, what a node takes from its host
    /// (`fabric.buffer`) comes after it.
    #[schemars(with = "VolumeText")]
    pub buffer: Bytes,
    /// Packets that find more than this waiting are marked (ECN, RFC 3168). By default nothing is marked at gateways.
    #[schemars(with = "Option<VolumeText>", extend("examples" = ["100 KB"]))]
    pub ecn_threshold: Option<Bytes>,
    /// How traffic is shared out among gateways.
    pub spreading: SpreadingSpec,
    /// From the moment at which a gateway or its links break or are mended (`[[fault]]`) until hosts send accordingly.
    #[schemars(with = "TimeText")]
    pub failover: Span,
}

/// How traffic is shared out among gateways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpreadingSpec {
    /// By a hash of the flow: each flow keeps its gateway.
    Flow,
    /// Anew for each packet, at random: evens out the load, but packets overtake each other, which TCPs take for losses.
    Packet,
}

impl Default for GatewaysSpec {
    fn default() -> GatewaysSpec {
        let Config { buffer, ecn_threshold, failover, .. } = Config::default();
        GatewaysSpec { buffer, ecn_threshold, spreading: SpreadingSpec::Flow, failover }
    }
}
