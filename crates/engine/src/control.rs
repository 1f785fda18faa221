//! What a run tells its watcher, and what the watcher may tell the run. Both sides may be on different threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use units::Time;

/// Shared between a run and whoever watches it, by copies of it. The run looks at every event, and in computations that may take longer than
/// a second; it writes every few thousand events.
#[derive(Debug, Clone, Default)]
pub struct Control(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    simulated_ps: AtomicU64,
    hops: AtomicU64,
    stop: AtomicBool,
    save: AtomicBool,
}

impl Control {
    /// The run: "I am here." True if it is to stop.
    pub fn report(&self, now: Time, hops: u64) -> bool {
        self.0.simulated_ps.store(now.as_ps(), Relaxed);
        self.0.hops.store(hops, Relaxed);
        self.0.stop.load(Relaxed)
    }
    /// The run: whether [`Control::save`] was called since it was asked last.
    pub fn is_to_save(&self) -> bool {
        self.0.save.load(Relaxed) && self.0.save.swap(false, Relaxed)
    }
    /// The watcher: how far the run is, in simulated time and hops.
    pub fn progress(&self) -> (Time, u64) {
        (Time::from_ps(self.0.simulated_ps.load(Relaxed)), self.0.hops.load(Relaxed))
    }
    /// The watcher: stop at the next look, and keep what you have.
    pub fn stop(&self) {
        self.0.stop.store(true, Relaxed);
    }
    /// The watcher: at the next look, have all rows outlive the process. The results stay the same to the byte.
    pub fn save(&self) {
        self.0.save.store(true, Relaxed);
    }
    /// Whether [`Control::stop`] was called.
    pub fn is_stopped(&self) -> bool {
        self.0.stop.load(Relaxed)
    }
}
