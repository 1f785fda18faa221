//! How long flows are.
//!
//! Every distribution states its mean, because load is offered bytes and nothing else fixes them: one public "web search"
//! file means 0.99, 1.71 or 2.43 MB depending on how one reads between its points ([`Interpolation`]), and a Pareto
//! distribution of shape 1.05 loses half its mean to a bound of 1 GiB.

mod cdf;
mod cdf_file;
mod pareto;
mod published;
mod tables;

pub use cdf::{Cdf, CdfError, Interpolation, PACKET};
pub use cdf_file::{CdfFileError, CdfProblem, CdfUnit, parse_cdf, read_cdf};
pub use published::{PUBLISHED, Published, UnknownSizes, published};

use crate::prose;
use engine::Stream;
use std::fmt;
use units::Bytes;

/// Where NetBench bounds its Pareto flow sizes (`ParetoFSD.java`), and so do we unless told otherwise.
pub const PARETO_BOUND: Bytes = Bytes::new(1 << 30);

/// A distribution of flow sizes. What is drawn is rounded to whole bytes and is never less than one.
#[derive(Debug, Clone, PartialEq)]
pub enum Sizes {
    /// All alike.
    Fixed(Bytes),
    /// Exponential.
    Exponential {
        /// Mean before rounding.
        mean: Bytes,
    },
    /// Every size from `min` to `max`, both included, equally likely.
    Uniform {
        /// Smallest.
        min: Bytes,
        /// Largest.
        max: Bytes,
    },
    /// Pareto: the probability of more than `x` is (scale / x)^shape, where scale = mean (shape − 1) / shape; what would
    /// be larger than `bound` becomes `bound`.
    Pareto {
        /// Above 1, or there is no mean.
        shape: f64,
        /// Mean without the bound, as papers give it.
        mean: Bytes,
        /// Largest size; [`PARETO_BOUND`] unless told otherwise, [`Bytes::MAX`] for none.
        bound: Bytes,
    },
    /// Between the points of a cumulative distribution.
    Cdf(Cdf),
}

/// What is wrong with a distribution.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SizesError {
    /// Nothing to send.
    #[error("a flow has at least 1 B, and this one has none")]
    Zero,
    /// Uniform between wrong ends.
    #[error("the smallest size, {min}, is above the largest, {max}")]
    Reversed {
        /// Smallest.
        min: Bytes,
        /// Largest.
        max: Bytes,
    },
    /// No finite mean.
    #[error("a Pareto distribution of shape {shape} has no mean; the shape must be above 1")]
    Shape {
        /// What was given.
        shape: f64,
    },
    /// The bound cuts everything off.
    #[error(
        "the bound {bound} is below the smallest flow of this Pareto distribution, {smallest}; give a larger bound or a \
         smaller mean"
    )]
    Bound {
        /// What was given.
        bound: Bytes,
        /// The scale of the distribution, in words.
        smallest: String,
    },
}

impl Sizes {
    /// Whether it can be drawn from.
    ///
    /// # Errors
    /// Zero sizes, ends in the wrong order, a Pareto shape without a mean or a bound below its scale.
    pub fn check(&self) -> Result<(), SizesError> {
        match *self {
            Sizes::Fixed(size) | Sizes::Exponential { mean: size } | Sizes::Uniform { min: size, .. }
                if size == Bytes::ZERO =>
            {
                Err(SizesError::Zero)
            }
            Sizes::Uniform { min, max } if min > max => Err(SizesError::Reversed { min, max }),
            Sizes::Pareto { shape, mean, bound } => pareto::check(shape, mean, bound),
            Sizes::Fixed(_) | Sizes::Exponential { .. } | Sizes::Uniform { .. } | Sizes::Cdf(_) => Ok(()),
        }
    }

    /// Mean in bytes, in closed form, with the bound if there is one. Rounding to whole bytes, at least one, moves it by
    /// less than a byte.
    pub fn mean(&self) -> f64 {
        match self {
            Sizes::Fixed(size) => size.get() as f64,
            Sizes::Exponential { mean } => mean.get() as f64,
            Sizes::Uniform { min, max } => (min.get() as f64 + max.get() as f64) / 2.0,
            Sizes::Pareto { shape, mean, bound } => pareto::bounded_mean(*shape, *mean, *bound),
            Sizes::Cdf(cdf) => cdf.mean(),
        }
    }

    /// One size: the inverse of the distribution at a uniform random number.
    pub fn sample(&self, stream: &mut Stream) -> Bytes {
        match self {
            Sizes::Fixed(size) => *size,
            Sizes::Exponential { mean } => whole(stream.exponential(mean.get() as f64)),
            Sizes::Uniform { min, max } => match (max.get() - min.get()).checked_add(1) {
                Some(ways) => Bytes::new(min.get() + stream.below(ways)),
                None => whole(stream.bits() as f64),
            },
            Sizes::Pareto { shape, mean, bound } => pareto::quantile(*shape, *mean, *bound, stream.unit()),
            Sizes::Cdf(cdf) => cdf.quantile(stream.unit()),
        }
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sizes::Fixed(size) => write!(f, "{size} each"),
            Sizes::Exponential { mean } => write!(f, "exponential sizes, mean {mean}"),
            Sizes::Uniform { min, max } => write!(f, "{min} to {max}, mean {}", prose::bytes(self.mean())),
            Sizes::Pareto { shape, mean, bound } if *bound == Bytes::MAX => {
                write!(f, "Pareto sizes of shape {shape}, mean {mean}, without bound")
            }
            Sizes::Pareto { shape, mean, bound } => write!(
                f,
                "Pareto sizes of shape {shape}, mean {} bounded at {} ({mean} without the bound)",
                prose::bytes(self.mean()),
                prose::bytes(bound.get() as f64)
            ),
            Sizes::Cdf(cdf) => write!(f, "{cdf}"),
        }
    }
}

/// Rounded to whole bytes, at least one.
fn whole(bytes: f64) -> Bytes {
    Bytes::new((bytes.round() as u64).max(1))
}

#[cfg(test)]
mod tests;
