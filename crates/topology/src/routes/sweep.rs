//! Breadth-first search from many groups of hosts at once, a bit each.

use super::{Entry, PortSets};
use crate::{LinkId, NodeId, Topology};
use engine::Looks;

/// One search from up to 64 groups. Each word below has a bit for each of them.
pub(super) struct Sweep<'a> {
    topology: &'a Topology,
    /// By link.
    works: &'a [bool],
    /// Nodes that the search enters. Of hosts only a few: those like them take the same paths.
    entered: Vec<bool>,
    /// By node: reached before, reached in the last round, reached in this one.
    seen: Vec<u64>,
    reached: Vec<u64>,
    next: Vec<u64>,
    /// By link: groups that a shortest path over this link leads to.
    used: Vec<u64>,
    /// Ports of one node that lead anywhere, and which of them lead to the same groups.
    leading: Vec<(u32, u64)>,
    set: Vec<u32>,
    looks: Looks,
}

impl<'a> Sweep<'a> {
    /// Groups searched at once.
    pub(super) const WIDTH: usize = 64;

    pub(super) fn new(
        topology: &'a Topology,
        works: &'a [bool],
        entered: impl Iterator<Item = (NodeId, usize)>,
    ) -> Sweep<'a> {
        let nodes = topology.nodes() as usize;
        let mut flags = vec![false; nodes];
        for (node, _) in entered {
            flags[node.index()] = true;
        }
        Sweep {
            topology,
            works,
            entered: flags,
            seen: vec![0; nodes],
            reached: vec![0; nodes],
            next: vec![0; nodes],
            used: vec![0; topology.links().len()],
            leading: Vec::new(),
            set: Vec::new(),
            looks: Looks::default(),
        }
    }

    /// Searches backwards from the switches of each group, all at once, a hop a round.
    pub(super) fn run(&mut self, groups: impl Iterator<Item = impl Iterator<Item = NodeId>>) {
        self.seen.fill(0);
        self.used.fill(0);
        let mut frontier: Vec<NodeId> = Vec::new();
        for (bit, switches) in groups.enumerate() {
            for switch in switches {
                mark(&mut self.reached, &mut frontier, switch, 1 << bit);
                self.seen[switch.index()] |= 1 << bit;
            }
        }
        while !frontier.is_empty() {
            let mut found = Vec::new();
            for from in frontier {
                self.looks.step();
                let bits = std::mem::take(&mut self.reached[from.index()]);
                for port in self.topology.ports(from) {
                    let node = self.topology.link(LinkId(port)).to;
                    let towards = self.topology.reverse(LinkId(port));
                    if !self.entered[node.index()] || !self.works[towards.index()] {
                        continue;
                    }
                    let new = bits & !self.seen[node.index()];
                    if new != 0 {
                        self.used[towards.index()] |= new;
                        mark(&mut self.next, &mut found, node, new);
                    }
                }
            }
            // Only now: nodes of one round don't hide each other's paths.
            for node in &found {
                self.seen[node.index()] |= self.next[node.index()];
            }
            // Hosts end paths.
            found.retain(|&node| {
                let goes_on = !self.topology.is_host(node);
                if !goes_on {
                    self.next[node.index()] = 0;
                }
                goes_on
            });
            std::mem::swap(&mut self.reached, &mut self.next);
            frontier = found;
        }
    }

    /// Writes what the last search found for one node: an entry a group.
    pub(super) fn fill_row(&mut self, node: NodeId, row: &mut [Entry], sets: &mut PortSets) {
        let ports = self.topology.ports(node);
        let used = self.used[ports.start as usize..ports.end as usize].iter().copied();
        // Of a switch with thousands of ports few lead to these groups.
        self.leading.clear();
        self.leading.extend((0..).zip(used).filter(|(_, bits)| *bits != 0));
        let mut left = self.leading.iter().fold(0, |all, (_, bits)| all | bits);
        // Groups that go by the same ports are done together: those whose bits agree in every word.
        while left != 0 {
            let one = left & left.wrapping_neg();
            let mut alike = left;
            self.set.clear();
            for &(port, bits) in &self.leading {
                if bits & one != 0 {
                    alike &= bits;
                    self.set.push(port);
                } else {
                    alike &= !bits;
                }
            }
            let entry = sets.entry(&self.set);
            left &= !alike;
            while alike != 0 {
                row[alike.trailing_zeros() as usize] = entry;
                alike &= alike - 1;
            }
        }
    }
}

/// Sets bits of a node, and lists it if it had none.
fn mark(words: &mut [u64], list: &mut Vec<NodeId>, node: NodeId, bits: u64) {
    if words[node.index()] == 0 {
        list.push(node);
    }
    words[node.index()] |= bits;
}
