//! An L0 network (§5): which NICs are joined, and how far they are from each other.
//!
//! A NIC's light CPU looks again only when a link or node of its network fails. Hops are links between NICs: an egress NIC is 0 hops from itself, and its link to an L1 switch is
//! not counted.

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

/// How far the NICs of an L0 network are from each other, over links that work: NICs know it (§5), and take any link of a shortest path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distances {
    nics: usize,
    /// `[from][to]`: hops; [`FAR`] if no path is left.
    hops: Vec<u8>,
}

/// No path.
pub(crate) const FAR: u8 = u8::MAX;

impl Distances {
    /// Over what works. `neighbours` has for each NIC where its ports lead; `works(nic, port)` says whether a cell that is sent there arrives, which it does not if the link has
    /// failed in this direction or either of its ends is dead.
    ///
    /// # Panics
    /// If there are more than 255 NICs, or a port leads to none of them.
    pub fn new(neighbours: &[Vec<u32>], works: impl Fn(u32, u32) -> bool) -> Distances {
        let nics = neighbours.len();
        assert!(nics <= usize::from(FAR), "an L0 network has at most 255 NICs");
        let mut hops = vec![FAR; nics * nics];
        for (from, row) in hops.chunks_mut(nics.max(1)).enumerate() {
            row[from] = 0;
            let mut reached = vec![from];
            let mut next = 0;
            while let Some(&nic) = reached.get(next) {
                next += 1;
                for (port, &to) in (0..).zip(&neighbours[nic]) {
                    if row[to as usize] == FAR && works(nic as u32, port) {
                        row[to as usize] = row[nic] + 1;
                        reached.push(to as usize);
                    }
                }
            }
        }
        Distances { nics, hops }
    }

    /// Links between the two; none where no path is left.
    pub fn hops(&self, from: u32, to: u32) -> Option<u32> {
        let hops = self.at(from as usize, to as usize);
        (hops != FAR).then_some(u32::from(hops))
    }

    /// The same, with [`FAR`] for none.
    #[inline]
    pub(crate) fn at(&self, from: usize, to: usize) -> u8 {
        self.hops[from * self.nics + to]
    }
}
