//! What a rack counts beyond what all fabrics count: how far packets go, and what reconfigurations cost.

use super::agreement::Agreement;
use super::flight::Fate;
use fabric::{Counter, Distribution, Over, Sampled};
use std::collections::BTreeMap;
use units::Span;

/// Frames that did not arrive, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Losses {
    /// On a circuit while it was changed.
    pub cut: u64,
    /// Sent by a port that was on no circuit.
    pub nowhere: u64,
    /// On something broken.
    pub broken: u64,
    /// With a wrong bit.
    pub bit_errors: u64,
    /// Too many hops.
    pub looped: u64,
    /// No port leads to their host.
    pub unreachable: u64,
}

/// Sums since the measurement began.
#[derive(Debug, Clone)]
pub(super) struct Measures {
    pub losses: Losses,
    /// By circuits passed: frames and bytes that reached their host.
    reached: Box<[[u64; 2]]>,
    /// The same sums of frames and hops, at the last sample.
    sampled: [u64; 2],
    pub reconfigurations: u64,
    pub skipped: u64,
    /// The protocol's messages over circuits: sent, and of these lost or dropped.
    pub messages: [u64; 2],
    pub controllers: u64,
    pub rerouted: u64,
    changed: BTreeMap<u64, u64>,
    /// Frames lost by each full-duplex link, and by all together, in one reconfiguration.
    lost_of_link: BTreeMap<u64, u64>,
    lost_of_all: BTreeMap<u64, u64>,
    /// By port, since the last reconfiguration began: what it sent in vain because circuits changed.
    recent: Box<[u64]>,
    recent_elsewhere: u64,
    recent_changes: u64,
    /// From the first crosspoint's change to a SoC's new tables, in microseconds.
    installed: BTreeMap<u64, u64>,
    /// A reconfiguration has begun whose losses are in `recent`.
    open: bool,
    changed_since_sample: u64,
    lost_since_sample: u64,
}

impl Measures {
    pub(super) fn new(ports: u32, hop_limit: u8) -> Measures {
        Measures {
            losses: Losses::default(),
            reached: vec![[0; 2]; usize::from(hop_limit) + 1].into(),
            sampled: [0; 2],
            reconfigurations: 0,
            skipped: 0,
            messages: [0; 2],
            controllers: 0,
            rerouted: 0,
            changed: BTreeMap::new(),
            lost_of_link: BTreeMap::new(),
            lost_of_all: BTreeMap::new(),
            recent: vec![0; ports as usize].into(),
            recent_elsewhere: 0,
            recent_changes: 0,
            installed: BTreeMap::new(),
            open: false,
            changed_since_sample: 0,
            lost_since_sample: 0,
        }
    }

    /// A frame reached its host.
    #[inline]
    pub(super) fn reach(&mut self, hops: u8, bytes: u32) {
        let [frames, sum] = &mut self.reached[usize::from(hops)];
        *frames += 1;
        *sum += u64::from(bytes);
    }

    /// A frame that `port` sent did not arrive.
    pub(super) fn lose(&mut self, fate: Fate, port: u32) {
        match fate {
            Fate::Cut => self.losses.cut += 1,
            Fate::Nowhere => self.losses.nowhere += 1,
            Fate::Broken => self.losses.broken += 1,
            Fate::BitError => self.losses.bit_errors += 1,
        }
        if matches!(fate, Fate::Cut | Fate::Nowhere) {
            self.recent[port as usize] += 1;
            self.lost_since_sample += 1;
        }
    }
    /// A frame passed too many circuits.
    pub(super) fn lose_in_loop(&mut self) {
        self.losses.looped += 1;
        self.recent_elsewhere += 1;
        self.lost_since_sample += 1;
    }
    /// No port leads to a frame's host.
    pub(super) fn lose_without_way(&mut self) {
        self.losses.unreachable += 1;
    }

    /// A reconfiguration begins. `links` are the circuits until now, by their two ports.
    pub(super) fn reconfigure(&mut self, links: impl Iterator<Item = (u32, u32)>) {
        self.close(links);
        self.reconfigurations += 1;
        self.open = true;
    }
    /// A crosspoint sets so many circuits that were not there.
    pub(super) fn change(&mut self, circuits: u64) {
        self.recent_changes += circuits;
        self.changed_since_sample += circuits;
    }
    /// A SoC uses new tables so long after the first crosspoint has changed.
    pub(super) fn install(&mut self, after: Span) {
        *self.installed.entry(after.as_ps() / 1_000_000).or_default() += 1;
    }

    /// The losses of the last reconfiguration are complete.
    fn close(&mut self, links: impl Iterator<Item = (u32, u32)>) {
        if self.open {
            for (a, b) in links {
                let lost = self.recent[a as usize] + self.recent[b as usize];
                *self.lost_of_link.entry(lost).or_default() += 1;
            }
            let all = self.recent.iter().sum::<u64>() + self.recent_elsewhere;
            *self.lost_of_all.entry(all).or_default() += 1;
            *self.changed.entry(self.recent_changes).or_default() += 1;
        }
        self.recent_changes = 0;
        self.recent.fill(0);
        self.recent_elsewhere = 0;
        self.open = false;
    }

    /// Everything begins anew.
    pub(super) fn restart(&mut self) {
        // The next sample is of what has happened since the last one, restart or not.
        let (before, open) = (self.sums(), self.open);
        let sampled = [0, 1].map(|i| self.sampled[i].wrapping_sub(before[i]));
        let since_sample = (self.changed_since_sample, self.lost_since_sample);
        *self = Measures::new(self.recent.len() as u32, (self.reached.len() - 1) as u8);
        (self.open, self.sampled) = (open, sampled);
        (self.changed_since_sample, self.lost_since_sample) = since_sample;
    }

    /// Frames that reached their hosts, and circuits that they passed.
    fn sums(&self) -> [u64; 2] {
        (0..).zip(&self.reached).fold([0; 2], |[frames, hops], (hop, [at, _])| [frames + at, hops + hop * at])
    }

    /// Series since the last sample.
    pub(super) fn sample(&mut self) -> Vec<Sampled> {
        let now = self.sums();
        let [frames, hops] = [0, 1].map(|i| now[i].wrapping_sub(self.sampled[i]));
        self.sampled = now;
        let sampled = |name, unit, value, over| Sampled { name, unit, value, over };
        let mean = (frames > 0).then(|| sampled("mean path length", "hops", hops as f64 / frames as f64, Over::Mean));
        let changed = std::mem::take(&mut self.changed_since_sample) as f64;
        let lost = std::mem::take(&mut self.lost_since_sample) as f64;
        let more = [
            sampled("circuits changed", "circuits", changed, Over::Sum),
            sampled("lost in reconfigurations", "frames", lost, Over::Sum),
        ];
        mean.into_iter().chain(more).collect()
    }

    /// `agreement` is that of the protocol's devices now.
    pub(super) fn counters(&self, agreement: Option<Agreement>) -> Vec<Counter> {
        let [frames, hops] = self.sums();
        let bytes: u64 = self.reached.iter().map(|[_, bytes]| bytes).sum();
        let byte_hops: u128 = (0..).zip(&self.reached).map(|(hop, [_, bytes])| hop * u128::from(*bytes)).sum();
        let mean = |sum: f64, of: u64| if of > 0 { sum / of as f64 } else { 0.0 };
        let losses = &self.losses;
        let mut counters = vec![
            counter("mean path length", "hops", mean(hops as f64, frames)),
            counter("mean path length of bytes", "hops", mean(byte_hops as f64, bytes)),
            counter("reconfigurations", "times", self.reconfigurations as f64),
            counter("periods skipped, as the last reconfiguration went on", "times", self.skipped as f64),
            counter("lost on circuits that changed", "frames", losses.cut as f64),
            counter("lost on ports without a circuit", "frames", losses.nowhere as f64),
            counter("lost in loops, at the hop limit", "frames", losses.looped as f64),
            counter("lost for want of a path", "frames", losses.unreachable as f64),
        ];
        if self.messages[0] > 0 {
            counters.extend([
                counter("control messages over circuits", "messages", self.messages[0] as f64),
                counter("of these, lost or dropped", "messages", self.messages[1] as f64),
                counter("controllers that began", "times", self.controllers as f64),
            ]);
        }
        if let Some(Agreement { versions, out_of_date }) = agreement {
            counters.extend([
                counter("versions in force at the end", "versions", versions as f64),
                counter("SoCs with tables of other circuits at the end", "SoCs", out_of_date as f64),
            ]);
        }
        if self.rerouted > 0 || losses.broken + losses.bit_errors > 0 {
            counters.extend([
                counter("lost on what was broken", "frames", losses.broken as f64),
                counter("lost to bit errors", "frames", losses.bit_errors as f64),
                counter("answers to failures", "times", self.rerouted as f64),
            ]);
        }
        counters
    }

    /// `links` are the circuits now, by their two ports.
    pub(super) fn distributions(&self, links: impl Iterator<Item = (u32, u32)>) -> Vec<Distribution> {
        let by_hops = |which: usize| {
            let hops = (0..).zip(&self.reached).filter(move |(_, sums)| sums[which] > 0);
            hops.map(|(hop, sums)| (hop, hop + 1, sums[which])).collect()
        };
        let mut closed = self.clone();
        closed.close(links);
        let plain = |of: &BTreeMap<u64, u64>| of.iter().map(|(&value, &count)| (value, value + 1, count)).collect();
        let distribution = |name, unit, bins| Distribution { name, unit, bins };
        vec![
            distribution("path length", "hops", by_hops(0)),
            distribution("path length of bytes", "hops", by_hops(1)),
            distribution("circuits changed in a reconfiguration", "circuits", plain(&closed.changed)),
            distribution("new tables after the first crosspoint", "us", plain(&closed.installed)),
            distribution("lost by a full-duplex link in a reconfiguration", "frames", plain(&closed.lost_of_link)),
            distribution("lost in a reconfiguration", "frames", plain(&closed.lost_of_all)),
        ]
    }
}

fn counter(name: &'static str, unit: &'static str, value: f64) -> Counter {
    Counter { name, unit, value }
}
