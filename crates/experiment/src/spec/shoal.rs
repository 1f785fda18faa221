//! `[fabric]` of kind shoal.

use crate::quantity::{SizeText, TimeText, VolumeText};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shoal::Config;
use units::{Bytes, Span};

/// Shoal: a rack whose circuit switches join every node to every other once an epoch, by a schedule that never changes. Each host is a
/// node; a node sends its cells to whomever it is joined to, and passes on those of others, which bounds its queues. The topology is
/// a star, or with its switches one by one a folded Clos. Where the defaults come from is in papers/shoal/README.md.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ShoalSpec {
    /// The largest packet, headers of the transport included. It is only cut into cells, so with transport.kind = "direct" it may be a
    /// whole message.
    #[schemars(with = "VolumeText", extend("default" = "1500 B"))]
    pub mtu: Bytes,
    /// Channels of a node, each with switches of its own. They share the rate of the host's link equally, and shorten the epoch.
    #[schemars(range(min = 1, max = 64))]
    pub channels: u32,
    /// A cell, header included.
    #[schemars(with = "VolumeText")]
    pub cell: Bytes,
    /// The part of each cell that is header.
    #[schemars(with = "SizeText")]
    pub cell_header: Bytes,
    /// What the link layer adds to each cell.
    #[schemars(with = "SizeText")]
    pub overhead: Bytes,
    /// How long a switch takes to be set anew at the beginning of each slot: the guard band's first part.
    #[schemars(with = "TimeText")]
    pub reconfiguration: Span,
    /// By how much propagation varies from way to way: the guard band's second part.
    #[schemars(with = "TimeText")]
    pub propagation_variation: Span,
    /// By how much clocks vary: the guard band's third part.
    #[schemars(with = "TimeText")]
    pub synchronisation: Span,
    /// From one slot to the next, if it is to be longer than guard band, overhead and cell take.
    #[schemars(with = "Option<TimeText>")]
    pub slot: Option<Span>,
    /// In which order an epoch goes through the schedule.
    pub schedule: ScheduleSpec,
    /// At most one local cell in each queue; further ones wait in a ready queue, out of the way of others' cells (§3.3.3).
    pub ready_queue: bool,
    /// Cells of a flow that began n epochs ago go only into queues of up to 2^n cells (§3.3.3).
    pub age_rule: bool,
    /// What a node takes from its host and has not begun to send.
    #[schemars(with = "VolumeText")]
    pub buffer: Bytes,
    /// From port to port of a circuit switch. Each path crosses three; in a star, one.
    #[schemars(with = "TimeText")]
    pub switch_latency: Span,
    /// What a cell takes at the node that sends it and at the one that receives it, together.
    #[schemars(with = "TimeText")]
    pub node_latency: Span,
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
            age_rule: config.release.by_age,
            buffer: config.buffer,
            switch_latency: config.switch_latency,
            node_latency: config.node_latency,
        }
    }
}
