use super::*;
use crate::generate::crosspoints::Fabric;
use crate::generate::{Ties, generate};
use crate::graph::Port;
use crate::graph::random_rack::random_graph;
use proptest::prelude::*;

/// A ring of so many SoCs: port 0 clockwise, port 1 back.
fn ring(socs: u32) -> Graph {
    let mut graph = Graph::new(socs, 2);
    for soc in 0..socs {
        graph.join(Port { soc, number: 0 }, Port { soc: (soc + 1) % socs, number: 1 });
    }
    graph
}

#[test]
fn a_ring() {
    let graph = ring(6);
    let distances = Distances::of(&graph);
    assert_eq!((distances.hops(0, 3), distances.hops(0, 5), distances.diameter()), (Some(3), Some(1), Some(3)));
    let mut disjoint = DisjointPaths::new(&graph, &distances);
    assert_eq!((disjoint.between(0, 3), disjoint.between(0, 2), disjoint.between(4, 4)), (2, 1, 0));
    // 3 bytes over 1 hop, 1 over 3 hops.
    let demand = Demand::none(6).and_then(|none| none.plus([(0, 1, 3), (5, 2, 1)])).expect("a matrix");
    assert_eq!(distances.mean(&demand), Some(1.5));
    assert_eq!(disjoint.mean(&demand), Some(1.25));
    assert_eq!(distances.mean(&Demand::none(6).expect("a matrix")), None);
    let external = External { sent: vec![0, 0, 6, 1, 0, 0], received: vec![0, 0, 0, 1, 0, 0] };
    let uplinks = Uplinks::place(&external, 1).expect("placed");
    assert_eq!(distances.mean_to_uplinks(&uplinks, &external), Some(0.25));
}

#[test]
fn without_a_path() {
    let mut graph = ring(4);
    graph.part(Port { soc: 0, number: 0 });
    graph.part(Port { soc: 0, number: 1 });
    let distances = Distances::of(&graph);
    assert_eq!((distances.hops(1, 3), distances.hops(1, 0), distances.diameter()), (Some(2), None, None));
    assert_eq!(DisjointPaths::new(&graph, &distances).between(1, 0), 0);
    let demand = Demand::none(4).and_then(|none| none.plus([(1, 0, 3)])).expect("a matrix");
    assert_eq!(distances.mean(&demand), None);
}

#[test]
fn parallel_links_are_disjoint_paths() {
    let fabric = Fabric::port_by_port(2, 5).expect("a fabric");
    let demand = Demand::none(2).expect("a matrix");
    let graph = generate(&fabric, &demand, Ties::ByNumber).expect("sizes agree").graph(&fabric);
    let distances = Distances::of(&graph);
    assert_eq!((distances.diameter(), DisjointPaths::new(&graph, &distances).between(1, 0)), (Some(1), 5));
}

proptest! {
    #[test]
    fn distances_are_those_of_a_library(graph in random_graph(100)) {
        let links = graph.links().map(|(a, b)| (a.soc, b.soc));
        let mut theirs = petgraph::graph::UnGraph::<(), ()>::from_edges(links);
        while theirs.node_count() < graph.socs() as usize {
            theirs.add_node(());
        }
        let ours = Distances::of(&graph);
        for from in 0..graph.socs() {
            let all = petgraph::algo::dijkstra(&theirs, from.into(), None, |_| 1_u32);
            for to in 0..graph.socs() {
                prop_assert_eq!(ours.hops(from, to), all.get(&petgraph::graph::NodeIndex::from(to)).copied());
            }
        }
    }

    /// Menger: as many disjoint paths as links must be cut, here against a library's maximum flow over the links that lead nearer.
    #[test]
    fn disjoint_paths_are_a_maximum_flow(graph in random_graph(12)) {
        let distances = Distances::of(&graph);
        let mut disjoint = DisjointPaths::new(&graph, &distances);
        for to in 0..graph.socs() {
            let mut nearer = petgraph::graph::DiGraph::<(), u32>::new();
            let nodes: Vec<_> = (0..graph.socs()).map(|_| nearer.add_node(())).collect();
            for soc in 0..graph.socs() {
                for (_, peer) in graph.neighbours(soc) {
                    if let (Some(here), Some(there)) = (distances.hops(soc, to), distances.hops(peer, to))
                        && there + 1 == here
                    {
                        nearer.add_edge(nodes[soc as usize], nodes[peer as usize], 1);
                    }
                }
            }
            for from in (0..graph.socs()).filter(|&from| from != to) {
                let (flow, _) = petgraph::algo::ford_fulkerson(&nearer, nodes[from as usize], nodes[to as usize]);
                prop_assert_eq!(disjoint.between(from, to), flow);
            }
        }
    }
}
