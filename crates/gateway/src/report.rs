//! What is told of gateways.

use crate::joined::Joined;
use crate::line::Line;
use crate::places::Part;
use fabric::{Counter, Distribution, LinkCounters, Network, Over, Sampled};
use units::{Bytes, Time};

/// Those of both networks, and the gateways' own.
pub(crate) fn counters<I: Network, O: Network>(joined: &Joined<I, O>) -> Vec<Counter> {
    let mut counters = joined.inside.network.counters();
    counters.extend(joined.outside.network.counters());
    let counter = |name, unit, value: u64| Counter { name, unit, value: value as f64 };
    for part in Part::BOTH {
        let lines = || joined.gateways.iter().map(|gateway| &gateway.lines[part as usize]);
        let [passed, dropped, marked, lost, longest] = match part {
            Part::Inside => [
                "passed into the rack",
                "dropped before the rack",
                "marked before the rack",
                "lost before the rack",
                "longest queue before the rack",
            ],
            Part::Outside => [
                "passed out of the rack",
                "dropped before the outside",
                "marked before the outside",
                "lost before the outside",
                "longest queue before the outside",
            ],
        };
        counters.push(counter(passed, "packets", lines().map(|line| line.counts.frames).sum()));
        counters.push(counter(dropped, "packets", lines().map(|line| line.counts.dropped).sum()));
        counters.push(counter(marked, "packets", lines().map(|line| line.counts.marked).sum()));
        counters.push(counter(lost, "packets", lines().map(|line| line.counts.lost).sum()));
        counters.push(counter(longest, "B", lines().map(|line| line.counts.peak).max().unwrap_or(0)));
    }
    counters
}

/// What waits at all gateways together.
pub(crate) fn waiting<I: Network, O: Network>(joined: &Joined<I, O>) -> [Sampled; 2] {
    Part::BOTH.map(|part| {
        let name = match part {
            Part::Inside => "queue before the rack",
            Part::Outside => "queue before the outside",
        };
        let bytes: u64 = (0..joined.places.gateways).map(|gateway| joined.waiting_at(part, gateway).get()).sum();
        Sampled { name, unit: "B", value: bytes as f64, over: Over::Instant }
    })
}

/// Those of both networks, and how long packets of others wait at gateways.
pub(crate) fn distributions<I: Network, O: Network>(joined: &Joined<I, O>) -> Vec<Distribution> {
    let mut distributions = joined.inside.network.distributions();
    distributions.extend(joined.outside.network.distributions());
    for (name, waits) in
        ["wait at gateways for the rack", "wait at gateways for the outside"].into_iter().zip(&joined.waits)
    {
        distributions.push(Distribution { name, unit: "ps", bins: waits.bins().collect() });
    }
    distributions
}

/// A link's counters with what waits before it at a gateway: its queue is there, and in the network's own interface.
pub(crate) fn with_line(counters: LinkCounters, line: &Line, now: Time) -> LinkCounters {
    let counts = &line.counts;
    LinkCounters {
        dropped: counters.dropped + counts.dropped,
        marked: counters.marked + counts.marked,
        lost: counters.lost + counts.lost,
        peak: counters.peak.max(Bytes::new(counts.peak)),
        byte_seconds: counters.byte_seconds + line.byte_seconds(now),
        ..counters
    }
}
