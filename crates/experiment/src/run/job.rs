//! A plan that is being run.

use super::assemble;
use super::folder::{self, StartError};
use super::manifest::{Machine, Manifest, RunEntry, RunStatus, Status};
use crate::plan::{Plan, PlannedFault, RunPlan};
use cpu_time::ThreadTime;
use engine::{Control, OutOfMemory};
use results::Destination;
use simulation::{Ended, Outcome};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use units::{Bytes, Time};

/// A plan that is being run, on threads of its own. Dropping it stops it.
pub struct Job {
    shared: Arc<Shared>,
}

/// How far a job is.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Progress {
    /// Each run.
    pub runs: Vec<RunProgress>,
    /// Frames over links so far, of all runs.
    pub hops: u64,
    /// Seconds since the start.
    pub elapsed_s: f64,
}

/// How far a run is.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct RunProgress {
    /// Its name.
    pub name: String,
    /// Whether it has begun, or how it ended.
    pub status: RunStatus,
    /// Simulated time so far, in picoseconds.
    pub simulated_ps: u64,
    /// Simulated time that was asked for.
    pub duration_ps: u64,
    /// Frames over links so far.
    pub hops: u64,
    /// An earlier job did it, with whose results this one goes on.
    pub earlier: bool,
}

struct Shared {
    plan: Plan,
    root: Option<PathBuf>,
    controls: Vec<Control>,
    next: AtomicUsize,
    /// Runs were stopped because time was up, not because somebody said so.
    out_of_time: AtomicBool,
    stopped: AtomicBool,
    begun: Instant,
    /// Seconds that an earlier job took, if this one goes on with its results.
    before_s: f64,
    /// Runs that it did.
    earlier: Vec<bool>,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    manifest: Manifest,
    /// Workers that have not ended.
    working: usize,
    /// Tables of each run, if they are kept in memory.
    tables: Vec<Vec<(&'static str, Vec<u8>)>>,
}

impl Job {
    /// Starts the runs of `plan`, `threads` at once. Results go to the folder `root`, which must be empty or not exist;
    /// without one they are kept in memory. `text` is the experiment file, to be kept beside them. With `resume` the folder has
    /// results of the same experiment, and runs that are done are not run again.
    ///
    /// # Errors
    /// If the folder is not empty, cannot be written, or has no results to go on with. Nothing has run then.
    #[allow(clippy::disallowed_methods, reason = "a job's wall-clock time is reported, and never reaches a run")]
    pub fn start(
        plan: Plan,
        text: &str,
        overrides: &[String],
        root: Option<&Path>,
        resume: bool,
        threads: usize,
        wall_limit: Option<Duration>,
    ) -> Result<Job, StartError> {
        let threads = threads.clamp(1, plan.runs.len().max(1));
        let mut earlier = None;
        if let Some(root) = root {
            let names: Vec<String> = plan.runs.iter().map(|run| run.name.clone()).collect();
            if resume {
                earlier = Some(folder::reopen(root, text, overrides, &names)?);
            } else {
                folder::prepare(root, text, &names)?;
            }
        }
        let done = |run| earlier.as_ref().and_then(|earlier| earlier.done(run)).cloned();
        let (started, before_s) = earlier.as_ref().map_or_else(
            || (jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(), 0.0),
            |earlier| (earlier.started.clone(), earlier.wall_s),
        );
        let manifest = Manifest {
            gossamer: env!("CARGO_PKG_VERSION").to_owned(),
            title: plan.title.clone(),
            file: Path::new(&plan.file)
                .file_name()
                .map_or(plan.file.clone(), |name| name.to_string_lossy().into_owned()),
            overrides: overrides.to_vec(),
            started,
            wall_s: before_s,
            threads,
            machine: Machine::here(),
            status: Status::Running,
            runs: plan.runs.iter().map(|run| done(&run.name).unwrap_or_else(|| entry(run))).collect(),
        };
        let runs = plan.runs.len();
        let earlier = plan.runs.iter().map(|run| done(&run.name).is_some()).collect();
        let shared = Arc::new(Shared {
            controls: plan.runs.iter().map(|_| Control::default()).collect(),
            plan,
            root: root.map(Path::to_owned),
            next: AtomicUsize::new(0),
            out_of_time: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            begun: Instant::now(),
            before_s,
            earlier,
            state: Mutex::new(State { manifest, working: threads, tables: vec![Vec::new(); runs] }),
            changed: Condvar::new(),
        });
        shared.write_manifest(&shared.lock()).map_err(|source| StartError::Unwritable {
            path: shared.root.clone().unwrap_or_default().join("manifest.json"),
            source,
        })?;
        for _ in 0..threads {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || shared.work());
        }
        if let Some(limit) = wall_limit {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || shared.watch_the_clock(limit));
        }
        Ok(Job { shared })
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        let state = self.shared.lock();
        let runs = self.shared.plan.runs.iter().zip(&self.shared.controls).zip(&state.manifest.runs);
        let runs: Vec<RunProgress> = runs
            .zip(&self.shared.earlier)
            .map(|(((plan, control), entry), &earlier)| {
                let (simulated, hops) = if entry.status == RunStatus::Done {
                    (Time::from_ps(entry.simulated_ps), entry.hops)
                } else {
                    control.progress()
                };
                let (name, status) = (plan.name.clone(), entry.status);
                let (simulated_ps, duration_ps) = (simulated.as_ps(), plan.duration.as_ps());
                RunProgress { name, status, simulated_ps, duration_ps, hops, earlier }
            })
            .collect();
        Progress {
            hops: runs.iter().map(|run| run.hops).sum(),
            runs,
            elapsed_s: self.shared.begun.elapsed().as_secs_f64(),
        }
    }

    /// Has every run stop where it is and write what it has. [`Job::wait`] for it.
    pub fn stop(&self) {
        self.shared.stop();
    }

    /// Waits until everything has ended, but no longer than this. True if it has.
    pub fn wait(&self, timeout: Duration) -> bool {
        let waited = self.shared.changed.wait_timeout_while(self.shared.lock(), timeout, |state| state.working > 0);
        waited.map_or_else(|poisoned| poisoned.into_inner().0.working == 0, |(state, _)| state.working == 0)
    }

    /// What is known of it by now.
    pub fn manifest(&self) -> Manifest {
        self.shared.lock().manifest.clone()
    }

    /// A table of a run that has ended and was kept in memory, as an Arrow IPC stream.
    pub fn table(&self, run: usize, name: &str) -> Option<Vec<u8>> {
        let state = self.shared.lock();
        state.tables.get(run)?.iter().find(|(table, _)| *table == name).map(|(_, bytes)| bytes.clone())
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.shared.stop();
    }
}

fn entry(plan: &RunPlan) -> RunEntry {
    RunEntry {
        name: plan.name.clone(),
        folder: format!("runs/{}", plan.name),
        variant: plan.variant.clone(),
        sweep: plan.sweep.iter().cloned().collect(),
        seed: plan.seed.0,
        faults: plan.faults.planned.iter().map(PlannedFault::to_json).collect(),
        status: RunStatus::NotStarted,
        message: None,
        core_s: 0.0,
        hops: 0,
        simulated_ps: 0,
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn stop(&self) {
        self.stopped.store(true, SeqCst);
        self.controls.iter().for_each(Control::stop);
    }

    /// Takes run after run until there is none left.
    fn work(&self) {
        while !self.stopped.load(SeqCst) {
            let index = self.next.fetch_add(1, SeqCst);
            let Some(plan) = self.plan.runs.get(index) else { break };
            let is_done = {
                let entry = &mut self.lock().manifest.runs[index];
                let is_done = entry.status == RunStatus::Done; // by an earlier job
                if !is_done {
                    entry.status = RunStatus::Running;
                }
                is_done
            };
            if !is_done {
                self.run(index, plan);
            }
        }
        let mut state = self.lock();
        state.working -= 1;
        if state.working == 0 {
            state.manifest.status = self.status(&state.manifest.runs);
        }
        self.write_or_say(&mut state);
        drop(state);
        self.changed.notify_all();
    }

    fn run(&self, index: usize, plan: &RunPlan) {
        let destination = match &self.root {
            Some(root) => Destination::Folder(root.join("runs").join(&plan.name)),
            None => Destination::Memory,
        };
        let control = &self.controls[index];
        let clock = ThreadTime::now();
        let result = catch_unwind(AssertUnwindSafe(|| assemble::run(plan, &destination, control)));
        let core_s = clock.elapsed().as_secs_f64();
        let mut state = self.lock();
        let (simulated, hops) = control.progress();
        let entry = &mut state.manifest.runs[index];
        (entry.core_s, entry.hops, entry.simulated_ps) = (core_s, hops, simulated.as_ps());
        match result {
            Ok(Ok(Outcome { ended, tables, .. })) => {
                (entry.status, entry.message) = match ended {
                    Ended::Done => (RunStatus::Done, None),
                    Ended::Stopped if self.out_of_time.load(SeqCst) => {
                        (RunStatus::OutOfTime, Some("the wall-clock budget was spent".to_owned()))
                    }
                    Ended::Stopped => (RunStatus::Stopped, None),
                    Ended::Stalled(who) => (RunStatus::Stalled, Some(who)),
                };
                state.tables[index] = tables;
            }
            Ok(Err(error)) => (entry.status, entry.message) = (RunStatus::Failed, Some(error.to_string())),
            Err(panic) if panic.is::<OutOfMemory>() => {
                let asked = panic.downcast_ref().map_or(0, |OutOfMemory { bytes }| *bytes);
                let message = format!(
                    "there is no memory for {} in one piece; run fewer runs at once (--threads), or make it smaller",
                    Bytes::new(asked)
                );
                (entry.status, entry.message) = (RunStatus::Failed, Some(message));
            }
            Err(panic) => {
                let what = panic.downcast_ref::<String>().map(String::as_str);
                let what = what.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
                let message = format!("an error of Gossamer's own: {what}; please report it with the experiment file");
                (entry.status, entry.message) = (RunStatus::Failed, Some(message));
            }
        }
        self.write_or_say(&mut state);
    }

    fn status(&self, runs: &[RunEntry]) -> Status {
        let any = |statuses: &[RunStatus]| runs.iter().any(|run| statuses.contains(&run.status));
        if any(&[RunStatus::Failed, RunStatus::Stalled]) {
            Status::Failed
        } else if any(&[RunStatus::Stopped, RunStatus::OutOfTime, RunStatus::NotStarted]) {
            Status::Stopped
        } else {
            Status::Done
        }
    }

    fn write_manifest(&self, state: &State) -> std::io::Result<()> {
        let Some(root) = &self.root else { return Ok(()) };
        let text = serde_json::to_string_pretty(&state.manifest).map_err(std::io::Error::other)?;
        folder::replace(&root.join("manifest.json"), &(text + "\n"))
    }

    /// Writes the manifest; if that fails, the experiment has failed, and what is in memory says so.
    fn write_or_say(&self, state: &mut State) {
        state.manifest.wall_s = self.before_s + self.begun.elapsed().as_secs_f64();
        if let Err(error) = self.write_manifest(state)
            && let Some(run) = state.manifest.runs.iter_mut().find(|run| run.message.is_none())
        {
            run.status = RunStatus::Failed;
            run.message = Some(format!("manifest.json: cannot write: {error}"));
        }
    }

    fn watch_the_clock(&self, limit: Duration) {
        let waited = self.changed.wait_timeout_while(self.lock(), limit, |state| state.working > 0);
        if waited.is_ok_and(|(_, timeout)| timeout.timed_out()) {
            self.out_of_time.store(true, SeqCst);
            self.stop();
        }
    }
}
