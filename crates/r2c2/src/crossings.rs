//! What part of a flow crosses each link, and so how fast it can be.
//!
//! Packets choose their links at random as they go, alike among all that begin a shortest path; a flow is divided the same way.

use crate::config::{MOST_PARTS, Routing};
use crate::filling::Parts;
use crate::rig::Rig;
use engine::look;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use topology::{NodeId, Routes};

/// What crosses which links, for all pairs of hosts, as it is asked for.
#[derive(Debug)]
pub(crate) struct Crossings {
    pub routes: Arc<Routes>,
    routing: Routing,
    /// By link, in bits a second.
    rates: Vec<f64>,
    pub parts: Parts,
    /// Minimal: by pair of hosts, where in `parts` its links are.
    pairs: BTreeMap<[u32; 2], Range<u32>>,
    /// Valiant: by host, the links to a node between and those from one. A flow crosses both.
    halves: Vec<[Range<u32>; 2]>,
    pour: Pour,
}

/// Working space of [`Crossings::pour`].
#[derive(Debug, Default)]
struct Pour {
    /// By node: how much of the flow has come there.
    mass: Vec<f64>,
    /// By links to go: nodes to which something has come.
    rounds: Vec<Vec<u32>>,
}

impl Pour {
    fn put(&mut self, node: u32, to_go: usize, mass: f64) {
        let there = &mut self.mass[node as usize];
        if *there == 0.0 {
            if self.rounds.len() <= to_go {
                self.rounds.resize(to_go + 1, Vec::new());
            }
            self.rounds[to_go].push(node);
        }
        *there += mass;
    }
}

impl Crossings {
    /// Over these routes.
    pub(crate) fn new(rig: &Rig, routes: Arc<Routes>, routing: Routing) -> Crossings {
        let pour = Pour { mass: vec![0.0; rig.topology.nodes() as usize], rounds: Vec::new() };
        let rates = rig.topology.links().iter().map(|link| link.rate.as_bps() as f64).collect();
        let (parts, pairs, halves) = (Parts::default(), BTreeMap::new(), Vec::new());
        let mut crossings = Crossings { routes, routing, rates, parts, pairs, halves, pour };
        if routing == Routing::Valiant {
            crossings.halve(rig);
        }
        crossings
    }

    /// Where in `parts` the links are that a flow between these hosts crosses, those of the hosts among them.
    pub(crate) fn of(&mut self, rig: &Rig, src: u32, dst: u32) -> [Range<u32>; 2] {
        if self.routing == Routing::Valiant {
            return [self.halves[src as usize][0].clone(), self.halves[dst as usize][1].clone()];
        }
        if let Some(known) = self.pairs.get(&[src, dst]) {
            return [known.clone(), 0..0];
        }
        let first = self.parts.links.len() as u32;
        self.push(rig.up[src as usize], 1.0);
        let source = rig.switch[src as usize];
        self.pour.put(source, self.to_go(source, dst), 1.0);
        self.pour(rig, dst, |parts, link, part| {
            parts.links.push(link);
            parts.parts.push(part);
        });
        self.push(rig.down[dst as usize], 1.0);
        let range = first..self.parts.links.len() as u32;
        self.pairs.insert([src, dst], range.clone());
        [range, 0..0]
    }

    /// Forgets pairs if there are too many. What [`Crossings::of`] has given before is of no use then.
    pub(crate) fn make_room(&mut self) {
        if self.parts.links.len() > MOST_PARTS {
            self.parts = Parts::default();
            self.pairs.clear();
        }
    }

    /// The rate of a flow that is alone, in bits a second.
    pub(crate) fn line(&mut self, rig: &Rig, src: u32, dst: u32) -> f64 {
        let ranges = self.of(rig, src, dst);
        let Crossings { parts, rates, .. } = self;
        if self.routing == Routing::Minimal {
            return parts.of(&ranges).map(|(link, part)| rates[link as usize] / part).fold(f64::INFINITY, f64::min);
        }
        // A link may be on both halves; both are in the order of links.
        let [first, second] =
            ranges.map(|range| range.map(|place| (parts.links[place as usize], parts.parts[place as usize])));
        let (mut first, mut second) = (first.peekable(), second.peekable());
        let mut line = f64::INFINITY;
        loop {
            let next = match (first.peek(), second.peek()) {
                (None, None) => return line,
                (Some(one), Some(other)) => one.0.min(other.0),
                (Some(one), None) | (None, Some(one)) => one.0,
            };
            let there = first.next_if(|(link, _)| *link == next).map_or(0.0, |(_, part)| part);
            let back = second.next_if(|(link, _)| *link == next).map_or(0.0, |(_, part)| part);
            line = line.min(rates[next as usize] / (there + back));
        }
    }

    fn push(&mut self, link: u32, part: f64) {
        self.parts.links.push(link);
        self.parts.parts.push(part);
    }

    /// Links from a switch to that of a host.
    fn to_go(&self, switch: u32, dst: u32) -> usize {
        let (mut at, mut links) = (NodeId(switch), 0);
        while let Some(link) = self.routes.next_hops(at, dst).get(0) {
            at = self.routes.leads_to(link);
            links += 1;
            if at.0 == dst {
                break;
            }
        }
        links
    }

    /// Has what was put at switches flow to a host's switch. `cross` is told of every link, once, and how much crosses it. What has no
    /// path is left where it is.
    fn pour(&mut self, rig: &Rig, dst: u32, mut cross: impl FnMut(&mut Parts, u32, f64)) {
        look();
        let Crossings { routes, pour, parts, .. } = self;
        let end = rig.switch[dst as usize];
        for to_go in (0..pour.rounds.len()).rev() {
            let mut round = std::mem::take(&mut pour.rounds[to_go]);
            for node in round.drain(..) {
                let mass = std::mem::take(&mut pour.mass[node as usize]);
                if node == end {
                    continue;
                }
                let links = routes.next_hops(NodeId(node), dst);
                let part = mass / f64::from(links.len().max(1));
                for link in links.iter() {
                    cross(parts, link.0, part);
                    pour.put(routes.leads_to(link).0, to_go - 1, part);
                }
            }
            pour.rounds[to_go] = round;
        }
    }

    /// Valiant: from each host to a random one, and from a random one to each host. So what crosses a link of a flow between two hosts is a
    /// sum of what is of the one and what is of the other.
    fn halve(&mut self, rig: &Rig) {
        let hosts = rig.hosts();
        let share = 1.0 / f64::from(hosts);
        let links = rig.topology.links().len();
        let mut parts = Parts::default();
        let mut list = |crossed: &mut Vec<f64>| {
            let first = parts.links.len() as u32;
            for (link, part) in (0..).zip(crossed.iter_mut()).filter(|(_, part)| **part > 0.0) {
                parts.links.push(link);
                parts.parts.push(std::mem::take(part));
            }
            first..parts.links.len() as u32
        };
        let mut crossed = vec![0.0; links];
        for host in 0..hosts {
            let own = rig.switch[host as usize];
            for between in 0..hosts {
                self.pour.put(own, self.to_go(own, between), share);
                self.pour(rig, between, |_, link, part| crossed[link as usize] += part);
            }
            crossed[rig.up[host as usize] as usize] = 1.0;
            let there = list(&mut crossed);
            for between in 0..hosts {
                let switch = rig.switch[between as usize];
                self.pour.put(switch, self.to_go(switch, host), share);
            }
            self.pour(rig, host, |_, link, part| crossed[link as usize] += part);
            crossed[rig.down[host as usize] as usize] = 1.0;
            let back = list(&mut crossed);
            self.halves.push([there, back]);
        }
        self.parts = parts;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Seed;
    use topology::{Shape, Torus};
    use units::{Rate, Span};

    fn crossings(sizes: &[u32], routing: Routing) -> (Rig, Crossings) {
        let shape = Shape::Torus(Torus { sizes: sizes.to_vec(), host_rate: None });
        let topology = Arc::new(shape.build(Rate::from_gbps(10), Span::ZERO).unwrap());
        let routes = Arc::new(Routes::shortest(&topology).unwrap());
        let rig = Rig::new(&topology).unwrap();
        let crossings = Crossings::new(&rig, routes, routing);
        (rig, crossings)
    }

    /// By link: the part of a flow that crosses it.
    fn crossed(rig: &Rig, crossings: &mut Crossings, src: u32, dst: u32) -> Vec<f64> {
        let ranges = crossings.of(rig, src, dst);
        let mut crossed = vec![0.0; rig.topology.links().len()];
        crossings.parts.of(&ranges).for_each(|(link, part)| crossed[link as usize] += part);
        crossed
    }

    #[test]
    fn parts_are_those_of_packets_that_choose_at_random() {
        for (sizes, routing) in
            [(&[4, 4, 2][..], Routing::Minimal), (&[5, 4], Routing::Minimal), (&[4, 3], Routing::Valiant)]
        {
            let (rig, mut crossings) = crossings(sizes, routing);
            let (src, dst) = (1, rig.hosts() - 2);
            let expected = crossed(&rig, &mut crossings, src, dst);
            let mut counted = vec![0.0; expected.len()];
            let mut stream = Seed(3).stream("test", 0);
            let packets = 40_000;
            for _ in 0..packets {
                let between = stream.below(rig.hosts().into()) as u32;
                let targets = if routing == Routing::Valiant { vec![between, dst] } else { vec![dst] };
                let mut at = NodeId(rig.switch[src as usize]);
                for target in targets {
                    while at.0 != rig.switch[target as usize] {
                        let links = crossings.routes.next_hops(at, target);
                        let link = links.link(stream.below(links.len().into()) as u32);
                        counted[link.index()] += 1.0 / f64::from(packets);
                        at = crossings.routes.leads_to(link);
                    }
                }
            }
            counted[rig.up[src as usize] as usize] = 1.0;
            counted[rig.down[dst as usize] as usize] = 1.0;
            for (link, (expected, counted)) in expected.iter().zip(&counted).enumerate() {
                // Five standard errors.
                assert!((expected - counted).abs() < 0.0125, "{sizes:?}, link {link}: {expected} and {counted}");
            }
        }
    }

    #[test]
    fn what_leaves_a_host_comes_to_the_other() {
        for routing in [Routing::Minimal, Routing::Valiant] {
            let (rig, mut crossings) = crossings(&[4, 3, 2], routing);
            for dst in 1..rig.hosts() {
                let crossed = crossed(&rig, &mut crossings, 0, dst);
                for switch in rig.hosts()..rig.topology.nodes() {
                    let sum = |ends: &dyn Fn(&topology::Link) -> u32| -> f64 {
                        rig.topology
                            .links()
                            .iter()
                            .zip(&crossed)
                            .filter(|(link, _)| ends(link) == switch)
                            .map(|(_, part)| part)
                            .sum()
                    };
                    let (comes, goes) = (sum(&|link| link.to.0), sum(&|link| link.from.0));
                    assert!((comes - goes).abs() < 1e-9, "{routing:?}: {comes} come to {switch} and {goes} go");
                }
            }
        }
    }

    #[test]
    fn a_flow_alone_is_as_fast_as_its_busiest_link_lets_it() {
        let gigabits = |(rig, mut crossings): (Rig, Crossings), dst| crossings.line(&rig, 0, dst) / 1e9;
        let minimal = |sizes: &[u32], dst| gigabits(crossings(sizes, Routing::Minimal), dst);
        // One link, both directions of a ring, a third over each of three links.
        assert_eq!([minimal(&[8], 3), minimal(&[8], 4)], [10.0, 20.0]);
        assert!((minimal(&[4, 4, 4], 1 + 4 + 16) - 30.0).abs() < 1e-9);
        // Over both links of a dimension of two.
        assert_eq!(minimal(&[2], 1), 20.0);
        // Around a ring of three by a random node: two thirds take the link there, straight or over it to the third and on; the others the other.
        assert!((gigabits(crossings(&[3], Routing::Valiant), 1) - 15.0).abs() < 1e-9);
        // A node's links all carry as much there and back on average; of a ring of eight each way has half of it.
        let (rig, mut around) = crossings(&[8], Routing::Valiant);
        let crossed = crossed(&rig, &mut around, 0, 4);
        let most = crossed
            .iter()
            .zip(rig.topology.links())
            .filter(|(_, link)| link.class > 0)
            .map(|(part, _)| *part)
            .fold(0.0, f64::max);
        assert!((around.line(&rig, 0, 4) - 10e9 / most).abs() < 1.0);
    }
}
