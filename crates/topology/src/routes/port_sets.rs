//! Sets of ports, each stored once.

use super::{Entry, LOCAL, NOWHERE};
use crate::{LinkId, NodeId, Topology};
use std::collections::BTreeMap;

/// Sets of ports as stretches of one list. The list begins with 0, 1, 2, ..., in which every set without gaps is found; in
/// regular topologies that is all.
pub(super) struct PortSets {
    ports: Vec<u32>,
    run: u32,
    with_gaps: BTreeMap<Vec<u32>, u32>,
}

impl PortSets {
    pub(super) fn new(topology: &Topology) -> PortSets {
        let run = (0..topology.nodes()).map(|node| topology.ports(NodeId(node)).len() as u32).max().unwrap_or(0);
        PortSets { ports: (0..run).collect(), run, with_gaps: BTreeMap::new() }
    }
    /// Where this set is; it is added if it is new.
    pub(super) fn entry(&mut self, set: &[u32]) -> Entry {
        let Some(&first) = set.first() else { return NOWHERE };
        let hops = set.len() as u32;
        if (first..self.run).zip(set).all(|(a, &b)| a == b) {
            return Entry { start: first, hops };
        }
        if let Some(&start) = self.with_gaps.get(set) {
            return Entry { start, hops };
        }
        let start = u32::try_from(self.ports.len()).expect("four thousand million ports are 16 GB and more than links");
        self.ports.extend_from_slice(set);
        self.with_gaps.insert(set.to_vec(), start);
        Entry { start, hops }
    }
    /// The ports of `switch` that work to each of these hosts in turn. To all there are equally many.
    pub(super) fn local(&mut self, topology: &Topology, works: &[bool], switch: NodeId, hosts: &[u32]) -> Entry {
        let first = topology.ports(switch).start;
        let to_host = |&host| topology.link_between(switch, NodeId(host)).filter(|link: &LinkId| works[link.index()]);
        let ports: Vec<u32> = hosts.iter().flat_map(to_host).map(|LinkId(port)| port - first).collect();
        let entry = self.entry(&ports);
        Entry { hops: (entry.hops / hosts.len() as u32) | LOCAL, ..entry }
    }
    pub(super) fn into_ports(mut self) -> Vec<u32> {
        self.ports.shrink_to_fit();
        self.ports
    }
}
