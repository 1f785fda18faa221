//! Collective operations.

use super::{Builder, Made};
use crate::error::Problem;
use crate::group::{Collective, Group};
use crate::source::Source;
use crate::sources::{ExchangeSource, Iterations, RingSource, TreeSource};
use units::{Bytes, Span};

impl Builder<'_> {
    /// The participants of a collective that splits its bytes into so many pieces for each of them.
    fn participants(&self, it: &Collective, split: bool) -> Result<Vec<u32>, Problem> {
        let hosts = self.choose(&it.participants, "participants")?;
        let n = hosts.len() as u64;
        if n < 2 {
            return Err(Problem::TooFewHosts { needed: 2, there: n as u32 });
        }
        if it.repeat == 0 {
            return Err(Problem::Zero { key: "repeat" });
        }
        if it.bytes == Bytes::ZERO {
            return Err(Problem::Zero { key: "bytes" });
        }
        if split && it.bytes.get() < n {
            return Err(Problem::TooSmallToSplit { bytes: it.bytes, pieces: n });
        }
        Ok(hosts)
    }

    fn collective(
        &self,
        it: &Collective,
        hosts: Vec<u32>,
        flows: u64,
        mean: f64,
        what: &str,
        source: impl FnOnce(Iterations) -> Box<dyn Source>,
    ) -> Made {
        let mut description = format!("{} of {} among {} hosts", what, it.bytes, hosts.len());
        if it.repeat > 1 {
            description += &format!(", {} times", it.repeat);
        }
        if it.repeat > 1 && it.gap > Span::ZERO {
            description += &format!(", {} of computation in between", it.gap);
        }
        let Group { start, jitter, .. } = *self.group;
        // A step or two of each participant.
        let at_once = Some(flows.min(2 * hosts.len() as u64));
        let iterations = Iterations::new(it, hosts, flows, start, jitter, self.chance);
        Made {
            source: source(iterations),
            description,
            flows: Some(flows.saturating_mul(it.repeat)),
            at_once,
            mean_bytes: Some(mean),
            offered_bps: None,
            warnings: Vec::new(),
        }
    }

    pub(super) fn ring(&self, it: &Collective) -> Result<Made, Problem> {
        let hosts = self.participants(it, true)?;
        let n = hosts.len() as u64;
        let mean = it.bytes.get() as f64 / n as f64;
        let what = "ring all-reduce";
        Ok(self.collective(it, hosts, RingSource::flows(n), mean, what, |its| Box::new(RingSource::new(its))))
    }

    pub(super) fn tree(&self, it: &Collective) -> Result<Made, Problem> {
        let hosts = self.participants(it, false)?;
        let n = hosts.len() as u64;
        let mean = it.bytes.get() as f64;
        let what = "binary-tree all-reduce";
        Ok(self.collective(it, hosts, TreeSource::flows(n), mean, what, |its| Box::new(TreeSource::new(its))))
    }

    pub(super) fn exchange(&self, it: &Collective, barrier: bool) -> Result<Made, Problem> {
        let hosts = self.participants(it, true)?;
        let n = hosts.len() as u64;
        let mean = it.bytes.get() as f64 / n as f64;
        let what = if barrier { "all-to-all with a barrier after each step," } else { "all-to-all" };
        let source = |its| -> Box<dyn Source> { Box::new(ExchangeSource::new(its, barrier)) };
        Ok(self.collective(it, hosts, ExchangeSource::flows(n), mean, what, source))
    }
}
