//! The folder of results: made before anything runs, so that nobody waits an hour to learn that it cannot be written.

use super::manifest::{RunEntry, RunStatus};
use serde::Deserialize;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Results cannot be written where they should be.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is something already.
    #[error("{}: is not empty; choose another folder with --out, or remove this one", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// There are results, but of something else.
    #[error("{}: cannot go on with it: {why}; leave --resume away", path.display())]
    Other {
        /// The folder.
        path: PathBuf,
        /// What is there.
        why: &'static str,
    },
    /// The system refuses.
    #[error("{}: cannot be written: {source}; choose another folder with --out", path.display())]
    Unwritable {
        /// The folder or file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> StartError {
    let path = path.to_owned();
    |source| StartError::Unwritable { path, source }
}

/// What an earlier job has left in a folder.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Earlier {
    gossamer: String,
    overrides: Vec<String>,
    pub started: String,
    pub wall_s: f64,
    runs: Vec<RunEntry>,
}

impl Earlier {
    /// A run that it has done.
    pub fn done(&self, name: &str) -> Option<&RunEntry> {
        self.runs.iter().find(|run| run.name == name && run.status == RunStatus::Done)
    }
}

/// Opens a folder of results to go on with them: those of the same experiment and version. Runs that are not done lose what they
/// had; they begin again.
pub(super) fn reopen(root: &Path, text: &str, overrides: &[String], runs: &[String]) -> Result<Earlier, StartError> {
    let other = |why| StartError::Other { path: root.to_owned(), why };
    let manifest = fs::read_to_string(root.join("manifest.json")).map_err(|_| other("there are no results in it"))?;
    let earlier: Earlier = serde_json::from_str(&manifest).map_err(|_| other("its manifest.json cannot be read"))?;
    if earlier.gossamer != env!("CARGO_PKG_VERSION") {
        return Err(other("another version of Gossamer made it"));
    }
    let same = fs::read_to_string(root.join("experiment.toml")).is_ok_and(|before| before == text);
    if !same || earlier.overrides != overrides {
        return Err(other("it is of another experiment, or of other --set"));
    }
    for run in runs.iter().filter(|run| earlier.done(run).is_none()) {
        let folder = root.join("runs").join(run);
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(unwritable(&folder))?;
        }
        fs::create_dir_all(&folder).map_err(unwritable(&folder))?;
    }
    Ok(earlier)
}

/// Makes the folder, its `runs/` and one folder for each run, and puts the experiment file there.
pub(super) fn prepare(root: &Path, text: &str, runs: &[String]) -> Result<(), StartError> {
    fs::create_dir_all(root).map_err(unwritable(root))?;
    if fs::read_dir(root).map_err(unwritable(root))?.next().is_some() {
        return Err(StartError::NotEmpty { path: root.to_owned() });
    }
    let file = root.join("experiment.toml");
    fs::write(&file, text).map_err(unwritable(&file))?;
    for run in runs {
        let folder = root.join("runs").join(run);
        fs::create_dir_all(&folder).map_err(unwritable(&folder))?;
    }
    Ok(())
}

/// Writes a file so that a reader sees the old one or the new one, never a part.
pub(super) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let new = path.with_extension("new");
    let mut file = fs::File::create(&new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, path)
}
