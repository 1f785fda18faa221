//! How much one half of the hosts can send to the other at once.

#[cfg(test)]
mod tests;

use crate::{LinkId, NodeId, Topology};

impl Topology {
    /// Bits a second that one half of the hosts can send to the other over any paths, for the worst halves among those that are tried. Of an odd number the first half
    /// is the smaller one.
    ///
    /// To find the worst of all halves takes forever (the problem is NP-complete), so this tries those between which a regular network is narrow: hosts in the order of
    /// their numbers, which keeps switches, racks and pods whole; in that of their numbers modulo each divisor of how many there are, which cuts a torus across each of
    /// its dimensions; and in the order in which they are reached from the first one. A test holds small networks of every kind to all halves there are. Of an irregular
    /// graph it is an upper bound.
    ///
    /// O(links) for each step of a maximum flow (Dinic 1970), of which there are few where paths are short.
    pub fn bisection_bps(&self) -> u64 {
        let hosts = self.hosts();
        let moduli = (2..=hosts).filter(|modulus| hosts.is_multiple_of(*modulus));
        let mut orders: Vec<Vec<u32>> = moduli.map(|modulus| by(hosts, |host| host % modulus)).collect();
        let hops = self.hops_from(NodeId(0));
        orders.push(by(hosts, |host| u32::from(hops[host as usize])));
        orders.into_iter().map(|order| self.flow_bps(&order[..hosts as usize / 2])).min().unwrap_or(0)
    }

    /// Bits a second that can flow from these hosts to all others at once, over any paths.
    pub(crate) fn flow_bps(&self, from: &[u32]) -> u64 {
        Flow::new(self, from).most()
    }
}

/// All hosts, sorted by a key and then by their numbers.
fn by(hosts: u32, key: impl Fn(u32) -> u32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..hosts).collect();
    order.sort_by_key(|&host| key(host));
    order
}

/// A maximum flow from some hosts to all others: shortest paths are filled, all of one length at a time.
struct Flow<'a> {
    topology: &'a Topology,
    sources: &'a [u32],
    /// Whether a node is a host that flow ends at.
    ends: Vec<bool>,
    /// What a link can still carry; flow one way makes room the other way.
    room: Vec<u64>,
    /// Links from the nearest source, over links with room.
    level: Vec<u32>,
    /// The port of each node that is tried next.
    next: Vec<u32>,
}

const UNREACHED: u32 = u32::MAX;

impl<'a> Flow<'a> {
    fn new(topology: &'a Topology, sources: &'a [u32]) -> Flow<'a> {
        let mut ends: Vec<bool> = (0..topology.nodes()).map(|node| topology.is_host(NodeId(node))).collect();
        sources.iter().for_each(|&host| ends[host as usize] = false);
        Flow {
            topology,
            sources,
            ends,
            room: topology.links().iter().map(|link| link.rate.as_bps()).collect(),
            level: Vec::new(),
            next: Vec::new(),
        }
    }

    fn most(mut self) -> u64 {
        let mut total = 0;
        while self.levels() {
            self.next = (0..self.topology.nodes()).map(|node| self.topology.ports(NodeId(node)).start).collect();
            total += self.sources.iter().map(|&source| self.fill(NodeId(source))).sum::<u64>();
        }
        total
    }

    /// Whether any end can still be reached.
    fn levels(&mut self) -> bool {
        self.level = vec![UNREACHED; self.topology.nodes() as usize];
        let mut reached: Vec<NodeId> = self.sources.iter().map(|&host| NodeId(host)).collect();
        reached.iter().for_each(|node| self.level[node.index()] = 0);
        let (mut next, mut any) = (0, false);
        while let Some(&node) = reached.get(next) {
            next += 1;
            if self.ends[node.index()] {
                any = true;
                continue;
            }
            for port in self.topology.ports(node).map(LinkId) {
                let there = self.topology.link(port).to;
                if self.room[port.index()] > 0 && self.level[there.index()] == UNREACHED {
                    self.level[there.index()] = self.level[node.index()] + 1;
                    reached.push(there);
                }
            }
        }
        any
    }

    /// What goes from one source along the levels, until no link onwards has room.
    fn fill(&mut self, source: NodeId) -> u64 {
        let (mut total, mut path, mut at) = (0, Vec::new(), source);
        loop {
            if self.ends[at.index()] {
                let amount = path.iter().map(|link: &LinkId| self.room[link.index()]).min().unwrap_or(0);
                for link in path.drain(..) {
                    self.room[link.index()] -= amount;
                    self.room[self.topology.reverse(link).index()] += amount;
                }
                total += amount;
                at = source;
            } else if let Some(link) = self.onwards(at) {
                path.push(link);
                at = self.topology.link(link).to;
            } else if let Some(link) = path.pop() {
                at = self.topology.link(link).from;
                self.next[at.index()] += 1;
            } else {
                return total;
            }
        }
    }

    /// A link of a node to the next level that has room.
    fn onwards(&mut self, node: NodeId) -> Option<LinkId> {
        let until = self.topology.ports(node).end;
        while self.next[node.index()] < until {
            let link = LinkId(self.next[node.index()]);
            let there = self.topology.link(link).to;
            let deeper = self.level[there.index()] == self.level[node.index()] + 1;
            if deeper && self.room[link.index()] > 0 {
                return Some(link);
            }
            self.next[node.index()] += 1;
        }
        None
    }
}
