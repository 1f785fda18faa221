//! Pareto flow sizes, with a bound: the tail is so heavy that a few flows in a million carry half the bytes, and no run is
//! long enough to see them.

use super::{SizesError, whole};
use crate::prose;
use units::Bytes;

/// The smallest size, from the mean: mean = scale · shape / (shape − 1).
fn scale(shape: f64, mean: Bytes) -> f64 {
    mean.get() as f64 * (shape - 1.0) / shape
}

pub(super) fn check(shape: f64, mean: Bytes, bound: Bytes) -> Result<(), SizesError> {
    if mean == Bytes::ZERO || bound == Bytes::ZERO {
        return Err(SizesError::Zero);
    }
    if !(shape.is_finite() && shape > 1.0) {
        return Err(SizesError::Shape { shape });
    }
    let smallest = scale(shape, mean);
    if (bound.get() as f64) < smallest {
        return Err(SizesError::Bound { bound, smallest: prose::bytes(smallest) });
    }
    Ok(())
}

/// E[min(X, bound)] = mean − scale^shape · bound^(1 − shape) / (shape − 1).
pub(super) fn bounded_mean(shape: f64, mean: Bytes, bound: Bytes) -> f64 {
    let scale = scale(shape, mean);
    if bound == Bytes::MAX {
        return mean.get() as f64;
    }
    // scale · (scale / bound)^(shape − 1) is the same product without its overflow.
    mean.get() as f64 - scale * libm::pow(scale / bound.get() as f64, shape - 1.0) / (shape - 1.0)
}

/// The size that a fraction `unit` of all flows do not exceed.
pub(super) fn quantile(shape: f64, mean: Bytes, bound: Bytes, unit: f64) -> Bytes {
    // `unit` may be 0 but not 1.
    whole(scale(shape, mean) * libm::pow(1.0 - unit, -1.0 / shape)).min(bound)
}
