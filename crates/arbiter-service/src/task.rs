//! Something that goes on on threads of its own until it is stopped, watched from outside.

use crate::settings::ServiceError;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How a service is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stop {
    /// Not yet.
    No,
    /// When what it does is in order: another arbiter has taken over, say.
    Soon,
    /// Now.
    Now,
}

/// What a service and its watcher share.
#[derive(Debug)]
pub(crate) struct Shared<R> {
    stop: AtomicU8,
    state: Mutex<State<R>>,
    ended: Condvar,
}

#[derive(Debug)]
struct State<R> {
    report: R,
    lines: Vec<String>,
    outcome: Option<Result<(), ServiceError>>,
}

impl<R> Shared<R> {
    /// How it is to end.
    pub(crate) fn stop(&self) -> Stop {
        match self.stop.load(Relaxed) {
            0 => Stop::No,
            1 => Stop::Soon,
            _ => Stop::Now,
        }
    }

    /// How it is by now.
    pub(crate) fn publish(&self, report: R, lines: Vec<String>) {
        let mut state = self.state();
        state.report = report;
        state.lines.extend(lines);
        let excess = state.lines.len().saturating_sub(MOST_LINES);
        state.lines.drain(..excess);
    }

    fn state(&self) -> MutexGuard<'_, State<R>> {
        // A watcher that panicked has left a report as whole as any.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lines that nobody has read, at most: older ones give way.
const MOST_LINES: usize = 10_000;

/// A service that has been started. It ends at once when this is dropped.
#[derive(Debug)]
pub struct Task<R> {
    shared: Arc<Shared<R>>,
}

impl<R: Clone + Send + 'static> Task<R> {
    /// Does `work` on a thread of its own.
    pub(crate) fn start(
        name: &str,
        report: R,
        work: impl FnOnce(&Shared<R>) -> Result<(), ServiceError> + Send + 'static,
    ) -> std::io::Result<Task<R>> {
        let state = State { report, lines: Vec::new(), outcome: None };
        let shared = Arc::new(Shared { stop: AtomicU8::new(0), state: Mutex::new(state), ended: Condvar::new() });
        let its = shared.clone();
        std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            let outcome = work(&its);
            its.state().outcome = Some(outcome);
            its.ended.notify_all();
        })?;
        Ok(Task { shared })
    }

    /// What it has done by now: a fifth of a second old at most.
    pub fn report(&self) -> R {
        self.shared.state().report.clone()
    }

    /// What has happened since this was last asked, in sentences.
    pub fn lines(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.state().lines)
    }

    /// It is to end: an arbiter in charge hands over before it does. Asked a second time, it ends at once.
    pub fn stop(&self) {
        if self.shared.stop.compare_exchange(0, 1, Relaxed, Relaxed).is_err() {
            self.shared.stop.store(2, Relaxed);
        }
    }

    /// Waits until it has ended, at most so long; how, if it has.
    pub fn wait(&self, most: Duration) -> Option<Result<(), ServiceError>> {
        let state = self.shared.state();
        let is_going_on = |state: &mut State<R>| state.outcome.is_none();
        let (state, _) =
            self.shared.ended.wait_timeout_while(state, most, is_going_on).unwrap_or_else(PoisonError::into_inner);
        state.outcome.clone()
    }
}

impl<R> Drop for Task<R> {
    fn drop(&mut self) {
        self.shared.stop.store(2, Relaxed);
    }
}
