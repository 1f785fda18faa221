//! Which links a flow crosses.

use crate::sharing::Sharing;
use engine::Seed;
use fabric::{Ecmp, Frame};
use std::sync::Arc;
use topology::{LinkId, NodeId, Routes, Topology};

/// Chooses paths.
#[derive(Debug)]
pub(crate) struct Paths {
    /// By host: its links out and in.
    up: Vec<u32>,
    down: Vec<u32>,
    /// What lies between, if that can be full too.
    inside: Option<(Arc<Routes>, Ecmp)>,
}

impl Paths {
    /// On a topology whose hosts have one link each.
    pub(crate) fn new(sharing: Sharing, topology: &Topology, routes: Arc<Routes>, seed: Seed) -> Paths {
        let inside = match sharing {
            Sharing::EcmpPaths => Some((routes, Ecmp::new(seed, topology.nodes()))),
            Sharing::Interfaces | Sharing::Detours => None,
        };
        let up: Vec<u32> = (0..topology.hosts()).map(|host| topology.ports(NodeId(host)).start).collect();
        let down = up.iter().map(|link| topology.reverse(LinkId(*link)).0).collect();
        Paths { up, down, inside }
    }

    /// The link out of a host.
    pub(crate) fn up(&self, host: u32) -> u32 {
        self.up[host as usize]
    }

    /// The link to a host.
    pub(crate) fn down(&self, host: u32) -> u32 {
        self.down[host as usize]
    }

    /// The links that a frame's stream crosses, in order.
    pub(crate) fn of(&self, frame: &Frame, links: &mut Vec<u32>) {
        links.clear();
        let Some((routes, ecmp)) = &self.inside else {
            links.extend([self.up(frame.src), self.down(frame.dst)]);
            return;
        };
        let mut node = NodeId(frame.src);
        while node != NodeId(frame.dst) {
            let hops = routes.next_hops(node, frame.dst);
            let choice = if hops.len() > 1 { ecmp.choose(node.0, frame.entropy, hops.len()) } else { 0 };
            let link = hops.link(choice);
            links.push(link.0);
            node = routes.leads_to(link);
        }
    }

    /// For each path that a stream between these hosts may have, and that no other is as good as: `cross` of all its links in order,
    /// from `start`; `covers` says what is as good.
    pub(crate) fn best<S: Copy>(
        &self,
        [src, dst]: [u32; 2],
        start: S,
        cross: impl Fn(S, LinkId) -> S,
        covers: impl Fn(&S, &S) -> bool,
    ) -> Vec<S> {
        match &self.inside {
            Some((routes, _)) => routes.best_paths(src, dst, start, cross, covers),
            None => vec![cross(cross(start, LinkId(self.up(src))), LinkId(self.down(dst)))],
        }
    }
}
