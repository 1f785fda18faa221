//! The random graph of equal degrees (Jellyfish).

use super::{BaselineError, check};
use crate::demand::index;
use crate::graph::Graph;
use engine::{Seed, look};

/// A random graph of SoCs with so many ports each, all in use but one if their number is odd, without parallel links as long as
/// there are enough SoCs, and connected if there are two ports or more. From the stream `xfabric.random`.
///
/// Ends of links are paired at random; then links that are loops or parallel, or that join no further component, are exchanged
/// with random others. This is Jellyfish's construction in spirit: it adds links one by one and exchanges what is left over.
///
/// # Errors
/// For fewer SoCs than 2, more than [`crate::MOST_SOCS`], no port and more than [`crate::MOST_PORTS`].
pub fn random_graph(socs: u32, ports: u32, seed: Seed) -> Result<Graph, BaselineError> {
    check("a random graph", socs, ports)?;
    let mut attempt = 0;
    loop {
        let mut stream = seed.stream("xfabric.random", attempt);
        let mut ends: Vec<u32> = (0..socs).flat_map(|soc| (0..ports).map(move |_| soc)).collect();
        stream.shuffle(&mut ends);
        let mut links: Vec<[u32; 2]> = ends.as_chunks().0.to_vec();
        let simple = ports < socs;
        let mut many = Multiplicity::new(socs, &links);
        // In each turn a bad link is exchanged with another, if that makes no bad ones. A hundred tries a link are plenty: most succeed.
        let mut tries = 100 * links.len();
        while let Some(bad) = links.iter().position(|&[a, b]| many.is_bad(a, b, simple)) {
            if tries == 0 {
                break;
            }
            look();
            tries -= 1;
            let other = stream.below(links.len() as u64) as usize;
            let ([a, b], [c, d]) = (links[bad], links[other]);
            if bad != other && many.allows(a, c, simple) && many.allows(b, d, simple) {
                many.change(&[[a, b], [c, d]], &[[a, c], [b, d]]);
                links[bad] = [a, c];
                links[other] = [b, d];
            }
        }
        let good = links.iter().all(|&[a, b]| !many.is_bad(a, b, simple));
        attempt += 1;
        if !good && attempt < 100 {
            continue;
        }
        let mut graph = Graph::new(socs, ports);
        for [a, b] in links.into_iter().filter(|[a, b]| a != b) {
            graph.join_socs(a, b);
        }
        // One port cannot connect more than two SoCs. A hundred attempts are many: with three ports or more nearly all are connected.
        if graph.is_connected() || attempt >= 100 {
            return Ok(graph);
        }
    }
}

/// How many links join each pair.
struct Multiplicity {
    socs: usize,
    links: Vec<u16>,
}

impl Multiplicity {
    fn new(socs: u32, links: &[[u32; 2]]) -> Multiplicity {
        let socs = index(socs);
        let mut many = Multiplicity { socs, links: vec![0; socs * socs] };
        many.change(&[], links);
        many
    }
    fn is_bad(&self, a: u32, b: u32, simple: bool) -> bool {
        a == b || (simple && self.links[self.place(a, b)] > 1)
    }
    fn allows(&self, a: u32, b: u32, simple: bool) -> bool {
        a != b && !(simple && self.links[self.place(a, b)] > 0)
    }
    fn change(&mut self, fewer: &[[u32; 2]], more: &[[u32; 2]]) {
        for &[a, b] in fewer {
            let at = self.place(a, b);
            self.links[at] -= 1;
        }
        for &[a, b] in more {
            let at = self.place(a, b);
            self.links[at] += 1;
        }
    }
    fn place(&self, a: u32, b: u32) -> usize {
        index(a.min(b)) * self.socs + index(a.max(b))
    }
}
