//! A full fat-tree, built: every switch and every link, to count and to check the formulas against.
//!
//! Subtrees of height 1 are k-u ToRs under t switches. A subtree of height i+1 joins k-u of height i: each switch at the top
//! of each has u uplinks, to u switches that have one port for each subtree. The last tier joins k subtrees, with all of its
//! ports. So a ToR is named by the subtrees it lies in, and a switch by its subtree and its place in it.

use super::{FatTree, Tier};

/// A full fat-tree of some tiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Construction {
    tree: FatTree,
    tiers: u32,
}

/// A device: a ToR (tier 0) or a switch of a tier, numbered within it from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node {
    /// 0 for a ToR.
    pub tier: u32,
    /// Its number among those of its tier.
    pub number: u128,
}

impl Construction {
    /// The full fabric of `tiers`, at least one.
    ///
    /// # Panics
    /// If `tiers` is 0.
    pub fn new(tree: FatTree, tiers: u32) -> Construction {
        assert!(tiers > 0, "a fabric has a tier");
        Construction { tree, tiers }
    }

    /// Subtrees of height `height` there are: of height 0 the ToRs, of the whole height one.
    fn subtrees(&self, height: u32) -> u128 {
        if height == self.tiers {
            return 1;
        }
        u128::from(self.tree.radix()) * u128::from(self.tree.down()).pow(self.tiers - height - 1)
    }

    /// Switches at the top of a subtree of `height`: t u^(height-1).
    fn top(&self, height: u32) -> u128 {
        u128::from(self.tree.uplinks()) * u128::from(self.tree.up()).pow(height - 1)
    }

    /// ToRs there are.
    pub fn tors(&self) -> u128 {
        self.subtrees(0)
    }

    /// Switches and bundles of every tier, counted as built: subtrees, times switches or uplinks in each.
    pub fn tiers(&self) -> Vec<Tier> {
        (1..=self.tiers)
            .map(|tier| Tier {
                elements: self.subtrees(tier) * self.top(tier),
                bundles: if tier == 1 {
                    self.tors() * u128::from(self.tree.uplinks())
                } else {
                    self.subtrees(tier - 1) * self.top(tier - 1) * u128::from(self.tree.up())
                },
            })
            .collect()
    }

    /// Every bundle, as the device below and the one above. As many as there are: for small fabrics.
    pub fn bundles(&self) -> impl Iterator<Item = (Node, Node)> + '_ {
        (0..self.tiers).flat_map(move |height| {
            let (places, ways) = match height {
                0 => (1, u128::from(self.tree.uplinks())),
                _ => (self.top(height), u128::from(self.tree.up())),
            };
            // Subtrees that are joined by one of the next height: k in the last tier.
            let joined = if height + 1 == self.tiers { self.tree.radix() } else { self.tree.down() };
            (0..self.subtrees(height)).flat_map(move |subtree| {
                (0..places).flat_map(move |place| {
                    let below = Node { tier: height, number: subtree * places + place };
                    let parent = subtree / u128::from(joined);
                    (0..ways).map(move |way| {
                        let above = parent * self.top(height + 1) + place * ways + way;
                        (below, Node { tier: height + 1, number: above })
                    })
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn small() -> Vec<Construction> {
        let mut built = Vec::new();
        for (k, t, u) in [(4, 2, 2), (4, 3, 2), (6, 1, 3), (6, 2, 2), (5, 2, 3), (2, 1, 1)] {
            for tiers in 1..=4 {
                built.push(Construction::new(FatTree::new(k, t, u), tiers));
            }
        }
        built
    }

    #[test]
    fn every_port_is_used_once() {
        for fabric in small() {
            let (mut up, mut down) = (BTreeMap::<Node, u64>::new(), BTreeMap::<Node, u64>::new());
            let mut pairs = BTreeSet::new();
            for (below, above) in fabric.bundles() {
                assert_eq!(above.tier, below.tier + 1);
                *up.entry(below).or_default() += 1;
                *down.entry(above).or_default() += 1;
                assert!(pairs.insert((below, above)), "no two devices are joined twice: {below:?} {above:?}");
            }
            for (node, ports) in &up {
                assert_eq!(*ports, if node.tier == 0 { fabric.tree.uplinks() } else { fabric.tree.up() });
            }
            for (node, ports) in &down {
                let all = if node.tier == fabric.tiers { fabric.tree.radix() } else { fabric.tree.down() };
                assert_eq!(*ports, all, "{node:?} of {fabric:?}");
            }
        }
    }

    #[test]
    fn counting_the_links_gives_what_the_levels_say() {
        for fabric in small() {
            let mut bundles = vec![0u128; fabric.tiers as usize];
            let mut nodes = vec![BTreeSet::new(); fabric.tiers as usize + 1];
            for (below, above) in fabric.bundles() {
                bundles[below.tier as usize] += 1;
                nodes[below.tier as usize].insert(below.number);
                nodes[above.tier as usize].insert(above.number);
            }
            assert_eq!(nodes[0].len() as u128, fabric.tors());
            for (tier, counted) in fabric.tiers().iter().enumerate() {
                assert_eq!((nodes[tier + 1].len() as u128, bundles[tier]), (counted.elements, counted.bundles));
            }
            for of_tier in nodes {
                assert_eq!(of_tier.iter().max().map(|last| last + 1), Some(of_tier.len() as u128), "numbered from 0");
            }
        }
    }

    /// From any ToR, going up everywhere and then down everywhere reaches every ToR.
    #[test]
    fn every_tor_reaches_every_tor() {
        for fabric in small() {
            let bundles: Vec<_> = fabric.bundles().collect();
            let mut reached = BTreeSet::from([Node { tier: 0, number: 0 }]);
            for tier in 0..fabric.tiers {
                let step = bundles.iter().filter(|(below, _)| below.tier == tier && reached.contains(below));
                let above: Vec<_> = step.map(|(_, above)| *above).collect();
                reached.extend(above);
            }
            let mut down: BTreeSet<_> = reached.iter().copied().filter(|node| node.tier == fabric.tiers).collect();
            for tier in (0..fabric.tiers).rev() {
                let step = bundles.iter().filter(|(below, above)| below.tier == tier && down.contains(above));
                down = step.map(|(below, _)| *below).collect();
            }
            assert_eq!(down.len() as u128, fabric.tors(), "{fabric:?}");
        }
    }
}
