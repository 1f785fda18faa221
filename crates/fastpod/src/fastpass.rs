//! Fastpass (Perry, Ousterhout, Balakrishnan, Shah and Fugal, *Fastpass: A Centralized "Zero-Queue" Datacenter Network*, SIGCOMM 2014), from which Fastpod has its
//! algorithms: the same arbiter gives time slots of one packet each and paths, over switches with queues. Requests and answers are sent when there is something
//! to say, and what meets waits, requests and answers least; packets between hosts of one rack turn at its switch.
//!
//! Only the paper's abstract and its first page could be read when this was written. That requests and answers have priority over data is ours: without it, one in
//! fourteen allocations comes too late on the pod of Fastpod's evaluation.

use crate::config::{Config, Order, Policy};
use crate::plan::{Plan, refuse_rig, refuse_sizes};
use crate::rig::{BuildError, Ports, Rig};
use fabric::refusal::Refusal as Common;
use fabric::{Configuration, Site};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{BufferText, Length, PacketText, Section, SizeText, ThresholdText, TimeText, or_none};
use std::sync::Arc;
use topology::{LinkId, NodeId, Topology};
use units::{Bytes, Span};

/// A pod of switches with queues, in which an arbiter gives every packet its time slot and its path (Fastpass, SIGCOMM 2014). Hosts below ToR switches,
/// each of which has a link to every aggregation switch, and an arbiter with a link to every ToR switch, as in Fastpod; clocks are perfect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Fastpass {
    /// The largest packet of the transport, its headers included. The host cuts it into packets of the pod, so with transport.kind = "direct" it may be
    /// a whole message, whose length the host then knows.
    #[schemars(with = "PacketText", extend("default" = "1460 B"))]
    pub mtu: Bytes,
    /// A data packet on the wire, which is a time slot.
    #[schemars(with = "PacketText")]
    pub packet: Bytes,
    /// What of it is no payload.
    #[schemars(with = "SizeText")]
    pub header: Bytes,
    /// A request or an answer on the wire.
    #[schemars(with = "PacketText")]
    pub control: Bytes,
    /// What can wait before each link of a switch, in packets or in bytes; packets beyond it are dropped, and nobody sends them again. By default there is no
    /// limit, and how long queues get is a result.
    #[serde(with = "or_none")]
    #[schemars(with = "ThresholdText")]
    pub queue: Option<Length>,
    /// Who comes first at the arbiter.
    pub policy: Policy,
    /// What a host sends first of what goes to one destination.
    pub order: Order,
    /// Slots that the arbiter allocates at once, and that an answer is about; a host asks no more often (Fastpass has 16).
    #[schemars(range(min = 1, max = 32))]
    pub batch: u32,
    /// Destinations that one request can be about.
    #[schemars(range(min = 1))]
    pub demands: u32,
    /// The cable from the arbiter to each ToR switch, one way.
    #[schemars(with = "TimeText")]
    pub arbiter_delay: Span,
    /// Time that the arbiter takes for its slots.
    #[schemars(with = "TimeText")]
    pub arbiter_latency: Span,
    /// Time that a packet takes through a switch beyond its links and queues: switches cut through.
    #[schemars(with = "TimeText")]
    pub switch_latency: Span,
    /// What a host takes of a flow and has not sent: it takes another packet of the transport while it has less. Other flows of the host need not wait.
    #[schemars(with = "BufferText")]
    pub buffer: Bytes,
}

impl Default for Fastpass {
    fn default() -> Fastpass {
        let Config { mtu, packet, header, control, policy, order, arbiter_delay, buffer, .. } = Config::default();
        Fastpass {
            mtu,
            packet,
            header,
            control,
            queue: None,
            policy,
            order,
            batch: 16,
            demands: 8,
            arbiter_delay,
            arbiter_latency: Span::ZERO,
            switch_latency: Span::ZERO,
            buffer,
        }
    }
}

/// Why a configuration makes no such pod.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
enum Refusal {
    #[error("does not make a pod for Fastpass: {0}")]
    Topology(BuildError),
    #[error("is from 1 to 32")]
    Batch,
    #[error("is at least 1")]
    Demands,
}

impl Fastpass {
    /// What it has in common with Fastpod: to build what runs with [`Fastpod::on`](crate::Fastpod::on).
    pub fn common(&self) -> Config {
        let Fastpass { mtu, packet, header, control, policy, order, batch, demands, .. } = *self;
        Config {
            mtu,
            packet,
            header,
            control,
            policy,
            order,
            batch,
            demands,
            optimistic: false,
            arbiter_delay: self.arbiter_delay,
            arbiter_latency: self.arbiter_latency,
            switch_latency: self.switch_latency,
            buffer: self.buffer,
            ..Config::default()
        }
    }

    /// The pod that this topology is, with queues.
    ///
    /// # Errors
    /// [`BuildError`] if it is none.
    pub fn rig(&self, topology: &Arc<Topology>) -> Result<Rig, BuildError> {
        // All links are equally fast, or the rig refuses them.
        let rate = topology.link(LinkId(topology.ports(NodeId(0)).start)).rate;
        let longest = match self.queue {
            None => Span::MAX,
            Some(Length::Bytes(bytes)) => rate.time_for(bytes),
            Some(Length::Packets(packets)) => rate.time_for(self.packet).saturating_mul(packets.into()),
        };
        Rig::with_ports(topology, &self.common(), Ports::Queued { longest, batch: self.batch.into() })
    }
}

impl Configuration for Fastpass {
    type Fabric = Plan;

    fn check(&self, site: &Site<'_>, section: &mut Section<'_, '_>) -> Option<Plan> {
        site.refuse_outside("fastpass", section)?;
        site.refuse_port_changes("a Fastpass pod", section);
        let (before, config) = (section.count(), self.common());
        refuse_sizes(&config, section);
        if !(1..=32).contains(&self.batch) {
            section.refuse("batch", Refusal::Batch);
        }
        if self.demands == 0 {
            section.refuse("demands", Refusal::Demands);
        }
        if matches!(self.queue, Some(Length::Bytes(bytes)) if bytes < self.packet) {
            section.refuse("queue", Common::QueueTooShort { frame: self.packet });
        }
        if section.count() > before {
            return None;
        }
        match self.rig(site.topology) {
            Ok(rig) => Some(Plan { config, rig }),
            Err(error) => {
                refuse_rig(error, self.arbiter_latency, section, Refusal::Topology);
                None
            }
        }
    }
}
