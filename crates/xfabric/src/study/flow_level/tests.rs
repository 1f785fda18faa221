use super::*;
use crate::baselines::{nearest_uplinks, torus};
use crate::demand::External;
use crate::generate::Uplinks;
use crate::graph::random_rack::random_graph;
use proptest::prelude::*;

fn demand(socs: u32, entries: &[(u32, u32, u64)]) -> Demand {
    Demand::none(socs).and_then(|none| none.plus(entries.iter().copied())).expect("a matrix")
}

#[test]
fn two_ways_share_what_one_would_carry() {
    // A ring of four: from 0 to 2 there are two ways.
    let graph = torus([4, 1, 1]).expect("a torus");
    let distances = Distances::of(&graph);
    let load = Load::place(&graph, &distances, &demand(4, &[(0, 2, 1000)]), 1000, Seed(1)).expect("placed");
    let (up, down) = (load.of(Port { soc: 0, number: 0 }), load.of(Port { soc: 0, number: 1 }));
    assert!((up + down - 1000.0).abs() < 1e-9);
    // Two choices of two: a subflow goes to the fuller side only if both choices fall on it. So the sides stay within a few of each other.
    assert!((up - down).abs() < 30.0, "{up} {down}");
    assert!((load.total() - 2.0).abs() < 1e-12 && (load.bottleneck() - 0.5).abs() < 0.015);
    // Four of the eight directed links carry all: the fullest has twice the mean.
    assert!((load.skew() - 2.0).abs() < 0.06, "{}", load.skew());
    // The other direction is a link of its own.
    assert_eq!(load.of(Port { soc: 2, number: 0 }), 0.0);
}

#[test]
fn the_less_loaded_of_two_ways_is_taken() {
    let graph = torus([4, 1, 1]).expect("a torus");
    let distances = Distances::of(&graph);
    // 0 to 1 has one way, and 0 to 2 shares its first link on one of two.
    let load = Load::place(&graph, &distances, &demand(4, &[(0, 1, 900), (0, 2, 600)]), 300, Seed(1)).expect("placed");
    let alone = load.of(Port { soc: 3, number: 1 });
    // A quarter of the subflows find the loaded way twice; all others take the other.
    assert!((alone - 450.0).abs() < 40.0, "{alone}");
}

#[test]
fn every_shortest_path_is_as_likely() {
    // A corner of a torus: six paths of three hops, each first link begins two of them.
    let graph = torus([4, 4, 4]).expect("a torus");
    let distances = Distances::of(&graph);
    let counts = PathCounts::of(&graph, &distances);
    let mut stream = Seed(5).stream("test", 0);
    let mut seen = std::collections::BTreeMap::new();
    let mut path = Vec::new();
    for _ in 0..6000 {
        counts.draw(&mut stream, 0, 1 + 4 + 16, &mut path);
        *seen.entry(path.clone()).or_insert(0_u32) += 1;
    }
    assert_eq!(seen.len(), 6);
    // Three standard deviations of a binomial with p = 1/6 are 87.
    assert!(seen.values().all(|times| times.abs_diff(1000) < 100), "{seen:?}");
}

#[test]
fn what_is_refused_and_how() {
    let graph = torus([4, 1, 1]).expect("a torus");
    let distances = Distances::of(&graph);
    let why = |graph: &Graph, distances: &Distances, demand: &Demand, subflows| {
        Load::place(graph, distances, demand, subflows, Seed(1)).expect_err("refused").to_string()
    };
    assert_eq!(why(&graph, &distances, &demand(5, &[]), 1), "the demand matrix has 5 SoCs, the topology 4");
    assert_eq!(
        why(&graph, &distances, &demand(4, &[]), 0),
        "`subflows` is 0; write 1 or more, many more than there are shortest paths for an even load"
    );
    let apart = Graph::new(4, 1);
    assert_eq!(
        why(&apart, &Distances::of(&apart), &demand(4, &[(3, 1, 8)]), 1),
        "SoC 3 has 8 B for SoC 1, but there is no path"
    );
}

#[test]
fn a_summary_has_all_metrics() {
    let graph = torus([4, 1, 1]).expect("a torus");
    let external = External { sent: vec![0, 40, 0, 0], received: vec![0, 10, 0, 50] };
    let uplinks = nearest_uplinks(&Distances::of(&graph), 1).expect("placed");
    let summary = Summary::of(&graph, &demand(4, &[(0, 2, 100), (1, 0, 300)]), &uplinks, &external, 500, Seed(1))
        .expect("placed");
    assert_eq!((summary.path_length, summary.uplink_path_length, summary.diameter), (Some(1.25), Some(1.0), Some(2)));
    assert_eq!(summary.disjoint_paths, Some(1.25));
    // 500 hops of 400 bytes inside, 100 of 100 to the uplink; 340 of the 500 bytes on the link from 1 to 0, and no other way.
    assert!((summary.total_load - 1.2).abs() < 1e-12 && (summary.bottleneck - 0.68).abs() < 1e-12, "{summary:?}");
    assert!((summary.skew - 0.68 / (1.2 / 8.0)).abs() < 1e-9);
    let none = Summary::of(&graph, &demand(4, &[]), &uplinks, &External::none(4), 1, Seed(1)).expect("placed");
    assert_eq!((none.path_length, none.bottleneck, none.skew), (None, 0.0, 1.0));
}

proptest! {
    /// Each byte loads as many links as its path has hops, and none leaves by a port without a link.
    #[test]
    fn bytes_take_shortest_paths(graph in random_graph(12), seed in any::<u64>(), subflows in 1_u32..5) {
        let distances = Distances::of(&graph);
        let pairs = (0..graph.socs()).flat_map(|a| (0..graph.socs()).map(move |b| (a, b)));
        let reached = pairs.filter(|&(a, b)| a != b && distances.hops(a, b).is_some());
        let entries: Vec<_> = reached.map(|(a, b)| (a, b, u64::from(1 + (a * 7 + b * 3) % 11))).collect();
        let demand = demand(graph.socs(), &entries);
        let load = Load::place(&graph, &distances, &demand, subflows, Seed(seed)).expect("placed");
        prop_assert!((load.total() - distances.mean(&demand).unwrap_or(0.0)).abs() < 1e-9);
        for soc in 0..graph.socs() {
            for number in 0..graph.ports() {
                let port = Port { soc, number };
                prop_assert!(graph.peer(port).is_some() || load.of(port) == 0.0);
            }
        }
        let uplinks = Uplinks::place(&External::none(graph.socs()), 1).expect("placed");
        let summary = Summary::of(&graph, &demand, &uplinks, &External::none(graph.socs()), subflows, Seed(seed));
        prop_assert_eq!(summary.expect("placed").bottleneck, load.bottleneck());
    }
}
