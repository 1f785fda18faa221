//! `[fabric]` of kind shoal: from what was written to the fabric's own configuration.

use super::Refusal;
use super::blame::Blame;
use super::fabric::refuse_ports;
use super::topology::Built;
use crate::spec::{ConnectionsSpec, FrequencySpec, RefillSpec, ScheduleSpec, ShoalSpec};
use ::shoal::build::Rig;
use ::shoal::config::Clocks;
use ::shoal::rack::{Refill, Release, Sharing};
use ::shoal::schedule::Order;
use ::shoal::timing::{Frequency, GuardBand};
use ::shoal::{BuildError, Config};

pub(super) fn check(spec: &ShoalSpec, built: &Built, blame: &mut Blame<'_>) -> Config {
    let before = blame.count();
    if spec.cell_header >= spec.cell {
        blame.value("fabric.cell_header", Refusal::CellWithoutRoom { cell: spec.cell });
    }
    refuse_ports(built, "a Shoal rack", blame);
    let config = Config {
        mtu: spec.mtu,
        channels: spec.channels,
        cell: spec.cell,
        header: spec.cell_header,
        overhead: spec.overhead,
        guard: GuardBand {
            reconfiguration: spec.reconfiguration,
            propagation: spec.propagation_variation,
            synchronisation: spec.synchronisation,
        },
        slot: spec.slot,
        order: match spec.schedule {
            ScheduleSpec::Spread => Order::Spread,
            ScheduleSpec::Plain => Order::Plain,
        },
        release: Release {
            ready_queue: spec.ready_queue,
            by_age: spec.age_rule,
            refill: match spec.refill {
                RefillSpec::AtTurn => Refill::AtTurn,
                RefillSpec::AtOnce => Refill::AtOnce,
            },
            sharing: match spec.connections {
                ConnectionsSpec::TakeTurns => Sharing::TakeTurns,
                ConnectionsSpec::InOrder => Sharing::InOrder,
            },
        },
        classes: spec.priorities,
        class_limit: spec.class_queue,
        reassembly_timeout: spec.reassembly_timeout,
        leave_out_after: spec.leave_out_after,
        clocks: clocks(spec, built, blame),
        buffer: spec.buffer,
        switch_latency: spec.switch_latency,
        node_latency: spec.node_latency,
    };
    if blame.count() == before {
        match Rig::new(&config, &built.topology) {
            Ok(rig) if spec.slot.is_some_and(|slot| slot < rig.slot) => {
                blame.value("fabric.slot", Refusal::SlotTooShort { least: rig.slot });
            }
            Ok(_) => {}
            Err(error) => {
                let key = if matches!(error, BuildError::Nodes { .. }) {
                    "topology"
                } else if matches!(error, BuildError::Far { .. }) {
                    "topology.delay"
                } else {
                    "topology.kind"
                };
                blame.value(key, Refusal::NoShoal(error));
            }
        }
    }
    config
}

fn clocks(spec: &ShoalSpec, built: &Built, blame: &mut Blame<'_>) -> Clocks {
    let clocks = &spec.clocks;
    let master = clocks.master.as_deref().map(|name| built.topology.find_node(name)).transpose();
    let master = match master {
        Ok(Some(node)) if !built.topology.is_host(node) => {
            blame.value("fabric.clocks.master", Refusal::MasterIsNoHost);
            0
        }
        Ok(node) => node.map_or(0, |node| node.0),
        Err(error) => {
            blame.value("fabric.clocks.master", Refusal::UnknownNode(error));
            0
        }
    };
    Clocks {
        error: clocks.error,
        drift: (clocks.drift * 1000.0).round() as u32,
        interval: clocks.interval,
        frequency: match clocks.frequency {
            FrequencySpec::Distributed => Frequency::Distributed,
            FrequencySpec::Own => Frequency::Own,
        },
        master,
        takeover: clocks.takeover,
    }
}
