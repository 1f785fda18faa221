//! Demand from comma-separated files, as people have it: a square matrix, or a list of who sent how much to whom.
//!
//! | form | first line | lines |
//! |---|---|---|
//! | list | `source,destination,bytes` | one for each pair; lines of the same pair add up |
//! | matrix with names | names of the columns, in the order of the rows, with an empty field before them if rows have names | a row for each SoC: what it sends to each |
//! | matrix | numbers | the same; SoCs are numbered from 0 |
//!
//! `uplink` in place of a SoC is the world outside the rack: a column or a destination for what SoCs send there, a row or a
//! source for what they receive. Lines that begin with `#` are comments. Bytes are numbers of 0 or more, whole or not; they are
//! rounded. Every mistake is told with file, line, column and cure.

mod matrix;
mod names;
mod pairs;
mod problem;
#[cfg(test)]
mod tests;

pub use names::RackNames;
pub use problem::Problem;

use super::{Demand, External};
use crate::demand::records::{ReadError, Records};
use problem::bytes;

/// What stands for the world outside the rack.
pub const OUTSIDE: &str = "uplink";

/// What a file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// What SoCs are called, by their number.
    pub names: Vec<String>,
    /// What they send each other.
    pub demand: Demand,
    /// What they exchange with the world.
    pub external: External,
}

/// Reads the text of a file, whose name is for messages. Where the rack's SoCs are `known`, a list may leave out those that
/// are idle, names must be among them, and rows and columns are put in their order; otherwise SoCs are numbered as they come.
///
/// # Errors
/// For the first line that is wrong.
pub fn read(text: &str, file: &str, known: Option<&[String]>) -> Result<Reading, ReadError<Problem>> {
    let mut records = Records::new(text, file);
    let Some(first) = records.next() else {
        return Err(records.at(1, 0, Problem::Empty));
    };
    let is_list = first.fields.iter().map(|field| field.to_lowercase()).eq(["source", "destination", "bytes"]);
    let sums = if is_list { pairs::read(&mut records, known)? } else { matrix::read(&mut records, first, known)? };
    sums.finish(&records)
}

/// Bytes as they are added up, before they are rounded.
struct Sums {
    names: Vec<String>,
    /// By source and destination.
    inside: Vec<f64>,
    sent: Vec<f64>,
    received: Vec<f64>,
}

impl Sums {
    fn new(names: Vec<String>) -> Sums {
        let socs = names.len();
        Sums { names, inside: vec![0.0; socs * socs], sent: vec![0.0; socs], received: vec![0.0; socs] }
    }

    /// Adds what one end sent the other; `None` is the world outside.
    fn add(&mut self, from: Option<usize>, to: Option<usize>, bytes: f64) {
        match (from, to) {
            (Some(from), Some(to)) => self.inside[from * self.names.len() + to] += bytes,
            (Some(from), None) => self.sent[from] += bytes,
            (None, Some(to)) => self.received[to] += bytes,
            (None, None) => {}
        }
    }

    fn finish(self, records: &Records<'_>) -> Result<Reading, ReadError<Problem>> {
        let whole = |why| records.at(0, 0, Problem::Demand(why));
        let socs = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let outside = self.sent.iter().chain(&self.received).sum::<f64>();
        let demand = Demand::rounded(socs, &self.inside).map_err(whole)?;
        if outside + demand.total() as f64 > super::MOST_BYTES as f64 {
            return Err(whole(super::DemandError::TooMuch));
        }
        let rounded = |sums: &[f64]| sums.iter().map(|bytes| bytes.round() as u64).collect();
        let external = External { sent: rounded(&self.sent), received: rounded(&self.received) };
        Ok(Reading { names: self.names, demand, external })
    }
}
