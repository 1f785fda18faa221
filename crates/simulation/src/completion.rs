//! How long measured flows took: all of them, also those that did not finish.
//!
//! Statistics of those that finished alone are statistics of survivors: the worse a network, the fewer of its slow flows are among them. A
//! flow that did not finish counts with the time that it had taken so far, so what comes out is a lower bound, and it is said where one is.

use crate::output::FINE;
use results::Histogram;
use units::Span;

/// Slowdowns are counted in thousandths.
const THOUSAND: f64 = 1000.0;

/// Completion times and slowdowns of measured flows that have an end.
pub(crate) struct Completion {
    /// Slowdowns of all flows, and of those that finished.
    all: Histogram,
    finished: Histogram,
    slowdowns: f64,
    times_ps: f64,
}

/// A percentile.
pub(crate) struct Percentile {
    /// None: there are no flows.
    pub value: Option<f64>,
    /// It would be larger if the flows that did not finish never did.
    pub is_bound: bool,
}

impl Default for Completion {
    fn default() -> Completion {
        Completion { all: Histogram::new(FINE), finished: Histogram::new(FINE), slowdowns: 0.0, times_ps: 0.0 }
    }
}

impl Completion {
    /// A flow that took so long, or that has taken so long so far.
    pub(crate) fn count(&mut self, time: Span, ideal: Span, finished: bool) {
        let slowdown = time.as_ps() as f64 / ideal.as_ps() as f64;
        self.slowdowns += slowdown;
        self.times_ps += time.as_ps() as f64;
        self.all.record((slowdown * THOUSAND) as u64);
        if finished {
            self.finished.record((slowdown * THOUSAND) as u64);
        }
    }

    /// Flows.
    pub(crate) fn measured(&self) -> u64 {
        self.all.total()
    }

    /// Those that finished.
    pub(crate) fn completed(&self) -> u64 {
        self.finished.total()
    }

    /// That of completion times, in ps.
    pub(crate) fn mean_fct_ps(&self) -> Option<f64> {
        self.mean(self.times_ps)
    }

    /// That of slowdowns.
    pub(crate) fn mean_slowdown(&self) -> Option<f64> {
        self.mean(self.slowdowns)
    }

    fn mean(&self, sum: f64) -> Option<f64> {
        (self.measured() > 0).then(|| sum / self.measured() as f64)
    }

    /// The slowdown that this fraction of the flows do not exceed.
    pub(crate) fn slowdown(&self, fraction: f64) -> Percentile {
        match self.all.quantile_and_bound(fraction, &self.finished) {
            Some((value, is_bound)) => Percentile { value: Some(value as f64 / THOUSAND), is_bound },
            None => Percentile { value: None, is_bound: false },
        }
    }
}
