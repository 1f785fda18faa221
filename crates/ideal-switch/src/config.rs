//! What a person can say of the ideal switch.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{Length, PacketText, SizeText, ThresholdText, or_none};
use units::Bytes;

/// One output-queued switch in place of all that lies between hosts. Of the topology, only the links of hosts count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The largest packet, headers of the transport included.
    #[schemars(with = "PacketText", extend("default" = "1500 B"))]
    pub mtu: Bytes,
    /// What each packet takes on the wire beyond itself: Ethernet's 38 B.
    #[schemars(with = "SizeText")]
    pub framing: Bytes,
    /// What the port to each host can hold, in packets or in bytes on the wire; frames beyond it are dropped. By default there is no limit.
    #[serde(with = "or_none")]
    #[schemars(with = "ThresholdText")]
    pub queue: Option<Length>,
    /// Frames that find more than this waiting are marked (ECN, RFC 3168), at the instant at which they arrive.
    #[serde(with = "or_none")]
    #[schemars(with = "ThresholdText")]
    pub ecn_threshold: Option<Length>,
}

impl Default for Config {
    fn default() -> Config {
        Config { mtu: Bytes::new(1500), framing: Bytes::new(38), queue: None, ecn_threshold: None }
    }
}
