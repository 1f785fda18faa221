//! A choice with weights, in constant time (Walker 1977, as built by Vose 1991).

use engine::Stream;

/// Chooses `i` with a probability of `weights[i]` over their sum.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Alias {
    /// Of the draws that land on `i`, this fraction stays; the rest goes to `other[i]`.
    stay: Vec<f64>,
    other: Vec<u32>,
}

impl Alias {
    /// # Panics
    /// In debug builds, if a weight is not above zero or their sum is not finite.
    pub(crate) fn new(weights: &[f64]) -> Alias {
        let total: f64 = weights.iter().sum();
        debug_assert!(total.is_finite() && weights.iter().all(|weight| *weight > 0.0));
        let mut stay: Vec<f64> = weights.iter().map(|weight| weight / total * weights.len() as f64).collect();
        let mut other: Vec<u32> = (0..).take(weights.len()).collect();
        let (mut low, mut high): (Vec<u32>, Vec<u32>) =
            (0..).take(weights.len()).partition(|at| stay[*at as usize] < 1.0);
        while let (Some(rich), Some(poor)) = (high.last().copied(), low.pop()) {
            other[poor as usize] = rich;
            stay[rich as usize] -= 1.0 - stay[poor as usize];
            if stay[rich as usize] < 1.0 {
                high.pop();
                low.push(rich);
            }
        }
        // What is left over is 1 but for rounding, and its `other` is itself.
        Alias { stay, other }
    }

    pub(crate) fn pick(&self, stream: &mut Stream) -> usize {
        let at = stream.below(self.stay.len() as u64) as usize;
        if stream.unit() < self.stay[at] { at } else { self.other[at] as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Seed;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn shares_are_exact(weights in prop::collection::vec(prop_oneof![Just(0.001), 0.01..100.0_f64], 1..50)) {
            let alias = Alias::new(&weights);
            // The probability of each, added up from the table instead of estimated from draws.
            let mut share = vec![0.0; weights.len()];
            for at in 0..weights.len() {
                share[at] += alias.stay[at];
                share[alias.other[at] as usize] += 1.0 - alias.stay[at];
            }
            let total: f64 = weights.iter().sum();
            for (share, weight) in share.iter().zip(&weights) {
                prop_assert!((share / weights.len() as f64 - weight / total).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn draws_follow_the_weights() {
        let alias = Alias::new(&[1.0, 3.0]);
        let mut stream = Seed(1).stream("test", 0);
        let mut counts = [0_i32; 2];
        for _ in 0..40_000 {
            counts[alias.pick(&mut stream)] += 1;
        }
        // Three deviations of a binomial count: 3 * sqrt(40000 * 0.25 * 0.75) = 260.
        assert!((10_000 - counts[0]).abs() < 260, "{counts:?}");
    }
}
