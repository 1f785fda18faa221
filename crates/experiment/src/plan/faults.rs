//! `[[fault]]`: from what was written to what happens when.

use super::Refusal;
use crate::spec::FaultSpec;
use ::topology::{LinkId, NodeId, Topology};
use engine::Seed;
use fabric::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::Diagnostics;
use settings::KeyPath;
use std::collections::BTreeMap;
use units::{Span, Time};

/// What breaks during a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Faults {
    /// The entries of the file.
    pub planned: Vec<PlannedFault>,
    /// Each break and repair, in order of time.
    pub events: Vec<(Time, Fault)>,
}

/// Something that breaks during a run: one `[[fault]]` of its file, with what was drawn for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedFault {
    /// When it breaks, in picoseconds of simulated time.
    pub at_ps: u64,
    /// When it works again; null if it stays broken until the run ends.
    pub until_ps: Option<u64>,
    /// What breaks: names of links or nodes.
    pub targets: Vec<String>,
    /// What it does then, in words: `"down"`, `"bit error rate 1e-9"`, `"down for 1 ms every 5 ms"`.
    pub effect: String,
}

/// Most breaks and repairs of a run.
const MOST: u64 = 1_000_000;

/// A part of the fabric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Link(u32),
    Node(u32),
}

/// From when until when; without an end, for good.
type Interval = (Time, Option<Time>);

pub(super) fn check(
    specs: &[FaultSpec],
    topology: &Topology,
    seed: Seed,
    duration: Time,
    diagnostics: &mut Diagnostics<'_>,
) -> Faults {
    let mut planned = Vec::new();
    let mut times = 0;
    let mut broken: BTreeMap<Part, Vec<Interval>> = BTreeMap::new();
    let mut noisy: BTreeMap<u32, Vec<(Interval, f64)>> = BTreeMap::new();
    for (index, spec) in specs.iter().enumerate() {
        let mut entry = Entry { spec, topology, path: KeyPath::from("fault").child(&index.to_string()), diagnostics };
        let form = entry.check_times(duration) & entry.check_company();
        let Some((parts, names)) = entry.parts(seed, index as u64).filter(|_| form) else { continue };
        let Some(intervals) = entry.intervals(duration, parts.len() as u64, times) else { continue };
        times += 2 * intervals.len() as u64 * parts.len() as u64;
        for part in parts {
            match (part, spec.bit_error_rate) {
                (Part::Link(link), Some(rate)) => {
                    noisy.entry(link).or_default().extend(intervals.iter().map(|interval| (*interval, rate)));
                }
                (part, _) => broken.entry(part).or_default().extend_from_slice(&intervals),
            }
        }
        let until_ps = spec.until.filter(|until| *until < duration).map(Time::as_ps);
        planned.push(PlannedFault { at_ps: spec.at.as_ps(), until_ps, targets: names, effect: effect(spec) });
    }
    let mut events: Vec<(Time, Fault)> = Vec::new();
    for (part, intervals) in broken {
        for (from, to) in union(intervals) {
            let fault = |up| match part {
                Part::Link(link) => Fault::Link { link, up },
                Part::Node(node) => Fault::Node { node, up },
            };
            events.push((from, fault(false)));
            events.extend(to.map(|to| (to, fault(true))));
        }
    }
    for (link, intervals) in noisy {
        events.extend(rates(&intervals).into_iter().map(|(at, rate)| (at, Fault::BitErrors { link, rate })));
    }
    events.sort_by_key(|(at, _)| *at);
    Faults { planned, events }
}

/// One entry, and who is to blame for it.
struct Entry<'a, 'b, 'c> {
    spec: &'a FaultSpec,
    topology: &'a Topology,
    path: KeyPath,
    diagnostics: &'b mut Diagnostics<'c>,
}

impl Entry<'_, '_, '_> {
    fn refuse(&mut self, key: &str, refusal: Refusal) -> bool {
        self.diagnostics.refuse_at(&self.path.child(key), refusal);
        false
    }

    fn check_times(&mut self, duration: Time) -> bool {
        let FaultSpec { at, until, period, down, .. } = *self.spec;
        let mut right = true;
        if at >= duration {
            right &= self.refuse("at", Refusal::FaultBeyondDuration { duration });
        }
        if until.is_some_and(|until| until <= at) {
            right &= self.refuse("until", Refusal::MendedBeforeBroken { at });
        }
        match (period, down) {
            (Some(period), Some(down)) if down >= period => right &= self.refuse("down", Refusal::NeverUp { period }),
            (Some(period), None) => {
                let example = format!("down = \"{}\"", period / 2);
                right &= self.refuse("down", Refusal::HalfAFlap { example });
            }
            (None, Some(down)) => {
                let example = format!("period = \"{}\"", down.saturating_mul(2));
                right &= self.refuse("period", Refusal::HalfAFlap { example });
            }
            (Some(_), Some(_)) | (None, None) => {}
        }
        right
    }

    /// Keys that mean something only beside others.
    fn check_company(&mut self) -> bool {
        let FaultSpec { link, one_way, links, nodes, count, bit_error_rate, .. } = self.spec;
        let mut right = true;
        if *one_way && link.is_none() {
            right &= self.refuse("one_way", Refusal::NotForThisFault { keys: "link" });
        }
        if count.is_some() && links.is_none() && nodes.is_none() {
            right &= self.refuse("count", Refusal::NotForThisFault { keys: "links or nodes" });
        }
        if bit_error_rate.is_some() && link.is_none() && links.is_none() {
            right &= self.refuse("bit_error_rate", Refusal::NotForThisFault { keys: "link or links" });
        }
        right
    }

    /// What breaks, with its names.
    fn parts(&mut self, seed: Seed, index: u64) -> Option<(Vec<Part>, Vec<String>)> {
        let FaultSpec { link, node, links, nodes, .. } = self.spec;
        let said = [("link", link), ("node", node), ("links", links), ("nodes", nodes)];
        let mut said = said.into_iter().filter_map(|(key, value)| Some((key, value.as_deref()?)));
        let Some((key, value)) = said.next() else {
            let (link, node) = (self.topology.link_name(LinkId(0)), NodeId(self.topology.hosts()));
            let (node, class) = (self.topology.name(node).to_owned(), self.topology.classes()[0].clone());
            self.diagnostics.refuse_at(&self.path, Refusal::NothingBreaks { link, node, class });
            return None;
        };
        if let Some((second, _)) = said.next() {
            self.refuse(second, Refusal::SeveralBreak { other: key });
            return None;
        }
        match key {
            "link" => self.link(value),
            "node" => self.node(value),
            "links" => self.some_links(value, seed, index),
            _nodes => self.some_nodes(value, seed, index),
        }
    }

    /// A cable in both directions, or one of them.
    fn link(&mut self, name: &str) -> Option<(Vec<Part>, Vec<String>)> {
        match self.topology.find_link(name) {
            Ok(link) => {
                let back = (!self.spec.one_way).then(|| self.topology.reverse(link));
                let parts = std::iter::once(link).chain(back).map(|link| Part::Link(link.0)).collect();
                Some((parts, vec![self.topology.link_name(link)]))
            }
            Err(error) => {
                self.refuse("link", Refusal::UnknownLink(error));
                None
            }
        }
    }

    fn node(&mut self, name: &str) -> Option<(Vec<Part>, Vec<String>)> {
        match self.topology.find_node(name) {
            Ok(node) => Some((vec![Part::Node(node.0)], vec![self.topology.name(node).to_owned()])),
            Err(error) => {
                self.refuse("node", Refusal::UnknownNode(error));
                None
            }
        }
    }

    fn some_links(&mut self, class: &str, seed: Seed, index: u64) -> Option<(Vec<Part>, Vec<String>)> {
        let Some(number) = self.topology.class(class) else {
            let classes = self.topology.classes().to_vec();
            self.refuse("links", Refusal::UnknownClass { class: class.to_owned(), classes });
            return None;
        };
        let topology = self.topology;
        let all = (0..topology.links().len() as u32).map(LinkId);
        // Each cable once, by its way up.
        let cables = all.filter(|link| topology.link(*link).class == number && *link < topology.reverse(*link));
        let drawn = self.draw(cables.map(|link| link.0).collect(), seed, index)?;
        let both = drawn.iter().flat_map(|link| [*link, topology.reverse(LinkId(*link)).0]).map(Part::Link).collect();
        Some((both, drawn.iter().map(|link| topology.link_name(LinkId(*link))).collect()))
    }

    fn some_nodes(&mut self, kind: &str, seed: Seed, index: u64) -> Option<(Vec<Part>, Vec<String>)> {
        let kinds = kinds(self.topology);
        let Some((_, nodes)) = kinds.iter().find(|(name, _)| name == kind) else {
            let kinds = kinds.into_iter().map(|(name, _)| name).collect();
            self.refuse("nodes", Refusal::UnknownKind { kind: kind.to_owned(), kinds });
            return None;
        };
        let drawn = self.draw(nodes.clone(), seed, index)?;
        let names = drawn.iter().map(|node| self.topology.name(NodeId(*node)).to_owned()).collect();
        Some((drawn.into_iter().map(Part::Node).collect(), names))
    }

    /// `count` of these, in order.
    fn draw(&mut self, mut among: Vec<u32>, seed: Seed, index: u64) -> Option<Vec<u32>> {
        let count = self.spec.count.unwrap_or(1);
        if count as usize > among.len() {
            self.refuse("count", Refusal::NotSoMany { there: among.len() as u32 });
            return None;
        }
        seed.stream("fault", index).shuffle(&mut among);
        among.truncate(count as usize);
        among.sort_unstable();
        Some(among)
    }

    /// When it is broken, on each of so many parts; `before` breaks and repairs are planned already.
    fn intervals(&mut self, duration: Time, parts: u64, before: u64) -> Option<Vec<Interval>> {
        let FaultSpec { at, until, period, down, .. } = *self.spec;
        let Some((period, down)) = period.zip(down) else { return Some(vec![(at, until)]) };
        let end = until.unwrap_or(duration).min(duration);
        let rounds = end.since(at).as_ps().div_ceil(period.as_ps());
        let times = rounds.saturating_mul(2).saturating_mul(parts).saturating_add(before);
        if times > MOST {
            self.refuse("period", Refusal::TooManyFaults { times, limit: MOST });
            return None;
        }
        let start = |round: u64| at + Span::from_ps(period.as_ps() * round);
        Some((0..rounds).map(|round| (start(round), Some((start(round) + down).min(end)))).collect())
    }
}

/// Kinds of nodes by name, in the order of the topology: hosts, switches, tiers, and what names begin with.
fn kinds(topology: &Topology) -> Vec<(String, Vec<u32>)> {
    let nodes = || 0..topology.nodes();
    let mut kinds = vec![
        ("host".to_owned(), (0..topology.hosts()).collect()),
        ("switch".to_owned(), (topology.hosts()..topology.nodes()).collect::<Vec<u32>>()),
    ];
    let mut stems: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    let mut tiers: BTreeMap<u16, Vec<u32>> = BTreeMap::new();
    for node in nodes() {
        let name = topology.name(NodeId(node));
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let stem_name = stem.trim_end_matches(['-', '_']);
        if stem.len() < name.len() && !stem_name.is_empty() && kinds.iter().all(|(kind, _)| kind != stem_name) {
            stems.entry(stem_name).or_default().push(node);
        }
        if !topology.is_host(NodeId(node)) {
            tiers.entry(topology.tier(NodeId(node))).or_default().push(node);
        }
    }
    kinds.extend(stems.into_iter().map(|(stem, nodes)| (stem.to_owned(), nodes)));
    kinds.extend(tiers.into_iter().map(|(tier, nodes)| (format!("tier {tier}"), nodes)));
    kinds
}

fn effect(spec: &FaultSpec) -> String {
    let what = match spec.bit_error_rate {
        Some(rate) => format!("bit error rate {rate:e}"),
        None => "down".to_owned(),
    };
    match spec.down.zip(spec.period) {
        Some((down, period)) => format!("{what} for {down} every {period}"),
        None => what,
    }
}

/// The same times, without overlaps.
fn union(mut intervals: Vec<Interval>) -> Vec<Interval> {
    intervals.sort_by_key(|(from, to)| (*from, to.unwrap_or(Time::MAX)));
    let mut merged: Vec<Interval> = Vec::new();
    for (from, to) in intervals {
        match merged.last_mut() {
            Some((_, end)) if end.is_none_or(|end| from <= end) => {
                *end = end.zip(to).map(|(end, to)| end.max(to));
            }
            _apart => merged.push((from, to)),
        }
    }
    merged
}

/// When the rate of bit errors changes, and to what: those of entries at the same time come together.
fn rates(intervals: &[(Interval, f64)]) -> Vec<(Time, f64)> {
    // Ends before beginnings at the same time. Few are there at once (one an entry of the file), so a list of them is enough.
    let mut turns: Vec<(Time, bool, usize)> = Vec::new();
    for (index, ((from, to), _)) in intervals.iter().enumerate() {
        turns.push((*from, true, index));
        turns.extend(to.map(|to| (to, false, index)));
    }
    turns.sort_unstable();
    let mut there: Vec<usize> = Vec::new();
    let mut rates: Vec<(Time, f64)> = Vec::new();
    for (time, begins, index) in turns {
        if begins {
            there.insert(there.partition_point(|other| *other < index), index);
        } else {
            there.retain(|other| *other != index);
        }
        // Exact where there is one: 1 - (1 - rate) is not.
        let rate = there.iter().map(|index| intervals[*index].1).reduce(|a, b| a + b - a * b).unwrap_or(0.0);
        match rates.last_mut().filter(|(last, _)| *last == time) {
            Some((_, last)) => *last = rate,
            None => rates.push((time, rate)),
        }
    }
    rates
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    #[test]
    fn what_overlaps_is_broken_once() {
        let some = |from, to| (us(from), Some(us(to)));
        assert_eq!(union(vec![some(5, 8), some(1, 3), some(2, 4)]), [some(1, 4), some(5, 8)]);
        assert_eq!(union(vec![some(1, 3), some(3, 4)]), [some(1, 4)]);
        assert_eq!(union(vec![some(1, 9), some(2, 3)]), [some(1, 9)]);
        assert_eq!(union(vec![(us(2), None), some(1, 3), some(7, 8)]), [(us(1), None)]);
    }

    #[test]
    fn bit_errors_of_two_causes_come_together() {
        let rates = rates(&[((us(1), Some(us(5))), 0.5), ((us(3), None), 0.5)]);
        assert_eq!(rates, [(us(1), 0.5), (us(3), 0.75), (us(5), 0.5)]);
    }
}
