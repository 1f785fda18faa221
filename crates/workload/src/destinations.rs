//! To whom each host sends: a pattern, laid out by source.

use crate::alias::Alias;
use crate::error::Problem;
use crate::pattern::{Chooser, Pattern};
use crate::setting::{Chance, Setting};
use engine::Stream;

/// To whom each host sends, and how much more than others.
pub(crate) enum Destinations {
    /// As the pattern has it.
    Even { hosts: u32, pattern: Chooser },
    /// As a matrix has it, row by row.
    Rows(Vec<Option<Row>>),
}

/// What a host sends to whom.
pub(crate) struct Row {
    to: Vec<u32>,
    alias: Alias,
    sum: f64,
}

impl Destinations {
    pub(crate) fn new(pattern: &Pattern, setting: &Setting, chance: &Chance) -> Result<Destinations, Problem> {
        let chooser = Chooser::new(pattern, setting, chance)?;
        let Pattern::Matrix(matrix) = pattern else {
            return Ok(Destinations::Even { hosts: setting.hosts, pattern: chooser });
        };
        let mut rows: Vec<(Vec<u32>, Vec<f64>)> = vec![(Vec::new(), Vec::new()); setting.hosts as usize];
        for &(src, dst, weight) in matrix.weights.iter().filter(|(_, _, weight)| *weight > 0.0) {
            let (to, weights) = &mut rows[src as usize];
            to.push(dst);
            weights.push(weight);
        }
        let row = |(to, weights): (Vec<u32>, Vec<f64>)| {
            let sum = weights.iter().sum();
            (!to.is_empty()).then(|| Row { to, alias: Alias::new(&weights), sum })
        };
        Ok(Destinations::Rows(rows.into_iter().map(row).collect()))
    }

    /// The destination of a flow of this host, which must be one that sends.
    pub(crate) fn pick(&self, src: u32, stream: &mut Stream) -> u32 {
        match self {
            Destinations::Even { pattern, .. } => pattern.destination(src, stream),
            Destinations::Rows(rows) => {
                let row = rows[src as usize].as_ref().expect("a host that sends has someone to send to");
                row.to[row.alias.pick(stream)]
            }
        }
    }

    /// So many flows, dealt out to all hosts by what each sends: by the largest remainders, the first of equal ones.
    pub(crate) fn deal(&self, flows: u64) -> Vec<u64> {
        let weights: Vec<f64> = match self {
            Destinations::Even { hosts, pattern } => (0..*hosts).map(|host| pattern.share(host)).collect(),
            Destinations::Rows(rows) => rows.iter().map(|row| row.as_ref().map_or(0.0, |row| row.sum)).collect(),
        };
        let total: f64 = weights.iter().sum();
        let exact: Vec<f64> = weights.iter().map(|weight| weight / total * flows as f64).collect();
        let mut dealt: Vec<u64> = exact.iter().map(|flows| flows.floor() as u64).collect();
        let mut rest: Vec<usize> = (0..dealt.len()).filter(|host| weights[*host] > 0.0).collect();
        let remainder = |host: &usize| exact[*host] - exact[*host].floor();
        rest.sort_by(|a, b| remainder(b).total_cmp(&remainder(a)).then(a.cmp(b)));
        let left = flows.saturating_sub(dealt.iter().sum());
        rest.iter().cycle().take(left as usize).for_each(|host| dealt[*host] += 1);
        dealt
    }

    /// Whether this host sends at all.
    pub(crate) fn sends(&self, host: u32) -> bool {
        match self {
            Destinations::Even { pattern, .. } => pattern.share(host) > 0.0,
            Destinations::Rows(rows) => rows[host as usize].is_some(),
        }
    }
}
