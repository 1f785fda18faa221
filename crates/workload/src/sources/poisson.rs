//! Flows that arrive at random times.

use crate::bursts::Bursts;
use crate::pattern::Chooser;
use crate::setting::Chance;
use crate::sizes::Sizes;
use crate::source::{Source, Start, Wait};
use engine::Stream;
use units::{Span, Time};

/// One Poisson process for all hosts, each arrival with a source and a destination of its own: the same law as one process
/// a host, in the memory of one arrival. With bursts an arrival is several flows of one source, each with a size and a destination of its own.
pub(crate) struct PoissonSource {
    size: Sizes,
    chooser: Chooser,
    bursts: Option<Bursts>,
    /// Flows of the last arrival that are still to start.
    left: u32,
    /// Mean time between arrivals, in picoseconds.
    gap: f64,
    until: Time,
    flows: u64,
    gaps: Stream,
    pairs: Stream,
    sizes: Stream,
    numbers: Stream,
    /// What the time of the next arrival is short of by being whole picoseconds: at terabits, arrivals are a few
    /// picoseconds apart, and rounding each would change the rate.
    short: f64,
    next: Option<Start>,
}

impl PoissonSource {
    /// `rate` flows a second from `start` on, none at or after `until`, and `flows` at most.
    pub(crate) fn new(
        size: Sizes,
        chooser: Chooser,
        bursts: Option<Bursts>,
        rate: f64,
        [start, until]: [Time; 2],
        flows: u64,
        chance: &Chance,
    ) -> PoissonSource {
        let stream = |choice| chance.stream(choice, 0);
        let mut source = PoissonSource {
            size,
            chooser,
            gap: 1e12 / rate * bursts.as_ref().map_or(1.0, Bursts::mean),
            bursts,
            left: 0,
            until,
            flows,
            gaps: stream("gap"),
            pairs: stream("pair"),
            sizes: stream("size"),
            numbers: stream("burst"),
            short: 0.0,
            next: None,
        };
        source.next = source.arrival(start, 0);
        source
    }

    fn arrival(&mut self, after: Time, order: u64) -> Option<Start> {
        let exact = self.gaps.exponential(self.gap) + self.short;
        let whole = exact.floor();
        self.short = exact - whole;
        let at = after + Span::from_ps(whole as u64);
        if at >= self.until || order >= self.flows {
            return None;
        }
        self.left = self.bursts.as_ref().map_or(0, |bursts| bursts.sample(&mut self.numbers) - 1);
        let (src, dst) = self.chooser.pick(&mut self.pairs);
        Some(self.start(at, order, src, dst))
    }

    /// Another flow of the same arrival.
    fn another(&mut self, before: Start) -> Option<Start> {
        let order = before.order + 1;
        if order >= self.flows {
            return None;
        }
        self.left -= 1;
        let dst = self.chooser.destination(before.src, &mut self.pairs);
        Some(self.start(before.at, order, before.src, dst))
    }

    fn start(&mut self, at: Time, order: u64, src: u32, dst: u32) -> Start {
        Start { at, order, src, dst, bytes: self.size.sample(&mut self.sizes), watched: false, round: None }
    }
}

impl Source for PoissonSource {
    fn next_start(&self) -> Option<Time> {
        self.next.map(|next| next.at)
    }
    fn start_next(&mut self) -> Option<Start> {
        let start = self.next?;
        self.next = if self.left > 0 { self.another(start) } else { self.arrival(start.at, start.order + 1) };
        Some(start)
    }
    fn finish(&mut self, _order: u64, _now: Time) {}
    fn waiting(&self, _in_flight: &[u64]) -> Vec<Wait> {
        Vec::new()
    }
    fn held(&self) -> usize {
        usize::from(self.next.is_some())
    }
}
