//! `[fabric]` of kind stardust: from what was written to the fabric's own configuration.

use super::Refusal;
use super::blame::Blame;
use super::fabric::refuse_ports;
use super::topology::Built;
use crate::quantity::Threshold;
use crate::spec::{InteriorSpec, StardustSpec};
use ::stardust::config::{Adapter, Cells, Class, Credits, Element, Reachability, Throttle};
use ::stardust::{BuildError, Config};
use ethernet::Length;
use units::{Bytes, Pace};

/// The largest packet memory. Queues count bytes in 32 bits that wrap, and of two counts the difference, at most this and a packet, has a
/// sign.
const LARGEST_BUFFER: Bytes = Bytes::new(2_000_000_000);

pub(super) fn check(spec: &StardustSpec, built: &Built, blame: &mut Blame<'_>) -> Config {
    let fits = check_sizes(spec, blame);
    refuse_ports(built, "a Stardust fabric", blame);
    let throttle =
        Throttle { cut: spec.fci_cut, recover: spec.fci_recovery, interval: spec.fci_interval, least: spec.fci_least };
    let reachability = &spec.reachability;
    let config = Config {
        mtu: spec.mtu,
        framing: spec.framing,
        cells: Cells {
            size: spec.cell,
            header: spec.cell_header,
            shortest: spec.shortest_cell,
            packing: spec.packing,
            packet_header: spec.packet_header,
        },
        credits: Credits {
            size: spec.credit,
            speed_up: spec.credit_speed_up,
            interval: spec.credit_interval,
            watermark: spec.credit_watermark,
            step: spec.request_step,
            window: spec.egress_window,
            watchdog: spec.watchdog,
            message: spec.control_message,
            throttle,
        },
        adapter: Adapter {
            buffer: spec.buffer,
            voq_share: spec.voq_share,
            ecn_threshold: in_bytes(spec.ecn_threshold, "fabric.ecn_threshold", spec, blame),
            pause_threshold: in_bytes(spec.pause_threshold, "fabric.pause_threshold", spec, blame),
            reassembly: spec.reassembly_memory,
            reassembly_timeout: spec.reassembly_timeout,
            rounds: spec.spray_rounds,
        },
        element: Element { fci_threshold: spec.fci_threshold, memory: spec.element_memory },
        reachability: Reachability {
            period: reachability.period,
            message: reachability.message,
            threshold: reachability.threshold,
            valid_after: reachability.valid_after,
            loss_of_signal: (!reachability.silent_failures).then_some(reachability.loss_of_signal),
            error_threshold: reachability.error_threshold,
            cold: reachability.cold_start,
        },
        classes: classes(spec, blame),
        lock_step: spec.interior == InteriorSpec::LockStep,
    };
    if fits && let Err(error) = ::stardust::check(&config, &built.topology) {
        let key = if matches!(error, BuildError::UnequalRates { .. }) { "fabric.interior" } else { "topology.kind" };
        blame.value(key, Refusal::NoStardust(error));
    }
    config
}

fn check_sizes(spec: &StardustSpec, blame: &mut Blame<'_>) -> bool {
    let before = blame.count();
    let most = Pace::LONGEST.saturating_sub(Bytes::new(1));
    for (key, size) in [
        ("fabric.mtu", spec.mtu + spec.framing + spec.packet_header),
        ("fabric.cell", spec.cell),
        ("fabric.credit", spec.credit),
        ("fabric.control_message", spec.control_message),
        ("fabric.reachability.message", spec.reachability.message),
    ] {
        if size > most {
            blame.value(key, Refusal::TooLong { size, most });
        }
    }
    if spec.cell_header >= spec.cell {
        blame.value("fabric.cell_header", Refusal::CellWithoutRoom { cell: spec.cell });
    }
    // Padding is counted in a byte, and an empty cell is never sent.
    let longest = spec.cell.get().min(spec.cell_header.get() + 256);
    if spec.shortest_cell.get() > longest {
        blame.value("fabric.shortest_cell", Refusal::ShortestCell { most: Bytes::new(longest) });
    }
    if spec.buffer < spec.mtu + spec.packet_header {
        blame.value("fabric.buffer", Refusal::BufferTooSmall { packet: spec.mtu + spec.packet_header });
    }
    if spec.buffer > LARGEST_BUFFER {
        blame.value("fabric.buffer", Refusal::TooLong { size: spec.buffer, most: LARGEST_BUFFER });
    }
    blame.count() == before
}

fn in_bytes(threshold: Threshold, key: &str, spec: &StardustSpec, blame: &mut Blame<'_>) -> Option<Bytes> {
    match threshold.0? {
        Length::Bytes(bytes) if bytes < spec.buffer => Some(bytes),
        Length::Bytes(bytes) => {
            blame.value(key, Refusal::ThresholdAboveBuffer { buffer: spec.buffer });
            Some(bytes)
        }
        Length::Packets(_) => {
            blame.value(key, Refusal::ThresholdInBytes);
            None
        }
    }
}

fn classes(spec: &StardustSpec, blame: &mut Blame<'_>) -> Vec<Class> {
    let count = spec.priorities;
    if !spec.weights.is_empty() && spec.weights.len() != usize::from(count) {
        blame.value("fabric.weights", Refusal::WeightsOfClasses { weights: spec.weights.len(), classes: count });
    }
    if let Some(class) = spec.low_latency.iter().find(|class| **class >= count) {
        blame.value("fabric.low_latency", Refusal::NoSuchClass { class: *class, classes: count });
    }
    let class = |number: u8| Class {
        weight: spec.weights.get(usize::from(number)).copied().unwrap_or(0),
        low_latency: spec.low_latency.contains(&number),
    };
    (0..count).map(class).collect()
}
