//! AN3's network (Chung, Nowatzky, Rodeheffer, Thacker and Yu, *AN3: A Low-Cost, Circuit-Switched Datacenter Network*, §2, §5): NICs that are joined to each other,
//! half a rack at a time, containers of such networks, and two switches in each container.

mod fat_tree;
#[cfg(test)]
mod tests;

use crate::builder::{Builder, LinkSpec};
use crate::{BuildError, Handle, Topology};
use units::{Pace, Rate, Span};

/// Ports of an L1 switch (§2.1).
pub const L1_PORTS: u32 = 128;

/// Most containers, and most L0 networks of one (§2.2).
const MOST: u32 = 64;
/// Most NICs of an L0 network: a slot for each in the frame of one egress link.
const MOST_HOSTS: u32 = 128;
/// A SATA cable of 1 m at 5 ns a metre, the longest that the standard allows.
const SATA_CABLE: Span = Span::from_ns(5);

/// AN3's network: hosts are NICs, which pass on what others send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct An3 {
    /// From 1 to 64.
    pub containers: u32,
    /// L0 networks of a container, from 1 to 64.
    pub networks: u32,
    /// NICs of an L0 network, from 2 to 128.
    pub hosts: u32,
    /// How they are joined.
    pub wiring: Wiring,
    /// NICs of an L0 network with a link to an L1 switch, at least 2. The first has it to the primary switch, the second to the secondary, and so on in turn.
    pub egress: u32,
    /// Links between the primary switches of any two containers, and as many between the secondary ones.
    pub container_links: u32,
}

/// How the NICs of an L0 network are joined: none has more than four links to others (§2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wiring {
    /// The fat-tree of 22 NICs with cross-links (§5).
    FatTree,
    /// A torus of two dimensions, as near to a square as its number of NICs allows. A dimension of two joins them by two cables.
    Torus,
    /// The same without the links from the last to the first.
    Mesh,
}

impl Wiring {
    /// `"fat-tree"`, as an experiment file has it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Wiring::FatTree => "fat-tree",
            Wiring::Torus => "torus",
            Wiring::Mesh => "mesh",
        }
    }

    /// The cables of an L0 network of this many NICs.
    fn cables(self, hosts: u32) -> Vec<(u32, u32)> {
        let wraps = match self {
            Wiring::FatTree => return fat_tree::CABLES.to_vec(),
            Wiring::Torus => true,
            Wiring::Mesh => false,
        };
        let rows = (1..=hosts)
            .take_while(|rows| rows * rows <= hosts)
            .filter(|rows| hosts.is_multiple_of(*rows))
            .last()
            .unwrap_or(1);
        let mut cables = Vec::new();
        for (size, stride) in [(hosts / rows, 1), (rows, hosts / rows)] {
            for node in 0..hosts {
                let place = node / stride % size;
                if size > 1 && (wraps || place + 1 < size) {
                    cables.push((node, node - place * stride + (place + 1) % size * stride));
                }
            }
        }
        cables
    }
}

impl An3 {
    /// Which NICs of an L0 network have a link to an L1 switch, in the order in which switches are dealt out. Those of the fat-tree are its two roots; any further ones, and
    /// all of another wiring, are each put where NICs then are nearest to one of them on average, at the lowest number if there are several such places.
    fn egress_nics(&self) -> Vec<u32> {
        let distances = distances(self.hosts, &self.wiring.cables(self.hosts));
        let mut nics: Vec<u32> = if self.wiring == Wiring::FatTree { vec![0, 1] } else { Vec::new() };
        while nics.len() < self.egress as usize {
            let nearest = |nic: u32, from: &Vec<u32>| {
                nics.iter().chain([&nic]).map(|&egress| from[egress as usize]).min().expect("one at least")
            };
            let sum = |nic: &u32| distances.iter().map(|from| nearest(*nic, from)).sum::<u32>();
            let next = (0..self.hosts).filter(|nic| !nics.contains(nic)).min_by_key(sum);
            nics.push(next.expect("no more egress NICs than NICs"));
        }
        nics
    }

    /// Hosts are NICs, by container, L0 network and place in it: `c0-n3-h7`. Links within L0 networks are of class `l0`, those of egress NICs `l0-l1`, those between
    /// containers `l1-l1`.
    ///
    /// # Errors
    /// For a rate out of range. Counts must have been checked.
    pub(crate) fn build(&self, label: String, link: LinkSpec) -> Result<Topology, BuildError> {
        let mut builder = Builder::new(label);
        builder.hosts_forward();
        // §2.1: four 5G ports and one of 10G.
        let half = Rate::from_bps((link.rate.as_bps() / 2).max(Pace::SLOWEST.as_bps()));
        let sata = LinkSpec { rate: half, delay: SATA_CABLE, ..link };
        let (cables, egress) = (self.wiring.cables(self.hosts), self.egress_nics());
        let (l0, up, between) = (builder.class("l0"), builder.class("l0-l1"), builder.class("l1-l1"));
        let mut switches: Vec<[Handle; 2]> = Vec::new();
        for container in 0..self.containers {
            let own = ["primary", "secondary"].map(|name| builder.switch(format!("c{container}-{name}"), Some(1)));
            for network in 0..self.networks {
                let name = |host| format!("c{container}-n{network}-h{host}");
                let hosts: Vec<Handle> = (0..self.hosts).map(|host| builder.host(name(host))).collect();
                for &(a, b) in &cables {
                    builder.cable(hosts[a as usize], hosts[b as usize], l0, sata);
                }
                for (place, &nic) in egress.iter().enumerate() {
                    builder.cable(hosts[nic as usize], own[place % 2], up, link);
                }
            }
            for other in &switches {
                for (&a, b) in other.iter().zip(own) {
                    (0..self.container_links).for_each(|_| builder.cable(a, b, between, link));
                }
            }
            switches.push(own);
        }
        builder.finish()
    }

    /// Hosts, switches, cables; refuses what can't be built.
    pub(crate) fn counts(&self) -> Result<(u128, u128, u128), BuildError> {
        for (key, value, least, most) in [
            ("containers", self.containers, 1, MOST),
            ("networks", self.networks, 1, MOST),
            ("hosts", self.hosts, 2, MOST_HOSTS),
            ("egress", self.egress, 2, self.hosts),
            ("container_links", self.container_links, 1, L1_PORTS),
        ] {
            if !(least..=most).contains(&value) {
                return Err(BuildError::An3Count { key, value, least, most });
            }
        }
        if self.wiring == Wiring::FatTree && self.hosts != fat_tree::NICS {
            return Err(BuildError::An3FatTree { hosts: self.hosts, only: fat_tree::NICS });
        }
        let (inward, outward) = (self.networks * self.egress.div_ceil(2), (self.containers - 1) * self.container_links);
        // §2.2: one port leads to the network operations centre.
        if inward + outward + 1 > L1_PORTS {
            return Err(BuildError::An3Ports { inward, outward, ports: L1_PORTS });
        }
        let [containers, networks] = [self.containers, self.networks].map(u128::from);
        let cables = self.wiring.cables(self.hosts).len() as u128 + u128::from(self.egress);
        let between = containers * (containers - 1) * u128::from(self.container_links);
        let hosts = containers * networks * u128::from(self.hosts);
        Ok((hosts, 2 * containers, containers * networks * cables + between))
    }

    /// `"AN3, 3 containers of 64 L0 networks (fat-tree of 22)"`.
    pub(crate) fn label(&self) -> String {
        let count = |count, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        let (containers, networks) = (count(self.containers, "container"), count(self.networks, "L0 network"));
        format!("AN3, {containers} of {networks} ({} of {})", self.wiring.as_str(), self.hosts)
    }
}

/// Links between any two nodes of a graph, by breadth-first search; the highest number where no path is.
fn distances(nodes: u32, cables: &[(u32, u32)]) -> Vec<Vec<u32>> {
    let mut neighbours = vec![Vec::new(); nodes as usize];
    for &(a, b) in cables {
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
    }
    let from = |start: u32| {
        let mut distance = vec![u32::MAX; nodes as usize];
        distance[start as usize] = 0;
        let mut reached = vec![start];
        let mut next = 0;
        while let Some(&node) = reached.get(next) {
            next += 1;
            for &to in &neighbours[node as usize] {
                if distance[to as usize] == u32::MAX {
                    distance[to as usize] = distance[node as usize] + 1;
                    reached.push(to);
                }
            }
        }
        distance
    };
    (0..nodes).map(from).collect()
}
