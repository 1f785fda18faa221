//! What a run tells its watcher, and what the watcher may tell the run. Both sides may be on different threads.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use units::Time;

/// Shared between a run and whoever watches it, by copies of it. The run looks at every event, and in computations that may take longer than
/// a second (see [`look`]); it writes every few thousand events.
#[derive(Debug, Clone, Default)]
pub struct Control(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    simulated_ps: AtomicU64,
    hops: AtomicU64,
    flows: AtomicU64,
    stop: AtomicBool,
    save: AtomicBool,
    /// Calls of [`look`] until the computation is stopped.
    looks_left: AtomicU64,
}

impl Default for Shared {
    fn default() -> Shared {
        Shared {
            simulated_ps: AtomicU64::new(0),
            hops: AtomicU64::new(0),
            flows: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            save: AtomicBool::new(false),
            looks_left: AtomicU64::new(u64::MAX),
        }
    }
}

/// How far a run is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Simulated time.
    pub simulated: Time,
    /// Frames over links.
    pub hops: u64,
    /// Flows that have ended.
    pub flows: u64,
}

/// A computation was stopped before it came to a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

thread_local! {
    /// The control that this thread's computation looks at.
    static WATCHING: RefCell<Option<Control>> = const { RefCell::new(None) };
}

/// Looks whether the computation that this thread does under [`Control::stoppable`] is to stop, and if so unwinds to there; elsewhere it
/// does nothing. Whatever may take longer than a second calls it often, at places where all that outlives the computation is consistent.
pub fn look() {
    let is_to_stop = WATCHING.with_borrow(|watching| watching.as_ref().is_some_and(Control::is_at_its_end));
    if is_to_stop {
        // Not a mistake of the program, so nothing is printed.
        resume_unwind(Box::new(Stopped));
    }
}

/// A [`look`] at the first and then at every few thousandth of many short steps.
#[derive(Debug, Clone, Default)]
pub struct Looks(u16);

impl Looks {
    const EVERY: u16 = 4096;

    /// One more step.
    #[inline]
    pub fn step(&mut self) {
        if self.0.is_multiple_of(Looks::EVERY) {
            look();
        }
        self.0 = self.0.wrapping_add(1);
    }
}

/// These items, each a step of [`Looks`].
pub fn looking<I: IntoIterator>(items: I) -> impl Iterator<Item = I::Item> {
    let mut looks = Looks::default();
    items.into_iter().inspect(move |_| looks.step())
}

impl Control {
    /// The run: "I am here." True if it is to stop.
    pub fn report(&self, Progress { simulated, hops, flows }: Progress) -> bool {
        self.0.simulated_ps.store(simulated.as_ps(), Relaxed);
        self.0.hops.store(hops, Relaxed);
        self.0.flows.store(flows, Relaxed);
        self.0.stop.load(Relaxed)
    }
    /// The run: whether [`Control::save`] was called since it was asked last.
    pub fn is_to_save(&self) -> bool {
        self.0.save.load(Relaxed) && self.0.save.swap(false, Relaxed)
    }
    /// The watcher: how far the run is.
    pub fn progress(&self) -> Progress {
        Progress {
            simulated: Time::from_ps(self.0.simulated_ps.load(Relaxed)),
            hops: self.0.hops.load(Relaxed),
            flows: self.0.flows.load(Relaxed),
        }
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
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.0.stop.load(Relaxed)
    }
    /// The watcher: stop the computation under [`Control::stoppable`] when it has called [`look`] so often. For tests: always the same place.
    pub fn stop_after(&self, looks: u64) {
        self.0.looks_left.store(looks, Relaxed);
    }
    /// How often a computation under [`Control::stoppable`] has looked, if nobody called [`Control::stop_after`].
    pub fn looks(&self) -> u64 {
        u64::MAX - self.0.looks_left.load(Relaxed)
    }
    /// Does `work`, which looks at this control wherever it calls [`look`].
    ///
    /// # Errors
    /// If it was stopped. What it had computed is gone.
    pub fn stoppable<T>(&self, work: impl FnOnce() -> T) -> Result<T, Stopped> {
        let _watching = Watching(WATCHING.replace(Some(self.clone())));
        // Unwind safe: `look` is called only where what outlives the computation is consistent.
        catch_unwind(AssertUnwindSafe(work)).map_err(|panic| match panic.downcast::<Stopped>() {
            Ok(stopped) => *stopped,
            Err(panic) => resume_unwind(panic),
        })
    }
    fn is_at_its_end(&self) -> bool {
        let left = self.0.looks_left.load(Relaxed);
        self.0.looks_left.store(left.saturating_sub(1), Relaxed);
        left == 0 || self.is_stopped()
    }
}

/// The control that this thread looked at before; it does again when this is dropped.
struct Watching(Option<Control>);

impl Drop for Watching {
    fn drop(&mut self) {
        WATCHING.set(self.0.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_computation_ends_at_its_next_look() {
        let control = Control::default();
        let mut done = 0;
        control.stop_after(3);
        let work = || {
            for _ in 0..10 {
                look();
                done += 1;
            }
        };
        assert_eq!((control.stoppable(work), done), (Err(Stopped), 3));

        let control = Control::default();
        control.stop();
        assert_eq!(control.stoppable(|| looking(0..1).count()), Err(Stopped));
    }

    #[test]
    fn looks_do_nothing_to_others() {
        let (outer, inner) = (Control::default(), Control::default());
        look();
        let done = outer.stoppable(|| {
            inner.stop();
            let stopped = inner.stoppable(look);
            look();
            stopped
        });
        assert_eq!((done, outer.looks(), inner.looks()), (Ok(Err(Stopped)), 1, 1));
        inner.stop();
        look();
    }

    #[test]
    fn other_panics_go_on() {
        let panic = catch_unwind(|| Control::default().stoppable(|| resume_unwind(Box::new(7))));
        assert_eq!(panic.expect_err("it panics").downcast_ref(), Some(&7));
    }

    #[test]
    fn long_lists_are_looked_at_now_and_then() {
        let control = Control::default();
        assert_eq!(control.stoppable(|| looking(0..10_000).sum::<u32>()), Ok(49_995_000));
        assert_eq!(control.looks(), 3);
    }
}
