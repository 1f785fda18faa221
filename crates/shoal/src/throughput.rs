//! Which share of the peak traffic gets, with detours (§3.3.1, §7.2).

/// Lower bound of the share of the peak that any admissible traffic gets: every cell crosses the fabric at most twice (§3.3.1).
pub const WORST_CASE: f64 = 0.5;

/// Share of the peak that each of `talking` nodes gets while all send to one another in a permutation, one flow each, and the
/// other nodes only forward (§7.2, Fig. 12). Of the N-1 subflows of a flow those over nodes that do not talk have both links
/// for themselves, and so has the direct one; a subflow over a node that talks shares each of its two links with one other.
pub fn permutation(nodes: u64, talking: u64) -> f64 {
    (nodes as f64 - talking as f64 / 2.0) / (nodes - 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_permutation_s_share_falls_to_a_half() {
        assert_eq!(permutation(512, 2), 1.0, "two nodes alone: the peak");
        assert!((permutation(512, 512) - 256.0 / 511.0).abs() < 1e-15);
        assert!((permutation(8, 8) - 4.0 / 7.0).abs() < 1e-15);
    }

    proptest! {
        #[test]
        fn a_permutation_never_gets_less_than_the_bound(nodes in 2u64..5_000, part in 0u64..5_000) {
            let talking = (part % nodes).max(2);
            prop_assert!(permutation(nodes, talking) > WORST_CASE);
            prop_assert!(permutation(nodes, talking) <= permutation(nodes, talking - 1));
        }
    }
}
