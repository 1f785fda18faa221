//! What gateways are like.

use fabric::Footprint;
use units::{Bytes, Span};

/// Gateways, all alike. The paper leaves them open (§8); what there is here, and the defaults, are ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Config {
    /// Packets that wait at a gateway for one of the two networks, each direction by itself. A packet that does not fit is dropped.
    pub buffer: Bytes,
    /// Packets that find more than this waiting are marked, if their transport understands it (ECN, RFC 3168).
    pub ecn_threshold: Option<Bytes>,
    /// How traffic is shared out among gateways.
    pub spreading: Spreading,
    /// From a gateway's, or one of its cables', breaking or being mended until hosts send accordingly.
    pub failover: Span,
}

/// How traffic is shared out among gateways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spreading {
    /// By a hash of the flow: each flow keeps its gateway, and its packets their order.
    Flow,
    /// Anew for each packet, at random.
    Packet,
}

impl Config {
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
        Config { buffer, ecn_threshold: None, spreading: Spreading::Flow, failover }
    }
}
