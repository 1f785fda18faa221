//! `[fabric]` of kind stardust.

use crate::quantity::{BufferText, LastingText, PacketText, SizeText, Threshold, ThresholdText, TimeText};
use ethernet::Length;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stardust::Config;
use units::{Bytes, Span};

/// Stardust: Fabric Adapters (the switches with hosts) hold packets in virtual output queues until their port gives credit, chop
/// them into cells and spray those over all links; Fabric Elements (all other switches) only pass cells on. Nothing is lost inside.
/// Where the defaults come from is in papers/stardust/README.md.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StardustSpec {
    /// The largest packet, headers of the transport included.
    #[schemars(with = "PacketText", extend("default" = "1500 B"))]
    pub mtu: Bytes,
    /// What each packet takes on the wire between a host and its adapter, beyond itself.
    #[schemars(with = "SizeText")]
    pub framing: Bytes,
    /// The longest cell, header included.
    #[schemars(with = "PacketText")]
    pub cell: Bytes,
    /// The part of each cell that is header.
    #[schemars(with = "SizeText")]
    pub cell_header: Bytes,
    /// Shorter cells are padded to this.
    #[schemars(with = "SizeText")]
    pub shortest_cell: Bytes,
    /// Whether all that a credit releases is chopped as a whole, so that a cell may hold several packets and parts of packets. If
    /// not, each packet begins a cell.
    pub packing: bool,
    /// What the adapter adds to each packet on its way through the fabric.
    #[schemars(with = "SizeText")]
    pub packet_header: Bytes,
    /// What a credit lets a virtual output queue send, at most.
    #[schemars(with = "PacketText")]
    pub credit: Bytes,
    /// Credits are given at the rate of the port times one plus this.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub credit_speed_up: f64,
    /// The shortest time between two credits of one adapter.
    #[schemars(with = "TimeText")]
    pub credit_interval: Span,
    /// A virtual output queue reports what it has when its scheduler knows of less than this.
    #[schemars(with = "BufferText")]
    pub credit_watermark: Bytes,
    /// While its scheduler knows of something, a virtual output queue reports no fewer bytes than these at a time.
    #[schemars(with = "BufferText")]
    pub request_step: Bytes,
    /// What a port may hold and await, as time at its rate. When it is used up, credits stop until packets have left.
    #[schemars(with = "LastingText")]
    pub egress_window: Span,
    /// A virtual output queue that has waited for a credit for so long says again what it has, in case a message was lost.
    #[schemars(with = "LastingText")]
    pub watchdog: Span,
    /// The length of a request or a credit on a link.
    #[schemars(with = "PacketText")]
    pub control_message: Bytes,
    /// Cells that find more than this many cells before their link carry a congestion indication (FCI).
    #[schemars(range(min = 1, max = 65535))]
    pub fci_threshold: u32,
    /// The share of its credit rate that an adapter takes back in an `fci_interval` in which all cells that reach it carry an
    /// indication; proportionally less if only some do.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub fci_cut: f64,
    /// The share of the full credit rate that it gives back in each `fci_interval`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub fci_recovery: f64,
    /// See `fci_cut` and `fci_recovery`.
    #[schemars(with = "LastingText")]
    pub fci_interval: Span,
    /// The credit rate never falls below this share of the full one.
    #[schemars(range(min = 0.001, max = 1.0))]
    pub fci_least: f64,
    /// The cell memory of an element, in cells for each of its links, shared by all of them. When it is nearly full, the element
    /// pauses what comes to it.
    #[schemars(range(min = 8, max = 65535))]
    pub element_memory: u32,
    /// The packet memory of an adapter before the fabric. What finds it full is dropped.
    #[schemars(with = "BufferText")]
    pub buffer: Bytes,
    /// A virtual output queue takes packets while it holds less than this many times what is free of the memory, so that one port's
    /// surplus leaves room for others. Without effect where `pause_threshold` is set.
    #[schemars(range(max = 1e6), extend("exclusiveMinimum" = 0.0))]
    pub voq_share: f64,
    /// Packets that find more bytes than this in their virtual output queue, before the fabric, are marked (ECN); the counter
    /// `packets marked at ingress` says how many. What waits behind the fabric for the link to its host marks nothing: `egress_window`
    /// bounds it.
    #[schemars(with = "ThresholdText")]
    pub ecn_threshold: Threshold,
    /// An adapter pauses its hosts while its packet memory holds more bytes than this, and lets them go on below three quarters of
    /// it: nothing is dropped if the rest of the memory holds what is under way.
    #[schemars(with = "ThresholdText")]
    pub pause_threshold: Threshold,
    /// The memory of an adapter for cells that arrive before their turn.
    #[schemars(with = "BufferText")]
    pub reassembly_memory: Bytes,
    /// A packet that has waited for a cell for so long is discarded.
    #[schemars(with = "LastingText")]
    pub reassembly_timeout: Span,
    /// Rounds over a set of links after which the spraying arbiter takes another random order of them.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub spray_rounds: u32,
    /// Traffic classes of each port; class 0 is that of flows with priority 0.
    #[schemars(range(min = 1, max = 8))]
    pub priorities: u8,
    /// The shares of the port that classes have, one number a class. A class of 0 has strict priority over all that have a share, and over
    /// later classes of 0. By default all have strict priority, in order.
    pub weights: Vec<u32>,
    /// Classes whose packets are sent without waiting for a credit.
    pub low_latency: Vec<u8>,
    /// Reachability messages.
    pub reachability: ReachabilitySpec,
    /// How the links between adapters and elements are computed.
    pub interior: InteriorSpec,
}

/// How the links between adapters and elements are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InteriorSpec {
    /// By events, one for each cell on each link: exact, whatever the rates.
    Events,
    /// In steps of a cell time, all links at once, each a cell's bytes a step: the same distributions, sooner where most links are busy. All
    /// links inside must have one rate, and delays are rounded to whole cell times.
    LockStep,
}

/// Messages by which devices find out who can be reached over which link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReachabilitySpec {
    /// The time between two messages on a link. Each tells of 128 adapters.
    #[schemars(with = "LastingText")]
    pub period: Span,
    /// The length of a message on a link.
    #[schemars(with = "PacketText")]
    pub message: Bytes,
    /// How many messages must be missing until a link counts as failed, and how many must say the same until it is believed.
    #[schemars(range(min = 1, max = ReachabilitySpec::MOST))]
    pub threshold: u32,
    /// How many good messages must come until a link that had failed counts as valid.
    #[schemars(range(min = 1, max = 65535))]
    pub valid_after: u32,
    /// How soon the device at its end sees that a link has lost its signal.
    #[schemars(with = "TimeText")]
    pub loss_of_signal: Span,
    /// Whether devices do not see that at all, and find out only because messages are missing.
    pub silent_failures: bool,
    /// The share of the last 1000 cells that must be wrong until a link declares itself faulty.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub error_threshold: f64,
    /// Whether all tables are empty when the run begins, as after power-on. Otherwise they are complete.
    pub cold_start: bool,
}

impl Default for StardustSpec {
    fn default() -> StardustSpec {
        let Config { mtu, framing, cells, credits, adapter, element, .. } = Config::default();
        StardustSpec {
            mtu,
            framing,
            cell: cells.size,
            cell_header: cells.header,
            shortest_cell: cells.shortest,
            packing: cells.packing,
            packet_header: cells.packet_header,
            credit: credits.size,
            credit_speed_up: credits.speed_up,
            credit_interval: credits.interval,
            credit_watermark: credits.watermark,
            request_step: credits.step,
            egress_window: credits.window,
            watchdog: credits.watchdog,
            control_message: credits.message,
            fci_threshold: element.fci_threshold,
            fci_cut: credits.throttle.cut,
            fci_recovery: credits.throttle.recover,
            fci_interval: credits.throttle.interval,
            fci_least: credits.throttle.least,
            element_memory: element.memory,
            buffer: adapter.buffer,
            voq_share: adapter.voq_share,
            ecn_threshold: threshold(adapter.ecn_threshold),
            pause_threshold: threshold(adapter.pause_threshold),
            reassembly_memory: adapter.reassembly,
            reassembly_timeout: adapter.reassembly_timeout,
            spray_rounds: adapter.rounds,
            priorities: 1,
            weights: Vec::new(),
            low_latency: Vec::new(),
            reachability: ReachabilitySpec::default(),
            interior: InteriorSpec::Events,
        }
    }
}

fn threshold(bytes: Option<Bytes>) -> Threshold {
    Threshold(bytes.map(Length::Bytes))
}

impl ReachabilitySpec {
    /// The largest threshold.
    pub(crate) const MOST: u32 = 255;
}

impl Default for ReachabilitySpec {
    fn default() -> ReachabilitySpec {
        let Config { reachability, .. } = Config::default();
        ReachabilitySpec {
            period: reachability.period,
            message: reachability.message,
            threshold: reachability.threshold,
            valid_after: reachability.valid_after,
            loss_of_signal: reachability.loss_of_signal.unwrap_or(Span::ZERO),
            silent_failures: reachability.loss_of_signal.is_none(),
            error_threshold: reachability.error_threshold,
            cold_start: reachability.cold,
        }
    }
}
