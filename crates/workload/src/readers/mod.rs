//! Flows from files: one file a format.
//!
//! Whatever the format, times are read as decimals into picoseconds, never through floating point, and a wrong line is
//! named by its number.

mod csv;
mod decimal;
mod error;
mod hpcc;
mod htsim;
mod input;
mod lines;
mod opera;
mod parquet;
mod shoal;
mod table;
mod weights;

pub use error::{LineProblem, Place, ReadError};
pub use input::{open, read_text};
pub use weights::read_weights;

use crate::prose;
use crate::trace::Trace;
use std::fmt;
use std::io::BufReader;
use std::path::Path;
use std::str::FromStr;

/// A format of flow files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Ours: comma-separated, with the columns of [`COLUMNS`] in any order.
    Csv,
    /// Ours, as Parquet: the same columns.
    Parquet,
    /// htsim's connection matrix (`.cm`): times in picoseconds, triggers as dependencies.
    Htsim,
    /// The flow file of HPCC's ns-3, with or without the fields `3 dport`.
    Hpcc,
    /// Shoal's: comma-separated, `flow-id,src,dst,bytes,start_s`.
    Shoal,
    /// Opera's (`.htsim`): `src dst bytes start_ns`.
    Opera,
}

/// The columns of our own format. Needed: `src`, `dst` (hosts, from 0), `bytes` (a whole number, or with a unit: `4 KB`), and
/// one of `start` (seconds as a decimal, down to the picosecond, or with a unit: `10 us`) and `start_ps` (whole
/// picoseconds). Not needed: `id` (a whole number; otherwise flows are numbered from 0), and `after` (ids, apart by blanks,
/// of the flows that must end first; the start is then a time after the last of them has ended).
pub const COLUMNS: [&str; 7] = ["id", "src", "dst", "bytes", "start", "start_ps", "after"];

impl Format {
    /// All of them, with the names they have in experiment files and the endings that files of each have.
    pub const NAMES: [(&'static str, Format, &'static [&'static str]); 6] = [
        ("csv", Format::Csv, &["csv"]),
        ("parquet", Format::Parquet, &["parquet"]),
        ("htsim", Format::Htsim, &["cm"]),
        ("hpcc", Format::Hpcc, &["txt", "flow"]),
        ("shoal", Format::Shoal, &[]),
        ("opera", Format::Opera, &["htsim"]),
    ];

    /// The format that a file's ending stands for; a `.csv` file is Shoal's if its first line says so.
    pub fn of(path: &Path) -> Option<Format> {
        let ending = path.extension()?.to_str()?.to_lowercase();
        Format::NAMES.iter().find(|(.., endings)| endings.contains(&ending.as_str())).map(|(_, format, _)| *format)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Csv => "csv",
            Format::Parquet => "parquet",
            Format::Htsim => "htsim",
            Format::Hpcc => "hpcc",
            Format::Shoal => "shoal",
            Format::Opera => "opera",
        })
    }
}

impl FromStr for Format {
    type Err = String;
    fn from_str(text: &str) -> Result<Format, String> {
        Format::NAMES.iter().find(|(name, ..)| *name == text).map(|(_, format, _)| *format).ok_or_else(|| {
            let near = prose::did_you_mean(settings::nearest(text, Format::NAMES.map(|(name, ..)| name)));
            format!("there is no flow file format `{text}`{near}; there are {}", names())
        })
    }
}

fn names() -> String {
    Format::NAMES.map(|(name, ..)| name).join(", ")
}

/// The flows of a file, checked for a network of hosts 0..hosts. Without a format the file's ending decides.
///
/// # Errors
/// A file that cannot be read, or the first line that is wrong, by its number.
pub fn read(path: &Path, format: Option<Format>, hosts: u32) -> Result<Trace, ReadError> {
    let file = path.display().to_string();
    let Some(format) = format.or_else(|| Format::of(path)) else {
        return Err(ReadError::whole(&file, LineProblem::UnknownFormat { formats: names() }));
    };
    let opened = open(path).map_err(|error| ReadError::whole(&file, LineProblem::Unreadable(error.to_string())))?;
    if format == Format::Parquet {
        return parquet::parse(opened, &file, hosts);
    }
    parse(BufReader::new(opened), &file, format, hosts)
}

/// The flows of a text in one of the formats; `file` is what messages call it.
///
/// # Errors
/// The first line that is wrong, by its number; Parquet, which is not text.
pub fn parse(text: impl std::io::BufRead, file: &str, format: Format, hosts: u32) -> Result<Trace, ReadError> {
    let trace = match format {
        Format::Csv | Format::Shoal => csv::parse(text, file, format)?,
        Format::Parquet => return Err(ReadError::whole(file, LineProblem::NotText)),
        Format::Htsim => htsim::parse(text, file, hosts)?,
        Format::Hpcc => hpcc::parse(text, file)?,
        Format::Opera => opera::parse(text, file)?,
    };
    trace.check(hosts)?;
    Ok(trace)
}

#[cfg(test)]
mod tests;
