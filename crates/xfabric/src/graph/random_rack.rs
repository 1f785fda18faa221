//! Random topologies for tests: any links between free ports, in one piece or not.

use crate::graph::Graph;
use proptest::prelude::*;

/// Graphs of 2 to `most` SoCs.
pub(crate) fn random_graph(most: u32) -> impl Strategy<Value = Graph> {
    (2..=most, 1_u32..7).prop_flat_map(|(socs, ports)| {
        let pairs = prop::collection::vec((0..socs, 0..socs), 0..(socs * ports) as usize);
        pairs.prop_map(move |pairs| {
            let mut graph = Graph::new(socs, ports);
            for (a, b) in pairs {
                if a != b {
                    graph.join_socs(a, b);
                }
            }
            graph
        })
    })
}
