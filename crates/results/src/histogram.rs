//! Log-linear histograms: fixed relative precision, constant memory, exact counts.

/// Counts of whole numbers in bins whose width is at most `1 / 2^precision` of their lower bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    precision: u32,
    counts: Vec<u64>,
    total: u64,
}

impl Histogram {
    /// An empty histogram; `precision` 5 gives bins 3 % wide, 8 gives 0.4 %.
    pub fn new(precision: u32) -> Histogram {
        Histogram { precision, counts: Vec::new(), total: 0 }
    }

    /// The bin of a value. Values below `2^precision` have a bin each; above, each power of two has `2^precision` bins.
    #[inline]
    fn bin(&self, value: u64) -> usize {
        let bits = self.precision;
        let octave = (64 - value.leading_zeros()).saturating_sub(bits + 1);
        ((u64::from(octave) << bits) + (value >> octave)) as usize
    }

    /// Smallest value of a bin.
    fn lower(&self, bin: usize) -> u64 {
        let bits = self.precision;
        let octave = (bin >> bits).saturating_sub(1);
        ((bin - (octave << bits)) as u64) << octave
    }

    /// Counts a value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.record_times(value, 1);
    }

    /// Counts a value so many times.
    #[inline]
    pub fn record_times(&mut self, value: u64, times: u64) {
        let bin = self.bin(value);
        if bin >= self.counts.len() {
            self.counts.resize(bin + 1, 0);
        }
        self.counts[bin] += times;
        self.total += times;
    }

    /// Values counted.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Bins that hold any: smallest value, upper bound (exclusive; the last bin of all ends at 2^64 - 1), count.
    pub fn bins(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        let filled = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        filled.map(|(bin, count)| {
            let width = 1_u64 << (bin >> self.precision).saturating_sub(1);
            (self.lower(bin), self.lower(bin).saturating_add(width), *count)
        })
    }

    /// The smallest value that at least `fraction` of the values do not exceed, to the precision: the middle of its bin.
    /// `None` if nothing was counted.
    pub fn quantile(&self, fraction: f64) -> Option<u64> {
        self.at_rank(self.rank(fraction))
    }

    /// The same, and whether it would be larger if the values that `others` has not got as well were all without bound. `others` has some of
    /// the same values, at the same precision.
    pub fn quantile_and_bound(&self, fraction: f64, others: &Histogram) -> Option<(u64, bool)> {
        let rank = self.rank(fraction);
        let value = self.at_rank(rank)?;
        Some((value, others.at_rank(rank) != Some(value)))
    }

    /// The place of a quantile among the values in their order, from 1.
    fn rank(&self, fraction: f64) -> u64 {
        ((fraction * self.total as f64).ceil() as u64).clamp(1, self.total.max(1))
    }

    /// The value at a place, to the precision; `None` if there are fewer values.
    fn at_rank(&self, rank: u64) -> Option<u64> {
        let mut seen = 0;
        self.bins().find_map(|(lower, upper, count)| {
            seen += count;
            (seen >= rank).then(|| lower + (upper - lower - 1) / 2)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_value_lies_in_its_bin_and_the_bin_is_narrow(value in any::<u64>(), precision in 1_u32..10) {
            let mut histogram = Histogram::new(precision);
            // The last bins of all would need a vector of their own size.
            let value = value >> 8;
            histogram.record(value);
            let (lower, upper, count) = histogram.bins().next().unwrap();
            prop_assert!(lower <= value && value < upper && count == 1);
            prop_assert!(upper - lower == 1 || (upper - lower) << precision <= lower);
        }

        #[test]
        fn quantiles_are_those_of_the_sorted_values(mut values in prop::collection::vec(0_u64..1_000_000, 1..300), q in 0.0_f64..1.0) {
            let mut histogram = Histogram::new(8);
            values.iter().for_each(|value| histogram.record(*value));
            values.sort_unstable();
            let exact = values[((q * values.len() as f64).ceil() as usize).clamp(1, values.len()) - 1];
            let found = histogram.quantile(q).unwrap();
            prop_assert!(found.abs_diff(exact) as f64 <= exact as f64 / 256.0, "{} for {}", found, exact);
        }
    }

    #[test]
    fn a_quantile_is_a_bound_if_what_is_unknown_could_change_it() {
        // Nine values are known, the tenth is at least 3: it could be anywhere above.
        let (mut all, mut known) = (Histogram::new(8), Histogram::new(8));
        (1..10).for_each(|value| known.record(value));
        (1..10).chain([3]).for_each(|value| all.record(value));
        // 1 2 3 3 4 5 ...: the third is 3 wherever the unknown one is, from the fourth on it counts.
        assert_eq!(all.quantile_and_bound(0.3, &known), Some((3, false)));
        assert_eq!(all.quantile_and_bound(0.4, &known), Some((3, true)));
        assert_eq!(all.quantile_and_bound(0.99, &known), Some((9, true)));
        assert_eq!(known.quantile_and_bound(0.99, &known), Some((9, false)));
        assert_eq!(Histogram::new(8).quantile_and_bound(0.5, &Histogram::new(8)), None);
    }

    #[test]
    fn nothing_has_no_quantile() {
        assert_eq!(Histogram::new(5).quantile(0.5), None);
    }
}
