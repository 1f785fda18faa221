//! How the controller estimates the demand: what SoCs count, averaged over periods (§4.1).

use super::{Demand, DemandError, External, MOST_BYTES, index};

/// What one SoC counted since it last reported (§4.1), in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DemandVector {
    /// Sent to each SoC of the rack.
    pub internal: Vec<u64>,
    /// Sent out of the rack: `T_i`.
    pub sent: u64,
    /// Received from outside: `T_e`.
    pub received: u64,
}

/// Why a report does not count.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EstimateError {
    /// The weight is not a share.
    #[error("the weight of the latest period is {weight}; write more than 0 and at most 1")]
    Weight {
        /// What it was given.
        weight: f64,
    },
    /// There is no such matrix.
    #[error(transparent)]
    Demand(#[from] DemandError),
    /// From a SoC that is not there.
    #[error("SoC {soc} reports demand, SoCs are 0 to {}", socs - 1)]
    Soc {
        /// Who reported.
        soc: u32,
        /// How many there are.
        socs: u32,
    },
    /// A vector of another rack.
    #[error("SoC {soc} reports demand to {given} SoCs, the rack has {socs}")]
    Length {
        /// Who reported.
        soc: u32,
        /// The vector's length.
        given: usize,
        /// How many there are.
        socs: u32,
    },
}

/// The demand matrix as the controller maintains it.
///
/// A period's bytes count with a weight and all that was before with the rest: `dm = weight * latest + (1 - weight) * dm`. The
/// paper does not state the weight. A SoC's first report counts whole. The row of a SoC that did not report stays as it was: it
/// may be out of reach, and that is no sign that it is idle. External demand is that of the latest period alone, as §4.1 says
/// ("during the interval").
#[derive(Debug, Clone)]
pub struct Estimate {
    socs: u32,
    weight: f64,
    average: Vec<f64>,
    heard: Vec<bool>,
    external: External,
}

impl Estimate {
    /// An estimate that has seen nothing; the latest period will count with `weight`.
    ///
    /// # Errors
    /// If the weight is not above 0 and at most 1, and for racks that [`Demand`] refuses.
    pub fn new(socs: u32, weight: f64) -> Result<Estimate, EstimateError> {
        if !(weight > 0.0 && weight <= 1.0) {
            return Err(EstimateError::Weight { weight });
        }
        Demand::none(socs)?;
        let cells = index(socs) * index(socs);
        Ok(Estimate {
            socs,
            weight,
            average: vec![0.0; cells],
            heard: vec![false; index(socs)],
            external: External::none(socs),
        })
    }

    /// A SoC's counters of the period that has ended. Each SoC reports at most once a period.
    ///
    /// # Errors
    /// For SoCs that are not there and vectors of another length; the estimate stays as it was.
    pub fn report(&mut self, soc: u32, vector: &DemandVector) -> Result<(), EstimateError> {
        let socs = self.socs;
        if soc >= socs {
            return Err(EstimateError::Soc { soc, socs });
        }
        if vector.internal.len() != index(socs) {
            return Err(EstimateError::Length { soc, given: vector.internal.len(), socs });
        }
        let first = !std::mem::replace(&mut self.heard[index(soc)], true);
        let weight = if first { 1.0 } else { self.weight };
        let row = &mut self.average[index(soc) * index(socs)..][..index(socs)];
        for (to, (average, &bytes)) in row.iter_mut().zip(&vector.internal).enumerate() {
            let bytes = if to == index(soc) { 0.0 } else { bytes as f64 };
            *average = weight * bytes + (1.0 - weight) * *average;
        }
        self.external.sent[index(soc)] = vector.sent;
        self.external.received[index(soc)] = vector.received;
        Ok(())
    }

    /// The matrix `dm`, in bytes a period. Where counters are so large that the sum leaves its range, all entries are scaled.
    pub fn demand(&self) -> Demand {
        let total: f64 = self.average.iter().sum();
        let room = (MOST_BYTES / 2) as f64;
        let scale = if total > room { room / total } else { 1.0 };
        let bytes: Vec<f64> = self.average.iter().map(|bytes| bytes * scale).collect();
        Demand::rounded(self.socs, &bytes).expect("no entry is negative, on the diagonal, or too large")
    }

    /// The vectors `v_i` and `v_e` of the latest period.
    pub fn external(&self) -> &External {
        &self.external
    }
}
