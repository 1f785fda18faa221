//! A plan that is being run.

use super::assemble;
use super::folder::{self, Held, StartError};
use super::manifest::{Machine, Manifest, RunEntry, RunStatus, Status};
use crate::plan::{Input, Plan, RunPlan};
use cpu_time::ThreadTime;
use engine::{Control, OutOfMemory, Stopped};
use results::{Closed, Destination, Digest};
use schemars::JsonSchema;
use serde::Serialize;
use simulation::{Ended, Outcome};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use units::Bytes;

/// A plan that is being run, on threads of its own. Dropping it stops it.
pub struct Job {
    shared: Arc<Shared>,
}

/// How far all runs are. A hop is one frame over one link.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Progress {
    /// Each run.
    pub runs: Vec<RunProgress>,
    /// Frames over links so far, of all runs.
    pub hops: u64,
    /// Seconds since the start.
    pub elapsed_s: f64,
}

/// How far a run is.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
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
    /// Flows that have ended so far, in this job.
    pub flows: u64,
    /// Flows of which it is over once all have ended, as expected; none if it goes on for all of its time, or if it depends on the network how many
    /// there are.
    pub expected_flows: Option<u64>,
    /// An earlier job did it, with whose results this one goes on.
    pub earlier: bool,
}

struct Shared {
    plan: Plan,
    /// Where results go; None keeps them in memory.
    root: Option<PathBuf>,
    controls: Vec<Control>,
    next: AtomicUsize,
    /// Runs were stopped because time was up, not because somebody said so.
    out_of_time: AtomicBool,
    stopped: AtomicBool,
    begun: Instant,
    wall_limit: Option<Duration>,
    /// Seconds that an earlier job took, if this one goes on with its results.
    before_s: f64,
    /// Runs that it did.
    earlier: Vec<bool>,
    /// What whoever watches has not been told yet.
    news: Mutex<Vec<String>>,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    manifest: Manifest,
    /// It knows more than its file does.
    unwritten: bool,
    /// Workers that have not ended.
    working: usize,
    /// All of them have, and the manifest says so.
    over: bool,
    /// Tables of each run, if they are kept in memory.
    tables: Vec<Vec<Closed>>,
    #[cfg(test)]
    pub writes: u32,
}

/// How often the manifest is written, at most: with a thousand runs a second, a file for each would take longer than the runs.
const WRITE_EVERY: Duration = Duration::from_millis(300);
/// How often the rows so far are saved, in case the process is killed.
const SAVE_EVERY: Duration = Duration::from_secs(2);
/// What a run adds to the manifest when it has ended, in bytes: digests and a message. Generous.
const ENTRY: usize = 2048;

impl Job {
    /// Starts the runs of `plan`, `threads` at once. Results go to the folder `root`, which must be empty or not exist;
    /// without one they are kept in memory. `text` is the experiment file, to be kept beside them. With `resume` the folder has
    /// results of the same file, as it is or was, and runs that are done, by this version and of the same plan, are not run again.
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
        let inputs = digests(&plan)?;
        let file =
            Path::new(&plan.file).file_name().map_or(plan.file.clone(), |name| name.to_string_lossy().into_owned());
        let identities = plan.identities.iter().map(|identity| identity.digest(&inputs));
        let entries: Vec<RunEntry> = plan.runs.iter().zip(identities).map(|(run, plan)| entry(run, plan)).collect();
        let (mut earlier, mut held) = (None, None);
        if let Some(root) = root {
            if resume {
                let (folder, found) = folder::reopen(root, &file, text, &entries)?;
                (held, earlier) = (Some(folder), Some(found));
            } else {
                let names: Vec<String> = plan.runs.iter().map(|run| run.name.clone()).collect();
                held = Some(folder::prepare(root, text, &names)?);
            }
        }
        let done = |run: &str| earlier.as_ref().and_then(|earlier| earlier.done(run)).cloned();
        let (started, before_s) = earlier.as_ref().map_or_else(
            || (jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(), 0.0),
            |earlier| (earlier.started.clone(), earlier.wall_s),
        );
        let manifest = Manifest {
            gossamer: env!("CARGO_PKG_VERSION").to_owned(),
            title: plan.title.clone(),
            file,
            overrides: overrides.to_vec(),
            inputs,
            started,
            wall_s: before_s,
            threads,
            machine: Machine::here(),
            status: Status::Running,
            message: None,
            compare: plan.runs.first().and_then(|run| run.compare.clone()),
            runs: entries.into_iter().map(|entry| done(&entry.name).unwrap_or(entry)).collect(),
        };
        let runs = plan.runs.len();
        let is_done = plan.runs.iter().map(|run| done(&run.name).is_some()).collect();
        let news = Mutex::new(earlier.map_or_else(Vec::new, |earlier| earlier.notes));
        let shared = Arc::new(Shared {
            controls: plan.runs.iter().map(|_| Control::default()).collect(),
            plan,
            root: root.map(Path::to_owned),
            next: AtomicUsize::new(0),
            out_of_time: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            begun: Instant::now(),
            wall_limit,
            before_s,
            earlier: is_done,
            news,
            state: Mutex::new(State {
                manifest,
                unwritten: false,
                working: threads,
                over: false,
                tables: vec![Vec::new(); runs],
                #[cfg(test)]
                writes: 0,
            }),
            changed: Condvar::new(),
        });
        if let Some(held) = &held {
            let text = text_of(&shared.lock().manifest);
            held.keep_room(2 * text.len() + ENTRY * runs)?;
            held.write_manifest(&text).map_err(|source| StartError::Unwritable { path: held.manifest(), source })?;
        }
        let keeper = Arc::clone(&shared);
        std::thread::Builder::new().spawn(move || keeper.keep(held)).map_err(StartError::NoThread)?;
        let (mut spawned, mut refused) = (0, None);
        while spawned < threads && refused.is_none() {
            let worker = Arc::clone(&shared);
            match std::thread::Builder::new().spawn(move || worker.work()) {
                Ok(_) => spawned += 1,
                Err(error) => refused = Some(error),
            }
        }
        if let Some(error) = refused {
            // Fewer threads do the same. Without any, the keeper ends by itself.
            let mut state = shared.lock();
            state.working -= threads - spawned;
            state.manifest.threads = spawned;
            shared.changed.notify_all();
            if spawned == 0 {
                return Err(StartError::NoThread(error));
            }
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
                let now = control.progress();
                let (simulated_ps, hops) = if entry.status == RunStatus::Done {
                    (entry.simulated_ps, entry.hops)
                } else {
                    (now.simulated.as_ps(), now.hops)
                };
                RunProgress {
                    name: plan.name.clone(),
                    status: entry.status,
                    simulated_ps,
                    duration_ps: plan.duration.as_ps(),
                    hops,
                    flows: now.flows,
                    expected_flows: plan.flows_until_done(),
                    earlier,
                }
            })
            .collect();
        Progress {
            hops: runs.iter().map(|run| run.hops).sum(),
            runs,
            elapsed_s: self.shared.begun.elapsed().as_secs_f64(),
        }
    }

    /// What happened beside the runs since this was last asked, in sentences: which runs of an earlier job are done again, and why.
    pub fn news(&self) -> Vec<String> {
        std::mem::take(&mut *self.shared.news.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// Has every run stop where it is and write what it has. [`Job::wait`] for it.
    pub fn stop(&self) {
        self.shared.stop();
    }

    /// Waits until everything has ended, but no longer than this. True if it has.
    pub fn wait(&self, timeout: Duration) -> bool {
        let waited = self.shared.changed.wait_timeout_while(self.shared.lock(), timeout, |state| !state.over);
        waited.map_or_else(|poisoned| poisoned.into_inner().0.over, |(state, _)| state.over)
    }

    /// What is known of it by now.
    pub fn manifest(&self) -> Manifest {
        self.shared.lock().manifest.clone()
    }

    /// A table of a run that has ended and was kept in memory, as an Arrow IPC stream.
    pub fn table(&self, run: usize, name: &str) -> Option<Vec<u8>> {
        let state = self.shared.lock();
        state.tables.get(run)?.iter().find(|table| table.name == name)?.kept.clone()
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.shared.stop();
    }
}

fn entry(plan: &RunPlan, identity: String) -> RunEntry {
    RunEntry {
        name: plan.name.clone(),
        folder: format!("runs/{}", plan.name),
        variant: plan.variant.clone(),
        sweep: plan.sweep.iter().cloned().collect(),
        seed: plan.seed.0,
        plan: identity,
        gossamer: env!("CARGO_PKG_VERSION").to_owned(),
        faults: plan.faults.planned.clone(),
        status: RunStatus::NotStarted,
        message: None,
        core_s: 0.0,
        hops: 0,
        simulated_ps: 0,
        tables: BTreeMap::new(),
        worth: plan.worth.clone(),
    }
}

/// Of the files that an experiment reads beside its own.
fn digests(plan: &Plan) -> Result<BTreeMap<String, Digest>, StartError> {
    let digest = |input: &Input| match Digest::of_file(&input.path) {
        Ok(digest) => Ok((input.name.clone(), digest)),
        Err(source) => Err(StartError::Unreadable { path: input.path.clone(), source }),
    };
    plan.inputs.iter().map(digest).collect()
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
                let mut state = self.lock();
                let entry = &mut state.manifest.runs[index];
                let is_done = entry.status == RunStatus::Done; // by an earlier job
                if !is_done {
                    entry.status = RunStatus::Running;
                    state.unwritten = true;
                }
                is_done
            };
            if !is_done {
                self.run(index, plan);
            }
        }
        let mut state = self.lock();
        state.working -= 1;
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
        let result =
            catch_unwind(AssertUnwindSafe(|| control.stoppable(|| assemble::run(plan, &destination, control))));
        let core_s = clock.elapsed().as_secs_f64();
        let mut state = self.lock();
        let engine::Progress { simulated, hops, .. } = control.progress();
        let entry = &mut state.manifest.runs[index];
        (entry.core_s, entry.hops, entry.simulated_ps) = (core_s, hops, simulated.as_ps());
        match result {
            Ok(Ok(Ok(Outcome { ended, deadlock, collisions, tables, .. }))) => {
                let noticed: Vec<String> = [deadlock, collisions].into_iter().flatten().collect();
                let noticed = (!noticed.is_empty()).then(|| noticed.join("; "));
                (entry.status, entry.message) = match ended {
                    // With a deadlock that something broken has ended, or collisions.
                    Ended::Done => (RunStatus::Done, noticed),
                    Ended::Stopped if self.out_of_time.load(SeqCst) => {
                        let found = noticed.map(|noticed| format!("; {noticed}")).unwrap_or_default();
                        (RunStatus::OutOfTime, Some(format!("the wall-clock budget was spent{found}")))
                    }
                    Ended::Stopped => (RunStatus::Stopped, noticed),
                    Ended::Stalled(who) => (RunStatus::Stalled, Some(who)),
                };
                entry.tables = tables.iter().map(|table| (table.name.to_owned(), table.digest.clone())).collect();
                if destination == Destination::Memory {
                    state.tables[index] = tables;
                }
            }
            Ok(Ok(Err(error))) => (entry.status, entry.message) = (RunStatus::Failed, Some(error.to_string())),
            Ok(Err(Stopped)) => {
                let why =
                    if self.out_of_time.load(SeqCst) { "the wall-clock budget was spent" } else { "it was stopped" };
                let message = format!("{why} before its network and its workload were built");
                (entry.status, entry.message) = (RunStatus::NotStarted, Some(message));
            }
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
        state.unwritten = true;
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

    /// Writes the manifest now and then, has rows saved, and watches the clock, until everything has ended.
    fn keep(&self, held: Option<Held>) {
        let (mut now, mut saved) = (Duration::ZERO, Duration::ZERO);
        loop {
            let left = self.wall_limit.map_or(WRITE_EVERY, |limit| limit.saturating_sub(now));
            let pause = if left.is_zero() { WRITE_EVERY } else { WRITE_EVERY.min(left) };
            let waited = self.changed.wait_timeout_while(self.lock(), pause, |state| state.working > 0);
            let mut state = waited.map_or_else(|poisoned| poisoned.into_inner().0, |(state, _)| state);
            now = self.begun.elapsed();
            state.manifest.wall_s = self.before_s + now.as_secs_f64();
            if state.working == 0 {
                return self.end(state, held);
            }
            if let Some(held) = held.as_ref().filter(|_| state.unwritten) {
                let text = text_of(&state.manifest);
                state.unwritten = false;
                drop(state); // the disk holds nobody up
                let written = held.write_manifest(&text).is_ok();
                let mut state = self.lock();
                state.unwritten |= !written;
                #[cfg(test)]
                {
                    state.writes += 1;
                }
            } else {
                drop(state);
            }
            if self.wall_limit.is_some_and(|limit| now >= limit) && !self.stopped.load(SeqCst) {
                self.out_of_time.store(true, SeqCst);
                self.stop();
            }
            if now - saved >= SAVE_EVERY {
                saved = now;
                self.controls.iter().for_each(Control::save);
            }
        }
    }

    /// Says how everything ended, in the last manifest; in memory alone, if it cannot be written. Lets the folder go.
    fn end(&self, mut state: MutexGuard<'_, State>, held: Option<Held>) {
        state.manifest.status = self.status(&state.manifest.runs);
        if let Some(held) = held {
            let text = text_of(&state.manifest);
            let first = held.write_manifest(&text);
            held.release_room();
            if let Err(error) = first.or_else(|_| held.write_manifest(&text)) {
                state.manifest.status = Status::Failed;
                state.manifest.message = Some(format!("manifest.json: cannot write: {error}"));
            }
        }
        state.over = true;
        drop(state);
        self.changed.notify_all();
    }
}

fn text_of(manifest: &Manifest) -> String {
    serde_json::to_string_pretty(manifest).expect("names and numbers can be written as JSON") + "\n"
}

#[cfg(test)]
mod tests;
