//! `[fabric]`: what the switches do. The next fabric is one more kind here.

use super::{FluidSpec, ShoalSpec, StardustSpec, XFabricSpec};
use crate::quantity::{DelayText, PacketText, QueueLength, QueueText, SizeText, Threshold, ThresholdText, TimeText};
use ethernet::Length;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Span};

/// The kinds of fabrics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(extend("x-default-kind" = "ethernet"))]
pub enum FabricSpec {
    /// Output-queued Ethernet switches with drop-tail queues: the conventional data centre.
    Ethernet(EthernetSpec),
    /// A scheduled cell fabric: virtual output queues and credits at the edge, cells sprayed over all links inside.
    Stardust(Box<StardustSpec>),
    /// A rack of circuit switches on a static schedule: every node passes on the cells of others.
    Shoal(Box<ShoalSpec>),
    /// A rack that re-cables itself: crosspoint switches join SoCs as the demand asks for.
    #[serde(rename = "xfabric")]
    XFabric(XFabricSpec),
    /// The ideal: no packets and no queues, and at every instant each flow has its max-min fair rate. A baseline for all others.
    Fluid(FluidSpec),
}

/// Output-queued Ethernet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EthernetSpec {
    /// How a switch passes a frame on.
    pub switching: SwitchingSpec,
    /// With cut-through: how much of a frame a switch must have before it can choose a port.
    #[schemars(with = "PacketText")]
    pub cut_through_header: Bytes,
    /// How a switch chooses among equally short paths.
    pub routing: RoutingSpec,
    /// The largest packet, headers of the transport included. 1500 B is the Internet's; data centres often allow 9000 B.
    #[schemars(with = "PacketText", extend("default" = "1500 B"))]
    pub mtu: Bytes,
    /// What each packet takes on the wire beyond itself. Ethernet has preamble and start 8 B, header 14 B, check sequence 4 B
    /// and gap 12 B (IEEE 802.3). Simulators that count packets only have "0 B".
    #[schemars(with = "SizeText")]
    pub framing: Bytes,
    /// Hosts hold each packet back by a random time up to this, in order, as drivers, buses and interrupts do. It takes no
    /// throughput. Where long flows meet on links that are all alike, "200 ns" keeps them from moving in step, in which case
    /// one can shut out another for ever (phase effects: Floyd and Jacobson, 1992).
    #[schemars(with = "DelayText")]
    pub jitter: Span,
    /// From the moment at which something breaks or is mended (`[[fault]]`) until all switches have changed their paths; what is
    /// sent to a dead link until then is lost. A broken fibre is often noticed within milliseconds (RFC 7938 §7.1), and then the
    /// news must spread: "1 ms" is fast, "100 ms" is not rare.
    #[schemars(with = "TimeText")]
    pub convergence: Span,
    /// What each output port can hold; frames beyond it are dropped. In packets, which are all frames, acknowledgements too; or in bytes on
    /// the wire.
    #[schemars(with = "QueueText")]
    pub queue: QueueLength,
    /// Frames that find more than this waiting are marked (ECN, RFC 3168), at the instant at which they arrive (DCTCP §3.1).
    /// Without it nothing is marked, and transports that need marks are refused. DCTCP's paper has 65 packets of 1500 B at
    /// 10 Gb/s and 20 at 1 Gb/s.
    #[schemars(with = "ThresholdText")]
    pub ecn_threshold: Threshold,
    /// Strict priority classes of each port; class 0 is served first. One class is plain first in, first out.
    #[schemars(range(min = 1, max = 8))]
    pub priorities: u8,
    /// A data packet that finds `queue` full goes on as its header, in a queue of headers as long, which goes ahead; a header that finds that one
    /// full goes back to its source. For `transport.kind = "ndp"`; packets of other transports are dropped. NDP has a `queue` of 8 packets.
    pub trimming: Option<TrimmingSpec>,
    /// Probability that a frame is corrupted on a link and never arrives, on every link.
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1.0))]
    pub loss: f64,
}

/// How packets are trimmed (NDP: Handley et al., SIGCOMM 2017).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TrimmingSpec {
    /// What is left of a packet.
    #[schemars(with = "PacketText")]
    pub header: Bytes,
    /// Headers that go before a data packet has its turn, where both wait.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub headers_in_a_row: u32,
}

impl Default for TrimmingSpec {
    fn default() -> TrimmingSpec {
        TrimmingSpec { header: Bytes::new(64), headers_in_a_row: 10 }
    }
}

/// How a switch passes a frame on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SwitchingSpec {
    /// Once its last bit has arrived.
    StoreAndForward,
    /// Once `cut_through_header` of it has arrived, if the port is free and the frame can't run dry on the way.
    CutThrough,
}

/// How a switch chooses among equally short paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RoutingSpec {
    /// By a hash of the flow: each flow keeps its path, and two flows may share one (RFC 2992).
    Ecmp,
    /// Anew for each packet, at random: evens out the load, but packets overtake each other, which TCPs take for losses.
    Spray,
}

impl Default for FabricSpec {
    fn default() -> FabricSpec {
        FabricSpec::Ethernet(EthernetSpec::default())
    }
}
impl Default for EthernetSpec {
    fn default() -> EthernetSpec {
        EthernetSpec {
            switching: SwitchingSpec::StoreAndForward,
            cut_through_header: Bytes::new(64),
            routing: RoutingSpec::Ecmp,
            mtu: Bytes::new(1500),
            framing: Bytes::new(38),
            jitter: Span::ZERO,
            convergence: Span::from_ms(1),
            queue: QueueLength(Length::Packets(100)),
            ecn_threshold: Threshold(None),
            priorities: 1,
            trimming: None,
            loss: 0.0,
        }
    }
}
