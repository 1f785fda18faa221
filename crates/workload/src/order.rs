//! Permutations: whole ones in memory, and one that needs none.

use engine::{Stream, mix};

/// A random derangement of 0..n: `to[i]` is never `i`. Each is equally likely.
///
/// # Panics
/// In debug builds, if `n` is 1: there is none.
pub(crate) fn derangement(n: u32, stream: &mut Stream) -> Vec<u32> {
    debug_assert_ne!(n, 1, "one host alone cannot be deranged");
    let mut to: Vec<u32> = (0..n).collect();
    // One shuffle in e has no fixed point, whatever n is, and those that have none are evenly distributed.
    loop {
        stream.shuffle(&mut to);
        if (0..n).zip(&to).all(|(from, to)| from != *to) {
            return to;
        }
    }
}

/// `count` different numbers below `n`, in random order, in memory of `count` (Floyd's algorithm, then a shuffle).
///
/// # Panics
/// In debug builds, if there are not so many.
pub(crate) fn sample(n: u32, count: u32, stream: &mut Stream) -> Vec<u32> {
    debug_assert!(count <= n, "{count} of {n}");
    let mut chosen = std::collections::BTreeSet::new();
    for last in n - count..n {
        let pick = stream.below(u64::from(last) + 1) as u32;
        if !chosen.insert(pick) {
            chosen.insert(last);
        }
    }
    let mut chosen: Vec<u32> = chosen.into_iter().collect();
    stream.shuffle(&mut chosen);
    chosen
}

/// A random permutation of 0..n that is computed where it is asked for: four rounds of a Feistel network over the smallest
/// even number of bits that hold n, walked until it lands below n (less than four steps on average).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scatter {
    n: u64,
    half: u32,
    keys: [u64; 4],
}

impl Scatter {
    pub(crate) fn new(n: u64, stream: &mut Stream) -> Scatter {
        let bits = u64::BITS - n.saturating_sub(1).leading_zeros();
        Scatter { n, half: bits.div_ceil(2).max(1), keys: std::array::from_fn(|_| stream.bits()) }
    }

    /// Where `at` goes.
    pub(crate) fn get(&self, at: u64) -> u64 {
        debug_assert!(at < self.n);
        let mask = (1 << self.half) - 1;
        let mut value = at;
        loop {
            let (mut left, mut right) = (value >> self.half, value & mask);
            for key in self.keys {
                (left, right) = (right, left ^ (mix(right ^ key) & mask));
            }
            value = left << self.half | right;
            if value < self.n {
                return value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Seed;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn derangements_move_everyone(n in 2_u32..200, seed in any::<u64>()) {
            let mut to = derangement(n, &mut Seed(seed).stream("test", 0));
            prop_assert!((0..n).zip(&to).all(|(from, to)| from != *to));
            to.sort_unstable();
            prop_assert_eq!(to, (0..n).collect::<Vec<_>>());
        }

        #[test]
        fn samples_are_different(n in 1_u32..200, part in 0.0..=1.0_f64, seed in any::<u64>()) {
            let count = (f64::from(n) * part) as u32;
            let mut chosen = sample(n, count, &mut Seed(seed).stream("test", 0));
            chosen.sort_unstable();
            chosen.dedup();
            prop_assert_eq!(chosen.len(), count as usize);
            prop_assert!(chosen.iter().all(|host| *host < n));
        }

        #[test]
        fn scatter_is_a_permutation(n in 1_u64..500, seed in any::<u64>()) {
            let scatter = Scatter::new(n, &mut Seed(seed).stream("test", 0));
            let mut to: Vec<u64> = (0..n).map(|at| scatter.get(at)).collect();
            to.sort_unstable();
            prop_assert_eq!(to, (0..n).collect::<Vec<_>>());
        }
    }

    /// Chi squared of counts that should be alike: about their number less one, and rarely above that plus five deviations.
    fn even(counts: &[u32]) {
        let mean = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
        let chi: f64 = counts.iter().map(|count| (f64::from(*count) - mean).powi(2) / mean).sum();
        let freedom = counts.len() as f64 - 1.0;
        assert!(chi < freedom + 5.0 * (2.0 * freedom).sqrt(), "{counts:?}");
    }

    #[test]
    fn every_derangement_of_four_is_as_likely() {
        let mut counts = std::collections::BTreeMap::<Vec<u32>, u32>::new();
        for index in 0..9000 {
            *counts.entry(derangement(4, &mut Seed(5).stream("test", index))).or_default() += 1;
        }
        assert_eq!(counts.len(), 9);
        even(&counts.into_values().collect::<Vec<_>>());
    }

    #[test]
    fn every_sample_and_every_place_is_as_likely() {
        let (mut first, mut scattered) = (vec![0; 10], vec![0; 11]);
        for index in 0..11_000 {
            first[sample(10, 3, &mut Seed(5).stream("test", index))[0] as usize] += 1;
            scattered[Scatter::new(11, &mut Seed(6).stream("test", index)).get(3) as usize] += 1;
        }
        even(&first);
        even(&scattered);
    }
}
