//! Files that an experiment refers to, each read once.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use workload::Trace;
use workload::sizes::Cdf;

/// A file beside the experiment's own that it reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Its path as the experiment file has it.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
}

/// The experiment file's folder. It remembers which files were looked for in it: they make the results as the experiment does.
pub(super) struct Folder {
    path: PathBuf,
    asked: RefCell<BTreeMap<String, PathBuf>>,
}

impl Folder {
    /// The folder that `file` is in.
    pub(super) fn of(file: &str) -> Folder {
        Folder { path: Path::new(file).parent().unwrap_or(Path::new("")).to_owned(), asked: RefCell::default() }
    }
    /// Where a file is that the experiment names.
    pub(super) fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        let (name, path) = (name.as_ref(), self.path.join(&name));
        self.asked.borrow_mut().insert(name.display().to_string(), path.clone());
        path
    }
    /// The files that were looked for, by name.
    pub(super) fn inputs(self) -> Vec<Input> {
        self.asked.into_inner().into_iter().map(|(name, path)| Input { name, path }).collect()
    }
}

/// What was read so far. A sweep over seeds reads a trace once, and its runs share it.
#[derive(Default)]
pub(super) struct Files {
    traces: BTreeMap<String, Arc<Trace>>,
    sizes: BTreeMap<String, Cdf>,
}

impl Files {
    /// The trace that `read` gives for this file in this format.
    pub(super) fn trace<E>(
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
    pub(super) fn sizes<E>(&mut self, path: &Path, how: &str, read: impl FnOnce() -> Result<Cdf, E>) -> Result<Cdf, E> {
        let key = format!("{} {how}", path.display());
        if let Some(cdf) = self.sizes.get(&key) {
            return Ok(cdf.clone());
        }
        let cdf = read()?;
        self.sizes.insert(key, cdf.clone());
        Ok(cdf)
    }
}
