//! The clocks of a rack during a run, and which cells do not keep within their slots (§3.4, §3.5).

use crate::build::Rig;
use crate::clos::Decomposition;
use crate::config::Config;
use crate::timing::{Clock, Passage, Slot, Timekeeping, holdover};
use engine::{Seed, Stream};
use units::{Span, Time};

/// Who keeps time, and how well.
#[derive(Debug, Clone)]
pub(crate) struct Timekeeper {
    keeping: Timekeeping,
    slot: Slot,
    /// By node of the topology.
    clocks: Vec<Clock>,
    master: u32,
    takeover: Span,
    /// For how long clocks may be left to themselves.
    holds: Option<Span>,
    /// Until then nothing has to be looked at again.
    checked: Option<Span>,
}

impl Timekeeper {
    /// Draws the clocks.
    pub(crate) fn new(config: &Config, rig: &Rig, nodes: u32, seed: Seed) -> Timekeeper {
        let (slot, config) = (config.slot(rig.rate), &config.clocks);
        let mut stream = seed.stream("shoal.clocks", 0);
        let clocks: Vec<Clock> = (0..nodes)
            .map(|_| Clock {
                offset: within(&mut stream, config.error.as_ps()),
                drift: within(&mut stream, config.parts_per_billion().into()) as i32,
            })
            .collect();
        let keeping = Timekeeping { interval: config.interval, frequency: config.frequency, masterless: Vec::new() };
        let holds = holdover(slot.guard.early(), Span::ZERO, &clocks);
        Timekeeper { keeping, slot, clocks, master: rig.master, takeover: config.takeover, holds, checked: None }
    }

    /// A node goes off or on. If it has the master's clock, the next that works takes over.
    pub(crate) fn turn(&mut self, now: Time, node: u32, is_off: impl Fn(u32) -> bool, hosts: u32) {
        if node != self.master || !is_off(node) {
            return;
        }
        let next = (1..hosts).map(|step| (node + step) % hosts).find(|node| !is_off(*node));
        self.master = next.unwrap_or(node);
        let until = next.map(|_| now + self.takeover);
        if let Some(gap) = self.keeping.masterless.last_mut().filter(|gap| gap.1.is_none_or(|until| until > now)) {
            gap.1 = until; // there is none yet after the last failure
        } else {
            self.keeping.masterless.push((now, until));
        }
    }

    /// By ordered pair of nodes as `pairs` lists them: whether cells between them leave their slots. `None` if nothing changed since
    /// this was last asked.
    pub(crate) fn violations(
        &mut self,
        now: Time,
        rig: &Rig,
        switches: Option<&Decomposition>,
        pairs: impl Iterator<Item = (u16, u16)>,
    ) -> Option<Vec<bool>> {
        let alone = self.keeping.alone(now);
        let fine = self.holds.is_none_or(|holds| alone < holds);
        let state = (!fine).then_some(alone);
        if state == self.checked {
            return None;
        }
        self.checked = state;
        if fine {
            return Some(Vec::new());
        }
        Some(pairs.map(|(from, to)| self.violates(now, rig, switches, from, to)).collect())
    }

    fn violates(&self, now: Time, rig: &Rig, switches: Option<&Decomposition>, from: u16, to: u16) -> bool {
        let passage = |node: u32| Passage { clock: self.clocks[node as usize], deviation: 0 };
        let (from, to) = (u32::from(from), u32::from(to));
        let sender = self.clocks[from as usize];
        let Some(switches) = switches else {
            let passages = [passage(rig.leaves[0]), passage(to)];
            return self.slot.passes(&self.keeping, sender, &passages, now).is_err();
        };
        let clos = switches.clos();
        let place = switches.schedule().place(from, to);
        let spine = place.and_then(|place| switches.spine(place.slot, place.channel, from));
        let leaf = |node: u32| passage(rig.leaves[clos.leaf_of(node) as usize]);
        spine.is_some_and(|spine| {
            let passages = [leaf(from), passage(rig.spines[spine as usize]), leaf(to), passage(to)];
            self.slot.passes(&self.keeping, sender, &passages, now).is_err()
        })
    }
}

/// A number from `-most` to `most`.
fn within(stream: &mut Stream, most: u64) -> i64 {
    stream.below(2 * most + 1) as i64 - most as i64
}
