//! How long links are, and when everything has to be sent because of it.

use super::outside::Outside;
use super::shape::Shape;
use super::{BuildError, Timing};
use crate::config::Config;
use crate::layout::Layout;
use crate::timing::{Leg, Turnaround};
use arbiter::Pod;
use units::Span;

/// Packets that an answer may have to wait for on its way where switches have queues, and be in time.
const SLACK: u64 = 8;

/// The delays of all links: of those between switches by rack and plane.
pub(super) struct Delays {
    pub(super) up: Vec<Span>,
    pub(super) down: Vec<Span>,
    pub(super) from_host: Vec<Span>,
    pub(super) to_host: Vec<Span>,
    pub(super) planes: usize,
    /// ToR switches of a pod.
    pub(super) racks: usize,
    /// For each pod and core switch, up and down.
    pub(super) to_core: Vec<Span>,
    pub(super) from_core: Vec<Span>,
}

impl Delays {
    /// The way between each core switch and each pod's arbiters: as long as the longest over its aggregation switch and a ToR switch.
    pub(super) fn controls(&self, outside: &Outside, config: &Config) -> Vec<Span> {
        let cores = outside.cores.len();
        let way = |place: usize| {
            let (pod, plane) = (place / cores, place % cores / (cores / self.planes));
            let racks = (0..self.racks).map(|rack| self.down[(pod * self.racks + rack) * self.planes + plane]);
            let down = racks.max().unwrap_or(Span::ZERO);
            self.from_core[place] + config.switch_latency + down + config.switch_latency + config.arbiter_delay
        };
        (0..self.from_core.len()).map(way).collect()
    }

    /// Whether hosts can compensate for all differences but what guard bands absorb.
    pub(super) fn check(&self, shape: &Shape, guard: Span, name: impl Fn(u32) -> String) -> Result<(), BuildError> {
        let ps = |delays: &[Span], place: usize| i128::from(delays[place].as_ps());
        let apart = |spread: i128| Span::from_ps(spread.unsigned_abs() as u64);
        for (rack, (tor, _)) in shape.racks.iter().enumerate() {
            let pod = rack / self.racks;
            let (first, aggregations) = (pod * self.racks, &shape.aggregations[pod * self.planes..][..self.planes]);
            for (plane, aggregation) in aggregations.iter().enumerate() {
                let place = rack * self.planes + plane;
                let nearest = first * self.planes;
                // What this rack's packets are late by at this aggregation switch, beyond what they are late by at the first.
                let late = ps(&self.up, place) - ps(&self.up, rack * self.planes);
                let spread = late - (ps(&self.up, nearest + plane) - ps(&self.up, nearest));
                if apart(spread) > guard {
                    let (one, other) = (name(shape.racks[first].0), name(*tor));
                    return Err(BuildError::Lengths {
                        one,
                        other,
                        at: name(*aggregation),
                        apart: apart(spread),
                        guard,
                    });
                }
                let over = |plane: usize| ps(&self.up, nearest + plane) + ps(&self.down, rack * self.planes + plane);
                let spread = over(plane) - over(0);
                if apart(spread) > guard {
                    let (one, other) = (name(aggregations[0]), name(*aggregation));
                    return Err(BuildError::Lengths { one, other, at: name(*tor), apart: apart(spread), guard });
                }
            }
        }
        Ok(())
    }

    /// Where queues make up for differences: all begin a slot at once, and an answer has some packets' time more than it takes without waiting.
    pub(super) fn loose(&self, layout: &Layout, config: &Config) -> Timing {
        let farthest = self.from_host.iter().chain(&self.to_host).max().copied().unwrap_or(Span::ZERO);
        let passage = farthest + config.switch_latency + config.arbiter_delay + layout.control;
        let answered = config.arbiter_latency + passage + layout.data * SLACK;
        let ahead = answered.as_ps().div_ceil(layout.data.as_ps());
        let hosts = vec![Span::ZERO; self.from_host.len()];
        Timing {
            racks: Vec::new(),
            hosts,
            requests: Span::ZERO,
            answers: 0,
            ahead,
            cores: Vec::new(),
            at_core: Span::ZERO,
        }
    }

    pub(super) fn timing(&self, pod: &Pod, outside: Option<&Outside>, layout: &Layout, config: &Config) -> Timing {
        let (switch, slot) = (config.switch_latency, layout.slot());
        let rack = |host: usize| host / pod.hosts_per_rack() as usize;
        // From a host to its aggregation switch of plane 0.
        let rise = |host: usize| self.from_host[host] + switch + self.up[rack(host) * self.planes];
        let highest = (0..self.from_host.len()).map(rise).max().unwrap_or(Span::ZERO);
        // How much later a slot's packets are at the aggregation switch of a core switch than at that of plane 0, or earlier; and the cable to it.
        let cores = outside.map_or(0, |outside| outside.cores.len());
        let below = |place: usize| {
            let (pod, plane) = (place / cores, place % cores / (cores / self.planes));
            let first = pod * self.racks * self.planes;
            (self.up[first + plane], self.up[first] + self.from_core[place])
        };
        let early = |place: usize| (below(place).1).saturating_sub(below(place).0);
        // So that core switches need not begin before there is a time.
        let highest = (0..self.from_core.len()).map(early).fold(highest, Span::max);
        let hosts: Vec<Span> = (0..self.from_host.len()).map(|host| highest - rise(host)).collect();
        let racks: Vec<Span> = (0..self.up.len() / self.planes)
            .map(|rack| highest + switch + self.down[rack * self.planes] + switch)
            .collect();
        let legs = (0..hosts.len()).map(|host| Leg {
            begins: hosts[host],
            from_host: self.from_host[host],
            rack: racks[rack(host)],
            to_host: self.to_host[host],
        });
        let control = switch + config.arbiter_delay;
        let alone = Turnaround::new(legs.clone(), control, config.arbiter_latency, slot);
        let begins = |place: usize| highest + below(place).0 - below(place).1;
        let begin: Vec<Span> = (0..self.from_core.len()).map(begins).collect();
        let Some(outside) = outside else {
            let Turnaround { requests, answers, ahead } = alone;
            return Timing { hosts, racks, requests, answers, ahead, cores: begin, at_core: Span::ZERO };
        };
        let ways: Vec<(Span, Span)> = begin.iter().copied().zip(self.controls(outside, config)).collect();
        let heard = ways.iter().map(|(begins, way)| *begins + *way + slot).fold(alone.requests, Span::max);
        let Turnaround { requests, answers, ahead } =
            Turnaround::after(heard, legs, control, config.arbiter_latency, slot);
        // A core switch is told at once, and has to know before the slot begins, whatever its clock is off.
        let told = |&(begins, way): &(Span, Span)| {
            (requests + config.arbiter_latency + way + layout.control + slot).saturating_sub(begins)
        };
        let told = ways.iter().map(told).max().unwrap_or(Span::ZERO);
        let ahead = ahead.max(told.as_ps().div_ceil(slot.as_ps()));
        let arrives = |place: usize| {
            // From when the core switch begins to send until what was sent to it in the same slot is there.
            self.from_core[place] + switch + self.to_core[place] + switch + slot
        };
        let at_core = (0..begin.len()).map(arrives).max().unwrap_or(Span::ZERO);
        Timing { hosts, racks, requests, answers, ahead, cores: begin, at_core }
    }
}
