//! The folder of results: made before anything runs, so that nobody waits an hour to learn that it cannot be written, and held
//! while a job writes it.

use super::manifest::{RunEntry, RunStatus};
use results::Digest;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Runs cannot be started, or their results not be written where they should be.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is something already.
    #[error("{}: is not empty; choose another folder with --out, or remove this one", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// Another job writes there.
    #[error("{}: another job is writing its results there; wait until it has ended, or stop it", path.display())]
    Busy {
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
    /// A file that the experiment reads is not what it was.
    #[error(
        "{}: cannot go on with it: {input} has changed since its runs began, and results of both would be mixed; bring the file \
         back, or leave --resume away", path.display()
    )]
    Changed {
        /// The folder.
        path: PathBuf,
        /// The file, as the experiment names it.
        input: String,
    },
    /// A file that the experiment reads is gone since it was checked.
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The system refuses.
    #[error("{}: cannot be written: {source}; choose another folder with --out", path.display())]
    Unwritable {
        /// The folder or file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The system gives no thread.
    #[error("no run can be started: the system gives no thread: {0}")]
    NoThread(io::Error),
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
    #[serde(default)]
    inputs: BTreeMap<String, Digest>,
    pub started: String,
    pub wall_s: f64,
    runs: Vec<RunEntry>,
}

impl Earlier {
    /// A run that it has done.
    pub(super) fn done(&self, name: &str) -> Option<&RunEntry> {
        self.runs.iter().find(|run| run.name == name && run.status == RunStatus::Done)
    }
}

/// What makes an experiment the one that it is.
pub(super) struct Identity<'a> {
    /// Its file.
    pub text: &'a str,
    /// What `--set` changed in it.
    pub overrides: &'a [String],
    /// The other files that it reads.
    pub inputs: &'a BTreeMap<String, Digest>,
}

/// The folder is this job's until the value is dropped, or the process ends, in whatever way.
pub(super) struct Held {
    root: PathBuf,
    /// The experiment's file, with the system's lock on it: it is there as long as the folder, and nobody writes it again.
    _locked: File,
}

impl Held {
    fn lock(root: &Path, file: File) -> Result<Held, StartError> {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(StartError::Busy { path: root.to_owned() }),
            // Some network file systems know no locks; nothing can be held there.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Held { root: root.to_owned(), _locked: file }),
        }
    }
}

/// Opens a folder of results to go on with them: those of the same experiment and version. Runs that are not done, or of which a
/// table is no longer what it was, lose what they had; they begin again.
pub(super) fn reopen(root: &Path, same: &Identity<'_>, runs: &[String]) -> Result<(Held, Earlier), StartError> {
    let other = |why| StartError::Other { path: root.to_owned(), why };
    let file = root.join("experiment.toml");
    let opened = match File::options().read(true).write(true).open(&file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(other("there are no results in it")),
        opened => opened.map_err(unwritable(&file))?,
    };
    let held = Held::lock(root, opened)?;
    let manifest = fs::read_to_string(root.join("manifest.json")).map_err(|_| other("there are no results in it"))?;
    let mut earlier: Earlier =
        serde_json::from_str(&manifest).map_err(|_| other("its manifest.json cannot be read"))?;
    if earlier.gossamer != env!("CARGO_PKG_VERSION") {
        return Err(other("another version of Gossamer made it"));
    }
    let text = fs::read_to_string(&file).is_ok_and(|before| before == same.text);
    if !text || earlier.overrides != same.overrides {
        return Err(other("it is of another experiment, or of other --set"));
    }
    if let Some((input, _)) = same.inputs.iter().find(|(name, digest)| earlier.inputs.get(*name) != Some(digest)) {
        return Err(StartError::Changed { path: root.to_owned(), input: input.clone() });
    }
    earlier.runs.retain(|run| run.tables.iter().all(|(table, digest)| is_still(root, run, table, digest)));
    for run in runs.iter().filter(|run| earlier.done(run).is_none()) {
        let folder = root.join("runs").join(run);
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(unwritable(&folder))?;
        }
        fs::create_dir_all(&folder).map_err(unwritable(&folder))?;
    }
    Ok((held, earlier))
}

fn is_still(root: &Path, run: &RunEntry, table: &str, digest: &Digest) -> bool {
    let file = root.join(&run.folder).join(format!("{table}.arrow"));
    run.status == RunStatus::Done && Digest::of_file(&file).is_ok_and(|now| now == *digest)
}

/// Makes the folder, its `runs/` and one folder for each run, and puts the experiment file there.
pub(super) fn prepare(root: &Path, text: &str, runs: &[String]) -> Result<Held, StartError> {
    fs::create_dir_all(root).map_err(unwritable(root))?;
    if fs::read_dir(root).map_err(unwritable(root))?.next().is_some() {
        return Err(StartError::NotEmpty { path: root.to_owned() });
    }
    let path = root.join("experiment.toml");
    let mut file = match File::create_new(&path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(StartError::NotEmpty { path: root.to_owned() }); // another job was quicker
        }
        created => created.map_err(unwritable(&path))?,
    };
    file.write_all(text.as_bytes()).map_err(unwritable(&path))?;
    let held = Held::lock(root, file)?;
    for run in runs {
        let folder = root.join("runs").join(run);
        fs::create_dir_all(&folder).map_err(unwritable(&folder))?;
    }
    Ok(held)
}

impl Held {
    /// The manifest's file.
    pub(super) fn manifest(&self) -> PathBuf {
        self.root.join("manifest.json")
    }

    /// Keeps this many bytes of the disk free for the last manifest, so that it can say that the disk was full.
    pub(super) fn keep_room(&self, bytes: usize) -> Result<(), StartError> {
        let room = self.root.join(ROOM);
        fs::write(&room, vec![0; bytes]).map_err(unwritable(&room))
    }

    /// Gives the room back.
    pub(super) fn release_room(&self) {
        drop(fs::remove_file(self.root.join(ROOM))); // without it there is only less room
    }

    /// Writes `manifest.json` so that a reader sees the old one or the new one, never a part.
    pub(super) fn write_manifest(&self, text: &str) -> io::Result<()> {
        let (path, new) = (self.manifest(), self.root.join("manifest.new"));
        let write = || {
            let mut file = File::create(&new)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&new, &path)
        };
        write().inspect_err(|_| drop(fs::remove_file(&new)))
    }
}

/// What keeps the room.
const ROOM: &str = "manifest.room";
