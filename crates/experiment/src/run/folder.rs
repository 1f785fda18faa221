//! The folder of results: made before anything runs, so that nobody waits an hour to learn that it cannot be written, and held
//! while a job writes it.

use super::manifest::{RunEntry, RunStatus};
use results::Digest;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Seek, Write};
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
#[derive(Debug, Deserialize)]
pub(super) struct Earlier {
    gossamer: String,
    file: String,
    pub started: String,
    pub wall_s: f64,
    runs: Vec<RunEntry>,
    /// What becomes of runs that were done, in sentences.
    #[serde(skip)]
    pub notes: Vec<String>,
}

impl Earlier {
    /// A run that it has done.
    pub(super) fn done(&self, name: &str) -> Option<&RunEntry> {
        self.runs.iter().find(|run| run.name == name && run.status == RunStatus::Done)
    }

    /// Forgets which runs are done if they are not these, or not whole, and says why.
    fn keep(&mut self, root: &Path, runs: &[RunEntry]) {
        let mut again: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let before = self.gossamer.clone();
        self.runs.retain_mut(|run| {
            let wanted = runs.iter().find(|wanted| wanted.name == run.name);
            if run.status != RunStatus::Done {
                return false;
            }
            let version = if run.gossamer.is_empty() { &before } else { &run.gossamer };
            let why = match wanted {
                None => "left where it is, since the experiment has no such run any more",
                Some(wanted) if *version != wanted.gossamer => "done again, since another version of Gossamer did it",
                Some(wanted) if run.plan != wanted.plan => {
                    "done again, since the plan or a file that it reads has changed"
                }
                Some(_) if !run.tables.iter().all(|(table, digest)| is_still(root, run, table, digest)) => {
                    "done again, since a table is not what was written"
                }
                Some(wanted) => {
                    let RunEntry { folder, variant, sweep, .. } = wanted.clone();
                    (run.folder, run.variant, run.sweep) = (folder, variant, sweep);
                    return true;
                }
            };
            again.entry(why).or_default().push(run.name.clone());
            false
        });
        self.notes = again.into_iter().map(|(why, names)| format!("{}: {why}", listed(&names))).collect();
    }
}

/// The first few of these names.
fn listed(names: &[String]) -> String {
    const NAMED: usize = 4;
    let more = names.len().saturating_sub(NAMED);
    let first = names[..names.len().min(NAMED)].join(", ");
    if more > 0 { format!("{first} and {more} more runs") } else { first }
}

/// The folder is this job's until the value is dropped, or the process ends, in whatever way.
pub(super) struct Held {
    root: PathBuf,
    /// The experiment's file, with the system's lock on it: it is there as long as the folder.
    locked: File,
}

impl Held {
    fn lock(root: &Path, file: File) -> Result<Held, StartError> {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(StartError::Busy { path: root.to_owned() }),
            // Some network file systems know no locks; nothing can be held there.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Held { root: root.to_owned(), locked: file }),
        }
    }
}

/// Opens a folder of results to go on with them, for the runs `runs` of an experiment from a file of this name. Runs that are done, by this
/// version and of the same plan, stay; all others lose what they had, and begin. The folder has this experiment's file from now on.
pub(super) fn reopen(root: &Path, file: &str, text: &str, runs: &[RunEntry]) -> Result<(Held, Earlier), StartError> {
    let other = |why| StartError::Other { path: root.to_owned(), why };
    let path = root.join("experiment.toml");
    let opened = match File::options().read(true).write(true).open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(other("there are no results in it")),
        opened => opened.map_err(unwritable(&path))?,
    };
    let mut held = Held::lock(root, opened)?;
    let manifest = fs::read_to_string(root.join("manifest.json")).map_err(|_| other("there are no results in it"))?;
    let mut earlier: Earlier =
        serde_json::from_str(&manifest).map_err(|_| other("its manifest.json cannot be read"))?;
    if earlier.file != file {
        return Err(other("it is of another experiment file"));
    }
    earlier.keep(root, runs);
    for run in runs.iter().filter(|run| earlier.done(&run.name).is_none()) {
        let folder = root.join(&run.folder);
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(unwritable(&folder))?;
        }
        fs::create_dir_all(&folder).map_err(unwritable(&folder))?;
    }
    if !fs::read_to_string(&path).is_ok_and(|before| before == text) {
        held.rewrite(text).map_err(unwritable(&path))?;
    }
    Ok((held, earlier))
}

fn is_still(root: &Path, run: &RunEntry, table: &str, digest: &Digest) -> bool {
    let file = root.join(&run.folder).join(format!("{table}.arrow"));
    Digest::of_file(&file).is_ok_and(|now| now == *digest)
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
    /// Replaces the experiment's file. Another file in its place would not be locked.
    fn rewrite(&mut self, text: &str) -> io::Result<()> {
        self.locked.rewind()?;
        self.locked.set_len(0)?;
        self.locked.write_all(text.as_bytes())
    }

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
