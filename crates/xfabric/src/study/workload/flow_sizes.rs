//! Sizes of flows in the production cluster (§6.5).

use engine::Stream;

/// Half of all flows are no larger than this, in bytes: the flows below the median are at most 365 KB (§6.5).
pub(super) const MEDIAN: f64 = 365e3;
/// The mean of those below the median, in bytes (§6.5).
pub(super) const MEAN_BELOW_MEDIAN: f64 = 129e3;
/// The mean of all, in bytes (§6.5).
pub(super) const MEAN: f64 = 9.3e6;

/// "A typical heavy tailed distribution with a small number of elephant flows and a high number of mice flows" (§6.5).
///
/// The paper prints no curve, but four facts: the mean of all is 9.3 MB, and the flows below the median are 129 KB on average and 365
/// KB at most. So below the median a size is `365 KB * u^k`, `u` even in 0 to 1, with the `k` that gives 129 KB. Above, it is
/// `365 KB * e^(s |z|)`, `z` normal, with the `s` (2.54) that gives 9.3 MB: the upper half of a log-normal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowSizes {
    exponent: f64,
    spread: f64,
    mice_only: bool,
}

impl FlowSizes {
    /// Mice and elephants.
    pub fn production() -> FlowSizes {
        // The mean of the upper half, in medians: 2 e^(s²/2) Φ(s), which grows with s.
        let wanted = (2.0 * MEAN - MEAN_BELOW_MEDIAN) / MEDIAN;
        let mean = |s: f64| libm::exp(s * s / 2.0) * libm::erfc(-s / std::f64::consts::SQRT_2);
        let (mut low, mut high) = (0.0, 10.0);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if mean(middle) < wanted {
                low = middle;
            } else {
                high = middle;
            }
        }
        FlowSizes { exponent: MEDIAN / MEAN_BELOW_MEDIAN - 1.0, spread: low, mice_only: false }
    }
    /// Only flows below the median (§6.5, Fig 5c "no elephants").
    pub fn mice() -> FlowSizes {
        FlowSizes { mice_only: true, ..FlowSizes::production() }
    }
    /// Mean size in bytes.
    pub fn mean(&self) -> f64 {
        if self.mice_only { MEAN_BELOW_MEDIAN } else { MEAN }
    }
    /// A size in bytes, at least 1.
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        let mouse = self.mice_only || stream.below(2) == 0;
        let size = if mouse {
            MEDIAN * libm::pow(1.0 - stream.unit(), self.exponent)
        } else {
            // Box and Muller.
            let radius = libm::sqrt(-2.0 * libm::log(1.0 - stream.unit()));
            let z = radius * libm::cos(std::f64::consts::TAU * stream.unit());
            MEDIAN * libm::exp(self.spread * z.abs())
        };
        (size.round() as u64).max(1)
    }
}
