//! A given topology set by crosspoints: which circuit of which crosspoint is which of its links.
//!
//! The prototype begins as a 3D torus that crosspoints have set (§6.5). Where each SoC has a port on each crosspoint, that is a
//! colouring of the links with a colour a crosspoint, no colour twice at a SoC. In a torus of 27 SoCs a crosspoint sets 13 of the
//! 81 links, as one SoC is left over; so 3 links are laid for good between ports that are left over on different crosspoints, which is
//! what §6.1 does with them.

use crate::generate::crosspoints::Fabric;
use crate::graph::{Graph, Port};
use engine::{Seed, Stream};

/// The same links, on ports that crosspoints can join, and those among them that no crosspoint can.
#[derive(Debug, Clone)]
pub(super) struct Embedded {
    pub graph: Graph,
    pub fixed: Vec<[Port; 2]>,
}

/// Sets the links of a graph by crosspoints, on each of which each SoC has one port; `None` if the fabric is another one. As few links are
/// fixed as chance finds, mostly the fewest possible. From the stream `xfabric.embed`.
pub(super) fn embed(graph: &Graph, fabric: &Fabric, seed: Seed) -> Option<Embedded> {
    let (socs, ports) = (fabric.socs(), fabric.ports());
    let port_on = |soc: u32, crosspoint: u32| fabric.usable_ports(soc, crosspoint).next();
    let all = (0..socs).all(|soc| (0..ports).all(|crosspoint| port_on(soc, crosspoint).is_some()));
    if fabric.crosspoints() != ports || !all {
        return None;
    }
    let links: Vec<[u32; 2]> = graph.links().map(|(a, b)| [a.soc, b.soc]).collect();
    let colours = Colouring::new(socs as usize, ports as usize, links).best(&mut seed.stream("xfabric.embed", 0));
    let mut embedded = Embedded { graph: Graph::new(socs, ports), fixed: Vec::new() };
    let mut left: Vec<[u32; 2]> = Vec::new();
    for (link, colour) in colours.links.iter().zip(&colours.colour) {
        let ends = |colour| link.map(|soc| port_on(soc, colour).expect("each SoC has a port there"));
        match colour {
            Some(colour) => {
                let [a, b] = ends(*colour as u32);
                embedded.graph.join(a, b);
            }
            None => left.push(*link),
        }
    }
    for link in left {
        let [a, b] = link.map(|soc| embedded.graph.free_port(soc).expect("a port a link"));
        embedded.graph.join(a, b);
        embedded.fixed.push(if a < b { [a, b] } else { [b, a] });
    }
    Some(embedded)
}

/// Links with colours, no colour twice at a SoC.
#[derive(Clone)]
struct Colouring {
    links: Vec<[u32; 2]>,
    colour: Vec<Option<usize>>,
    /// By SoC and colour: the link that has it.
    at: Vec<Vec<Option<usize>>>,
}

impl Colouring {
    /// Rounds of disturbing what there is; a few are enough where a colouring exists.
    const ROUNDS: usize = 2000;

    fn new(socs: usize, colours: usize, links: Vec<[u32; 2]>) -> Colouring {
        Colouring { colour: vec![None; links.len()], at: vec![vec![None; colours]; socs], links }
    }

    /// With as few links without a colour as are found.
    fn best(mut self, stream: &mut Stream) -> Colouring {
        let most = self.colours() * (self.at.len() / 2);
        let fewest = self.links.len().saturating_sub(most);
        let mut best = self.clone();
        for round in 0..Self::ROUNDS {
            let bare: Vec<usize> = (0..self.links.len()).filter(|&link| self.colour[link].is_none()).collect();
            bare.into_iter().for_each(|link| self.give(link));
            if round == 0 || self.bare() < best.bare() {
                best = self.clone();
            }
            if best.bare() <= fewest {
                break;
            }
            // Another colouring that is as good: a chain of two colours changes them.
            for _ in 0..self.links.len() {
                let soc = stream.below(self.at.len() as u64) as usize;
                let [a, b] = [0; 2].map(|_| stream.below(self.colours() as u64) as usize);
                if a != b && (self.at[soc][a].is_none() != self.at[soc][b].is_none()) {
                    self.swap(soc, a, b);
                }
            }
        }
        best
    }

    fn colours(&self) -> usize {
        self.at.first().map_or(0, Vec::len)
    }
    fn bare(&self) -> usize {
        self.colour.iter().filter(|colour| colour.is_none()).count()
    }
    fn free(&self, soc: usize) -> Vec<usize> {
        (0..self.colours()).filter(|&colour| self.at[soc][colour].is_none()).collect()
    }

    /// Gives a link a colour, if that takes no more than changing a chain.
    fn give(&mut self, link: usize) {
        let [u, v] = self.links[link].map(|soc| soc as usize);
        for a in self.free(u) {
            for b in self.free(v) {
                // A chain from v that begins with a frees a at v, unless it ends at u, where a is taken then.
                if a != b && self.at[v][a].is_some() {
                    if self.end(v, a, b) == u {
                        continue;
                    }
                    self.swap(v, a, b);
                }
                self.colour[link] = Some(a);
                self.at[u][a] = Some(link);
                self.at[v][a] = Some(link);
                return;
            }
        }
    }

    /// The links of the chain from a SoC that alternates between two colours of which the SoC has one.
    fn chain(&self, soc: usize, a: usize, b: usize) -> Vec<usize> {
        let (mut chain, mut at) = (Vec::new(), soc);
        let mut next = if self.at[soc][a].is_some() { a } else { b };
        while let Some(link) = self.at[at][next] {
            chain.push(link);
            at = self.across(link, at);
            next = a + b - next;
        }
        chain
    }
    fn across(&self, link: usize, from: usize) -> usize {
        let [u, v] = self.links[link].map(|soc| soc as usize);
        u + v - from
    }
    fn end(&self, soc: usize, a: usize, b: usize) -> usize {
        self.chain(soc, a, b).iter().fold(soc, |at, &link| self.across(link, at))
    }
    /// Changes the two colours on such a chain.
    fn swap(&mut self, soc: usize, a: usize, b: usize) {
        let chain = self.chain(soc, a, b);
        for &link in &chain {
            let colour = self.colour[link].expect("links of a chain have colours");
            for soc in self.links[link] {
                self.at[soc as usize][colour] = None;
            }
        }
        for link in chain {
            let colour = self.colour[link].expect("links of a chain have colours");
            self.colour[link] = Some(a + b - colour);
            for soc in self.links[link] {
                self.at[soc as usize][a + b - colour] = Some(link);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baselines::{most_cubic, random_graph, torus};

    /// How many links are fixed; the rest are within crosspoints, and none is lost.
    fn fixed(graph: &Graph) -> usize {
        let fabric = Fabric::port_by_port(graph.socs(), graph.ports()).expect("a rack");
        let embedded = embed(graph, &fabric, Seed(1)).expect("it has a port on each");
        let pairs = |graph: &Graph| {
            let mut pairs: Vec<_> = graph.links().map(|(a, b)| (a.soc, b.soc)).collect();
            pairs.sort_unstable();
            pairs
        };
        assert_eq!(pairs(graph), pairs(&embedded.graph));
        for (a, b) in embedded.graph.links() {
            let within = fabric.crosspoint(a) == fabric.crosspoint(b);
            assert_eq!(within, !embedded.fixed.contains(&[a, b]));
        }
        embedded.fixed.len()
    }

    #[test]
    fn tori_and_random_graphs_are_set_by_crosspoints() {
        // A crosspoint of an odd number of SoCs leaves one over: half as many fixed circuits as crosspoints.
        for (socs, left) in [(8, 0), (12, 0), (27, 3), (36, 0), (45, 3), (64, 0), (125, 3)] {
            assert_eq!(fixed(&torus(most_cubic(socs)).expect("a torus")), left, "torus of {socs}");
            let random = random_graph(socs, 6, Seed(u64::from(socs))).expect("a graph");
            assert_eq!(fixed(&random), left, "random graph of {socs}");
        }
    }
}
