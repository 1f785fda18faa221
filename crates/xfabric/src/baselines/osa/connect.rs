//! One component out of several, by exchange of links.

use super::Weights;
use crate::demand::index;

/// Exchanges links until all SoCs are connected, as long as there are two ports a SoC.
pub(super) fn connect(socs: u32, ports: u32, links: &mut Vec<(u32, u32)>, weights: &Weights) {
    if ports < 2 {
        return;
    }
    loop {
        let state = State::new(socs, ports, links);
        if state.component.iter().all(|&component| component == 0) {
            return;
        }
        if !state.join_free_ports(links) && !state.exchange(links, weights) {
            state.open(links, weights);
        }
    }
}

struct State {
    socs: u32,
    /// By SoC, numbered by their least SoC.
    component: Vec<u32>,
    free: Vec<u32>,
    /// By link: does its removal divide its component?
    bridge: Vec<bool>,
}

impl State {
    fn new(socs: u32, ports: u32, links: &[(u32, u32)]) -> State {
        let mut free = vec![ports; index(socs)];
        let mut neighbours = vec![Vec::new(); index(socs)];
        for (link, &(a, b)) in links.iter().enumerate() {
            for (soc, peer) in [(a, b), (b, a)] {
                free[index(soc)] -= 1;
                neighbours[index(soc)].push((peer, link));
            }
        }
        let (component, bridge) = components_and_bridges(&neighbours, links.len());
        State { socs, component, free, bridge }
    }

    /// Joins free ports of two components, if there are any: nothing has to give way.
    fn join_free_ports(&self, links: &mut Vec<(u32, u32)>) -> bool {
        let with_port = |soc: &u32| self.free[index(*soc)] > 0;
        let Some(a) = (0..self.socs).find(with_port) else { return false };
        let elsewhere = |soc: &u32| with_port(soc) && self.component[index(*soc)] != self.component[index(a)];
        let Some(b) = (0..self.socs).find(elsewhere) else { return false };
        links.push((a, b));
        true
    }

    /// The edge exchange of OSA: of the links that are no bridges, the one with the least demand, and the one with the least in
    /// another component.
    fn exchange(&self, links: &mut [(u32, u32)], weights: &Weights) -> bool {
        let Some(first) = self.lightest(links, weights, |_| true) else { return false };
        let of_link = |link: usize| self.component[index(links[link].0)];
        let here = of_link(first);
        let Some(second) = self.lightest(links, weights, |link| of_link(link) != here) else { return false };
        let ((a, b), (c, d)) = (links[first], links[second]);
        links[first] = (a, c);
        links[second] = (b, d);
        true
    }

    /// One of the components is a tree, and it alone has free ports: a link of another gives way, and free ports follow in the next
    /// turn.
    fn open(&self, links: &mut Vec<(u32, u32)>, weights: &Weights) {
        let tree = (0..self.socs).find(|&soc| self.free[index(soc)] > 0).map(|soc| self.component[index(soc)]);
        let of_link = |link: usize| self.component[index(links[link].0)];
        let elsewhere = |link: usize| Some(of_link(link)) != tree;
        let given_up = self.lightest(links, weights, elsewhere).expect("a component without free ports has a circle");
        links.remove(given_up);
    }

    fn lightest(&self, links: &[(u32, u32)], weights: &Weights, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        let wanted = |link: &usize| !self.bridge[*link] && wanted(*link);
        (0..links.len()).filter(wanted).min_by_key(|&link| (weights.of(links[link].0, links[link].1), link))
    }
}

/// By SoC the number of its component, and by link whether it is a bridge: depth first, a link is a bridge if nothing behind it leads
/// to before it (Tarjan).
fn components_and_bridges(neighbours: &[Vec<(u32, usize)>], links: usize) -> (Vec<u32>, Vec<bool>) {
    const NEW: u32 = u32::MAX;
    let mut component = vec![NEW; neighbours.len()];
    let mut bridge = vec![false; links];
    // When each SoC was first reached, and the earliest that is reached from it or from what lies behind it.
    let mut reached = vec![NEW; neighbours.len()];
    let mut earliest = vec![NEW; neighbours.len()];
    let (mut now, mut components) = (0, 0);
    for start in 0..neighbours.len() as u32 {
        if reached[index(start)] != NEW {
            continue;
        }
        // The SoC, the link to it, and how many of its links were followed.
        let mut path: Vec<(u32, Option<usize>, usize)> = vec![(start, None, 0)];
        while let Some((soc, by, followed)) = path.last_mut() {
            let (soc, by) = (*soc, *by);
            if *followed == 0 {
                reached[index(soc)] = now;
                earliest[index(soc)] = now;
                component[index(soc)] = components;
                now += 1;
            }
            if let Some(&(peer, link)) = neighbours[index(soc)].get(*followed) {
                *followed += 1;
                if Some(link) == by {
                    continue;
                }
                if reached[index(peer)] == NEW {
                    path.push((peer, Some(link), 0));
                } else {
                    earliest[index(soc)] = earliest[index(soc)].min(reached[index(peer)]);
                }
                continue;
            }
            path.pop();
            if let (Some(link), Some(&(before, _, _))) = (by, path.last()) {
                bridge[link] = earliest[index(soc)] > reached[index(before)];
                earliest[index(before)] = earliest[index(before)].min(earliest[index(soc)]);
            }
        }
        components += 1;
    }
    (component, bridge)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn neighbours(socs: usize, links: &[(u32, u32)]) -> Vec<Vec<(u32, usize)>> {
        let mut neighbours = vec![Vec::new(); socs];
        for (link, &(a, b)) in links.iter().enumerate() {
            neighbours[a as usize].push((b, link));
            neighbours[b as usize].push((a, link));
        }
        neighbours
    }

    proptest! {
        /// A bridge is a link without which there is one component more.
        #[test]
        fn bridges_divide(links in prop::collection::vec((0_u32..9, 0_u32..9), 0..18)) {
            let links: Vec<_> = links.into_iter().filter(|(a, b)| a != b).collect();
            let count = |links: &[(u32, u32)]| {
                let (component, _) = components_and_bridges(&neighbours(9, links), links.len());
                component.into_iter().max().expect("nine SoCs")
            };
            let (component, bridge) = components_and_bridges(&neighbours(9, &links), links.len());
            prop_assert!(links.iter().all(|&(a, b)| component[a as usize] == component[b as usize]));
            for (at, &bridge) in bridge.iter().enumerate() {
                let mut without = links.clone();
                without.remove(at);
                prop_assert_eq!(count(&without) > count(&links), bridge);
            }
        }
    }
}
