//! What a person can say of a Shoal rack.

use crate::rack::{Release, epochs_kept};
use crate::schedule::Order;
use crate::timing::{Frequency, GuardBand, Slot};
use fabric::Footprint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{BufferText, DelayText, LastingText, PacketText, SizeText};
use topology::Topology;
use units::{Bytes, Rate, Span};

/// Shoal: a rack whose circuit switches join every node to every other once an epoch, by a schedule that never changes. Each host is a
/// node; a node sends its cells to whomever it is joined to, and passes on those of others, which bounds its queues. The topology is
/// a star, or with its switches one by one a folded Clos. Where the defaults come from is in papers/shoal/README.md.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Config {
    /// The largest packet, headers of the transport included. It is only cut into cells, so with transport.kind = "direct" it may be a
    /// whole message.
    #[schemars(with = "PacketText", extend("default" = "1500 B"))]
    pub mtu: Bytes,
    /// Channels of a node, each with switches of its own. They share the rate of the host's link equally, and shorten the epoch.
    #[schemars(range(min = 1, max = 64))]
    pub channels: u32,
    /// A cell, header included.
    #[schemars(with = "PacketText")]
    pub cell: Bytes,
    /// The part of each cell that is header.
    #[schemars(with = "SizeText")]
    pub cell_header: Bytes,
    /// What the link layer adds to each cell.
    #[schemars(with = "SizeText")]
    pub overhead: Bytes,
    /// What separates slots.
    #[serde(flatten)]
    pub guard: GuardBand,
    /// From one slot to the next, if it is to be longer than guard band, overhead and cell take.
    #[schemars(with = "Option<DelayText>")]
    pub slot: Option<Span>,
    /// In which order an epoch goes through the schedule.
    pub schedule: Order,
    /// How local cells are released.
    #[serde(flatten)]
    pub release: Release,
    /// Strict priority classes (App. C); class 0 is that of flows with priority 0.
    #[schemars(range(min = 1, max = 8))]
    pub priorities: u8,
    /// With several classes: how many cells from other nodes each of a node's queues takes of every class but the first, whose queues are
    /// bounded as they are. What finds no room is dropped and sent again. By default as many as there are nodes.
    #[schemars(range(min = 1, max = 65535))]
    pub class_queue: Option<u32>,
    /// A packet is given up when one of its cells was lost so long ago. By default after 2 N epochs: a cell that is not there by then
    /// is nowhere.
    #[schemars(with = "Option<LastingText>")]
    pub reassembly_timeout: Option<Span>,
    /// Nodes that nobody could reach for so long are left out of the schedule, so that their slots are not wasted; when they are back,
    /// they are taken in again (§7.3). By default the schedule stays as it is.
    #[schemars(with = "Option<LastingText>")]
    pub leave_out_after: Option<Span>,
    /// How well clocks keep time.
    pub clocks: Clocks,
    /// What a node takes from its host and has not begun to send.
    #[schemars(with = "BufferText")]
    pub buffer: Bytes,
    /// From port to port of a circuit switch. Each path crosses three; in a star, one.
    #[schemars(with = "DelayText")]
    pub switch_latency: Span,
    /// What a cell takes at the node that sends it and at the one that receives it, together.
    #[schemars(with = "DelayText")]
    pub node_latency: Span,
}

/// The clocks of nodes and switches, drawn at random within these bounds. A cell between clocks that are further apart than the guard band
/// covers is received wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Clocks {
    /// How far a clock may be from the master's just after it was set.
    #[schemars(with = "DelayText")]
    pub error: Span,
    /// By how much a clock may run faster or slower than the master's when left to itself, in parts per million.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub drift: f64,
    /// From one setting of the clocks to the next.
    #[schemars(with = "LastingText")]
    pub interval: Span,
    /// Where clocks get their frequency from.
    pub frequency: Frequency,
    /// The host whose node has the master's clock, by its name. When it goes off, the next that works takes over. By default the first.
    #[schemars(example = &"host-0")]
    pub master: Option<String>,
    /// How long it takes until another has taken over.
    #[schemars(with = "LastingText")]
    pub takeover: Span,
}

impl Default for Clocks {
    /// Clocks without error. An interval and a takeover of 1 ms are ours.
    fn default() -> Clocks {
        let (interval, takeover) = (Span::from_ms(1), Span::from_ms(1));
        Clocks { error: Span::ZERO, drift: 0.0, interval, frequency: Frequency::Distributed, master: None, takeover }
    }
}

impl Clocks {
    /// Whether they are all alike at every instant.
    pub fn are_precise(&self) -> bool {
        self.error == Span::ZERO && self.parts_per_billion() == 0
    }
    /// By how much one may run faster or slower than the master's.
    pub fn parts_per_billion(&self) -> u32 {
        (self.drift * 1000.0).round() as u32
    }
}

impl Default for Config {
    /// Those of §7.1.
    fn default() -> Config {
        Config {
            mtu: Bytes::new(1500),
            channels: 4,
            cell: Bytes::new(64),
            cell_header: Bytes::new(8),
            overhead: Bytes::ZERO,
            guard: GuardBand::default(),
            slot: None,
            schedule: Order::Rearranged,
            release: Release::PAPER,
            priorities: 1,
            class_queue: None,
            reassembly_timeout: None,
            leave_out_after: None,
            clocks: Clocks::default(),
            buffer: Bytes::new(16 << 20),
            switch_latency: Span::ZERO,
            node_latency: Span::ZERO,
        }
    }
}

impl Config {
    /// Bytes of a packet that a cell carries.
    pub fn payload(&self) -> Bytes {
        self.cell - self.cell_header
    }
    /// Cells of a packet of `len` bytes: a packet begins with a cell of its own (§3.5).
    pub fn cells(&self, len: u32) -> u32 {
        len.div_ceil(self.payload().get() as u32).max(1)
    }
    /// The slot of nodes with links of this rate.
    pub fn slot(&self, rate: Rate) -> Slot {
        let channel = Rate::from_bps((rate.as_bps() / u64::from(self.channels)).max(1));
        Slot::for_cell(self.cell, self.overhead, channel, self.guard)
    }
    /// What a rack takes of memory on this topology, of which `delay` slots are between a cell's leaving and when it may leave the next node.
    pub fn footprint(&self, topology: &Topology, delay: u32) -> Footprint {
        let (nodes, delay) = (u64::from(topology.hosts()), u64::from(delay));
        let pairs = nodes * nodes.saturating_sub(1);
        // What is in the air is kept for one delay.
        let depth = epochs_kept(delay, self.schedule.slots(nodes.max(2), self.channels.into()));
        let a_pair = 240 + 8 * depth + if self.priorities > 1 { 100 * u64::from(self.priorities) } else { 0 };
        let air = (delay + 1).saturating_mul(24 + 16 * nodes * u64::from(self.channels).min(nodes));
        let packets = self.buffer.get() / self.mtu.get().max(1) + 2;
        Footprint {
            fixed: pairs.saturating_mul(a_pair).saturating_add(air).saturating_add(nodes * 1000),
            frames: nodes.saturating_mul(packets).saturating_mul(2),
            frame: 200,
            pair: 0,
            at_once: true,
        }
    }
    /// From one slot to the next.
    pub fn slot_length(&self, rate: Rate) -> Span {
        let sum = self.slot(rate).length();
        self.slot.map_or(sum, |slot| slot.max(sum))
    }
}
