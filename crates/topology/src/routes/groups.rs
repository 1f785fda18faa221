//! Hosts that hang on the same switches.

use crate::{LinkId, NodeId, Topology};
use engine::looking;
use std::collections::BTreeMap;

/// A host's place among its like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    pub group: u32,
    pub position: u32,
}

/// Hosts by the switches they hang on, and by which links to and from each work. Groups are numbered by their first host,
/// members by host.
pub(super) struct Groups {
    members: Vec<Member>,
    hosts: Vec<Vec<u32>>,
    /// By group: the switches that have a working link to its hosts, each once.
    switches: Vec<Vec<NodeId>>,
}

impl Groups {
    pub(super) fn new(topology: &Topology, works: &[bool]) -> Groups {
        let mut known = BTreeMap::new();
        let mut groups = Groups { members: Vec::new(), hosts: Vec::new(), switches: Vec::new() };
        for host in looking(0..topology.hosts()) {
            // Ports are sorted by where they lead, so equal sets are equal lists. Each with: works there, works back.
            let links: Vec<(NodeId, bool, bool)> = topology
                .ports(NodeId(host))
                .map(|port| {
                    let back = topology.reverse(LinkId(port));
                    (topology.link(LinkId(port)).to, works[port as usize], works[back.index()])
                })
                .collect();
            let group = *known.entry(links).or_insert_with_key(|links| {
                let mut reaching: Vec<NodeId> =
                    links.iter().filter(|(_, _, back)| *back).map(|(switch, ..)| *switch).collect();
                reaching.dedup();
                groups.switches.push(reaching);
                groups.hosts.push(Vec::new());
                groups.hosts.len() - 1
            });
            let position = groups.hosts[group].len() as u32;
            groups.members.push(Member { group: group as u32, position });
            groups.hosts[group].push(host);
        }
        groups
    }
    pub(super) fn count(&self) -> usize {
        self.hosts.len()
    }
    /// The hosts of a group, by position.
    pub(super) fn hosts(&self, group: usize) -> &[u32] {
        &self.hosts[group]
    }
    /// The group of a host.
    pub(super) fn of(&self, host: u32) -> usize {
        self.members[host as usize].group as usize
    }
    /// The switches that reach the hosts of a group over one link, each once.
    pub(super) fn switches(&self, group: usize) -> impl Iterator<Item = NodeId> {
        self.switches[group].iter().copied()
    }
    pub(super) fn into_members(self) -> Vec<Member> {
        self.members
    }
}
