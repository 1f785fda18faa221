use super::osa::{Matching, osa};
use super::*;
use crate::demand::Demand;
use crate::graph::Graph;
use crate::graph::paths::DisjointPaths;
use engine::Seed;
use proptest::prelude::*;

fn free_ports(graph: &Graph) -> u32 {
    (0..graph.socs()).map(|soc| graph.ports() - graph.neighbours(soc).count() as u32).sum()
}

fn has_parallel_links(graph: &Graph) -> bool {
    (0..graph.socs()).any(|soc| {
        let mut peers: Vec<u32> = graph.neighbours(soc).map(|(_, peer)| peer).collect();
        peers.sort_unstable();
        peers.windows(2).any(|two| two[0] == two[1])
    })
}

#[test]
fn the_torus_of_the_paper() {
    assert_eq!((most_cubic(343), most_cubic(512), most_cubic(27), most_cubic(24)), ([7; 3], [8; 3], [3; 3], [2, 3, 4]));
    assert_eq!((most_cubic(13), most_cubic(2)), ([1, 1, 13], [1, 1, 2]));
    let graph = torus([7, 7, 7]).expect("a torus");
    let distances = Distances::of(&graph);
    assert_eq!((graph.socs(), graph.ports(), free_ports(&graph), distances.diameter()), (343, 6, 0, Some(9)));
    // A ring of 7 is 12/7 hops long on average with the way to oneself: three of them, without oneself.
    let uniform = Demand::new(343, (0..343 * 343).map(|at| u64::from(at % 344 != 0)).collect()).expect("a matrix");
    let mean = distances.mean(&uniform).expect("connected");
    assert!((mean - 3.0 * 12.0 / 7.0 * 343.0 / 342.0).abs() < 1e-12, "{mean}");
    // One step in each dimension, three disjoint ways; along one dimension, one.
    let mut disjoint = DisjointPaths::new(&graph, &distances);
    assert_eq!((disjoint.between(0, 1 + 7 + 49), disjoint.between(0, 3)), (3, 1));
}

#[test]
fn the_torus_of_the_prototype() {
    let uniform = Demand::new(27, (0..27 * 27).map(|at| u64::from(at % 28 != 0)).collect()).expect("a matrix");
    let mean = Distances::of(&torus([3, 3, 3]).expect("a torus")).mean(&uniform).expect("connected");
    // §6.5: 2.05 hops for traffic that is nearly uniform.
    assert!((mean - 2.0 * 27.0 / 26.0).abs() < 1e-12, "{mean}");
}

#[test]
fn small_tori() {
    let flat = torus([4, 1, 1]).expect("a torus");
    assert_eq!((free_ports(&flat), Distances::of(&flat).diameter()), (16, Some(2)));
    let two = torus([2, 2, 2]).expect("a torus");
    assert!(has_parallel_links(&two) && free_ports(&two) == 0);
}

#[test]
fn what_is_refused_and_how() {
    let why = |result: Result<Graph, BaselineError>| result.expect_err("refused").to_string();
    assert_eq!(why(torus([1, 1, 1])), "a torus joins 2 to 16384 SoCs, not 1");
    assert_eq!(why(torus([u32::MAX; 3])), "a torus joins 2 to 16384 SoCs, not 18446744073709551615");
    assert_eq!(why(random_graph(0, 6, Seed(1))), "a random graph joins 2 to 16384 SoCs, not 0");
    assert_eq!(why(random_graph(9, 17, Seed(1))), "a random graph needs SoCs of 1 to 16 ports, not 17");
    let none = Demand::none(4).expect("a matrix");
    assert_eq!(why(osa(&none, 0, Matching::Repeated, Seed(1))), "OSA needs SoCs of 1 to 16 ports, not 0");
    let distances = Distances::of(&torus([2, 2, 1]).expect("a torus"));
    let why = |uplinks| nearest_uplinks(&distances, uplinks).expect_err("refused").to_string();
    assert_eq!(why(0), "0 uplinks for 4 SoCs; write 1 to 4");
    assert_eq!(why(5), "5 uplinks for 4 SoCs; write 1 to 4");
}

#[test]
fn uplinks_of_a_static_topology_are_spread_and_the_nearest_is_used() {
    let distances = Distances::of(&torus([8, 1, 1]).expect("a torus"));
    let uplinks = nearest_uplinks(&distances, 2).expect("placed");
    assert_eq!(uplinks.places, [0, 4]);
    // SoCs 2 and 6 are as near to the one as to the other.
    assert_eq!((0..8).map(|soc| uplinks.gateway(soc)).collect::<Vec<_>>(), [0, 0, 4, 4, 4, 4, 0, 0]);
}

fn demand(most: u32) -> impl Strategy<Value = Demand> {
    (2..=most, 1_u64..30, any::<u64>()).prop_map(|(socs, sparse, seed)| {
        let mut stream = Seed(seed).stream("test.demand", 0);
        let mut bytes: Vec<u64> =
            (0..socs * socs).map(|_| if stream.below(sparse) == 0 { stream.below(1000) } else { 0 }).collect();
        (0..socs as usize).for_each(|soc| bytes[soc * (socs as usize + 1)] = 0);
        Demand::new(socs, bytes).expect("a matrix")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn random_graphs_use_all_ports_once(socs in 2_u32..60, ports in 1_u32..8, seed in any::<u64>()) {
        let graph = random_graph(socs, ports, Seed(seed)).expect("a graph");
        prop_assert_eq!(&graph, &random_graph(socs, ports, Seed(seed)).expect("a graph"));
        if ports < socs {
            prop_assert_eq!(free_ports(&graph), socs * ports % 2);
            prop_assert!(!has_parallel_links(&graph));
        }
        if ports >= 3 && ports < socs {
            prop_assert!(graph.is_connected());
        }
    }

    #[test]
    fn osa_is_connected_and_uses_what_it_can(demand in demand(24), ports in 2_u32..7, seed in any::<u64>()) {
        let graph = osa(&demand, ports, Matching::Repeated, Seed(seed)).expect("a graph");
        prop_assert!(graph.is_connected());
        prop_assert_eq!(&graph, &osa(&demand, ports, Matching::Repeated, Seed(seed)).expect("a graph"));
        // A matching of an odd number leaves one SoC out, and racks may be too small to give everyone so many neighbours.
        if demand.socs() % 2 == 0 && ports < demand.socs() / 2 {
            prop_assert!(free_ports(&graph) <= 2, "{}", free_ports(&graph));
        }
    }

    #[test]
    fn osa_with_exact_matching_is_connected_too(demand in demand(8), ports in 2_u32..5, seed in any::<u64>()) {
        let graph = osa(&demand, ports, Matching::Exact, Seed(seed)).expect("a graph");
        prop_assert!(graph.is_connected());
    }
}
