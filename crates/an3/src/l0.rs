//! An L0 network (§5): which NICs are joined, and the tables by which they route cells among themselves.
//!
//! Every NIC has one next link towards every other, so all cells between two NICs take one path; a NIC's light CPU changes the tables only when a link or node of its network
//! fails. Hops are links between NICs: an egress NIC is 0 hops from itself, and its link to an L1 switch is not counted.

#[cfg(test)]
mod tests;

use topology::{LinkId, NodeId, Topology};

/// NICs that are joined to each other, numbered from 0 within their network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    /// Its NICs as hosts of the topology, in their order.
    pub hosts: Vec<u32>,
    /// Of each NIC, by port: which NIC its link leads to. Parallel links are ports of their own.
    pub neighbours: Vec<Vec<u32>>,
    /// Of each NIC, by port: the link that leaves it there.
    pub links: Vec<Vec<LinkId>>,
    /// The NICs with a link to a switch, in their order.
    pub egress: Vec<u32>,
}

impl Network {
    /// All L0 networks of a topology, by their first host: those that links between hosts join. O(hosts + links).
    pub fn all(topology: &Topology) -> Vec<Network> {
        let hosts = topology.hosts();
        let links = |host: u32| topology.ports(NodeId(host)).map(LinkId);
        let to_host = |link: &LinkId| topology.is_host(topology.link(*link).to);
        // The number of each NIC in its network.
        let mut number = vec![u32::MAX; hosts as usize];
        let mut networks = Vec::new();
        for first in 0..hosts {
            if number[first as usize] != u32::MAX {
                continue;
            }
            let mut members = vec![first];
            number[first as usize] = 0;
            let mut next = 0;
            while let Some(&host) = members.get(next) {
                next += 1;
                for link in links(host).filter(to_host) {
                    let to = topology.link(link).to.index();
                    if number[to] == u32::MAX {
                        number[to] = 0;
                        members.push(to as u32);
                    }
                }
            }
            members.sort_unstable();
            for (place, &host) in (0..).zip(&members) {
                number[host as usize] = place;
            }
            let own: Vec<Vec<LinkId>> = members.iter().map(|&host| links(host).filter(to_host).collect()).collect();
            let leads_to = |link: &LinkId| number[topology.link(*link).to.index()];
            let is_egress = |&place: &u32| links(members[place as usize]).any(|link| !to_host(&link));
            networks.push(Network {
                neighbours: own.iter().map(|ports| ports.iter().map(leads_to).collect()).collect(),
                links: own,
                egress: (0..members.len() as u32).filter(is_egress).collect(),
                hosts: members,
            });
        }
        networks
    }
}

/// The tables of all NICs of an L0 network. Networks that are wired alike and in which the same has failed have the same tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routes {
    nics: usize,
    /// `[from][to]`: the port to take.
    ports: Vec<Option<u8>>,
    /// `[from][to]`: hops.
    hops: Vec<u16>,
}

/// No path.
const FAR: u16 = u16::MAX;

impl Routes {
    /// Shortest paths over what works, chosen so that they are spread over the links as evenly as can be found.
    ///
    /// `neighbours` has for each NIC where its ports lead; `egress` are the NICs with a link to an L1 switch; `works(nic, port)` says whether a cell that is sent
    /// there arrives, which it does not if the link has failed in this direction or either of its ends is dead.
    ///
    /// What is spread is one flow from every NIC to every other, and as many as there are NICs from every NIC to every egress NIC and back: most flows leave the network,
    /// and an egress NIC's link to its switch carries twice as many as any link between NICs (§2.1). Starting from the first port that begins a shortest path, a pair's next
    /// hop is changed as long as that lowers the sum of the squares of the links' loads, until none does. The same network gives the same tables always.
    ///
    /// # Panics
    /// If a NIC has more than 255 ports or a port leads to no NIC.
    pub fn new(neighbours: &[Vec<u32>], egress: &[u32], works: impl Fn(u32, u32) -> bool) -> Routes {
        let search = Search::new(neighbours, egress, works);
        let nics = neighbours.len();
        let port = |(from, to): (usize, usize)| search.choice[to * nics + from].map(|edge| search.edges[edge].port);
        let pairs = || (0..nics).flat_map(|from| (0..nics).map(move |to| (from, to)));
        let hops = |(from, to): (usize, usize)| search.distance[to * nics + from];
        Routes { nics, ports: pairs().map(port).collect(), hops: pairs().map(hops).collect() }
    }

    /// The port that a NIC sends out of what is for another; none for itself, and where no path is left.
    #[inline]
    pub fn next(&self, from: u32, to: u32) -> Option<u32> {
        self.ports[from as usize * self.nics + to as usize].map(u32::from)
    }

    /// Links between the two; none where no path is left.
    #[inline]
    pub fn hops(&self, from: u32, to: u32) -> Option<u32> {
        let hops = self.hops[from as usize * self.nics + to as usize];
        (hops != FAR).then_some(u32::from(hops))
    }
}

/// A link that works.
struct Edge {
    to: usize,
    port: u8,
    load: u64,
}

/// Tables in the making: for every NIC the tree of the paths that lead to it.
struct Search {
    nics: usize,
    edges: Vec<Edge>,
    /// Edges that leave each NIC.
    out: Vec<Vec<usize>>,
    /// `[to][from]`.
    distance: Vec<u16>,
    /// `[to][from]`: the edge that `from` takes.
    choice: Vec<Option<usize>>,
    /// `[to][from]`: flows that leave `from` for `to`, with those that it passes on.
    flows: Vec<u64>,
}

impl Search {
    fn new(neighbours: &[Vec<u32>], egress: &[u32], works: impl Fn(u32, u32) -> bool) -> Search {
        let nics = neighbours.len();
        let mut search = Search {
            nics,
            edges: Vec::new(),
            out: vec![Vec::new(); nics],
            distance: vec![FAR; nics * nics],
            choice: vec![None; nics * nics],
            flows: vec![0; nics * nics],
        };
        let mut into = vec![Vec::new(); nics];
        for (from, ports) in neighbours.iter().enumerate() {
            for (port, &to) in ports.iter().enumerate() {
                if works(from as u32, port as u32) {
                    search.out[from].push(search.edges.len());
                    into[to as usize].push(from);
                    let port = u8::try_from(port).expect("a NIC has few ports");
                    search.edges.push(Edge { to: to as usize, port, load: 0 });
                }
            }
        }
        for to in 0..nics {
            search.begin(to, &into, egress);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for to in 0..nics {
                changed |= search.improve(to);
            }
        }
        search
    }

    /// The tree to a NIC in which every other takes its first shortest way.
    fn begin(&mut self, to: usize, into: &[Vec<usize>], egress: &[u32]) {
        let row = to * self.nics;
        self.distance[row + to] = 0;
        let mut reached = vec![to];
        let mut next = 0;
        while let Some(&node) = reached.get(next) {
            next += 1;
            for &from in &into[node] {
                if self.distance[row + from] == FAR {
                    self.distance[row + from] = self.distance[row + node] + 1;
                    reached.push(from);
                }
            }
        }
        let is_egress = |nic: usize| egress.contains(&(nic as u32));
        // From far to near: what a NIC passes on is known before its own way is.
        for &from in reached[1..].iter().rev() {
            let own = if is_egress(from) || is_egress(to) { self.nics as u64 } else { 1 };
            self.flows[row + from] += own;
            let edge = *self.shortest(to, from).next().expect("it was reached");
            self.choice[row + from] = Some(edge);
            let flows = self.flows[row + from];
            self.edges[edge].load += flows;
            self.flows[row + self.edges[edge].to] += flows;
        }
    }

    /// The edges that begin a shortest path.
    fn shortest(&self, to: usize, from: usize) -> impl Iterator<Item = &usize> {
        let row = to * self.nics;
        self.out[from].iter().filter(move |&&edge| {
            let there = self.distance[row + self.edges[edge].to];
            there != FAR && there + 1 == self.distance[row + from]
        })
    }

    /// Changes next hops in the tree to a NIC while that spreads loads better; whether any was.
    fn improve(&mut self, to: usize) -> bool {
        let mut changed = false;
        for from in 0..self.nics {
            let Some(old) = self.choice[to * self.nics + from] else { continue };
            let others: Vec<usize> = self.shortest(to, from).copied().filter(|&edge| edge != old).collect();
            if others.is_empty() {
                continue;
            }
            let flows = self.flows[to * self.nics + from];
            self.carry(to, old, |load| load - flows);
            // Each link's square grows by flows x (2 load + flows); paths may be of no other length, so the loads are enough to compare.
            let cost = |first: usize| self.path(to, first).map(|edge| self.edges[edge].load).sum::<u64>();
            let best = others.into_iter().map(|edge| (cost(edge), edge)).min().expect("there are others");
            let edge = if best.0 < cost(old) { best.1 } else { old };
            changed |= edge != old;
            self.choice[to * self.nics + from] = Some(edge);
            self.carry(to, edge, |load| load + flows);
            self.recount(to, old, edge, flows);
        }
        changed
    }

    /// An edge and those after it, to the end.
    fn path(&self, to: usize, first: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(first), move |&edge| self.choice[to * self.nics + self.edges[edge].to])
    }

    fn carry(&mut self, to: usize, first: usize, load: impl Fn(u64) -> u64) {
        let mut next = Some(first);
        while let Some(edge) = next {
            self.edges[edge].load = load(self.edges[edge].load);
            next = self.choice[to * self.nics + self.edges[edge].to];
        }
    }

    /// Flows of the NICs on the way, after some have changed from one way to another.
    fn recount(&mut self, to: usize, old: usize, new: usize, flows: u64) {
        for (first, gains) in [(old, false), (new, true)] {
            let mut node = self.edges[first].to;
            loop {
                let count = &mut self.flows[to * self.nics + node];
                *count = if gains { *count + flows } else { *count - flows };
                match self.choice[to * self.nics + node] {
                    Some(edge) => node = self.edges[edge].to,
                    None => break,
                }
            }
        }
    }
}
