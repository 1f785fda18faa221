//! `[fabric]` of kind fluid.

use crate::quantity::PacketText;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

/// The ideal network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FluidSpec {
    /// The largest packet, headers of the transport included. With transport.kind = "direct" it may be a whole message, which is the
    /// fastest to compute. Longer messages, and those without end, are taken in pieces of this, each in time for the one before it.
    #[schemars(with = "PacketText", extend("default" = "64 KB"))]
    pub mtu: Bytes,
    /// What flows share.
    pub sharing: SharingSpec,
}

/// What flows share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SharingSpec {
    /// The links of hosts, in and out: what lies between carries everything.
    Interfaces,
    /// Every link of each flow's path. Paths are chosen by a hash of the flow, the same that fabric.kind = "ethernet" has with routing =
    /// "ecmp" and the same seed: the same flows take the same links. What is left between this and a transport over Ethernet is the
    /// transport's, and what is left between this and "interfaces" is the hashes'.
    EcmpPaths,
    /// The virtual links of a Shoal rack, where every flow is spread over all nodes (Shoal §3.3.2): each pair of hosts has 1/(N-1) of
    /// a host's link. Takes N times as long to compute.
    Detours,
}

impl Default for FluidSpec {
    fn default() -> FluidSpec {
        FluidSpec { mtu: Bytes::new(64_000), sharing: SharingSpec::Interfaces }
    }
}
