//! Which slot it is: the one place that reads the machine's clocks.

use arbiter::Slot;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use units::Span;

/// Counts slots from the beginning of 1970, as every machine can whose clock is set: hosts and arbiters agree on a slot's number as well as their
/// clocks agree. A clock that is put back stands still until it has caught up.
#[derive(Debug, Clone)]
pub struct Clock {
    slot_ps: u64,
    latest: Slot,
    started: Instant,
}

impl Clock {
    /// With slots of this length, which is not zero.
    #[allow(clippy::disallowed_methods, reason = "hosts are real here, and so is time")]
    pub fn new(slot: Span) -> Clock {
        Clock { slot_ps: slot.as_ps(), latest: Slot(0), started: Instant::now() }
    }

    /// The slot that it is, and how long it still lasts.
    #[allow(clippy::disallowed_methods, reason = "hosts are real here, and so is time")]
    pub fn slot(&mut self) -> (Slot, Duration) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let (slot, left) = slot_at(since, self.slot_ps);
        if slot < self.latest {
            return (self.latest, Duration::from_nanos(self.slot_ps / 1000));
        }
        self.latest = slot;
        (slot, left)
    }

    /// How long ago it was made: for measuring how long something took.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

/// The slot of an instant, and how long it still lasts then, rounded up to a nanosecond.
fn slot_at(since: Duration, slot_ps: u64) -> (Slot, Duration) {
    let ps = since.as_nanos() * 1000;
    let (number, into) = (ps / u128::from(slot_ps), ps % u128::from(slot_ps));
    let left = (u128::from(slot_ps) - into).div_ceil(1000);
    (Slot(number as u64), Duration::from_nanos(left as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_counted_from_1970() {
        let slot_ps = 1_810_240;
        let (slot, left) = slot_at(Duration::from_nanos(1_810 * 1000 + 1000), slot_ps);
        assert_eq!((slot, left), (Slot(1000), Duration::from_nanos(1811 - 760)));
        assert_eq!(slot_at(Duration::from_micros(300), 100_000_000), (Slot(3), Duration::from_micros(100)));
        // In the year 2100, with the shortest slots: far from the end of 64 bits.
        assert_eq!(slot_at(Duration::from_secs(4_102_444_800), 100_000).0, Slot(41_024_448_000_000_000));
    }
}
