//! Hosts that hang on the same switches.

use crate::{LinkId, NodeId, Topology};
use std::collections::BTreeMap;

/// A host's place among its like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    pub group: u32,
    pub position: u32,
}

/// Hosts by the switches they hang on (and by how many links on each). Groups are numbered by their first host, members by
/// host.
pub(super) struct Groups {
    members: Vec<Member>,
    hosts: Vec<Vec<u32>>,
}

impl Groups {
    pub fn new(topology: &Topology) -> Groups {
        let mut known = BTreeMap::new();
        let mut groups = Groups { members: Vec::new(), hosts: Vec::new() };
        for host in 0..topology.hosts() {
            // Ports are sorted by where they lead, so equal sets are equal lists.
            let switches: Vec<NodeId> = neighbours(topology, host).collect();
            let group = *known.entry(switches).or_insert_with(|| {
                groups.hosts.push(Vec::new());
                groups.hosts.len() - 1
            });
            let position = groups.hosts[group].len() as u32;
            groups.members.push(Member { group: group as u32, position });
            groups.hosts[group].push(host);
        }
        groups
    }
    pub fn count(&self) -> usize {
        self.hosts.len()
    }
    /// The hosts of a group, by position.
    pub fn hosts(&self, group: usize) -> &[u32] {
        &self.hosts[group]
    }
    /// The group of a host.
    pub fn of(&self, host: u32) -> usize {
        self.members[host as usize].group as usize
    }
    /// The switches that the hosts of a group hang on, each once.
    pub fn switches(&self, topology: &Topology, group: usize) -> impl Iterator<Item = NodeId> + use<> {
        let mut switches: Vec<NodeId> = neighbours(topology, self.hosts[group][0]).collect();
        switches.dedup();
        switches.into_iter()
    }
    pub fn into_members(self) -> Vec<Member> {
        self.members
    }
}

fn neighbours(topology: &Topology, host: u32) -> impl Iterator<Item = NodeId> {
    topology.ports(NodeId(host)).map(|port| topology.link(LinkId(port)).to)
}
