//! What a Stardust fabric takes of memory, before it is built.

use crate::config::{Config, InteriorKind, Reachability};
use crate::control_loop::least_watermark;
use fabric::Footprint;
use fabric::footprint::{on_all_links, steps};
use std::collections::BTreeSet;
use topology::{Direction, Link, LinkId, NodeId, Topology};
use units::Span;

/// Bytes of memory that a control message takes on its way.
const MESSAGE: u64 = 80;

impl Config {
    /// What the fabric takes of memory on this topology: packet memories full of the largest packets, every virtual output queue in use,
    /// in lock-step a list for each step that a cell may be on its way, the requests that a run of this length repeats, and reachability messages.
    pub fn footprint(&self, topology: &Topology, run: Span) -> Footprint {
        let hosts = u64::from(topology.hosts());
        let links = topology.links();
        let at_hosts = |link: &&Link| topology.is_host(link.to);
        let adapters = (0..topology.hosts()).map(|host| topology.link(LinkId(topology.ports(NodeId(host)).start)).to);
        let adapters = adapters.collect::<BTreeSet<_>>().len() as u64;
        let queues = adapters * hosts * u64::from(self.priorities);
        let mut fixed = links.len() as u64 * 700 + queues * 200 + u64::from(topology.nodes()) * 4000;
        if self.interior == InteriorKind::LockStep {
            let inside = links.iter().filter(|link| !topology.is_host(link.from) && !topology.is_host(link.to));
            let step = |link: &Link| steps(link.delay, link.rate.time_for(self.cells.size));
            fixed = fixed.saturating_add(inside.map(step).max().unwrap_or(0).saturating_mul(24));
        }
        let messages = self.repeated_requests(topology, queues, run).saturating_add(self.told(topology, run));
        fixed = fixed.saturating_add(messages.saturating_mul(MESSAGE));
        let egress = |link: &Link| link.rate.bytes_in(self.credits.window).get() / self.mtu.get().max(1) + 1;
        let stored = self.adapter.buffer.get() / self.mtu.get().max(1);
        let frames = (adapters * stored)
            .saturating_add(links.iter().filter(at_hosts).map(egress).sum())
            .saturating_add(on_all_links(topology, self.mtu + self.framing));
        let cells =
            self.longest_packet().get().div_ceil(self.cells.size.saturating_sub(self.cells.header).get().max(1));
        Footprint { fixed, frames, frame: 120 + 40 * cells, ..Footprint::default() }
    }

    /// Reachability messages that are on their way at once, at most: all of a run, where they are due faster than a link carries them.
    fn told(&self, topology: &Topology, run: Span) -> u64 {
        let Reachability { period, message, .. } = self.reachability;
        let inside = |link: &&Link| !topology.is_host(link.from) && !topology.is_host(link.to);
        let on_link = |link: &Link| {
            let service = link.rate.time_for(message);
            let lasts = if service > period { run } else { link.delay + service };
            lasts.min(run).as_ps() / period.as_ps().max(1)
        };
        topology.links().iter().filter(inside).map(on_link).fold(0, u64::saturating_add)
    }

    /// Requests of queues that wait for credits, at most, that are on their way at once: more than go over the links, if the watchdog is
    /// so short that they pile up.
    fn repeated_requests(&self, topology: &Topology, queues: u64, run: Span) -> u64 {
        let (turn, _) = least_watermark(self, topology);
        let watchdog = self.credits.watchdog;
        let leads_up = |link: &&Link| link.direction == Direction::Up && !topology.is_host(link.from);
        let rate: f64 = topology.links().iter().filter(leads_up).map(|link| link.rate.as_bps() as f64).sum();
        let asked = queues as f64 * self.credits.message.bits() as f64 / watchdog.as_secs_f64();
        let piled = if asked > rate { run } else { turn };
        queues.saturating_mul(piled.min(run).as_ps() / watchdog.as_ps().max(1))
    }
}
