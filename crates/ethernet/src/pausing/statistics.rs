//! What a user of pauses looks for: how long which link was paused, how many at once (a pause storm), and which frames a pause held though the way on from
//! there was free (head-of-line blocking).

use units::{Span, Time};

/// Of all ports, since the measurement began.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Statistics {
    /// Links with a class that is paused now, and the most that there were at once.
    now: u32,
    pub(super) most: u32,
    /// Their number summed over time, in picoseconds, up to `counted`; and what of that was sampled, and when.
    area: u128,
    counted: Time,
    sampled: u128,
    last: Time,
    /// Frames that a pause had held when they left; and those of them that could have gone on from the far end of the link.
    pub(super) held: u64,
    pub(super) victims: u64,
}

impl Statistics {
    /// There are so many more, or fewer.
    pub(super) fn shift(&mut self, now: Time, by: i32) {
        self.count(now);
        self.now = self.now.saturating_add_signed(by);
        self.most = self.most.max(self.now);
    }

    fn count(&mut self, now: Time) {
        self.area += u128::from(self.now) * u128::from(now.since(self.counted).as_ps());
        self.counted = self.counted.max(now);
    }

    /// A frame leaves that a pause had held.
    pub(crate) fn hold(&mut self, is_victim: bool) {
        self.held += 1;
        self.victims += u64::from(is_victim);
    }

    /// The mean number of paused links since the last call.
    pub(crate) fn sample(&mut self, now: Time) -> f64 {
        self.count(now);
        let (area, time) = (self.area - self.sampled, now.since(self.last).as_ps());
        (self.sampled, self.last) = (self.area, now);
        if time == 0 { f64::from(self.now) } else { area as f64 / time as f64 }
    }

    pub(super) fn begin_measurement(&mut self, now: Time) {
        self.count(now);
        (self.most, self.held, self.victims) = (self.now, 0, 0);
    }
}

/// Pauses of one port, of all its classes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PortPauses {
    /// How many began.
    pub count: u64,
    /// How long they were in all, and the longest.
    pub time: Span,
    pub longest: Span,
}

impl PortPauses {
    pub(super) const NONE: PortPauses = PortPauses { count: 0, time: Span::ZERO, longest: Span::ZERO };

    pub(super) fn begin(&mut self) {
        self.count += 1;
    }

    pub(super) fn end(&mut self, length: Span) {
        *self = self.with_open(length);
    }

    /// With one more, which has been as long so far.
    pub(super) fn with_open(self, length: Span) -> PortPauses {
        PortPauses { time: self.time + length, longest: self.longest.max(length), ..self }
    }
}
