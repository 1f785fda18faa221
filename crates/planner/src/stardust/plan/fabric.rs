//! What is Stardust's own.

use super::super::incast::{Absorbed, Incast};
use super::super::recovery::Recovery;
use super::super::{Input, device};
use super::Design;
use schemars::JsonSchema;
use serde::Serialize;
use stardust::queueing::md1;
use units::Bytes;

/// Packets a second of one size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "StardustPacketRate")]
pub struct PacketRate {
    /// Size of the packet, without preamble and gap.
    pub bytes: u64,
    /// R, how many a second (Eq. 1).
    pub per_second: f64,
    /// P, how many are processed at the same time (Eq. 3).
    pub parallelism: f64,
}

/// Queues of an element's links, as M/D/1 (§4.2.1).
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "StardustQueues")]
pub struct Queues {
    /// Share of the links in use.
    pub utilisation: f64,
    /// Mean, with the cell that is being sent.
    pub mean_cells: f64,
    /// Exceeded in one of a hundred.
    pub p99_cells: usize,
    /// Exceeded in one of a million.
    pub p999999_cells: usize,
    /// By what the probability of a queue falls for each cell more, in a long queue.
    pub decay: f64,
    /// The paper's estimate of it, fs^-2.
    pub decay_estimate: f64,
    /// P(n cells or more) for n = 0, 1, .., as far as it is above 1e-9.
    pub tail: Vec<f64>,
}

/// What is Stardust's own.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "StardustFabric")]
pub struct Fabric {
    /// VOQs of an adapter.
    pub voqs: u128,
    /// Their memory.
    pub voq_memory_bytes: u128,
    /// The smallest credit (§4.1).
    #[serde(rename = "minimum_credit_bytes", serialize_with = "bytes")]
    #[schemars(with = "u64")]
    pub minimum_credit: Bytes,
    /// Cell memory of an element (§6.2).
    pub element_memory_bytes: u128,
    /// The longest a cell waits in one.
    pub element_latency_ps: u64,
    /// The longest way through the fabric: all queues full, and the links' delays.
    pub fabric_latency_ps: u64,
    /// Bits of an element's reachability table (§5.8).
    pub reachability_bits: u128,
    /// What a switch of that bandwidth has to process (App. B).
    pub packet_rates: Vec<PacketRate>,
    /// After a link has failed.
    pub recovery: Recovery,
    /// Every adapter sends a burst to one port.
    pub incast: Absorbed,
    /// Queues of an element's links.
    pub queues: Queues,
}

fn bytes<S: serde::Serializer>(size: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(size.get())
}

impl Fabric {
    pub(super) fn new(input: &Input, design: &Design) -> Fabric {
        let adapters = u64::try_from(design.adapters).expect("there are at most as many adapters as hosts");
        let voqs = device::voqs(input.hosts, input.priorities);
        let latency = device::element_latency(input.element_memory, input.cell, input.link_rate);
        let tiers = u64::from(design.tiers);
        let far = if tiers > 1 { 2 } else { 0 };
        let delays =
            input.delay_near.saturating_mul(2 * tiers - far).as_ps() + input.delay_far.saturating_mul(far).as_ps();
        let waiting = latency.saturating_mul((2 * tiers).saturating_sub(1));
        let rates = input.packets.iter().map(|&size| {
            let (packet, gap) = (Bytes::new(size), input.packet_gap);
            PacketRate {
                bytes: size,
                per_second: device::packet_rate(input.switch_bandwidth, packet, gap),
                parallelism: device::parallelism(
                    input.switch_bandwidth,
                    packet,
                    gap,
                    input.clock_hz(),
                    input.clocks_per_packet,
                ),
            }
        });
        Fabric {
            voqs,
            voq_memory_bytes: device::voq_memory(voqs),
            minimum_credit: device::minimum_credit(input.adapter_bandwidth, input.clock_hz(), input.clocks_per_credit),
            element_memory_bytes: device::element_memory(design.radix, input.element_memory, input.cell),
            element_latency_ps: latency.as_ps(),
            fabric_latency_ps: waiting.as_ps().saturating_add(delays),
            reachability_bits: device::reachability_bits(adapters, design.radix),
            packet_rates: rates.collect(),
            recovery: input.reachability().recovery(
                input.hosts,
                input.hosts_per_adapter,
                design.tiers,
                input.link_rate,
            ),
            incast: Incast {
                sources: adapters,
                burst: input.incast_burst,
                arrival: input.host_rate,
                port: input.host_rate,
                buffer: input.buffer,
            }
            .absorbed(),
            queues: Queues {
                utilisation: input.utilisation,
                mean_cells: md1::mean(input.utilisation),
                p99_cells: md1::quantile(input.utilisation, 0.01),
                p999999_cells: md1::quantile(input.utilisation, 1e-6),
                decay: md1::decay(input.utilisation),
                decay_estimate: md1::estimate(input.utilisation, 1),
                tail: md1::tail(input.utilisation, md1::quantile(input.utilisation, 1e-9)),
            },
        }
    }
}
