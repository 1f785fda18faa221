//! Algorithm 1 line by line: the oracle for the fast one. Line numbers are those of the paper.

use super::order::{Place, Ties};
use super::{Cabling, GenerateError, check};
use crate::demand::{Demand, index};
use crate::generate::crosspoints::{Circuit, Fabric};
use crate::graph::Port;
use std::collections::{BTreeMap, BTreeSet};

/// As [`super::generate`], slower: each circuit goes through all pairs.
///
/// # Errors
/// If demand and fabric differ in size.
pub fn generate(fabric: &Fabric, demand: &Demand, ties: Ties) -> Result<Cabling, GenerateError> {
    check(fabric, demand)?;
    let socs = 0..fabric.socs();
    let mut free = FreePorts::new(fabric);
    // Line 1: the topology is the list of circuits; fixed ones are joined to it by `Cabling::graph`.
    let mut circuits = Vec::new();
    let mut trees = 0;
    // Lines 2 and 3.
    let mut soc_pairs = BTreeSet::new();
    let mut xbar_map: BTreeMap<(u32, u32), BTreeSet<u32>> = BTreeMap::new();
    for a in socs.clone() {
        for b in a + 1..fabric.socs() {
            let xbars: BTreeSet<u32> = fabric.between(a, b).collect();
            if !xbars.is_empty() {
                soc_pairs.insert(Place::first(demand, ties, a, b));
                xbar_map.insert((a, b), xbars);
            }
        }
    }
    // Line 4.
    while !soc_pairs.is_empty() {
        // Lines 5 to 8. SoCs without a working port are in nobody's tree.
        let mut part: Vec<u32> = socs.clone().collect();
        let mut partition_count = socs.clone().filter(|&soc| fabric.has_usable_port(soc)).count();
        trees += 1;
        // Line 9. The list changes on the way: go on with whatever comes after the last pair.
        let mut next = soc_pairs.first().copied();
        while let Some(pair) = next {
            // Line 10.
            if part[index(pair.a)] != part[index(pair.b)] {
                // Lines 11 and 12.
                let xbar = best_ranked(&xbar_map, pair, demand);
                // Lines 13 and 14.
                let ends = [free.take(pair.a, xbar), free.take(pair.b, xbar)];
                circuits.push(Circuit { crosspoint: xbar, ends });
                // Lines 15 and 16.
                let (from, to) = (part[index(pair.a)], part[index(pair.b)]);
                part.iter_mut().filter(|part| **part == from).for_each(|part| *part = to);
                partition_count -= 1;
                // Lines 17 to 24.
                for p in soc_pairs.iter().copied().collect::<Vec<_>>() {
                    let xbars = xbar_map.get_mut(&(p.a, p.b)).expect("each pair of the list has its crosspoints");
                    // Line 18: a SoC of `p` has just lost its last free port of the crosspoint.
                    if [pair.a, pair.b].iter().any(|&soc| (soc == p.a || soc == p.b) && !free.has(soc, xbar)) {
                        // Line 19.
                        xbars.remove(&xbar);
                    }
                    if xbars.is_empty() {
                        // Lines 21 and 22.
                        xbar_map.remove(&(p.a, p.b));
                        soc_pairs.remove(&p);
                    } else if p == pair {
                        // Line 24.
                        soc_pairs.remove(&p);
                        soc_pairs.insert(p.reinserted());
                    }
                }
                // Lines 25 and 26.
                if partition_count == 1 {
                    break;
                }
            }
            next = soc_pairs.range(pair..).find(|&&later| later > pair).copied();
        }
    }
    Ok(Cabling { circuits, trees })
}

/// The crosspoint in which joining the pair costs least: the one with the least demand between the pair's SoCs and all others that
/// could be joined with them there (§4.3). Of equals the first.
fn best_ranked(xbar_map: &BTreeMap<(u32, u32), BTreeSet<u32>>, pair: Place, demand: &Demand) -> u32 {
    let lost = |xbar: u32| -> u64 {
        let touched = |p: &(u32, u32)| [p.0, p.1].iter().any(|&soc| soc == pair.a || soc == pair.b);
        let others =
            xbar_map.iter().filter(|(p, xbars)| **p != (pair.a, pair.b) && touched(p) && xbars.contains(&xbar));
        others.map(|(&(a, b), _)| demand.pair(a, b)).sum()
    };
    let xbars = &xbar_map[&(pair.a, pair.b)];
    xbars.iter().copied().min_by_key(|&xbar| (lost(xbar), xbar)).expect("pairs without a crosspoint have left the list")
}

/// Free ports by SoC and crosspoint, the lowest first.
struct FreePorts(BTreeMap<(u32, u32), BTreeSet<Port>>);

impl FreePorts {
    fn new(fabric: &Fabric) -> FreePorts {
        let places = (0..fabric.socs()).flat_map(|soc| (0..fabric.crosspoints()).map(move |at| (soc, at)));
        FreePorts(places.map(|(soc, at)| ((soc, at), fabric.usable_ports(soc, at).collect())).collect())
    }
    fn has(&self, soc: u32, crosspoint: u32) -> bool {
        !self.0[&(soc, crosspoint)].is_empty()
    }
    fn take(&mut self, soc: u32, crosspoint: u32) -> Port {
        let ports = self.0.get_mut(&(soc, crosspoint)).expect("every SoC and crosspoint is in the map");
        ports.pop_first().expect("a crosspoint of the pair's map has free ports of both")
    }
}
