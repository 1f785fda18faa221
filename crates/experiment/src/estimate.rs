//! What a run will take, roughly, before it runs.

use crate::plan::RunPlan;
use fabric::Traffic;
use transport::{Config, Transport};
use units::Time;

/// Hops (a frame over one link, acknowledgements too) that one core simulates in a second. An order of magnitude: see
/// docs/performance.md for what was measured.
pub const HOPS_PER_CORE_SECOND: f64 = 10e6;

impl RunPlan {
    /// Hops if every flow gets through what it can: the smaller of what the workload offers, what the paths of its flows carry and what
    /// the hosts' links carry, in packets, times the links of its flows' paths.
    pub fn estimated_hops(&self) -> f64 {
        let setting = self.setting();
        let seconds = self.duration.since(Time::ZERO).as_secs_f64();
        let host = setting.host_rate.as_bps() as f64 / 8.0 * seconds;
        let capacity = host * f64::from(setting.hosts);
        let framing = self.fabric.framing();
        let (mut packets, mut bytes, mut links, mut acknowledgements, mut messages) = (0.0, 0.0, 0.0, 0.0, 0.0);
        // What of a link's rate is payload, at most.
        let mut payload = 0.0_f64;
        let paths = self.paths.iter().copied().chain(std::iter::repeat(None));
        for (index, ((group, spec), paths)) in self.groups.iter().zip(&self.workload).zip(paths).enumerate() {
            let transport = self.transports.of(index);
            let segment = self.fabric.mtu().saturating_sub(transport.header()).get().max(1) as f64;
            payload = payload.max(segment / (self.fabric.mtu() + framing).get().max(1) as f64);
            // What waits for the network goes no faster than the paths of the active flows.
            let left = self.duration.since(spec.start).as_secs_f64();
            let rate = paths.and_then(|paths| paths.rate).filter(|_| group.offered_bps.is_none());
            let carried = rate.map_or(f64::INFINITY, |rate| rate / 8.0 * left * payload);
            let (some, some_bytes) = match (group.flows, group.mean_bytes) {
                (Some(flows), Some(mean)) => match paths.and_then(|paths| paths.sent) {
                    Some(sent) => ((sent / segment).max(flows as f64), sent),
                    None => {
                        let through = (carried / (flows as f64 * mean)).min(1.0) * flows as f64;
                        (through * (mean / segment).max(1.0), through * mean)
                    }
                },
                (Some(flows), None) => {
                    let most = ((flows as f64).min(f64::from(setting.hosts)) * host * payload).min(carried);
                    (most / segment, most)
                }
                (None, mean) => {
                    let most = (capacity * payload).min(carried);
                    (most / mean.unwrap_or(segment).min(segment), most)
                }
            };
            packets += some;
            messages += match (group.flows, group.mean_bytes) {
                (_, Some(mean)) => some_bytes / mean.max(1.0),
                (flows, None) => flows.unwrap_or(0) as f64,
            };
            acknowledgements += some * transport.acks_per_packet();
            bytes += some_bytes;
            links += some * paths.map_or(self.mean_hops, |paths| paths.hops);
        }
        let carried = (capacity * payload / bytes.max(1.0)).min(1.0);
        // Links of a packet's path.
        let length = if packets > 0.0 { links / packets } else { self.mean_hops };
        let packets = (packets + acknowledgements) * carried;
        self.fabric.hops(&Traffic { bytes: bytes * carried, packets, links: length, messages: messages * carried })
    }
}

impl RunPlan {
    /// Flows of which the run is over once all have ended, as expected; none if it goes on for all of its time, or if it depends on the network how
    /// many there are.
    pub(crate) fn flows_until_done(&self) -> Option<u64> {
        let ends = self.stop_when_done && self.groups.iter().all(|group| group.mean_bytes.is_some());
        ends.then(|| self.groups.iter().map(|group| group.flows).sum()).flatten()
    }

    /// What a message of so many bytes takes of its host's link, over the message: headers, framing, and in a Shoal rack cells that are not
    /// full and go over two links.
    pub(crate) fn stretch(&self, message: f64, transport: &Config) -> f64 {
        let header = transport.header();
        let segment = self.fabric.mtu().saturating_sub(header).get().max(1) as f64;
        let packets = (message / segment).ceil();
        let sent = message + packets * header.get() as f64;
        self.fabric.on_link(sent, packets) / message.max(1.0)
    }
}
