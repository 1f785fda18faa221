//! Who met whom, and when, where a fabric is to see to it that nobody does ([`fabric::Collision`]).

use fabric::{Collision, Party};
use results::CollisionRow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use topology::{LinkId, NodeId, Topology};
use units::Time;

/// The most pairs that are told apart: of all others collisions are only counted.
const MOST_PAIRS: usize = 10_000;

/// Who is told from whom: port, and of both packets what they are and whom they join.
type Key = (u32, Option<u32>, [(&'static str, Option<u32>, Option<u32>); 2]);

/// A collision, and the flows that it is of: of the packet that is lost, and of the one that it met.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Met {
    first: Collision,
    flows: [Option<u64>; 2],
    last: Time,
    count: u64,
}

/// The collisions of a run in its window.
#[derive(Debug, Default)]
pub(crate) struct Collisions {
    met: BTreeMap<Key, Met>,
    /// The first of all.
    first: Option<Met>,
    all: u64,
    /// Of pairs beyond those that are told apart.
    unlisted: u64,
}

impl Collisions {
    /// Two packets, of these flows, have met.
    pub(crate) fn count(&mut self, collision: Collision, flows: [Option<u64>; 2]) {
        let met = Met { first: collision, flows, last: collision.at, count: 1 };
        self.all += 1;
        self.first = self.first.or(Some(met));
        let who = |party: Party| (party.kind, party.source, party.destination);
        let key = (collision.from, collision.link, [who(collision.lost), who(collision.met)]);
        if let Some(known) = self.met.get_mut(&key) {
            known.last = collision.at;
            known.count += 1;
        } else if self.met.len() < MOST_PAIRS {
            self.met.insert(key, met);
        } else {
            self.unlisted += 1;
        }
    }

    /// How many are of pairs that have no row.
    pub(crate) fn unlisted(&self) -> u64 {
        self.unlisted
    }

    /// A row for each pair, in the order in which they first met.
    pub(crate) fn rows(&self, topology: &Topology) -> Vec<CollisionRow> {
        let mut met: Vec<&Met> = self.met.values().collect();
        met.sort_by_key(|met| met.first.at);
        met.into_iter().map(|met| row(met, topology)).collect()
    }

    /// What a person should know of them, if there are any.
    pub(crate) fn warning(&self, topology: &Topology) -> Option<String> {
        let Met { first, flows: [lost, met], .. } = self.first?;
        let times = match self.all {
            1 => "a collision of scheduled packets:".to_owned(),
            all => format!("{all} collisions of scheduled packets, the first"),
        };
        let (node, target) = port(&first, topology);
        let [lost, met] = [(first.lost, lost), (first.met, met)].map(|(party, flow)| Told { party, flow, topology });
        Some(format!(
            "{times} at {} before {node} -> {target}, where {lost} met {met}; see the table of collisions",
            first.at
        ))
    }
}

fn row(met: &Met, topology: &Topology) -> CollisionRow {
    let Met { first, flows: [lost_flow, met_flow], last, count } = *met;
    let (node, target) = port(&first, topology);
    CollisionRow {
        first_ps: first.at.as_ps(),
        last_ps: last.as_ps(),
        collisions: count,
        link: first.link,
        node,
        target,
        lost_kind: first.lost.kind.into(),
        lost_src: first.lost.source,
        lost_dst: first.lost.destination,
        lost_flow,
        lost_slot: first.lost.slot,
        met_kind: first.met.kind.into(),
        met_src: first.met.source,
        met_dst: first.met.destination,
        met_flow,
        met_slot: first.met.slot,
    }
}

/// The node whose port it is, and where that leads.
fn port(collision: &Collision, topology: &Topology) -> (Arc<str>, Arc<str>) {
    let name = |node: NodeId| topology.name(node).into();
    let target = collision.link.map_or(ARBITER.into(), |link| name(topology.link(LinkId(link)).to));
    (name(NodeId(collision.from)), target)
}

/// Who is no host.
const ARBITER: &str = "arbiter";

/// A packet, in words.
struct Told<'a> {
    party: Party,
    flow: Option<u64>,
    topology: &'a Topology,
}

impl fmt::Display for Told<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |host: Option<u32>| host.map_or(ARBITER, |host| self.topology.name(NodeId(host)));
        let Party { kind, source, destination, slot, .. } = self.party;
        write!(formatter, "{kind} from {} to {}", name(source), name(destination))?;
        match (self.flow, slot) {
            (Some(flow), Some(slot)) => write!(formatter, " (flow {flow}, slot {slot})"),
            (None, Some(slot)) => write!(formatter, " (slot {slot})"),
            (Some(flow), None) => write!(formatter, " (flow {flow})"),
            (None, None) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use topology::Shape;
    use units::{Rate, Span};

    fn collision(at: u64, source: u32, slot: u64) -> Collision {
        let data = |source, flow| Party {
            kind: "data",
            source: Some(source),
            destination: Some(1),
            flow: Some([flow, 0]),
            slot: Some(slot),
        };
        let request = Party { kind: "request", source: Some(2), destination: None, flow: None, slot: None };
        Collision { at: Time::from_ps(at), from: 4, link: None, lost: data(source, 7), met: request }
    }

    #[test]
    fn pairs_are_told_apart_up_to_a_bound_and_all_others_counted() {
        let topology = Shape::Star { hosts: 4 }.build(Rate::from_gbps(100), Span::from_us(1)).expect("a star");
        let mut collisions = Collisions::default();
        assert_eq!(collisions.warning(&topology), None);
        collisions.count(collision(30, 3, 5), [Some(12), None]);
        let told = "a collision of scheduled packets: at 30 ps before switch-0 -> arbiter, where data from host-3 to host-1 (flow 12, \
                    slot 5) met request from host-2 to arbiter; see the table of collisions";
        assert_eq!(collisions.warning(&topology).as_deref(), Some(told));
        collisions.count(collision(40, 0, 6), [None, None]);
        collisions.count(collision(50, 3, 7), [Some(13), None]);
        let rows = collisions.rows(&topology);
        let seen: Vec<_> =
            rows.iter().map(|row| (row.first_ps, row.last_ps, row.collisions, row.lost_src, row.lost_flow)).collect();
        assert_eq!(seen, [(30, 50, 2, Some(3), Some(12)), (40, 40, 1, Some(0), None)]);
        assert!(
            collisions
                .warning(&topology)
                .expect("some")
                .starts_with("3 collisions of scheduled packets, the first at 30 ps")
        );
        // Numbers that are no hosts do: they are only counted here.
        for other in 0..MOST_PAIRS as u32 {
            collisions.count(collision(60, 10 + other, 8), [None, None]);
        }
        assert_eq!((collisions.rows(&topology).len(), collisions.unlisted()), (MOST_PAIRS, 2));
    }
}
