//! Maximum flow by shortest augmenting paths (Edmonds and Karp), for small graphs.

use crate::{LinkId, NodeId, Topology};

/// Bits a second that can flow from some hosts to others at once, over any paths.
pub(crate) fn flow_between(topology: &Topology, from: &[u32], to: &[u32]) -> u64 {
    // What a link can still carry; flow one way makes room the other way.
    let mut room: Vec<u64> = topology.links().iter().map(|link| link.rate.as_bps()).collect();
    let mut total = 0;
    loop {
        let mut arrived_by: Vec<Option<LinkId>> = vec![None; topology.nodes() as usize];
        let mut reached: Vec<NodeId> = from.iter().map(|&host| NodeId(host)).collect();
        let mut next = 0;
        let end = loop {
            let Some(&node) = reached.get(next) else { return total };
            next += 1;
            if to.contains(&node.0) {
                break node;
            }
            for port in topology.ports(node).map(LinkId) {
                let there = topology.link(port).to;
                let known = arrived_by[there.index()].is_some() || from.contains(&there.0);
                if room[port.index()] > 0 && !known {
                    arrived_by[there.index()] = Some(port);
                    reached.push(there);
                }
            }
        };
        let mut path = Vec::new();
        let mut at = end;
        while let Some(link) = arrived_by[at.index()] {
            path.push(link);
            at = topology.link(link).from;
        }
        let amount = path.iter().map(|link| room[link.index()]).min().expect("the two sets have no host in common");
        for link in path {
            room[link.index()] -= amount;
            room[topology.reverse(link).index()] += amount;
        }
        total += amount;
    }
}
