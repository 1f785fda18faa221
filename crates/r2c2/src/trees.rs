//! Spanning trees of shortest paths, along which a node's announcements reach all others.

use crate::rig::Rig;
use engine::{look, mix};
use std::num::NonZero;
use std::rc::Rc;
use topology::{LinkId, NodeId, Topology};

/// The trees of all nodes, each made when it is first used.
#[derive(Debug)]
pub(crate) struct Trees {
    each: usize,
    seed: u64,
    bytes: usize,
    trees: Vec<Option<Rc<Tree>>>,
}

/// A tree: at each switch, the links on which an announcement goes on, as bits of its ports. Thousands of announcements are on their way at once, along as many
/// trees, and each packet of theirs reads another place of another tree: so a tree is small.
#[derive(Debug)]
pub(crate) struct Tree {
    /// Of each switch, by number among switches, so many bytes: bit `b` of byte `n` is for port `8 n + b`.
    ports: Box<[u8]>,
    bytes: usize,
    reach: u32,
}

impl Tree {
    /// The ports by which what has reached this switch goes on, 8 in each byte.
    #[inline]
    pub(crate) fn onward(&self, number: usize) -> &[u8] {
        &self.ports[number * self.bytes..][..self.bytes]
    }
    /// Nodes that it reaches, beside its root.
    pub(crate) fn reach(&self) -> u32 {
        self.reach
    }
}

/// Bytes in which the ports of any switch have a bit each.
pub(crate) fn bytes_of_ports(topology: &Topology) -> usize {
    let switches = topology.hosts()..topology.nodes();
    switches.map(|switch| topology.ports(NodeId(switch)).len()).max().unwrap_or(0).div_ceil(8)
}

/// The ports whose bit is set in a byte, the first of which is `first`.
#[inline]
pub(crate) fn ports_of(byte: u8, first: u32) -> impl Iterator<Item = u32> {
    let mut left = byte;
    std::iter::from_fn(move || {
        let port = NonZero::new(left)?.trailing_zeros();
        left &= left - 1;
        Some(first + port)
    })
}

impl Trees {
    /// So many for each switch.
    pub(crate) fn new(rig: &Rig, each: u32, seed: u64) -> Trees {
        let (each, bytes) = (each as usize, bytes_of_ports(&rig.topology));
        Trees { each, seed, bytes, trees: vec![None; rig.topology.switches() as usize * each] }
    }

    /// Bytes of a switch's ports, see [`Tree::onward`].
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Paths are others now.
    pub(crate) fn forget(&mut self) {
        self.trees.fill(None);
    }

    /// Tree number `which` from this switch, over links that work.
    pub(crate) fn tree(&mut self, rig: &Rig, works: &[bool], root: u32, which: u32) -> Rc<Tree> {
        let place = rig.number(root) * self.each + which as usize;
        let salt = mix(self.seed ^ place as u64);
        let made = self.trees[place].get_or_insert_with(|| Rc::new(Tree::new(rig, works, root, salt, self.bytes)));
        Rc::clone(made)
    }
}

impl Tree {
    /// Each switch hangs on one of its neighbours that are nearer to the root, chosen by chance: `salt` is what it is drawn from.
    fn new(rig: &Rig, works: &[bool], root: u32, salt: u64, bytes: usize) -> Tree {
        look();
        let topology = &rig.topology;
        let switches = topology.switches() as usize;
        let outward = |switch: u32| {
            let ports = topology.ports(NodeId(switch)).filter(|link| works[*link as usize]);
            ports.map(|link| (link, topology.link(LinkId(link)).to)).filter(|(_, to)| !topology.is_host(*to))
        };
        let mut distance = vec![u32::MAX; switches];
        distance[rig.number(root)] = 0;
        let mut reached = vec![root];
        let mut next = 0;
        while let Some(&switch) = reached.get(next) {
            next += 1;
            for (_, NodeId(to)) in outward(switch) {
                if distance[rig.number(to)] == u32::MAX {
                    distance[rig.number(to)] = distance[rig.number(switch)] + 1;
                    reached.push(to);
                }
            }
        }
        // By switch: the link by which it is reached, and how many could have been.
        let mut parent = vec![(0, 0_u64); switches];
        for &switch in &reached {
            for (link, NodeId(to)) in outward(switch) {
                let to = rig.number(to);
                if distance[to] == distance[rig.number(switch)] + 1 {
                    let (chosen, candidates) = &mut parent[to];
                    *candidates += 1;
                    // Each candidate is as likely to stay: the last with one in so many.
                    if mix(salt ^ (u64::from(link) << 20)).is_multiple_of(*candidates) {
                        *chosen = link;
                    }
                }
            }
        }
        let mut tree = Tree { ports: vec![0; switches * bytes].into(), bytes, reach: 0 };
        for (link, _) in parent.into_iter().filter(|(_, candidates)| *candidates > 0) {
            let from = topology.link(LinkId(link)).from;
            let port = (link - topology.ports(from).start) as usize;
            tree.ports[rig.number(from.0) * bytes + port / 8] |= 1 << (port % 8);
            tree.reach += 1;
        }
        tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use topology::{Shape, Torus};
    use units::{Rate, Span};

    fn torus(sizes: &[u32]) -> Rig {
        let shape = Shape::Torus(Torus { sizes: sizes.to_vec(), host_rate: None });
        Rig::new(&Arc::new(shape.build(Rate::from_gbps(10), Span::ZERO).unwrap())).unwrap()
    }

    /// The links of a tree that leave a switch.
    fn links(rig: &Rig, tree: &Tree, switch: u32) -> Vec<u32> {
        let first = rig.topology.ports(NodeId(switch)).start;
        let bytes = (0..).zip(tree.onward(rig.number(switch)));
        bytes.flat_map(|(place, byte)| ports_of(*byte, first + 8 * place)).collect()
    }

    /// Links from the root to each switch, by number.
    fn depths(rig: &Rig, tree: &Tree, root: u32) -> Vec<Option<u32>> {
        let mut depths = vec![None; rig.topology.switches() as usize];
        let mut round = vec![(root, 0)];
        while let Some((switch, depth)) = round.pop() {
            assert_eq!(depths[rig.number(switch)].replace(depth), None, "a switch is reached twice");
            let onward = links(rig, tree, switch).into_iter();
            round.extend(onward.map(|link| (rig.topology.link(LinkId(link)).to.0, depth + 1)));
        }
        depths
    }

    #[test]
    fn trees_reach_every_node_once_by_shortest_paths() {
        let rig = torus(&[4, 3, 5]);
        let works = vec![true; rig.topology.links().len()];
        let routes = topology::Routes::shortest(&rig.topology).unwrap();
        let mut trees = Trees::new(&rig, 3, 7);
        for root in 0..60 {
            for which in 0..3 {
                let tree = trees.tree(&rig, &works, rig.switch[root as usize], which);
                assert_eq!(tree.reach(), 59);
                for (to, depth) in (0..60).zip(depths(&rig, &tree, rig.switch[root as usize])) {
                    let expected = if to == root { 0 } else { routes.hop_count(root, to) - 2 };
                    assert_eq!(depth, Some(expected), "from {root} to {to}");
                }
            }
        }
    }

    #[test]
    fn trees_of_a_node_differ_and_spread_over_its_links() {
        let rig = torus(&[4, 4, 4]);
        let works = vec![true; rig.topology.links().len()];
        let mut trees = Trees::new(&rig, 64, 1);
        let mut used = vec![0; rig.topology.links().len()];
        for which in 0..64 {
            let tree = trees.tree(&rig, &works, rig.switch[0], which);
            let leave = |switch: &u32| links(&rig, &tree, *switch);
            rig.switch.iter().flat_map(leave).for_each(|link| used[link as usize] += 1);
        }
        // The node opposite is reached over any of six links.
        let into = |to: u32| (0_u32..).zip(rig.topology.links()).filter(move |(_, link)| link.to.0 == to);
        let opposite = rig.switch[2 + 4 * 2 + 16 * 2];
        let counts: Vec<u32> = into(opposite)
            .filter(|(_, link)| !rig.topology.is_host(link.from))
            .map(|(link, _)| used[link as usize])
            .collect();
        assert_eq!((counts.len(), counts.iter().sum::<u32>()), (6, 64));
        assert!(counts.iter().all(|count| (3..=22).contains(count)), "{counts:?}");
    }

    #[test]
    fn a_switch_may_have_more_ports_than_a_byte_has_bits() {
        let shape = Shape::LeafSpine { leaves: 20, spines: 1, hosts_per_leaf: 1 };
        let rig = Rig::new(&Arc::new(shape.build(Rate::from_gbps(10), Span::ZERO).unwrap())).unwrap();
        assert_eq!(bytes_of_ports(&rig.topology), 3);
        let works = vec![true; rig.topology.links().len()];
        let tree = Trees::new(&rig, 1, 0).tree(&rig, &works, rig.switch[4], 0);
        let mut depths = depths(&rig, &tree, rig.switch[4]);
        depths.sort_unstable();
        assert_eq!(depths, [vec![Some(0), Some(1)], vec![Some(2); 19]].concat());
    }

    #[test]
    fn what_is_broken_is_avoided() {
        let rig = torus(&[5]);
        let mut works = vec![true; rig.topology.links().len()];
        let broken = rig.topology.link_between(NodeId(rig.switch[0]), NodeId(rig.switch[1])).next().unwrap();
        works[broken.index()] = false;
        let tree = Trees::new(&rig, 1, 0).tree(&rig, &works, rig.switch[0], 0);
        assert_eq!(depths(&rig, &tree, rig.switch[0]), [0, 4, 3, 2, 1].map(Some));
    }
}
