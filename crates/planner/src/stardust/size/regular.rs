//! A fabric that is not full, in a regular pattern that can be cabled.
//!
//! Counting ports says how many switches have enough of them, not that a pattern joins them. Here every ToR has as many
//! links to each switch above it, every subtree of a height looks alike, and where a fabric is small, several links of a
//! subtree go to the same switch, which saves switches. Among all such patterns the one with the fewest switches is taken.

use super::{FatTree, Tier};

/// The smallest regular fabric over some ToRs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regular {
    /// From the first tier to the last.
    pub tiers: Vec<Tier>,
}

/// Subtrees built so far.
#[derive(Debug, Clone, Copy)]
struct Below {
    /// How many of them there are.
    subtrees: u128,
    /// Bundles that go up from each.
    up: u128,
}

impl Regular {
    /// The fewest switches in `tiers` over `tors` in a regular pattern; None where the ports do not suffice.
    pub fn new(tree: FatTree, tors: u128, tiers: u32) -> Option<Regular> {
        let below = Below { subtrees: tors, up: u128::from(tree.uplinks()) };
        cheapest(tree, below, tiers).map(|(_, mut found)| {
            found.reverse();
            Regular { tiers: found }
        })
    }
}

/// The fewest switches that join `below` in `tiers`, last tier first.
fn cheapest(tree: FatTree, below: Below, tiers: u32) -> Option<(u128, Vec<Tier>)> {
    let bundles = below.subtrees * below.up;
    if tiers == 1 {
        // A switch of the last tier has so many links to each subtree.
        let parallel = u128::from(tree.radix()) / below.subtrees;
        let elements = (parallel > 0).then(|| below.up.div_ceil(parallel))?;
        return Some((elements, vec![Tier { elements, bundles }]));
    }
    let (up, down) = (u128::from(tree.up()), u128::from(tree.down()));
    let mut best: Option<(u128, Vec<Tier>)> = None;
    // A switch below the last tier has `parallel` links to each of so many subtrees.
    for parallel in distinct(down) {
        let joined = down / parallel;
        let elements = below.up.div_ceil(parallel);
        let uplinks = (parallel * joined * up).div_ceil(down);
        let next = Below { subtrees: below.subtrees.div_ceil(joined), up: elements * uplinks };
        let Some((more, mut found)) = cheapest(tree, next, tiers - 1) else { continue };
        let all = next.subtrees * elements + more;
        if best.as_ref().is_none_or(|(fewest, _)| all < *fewest) {
            found.push(Tier { elements: next.subtrees * elements, bundles });
            best = Some((all, found));
        }
    }
    best
}

/// The smallest m for each value of ports / m: other m join no more subtrees and use no fewer links.
fn distinct(ports: u128) -> Vec<u128> {
    let mut found = Vec::new();
    let mut parallel = ports;
    while parallel > 0 {
        found.push(parallel);
        // The largest m for which ports / m is greater.
        parallel = ports / (ports / parallel + 1);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::Construction;
    use super::*;
    use proptest::prelude::*;

    fn total(tiers: &[Tier]) -> u128 {
        tiers.iter().map(|tier| tier.elements).sum()
    }

    #[test]
    fn the_links_to_a_subtree_that_matter() {
        assert_eq!(distinct(12), [12, 6, 4, 3, 2, 1]);
        assert_eq!(distinct(7), [7, 3, 2, 1]);
    }

    #[test]
    fn a_full_fabric_is_the_construction() {
        for (k, t) in [(4, 2), (8, 3), (32, 10)] {
            for tiers in 1..=3 {
                let tree = FatTree::full(k, t);
                let built = Construction::new(tree, tiers);
                assert_eq!(Regular::new(tree, built.tors(), tiers).unwrap().tiers, built.tiers());
            }
        }
    }

    /// The paper's simulated system (§6.2): 256 adapters of 32 links, elements of 128: 128 in the first tier, 64 above.
    #[test]
    fn section_6_2_is_found() {
        let tree = FatTree::full(128, 32);
        let found = Regular::new(tree, 256, 2).unwrap();
        let elements: Vec<_> = found.tiers.iter().map(|tier| tier.elements).collect();
        assert_eq!(elements, [128, 64]);
        assert_eq!(tree.by_ports(256, 2), found.tiers);
    }

    #[test]
    fn one_tor_too_many_costs_more_than_its_ports() {
        let tree = FatTree::full(256, 80);
        let (ports, regular) = (tree.by_ports(257, 2), Regular::new(tree, 257, 2).unwrap());
        assert_eq!(total(&ports), 161 + 81);
        assert!(total(&regular.tiers) > total(&ports));
        assert_eq!(Regular::new(tree, 257, 1), None);
    }

    proptest! {
        #[test]
        fn it_is_never_below_the_count_of_ports(half in 1u64..20, t in 1u64..12, tors in 1u128..2000) {
            let tree = FatTree::full(2 * half, t);
            if let Some(tiers) = tree.tiers(tors).filter(|tiers| (1..=3).contains(tiers)) {
                let (regular, ports) = (Regular::new(tree, tors, tiers).expect("the ports suffice"), tree.by_ports(tors, tiers));
                prop_assert_eq!(regular.tiers.len(), ports.len());
                for (built, counted) in regular.tiers.iter().zip(&ports) {
                    prop_assert!(built.elements >= counted.elements);
                    prop_assert!(built.bundles >= counted.bundles);
                }
            }
        }
    }
}
