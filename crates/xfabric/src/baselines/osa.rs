//! OSA's construction (Chen et al., ToN 2014), as §6.1 uses it: join the pairs with the most demand, then make it connected.
//!
//! 1. A maximum-weight b-matching of the SoCs, `b` being their ports: pairs are joined at most once, and each SoC at most `b` times.
//! 2. While there are several components, two links of different components exchange ends: `a-b` and `c-d` become `a-c` and
//!    `b-d`. The links with the least demand are taken of those whose removal divides no component.

mod connect;
mod matching;

use super::{BaselineError, check};
use crate::demand::{Demand, index};
use crate::graph::Graph;
use engine::Seed;

/// How the b-matching is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching {
    /// As `b` maximum-weight matchings, one after another, each of pairs that have no link yet. A good approximation, not the
    /// optimum. `b` times O(n³).
    Repeated,
    /// Exactly, as one matching of a larger graph: each SoC `b` times, and two nodes for each pair. For small racks: the
    /// larger graph has n² nodes, so O(n⁶) at worst.
    Exact,
}

/// OSA's topology for this demand. Ties are broken at random, by the stream `xfabric.osa`: among topologies of the same weight it
/// would otherwise be one in which neighbours in number are neighbours.
///
/// All ports are used, but where exchanges leave some and where a pair would need a second link; connected with two ports or more.
///
/// # Errors
/// For no port and more than [`crate::MOST_PORTS`].
pub fn osa(demand: &Demand, ports: u32, matching: Matching, seed: Seed) -> Result<Graph, BaselineError> {
    let socs = demand.socs();
    check("OSA", socs, ports)?;
    let weights = Weights::new(demand, seed);
    let mut links = match matching {
        Matching::Repeated => matching::repeated(socs, ports, &weights),
        Matching::Exact => matching::exact(socs, ports, &weights),
    };
    connect::connect(socs, ports, &mut links, &weights);
    let mut graph = Graph::new(socs, ports);
    links.sort_unstable();
    for (a, b) in links {
        let joined = graph.join_socs(a, b);
        debug_assert!(joined, "no SoC has more links than ports");
    }
    Ok(graph)
}

/// Demand of pairs, made different by chance below any difference of demand.
struct Weights {
    socs: usize,
    of: Vec<i128>,
}

impl Weights {
    fn new(demand: &Demand, seed: Seed) -> Weights {
        let socs = index(demand.socs());
        let mut stream = seed.stream("xfabric.osa", 0);
        let mut of = vec![0; socs * socs];
        for a in 0..demand.socs() {
            for b in a + 1..demand.socs() {
                // A matching has fewer than 2^18 links (16384 SoCs of 16 ports): their parts of chance add up to less than one byte.
                let weight = i128::from(demand.pair(a, b)) << 40 | i128::from(1 + stream.below(1 << 20));
                of[index(a) * socs + index(b)] = weight;
                of[index(b) * socs + index(a)] = weight;
            }
        }
        Weights { socs, of }
    }
    /// Above 0 for all pairs.
    fn of(&self, a: u32, b: u32) -> i128 {
        self.of[index(a) * self.socs + index(b)]
    }
}
