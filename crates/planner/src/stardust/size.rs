//! How many devices and links fat-trees of switches with k ports have (§2.2, App. A).
//!
//! A fabric of n tiers over ToRs with t uplinks each: k ports a switch, of which u go up and d = k - u down in every tier but
//! the last, where all k go down. Without oversubscription in the fabric u = d = k/2. Ports are bundles of l serial links.

mod construction;
mod regular;

pub use construction::{Construction, Node};
pub use regular::Regular;

use serde::Serialize;

/// The parameters of a fat-tree (Table 1). All counts are of bundles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FatTree {
    radix: u64,
    uplinks: u64,
    up: u64,
}

/// One tier of a fabric, and the links below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Tier {
    /// Switches or elements in it.
    pub elements: u128,
    /// Bundles between it and what lies below: the adapters, or the tier before.
    pub bundles: u128,
}

impl FatTree {
    /// Switches of `radix` ports (k) over ToRs of `uplinks` (t), of which `up` (u) go up in every tier but the last.
    ///
    /// # Panics
    /// Unless there is a port and an uplink, and `up` leaves a port that goes down.
    pub fn new(radix: u64, uplinks: u64, up: u64) -> FatTree {
        assert!(radix > 0 && uplinks > 0, "a fat-tree has ports and uplinks");
        assert!((1..radix).contains(&up) || radix == 1, "{up} of {radix} ports up leaves none down");
        FatTree { radix, uplinks, up }
    }

    /// The same with half of the ports up: full bisection.
    ///
    /// # Panics
    /// Unless there is an uplink, and `radix` is even.
    pub fn full(radix: u64, uplinks: u64) -> FatTree {
        assert!(radix.is_multiple_of(2), "half of {radix} ports is no whole number");
        FatTree::new(radix, uplinks, radix / 2)
    }

    /// k, the ports of a switch.
    pub const fn radix(&self) -> u64 {
        self.radix
    }
    /// t, the uplinks of a ToR.
    pub const fn uplinks(&self) -> u64 {
        self.uplinks
    }
    /// u, the ports that go up in every tier but the last.
    pub const fn up(&self) -> u64 {
        self.up
    }
    /// d = k - u, the ports that go down in every tier but the last.
    pub const fn down(&self) -> u64 {
        self.radix - self.up
    }

    /// The most ToRs that `tiers` can join: k (k-u)^(n-1), which is k^n / 2^(n-1) with half of the ports up. No tiers join
    /// one.
    pub fn tors(&self, tiers: u32) -> u128 {
        let Some(below) = tiers.checked_sub(1) else { return 1 };
        u128::from(self.radix).saturating_mul(u128::from(self.down()).saturating_pow(below))
    }

    /// The fewest tiers that join so many ToRs; none where the switches have too few ports for that, whatever the tiers.
    pub fn tiers(&self, tors: u128) -> Option<u32> {
        const MOST: u32 = 64;
        (0..=MOST).find(|&tiers| self.tors(tiers) >= tors)
    }

    /// Devices and links of `tiers` over `tors`, by counting ports: as many switches in each tier as have the ports for the
    /// bundles from below. This is how App. A counts ("switches per ToR"); it is exact for a full fabric and the least that is
    /// possible for a partial one, where a regular pattern may need more ([`Regular`]).
    pub fn by_ports(&self, tors: u128, tiers: u32) -> Vec<Tier> {
        let (up, down) = (u128::from(self.up), u128::from(self.down()));
        let mut bundles = tors * u128::from(self.uplinks);
        let mut counted = Vec::new();
        for tier in 1..=tiers {
            let last = tier == tiers;
            let ports = if last { u128::from(self.radix) } else { down };
            counted.push(Tier { elements: bundles.div_ceil(ports), bundles });
            bundles = (bundles * up).div_ceil(down.max(1));
        }
        counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 12.8 Tb/s as 256 x 50G to 32 x 400G, 40 servers of 100G an edge (§2.2, Fig. 2a).
    #[test]
    fn fig_2a() {
        let hosts = |bundle: u64, tiers| 40 * FatTree::full(256 / bundle, 80 / bundle).tors(tiers);
        assert_eq!([hosts(1, 1), hosts(8, 1)], [10_240, 1_280]);
        assert_eq!([hosts(8, 2), hosts(1, 2)], [20_480, 64 * 20_480]);
        assert_eq!(hosts(2, 1), 5_120);
        assert_eq!(hosts(4, 3), 40 * 64 * 32 * 32);
    }

    /// "up to n tiers, x8^n more ToRs than with bundles of 8" (§5.1).
    #[test]
    fn a_tier_multiplies_what_unbundling_gains() {
        for tiers in 1..=4 {
            let (one, eight) = (FatTree::full(256, 80).tors(tiers), FatTree::full(32, 10).tors(tiers));
            assert_eq!(one, eight * 8u128.pow(tiers));
        }
    }

    #[test]
    fn tiers_grow_with_the_tors() {
        let tree = FatTree::full(32, 10);
        let tiers: Vec<_> = [1, 2, 32, 33, 512, 513, 8192, 8193].map(|tors| tree.tiers(tors)).into();
        assert_eq!(tiers, [0, 1, 1, 2, 2, 3, 3, 4].map(Some));
        assert_eq!(FatTree::new(4, 2, 3).tiers(5), None, "with one port down no tier adds anything");
    }

    #[test]
    fn oversubscription_in_the_fabric_is_as_appendix_a_says() {
        // "the maximum number of ToRs will be k (k-u), and the number of switches t (k+u)".
        for (k, u, t) in [(12, 4, 3), (8, 2, 5), (6, 3, 1)] {
            let tree = FatTree::new(k, t, u);
            assert_eq!(tree.tors(2), u128::from(k * (k - u)));
            let elements: u128 = tree.by_ports(tree.tors(2), 2).iter().map(|tier| tier.elements).sum();
            assert_eq!(elements, u128::from(t * (k + u)));
        }
    }

    proptest! {
        /// Counting ports in a full fabric gives exactly the construction.
        #[test]
        fn ports_and_construction_agree(half in 1u64..5, up in 1u64..5, t in 1u64..4, tiers in 1u32..4) {
            let tree = FatTree::new(half + up, t, up);
            let built = Construction::new(tree, tiers);
            prop_assert_eq!(tree.by_ports(tree.tors(tiers), tiers), built.tiers());
        }

        #[test]
        fn fewer_ports_than_needed_never(k in 2u64..40, t in 1u64..20, tors in 1u128..5000) {
            let tree = FatTree::new(2 * k, t, k);
            let tiers = tree.tiers(tors).expect("half of the ports go down");
            prop_assert!(tree.tors(tiers) >= tors);
            let counted = tree.by_ports(tors, tiers);
            prop_assert_eq!(counted.len(), tiers as usize);
            for (number, tier) in counted.iter().enumerate() {
                prop_assert!(tier.bundles >= tors * u128::from(t), "a full fabric carries all uplinks in every tier");
                let down = if number + 1 == counted.len() { 2 * k } else { k };
                prop_assert!(tier.elements * u128::from(down) >= tier.bundles);
                prop_assert!((tier.elements - 1) * u128::from(down) < tier.bundles, "one less has too few ports");
            }
        }
    }
}
