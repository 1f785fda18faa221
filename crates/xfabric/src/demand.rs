//! Who sends how much to whom: the matrix that the controller holds, and how it comes by it (§4.1).

mod estimate;
pub mod file;
pub mod records;
#[cfg(test)]
mod tests;

pub use estimate::{DemandVector, Estimate, EstimateError};

use crate::MOST_SOCS;

/// The most that a matrix may add up to, in bytes: sums over any of its entries stay exact in 64 bits.
pub const MOST_BYTES: u64 = 1 << 60;

/// A SoC's or port's number as a place in a list.
#[inline]
pub(crate) fn index(number: u32) -> usize {
    number as usize
}

/// Why this is no demand matrix.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DemandError {
    /// No pair to send, or more than a rack holds.
    #[error("a demand matrix has 2 to 16384 SoCs, not {socs}")]
    Socs {
        /// What it was given.
        socs: u32,
    },
    /// The list is not as long as the square of the SoCs.
    #[error("a demand matrix of {socs} SoCs has {expected} entries, {socs} rows of {socs}; here are {given}")]
    Entries {
        /// Rows and columns.
        socs: u32,
        /// Entries that it was given.
        given: usize,
        /// Entries that it should have.
        expected: usize,
    },
    /// A SoC sends to itself.
    #[error("SoC {soc} has a demand of {bytes} B to itself; the diagonal of a demand matrix is 0")]
    ToItself {
        /// Row and column.
        soc: u32,
        /// The entry.
        bytes: u64,
    },
    /// An entry that no traffic has.
    #[error("the demand from SoC {from} to SoC {to} is {bytes}; write bytes, 0 or more")]
    NotBytes {
        /// Row.
        from: u32,
        /// Column.
        to: u32,
        /// The entry.
        bytes: f64,
    },
    /// More than adds up in 64 bits.
    #[error("the demands add up to more than 2^60 B; divide them all by the same number, only their ratios count")]
    TooMuch,
}

/// The demand between SoCs, in bytes (or in any unit: topologies depend on the ratios alone): §4.1's `dm`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Demand {
    socs: u32,
    /// Row by row: from, to.
    bytes: Box<[u64]>,
}

impl Demand {
    /// A matrix from its rows, one after another: entry `from * socs + to` is what SoC `from` sends to SoC `to`.
    ///
    /// # Errors
    /// For a wrong number of entries, a diagonal that is not 0, and sums above [`MOST_BYTES`].
    pub fn new(socs: u32, bytes: Vec<u64>) -> Result<Demand, DemandError> {
        if !(2..=MOST_SOCS).contains(&socs) {
            return Err(DemandError::Socs { socs });
        }
        let (given, expected) = (bytes.len(), index(socs) * index(socs));
        if given != expected {
            return Err(DemandError::Entries { socs, given, expected });
        }
        for soc in 0..socs {
            let bytes = bytes[index(soc) * index(socs) + index(soc)];
            if bytes != 0 {
                return Err(DemandError::ToItself { soc, bytes });
            }
        }
        let sum = bytes.iter().fold(0_u64, |sum, &bytes| sum.saturating_add(bytes));
        if sum > MOST_BYTES {
            return Err(DemandError::TooMuch);
        }
        Ok(Demand { socs, bytes: bytes.into() })
    }

    /// A matrix from numbers that need not be whole; they are rounded to bytes.
    ///
    /// # Errors
    /// As [`Demand::new`], and for entries that are negative or not a number.
    pub fn rounded(socs: u32, bytes: &[f64]) -> Result<Demand, DemandError> {
        for (place, &bytes) in bytes.iter().enumerate() {
            if !(bytes >= 0.0 && bytes.is_finite()) && socs > 0 {
                let (from, to) = (place / index(socs), place % index(socs));
                return Err(DemandError::NotBytes { from: from as u32, to: to as u32, bytes });
            }
        }
        Demand::new(socs, bytes.iter().map(|bytes| bytes.round() as u64).collect())
    }

    /// Nobody sends.
    ///
    /// # Errors
    /// For fewer SoCs than 2 and more than [`MOST_SOCS`].
    pub fn none(socs: u32) -> Result<Demand, DemandError> {
        let entries = if socs > MOST_SOCS { 0 } else { index(socs) * index(socs) };
        Demand::new(socs, vec![0; entries])
    }

    /// How many SoCs there are.
    pub fn socs(&self) -> u32 {
        self.socs
    }
    /// What `from` sends to `to`, in bytes.
    pub fn between(&self, from: u32, to: u32) -> u64 {
        self.bytes[index(from) * index(self.socs) + index(to)]
    }
    /// What two SoCs send each other (§4.3: the demand of a pair), in bytes.
    pub fn pair(&self, a: u32, b: u32) -> u64 {
        self.between(a, b) + self.between(b, a)
    }
    /// What `from` sends, by destination, in bytes.
    pub fn row(&self, from: u32) -> &[u64] {
        let socs = index(self.socs);
        &self.bytes[index(from) * socs..][..socs]
    }
    /// The sum of all entries, in bytes.
    pub fn total(&self) -> u64 {
        self.bytes.iter().sum()
    }
    /// All entries but 0, by source and then destination: from, to, bytes.
    pub fn entries(&self) -> impl Iterator<Item = (u32, u32, u64)> + '_ {
        (0..self.socs).flat_map(move |from| {
            (0..self.socs)
                .zip(self.row(from))
                .filter(|(_, bytes)| **bytes > 0)
                .map(move |(to, &bytes)| (from, to, bytes))
        })
    }
    /// An upper bound on the share of bytes that circuits between SoCs of so many ports can carry in one hop, from 0 to 1: half of
    /// what each SoC exchanges with those that it exchanges most with, one a port. `None` without demand.
    pub fn heaviest_share(&self, ports: u32) -> Option<f64> {
        let mut twice = 0_u128;
        for soc in 0..self.socs {
            let mut pairs: Vec<u64> =
                (0..self.socs).filter(|&other| other != soc).map(|other| self.pair(soc, other)).collect();
            pairs.sort_unstable_by_key(|&bytes| std::cmp::Reverse(bytes));
            twice += pairs.iter().take(index(ports)).map(|&bytes| u128::from(bytes)).sum::<u128>();
        }
        let all = self.total();
        (all > 0).then(|| twice as f64 / 2.0 / all as f64)
    }
    /// Over how many pairs of SoCs the bytes are spread: so many with equal bytes would have the same sum of squares, (sum)² / sum of
    /// squares. `None` without demand.
    pub fn effective_pairs(&self) -> Option<f64> {
        let pairs = (0..self.socs).flat_map(|a| (a + 1..self.socs).map(move |b| self.pair(a, b) as f64));
        let (sum, squares) = pairs.fold((0.0, 0.0), |(sum, squares), bytes| (sum + bytes, squares + bytes * bytes));
        (sum > 0.0).then(|| sum * sum / squares)
    }
    /// This matrix with more demand: from, to, bytes each.
    ///
    /// # Errors
    /// As [`Demand::new`].
    ///
    /// # Panics
    /// If a SoC is not in the matrix.
    pub fn plus(&self, more: impl IntoIterator<Item = (u32, u32, u64)>) -> Result<Demand, DemandError> {
        let mut bytes = self.bytes.to_vec();
        for (from, to, added) in more {
            let entry = &mut bytes[index(from) * index(self.socs) + index(to)];
            *entry = entry.saturating_add(added);
        }
        Demand::new(self.socs, bytes)
    }
}

/// What each SoC exchanges with the world outside the rack, in bytes by SoC.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct External {
    /// What it sends out of the rack: `v_i` of §4.1.
    pub sent: Vec<u64>,
    /// What it receives from outside: `v_e` of §4.1.
    pub received: Vec<u64>,
}

impl External {
    /// No traffic but the rack's own.
    pub fn none(socs: u32) -> External {
        External { sent: vec![0; index(socs)], received: vec![0; index(socs)] }
    }
    /// Both directions of one SoC: `D_ext` of §4.2, in bytes.
    pub fn of(&self, soc: u32) -> u64 {
        self.sent[index(soc)].saturating_add(self.received[index(soc)])
    }
}
