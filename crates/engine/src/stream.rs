//! Chance, in named streams of one seed.
//!
//! A stream's numbers depend on the seed, its name and an index, and on nothing else: not on which other streams there are,
//! not on who drew first, not on threads. Give every independent choice a stream of its own
//! (`seed.stream("workload.size", flow)`), and adding one never changes another.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

/// The seed of a run, as the experiment file gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// The stream of this `name` and `index`.
    pub fn stream(self, name: &str, index: u64) -> Stream {
        // FNV-1a over the name; SplitMix64 spreads (seed, name, index) over the 256 bits of state.
        let name =
            name.bytes().fold(0xcbf2_9ce4_8422_2325, |h: u64, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        let mixed = mix(mix(self.0 ^ mix(name)).wrapping_add(index));
        Stream(Xoshiro256PlusPlus::seed_from_u64(mixed))
    }
}

/// A well-mixed function of its input: equal in, equal out, and each input bit reaches each output bit.
pub fn mix(value: u64) -> u64 {
    SplitMix64::seed_from_u64(value).next_u64()
}

/// A source of random numbers: xoshiro256++.
#[derive(Debug, Clone)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// Any 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }
    /// A whole number below `bound`, evenly (to within `bound` / 2^64).
    ///
    /// # Panics
    /// In debug builds, if `bound` is zero.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        debug_assert!(bound > 0, "no number is below 0");
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }
    /// A real number in [0, 1), in steps of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }
    /// An exponentially distributed number with this mean: the gap between arrivals of a Poisson process.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -libm::log(1.0 - self.unit()) * mean
    }
    /// A normally distributed number of mean 0 and deviation 1 (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.unit()));
        radius * libm::cos(std::f64::consts::TAU * self.unit())
    }
    /// Puts `items` in a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_depends_on_seed_name_and_index_only() {
        let first = |seed, name, index| Seed(seed).stream(name, index).bits();
        assert_eq!(first(1, "size", 7), first(1, "size", 7));
        let different = [first(1, "size", 7), first(2, "size", 7), first(1, "gap", 7), first(1, "size", 8)];
        for (i, a) in different.iter().enumerate() {
            assert!(!different[i + 1..].contains(a));
        }
    }

    #[test]
    fn means_are_right() {
        let mut stream = Seed(3).stream("test", 0);
        let n = 100_000;
        let unit = (0..n).map(|_| stream.unit()).sum::<f64>() / f64::from(n);
        let exponential = (0..n).map(|_| stream.exponential(4.0)).sum::<f64>() / f64::from(n);
        let below = (0..n).map(|_| stream.below(9) as f64).sum::<f64>() / f64::from(n);
        // Three standard errors: 0.29, 4 and 2.58 over sqrt(n).
        assert!((unit - 0.5).abs() < 0.003, "{unit}");
        assert!((exponential - 4.0).abs() < 0.04, "{exponential}");
        assert!((below - 4.0).abs() < 0.025, "{below}");
        let normal: Vec<f64> = (0..n).map(|_| stream.normal()).collect();
        let mean = normal.iter().sum::<f64>() / f64::from(n);
        let variance = normal.iter().map(|value| value * value).sum::<f64>() / f64::from(n);
        let beyond = normal.iter().filter(|value| **value > 2.0).count() as f64 / f64::from(n);
        // Standard errors are 1, 1.42 and 0.15 over sqrt(n).
        let is_normal = mean.abs() < 0.01 && (variance - 1.0).abs() < 0.014 && (beyond - 0.02275).abs() < 0.0015;
        assert!(is_normal, "{mean} {variance} {beyond}");
    }

    #[test]
    fn a_shuffle_keeps_every_item() {
        let mut items: Vec<u32> = (0..100).collect();
        Seed(1).stream("test", 0).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
