//! The folder of results: made before anything runs, so that nobody waits an hour to learn that it cannot be written.

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
