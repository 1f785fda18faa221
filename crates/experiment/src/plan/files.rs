//! Files that an experiment refers to, each read once.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use workload::Trace;
use workload::sizes::Cdf;

/// What was read so far. A sweep over seeds reads a trace once, and its runs share it.
#[derive(Default)]
pub(super) struct Files {
    traces: BTreeMap<String, Arc<Trace>>,
    sizes: BTreeMap<String, Cdf>,
}

impl Files {
    /// The trace that `read` gives for this file in this format.
    pub fn trace<E>(
        &mut self,
        path: &Path,
        how: &str,
        read: impl FnOnce() -> Result<Trace, E>,
    ) -> Result<Arc<Trace>, E> {
        let key = format!("{} {how}", path.display());
        if let Some(trace) = self.traces.get(&key) {
            return Ok(Arc::clone(trace));
        }
        let trace = Arc::new(read()?);
        self.traces.insert(key, Arc::clone(&trace));
        Ok(trace)
    }
    /// The distribution that `read` gives for this file read in this way.
    pub fn sizes<E>(&mut self, path: &Path, how: &str, read: impl FnOnce() -> Result<Cdf, E>) -> Result<Cdf, E> {
        let key = format!("{} {how}", path.display());
        if let Some(cdf) = self.sizes.get(&key) {
            return Ok(cdf.clone());
        }
        let cdf = read()?;
        self.sizes.insert(key, cdf.clone());
        Ok(cdf)
    }
}
