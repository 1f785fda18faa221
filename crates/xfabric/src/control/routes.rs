//! The routes of the controller's messages: over the circuits that are set, whatever tables the SoCs use.

use super::soc::MOST_HOPS;
use crate::demand::index;
use crate::graph::Graph;
use std::collections::VecDeque;

/// Shortest routes from one SoC to all others.
#[derive(Debug, Clone)]
pub(super) struct Routes {
    from: u32,
    /// By SoC: the SoC before it and that one's port.
    before: Vec<Option<(u32, u32)>>,
}

impl Routes {
    /// Each attempt tries the ports of SoCs in another order, so that where there are several shortest routes a message that is
    /// repeated does not go over the same broken link again.
    pub(super) fn of(graph: &Graph, from: u32, attempt: u32) -> Routes {
        let mut before = vec![None; index(graph.socs())];
        let mut reached = VecDeque::from([from]);
        while let Some(soc) = reached.pop_front() {
            let mut neighbours: Vec<(u32, u32)> = graph.neighbours(soc).collect();
            if !neighbours.is_empty() {
                let turn = index(attempt) % neighbours.len();
                neighbours.rotate_left(turn);
            }
            for (port, peer) in neighbours {
                if peer != from && before[index(peer)].is_none() {
                    before[index(peer)] = Some((soc, port));
                    reached.push_back(peer);
                }
            }
        }
        Routes { from, before }
    }

    /// The ports to leave by, the first last, as in [`super::message::Packet`]; `None` if there is no route.
    pub(super) fn to(&self, soc: u32) -> Option<Vec<u8>> {
        let mut route = Vec::new();
        let mut at = soc;
        while at != self.from {
            let (before, port) = self.before[index(at)]?;
            route.push(port as u8);
            at = before;
        }
        (route.len() <= MOST_HOPS).then_some(route)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_shortest_and_another_attempt_goes_another_way() {
        // A ring of four: 0 - 1 - 2 - 3 - 0, clockwise by port 1.
        let mut graph = Graph::new(5, 2);
        for soc in 0..4 {
            let port = |soc: u32, number| crate::graph::Port { soc: soc % 4, number };
            graph.join(port(soc, 1), port(soc + 1, 0));
        }
        let to = |attempt, soc| Routes::of(&graph, 0, attempt).to(soc);
        assert_eq!((to(0, 0), to(0, 1), to(0, 3)), (Some(vec![]), Some(vec![1]), Some(vec![0])));
        assert_eq!((to(0, 2), to(1, 2)), (Some(vec![0, 0]), Some(vec![1, 1])));
        assert_eq!(to(0, 4), None);
    }
}
