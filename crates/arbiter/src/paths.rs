//! Path assignment: the transfers of one slot get paths that share no link (Fastpass §4; Fastpod §3.1).
//!
//! A slot's matching of hosts is a bipartite multigraph of racks: an edge from the source's rack to the destination's for each transfer. Its
//! largest degree is at most the number of uplinks, which are the colours: an edge's colour is the aggregation switch that it goes over, and two
//! edges of one colour at one rack would share a link. By Kőnig's theorem as many colours as the largest degree are enough, so a matching that
//! gives no rack more transfers than uplinks always has paths. With a third tier the edges of one colour are coloured again, as a multigraph
//! of groups, with the core switches of that plane.
//!
//! [`alternating`] colours one edge after another: with a colour that both ends have free, or, where there is none, after having swapped two
//! colours along a path that alternates between them (Kőnig's proof; Kempe's chain). It uses exactly the colours that there are, and no other method is
//! needed: Euler splits, by which Fastpass colours, took 5 to 14 times as long in pods from 16 to 8192 hosts at any load
//! (`docs/performance.md`).

pub mod alternating;
#[cfg(test)]
mod tests;

use crate::pod::{Path, Pod, Transfer, Turn};
use alternating::Colouring;
use std::hash::{Hash, Hasher};

/// An edge of a bipartite multigraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Edge {
    /// Its end on the left: where packets come from.
    pub left: u32,
    /// Its end on the right: where they go.
    pub right: u32,
}

/// Assigns paths. Keeps tables of a pod's size, so that nothing is allocated per slot. What they hold from the slot before makes no difference, so two for
/// the same pod are equal.
#[derive(Debug, Clone)]
pub struct PathAssigner {
    pod: Pod,
    /// The rack of each host.
    racks: Vec<u32>,
    colouring: Colouring,
    /// Of racks, and for each the number of its transfer.
    edges: Vec<Edge>,
    transfers: Vec<u32>,
    /// Of each edge: its aggregation switch.
    colours: Vec<u8>,
    /// In three tiers, the numbers of edges plane by plane, and where each plane ends.
    by_plane: Vec<u32>,
    ends: Vec<u32>,
    /// The edges of one plane that go to the top, and the numbers of their transfers.
    plane: Vec<Edge>,
    plane_transfers: Vec<u32>,
    cores: Vec<u8>,
}

impl PartialEq for PathAssigner {
    fn eq(&self, other: &PathAssigner) -> bool {
        self.pod == other.pod
    }
}

impl Eq for PathAssigner {}

impl Hash for PathAssigner {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.pod.hash(state);
    }
}

impl PathAssigner {
    /// For a pod.
    pub fn new(pod: &Pod) -> PathAssigner {
        PathAssigner {
            racks: (0..pod.hosts()).map(|host| pod.rack(host)).collect(),
            pod: pod.clone(),
            colouring: Colouring::new(pod.racks().max(pod.groups())),
            edges: Vec::new(),
            transfers: Vec::new(),
            colours: Vec::new(),
            by_plane: Vec::new(),
            ends: vec![0; pod.uplinks() as usize],
            plane: Vec::new(),
            plane_transfers: Vec::new(),
            cores: Vec::new(),
        }
    }

    /// Puts the path of each transfer into `paths`, in their order. O(n) for n transfers as long as racks have free uplinks in common, O(n v) for
    /// v racks at worst.
    ///
    /// # Panics
    /// If a host is not of the pod, or more transfers leave or reach a rack than it has uplinks: then there are no such paths. What an
    /// [`Allocator`](crate::allocation::Allocator) of the same pod hands out is never so.
    pub fn assign(&mut self, transfers: &[Transfer], paths: &mut Vec<Path>) {
        paths.clear();
        self.edges.clear();
        self.transfers.clear();
        let below = self.pod.turn() == Turn::AtNearest;
        for (number, transfer) in (0..).zip(transfers) {
            let rack = |host: u16| self.racks[usize::from(host)];
            let (left, right) = (rack(transfer.source), rack(transfer.destination));
            paths.push(Path::Edge);
            if !below || left != right {
                self.edges.push(Edge { left, right });
                self.transfers.push(number);
            }
        }
        self.colouring.colour(&self.edges, self.pod.uplinks(), &mut self.colours);
        for (&number, &aggregation) in self.transfers.iter().zip(&self.colours) {
            paths[number as usize] = Path::Aggregation(aggregation);
        }
        if self.pod.cores_per_aggregation() > 0 {
            self.assign_cores(below, paths);
        }
    }

    /// Third tier: the edges of each plane, as a multigraph of groups.
    fn assign_cores(&mut self, below: bool, paths: &mut [Path]) {
        self.ends.fill(0);
        self.colours.iter().for_each(|&plane| self.ends[usize::from(plane)] += 1);
        let mut begin = 0;
        for end in &mut self.ends {
            // Where the plane begins, until its edges are in.
            (begin, *end) = (begin + *end, begin);
        }
        self.by_plane.resize(self.edges.len(), 0);
        for (edge, &plane) in (0..).zip(&self.colours) {
            let place = &mut self.ends[usize::from(plane)];
            self.by_plane[*place as usize] = edge;
            *place += 1;
        }
        let mut begin = 0;
        for (aggregation, &end) in (0..).zip(&self.ends) {
            self.plane.clear();
            self.plane_transfers.clear();
            for &edge in &self.by_plane[begin as usize..end as usize] {
                let Edge { left, right } = self.edges[edge as usize];
                let (left, right) = (self.pod.group(left), self.pod.group(right));
                if !below || left != right {
                    self.plane.push(Edge { left, right });
                    self.plane_transfers.push(self.transfers[edge as usize]);
                }
            }
            self.colouring.colour(&self.plane, self.pod.cores_per_aggregation(), &mut self.cores);
            for (&number, &core) in self.plane_transfers.iter().zip(&self.cores) {
                paths[number as usize] = Path::Core { aggregation, core };
            }
            begin = end;
        }
    }
}
