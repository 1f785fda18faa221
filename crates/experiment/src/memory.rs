//! What runs take of memory, roughly, and whether there is so much.

use crate::plan::{Plan, RunPlan};
use fabric::{Footprint, Loss};
use transport::Transport;
use units::{Bytes, Span, Time};
use workload::GroupInfo;

/// What every run takes: the event queue, and rows of tables until they are written.
const RUN: u64 = 4_000_000;
/// Both ends of a flow's connection, with their timers, and its place in the workload, in lists that have just doubled; beside what they take apart from those.
const FLOW: f64 = 1000.0;
/// A subflow of MPTCP, at both ends.
const SUBFLOW: f64 = 400.0;
/// A link in results: its row, its part of a sample.
const LINK: u64 = 250;
/// A listed flow, and where it waits for others.
const LISTED: u64 = 150;
/// A break or a repair, and its event.
const FAULT: u64 = 100;
/// Flows of a host that are active together where arrivals are random and the network keeps up.
const TOGETHER: f64 = 64.0;

/// Why a plan does not fit into memory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// One run is too large.
    #[error(
        "run {run} needs about {} of memory, and {whose} {}: make its network, its delays, its queues or its number of flows smaller",
        shown(*needed),
        shown(*limit)
    )]
    Run {
        /// Its name.
        run: String,
        /// Bytes that it needs.
        needed: u64,
        /// Bytes that there are.
        limit: u64,
        /// Who says so, as `"this machine has"`.
        whose: &'static str,
    },
    /// Each run fits, but not so many together.
    #[error(
        "{threads} runs at once need about {} of memory, and {whose} {}: write --threads {fit}",
        shown(*needed),
        shown(*limit)
    )]
    Together {
        /// Runs at once.
        threads: usize,
        /// Bytes that the largest of them need.
        needed: u64,
        /// Bytes that there are.
        limit: u64,
        /// Who says so.
        whose: &'static str,
        /// As many fit.
        fit: usize,
    },
}

impl Plan {
    /// That its runs, `threads` at once, fit into `limit`, or else into what this machine has.
    ///
    /// # Errors
    /// The largest run that does not fit, or the largest runs that together do not.
    pub fn check_memory(&self, limit: Option<Bytes>, threads: usize) -> Result<(), MemoryError> {
        let (limit, whose) = match limit {
            Some(limit) => (limit.get(), "--memory-limit is"),
            None => match of_this_machine() {
                Some(memory) => (memory, "this machine has"),
                None => return Ok(()),
            },
        };
        let mut needs: Vec<(u64, &str)> =
            self.runs.iter().map(|run| (run.estimated_memory(), run.name.as_str())).collect();
        needs.sort_by_key(|(needed, _)| std::cmp::Reverse(*needed));
        if let Some(&(needed, run)) = needs.first().filter(|(needed, _)| *needed > limit) {
            return Err(MemoryError::Run { run: run.to_owned(), needed, limit, whose });
        }
        let threads = threads.clamp(1, needs.len().max(1));
        let together =
            |runs: usize| needs[..runs.min(needs.len())].iter().fold(0_u64, |sum, (one, _)| sum.saturating_add(*one));
        let needed = together(threads);
        if needed > limit {
            let fit = (1..threads).rev().find(|runs| together(*runs) <= limit).unwrap_or(1);
            return Err(MemoryError::Together { threads, needed, limit, whose, fit });
        }
        Ok(())
    }
}

impl RunPlan {
    /// Bytes of memory that the run takes, roughly and rather too many: what its fabric says of itself, with as many frames inside as
    /// its flows, its hosts and its queues allow, and its flows.
    pub fn estimated_memory(&self) -> u64 {
        let Footprint { fixed, frames, frame, pair, at_once } = self.fabric.footprint(self.duration.since(Time::ZERO));
        let setting = self.setting();
        let seconds = self.duration.since(Time::ZERO).as_secs_f64();
        let capacity = setting.host_rate.as_bps() as f64 / 8.0 * seconds * f64::from(setting.hosts);
        let load = |(index, group): (usize, &GroupInfo)| {
            let stretch = |mean| self.stretch(mean, self.transports.of(index));
            match (group.offered_load, group.flows, group.mean_bytes) {
                (Some(load), _, mean) => load * mean.map_or(1.0, stretch),
                (None, Some(flows), Some(mean)) => flows as f64 * mean * stretch(mean) / capacity.max(1.0),
                // What waits for the network takes all that it has.
                (None, ..) => f64::INFINITY,
            }
        };
        let loads: f64 = self.groups.iter().enumerate().map(load).sum();
        // Of two round trips over links of this delay.
        let delay = self.topology.links().iter().map(|link| link.delay).max().unwrap_or(Span::ZERO);
        let turn = 4.0 * self.mean_hops * delay.as_secs_f64();
        let answered = Span::from_ps((turn / 2.0 * 1e12) as u64);
        let chance = |loss| if let Loss::Chance { most } = loss { most } else { 0.0 };
        let lost = self.fabric.losses().into_iter().map(chance).fold(0.0, f64::max);
        let (mut flows, mut apart, mut in_flight, mut packets) = (0.0, 0.0, 0.0, 0.0_f64);
        // What is sent again before it can have been answered: short packets perhaps, as many as hosts' links carry until then.
        let mut repeated = 0.0;
        for (index, group) in self.groups.iter().enumerate() {
            let transport = self.transports.of(index);
            let segment = self.fabric.mtu().saturating_sub(transport.header()).get().max(1) as f64;
            let window = transport.max_window().map_or(f64::INFINITY, |window| window.get() as f64 / segment + 2.0);
            // While it starts flows.
            let spec = &self.workload[index];
            let active =
                spec.stop.unwrap_or(self.duration).min(self.duration).since(spec.start).as_secs_f64().max(1e-12);
            let patience = transport.patience().map_or(1.0, |patience| patience.as_secs_f64() / active);
            packets = packets.max(capacity / segment);
            let all = group.flows.map_or(f64::INFINITY, |flows| flows as f64);
            let together = match group.at_once {
                Some(together) => together as f64,
                // Those that take long because links are long, and those for which the network has no time: if they alone are too many, they
                // stay, and if others are, they are dropped until they are sent again, as by a link that loses them.
                None => {
                    let own = 1.0 - 1.0 / load((index, group)).max(1.0);
                    let others = (1.0 - 1.0 / loads.max(1.0)) * patience.min(1.0);
                    TOGETHER * f64::from(setting.hosts)
                        + all.min(f64::MAX) * (own.max(others).max(lost * patience.min(1.0)) + turn / active).min(1.0)
                }
            };
            let together = together.min(all);
            flows += together;
            apart += together * (f64::from(transport.subflows()) * SUBFLOW + transport.bytes_apart() as f64);
            let under_way =
                together * window.min(group.mean_bytes.map_or(f64::INFINITY, |mean| (mean / segment).ceil() + 1.0));
            in_flight += under_way;
            let repeats = transport.repeats(answered.min(self.duration.since(Time::ZERO)));
            if repeats > 0 {
                let shortest = (self.fabric.framing() + transport.header()).get().max(1) as f64;
                let carried = capacity / seconds * turn / 2.0 / shortest;
                repeated += (under_way * repeats as f64).min(carried);
            }
        }
        let sent = if at_once { f64::INFINITY } else { packets + flows };
        let inside = in_flight.min(sent).min(frames as f64) + repeated;
        let listed: u64 = self.workload.iter().map(|group| group.listed() as u64).sum();
        let pairs = flows.min(f64::from(setting.hosts) * f64::from(setting.hosts));
        let kept = inside * frame as f64 + flows * FLOW + apart + pairs * pair as f64;
        // Saturating: what is more than anybody has need not be exact.
        (RUN + self.routes_bytes + self.topology.links().len() as u64 * LINK)
            .saturating_add(fixed)
            .saturating_add(listed.saturating_mul(LISTED))
            .saturating_add(self.faults.events.len() as u64 * FAULT)
            .saturating_add(kept as u64)
    }
}

/// Bytes of memory that this process may have: the machine's, or its container's. None where nobody says.
fn of_this_machine() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let meminfo = read("/proc/meminfo")?;
    let kib = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?.trim().trim_end_matches(" kB");
    let machine = kib.parse::<u64>().ok()?.saturating_mul(1024);
    let of_group = |path| read(path)?.trim().parse::<u64>().ok();
    let container =
        ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"].into_iter().find_map(of_group);
    Some(container.map_or(machine, |container| container.min(machine)))
}

/// Two digits are enough for an estimate.
fn shown(bytes: u64) -> String {
    let mut rounded = bytes;
    let mut step = 1;
    while rounded / step >= 100 {
        step *= 10;
    }
    rounded = rounded.div_ceil(step).checked_mul(step).unwrap_or(u64::MAX / step * step);
    Bytes::new(rounded).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_is_needed_and_what_there_is() {
        assert_eq!(shown(119_400_000_000), "120 GB");
        assert_eq!(shown(8_589_934_592), "8.6 GB");
        assert_eq!(shown(99), "99 B");
    }
}
