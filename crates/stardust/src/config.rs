//! What a person can say of a Stardust fabric. Defaults and their sources: `papers/stardust/README.md`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{BufferText, ByteThresholdText, LastingText, PacketText, SizeText, TimeText, bytes_or_none};
use units::{Bytes, Span};

/// Stardust: Fabric Adapters (the switches with hosts) hold packets in virtual output queues until their port gives credit, chop
/// them into cells and spray those over all links; Fabric Elements (all other switches) only pass cells on. Nothing is lost inside.
/// Where the defaults come from is in papers/stardust/README.md.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Config {
    /// The largest packet, headers of the transport included.
    #[schemars(with = "PacketText", extend("default" = "1500 B"))]
    pub mtu: Bytes,
    /// What each packet takes on the wire between a host and its adapter, beyond itself.
    #[schemars(with = "SizeText")]
    pub framing: Bytes,
    /// How packets become cells (§3.4).
    #[serde(flatten)]
    pub cells: Cells,
    /// The request and credit protocol (§3.3, §4.1).
    #[serde(flatten)]
    pub credits: Credits,
    /// Fabric Elements (§4.2).
    #[serde(flatten)]
    pub element: Element,
    /// Fabric Adapters (§4.1).
    #[serde(flatten)]
    pub adapter: Adapter,
    /// Traffic classes of each port; class 0 is that of flows with priority 0.
    #[schemars(range(min = 1, max = 8))]
    pub priorities: u8,
    /// The shares of the port that classes have, one number a class. A class of 0 has strict priority over all that have a share, and over
    /// later classes of 0. By default all have strict priority, in order.
    pub weights: Vec<u32>,
    /// Classes whose packets are sent without waiting for a credit.
    pub low_latency: Vec<u8>,
    /// Reachability messages.
    pub reachability: Reachability,
    /// How the links between adapters and elements are computed.
    pub interior: InteriorKind,
}

/// How packets become cells.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Cells {
    /// The longest cell, header included.
    #[schemars(with = "PacketText")]
    #[serde(rename = "cell")]
    pub size: Bytes,
    /// The part of each cell that is header.
    #[schemars(with = "SizeText")]
    #[serde(rename = "cell_header")]
    pub header: Bytes,
    /// Shorter cells are padded to this.
    #[schemars(with = "SizeText")]
    #[serde(rename = "shortest_cell")]
    pub shortest: Bytes,
    /// Whether all that a credit releases is chopped as a whole, so that a cell may hold several packets and parts of packets. If
    /// not, each packet begins a cell.
    pub packing: bool,
    /// What the adapter adds to each packet on its way through the fabric.
    #[schemars(with = "SizeText")]
    pub packet_header: Bytes,
}

/// The request and credit protocol.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Credits {
    /// What a credit lets a virtual output queue send, at most.
    #[schemars(with = "PacketText")]
    #[serde(rename = "credit")]
    pub size: Bytes,
    /// Credits are given at the rate of the port times one plus this.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[serde(rename = "credit_speed_up")]
    pub speed_up: f64,
    /// The shortest time between two credits of one adapter.
    #[schemars(with = "TimeText")]
    #[serde(rename = "credit_interval")]
    pub interval: Span,
    /// A virtual output queue reports what it has when its scheduler knows of less than this.
    #[schemars(with = "BufferText")]
    #[serde(rename = "credit_watermark")]
    pub watermark: Bytes,
    /// While its scheduler knows of something, a virtual output queue reports no fewer bytes than these at a time.
    #[schemars(with = "BufferText")]
    #[serde(rename = "request_step")]
    pub step: Bytes,
    /// What a port may hold and await, as time at its rate. When it is used up, credits stop until packets have left.
    #[schemars(with = "LastingText")]
    #[serde(rename = "egress_window")]
    pub window: Span,
    /// A virtual output queue that has waited for a credit for so long says again what it has, in case a message was lost.
    #[schemars(with = "LastingText")]
    pub watchdog: Span,
    /// The length of a request or a credit on a link.
    #[schemars(with = "PacketText")]
    #[serde(rename = "control_message")]
    pub message: Bytes,
    /// How congestion indications throttle credits.
    #[serde(flatten)]
    pub throttle: Throttle,
}

/// The reaction of a destination adapter to congestion indications (FCI, §4.2). The paper leaves it open; ours is proportional: at the
/// end of each interval the credit rate loses `cut` times the share of cells that carried an indication, and gains `recover`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Throttle {
    /// The share of its credit rate that an adapter takes back in an `fci_interval` in which all cells that reach it carry an
    /// indication; proportionally less if only some do.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[serde(rename = "fci_cut")]
    pub cut: f64,
    /// The share of the full credit rate that it gives back in each `fci_interval`.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[serde(rename = "fci_recovery")]
    pub recover: f64,
    /// See `fci_cut` and `fci_recovery`.
    #[schemars(with = "LastingText")]
    #[serde(rename = "fci_interval")]
    pub interval: Span,
    /// The credit rate never falls below this share of the full one.
    #[schemars(range(min = 0.001, max = 1.0))]
    #[serde(rename = "fci_least")]
    pub least: f64,
}

/// A Fabric Adapter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Adapter {
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
    #[schemars(with = "ByteThresholdText")]
    #[serde(with = "bytes_or_none")]
    pub ecn_threshold: Option<Bytes>,
    /// An adapter pauses its hosts while its packet memory holds more bytes than this, and lets them go on below three quarters of
    /// it: nothing is dropped if the rest of the memory holds what is in flight.
    #[schemars(with = "ByteThresholdText")]
    #[serde(with = "bytes_or_none")]
    pub pause_threshold: Option<Bytes>,
    /// The memory of an adapter for cells that arrive before their turn.
    #[schemars(with = "BufferText")]
    #[serde(rename = "reassembly_memory")]
    pub reassembly: Bytes,
    /// A packet that has waited for a cell for so long is discarded.
    #[schemars(with = "LastingText")]
    pub reassembly_timeout: Span,
    /// Rounds over a set of links after which the spraying arbiter takes another random order of them.
    #[schemars(range(min = 1, max = 1_000_000))]
    #[serde(rename = "spray_rounds")]
    pub rounds: u32,
}

/// A Fabric Element.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Element {
    /// Cells that find more than this many cells before their link carry a congestion indication (FCI).
    #[schemars(range(min = 1, max = 65535))]
    pub fci_threshold: u32,
    /// The cell memory of an element, in cells for each of its links, shared by all of them. When it is nearly full, the element
    /// pauses what comes to it.
    #[schemars(range(min = 8, max = 65535))]
    #[serde(rename = "element_memory")]
    pub memory: u32,
}

/// How the links between adapters and elements are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InteriorKind {
    /// By events, one for each cell on each link: exact, whatever the rates.
    Events,
    /// In steps of a cell time, all links at once, each a cell's bytes a step: the same distributions, sooner where most links are busy. All
    /// links inside must have one rate, and delays are rounded to whole cell times.
    LockStep,
}

/// Messages by which devices find out who can be reached over which link.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Reachability {
    /// The time between two messages on a link. Each tells of 128 adapters.
    #[schemars(with = "LastingText")]
    pub period: Span,
    /// The length of a message on a link.
    #[schemars(with = "PacketText")]
    pub message: Bytes,
    /// How many messages must be missing until a link counts as failed, and how many must say the same until it is believed.
    #[schemars(range(min = 1, max = Reachability::MOST))]
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

impl Reachability {
    /// Cells over which errors are counted.
    pub const ERROR_WINDOW: u32 = 1000;
    /// Adapters that one message tells of (App E, Table 4: b).
    pub const BITMAP: u32 = 128;
    /// The largest threshold.
    pub const MOST: u32 = 255;
}

/// A traffic class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class {
    /// Share of the port among the classes that have one; 0: strict priority over those, and over later classes of the kind.
    pub weight: u32,
    /// Its packets are sent without waiting for a credit (§5.6).
    pub low_latency: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            mtu: Bytes::new(1500),
            framing: Bytes::new(38),
            cells: Cells::default(),
            credits: Credits::default(),
            element: Element::default(),
            adapter: Adapter::default(),
            priorities: 1,
            weights: Vec::new(),
            low_latency: Vec::new(),
            reachability: Reachability::default(),
            interior: InteriorKind::Events,
        }
    }
}

impl Default for Cells {
    fn default() -> Cells {
        Cells {
            size: Bytes::new(256),
            header: Bytes::new(16),
            shortest: Bytes::new(32),
            packing: true,
            packet_header: Bytes::ZERO,
        }
    }
}

impl Default for Credits {
    fn default() -> Credits {
        Credits {
            size: Bytes::new(4096),
            speed_up: 0.02,
            interval: Span::from_ns(2),
            watermark: Bytes::new(65_536),
            step: Bytes::new(1024),
            window: Span::from_us(50),
            watchdog: Span::from_ms(1),
            message: Bytes::new(24),
            throttle: Throttle::default(),
        }
    }
}

impl Default for Throttle {
    fn default() -> Throttle {
        Throttle { cut: 0.125, recover: 1.0 / 128.0, interval: Span::from_us(10), least: 1.0 / 16.0 }
    }
}

impl Default for Element {
    fn default() -> Element {
        Element { fci_threshold: 64, memory: 128 }
    }
}

impl Default for Adapter {
    fn default() -> Adapter {
        Adapter {
            buffer: Bytes::new(32 << 20),
            voq_share: 1.0,
            ecn_threshold: None,
            pause_threshold: None,
            reassembly: Bytes::new(1 << 20),
            reassembly_timeout: Span::from_us(100),
            rounds: 4,
        }
    }
}

impl Default for Reachability {
    fn default() -> Reachability {
        Reachability {
            period: Span::from_us(10),
            message: Bytes::new(24),
            threshold: 3,
            valid_after: 3,
            loss_of_signal: Span::from_ns(100),
            silent_failures: false,
            error_threshold: 1e-2,
            cold_start: false,
        }
    }
}

impl Config {
    /// The longest packet with the header that an adapter puts before it.
    pub(crate) fn longest_packet(&self) -> Bytes {
        self.mtu + self.cells.packet_header
    }
    /// Traffic classes, first the one of priority 0.
    pub fn classes(&self) -> Vec<Class> {
        let class = |number: u8| Class {
            weight: self.weights.get(usize::from(number)).copied().unwrap_or(0),
            low_latency: self.low_latency.contains(&number),
        };
        (0..self.priorities).map(class).collect()
    }
    /// The same fabric with these classes.
    #[must_use]
    pub fn with_classes(self, classes: &[Class]) -> Config {
        let low_latency = (0..).zip(classes).filter(|(_, class)| class.low_latency).map(|(number, _)| number);
        Config {
            priorities: classes.len() as u8,
            weights: classes.iter().map(|class| class.weight).collect(),
            low_latency: low_latency.collect(),
            ..self
        }
    }
}
