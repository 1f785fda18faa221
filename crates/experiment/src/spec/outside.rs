//! `[topology.outside]`, `[fabric.gateways]` and `[fabric.uplinks]`: what a rack is joined to, and how.

use super::topology::{LeafSpineSpec, StarSpec};
use crate::quantity::{BufferText, TimeText};
use gateway::Config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Span};

/// An outside network that a rack is joined to: a Shoal rack by some of its hosts, its gateways, which are in both, and an XFabric rack by
/// uplinks. Hosts are numbered from the rack's first to its last, gateways before the others, and then those outside. Outside names begin with
/// `outside-`, so a star's links are of the class `outside-host-switch`. Those of gateways to the outside are of the class `gateway-uplink`. With
/// uplinks, each host of the rack has one more link to the switch `uplink-crosspoint`, of the class `host-uplink`; from there a link of
/// the class `uplink` leads to each of the nodes `uplink-0` and so on, and from these one of the class `outside-uplink` to the outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutsideSpec {
    /// With fabric.kind = "shoal": how many of the rack's hosts are gateways, the first ones. Each has a link to the outside, to its switches
    /// in turn.
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

/// The nodes that pass packets on between the rack and the outside. The paper leaves them open (Shoal §8); see papers/shoal/README.md. A
/// packet that has come out of one network whole waits at its gateway until the other takes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GatewaysSpec {
    /// What can wait at a gateway, in each direction; packets beyond it are dropped. Into the rack, what a node takes from its host
    /// (`fabric.buffer`) comes after it.
    #[schemars(with = "BufferText")]
    pub buffer: Bytes,
    /// Packets that find more than this waiting are marked (ECN, RFC 3168). By default nothing is marked at gateways.
    #[schemars(with = "Option<BufferText>", extend("examples" = ["100 KB"]))]
    pub ecn_threshold: Option<Bytes>,
    /// How traffic is shared out among gateways.
    pub spreading: SpreadingSpec,
    /// From the moment at which a gateway or its links break or are mended (`[[fault]]`) until hosts send accordingly.
    #[schemars(with = "TimeText")]
    pub failover: Span,
}

/// The far ends of an XFabric rack's uplinks: ports of the outside network. A packet that has come out of one network whole waits there until
/// the other takes it. Which uplink a packet takes is up to the rack's controller.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UplinksSpec {
    /// What can wait at an uplink, in each direction; packets beyond it are dropped. Packets that leave the rack wait before, too, in the
    /// queue of the SoC that has the uplink (`fabric.queue`).
    #[schemars(with = "BufferText")]
    pub buffer: Bytes,
    /// Packets that find more than this waiting are marked (ECN, RFC 3168). By default nothing is marked at uplinks.
    #[schemars(with = "Option<BufferText>", extend("examples" = ["100 KB"]))]
    pub ecn_threshold: Option<Bytes>,
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
impl Default for UplinksSpec {
    fn default() -> UplinksSpec {
        let Config { buffer, ecn_threshold, .. } = Config::default();
        UplinksSpec { buffer, ecn_threshold }
    }
}
