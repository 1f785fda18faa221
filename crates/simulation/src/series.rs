//! Series over time: written as they are sampled, or, if nobody said how often, kept and thinned so that they always cover what has been
//! simulated so far.

use fabric::Over;
use results::{Closed, Destination, SeriesRow, Table, WriteError};
use std::sync::Arc;
use units::{Span, Time};

/// All series of a run.
pub(crate) struct Series {
    table: Table<SeriesRow>,
    /// Time between samples.
    interval: Span,
    /// How many first intervals that is.
    weight: u64,
    /// None: samples are written at once.
    kept: Option<Kept>,
}

/// Samples that may still be merged.
#[derive(Default)]
struct Kept {
    times: Vec<Time>,
    lines: Vec<Line>,
    /// The line that is expected next: samples come in the same order each time.
    next: usize,
}

/// One series of one scope.
struct Line {
    name: Arc<str>,
    scope: Arc<str>,
    unit: Arc<str>,
    over: Over,
    /// Number of the sample and value; a series may leave samples out.
    values: Vec<(usize, f64)>,
}

/// Samples that are kept at most: when there are so many, neighbours are merged, and the interval doubles.
const MOST: usize = 256;
/// The shortest first interval of a run that is not shorter still.
const LEAST: Span = Span::from_ns(100);

impl Series {
    /// Samples as often as told, or as often as what is simulated needs in a run of at most `duration`.
    pub(crate) fn create(destination: &Destination, told: Option<Span>, duration: Time) -> Result<Series, WriteError> {
        let table = Table::create(destination)?;
        let kept = told.is_none().then(Kept::default);
        Ok(Series { table, interval: told.unwrap_or_else(|| first(duration)), weight: 1, kept })
    }

    /// Time from a sample to the next.
    pub(crate) fn interval(&self) -> Span {
        self.interval
    }

    /// How many first intervals that is: what a sample counts in a distribution over time.
    pub(crate) fn weight(&self) -> u64 {
        self.weight
    }

    /// A value of the sample at `now`.
    pub(crate) fn push(
        &mut self,
        now: Time,
        [name, scope, unit]: [&Arc<str>; 3],
        over: Over,
        value: f64,
    ) -> Result<(), WriteError> {
        let Some(kept) = &mut self.kept else {
            return self.table.push(&row(now, [name, scope, unit], value));
        };
        let is_it = |line: &Line| line.name == *name && line.scope == *scope;
        let place = if kept.lines.get(kept.next).is_some_and(is_it) {
            kept.next
        } else if let Some(known) = kept.lines.iter().position(is_it) {
            known
        } else {
            let (name, scope, unit) = (Arc::clone(name), Arc::clone(scope), Arc::clone(unit));
            kept.lines.push(Line { name, scope, unit, over, values: Vec::new() });
            kept.lines.len() - 1
        };
        kept.next = place + 1;
        kept.lines[place].values.push((kept.times.len(), value));
        Ok(())
    }

    /// All values of the sample at `now` are there.
    pub(crate) fn end_sample(&mut self, now: Time) {
        let Some(kept) = &mut self.kept else { return };
        kept.times.push(now);
        kept.next = 0;
        if kept.times.len() == MOST {
            kept.merge_pairs();
            (self.interval, self.weight) = (self.interval + self.interval, self.weight * 2);
        }
    }

    /// Has the samples outlive this process.
    pub(crate) fn save(&mut self) -> Result<(), WriteError> {
        match &self.kept {
            Some(kept) => self.table.save_draft(kept.rows()),
            None => self.table.save(),
        }
    }

    /// Ends the table.
    pub(crate) fn close(mut self) -> Result<Closed, WriteError> {
        for row in self.kept.iter().flat_map(Kept::rows) {
            self.table.push(&row)?;
        }
        self.table.close()
    }
}

/// The first interval: a power of ten, so that those that follow are easy to read, and small beside what may be simulated.
fn first(duration: Time) -> Span {
    let duration = duration.since(Time::ZERO).as_ps();
    let shortest = LEAST.as_ps().min(duration / 200).max(1);
    let small = (duration / 2_000_000).max(1);
    Span::from_ps(10_u64.pow(small.ilog10()).max(shortest))
}

fn row(time: Time, [name, scope, unit]: [&Arc<str>; 3], value: f64) -> SeriesRow {
    let [series, scope, unit] = [name, scope, unit].map(Arc::clone);
    SeriesRow { time_ps: time.as_ps(), series, scope, unit, value }
}

impl Kept {
    /// Each two samples become one, at the time of the later. There are an even number of them.
    fn merge_pairs(&mut self) {
        self.times = self.times.chunks_exact(2).map(|pair| pair[1]).collect();
        for line in &mut self.lines {
            let over = line.over;
            let merged = line.values.chunk_by(|(a, _), (b, _)| a / 2 == b / 2).filter_map(|pair| {
                let (number, last) = *pair.last()?;
                let sum: f64 = pair.iter().map(|(_, value)| value).sum();
                match over {
                    // The earlier one of two says nothing about the instant of the later.
                    Over::Instant => (number % 2 == 1).then_some((number / 2, last)),
                    Over::Mean => Some((number / 2, sum / pair.len() as f64)),
                    Over::Sum => Some((number / 2, sum)),
                }
            });
            line.values = merged.collect();
        }
    }

    /// Rows of all samples, by time, then by line.
    fn rows(&self) -> Vec<SeriesRow> {
        let mut next = vec![0; self.lines.len()];
        let mut rows = Vec::new();
        for (number, time) in self.times.iter().enumerate() {
            for (line, next) in self.lines.iter().zip(&mut next) {
                if let Some((_, value)) = line.values.get(*next).filter(|(of, _)| *of == number) {
                    *next += 1;
                    rows.push(row(*time, [&line.name, &line.scope, &line.unit], *value));
                }
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests;
