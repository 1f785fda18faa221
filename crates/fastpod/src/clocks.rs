//! The clocks of hosts: an error that stays, a drift, and what is set right by each answer of the arbiter (§4).
//!
//! Every answer carries the arbiter's time. The path to a host has no queue, so the delay was measured once at the beginning, and whatever an answer seems to take more or less
//! than that is what the host's clock has run away by since it was set. An error of that measurement stays for ever.

use crate::config::Config;
use engine::Stream;
use units::{Span, Time};

/// The clock of a pod's arbiter, which its hosts follow, against the run's: pods are not synchronised (§4). That of a pod that is alone is the run's.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PodClock {
    /// When it shows zero.
    offset: Span,
    /// Parts per billion by which it is slow.
    drift: i64,
}

impl PodClock {
    /// One of several pods: it begins at any time of a `slot`, and drifts as much as a host's may.
    pub(crate) fn new(config: &Config, slot: Span, chance: &mut Stream) -> PodClock {
        let offset = Span::from_ps(chance.below(slot.as_ps().max(1)));
        PodClock { offset, drift: ((chance.unit() * 2.0 - 1.0) * config.clock_drift * 1000.0) as i64 }
    }

    /// When it shows this time.
    pub(crate) fn when(&self, shown: Time) -> Time {
        let at = shown + self.offset;
        if self.drift == 0 {
            return at;
        }
        let drifted = i128::from(shown.as_ps()) * i128::from(self.drift) / BILLION;
        Time::from_ps(at.as_ps().saturating_add_signed(drifted as i64))
    }

    /// What it shows now; zero before it begins.
    pub(crate) fn shows(&self, now: Time) -> Time {
        let since = now.as_ps().saturating_sub(self.offset.as_ps());
        if self.drift == 0 {
            return Time::from_ps(since);
        }
        Time::from_ps((i128::from(since) * BILLION / (BILLION + i128::from(self.drift))) as u64)
    }
}

const BILLION: i128 = 1_000_000_000;

/// A host's clock against that of the arbiter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    /// Picoseconds by which it is late, whatever is done.
    error: i64,
    /// Parts per billion by which it is slow.
    drift: i64,
    /// What it has been set right by.
    set: i64,
    resolution: u64,
    tracks: bool,
}

impl Clock {
    pub(crate) fn new(config: &Config, chance: &mut Stream) -> Clock {
        let mut within = |most: f64| ((chance.unit() * 2.0 - 1.0) * most) as i64;
        Clock {
            error: within(config.clock_error.as_ps() as f64),
            drift: within(config.clock_drift * 1000.0),
            set: 0,
            resolution: config.clock_resolution.as_ps(),
            tracks: config.clock_tracking,
        }
    }

    /// Picoseconds by which it is late, beyond its error.
    fn run_away(&self, now: Time) -> i64 {
        let drifted = i128::from(now.as_ps()) * i128::from(self.drift) / BILLION;
        drifted as i64 - self.set
    }

    /// Picoseconds by which what the host does when its clock says `now` is late.
    pub(crate) fn late(&self, now: Time) -> i64 {
        self.error + self.run_away(now)
    }

    /// When its clock shows what the arbiter's does at `at`.
    pub(crate) fn shows(&self, at: Time) -> Time {
        Time::from_ps(at.as_ps().saturating_add_signed(self.late(at)))
    }

    /// An answer has come.
    pub(crate) fn track(&mut self, now: Time) {
        if self.tracks {
            let seen = self.run_away(now);
            let step = self.resolution.max(1) as i64;
            self.set += seen / step * step;
        }
    }

    /// By how much it is off, either way.
    pub(crate) fn off(&self, now: Time) -> Span {
        Span::from_ps(self.late(now).unsigned_abs())
    }
}

/// How far a clock can be off that is set right by an answer every `interval`: its `error` stays, it is set to its `resolution`, and
/// runs away by `drift` parts per million until the next answer.
pub fn largest_error(error: Span, drift: f64, resolution: Span, interval: Span) -> Span {
    let drifted = Span::from_secs_f64(interval.as_secs_f64() * drift / 1e6);
    // Rounded up to a picosecond.
    error + resolution + drifted + Span::from_ps(u64::from(drift > 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Seed;

    #[test]
    fn a_clock_that_is_set_runs_away_no_further_than_its_resolution() {
        let config = Config { clock_drift: 100.0, clock_resolution: Span::from_ns(2), ..Config::default() };
        let mut chance = Seed(1).stream("test", 0);
        let mut clock = Clock::new(&config, &mut chance);
        let mut free = Clock::new(&Config { clock_tracking: false, ..config }, &mut Seed(1).stream("test", 0));
        for us in 1..10_000 {
            let now = Time::ZERO + Span::from_us(us);
            // At most 100 ps run away from one answer to the next.
            let most = largest_error(Span::ZERO, 100.0, Span::from_ns(2), Span::from_us(1));
            assert!(clock.off(now) < most && most < Span::from_ps(2110), "{}, {most}", clock.off(now));
            clock.track(now);
            free.track(now);
        }
        let end = Time::ZERO + Span::from_ms(10);
        assert!(free.off(end) > Span::from_ns(10), "{}", free.off(end));
        assert_eq!(free.shows(end).as_ps().abs_diff(end.as_ps()), free.off(end).as_ps());
    }

    #[test]
    fn a_pods_clock_shows_what_it_was_asked_when_it_shows() {
        let config = Config { clock_drift: 100.0, ..Config::default() };
        let slot = Span::from_ns(370);
        let clocks: Vec<_> =
            (0..20).map(|pod| PodClock::new(&config, slot, &mut Seed(5).stream("test", pod))).collect();
        for clock in clocks.iter().chain([&PodClock::default()]) {
            for us in 0..2000 {
                let shown = Time::ZERO + Span::from_us(us * 37);
                let at = clock.when(shown);
                assert!(clock.shows(at).as_ps().abs_diff(shown.as_ps()) <= 1, "{clock:?}");
                assert!(at.as_ps().abs_diff(shown.as_ps()) <= 370_000 + shown.as_ps() / 10_000);
            }
        }
        assert!(clocks.windows(2).all(|pair| pair[0].offset != pair[1].offset && pair[0].drift != pair[1].drift));
        assert_eq!(PodClock::default().when(Time::from_ps(7)), Time::from_ps(7));
    }

    #[test]
    fn an_error_stays() {
        let config = Config { clock_error: Span::from_ns(5), ..Config::default() };
        let mut clock = Clock::new(&config, &mut Seed(3).stream("test", 0));
        let late = clock.late(Time::ZERO);
        clock.track(Time::ZERO + Span::from_us(1));
        assert_eq!(clock.late(Time::ZERO + Span::from_ms(1)), late);
        assert!(late != 0 && late.unsigned_abs() <= 5000);
    }
}
