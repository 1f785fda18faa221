//! `[fabric]` of kind fluid.

use crate::quantity::VolumeText;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

/// The ideal network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FluidSpec {
    /// The largest packet, headers of the transport included. With transport.kind = "direct" it may be a whole message, which is
    /// exact. Longer messages, and those without end, are taken in pieces of this, and a message that begins meanwhile at the same host
    /// waits for the end of a piece.
    #[schemars(with = "VolumeText", extend("default" = "64 KB"))]
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
    /// The virtual links of a Shoal rack, where every flow is spread over all nodes (Shoal §3.3.2): each pair of hosts has 1/(N-1) of
    /// a host's link. Takes N times as long to compute.
    Detours,
}

impl Default for FluidSpec {
    fn default() -> FluidSpec {
        FluidSpec { mtu: Bytes::new(64_000), sharing: SharingSpec::Interfaces }
    }
}
