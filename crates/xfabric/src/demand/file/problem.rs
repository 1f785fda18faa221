//! What can be wrong with a file of demands.

use crate::demand::DemandError;

/// What is wrong.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Problem {
    /// Nothing to read.
    #[error(
        "there is nothing in it; write a square matrix of bytes, or a list that begins with `source,destination,bytes`"
    )]
    Empty,
    /// A list with other columns.
    #[error("a list of demands begins with `source,destination,bytes`, this file with `{given}`")]
    Header {
        /// The first line.
        given: String,
    },
    /// No number, or less than nothing.
    #[error("`{text}` is no number of bytes; write 0 or more, such as 1500 or 1.5e6")]
    Bytes {
        /// What stands there.
        text: String,
    },
    /// More or fewer fields than expected.
    #[error("expected {expected}; here are {given}")]
    Fields {
        /// How many there are.
        given: usize,
        /// How many should be, and why.
        expected: String,
    },
    /// More or fewer rows than columns.
    #[error(
        "{rows} rows for {columns} columns; a demand matrix is square: a row and a column for each SoC, in the same order"
    )]
    Square {
        /// Lines after the names.
        rows: usize,
        /// Fields in each.
        columns: usize,
    },
    /// A row that should be another's.
    #[error("this row is `{given}`, the column of this place is `{expected}`; give rows in the order of columns")]
    Order {
        /// What the row is called.
        given: String,
        /// What it should be.
        expected: String,
    },
    /// A SoC without a name.
    #[error("a SoC without a name; write one, or leave all names out")]
    NoName,
    /// Two SoCs of one name.
    #[error("`{name}` is there twice; give each SoC a name of its own")]
    Twice {
        /// The name.
        name: String,
    },
    /// Not of this rack.
    #[error("the rack has no SoC `{name}`; {cure}")]
    Unknown {
        /// The name.
        name: String,
        /// What was probably meant.
        cure: String,
    },
    /// A matrix that leaves SoCs of the rack out, or more SoCs than the rack has.
    #[error("there are {given} SoCs in the file, {expected} in the rack")]
    Size {
        /// SoCs of the file.
        given: usize,
        /// SoCs of the rack.
        expected: usize,
    },
    /// A SoC that sends to itself.
    #[error("`{name}` sends {bytes} B to itself; write 0")]
    ToItself {
        /// Which.
        name: String,
        /// What stands there.
        bytes: f64,
    },
    /// From outside to outside.
    #[error("from `uplink` to `uplink` is no traffic of the rack; leave it out, or write 0")]
    OutsideToOutside,
    /// A demand that would be none.
    #[error("a demand of {bytes} B rounds to 0 B; multiply all by the same number, only their ratios count")]
    RoundsAway {
        /// What it adds up to.
        bytes: f64,
    },
    /// What a matrix cannot hold.
    #[error(transparent)]
    Demand(#[from] DemandError),
}

/// Bytes as written: whole or decimal.
pub(super) fn bytes(text: &str) -> Result<f64, Problem> {
    let number = text.replace('_', "").parse::<f64>().ok().filter(|bytes| bytes.is_finite() && *bytes >= 0.0);
    number.ok_or_else(|| Problem::Bytes { text: text.to_owned() })
}
