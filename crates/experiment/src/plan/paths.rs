//! Which ways a workload's own flows take: samples for the estimates.

use ::topology::{Routes, Topology};
use ::workload::{GroupInfo, Workload};
use engine::mix;
use units::{Bytes, Span};

/// The first flows of a group, as far as they start without waiting for others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paths {
    /// Links on a flow's path, on average.
    pub hops: f64,
    /// Bits a second that the flows carry together if each gets an equal share of the fullest of its links, and waits a round trip for
    /// whatever follows. Only where these are all flows that are under way together.
    pub rate: Option<f64>,
}

/// Flows that are looked at.
const MOST: usize = 2048;

/// Samples the only group of `workload`. With a `window`, no flow has more under way than that. A fabric that is `spread` lets each flow
/// use all paths, so that only its hosts' links are its own.
pub(super) fn sample(
    workload: &mut Workload,
    topology: &Topology,
    routes: &Routes,
    window: Option<Bytes>,
    spread: bool,
) -> Option<Paths> {
    let mut links = Vec::new();
    let mut flows = Vec::new();
    while flows.len() < MOST && workload.next_start().is_some() {
        let flow = workload.start_next()?;
        let first = links.len();
        let mut chance = flow.id;
        let choose = |ways| {
            chance = mix(chance + 1);
            (chance % u64::from(ways)) as u32
        };
        links.extend(routes.path(flow.src, flow.dst, choose).into_iter().map(|link| link.0));
        flows.push((first..links.len(), flow.bytes));
    }
    if flows.is_empty() {
        return None;
    }
    let GroupInfo { at_once, .. } = workload.groups()[0];
    let mut sharers = vec![0_u32; topology.links().len()];
    links.iter().for_each(|link| sharers[*link as usize] += 1);
    let rate = |(path, bytes): &(std::ops::Range<usize>, Bytes)| {
        let last = path.len().saturating_sub(1);
        let own = |place: &usize| !spread || *place == 0 || *place == last;
        let path =
            || links[path.clone()].iter().enumerate().filter(|(place, _)| own(place)).map(|(_, link)| *link as usize);
        let share = |link: usize| topology.links()[link].rate.as_bps() as f64 / f64::from(sharers[link]);
        let share = path().map(share).fold(f64::INFINITY, f64::min);
        let round: Span = path().map(|link| topology.links()[link].delay * 2).sum();
        let round = round.as_secs_f64();
        let lasting =
            if *bytes == Bytes::MAX { share } else { bytes.bits() as f64 / (bytes.bits() as f64 / share + round) };
        lasting.min(window.map_or(f64::INFINITY, |window| window.bits() as f64 / round.max(1e-12)))
    };
    let together = at_once.is_some_and(|at_once| at_once <= flows.len() as u64);
    Some(Paths { hops: links.len() as f64 / flows.len() as f64, rate: together.then(|| flows.iter().map(rate).sum()) })
}
