//! What could be had in one slot at best: for small pods exactly, for larger ones from above, by a linear program or, for very large ones, a maximum flow.

mod linear;

pub use linear::linear;

use super::{Attached, Demand};
use crate::pod::Link;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The largest number of these demands that fit in one slot, with paths, when every core switch takes packets. Tries everything: up to some twenty demands in a pod of a few racks.
pub fn exact(attached: &Attached, demands: &[Demand]) -> usize {
    let mut search = Search { attached, demands, taken: BTreeSet::new(), best: 0 };
    search.go(0, 0);
    search.best
}

struct Search<'a> {
    attached: &'a Attached,
    demands: &'a [Demand],
    taken: BTreeSet<Link>,
    best: usize,
}

impl Search<'_> {
    fn go(&mut self, place: usize, count: usize) {
        self.best = self.best.max(count);
        let left = self.demands.len() - place;
        if count + left <= self.best {
            return;
        }
        let demand = self.demands[place];
        let planes = 0..self.attached.pod().uplinks() as u8;
        let choices: Vec<(u8, Option<u8>)> = match demand {
            Demand::Within { .. } => planes.map(|plane| (plane, None)).collect(),
            // Core switches of a plane are alike: the first one that is free does.
            Demand::Out { .. } => planes.filter_map(|plane| Some((plane, Some(self.free_core(plane)?)))).collect(),
            Demand::In { core, .. } => vec![(core.plane, Some(core.number))],
        };
        for (plane, core) in choices {
            let links: Vec<Link> = super::Given { demand, plane, core }.links(self.attached.pod()).collect();
            if links.iter().all(|link| !self.taken.contains(link)) {
                self.taken.extend(&links);
                self.go(place + 1, count + 1);
                links.iter().for_each(|link| {
                    self.taken.remove(link);
                });
            }
        }
        self.go(place + 1, count);
    }

    fn free_core(&self, plane: u8) -> Option<u8> {
        let cores = 0..self.attached.cores_per_plane() as u8;
        cores.into_iter().find(|&core| !self.taken.contains(&Link::FromAggregation(0, plane, core)))
    }
}

/// No more than this many of the demands fit in one slot: the maximum flow if a packet within the pod could change planes at the top, and packets from the core that meet at a
/// downlink could change their destinations within the rack.
pub fn bound(attached: &Attached, demands: &[Demand]) -> usize {
    let mut flow = Flow::default();
    let pod = attached.pod();
    for &demand in demands {
        let source = |host: u16| (Node::Source(host), Node::RackUp(pod.rack(host)));
        let destination = |host: u16| (Node::Destination(host), Node::RackDown(pod.rack(host)));
        match demand {
            Demand::Within { source: from, destination: to } => {
                flow.source(source(from), pod.uplinks());
                flow.destination(destination(to), pod.uplinks());
                flow.edge(Node::Source(from), Node::Destination(to), 1);
            }
            Demand::Out { source: from, .. } => {
                flow.source(source(from), pod.uplinks());
                flow.edge(Node::Source(from), Node::Outside, 1);
                flow.edge(Node::Outside, Node::End, pod.uplinks() * attached.cores_per_plane());
            }
            Demand::In { core, destination: to } => {
                let rack = pod.rack(to);
                flow.destination(destination(to), pod.uplinks());
                flow.edge(Node::Begin, Node::Core(core.plane, core.number), 1);
                flow.edge(Node::Core(core.plane, core.number), Node::Into(rack, core.plane), 1);
                flow.edge(Node::Into(rack, core.plane), Node::OutOf(rack, core.plane), 1);
                flow.edge(Node::OutOf(rack, core.plane), Node::Destination(to), 1);
            }
        }
    }
    flow.maximum()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    Begin,
    RackUp(u32),
    Source(u16),
    Core(u8, u8),
    Into(u32, u8),
    OutOf(u32, u8),
    Destination(u16),
    RackDown(u32),
    Outside,
    End,
}

/// A network of capacities that are left.
#[derive(Debug, Default)]
struct Flow {
    left: BTreeMap<Node, BTreeMap<Node, u32>>,
}

impl Flow {
    fn edge(&mut self, from: Node, to: Node, capacity: u32) {
        self.left.entry(from).or_default().insert(to, capacity);
        self.left.entry(to).or_default().entry(from).or_default();
    }

    fn source(&mut self, (host, rack): (Node, Node), uplinks: u32) {
        self.edge(Node::Begin, rack, uplinks);
        self.edge(rack, host, 1);
    }

    fn destination(&mut self, (host, rack): (Node, Node), uplinks: u32) {
        self.edge(host, rack, 1);
        self.edge(rack, Node::End, uplinks);
    }

    /// By shortest augmenting paths of one unit.
    fn maximum(&mut self) -> usize {
        let mut value = 0;
        loop {
            let mut before: BTreeMap<Node, Node> = BTreeMap::new();
            let mut queue = VecDeque::from([Node::Begin]);
            while let Some(node) = queue.pop_front() {
                for (&next, &left) in self.left.get(&node).into_iter().flatten() {
                    if left > 0 && next != Node::Begin && !before.contains_key(&next) {
                        before.insert(next, node);
                        queue.push_back(next);
                    }
                }
            }
            let mut node = Node::End;
            if !before.contains_key(&node) {
                return value;
            }
            while let Some(&from) = before.get(&node) {
                *self.left.entry(from).or_default().entry(node).or_default() -= 1;
                *self.left.entry(node).or_default().entry(from).or_default() += 1;
                node = from;
            }
            value += 1;
        }
    }
}
