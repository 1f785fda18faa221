//! The fat-tree of 22 NICs with cross-links (§5). The paper gives its size, that every NIC has links to four others, that two NICs have a link to an L1 switch, that one of
//! the two is within two hops of every NIC, and that two NICs are 2.04 hops apart on average; not its cables.
//!
//! A hop is a link between two NICs: an egress NIC is 0 hops from itself, and its own link to the switch is not counted.
//!
//! 22 = 2 + 8 + 12: the egress NICs are the roots of two trees, with four NICs below each, and every one of the 12 leaves hangs on one NIC of either tree, a pair for each.
//! That leaves two links a leaf, the cross-links. Every leaf is two hops from both roots, so the network keeps its distances to a root when the other one fails.
//!
//! No graph of 22 nodes with four links each has a mean below 946/462 = 2.048: from any node at most 4 others are one hop away and 12 are two, and the other 5 are three.
//! So 2.04 can only be that bound, cut off after two places. With two trees as above it is 948/462 = 2.052, as the two roots are four hops apart and all else is as
//! near as can be.

/// NICs, and so nodes, of the graph.
pub(super) const NICS: u32 = 22;

/// The cables. NICs 0 and 1 are the roots, 2 to 5 below root 0, 6 to 9 below root 1, 10 to 21 leaves.
///
/// The trees are settled by their symmetry. The cross-links are the best of all 516 ways to lay two at each leaf so that no leaf, nor any two leaves that it is linked to,
/// hang on one NIC (which would shorten a way that is short already): by the sum of distances, then by the load of the most loaded link when every NIC sends as much to
/// every other, spread evenly over shortest paths; then the first in order. `tests::the_cross_links_are_the_best_there_are` goes through all of them again; it draws nothing
/// by chance, and so has no seed.
#[rustfmt::skip]
pub(super) const CABLES: [(u32, u32); 44] = [
    (0, 2), (1, 6), (0, 3), (1, 7), (0, 4), (1, 8), (0, 5), (1, 9),
    (2, 10), (7, 10), (2, 11), (8, 11), (2, 12), (9, 12), (3, 13), (6, 13), (3, 14), (8, 14), (3, 15), (9, 15),
    (4, 16), (6, 16), (4, 17), (7, 17), (4, 18), (9, 18), (5, 19), (6, 19), (5, 20), (7, 20), (5, 21), (8, 21),
    (10, 14), (10, 16), (11, 18), (11, 20), (12, 13), (12, 17), (13, 20), (14, 19), (15, 16), (15, 21), (17, 21), (18, 19),
];
