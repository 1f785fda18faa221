//! Who waits for what, when nothing moves any more.

use crate::hosts::Hosts;
use fabric::{Network, Totals};
use std::fmt::Write;
use topology::{LinkId, Topology};
use transport::{Receiver, Sender, Transport};
use units::{Bytes, Span, Time};

/// Flows that are named before the rest are only counted.
const NAMED: usize = 10;

/// Samples without any change before nothing moves.
const SAMPLES: u32 = 20;
/// Shortest time without any change before nothing moves: what a fabric's own slow clocks need to find new ways.
const LEAST: Span = Span::from_ms(10);

/// For how long nothing has moved. Events go on for ever in a fabric with clocks of its own, so what is looked at is what they
/// bring about.
pub(crate) struct Quiet {
    last: Moved,
    since: Time,
    samples: u32,
    patience: Span,
}

/// What changes if anything moves.
#[derive(PartialEq, Eq)]
struct Moved {
    totals: Totals,
    started: u64,
    finished: u64,
}

impl Quiet {
    /// Frames of this MTU may be long on the way over the slowest of the topology's links: that is no stall.
    pub fn new(topology: &Topology, mtu: Bytes, sample: Span) -> Quiet {
        let longest = topology.links().iter().map(|link| link.delay + link.rate.time_for(mtu)).max();
        let patience = longest.unwrap_or(Span::ZERO).saturating_mul(2).max(LEAST).max(sample);
        let last = Moved { totals: Totals::default(), started: 0, finished: 0 };
        Quiet { last, since: Time::ZERO, samples: 0, patience }
    }

    /// Whether nothing has moved for long, or nothing ever can again.
    pub fn look<N: Network, T: Transport>(&mut self, now: Time, hosts: &Hosts<'_, N, T>) -> bool {
        let moved =
            Moved { totals: hosts.network.totals(), started: hosts.output.started, finished: hosts.output.finished };
        if moved == self.last {
            self.samples += 1;
        } else {
            (self.last, self.since, self.samples) = (moved, now, 0);
        }
        hosts.queue.is_empty() || (self.samples >= SAMPLES && now.since(self.since) >= self.patience)
    }
}

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
