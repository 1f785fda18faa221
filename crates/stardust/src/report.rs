//! What a Stardust fabric tells beyond what all fabrics do.

use crate::interior::Interior;
use crate::network::Stardust;
use fabric::{Counter, Distribution, Observer};
use results::Histogram;

/// Its counters, since the measurement began.
pub(crate) fn counters<I: Interior, O: Observer>(fabric: &Stardust<I, O>) -> Vec<Counter> {
    let sums = &fabric.sums;
    let counter = |name, unit, value: u64| Counter { name, unit, value: value as f64 };
    vec![
        counter("cells sent", "cells", sums.cells),
        counter("cell bytes sent", "B", sums.cell_bytes),
        counter("cells delivered", "cells", sums.cells_delivered),
        counter("cells lost to faults", "cells", sums.cells_lost),
        counter("cells dropped without a route", "cells", sums.cells_astray),
        counter("packets discarded without a route", "packets", sums.packets_astray),
        counter("working links declared failed", "", sums.false_failures),
        counter("cells with congestion indication", "cells", sums.indicated),
        counter("credit rate cuts", "", fabric.scheduler.cuts),
        counter("requests sent", "messages", sums.requests),
        counter("credits granted", "messages", sums.credits),
        counter("bytes credited", "B", sums.credit_bytes),
        counter("reachability messages", "messages", sums.reachability),
        counter("pauses of element inputs", "", sums.pauses),
        counter("cells beyond an element's memory", "cells", sums.homeless),
        counter("pauses of hosts", "", sums.host_pauses),
        counter("packets marked at ingress", "packets", fabric.ingress.marked),
        counter("largest ingress buffer", "B", fabric.ingress.peak),
        counter("largest reassembly memory", "B", fabric.reassembly.peak),
        counter("reassembly timeouts", "", sums.timeouts),
        counter("cells given up", "cells", fabric.reassembly.given_up),
    ]
}

/// The time cells take from their VOQ to their destination.
pub(crate) fn cell_latency(histogram: &Histogram) -> Distribution {
    // Cells keep their time in units of 1024 ps.
    let bins = histogram.bins().map(|(lower, upper, count)| (lower << 10, upper << 10, count)).collect();
    Distribution { name: "cell latency", unit: "ps", bins }
}

/// What must hold at any instant and is too much to check at every event.
#[cfg(debug_assertions)]
pub(crate) fn check<I: Interior, O: Observer>(fabric: &Stardust<I, O>) {
    let mut cells = vec![0; fabric.held.len()];
    for (link, wire) in (0..).zip(&fabric.layout.wires) {
        if matches!(wire.role, crate::build::Role::Up | crate::build::Role::Down) {
            cells[wire.from as usize] += fabric.interior.cells(link);
        }
    }
    assert_eq!(fabric.interior.check(), fabric.cells_inside, "cells are conserved");
    for (device, memory) in fabric.held.iter().enumerate() {
        assert_eq!(memory.cells, cells[device], "cells of device {device} are counted");
    }
    let queued: u64 = fabric.ingress.voqs.iter().map(|voq| u64::from(voq.waiting)).sum();
    assert_eq!(queued, fabric.ingress.used.iter().sum::<u64>(), "bytes in VOQs are counted");
    fabric.scheduler.check();
    for (port, outlet) in fabric.scheduler.ports.iter().zip(&fabric.outlets) {
        let header = fabric.config.cells.packet_header.get() as u32;
        assert_eq!(port.held, outlet.bytes(&fabric.store, header), "bytes in egress memory are counted");
    }
}

#[cfg(not(debug_assertions))]
pub(crate) fn check<I: Interior, O: Observer>(_: &Stardust<I, O>) {}
