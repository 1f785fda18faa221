//! What a person can say of a fluid network.

use crate::Sharing;
use fabric::Footprint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::PacketText;
use units::Bytes;

/// The ideal network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The largest packet, headers of the transport included. With transport.kind = "direct" it may be a whole message, which is the
    /// fastest to compute. Longer messages, and those without end, are taken in pieces of this, each in time for the one before it.
    #[schemars(with = "PacketText", extend("default" = "64 KB"))]
    pub mtu: Bytes,
    /// What flows share.
    pub sharing: Sharing,
}

impl Config {
    /// What the network takes of memory among so many hosts. Only what is sent decides how many frames are inside.
    pub fn footprint(&self, hosts: u32) -> Footprint {
        let hosts = u64::from(hosts);
        // Detours: a link between each two hosts, and for each two that exchange something a subflow over each host.
        let (links, pair) = match self.sharing {
            Sharing::Interfaces | Sharing::EcmpPaths => (0, 0),
            Sharing::Detours => (hosts * hosts, hosts * 50),
        };
        Footprint { fixed: hosts * 400 + links * 80, frames: u64::MAX, frame: 250, pair, at_once: true }
    }
}

impl Default for Config {
    fn default() -> Config {
        Config { mtu: Bytes::new(64_000), sharing: Sharing::Interfaces }
    }
}
