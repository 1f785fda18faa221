//! What a person can say of a pod of switches without buffers.

use arbiter::allocation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{BufferText, PacketText, SizeText, TimeText};
use units::{Bytes, Span};

/// A pod of switches without buffers (Fastpod, "Towards Zero-buffer Datacenter Networks"): hosts below ToR switches, each of which has a link to every
/// aggregation switch, and an arbiter with a link to every ToR switch. Hosts keep what they have to send; the arbiter gives it time slots
/// and paths on which no two packets meet. Several pods, as those of a fat-tree, have an arbiter and a clock each, and core switches with buffers between them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The largest packet of the transport, its headers included. The host cuts it into packets of the pod, so with transport.kind = "direct" it may be
    /// a whole message, whose length the host then knows.
    #[schemars(with = "PacketText", extend("default" = "1460 B"))]
    pub mtu: Bytes,
    /// A data packet on the wire: all are equally long (section 3.2). A slot has one less than there are hosts below a ToR.
    #[schemars(with = "PacketText")]
    pub packet: Bytes,
    /// What of it is no payload. What is left carries one piece of a transport's packet, or several whole ones to the same host.
    #[schemars(with = "SizeText")]
    pub header: Bytes,
    /// A request (RTS) or an answer (SCHD) on the wire (section 5).
    #[schemars(with = "PacketText")]
    pub control: Bytes,
    /// Each of a slot's three guard bands (section 4). Clocks may be off by half of it.
    #[schemars(with = "TimeText")]
    pub guard: Span,
    /// Hosts send what has just come without being scheduled, as long as they know nothing to the contrary (section 3.3). Switches drop it where it meets
    /// something.
    pub optimistic: bool,
    /// Who comes first at the arbiter.
    pub policy: Policy,
    /// What a host sends first of what goes to one destination. The paper does not say.
    pub order: Order,
    /// Slots that the arbiter allocates at once.
    #[schemars(range(min = 1, max = 64))]
    pub batch: u32,
    /// Destinations that one request can be about: as many as fit into 64 B beside what else it says.
    #[schemars(range(min = 1))]
    pub demands: u32,
    /// Arbiters: 2 have each other's beats and three voters, and one takes over from the other (section 4).
    #[schemars(range(min = 1, max = 2))]
    pub arbiters: u8,
    /// The cable from an arbiter to each ToR switch, and from one arbiter to the other, one way.
    #[schemars(with = "TimeText")]
    pub arbiter_delay: Span,
    /// Time that an arbiter takes for a slot.
    #[schemars(with = "TimeText")]
    pub arbiter_latency: Span,
    /// Slots without a beat after which the second arbiter takes over.
    #[schemars(range(min = 4, max = 1_000_000))]
    pub patience: u64,
    /// When the first arbiter dies. By default it does not.
    #[schemars(with = "Option<TimeText>")]
    pub arbiter_fails: Option<Span>,
    /// Time that a packet takes through a switch beyond its links: switches cut through.
    #[schemars(with = "TimeText")]
    pub switch_latency: Span,
    /// How far each host's clock is off at most, whatever is done: each has an error of its own, which stays.
    #[schemars(with = "TimeText")]
    pub clock_error: Span,
    /// How fast each host's clock runs away at most, in parts per million: each has a drift of its own.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub clock_drift: f64,
    /// Hosts set their clocks by each answer of the arbiter, which says when it was sent, and the delay that was measured at the beginning (section 4).
    pub clock_tracking: bool,
    /// The resolution of the clocks' stamps.
    #[schemars(with = "TimeText")]
    pub clock_resolution: Span,
    /// Slots in a row of which nothing came until the arbiter takes a link for broken (section 4 leaves the rule open).
    #[schemars(range(min = 1, max = 1000))]
    pub suspicion: u32,
    /// When the arbiter tries a link again that it has taken for broken.
    #[schemars(with = "TimeText")]
    pub probation: Span,
    /// What a core switch can hold, if there are several pods (section 3.4). It says stop to all of them while there is still room for what they can send
    /// until they have heard.
    #[schemars(with = "SizeText")]
    pub core_buffer: Bytes,
    /// What a core switch holds for one pod when it tells all pods to send it nothing more for that one.
    #[schemars(with = "SizeText")]
    pub core_queue: Bytes,
    /// How long a host waits, from when it knows that a core switch has what it sent to another pod, until it sends that again because it has not heard that it came.
    /// It need not wait if the core switch dies: then its arbiter tells it.
    #[schemars(with = "TimeText")]
    pub core_patience: Span,
    /// What a host takes of a flow and has not sent: it takes another packet of the transport while it has less. Other flows of the host need not wait.
    #[schemars(with = "BufferText")]
    pub buffer: Bytes,
}

/// Who comes first at the arbiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// The pair of hosts that got its last slot longest ago (Fastpass, section 3.1).
    MaxMin,
    /// The pair with the fewest slots left, which takes as many as it can have: short mean completion times; large demands can starve.
    MinCompletion,
}

impl From<Policy> for allocation::Policy {
    fn from(policy: Policy) -> allocation::Policy {
        match policy {
            Policy::MaxMin => allocation::Policy::MaxMin,
            Policy::MinCompletion => allocation::Policy::MinCompletion,
        }
    }
}

/// What a host sends first of what goes to one destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// What came first.
    Fifo,
    /// The message of which the fewest packets remain.
    ShortestFirst,
}

impl Default for Config {
    /// The packets and the layout of the paper's evaluation (section 5): clocks are perfect, and the arbiter takes no time.
    fn default() -> Config {
        Config {
            mtu: Bytes::new(1460),
            packet: Bytes::new(1500),
            header: Bytes::new(40),
            control: Bytes::new(64),
            guard: Span::ZERO,
            optimistic: true,
            policy: Policy::MaxMin,
            order: Order::ShortestFirst,
            batch: 8,
            demands: 3,
            arbiters: 1,
            arbiter_delay: Span::from_us(1),
            arbiter_latency: Span::ZERO,
            patience: 16,
            arbiter_fails: None,
            switch_latency: Span::ZERO,
            clock_error: Span::ZERO,
            clock_drift: 0.0,
            clock_tracking: true,
            clock_resolution: Span::ZERO,
            suspicion: 3,
            probation: Span::from_ms(1),
            core_buffer: Bytes::new(16_000_000),
            core_queue: Bytes::new(1_000_000),
            core_patience: Span::from_ms(10),
            buffer: Bytes::new(64_000),
        }
    }
}

impl Config {
    /// Payload of a data packet.
    pub fn payload(&self) -> Bytes {
        self.packet.saturating_sub(self.header)
    }

    /// Data packets that so many bytes of a transport's packet take.
    pub fn pieces(&self, len: u64) -> u64 {
        len.div_ceil(self.payload().get().max(1)).max(1)
    }
}
