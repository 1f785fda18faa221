//! Weights of pairs of hosts: `src,dst,weight`, or demands as an XFabric rack takes them, `source,destination,bytes`.

use super::csv::Records;
use super::decimal;
use super::{LineProblem, ReadError, open};
use crate::pattern::Matrix;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// The matrix of a comma-separated file with the columns `src,dst,weight`, in this order, for hosts 0..hosts. A list of demands of an XFabric rack,
/// `source,destination,bytes`, is read too, if its SoCs are numbers.
///
/// # Errors
/// A file that cannot be read, or the first line that is wrong, by its number.
pub fn read_weights(path: &Path, hosts: u32) -> Result<Matrix, ReadError> {
    let file = path.display().to_string();
    let opened = open(path).map_err(|error| ReadError::whole(&file, LineProblem::Unreadable(error.to_string())))?;
    parse(BufReader::new(opened), &file, hosts)
}

pub(super) fn parse(text: impl BufRead, file: &str, hosts: u32) -> Result<Matrix, ReadError> {
    let mut records = Records::new(text, file);
    let mut weights = Vec::new();
    let header = records.next()?;
    records.check_separator(header.unwrap_or(1))?;
    let is_header = |columns: [&str; 3]| records.record.iter().eq(columns);
    if !(is_header(["src", "dst", "weight"]) || is_header(["source", "destination", "bytes"])) {
        return Err(ReadError::at(file, header.unwrap_or(1), LineProblem::WeightsHeader { text: records.text() }));
    }
    while let Some(line) = records.next()? {
        records.expect(line, 3, "`src,dst,weight`")?;
        let entry = || -> Result<(u32, u32, f64), LineProblem> {
            let (src, dst) = (decimal::host(&records.record[0], "src")?, decimal::host(&records.record[1], "dst")?);
            if let Some(host) = [src, dst].into_iter().find(|host| *host >= hosts) {
                return Err(LineProblem::PairNoSuchHost { host, hosts });
            }
            if src == dst {
                return Err(LineProblem::PairToItself { host: src });
            }
            let text = &records.record[2];
            let weight = text.parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight >= 0.0);
            let expected = "a weight, a number of at least 0";
            let wrong = || LineProblem::NotANumber { field: "weight", expected, text: text.to_owned() };
            Ok((src, dst, weight.ok_or_else(wrong)?))
        };
        weights.push(entry().map_err(|problem| ReadError::at(file, line, problem))?);
    }
    Ok(Matrix { name: file.to_owned(), weights })
}
