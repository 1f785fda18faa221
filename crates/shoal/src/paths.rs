//! What is broken of a rack's links, switches and nodes, and so which of its paths.

use crate::build::{Rig, Role};
use crate::clos::Decomposition;
use crate::rack::Path;
use fabric::Fault;

/// The links and nodes of the topology, and what has happened to them.
#[derive(Debug, Clone)]
pub(crate) struct Paths {
    /// By link: it is cut; and the probability that a bit on it is wrong.
    cut: Vec<bool>,
    bit_errors: Vec<f64>,
    /// By node of the topology: it is off.
    off: Vec<bool>,
    /// By leaf and spine: the link up, and the one down.
    rise: Vec<u32>,
    fall: Vec<u32>,
}

impl Paths {
    /// All of them work.
    pub(crate) fn new(rig: &Rig) -> Paths {
        let links = rig.role.len();
        let nodes = rig.up.len() + rig.leaves.len() + rig.spines.len();
        let between = rig.leaves.len() * rig.spines.len();
        let (mut rise, mut fall) = (vec![0; between], vec![0; between]);
        for (link, role) in (0..).zip(&rig.role) {
            let place = |leaf: u32, spine: u32| leaf as usize * rig.spines.len() + spine as usize;
            match *role {
                Role::Rise { leaf, spine } => rise[place(leaf, spine)] = link,
                Role::Fall { leaf, spine } => fall[place(leaf, spine)] = link,
                Role::Up(_) | Role::Down(_) => {}
            }
        }
        Paths { cut: vec![false; links], bit_errors: vec![0.0; links], off: vec![false; nodes], rise, fall }
    }

    /// Something breaks or is repaired.
    pub(crate) fn apply(&mut self, fault: Fault) {
        match fault {
            Fault::Link { link, up } => self.cut[link as usize] = !up,
            Fault::Node { node, up } => self.off[node as usize] = !up,
            Fault::BitErrors { link, rate } => self.bit_errors[link as usize] = rate,
        }
    }

    /// Whether a node of the topology is off.
    pub(crate) fn is_off(&self, node: u32) -> bool {
        self.off[node as usize]
    }

    /// The nodes of the rack, and whether each is off.
    pub(crate) fn nodes_off(&self, rig: &Rig) -> Vec<bool> {
        self.off[..rig.up.len()].to_vec()
    }

    /// The path from one node to another: over the one switch of a star, or over leaf, spine and leaf. If the schedule leaves one of them
    /// out, it is over any spine that works.
    pub(crate) fn path(&self, rig: &Rig, switches: Option<&Decomposition>, from: u16, to: u16) -> Path {
        let (from, to) = (u32::from(from), u32::from(to));
        let (first, last) = (rig.up[from as usize], rig.down[to as usize]);
        let Some(switches) = switches else {
            return self.over(&[first, last], &rig.leaves[..1]);
        };
        let (leaf, other) = (switches.clos().leaf_of(from), switches.clos().leaf_of(to));
        let over = |spine: u32| {
            let link = |leaf: u32| leaf as usize * rig.spines.len() + spine as usize;
            let nodes = [rig.leaves[leaf as usize], rig.spines[spine as usize], rig.leaves[other as usize]];
            self.over(&[first, self.rise[link(leaf)], self.fall[link(other)], last], &nodes)
        };
        let place = switches.schedule().place(from, to);
        let spine = place.and_then(|place| switches.spine(place.slot, place.channel, from));
        spine.map_or_else(
            || (0..rig.spines.len() as u32).map(over).find(|path| path.works).unwrap_or_else(|| over(0)),
            over,
        )
    }

    fn over(&self, links: &[u32], nodes: &[u32]) -> Path {
        let whole = |link: &u32| !self.cut[*link as usize];
        let works = links.iter().all(whole) && nodes.iter().all(|node| !self.is_off(*node));
        let right: f64 = links.iter().map(|link| 1.0 - self.bit_errors[*link as usize]).product();
        Path { works, bit_errors: 1.0 - right }
    }
}
