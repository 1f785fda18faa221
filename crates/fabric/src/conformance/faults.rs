//! What may break while a network is tried, and when.

use super::Traffic;
use crate::Fault;
use engine::{Seed, Stream};
use std::collections::BTreeSet;
use units::{Span, Time};

/// What a network has that can break.
#[derive(Debug, Clone, Copy)]
pub struct Breakable {
    /// Directed links, `0..links`.
    pub links: u32,
    /// Hosts and switches, `0..nodes`.
    pub nodes: u32,
    /// How often something happens to one of them in the midst of the traffic.
    pub faults: u32,
    /// How long after the last fault the network must have found new ways.
    pub settle: Span,
}

/// What happens, in order of time. At the end nothing is broken.
pub(super) struct Faults(Vec<(Time, Fault)>);

impl Faults {
    /// Links and nodes that break and are repaired at random while `traffic` goes on, some of them twice in a row.
    pub(super) fn at_random(breakable: Breakable, traffic: Traffic) -> Faults {
        let mut stream = Seed(traffic.seed).stream("conformance.faults", 0);
        let duration = traffic.gap.as_ps() * u64::from(traffic.frames);
        let mut times: Vec<u64> = (0..breakable.faults).map(|_| stream.below(duration)).collect();
        times.sort_unstable();
        let (mut links, mut nodes, mut noisy) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let mut faults = Vec::new();
        for at in times {
            let fault = match stream.below(4) {
                0 | 1 => {
                    let (link, up) = some(&mut links, breakable.links, &mut stream);
                    Fault::Link { link, up }
                }
                2 => {
                    let (node, up) = some(&mut nodes, breakable.nodes, &mut stream);
                    Fault::Node { node, up }
                }
                _noise => {
                    let (link, quiet) = some(&mut noisy, breakable.links, &mut stream);
                    // One frame of 1500 B in three is hit.
                    Fault::BitErrors { link, rate: if quiet { 0.0 } else { 3e-5 } }
                }
            };
            faults.push((Time::from_ps(at), fault));
        }
        let end = Time::from_ps(duration);
        faults.extend(links.into_iter().map(|link| (end, Fault::Link { link, up: true })));
        faults.extend(nodes.into_iter().map(|node| (end, Fault::Node { node, up: true })));
        faults.extend(noisy.into_iter().map(|link| (end, Fault::BitErrors { link, rate: 0.0 })));
        Faults(faults)
    }

    pub(super) fn times(&self) -> impl Iterator<Item = Time> {
        self.0.iter().map(|(at, _)| *at)
    }
    pub(super) fn last(&self) -> Time {
        self.0.last().map_or(Time::ZERO, |(at, _)| *at)
    }
    pub(super) fn get(&self, number: u32) -> Fault {
        self.0[number as usize].1
    }
}

/// One of them, and whether it is to work from now on. `broken` is kept up to date.
fn some(broken: &mut BTreeSet<u32>, among: u32, stream: &mut Stream) -> (u32, bool) {
    // Rather one that is broken, so that they don't all end up so.
    let repair = !broken.is_empty() && stream.below(2) == 0;
    let which = if repair {
        broken.iter().copied().nth(stream.below(broken.len() as u64) as usize).unwrap_or(0)
    } else {
        stream.below(u64::from(among)) as u32
    };
    if repair {
        broken.remove(&which);
    } else {
        broken.insert(which);
    }
    (which, repair)
}
