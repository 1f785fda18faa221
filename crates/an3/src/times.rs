//! How often something took how long.

use std::collections::BTreeMap;

/// Nanoseconds that are counted in a row of counters; longer times have a place each.
const SHORT: usize = 1 << 16;

/// Counts of times in whole nanoseconds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Times {
    short: Vec<u64>,
    long: BTreeMap<u64, u64>,
}

impl Times {
    /// Something took so many nanoseconds.
    pub(crate) fn note(&mut self, time: u64) {
        if time >= SHORT as u64 {
            *self.long.entry(time).or_default() += 1;
            return;
        }
        let place = time as usize;
        if self.short.len() <= place {
            self.short.resize((place + 1).next_power_of_two(), 0);
        }
        self.short[place] += 1;
    }

    /// All times that anything took, the shortest first, and how often.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u64, u64)> {
        let short = (0..).zip(&self.short).filter(|(_, count)| **count > 0);
        short.map(|(time, count)| (time, *count)).chain(self.long.iter().map(|(time, count)| (*time, *count)))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_in_order() {
        let mut times = Times::default();
        assert!(times.is_empty());
        for time in [70_000, 3, 65_536, 3, 65_535, 0, 70_000] {
            times.note(time);
        }
        let counts: Vec<_> = times.all().collect();
        assert_eq!(counts, [(0, 1), (3, 2), (65_535, 1), (65_536, 1), (70_000, 2)]);
    }
}
