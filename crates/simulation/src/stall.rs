//! Who waits for what, when nothing moves any more.

use crate::hosts::Hosts;
use fabric::Network;
use std::fmt::Write;
use topology::{LinkId, Topology};
use transport::{Receiver, Sender, Transport};

/// Flows that are named before the rest are only counted.
const NAMED: usize = 10;

/// Says which flows and links wait for what.
pub(crate) fn report<N: Network, T: Transport>(hosts: &Hosts<'_, N, T>, topology: &Topology) -> String {
    let open = hosts.flows.finite + hosts.flows.endless;
    let mut text = format!("{open} flows are open and nothing moves");
    let mut inside = hosts.network.frames_inside();
    inside.sort_by_key(|inside| (inside.frame.flow, inside.link, inside.frame.sequence));
    for (place, flow) in hosts.flows.iter().take(NAMED) {
        let _ = write!(
            text,
            "\n  flow {} from host {} to host {}: {} of {} received; {}",
            flow.id,
            flow.src,
            flow.dst,
            flow.receiver.delivered(),
            if flow.is_endless() { "endlessly many".to_owned() } else { flow.bytes.to_string() },
            flow.sender.state(),
        );
        let links = inside.iter().filter(|inside| inside.frame.flow == place).map(|inside| LinkId(inside.link));
        let names: Vec<_> = links.take(3).map(|link| topology.link_name(link)).collect();
        if !names.is_empty() {
            let _ = write!(text, "; frames of it are on or before {}", names.join(", "));
        }
    }
    if open > NAMED as u64 {
        let _ = write!(text, "\n  and {} more", open - NAMED as u64);
    }
    for waiting in hosts.workload.waiting().take(NAMED) {
        let _ = write!(text, "\n  {waiting}");
    }
    text
}
