//! Do the numbers make a network? Then which.

use super::Problem;
use super::lines::{self, Key, Lines, Section, Value};
use crate::builder::{LIMIT, LinkSpec};
use crate::tree::{Cables, Tree};
use crate::two_stage::TwoStage;
use crate::{BuildError, ReadError, Topology};
use units::{Bytes, Rate, Span};

/// Numbers that agree.
pub(super) struct Plan {
    nodes: u32,
    pods: u32,
    tiers: Vec<Tier>,
}

/// A tier of switches and the links below it.
#[derive(Clone, Copy)]
struct Tier {
    down: u32,
    /// Ports up; 0 at the top.
    up: u32,
    bundle: u32,
    gbps: u32,
    link_delay: Span,
    switch_delay: Span,
    queue_down: Option<Bytes>,
    queue_up: Option<Bytes>,
}

impl Plan {
    pub(super) fn check(lines: &Lines) -> Result<Plan, ReadError> {
        let header = |key: Key| {
            let problem = Problem::NoHeader { key: key.name };
            lines.header.get(key).ok_or(ReadError::HtsimTopo { line: lines.header_end, problem })
        };
        let (nodes, count, pod) = (header(lines::NODES)?, header(lines::TIERS)?, header(lines::PODSIZE)?);
        let mut tiers = Vec::new();
        let mut sections = Vec::new();
        for (number, section) in (0..).zip(&lines.tiers) {
            let tiers_count = count.number;
            match section {
                Some(section) if number < tiers_count => {
                    tiers.push(tier(number, section, number + 1 == tiers_count)?);
                    sections.push(section);
                }
                Some(section) => {
                    return Err(at(section.line, Problem::ExtraTier { tier: number, tiers: tiers_count }));
                }
                None if number < tiers_count => {
                    return Err(at(lines.end, Problem::NoTier { tier: number, tiers: tiers_count }));
                }
                None => {}
            }
        }
        check_counts(nodes, pod, &tiers, &sections)?;
        check_oversubscription(&tiers, &sections)?;
        Ok(Plan { nodes: nodes.number, pods: nodes.number / pod.number, tiers })
    }

    pub(super) fn build(self) -> Result<Topology, ReadError> {
        let Plan { nodes, pods, ref tiers } = self;
        // Every level of a tree has as many cables as hosts, but for bundles and oversubscription: this bounds all counts.
        let mut cables = u128::from(nodes);
        let mut switches = u128::from(nodes / tiers[0].down);
        for (below, tier) in tiers.iter().zip(&tiers[1..]) {
            cables += switches * u128::from(below.up);
            switches = switches * u128::from(below.up) / u128::from(tier.down);
        }
        let label = format!("htsim fat-tree, {} tiers", tiers.len());
        if cables > u128::from(LIMIT) {
            return Err(BuildError::TooLarge { label, what: "cables", count: cables, limit: LIMIT }.into());
        }
        let edges = nodes / tiers[0].down;
        let aggregations = tiers[0].up / tiers[1].bundle;
        let built = if tiers.len() == 2 {
            TwoStage {
                label,
                leaves: edges,
                spines: aggregations,
                hosts_per_leaf: tiers[0].down,
                host_leaf: self.cables(0),
                leaf_spine: self.cables(1),
            }
            .build()
        } else {
            Tree {
                label,
                pods,
                edges_per_pod: edges / pods,
                aggregations_per_pod: aggregations,
                hosts_per_edge: tiers[0].down,
                cores_per_aggregation: tiers[1].up / tiers[2].bundle,
                host_edge: self.cables(0),
                edge_aggregation: self.cables(1),
                aggregation_core: self.cables(2),
            }
            .build()
        };
        Ok(built?)
    }

    /// The cables below a tier. What leaves a switch also has its latency.
    fn cables(&self, tier: usize) -> Cables {
        let upper = self.tiers[tier];
        let lower = tier.checked_sub(1).map(|lower| self.tiers[lower]);
        let rate = Rate::from_gbps(u64::from(upper.gbps));
        let delay = |switch: Span| upper.link_delay + switch;
        Cables {
            bundle: upper.bundle,
            up: LinkSpec {
                rate,
                delay: delay(lower.map_or(Span::ZERO, |lower| lower.switch_delay)),
                queue: lower.and_then(|lower| lower.queue_up),
            },
            down: LinkSpec { rate, delay: delay(upper.switch_delay), queue: upper.queue_down },
        }
    }
}

fn at(line: u32, problem: Problem) -> ReadError {
    ReadError::HtsimTopo { line, problem }
}

/// What one tier says, with what it may leave out filled in.
fn tier(number: u32, section: &Section, top: bool) -> Result<Tier, ReadError> {
    let said = |key: Key| section.get(key).map(|value| value.number);
    let need = |key: Key| said(key).ok_or(at(section.line, Problem::NoKey { tier: number, key: key.name }));
    if top {
        let about_uplinks = [lines::RADIX_UP, lines::QUEUE_UP, lines::OVERSUBSCRIBED];
        // An oversubscription of 1 where there are no uplinks does no harm, and some files have it.
        let harmless = |key, value: &Value| key == lines::OVERSUBSCRIBED && value.number == 1;
        for key in about_uplinks {
            if let Some(value) = section.get(key).filter(|value| !harmless(key, value)) {
                return Err(at(value.line, Problem::AboveTop { key: key.name, tier: number }));
            }
        }
    }
    let ns = |ns: u32| Span::from_ns(u64::from(ns));
    let bytes = |bytes: u32| Bytes::new(u64::from(bytes));
    Ok(Tier {
        down: need(lines::RADIX_DOWN)?,
        up: if top { 0 } else { need(lines::RADIX_UP)? },
        bundle: said(lines::BUNDLE).unwrap_or(1),
        gbps: need(lines::SPEED)?,
        link_delay: ns(need(lines::LINK_LATENCY)?),
        switch_delay: ns(said(lines::SWITCH_LATENCY).unwrap_or(0)),
        queue_down: said(lines::QUEUE_DOWN).map(bytes),
        queue_up: said(lines::QUEUE_UP).map(bytes),
    })
}

/// Every port in use, and every switch of a tier alike.
fn check_counts(nodes: Value, pod: Value, tiers: &[Tier], sections: &[&Section]) -> Result<(), ReadError> {
    let line = |tier: usize, key: Key| sections[tier].get(key).map_or(sections[tier].line, |value| value.line);
    let multiple = |line, key: Key, value: u32, of: u32, what| {
        let fits = value.is_multiple_of(of);
        if fits { Ok(()) } else { Err(at(line, Problem::NotAMultiple { key: key.name, value, of, what })) }
    };
    let equal = |line, key: Key, value: u32, expected: u32, because| {
        let fits = value == expected;
        if fits { Ok(()) } else { Err(at(line, Problem::Mismatch { key: key.name, value, expected, because })) }
    };
    let two = tiers.len() == 2;
    if two {
        let because = "the number of nodes: two tiers are one pod";
        equal(pod.line, lines::PODSIZE, pod.number, nodes.number, because)?;
    }
    multiple(nodes.line, lines::NODES, nodes.number, pod.number, "hosts of a pod")?;
    let per_edge = "hosts of a Tier 0 switch";
    multiple(pod.line, lines::PODSIZE, pod.number, tiers[0].down, per_edge)?;
    equal(line(0, lines::BUNDLE), lines::BUNDLE, tiers[0].bundle, 1, "as a host has one link")?;
    // Switches below that a switch of this tier is joined to.
    let edges_of_a_pod = pod.number / tiers[0].down;
    let below = [edges_of_a_pod, nodes.number / pod.number];
    let because = ["the Tier 0 switches of a pod, times the cables to each", "the pods, times the cables to each"];
    for (tier, (below, because)) in (1..tiers.len()).zip(below.into_iter().zip(because)) {
        let Tier { down, bundle, .. } = tiers[tier];
        let up = tiers[tier - 1].up;
        multiple(
            line(tier - 1, lines::RADIX_UP),
            lines::RADIX_UP,
            up,
            bundle,
            "cables in each bundle of the tier above",
        )?;
        let expected = below.saturating_mul(bundle);
        equal(line(tier, lines::RADIX_DOWN), lines::RADIX_DOWN, down, expected, because)?;
    }
    Ok(())
}

/// What `Oversubscribed` says, where it says something, is what radices and rates make.
fn check_oversubscription(tiers: &[Tier], sections: &[&Section]) -> Result<(), ReadError> {
    for (tier, section) in sections.iter().enumerate().take(tiers.len() - 1) {
        let Some(value) = section.get(lines::OVERSUBSCRIBED) else { continue };
        let (Tier { down, gbps: down_rate, up, .. }, up_rate) = (tiers[tier], tiers[tier + 1].gbps);
        let (below, above) = (u64::from(down) * u64::from(down_rate), u64::from(up) * u64::from(up_rate));
        if u128::from(below) != u128::from(above) * u128::from(value.number) {
            let actual =
                if below.is_multiple_of(above) { (below / above).to_string() } else { format!("{below}/{above}") };
            let value_is = value.number;
            let problem = Problem::Oversubscription { value: value_is, down, down_rate, up, up_rate, actual };
            return Err(at(value.line, problem));
        }
    }
    Ok(())
}
