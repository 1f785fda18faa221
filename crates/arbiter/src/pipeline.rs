//! Slots on one core, paths on others (Fastpass §3 and §4 have cores of their own for each).
//!
//! What one core does for a slot another need not wait for: an [`Allocator`] allocates the next slots while paths are found for those before. Paths of different
//! slots have nothing to do with each other, so any number of cores can find them. What comes out is the same as on one core, to the last path, only later:
//! [`Pipelined::next_group`] gives slots that were allocated some groups before.
//!
//! Slots themselves have no such pipeline that keeps their order of demands. Fastpass's (`admissible_traffic.c` of its code) has a core for each batch, which hands what it
//! could not place on to the core of the next batch. A core can go through what the one before hands on while that one is still at work, but its own demands' further slots come
//! after that, so a batch cannot be done earlier than the one before it and those further slots: with batches of 64 slots they are most of the work (`docs/performance.md`).

use crate::allocation::{Admission, Allocator};
use crate::paths::PathAssigner;
use crate::pod::{Path, Pod, Transfer};
use crate::slot::Slot;
use std::collections::VecDeque;
use std::io;
use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// A slot with its transfers and their paths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scheduled {
    /// When.
    pub slot: Slot,
    /// Who sends to whom.
    pub transfers: Vec<Transfer>,
    /// The path of each, in their order.
    pub paths: Vec<Path>,
}

/// An allocator whose slots get their paths on other threads.
#[derive(Debug)]
pub struct Pipelined<A> {
    allocator: Allocator<A>,
    workers: Vec<Worker>,
    /// Slots that are handed on together.
    group: usize,
    /// How many groups are on their way before one is waited for.
    depth: usize,
    /// The worker of each group on its way, the oldest first.
    under_way: VecDeque<usize>,
    next: usize,
    /// Groups that have been used, for the next ones: nothing is allocated on the heap once there are enough.
    unused: Vec<Vec<Scheduled>>,
}

/// A thread that finds paths.
#[derive(Debug)]
struct Worker {
    /// Gone when the thread is to end.
    jobs: Option<Sender<Vec<Scheduled>>>,
    done: Receiver<Vec<Scheduled>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    fn start(pod: &Pod) -> io::Result<Worker> {
        let ((jobs, to_do), (finished, done)) = (channel::<Vec<Scheduled>>(), channel());
        let mut assigner = PathAssigner::new(pod);
        let work = move || {
            for mut group in to_do {
                for Scheduled { transfers, paths, .. } in &mut group {
                    assigner.assign(transfers, paths);
                }
                if finished.send(group).is_err() {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("paths".to_owned()).spawn(work)?;
        Ok(Worker { jobs: Some(jobs), done, thread: Some(thread) })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A panic there has been heard of by whoever waited for its paths.
            drop(thread.join());
        }
    }
}

impl<A: Admission> Pipelined<A> {
    /// With so many threads for paths, and so many slots that are handed on together: more of them cost less each and come later.
    ///
    /// # Errors
    /// If the system gives no more threads.
    pub fn new(
        allocator: Allocator<A>,
        pod: &Pod,
        threads: NonZeroUsize,
        group: NonZeroUsize,
    ) -> io::Result<Pipelined<A>> {
        let workers = (0..threads.get()).map(|_| Worker::start(pod)).collect::<io::Result<Vec<_>>>()?;
        let (depth, group) = (2 * workers.len(), group.get());
        Ok(Pipelined { allocator, workers, group, depth, under_way: VecDeque::new(), next: 0, unused: Vec::new() })
    }

    /// What slots are wanted of.
    pub fn allocator(&mut self) -> &mut Allocator<A> {
        &mut self.allocator
    }

    /// Slots between one that is allocated and one that comes out at the same time: two groups for each thread.
    pub fn latency(&self) -> usize {
        self.depth * self.group
    }

    /// Allocates the next group of slots, and gives the group that was allocated [`latency`](Pipelined::latency) slots before, once there is one.
    ///
    /// # Panics
    /// As [`PathAssigner::assign`], of an allocator of another pod.
    pub fn next_group(&mut self) -> Option<Vec<Scheduled>> {
        let mut group = self.unused.pop().unwrap_or_default();
        group.resize_with(self.group, Scheduled::default);
        for scheduled in &mut group {
            let (slot, transfers) = self.allocator.next_slot();
            scheduled.slot = slot;
            scheduled.transfers.clear();
            scheduled.transfers.extend_from_slice(transfers);
        }
        let worker = self.next;
        self.next = (worker + 1) % self.workers.len();
        let jobs = self.workers[worker].jobs.as_ref().expect("it ends with the pipeline");
        jobs.send(group).expect("a thread for paths has panicked");
        self.under_way.push_back(worker);
        if self.under_way.len() > self.depth { self.drain() } else { None }
    }

    /// The oldest group that is on its way, if one is: what is left when no more is to be allocated.
    ///
    /// # Panics
    /// As [`next_group`](Pipelined::next_group).
    pub fn drain(&mut self) -> Option<Vec<Scheduled>> {
        let worker = self.under_way.pop_front()?;
        Some(self.workers[worker].done.recv().expect("a thread for paths has panicked"))
    }

    /// Takes a group back that is no longer needed.
    pub fn recycle(&mut self, group: Vec<Scheduled>) {
        self.unused.push(group);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocation::Policy;
    use crate::allocation::hosts::Hosts;
    use proptest::prelude::*;

    fn allocator(pod: &Pod, batch: u32) -> Allocator<Hosts> {
        Allocator::new(Policy::MaxMin, Hosts::new(pod), pod.hosts(), pod.hosts(), batch, Slot(0))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn slots_and_paths_are_those_of_one_core(
            threads in 1_usize..4, group in 1_usize..6, batch in 1..9_u32,
            requests in prop::collection::vec(prop::collection::vec((0..16_u16, 0..16_u16, 1..9_u32), 0..40), 1..12)
        ) {
            let pod = Pod::of_fat_tree(8).expect("a pod");
            let count = |number| NonZeroUsize::new(number).expect("at least one");
            let mut pipelined = Pipelined::new(allocator(&pod, batch), &pod, count(threads), count(group)).expect("threads");
            let (mut alone, mut assigner) = (allocator(&pod, batch), PathAssigner::new(&pod));
            let (mut expected, mut found) = (Vec::new(), Vec::new());
            for wanted in &requests {
                for &(source, destination, slots) in wanted {
                    pipelined.allocator().add(source, destination, slots);
                    alone.add(source, destination, slots);
                }
                for _ in 0..group {
                    let (slot, transfers) = alone.next_slot();
                    let mut paths = Vec::new();
                    assigner.assign(transfers, &mut paths);
                    expected.push(Scheduled { slot, transfers: transfers.to_vec(), paths });
                }
                if let Some(group) = pipelined.next_group() {
                    found.extend_from_slice(&group);
                    pipelined.recycle(group);
                }
                let behind = (expected.len() - found.len()).min(pipelined.latency());
                prop_assert_eq!(expected.len() - found.len(), behind);
            }
            while let Some(group) = pipelined.drain() {
                found.extend(group);
            }
            prop_assert_eq!(found, expected);
        }
    }
}
