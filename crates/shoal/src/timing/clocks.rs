//! Clocks that are set to a master's from time to time, and drift from it in between.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Span, Time};

/// Parts per billion in one.
const BILLION: i128 = 1_000_000_000;

/// The clock of a node or a switch, against the master's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Clock {
    /// How far it is ahead of the master's just after it was set, in picoseconds; behind if negative. Draw it within the precision of
    /// the protocol: below 50 ps for WhiteRabbit (§3.4), within one cycle of 6.4 ns for the prototype's DTP (§6.1).
    pub offset: i64,
    /// How much faster than the master's it runs when left to itself, in parts per billion; slower if negative.
    pub drift: i32,
}

impl Clock {
    /// How far it is ahead of the master's after it has run by itself for so long, to the nearest picosecond.
    pub fn ahead(self, alone: Span) -> i64 {
        let ahead = self.ahead_by_billions(alone);
        let rounded = (ahead + BILLION / 2).div_euclid(BILLION);
        rounded.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
    }

    fn ahead_by_billions(self, alone: Span) -> i128 {
        i128::from(self.offset) * BILLION + i128::from(self.drift) * i128::from(alone.as_ps())
    }
}

/// Where clocks get their frequency from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Frequency {
    /// From the master, over the links: clocks drift only while there is none.
    // §3.4, "frequency synchronization": SyncE, as WhiteRabbit, or a wire of its own.
    Distributed,
    /// From an oscillator each: clocks drift from one setting to the next.
    Own,
}

/// When clocks are set to the master's, and when there is no master.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timekeeping {
    /// From one setting to the next.
    pub interval: Span,
    /// What clocks do in between.
    pub frequency: Frequency,
    /// From a master's failure until another has taken over and has set all clocks, in order, none inside another; `None` for never.
    /// Settings are counted from a takeover on. What clocks were set to at the instant of a failure counts.
    pub masterless: Vec<(Time, Option<Time>)>,
}

impl Timekeeping {
    /// For how long a clock has run by itself at `at`.
    ///
    /// # Panics
    /// If the interval is zero.
    pub fn alone(&self, at: Time) -> Span {
        let mut began = Time::ZERO;
        let mut failed = None;
        for &(from, until) in self.masterless.iter().filter(|gap| gap.0 <= at) {
            match until.filter(|&until| until <= at) {
                Some(until) => began = until,
                None => failed = Some(from),
            }
        }
        match self.frequency {
            Frequency::Distributed => failed.map_or(Span::ZERO, |failed| at.since(failed)),
            Frequency::Own => {
                let governed = failed.unwrap_or(at).since(began).as_ps();
                at.since(began + self.interval * (governed / self.interval.as_ps()))
            }
        }
    }
}

/// How long clocks may run by themselves until a cell between some two of them is `tolerance` early or late, if propagation makes
/// up to `deviation` of that: how soon another master must have taken over (§3.5). `None` if that never happens; zero if it is so from the
/// start.
///
/// `clocks` are those of all nodes and switches. For fewer than two nothing happens. O(clocks), some 64 times.
pub fn holdover(tolerance: Span, deviation: Span, clocks: &[Clock]) -> Option<Span> {
    let allowed = (i128::from(tolerance.as_ps()) - i128::from(deviation.as_ps())) * BILLION;
    // The furthest ahead against the furthest behind. Once they are too far apart they stay so: the difference is convex in time, and
    // where it begins within what is allowed it can leave it only once.
    let holds = |alone: u64| {
        let ahead = clocks.iter().map(|clock| clock.ahead_by_billions(Span::from_ps(alone)));
        let (least, most) = ahead.fold((i128::MAX, i128::MIN), |(least, most), one| (least.min(one), most.max(one)));
        clocks.len() < 2 || most - least <= allowed
    };
    if !holds(0) {
        return Some(Span::ZERO);
    }
    if holds(u64::MAX) {
        return None;
    }
    let (mut good, mut bad) = (0, u64::MAX);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if holds(middle) { good = middle } else { bad = middle }
    }
    Some(Span::from_ps(good))
}
