//! Who hangs on whose port: the topology that packets see, whatever made it.

pub mod paths;
#[cfg(test)]
pub(crate) mod random_rack;

use crate::demand::index;

/// A port of a SoC for traffic inside the rack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Port {
    /// From 0 to the SoCs less 1.
    pub soc: u32,
    /// From 0 to the ports of a SoC less 1.
    pub number: u32,
}

/// SoCs with the same number of ports each, joined port to port in both directions. Parallel links are possible.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Graph {
    socs: u32,
    ports: u32,
    /// By SoC and port: the port at the other end.
    peers: Box<[Option<Port>]>,
}

impl Graph {
    /// SoCs with free ports only.
    pub fn new(socs: u32, ports: u32) -> Graph {
        Graph { socs, ports, peers: vec![None; index(socs) * index(ports)].into() }
    }

    /// Joins two ports.
    ///
    /// # Panics
    /// If one of them is in use, is not there, or both belong to one SoC: whoever chooses the links chose wrongly.
    pub fn join(&mut self, a: Port, b: Port) {
        assert!(a.soc != b.soc, "a link from SoC {} to itself", a.soc);
        for (port, peer) in [(a, b), (b, a)] {
            let at = self.place(port);
            assert!(self.peers[at].is_none(), "port {} of SoC {} has a link already", port.number, port.soc);
            self.peers[at] = Some(peer);
        }
    }

    /// Takes away the link on this port, if there is one.
    pub fn part(&mut self, port: Port) {
        let at = self.place(port);
        if let Some(peer) = self.peers[at].take() {
            let at = self.place(peer);
            self.peers[at] = None;
        }
    }

    /// Joins the lowest free ports of two SoCs; false if one has none.
    pub(crate) fn join_socs(&mut self, a: u32, b: u32) -> bool {
        match (self.free_port(a), self.free_port(b)) {
            (Some(a), Some(b)) => {
                self.join(a, b);
                true
            }
            _ => false,
        }
    }

    /// The lowest port of this SoC that has no link.
    pub fn free_port(&self, soc: u32) -> Option<Port> {
        (0..self.ports).map(|number| Port { soc, number }).find(|&port| self.peer(port).is_none())
    }

    /// How many SoCs there are.
    pub fn socs(&self) -> u32 {
        self.socs
    }
    /// How many ports each has, in use or not.
    pub fn ports(&self) -> u32 {
        self.ports
    }
    /// Where the link on this port leads.
    pub fn peer(&self, port: Port) -> Option<Port> {
        self.peers[self.place(port)]
    }
    /// The ports of a SoC that have links, and the SoCs that these lead to, by port.
    pub fn neighbours(&self, soc: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let first = index(soc) * index(self.ports);
        let ports = &self.peers[first..first + index(self.ports)];
        (0..).zip(ports).filter_map(|(number, peer)| peer.map(|peer| (number, peer.soc)))
    }
    /// Each link once, from its lesser SoC, by that SoC and its port.
    pub fn links(&self) -> impl Iterator<Item = (Port, Port)> + '_ {
        (0..self.socs).flat_map(move |soc| {
            (0..self.ports).filter_map(move |number| {
                let port = Port { soc, number };
                self.peer(port).filter(|peer| soc < peer.soc).map(|peer| (port, peer))
            })
        })
    }
    /// The number of the component that each SoC is in; components are numbered by their least SoC.
    pub fn components(&self) -> Vec<u32> {
        let mut component = vec![u32::MAX; index(self.socs)];
        let mut next = 0;
        for start in 0..self.socs {
            if component[index(start)] != u32::MAX {
                continue;
            }
            component[index(start)] = next;
            let mut reached = vec![start];
            while let Some(soc) = reached.pop() {
                for (_, peer) in self.neighbours(soc) {
                    if component[index(peer)] == u32::MAX {
                        component[index(peer)] = next;
                        reached.push(peer);
                    }
                }
            }
            next += 1;
        }
        component
    }
    /// Is there a path between any two SoCs?
    pub fn is_connected(&self) -> bool {
        self.components().iter().all(|&component| component == 0)
    }

    fn place(&self, port: Port) -> usize {
        index(port.soc) * index(self.ports) + index(port.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(soc: u32, number: u32) -> Port {
        Port { soc, number }
    }

    #[test]
    fn links_join_ports_both_ways_and_components_are_counted_from_the_least_soc() {
        let mut graph = Graph::new(4, 2);
        graph.join(port(2, 1), port(0, 0));
        assert!(graph.join_socs(1, 3));
        assert_eq!((graph.peer(port(0, 0)), graph.peer(port(2, 1))), (Some(port(2, 1)), Some(port(0, 0))));
        assert_eq!(graph.components(), [0, 1, 0, 1]);
        assert!(graph.join_socs(0, 3) && graph.is_connected());
        assert!(!graph.join_socs(0, 1), "SoC 0 has no port left");
        assert_eq!(graph.neighbours(0).collect::<Vec<_>>(), [(0, 2), (1, 3)]);
        assert_eq!(graph.links().count(), 3);
        graph.part(port(2, 1));
        assert_eq!((graph.free_port(0), graph.free_port(2)), (Some(port(0, 0)), Some(port(2, 0))));
    }

    #[test]
    #[should_panic(expected = "port 0 of SoC 0 has a link already")]
    fn a_port_has_one_link() {
        let mut graph = Graph::new(3, 1);
        graph.join(port(0, 0), port(1, 0));
        graph.join(port(0, 0), port(2, 0));
    }
}
