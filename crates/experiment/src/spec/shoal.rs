//! `[fabric]` of kind shoal.

use super::{EthernetSpec, GatewaysSpec};
use crate::quantity::{BufferText, DelayText, LastingText, PacketText, SizeText};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shoal::Config;
use shoal::config::Clocks;
use units::{Bytes, Span};

/// Shoal: a rack whose circuit switches join every node to every other once an epoch, by a schedule that never changes. Each host is a
/// node; a node sends its cells to whomever it is joined to, and passes on those of others, which bounds its queues. The topology is
/// a star, or with its switches one by one a folded Clos. Where the defaults come from is in papers/shoal/README.md.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ShoalSpec {
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
    /// How long a switch takes to be set anew at the beginning of each slot: the guard band's first part.
    #[schemars(with = "DelayText")]
    pub reconfiguration: Span,
    /// By how much propagation varies from way to way: the guard band's second part.
    #[schemars(with = "DelayText")]
    pub propagation_variation: Span,
    /// By how much clocks vary: the guard band's third part.
    #[schemars(with = "DelayText")]
    pub synchronisation: Span,
    /// From one slot to the next, if it is to be longer than guard band, overhead and cell take.
    #[schemars(with = "Option<DelayText>")]
    pub slot: Option<Span>,
    /// In which order an epoch goes through the schedule.
    pub schedule: ScheduleSpec,
    /// At most one local cell in each queue; further ones wait in a ready queue, out of the way of others' cells (§3.3.3).
    pub ready_queue: bool,
    /// When a cell of the ready queue joins the queue itself, which §3.3.3 leaves open. Without a ready queue all cells join at once.
    pub refill: RefillSpec,
    /// Cells of a flow that began n epochs ago go only into queues of up to 2^n cells (§3.3.3).
    pub age_rule: bool,
    /// How connections between the same two nodes share what these may send. To congestion control they are one flow (§3.3.2), which
    /// leaves open whose cell is next.
    pub connections: ConnectionsSpec,
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
    pub clocks: ClocksSpec,
    /// What a node takes from its host and has not begun to send.
    #[schemars(with = "BufferText")]
    pub buffer: Bytes,
    /// From port to port of a circuit switch. Each path crosses three; in a star, one.
    #[schemars(with = "DelayText")]
    pub switch_latency: Span,
    /// What a cell takes at the node that sends it and at the one that receives it, together.
    #[schemars(with = "DelayText")]
    pub node_latency: Span,
    /// The nodes that join the rack to what is outside, if there is a `[topology.outside]`.
    pub gateways: Option<GatewaysSpec>,
    /// The Ethernet outside, if there is a `[topology.outside]`. Its `mtu` must be that of the rack.
    pub outside: Option<EthernetSpec>,
}

/// The clocks of nodes and switches, drawn at random within these bounds. A cell between clocks that are further apart than the guard band
/// covers is received wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ClocksSpec {
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
    pub frequency: FrequencySpec,
    /// The host whose node has the master's clock, by its name. When it goes off, the next that works takes over. By default the first.
    #[schemars(example = &"host-0")]
    pub master: Option<String>,
    /// How long it takes until another has taken over.
    #[schemars(with = "LastingText")]
    pub takeover: Span,
}

/// Where clocks get their frequency from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FrequencySpec {
    /// From the master, over the links: clocks drift only while there is none.
    Distributed,
    /// From an oscillator each: clocks drift from one setting to the next.
    Own,
}

impl Default for ClocksSpec {
    fn default() -> ClocksSpec {
        let Clocks { error, interval, takeover, .. } = Clocks::default();
        ClocksSpec { error, drift: 0.0, interval, frequency: FrequencySpec::Distributed, master: None, takeover }
    }
}

/// When a cell of the ready queue joins the queue itself, if no other local cell is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RefillSpec {
    /// When the node is about to send from the queue. Until then cells of other nodes go first.
    AtTurn,
    /// As soon as the local cell before it has left.
    AtOnce,
}

/// How connections between the same two nodes share what these may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConnectionsSpec {
    /// They take turns cell by cell, and each is put in order for itself: a short message does not wait for a long one.
    TakeTurns,
    /// Packets go in the order in which hosts hand them over, and all are put in order together.
    InOrder,
}

/// In which order an epoch goes through the schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ScheduleSpec {
    /// The two directions of a pair half an epoch apart, so that feedback is fresh in spite of propagation (App. A).
    Spread,
    /// The next node, the one after it, and so on (Fig. 3).
    Plain,
}

impl Default for ShoalSpec {
    fn default() -> ShoalSpec {
        let config = Config::default();
        ShoalSpec {
            mtu: config.mtu,
            channels: config.channels,
            cell: config.cell,
            cell_header: config.header,
            overhead: config.overhead,
            reconfiguration: config.guard.reconfiguration,
            propagation_variation: config.guard.propagation,
            synchronisation: config.guard.synchronisation,
            slot: config.slot,
            schedule: ScheduleSpec::Spread,
            ready_queue: config.release.ready_queue,
            refill: RefillSpec::AtTurn,
            age_rule: config.release.by_age,
            connections: ConnectionsSpec::TakeTurns,
            priorities: config.classes,
            class_queue: config.class_limit,
            reassembly_timeout: config.reassembly_timeout,
            leave_out_after: config.leave_out_after,
            clocks: ClocksSpec::default(),
            buffer: config.buffer,
            switch_latency: config.switch_latency,
            node_latency: config.node_latency,
            gateways: None,
            outside: None,
        }
    }
}
