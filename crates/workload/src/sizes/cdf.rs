//! Flow sizes from the points of a cumulative distribution.

use super::whole;
use crate::prose;
use std::fmt;
use std::str::FromStr;
use units::Bytes;

/// What the sizes are between two points (a, p) and (b, q) of a cumulative distribution: a fraction q − p of all flows have
/// sizes from a to b, and the file does not say which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpolation {
    /// They all have size b: the points are the only sizes there are, as the definition of a cumulative distribution has
    /// it, and Homa's files.
    Step,
    /// They all have size a: the lower bound that NetBench offers.
    StepDown,
    /// Every size from a to b alike: size is linear in probability. What most simulators do.
    Linear,
    /// The logarithm of size is linear in probability: a straight line in the usual plot with a logarithmic size axis. A
    /// size of 0 counts as 1 byte.
    LogLinear,
    /// As `Linear`, rounded up to whole packets of [`PACKET`]: what YAPS draws from its files, which count packets
    /// (NetSys/simulator, `coresim/random_variable.cpp`, `EmpiricalRandomVariable`).
    LinearPackets,
}

/// Payload of a packet of YAPS (NetSys/simulator).
pub const PACKET: Bytes = Bytes::new(1460);

impl Interpolation {
    /// All of them, with the names they have in files.
    pub const NAMES: [(&'static str, Interpolation); 5] = [
        ("linear", Interpolation::Linear),
        ("step", Interpolation::Step),
        ("step-down", Interpolation::StepDown),
        ("log-linear", Interpolation::LogLinear),
        ("linear-packets", Interpolation::LinearPackets),
    ];
}

impl fmt::Display for Interpolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Interpolation::Linear => "linear",
            Interpolation::Step => "step",
            Interpolation::StepDown => "step-down",
            Interpolation::LogLinear => "log-linear",
            Interpolation::LinearPackets => "linear-packets",
        })
    }
}

impl FromStr for Interpolation {
    type Err = String;
    fn from_str(text: &str) -> Result<Interpolation, String> {
        Interpolation::NAMES.iter().find(|(name, _)| *name == text).map(|(_, it)| *it).ok_or_else(|| {
            let near = settings::nearest(text, Interpolation::NAMES.map(|(name, _)| name));
            format!(
                "there is no interpolation `{text}`{}; there are linear, step, step-down, log-linear and linear-packets",
                prose::did_you_mean(near)
            )
        })
    }
}

/// A cumulative distribution of flow sizes by its points, smallest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Cdf {
    name: String,
    points: Vec<(u64, f64)>,
    interpolation: Interpolation,
}

/// Why points are not a cumulative distribution. `point` counts from 1.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CdfError {
    /// No points at all.
    #[error("there are no points; a cumulative distribution has at least one: its largest size, with probability 1")]
    Empty,
    /// Not between 0 and 1 (or 100).
    #[error("the cumulative probability {value} is not between 0 and {total}")]
    NotAProbability {
        /// Which point.
        point: usize,
        /// What it says.
        value: f64,
        /// 1, or 100 for percent.
        total: f64,
    },
    /// Sizes in the wrong order.
    #[error("the size {bytes} is below the one before it, {before}; sizes must not fall")]
    SizesFall {
        /// Which point.
        point: usize,
        /// Its size.
        bytes: u64,
        /// The size of the point before.
        before: u64,
    },
    /// Probabilities in the wrong order.
    #[error("the cumulative probability {value} is below the one before it, {before}; it must not fall")]
    ProbabilitiesFall {
        /// Which point.
        point: usize,
        /// Its probability.
        value: f64,
        /// The probability of the point before.
        before: f64,
    },
    /// Some flows have no size.
    #[error("the last cumulative probability is {value}; it must be 1 (or 100, in percent)")]
    LastNotOne {
        /// Which point.
        point: usize,
        /// Its probability.
        value: f64,
    },
    /// Nothing to send.
    #[error("the largest size is 0 B; a flow has at least 1 B")]
    Zero {
        /// Which point.
        point: usize,
    },
}

impl CdfError {
    /// The point it is about, from 1.
    pub fn point(&self) -> Option<usize> {
        match *self {
            CdfError::Empty => None,
            CdfError::NotAProbability { point, .. }
            | CdfError::SizesFall { point, .. }
            | CdfError::ProbabilitiesFall { point, .. }
            | CdfError::LastNotOne { point, .. }
            | CdfError::Zero { point } => Some(point),
        }
    }
}

/// Whether `points` rise to `total`.
pub(super) fn check(points: &[(u64, f64)], total: f64) -> Result<(), CdfError> {
    let mut before: Option<(u64, f64)> = None;
    for (point, &(bytes, value)) in (1..).zip(points) {
        if !(0.0..=total).contains(&value) {
            return Err(CdfError::NotAProbability { point, value, total });
        }
        if let Some((before, _)) = before.filter(|(before, _)| *before > bytes) {
            return Err(CdfError::SizesFall { point, bytes, before });
        }
        if let Some((_, before)) = before.filter(|(_, before)| *before > value) {
            return Err(CdfError::ProbabilitiesFall { point, value, before });
        }
        before = Some((bytes, value));
    }
    let point = points.len();
    match before {
        None => Err(CdfError::Empty),
        Some((_, value)) if value != total => Err(CdfError::LastNotOne { point, value }),
        Some((0, _)) => Err(CdfError::Zero { point }),
        Some(_) => Ok(()),
    }
}

impl Cdf {
    /// The distribution with these points: a size in bytes and the fraction of flows that are no larger. A first point
    /// with a fraction above 0 means that this many flows have exactly its size.
    ///
    /// # Errors
    /// Points that do not rise to 1.
    pub fn new(
        name: impl Into<String>,
        points: Vec<(u64, f64)>,
        interpolation: Interpolation,
    ) -> Result<Cdf, CdfError> {
        check(&points, 1.0)?;
        Ok(Cdf { name: name.into(), points, interpolation })
    }

    /// Sizes in bytes and the fractions of flows that are no larger.
    pub fn points(&self) -> &[(u64, f64)] {
        &self.points
    }

    /// How sizes between the points are read.
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// Mean in bytes, in closed form.
    pub fn mean(&self) -> f64 {
        let first = self.points[0];
        let pieces = self.points.windows(2).map(|ends| {
            let ((low, before), (high, after)) = (ends[0], ends[1]);
            (after - before) * mean_between(low as f64, high as f64, self.interpolation)
        });
        let exactly = mean_between(first.0 as f64, first.0 as f64, self.interpolation);
        first.1 * exactly + pieces.sum::<f64>()
    }

    /// The size of flows of which a point says that they have exactly this.
    fn exactly(&self, bytes: u64) -> Bytes {
        let bytes = bytes as f64;
        whole(if self.interpolation == Interpolation::LinearPackets { packets(bytes) } else { bytes })
    }

    /// The size that a fraction `unit` (0 included, 1 not) of all flows do not exceed, at least one byte.
    pub fn quantile(&self, unit: f64) -> Bytes {
        // The first point that more than `unit` of all flows do not exceed; the last has them all.
        let above = self.points.partition_point(|(_, fraction)| *fraction <= unit);
        let Some(&(high, after)) = self.points.get(above) else {
            return self.exactly(self.points[self.points.len() - 1].0);
        };
        let Some(&(low, before)) = above.checked_sub(1).map(|below| &self.points[below]) else {
            return self.exactly(high);
        };
        let (low, high, part) = (low as f64, high as f64, (unit - before) / (after - before));
        whole(match self.interpolation {
            Interpolation::Step => high,
            Interpolation::StepDown => low,
            Interpolation::Linear => low + (high - low) * part,
            Interpolation::LogLinear => {
                let low = low.max(1.0);
                low * libm::pow(high.max(1.0) / low, part)
            }
            Interpolation::LinearPackets => packets(low + (high - low) * part),
        })
    }
}

/// Rounded up to whole packets, at least one.
fn packets(bytes: f64) -> f64 {
    let packet = PACKET.get() as f64;
    (bytes / packet).ceil().max(1.0) * packet
}

/// Sum of [`packets`] of all sizes from 0 to this one: an integral.
fn packets_up_to(bytes: f64) -> f64 {
    let packet = PACKET.get() as f64;
    let whole = (bytes / packet).floor();
    packet * (packet * whole * (whole + 1.0) / 2.0 + (bytes - packet * whole) * (whole + 1.0))
}

/// Mean size of the flows between two points.
fn mean_between(low: f64, high: f64, interpolation: Interpolation) -> f64 {
    match interpolation {
        Interpolation::Step => high.max(1.0),
        Interpolation::StepDown => low.max(1.0),
        Interpolation::Linear => (low + high) / 2.0,
        Interpolation::LogLinear => {
            let (low, high) = (low.max(1.0), high.max(1.0));
            if high > low { (high - low) / libm::log(high / low) } else { low }
        }
        Interpolation::LinearPackets => {
            if high > low {
                (packets_up_to(high) - packets_up_to(low)) / (high - low)
            } else {
                packets(high)
            }
        }
    }
}

impl fmt::Display for Cdf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} sizes ({}), mean {}", self.name, self.interpolation, prose::bytes(self.mean()))
    }
}
