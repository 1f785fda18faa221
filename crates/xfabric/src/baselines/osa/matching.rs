//! b-matchings out of matchings.

use super::Weights;
use crate::demand::index;
use engine::Looks;
use rustworkx_core::max_weight_matching::max_weight_matching;
use rustworkx_core::petgraph::graph::{EdgeReference, UnGraph};
use std::convert::Infallible;

/// `b` matchings of pairs that have no link yet, each of as many SoCs as can be.
pub(super) fn repeated(socs: u32, ports: u32, weights: &Weights) -> Vec<(u32, u32)> {
    let mut links = Vec::new();
    let mut joined = vec![false; index(socs) * index(socs)];
    for _ in 0..ports {
        let pairs = (0..socs).flat_map(|a| (a + 1..socs).map(move |b| (a, b)));
        let open = pairs.filter(|&(a, b)| !joined[index(a) * index(socs) + index(b)]);
        let edges: Vec<(u32, u32, i128)> = open.map(|(a, b)| (a, b, weights.of(a, b))).collect();
        let matched = heaviest(socs, edges, true);
        for &(a, b) in &matched {
            joined[index(a) * index(socs) + index(b)] = true;
        }
        links.extend(matched);
    }
    links
}

/// The heaviest b-matching. A SoC is as many nodes as it has ports. A pair is two nodes, one beside each of its SoCs, and all edges
/// that belong to it weigh the same: the edge between its two nodes (the pair is not joined: its weight counts once) or an edge
/// from each to a port of its SoC (it is joined: twice).
pub(super) fn exact(socs: u32, ports: u32, weights: &Weights) -> Vec<(u32, u32)> {
    let pairs: Vec<(u32, u32)> = (0..socs).flat_map(|a| (a + 1..socs).map(move |b| (a, b))).collect();
    let first_pair = socs * ports;
    let mut edges = Vec::new();
    for (pair, &(a, b)) in (0..).zip(&pairs) {
        let (near_a, near_b) = (first_pair + 2 * pair, first_pair + 2 * pair + 1);
        let weight = weights.of(a, b);
        edges.push((near_a, near_b, weight));
        for port in 0..ports {
            edges.push((a * ports + port, near_a, weight));
            edges.push((b * ports + port, near_b, weight));
        }
    }
    let nodes = first_pair + 2 * pairs.len() as u32;
    let matched = heaviest(nodes, edges, false);
    let mut held = vec![0_u8; pairs.len()];
    for &(port, node) in matched.iter().filter(|(port, _)| *port < first_pair) {
        debug_assert!(port < first_pair && node >= first_pair);
        held[index(node - first_pair) / 2] += 1;
    }
    pairs.into_iter().zip(held).filter(|&(_, held)| held == 2).map(|(pair, _)| pair).collect()
}

/// The heaviest matching, in order; with `largest`, of those with the most edges.
fn heaviest(nodes: u32, edges: Vec<(u32, u32, i128)>, largest: bool) -> Vec<(u32, u32)> {
    let mut graph = UnGraph::<(), i128>::with_capacity(index(nodes), edges.len());
    for _ in 0..nodes {
        graph.add_node(());
    }
    graph.extend_with_edges(edges);
    let mut looks = Looks::default();
    let weight = |edge: EdgeReference<'_, i128>| {
        looks.step();
        Ok::<i128, Infallible>(*edge.weight())
    };
    let Ok(matched) = max_weight_matching(&graph, largest, weight, false);
    // The library answers with a set, in an order of its own.
    let mut matched: Vec<(u32, u32)> = matched.into_iter().map(|(a, b)| (a.min(b) as u32, a.max(b) as u32)).collect();
    matched.sort_unstable();
    matched
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::Demand;
    use engine::Seed;
    use proptest::prelude::*;

    /// The heaviest simple graph with so many links a SoC at most, by trying all.
    fn heaviest_of_all(pairs: &[(u32, u32)], free: &mut [u32], demand: &Demand) -> u64 {
        let Some((&(a, b), rest)) = pairs.split_first() else { return 0 };
        let without = heaviest_of_all(rest, free, demand);
        if free[a as usize] == 0 || free[b as usize] == 0 || demand.pair(a, b) == 0 {
            return without;
        }
        [a, b].iter().for_each(|&soc| free[soc as usize] -= 1);
        let with = demand.pair(a, b) + heaviest_of_all(rest, free, demand);
        [a, b].iter().for_each(|&soc| free[soc as usize] += 1);
        with.max(without)
    }

    fn weight(links: &[(u32, u32)], demand: &Demand) -> u64 {
        links.iter().map(|&(a, b)| demand.pair(a, b)).sum()
    }

    fn is_b_matching(links: &[(u32, u32)], socs: u32, ports: u32) -> bool {
        let mut sorted = links.to_vec();
        sorted.sort_unstable();
        let of = |soc| links.iter().filter(|&&(a, b)| a == soc || b == soc).count();
        sorted.windows(2).all(|two| two[0] != two[1]) && (0..socs).all(|soc| of(soc) <= index(ports))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn the_exact_one_is_the_heaviest(
            entries in prop::collection::vec(prop_oneof![Just(0), 0_u64..1000], 36),
            socs in 2_u32..7,
            ports in 1_u32..5,
            seed in any::<u64>(),
        ) {
            let pairs: Vec<(u32, u32)> = (0..socs).flat_map(|a| (a + 1..socs).map(move |b| (a, b))).collect();
            let entries = pairs.iter().zip(entries).map(|(&(a, b), bytes)| (a, b, bytes));
            let demand = Demand::none(socs).and_then(|none| none.plus(entries)).expect("a matrix");
            let weights = Weights::new(&demand, Seed(seed));
            let best = heaviest_of_all(&pairs, &mut vec![ports; index(socs)], &demand);
            let (exact, repeated) = (exact(socs, ports, &weights), repeated(socs, ports, &weights));
            prop_assert!(is_b_matching(&exact, socs, ports) && is_b_matching(&repeated, socs, ports));
            prop_assert_eq!(weight(&exact, &demand), best);
            // Matchings one after another: no better, and no worse than the heaviest of them.
            let one = heaviest_of_all(&pairs, &mut vec![1; index(socs)], &demand);
            prop_assert!((one..=best).contains(&weight(&repeated, &demand)));
        }
    }
}
