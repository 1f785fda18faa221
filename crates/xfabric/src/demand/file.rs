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
//! rounded, and only their ratios count. Every mistake is told with file, line, column and cure.

mod matrix;
mod names;
mod pairs;
mod problem;
#[cfg(test)]
mod tests;

pub use names::RackNames;
pub use problem::Problem;

use super::{Demand, DemandError, External};
use crate::MOST_SOCS;
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

/// Reads the text of a file for a rack whose SoCs are called `hosts`. In the file they are called so too, or by their numbers from 0. Other
/// names, if none is a host's, are those of somebody else's rack: they stand for hosts in the order in which they come, as [`read`] numbers
/// them.
///
/// # Errors
/// As [`read`]; more SoCs than hosts, and a matrix of fewer.
pub fn read_for(text: &str, file: &str, hosts: &[String]) -> Result<Reading, ReadError<Problem>> {
    let refused = match read(text, file, Some(hosts)) {
        Ok(reading) => return Ok(reading),
        Err(refused) => refused,
    };
    let mut names = read(text, file, None)?.names;
    if (0..).zip(&names).all(|(number, name)| *name == number.to_string()) {
        names = (0..hosts.len()).map(|number| number.to_string()).collect();
    } else if names.iter().any(|name| hosts.contains(name)) {
        return Err(refused);
    } else if names.len() > hosts.len() {
        let problem = Problem::Size { given: names.len(), expected: hosts.len() };
        return Err(Records::new(text, file).at(0, 0, problem));
    } else {
        // Hosts that nobody names are idle; what is called after its host cannot be meant by the file.
        names.extend_from_slice(&hosts[names.len()..]);
    }
    read(text, file, Some(&names))
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
    /// # Errors
    /// More SoCs than any rack has: the matrix would not fit into memory.
    fn new(names: Vec<String>) -> Result<Sums, Problem> {
        let socs = names.len();
        if socs > MOST_SOCS as usize {
            return Err(Problem::Demand(DemandError::Socs { socs: u32::try_from(socs).unwrap_or(u32::MAX) }));
        }
        Ok(Sums { names, inside: vec![0.0; socs * socs], sent: vec![0.0; socs], received: vec![0.0; socs] })
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
        let rounds_away = |bytes: &&f64| **bytes > 0.0 && **bytes < 0.5;
        let mut sums = self.inside.iter().chain(&self.sent).chain(&self.received);
        if let Some(&bytes) = sums.find(rounds_away) {
            return Err(records.at(0, 0, Problem::RoundsAway { bytes }));
        }
        let socs = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let outside = self.sent.iter().chain(&self.received).sum::<f64>();
        let demand = Demand::rounded(socs, &self.inside).map_err(whole)?;
        if outside + demand.total() as f64 > super::MOST_BYTES as f64 {
            return Err(whole(DemandError::TooMuch));
        }
        let rounded = |sums: &[f64]| sums.iter().map(|bytes| bytes.round() as u64).collect();
        let external = External { sent: rounded(&self.sent), received: rounded(&self.received) };
        Ok(Reading { names: self.names, demand, external })
    }
}
