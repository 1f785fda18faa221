//! Which bytes of a message have come, in whatever order.

/// Ranges of bytes: ascending, apart.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ranges {
    ranges: Vec<(u64, u64)>,
    total: u64,
}

impl Ranges {
    /// Adds `from..to`, of which some may be there.
    pub(crate) fn add(&mut self, from: u64, to: u64) {
        let first = self.ranges.partition_point(|&(_, end)| end < from);
        let last = self.ranges.partition_point(|&(begin, _)| begin <= to);
        let known = &self.ranges[first..last];
        let held: u64 = known.iter().map(|(begin, end)| end - begin).sum();
        let joined = known.iter().fold((from, to), |(a, b), &(c, d)| (a.min(c), b.max(d)));
        self.total += joined.1 - joined.0 - held;
        if let [only] = &mut self.ranges[first..last] {
            *only = joined; // the usual case
        } else {
            self.ranges.splice(first..last, [joined]);
        }
    }

    /// How many bytes there are before the first that is missing.
    pub(crate) fn contiguous(&self) -> u64 {
        self.ranges.first().filter(|(begin, _)| *begin == 0).map_or(0, |(_, end)| *end)
    }

    /// What there is behind the first that is missing: ascending, apart.
    pub(crate) fn beyond(&self) -> &[(u64, u64)] {
        let first = self.ranges.first().is_some_and(|(begin, _)| *begin == 0);
        &self.ranges[usize::from(first)..]
    }

    /// How many bytes there are.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_hold_what_was_added(added in prop::collection::vec((0_u64..200, 1_u64..30), 0..60)) {
            let mut ranges = Ranges::default();
            let mut bytes = [false; 256];
            for (from, length) in added {
                ranges.add(from, from + length);
                bytes[from as usize..(from + length) as usize].fill(true);
                prop_assert_eq!(ranges.total(), bytes.iter().filter(|byte| **byte).count() as u64);
                prop_assert_eq!(ranges.contiguous(), bytes.iter().take_while(|byte| **byte).count() as u64);
                prop_assert!(ranges.ranges.windows(2).all(|pair| pair[0].1 < pair[1].0));
            }
        }
    }
}
