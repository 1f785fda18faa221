//! How many flows a host starts at once.

use crate::error::Problem;
use crate::prose;
use engine::Stream;

/// Sizes of bursts, as points of their cumulative distribution: this fraction of bursts has at most so many flows. Between two points every number
/// of flows above the first one's and up to the second one's comes alike; below the first point, every number from 1 on.
#[derive(Debug, Clone, PartialEq)]
pub struct Bursts {
    /// Fraction of bursts, and their flows, both rising; the last fraction is 1.
    pub points: Vec<(f64, u32)>,
}

impl Bursts {
    /// # Errors
    /// If the points are no distribution.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        let mut before = (0.0, 0);
        for &(fraction, flows) in &self.points {
            let rises = fraction.is_finite() && fraction > before.0 && flows > before.1;
            if !rises {
                return Err(Problem::BurstsFall { fraction, flows });
            }
            before = (fraction, flows);
        }
        match self.points.last() {
            None => Err(Problem::Nothing { key: "burst" }),
            Some((fraction, _)) if *fraction != 1.0 => Err(Problem::BurstsEnd { fraction: *fraction }),
            Some(_) => Ok(()),
        }
    }

    /// Points with what lies below each.
    fn steps(&self) -> impl Iterator<Item = ((f64, u32), (f64, u32))> + '_ {
        std::iter::once((0.0, 0)).chain(self.points.iter().copied()).zip(self.points.iter().copied())
    }

    /// Flows of a burst on average.
    pub(crate) fn mean(&self) -> f64 {
        self.steps().map(|((from, least), (to, most))| (to - from) * f64::from(least + 1 + most) / 2.0).sum()
    }

    /// Flows of one burst.
    pub(crate) fn sample(&self, stream: &mut Stream) -> u32 {
        let unit = stream.unit();
        let step = self.steps().find(|(_, (to, _))| unit < *to);
        let ((_, least), (_, most)) = step.expect("the last fraction is 1, and a draw is below");
        least + 1 + stream.below(u64::from(most - least)) as u32
    }

    /// In words.
    pub(crate) fn describe(&self) -> String {
        let most = self.points.last().map_or(1, |(_, flows)| *flows);
        format!("in bursts of 1 to {most} flows, {} on average", prose::number(self.mean()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Seed;

    #[test]
    fn bursts_are_as_long_as_the_points_say() {
        let bursts = Bursts { points: vec![(0.9, 2), (0.99, 39), (1.0, 200)] };
        assert_eq!(bursts.check(), Ok(()));
        // 0.9 of 1.5, 0.09 of 21, 0.01 of 120.
        assert!((bursts.mean() - 4.44).abs() < 1e-12);
        let mut stream = Seed(1).stream("test", 0);
        let draws: Vec<u32> = (0..100_000).map(|_| bursts.sample(&mut stream)).collect();
        let part = |most: u32| draws.iter().filter(|flows| **flows <= most).count() as f64 / draws.len() as f64;
        assert!((part(1) - 0.45).abs() < 0.01 && (part(2) - 0.9).abs() < 0.005 && (part(39) - 0.99).abs() < 0.002);
        assert_eq!(draws.iter().min(), Some(&1));
        assert!(draws.iter().all(|flows| *flows <= 200));
        let mean = draws.iter().map(|flows| f64::from(*flows)).sum::<f64>() / draws.len() as f64;
        assert!((mean - 4.44).abs() < 0.15, "{mean}");
    }

    #[test]
    fn points_that_are_no_distribution_are_refused() {
        let refusal = |points: &[(f64, u32)]| Bursts { points: points.to_vec() }.check().unwrap_err().to_string();
        assert_eq!(refusal(&[]), "`burst` is empty");
        assert_eq!(
            refusal(&[(0.5, 2), (0.4, 3)]),
            "`burst`: the point of 0.4 and 3 flows is not above the one before it; fractions and numbers of flows must both rise"
        );
        assert_eq!(
            refusal(&[(0.0, 2)]),
            "`burst`: the point of 0 and 2 flows is not above the one before it; fractions and numbers of flows must both rise"
        );
        assert_eq!(refusal(&[(0.9, 2)]), "`burst`: its last point is at 0.9 of all bursts; it must be at 1");
    }
}
