//! Which paths a workload's own flows take: samples for the estimates.

use ::topology::{Routes, Topology};
use ::workload::{GroupInfo, Workload};
use engine::mix;
use units::{Bytes, Span, Time};

/// The first flows of a group, as far as they start without waiting for others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paths {
    /// Links on a flow's path, on average.
    pub hops: f64,
    /// Bits a second that the flows carry together if each gets an equal share of the fullest of its links, and waits a round trip for
    /// whatever follows. Only where these are all flows that are active together.
    pub rate: Option<f64>,
    /// Bytes of flows that start whatever the network does, as far as each could be sent before the run ends if it were alone: of a
    /// distribution with a long tail, often few of those that are offered.
    pub sent: Option<f64>,
}

/// Flows that are looked at.
const MOST: usize = 2048;

/// Samples the only group of `workload`. With a `window`, no flow has more in flight than that. A fabric that is `spread` lets each flow
/// use all paths, so that only its hosts' links are its own.
pub(super) fn sample(
    workload: &mut Workload,
    topology: &Topology,
    routes: &Routes,
    window: Option<Bytes>,
    spread: bool,
    end: Time,
) -> Option<Paths> {
    let mut links = Vec::new();
    let (mut flows, mut starts) = (Vec::new(), Vec::new());
    while flows.len() < MOST && workload.next_start().is_some() {
        let flow = workload.start_next()?;
        let first = links.len();
        let mut chance = flow.id;
        let choose = |choices| {
            chance = mix(chance.wrapping_add(1));
            (chance % u64::from(choices)) as u32
        };
        links.extend(routes.path(flow.src, flow.dst, choose).into_iter().map(|link| link.0));
        starts.push((flow.start, flow.bytes));
        flows.push((first..links.len(), flow.bytes));
    }
    if flows.is_empty() {
        return None;
    }
    let &GroupInfo { at_once, flows: all, kind, .. } = &workload.groups()[0];
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
    let alone = |(path, _): &(std::ops::Range<usize>, Bytes)| {
        let links = links[path.clone()].iter().map(|link| topology.links()[*link as usize]);
        let round: Span = links.clone().map(|link| link.delay * 2).sum();
        let slowest = links.map(|link| link.rate.as_bps() as f64).fold(f64::INFINITY, f64::min);
        let window = window.map_or(f64::INFINITY, |window| window.bits() as f64 / round.as_secs_f64().max(1e-12));
        slowest.min(window) / 8.0
    };
    let size = |bytes: Bytes| if bytes == Bytes::MAX { f64::INFINITY } else { bytes.get() as f64 };
    let rates = flows.iter().map(alone);
    let sent: f64 = if flows.len() < MOST {
        let one =
            |(rate, &(start, bytes)): (f64, &(Time, Bytes))| (rate * end.since(start).as_secs_f64()).min(size(bytes));
        let sent: f64 = rates.zip(&starts).map(one).sum();
        // Of a list, those that wait for others are as long as those that do not.
        let waiting = kind == "trace" && at_once.is_none();
        if waiting { sent * all.unwrap_or(0) as f64 / flows.len() as f64 } else { sent }
    } else {
        // These are the first; the others start at any time until the end.
        let left = end.since(starts[0].0).as_secs_f64();
        let one = |(rate, &(_, bytes)): (f64, &(Time, Bytes))| {
            let (most, size) = (rate * left, size(bytes));
            if size < most { size - size * size / (2.0 * most) } else { most / 2.0 }
        };
        rates.zip(&starts).map(one).sum::<f64>() * all.unwrap_or(MOST as u64) as f64 / MOST as f64
    };
    let together = at_once.is_some_and(|at_once| at_once <= flows.len() as u64);
    let hops = links.len() as f64 / flows.len() as f64;
    Some(Paths { hops, rate: together.then(|| flows.iter().map(rate).sum()), sent: at_once.is_none().then_some(sent) })
}
