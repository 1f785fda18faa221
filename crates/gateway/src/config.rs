//! What a person can say of gateways and of uplinks.

use fabric::Footprint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{BufferText, TimeText};
use units::{Bytes, Span};

/// The nodes that pass packets on between the rack and the outside: nodes of a Shoal rack (§8 leaves them open; see papers/shoal/README.md), or bridges of an AN3 network's
/// operations centre (§2.2). A packet that has come out of one network whole waits at its gateway until the other takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// What can wait at a gateway, in each direction; packets beyond it are dropped. Into a Shoal rack, what a node takes from its host
    /// (`fabric.buffer`) comes after it; into an AN3 network, what waits for circuits is in it.
    #[schemars(with = "BufferText")]
    pub buffer: Bytes,
    /// Packets that find more than this waiting are marked (ECN, RFC 3168). By default nothing is marked at gateways.
    #[schemars(with = "Option<BufferText>", extend("examples" = ["100 KB"]))]
    pub ecn_threshold: Option<Bytes>,
    /// How traffic is shared out among gateways. By flow if it is not written, in `an3` by host.
    pub spreading: Option<Spreading>,
    /// From the moment at which a gateway or its links break or are repaired (`[[fault]]`) until hosts send accordingly.
    #[schemars(with = "TimeText")]
    pub failover: Span,
}

/// The far ends of an XFabric rack's uplinks: ports of the outside network. A packet that has come out of one network whole waits there until
/// the other takes it. Which uplink a packet takes is up to the rack's controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Uplinks {
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
pub enum Spreading {
    /// By a hash of the flow: each flow keeps its gateway.
    Flow,
    /// Anew for each packet, at random: evens out the load, but packets overtake each other, which TCPs take for losses.
    Packet,
    /// By the rack's host: all its flows have one gateway, of those that are nearest to it.
    Host,
}

impl Config {
    /// How traffic is shared out: by flow if nothing else is said.
    pub fn spreading(&self) -> Spreading {
        self.spreading.unwrap_or(Spreading::Flow)
    }

    /// What so many gateways take of memory, whose buffers are full of packets of this size.
    pub fn footprint(&self, gateways: u32, mtu: Bytes) -> Footprint {
        let gateways = u64::from(gateways);
        let packets = 2 * (self.buffer.get() / mtu.get().max(1) + 1);
        Footprint {
            fixed: gateways * 1000,
            frames: gateways.saturating_mul(packets),
            frame: 200,
            ..Footprint::default()
        }
    }
}

impl Default for Config {
    fn default() -> Config {
        let (buffer, failover) = (Bytes::new(1_000_000), Span::from_ms(1));
        Config { buffer, ecn_threshold: None, spreading: None, failover }
    }
}

impl Default for Uplinks {
    fn default() -> Uplinks {
        let Config { buffer, ecn_threshold, .. } = Config::default();
        Uplinks { buffer, ecn_threshold }
    }
}

impl From<Uplinks> for Config {
    fn from(Uplinks { buffer, ecn_threshold }: Uplinks) -> Config {
        Config { buffer, ecn_threshold, ..Config::default() }
    }
}
