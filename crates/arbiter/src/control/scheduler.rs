//! What an active arbiter schedules with.

use crate::allocation::hosts::Hosts;
use crate::allocation::{Admission as _, Allocator, Policy};
use crate::interpod::{Attached, Given, WithCores};
use crate::paths::PathAssigner;
use crate::pod::{Part, Path, Pod, Transfer};
use crate::slot::Slot;

/// Slots, and paths: one after the other while all paths are there; together where some are not, as a matching need not have paths then.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Scheduler {
    /// Everything works.
    Apart(Allocator<Hosts>, PathAssigner, Vec<Path>),
    /// Something does not; and how many slots of a batch have been handed out.
    Together(Allocator<WithCores>, u32),
}

impl Scheduler {
    /// With nothing to schedule yet, for a pod of which these parts do not work.
    pub(super) fn new(pod: &Pod, policy: Policy, batch: u32, first: Slot, broken: &[Part]) -> Scheduler {
        let hosts = pod.hosts();
        // A pod of three tiers has no scheduler that knows of broken links, and goes on as if all worked.
        let attached = (!broken.is_empty()).then(|| Attached::new(pod.clone(), 1, 1).ok()).flatten();
        let Some(attached) = attached else {
            let allocator = Allocator::new(policy, Hosts::new(pod), hosts, hosts, batch, first);
            return Scheduler::Apart(allocator, PathAssigner::new(pod), Vec::new());
        };
        let mut admission = WithCores::new(&attached, batch);
        let (sources, destinations) = admission.participants();
        for part in broken {
            admission.set_works(*part, false);
        }
        admission.clear();
        Scheduler::Together(Allocator::new(policy, admission, sources, destinations, batch, first), 0)
    }

    /// The next slot to be handed out.
    pub(super) fn upcoming(&self) -> Slot {
        match self {
            Scheduler::Apart(allocator, ..) => allocator.upcoming(),
            Scheduler::Together(allocator, _) => allocator.upcoming(),
        }
    }

    /// Goes on at a later slot.
    pub(super) fn resume_at(&mut self, slot: Slot) {
        match self {
            Scheduler::Apart(allocator, ..) => allocator.resume_at(slot),
            Scheduler::Together(allocator, number) => {
                allocator.resume_at(slot);
                *number = 0;
            }
        }
    }

    /// So many slots are wanted.
    pub(super) fn set(&mut self, source: u16, destination: u16, slots: u32) {
        match self {
            Scheduler::Apart(allocator, ..) => allocator.set(source, destination, slots),
            Scheduler::Together(allocator, _) => allocator.set(source, destination, slots),
        }
    }

    /// Hands out the next slot.
    pub(super) fn next_slot(&mut self, batch: u32, mut give: impl FnMut(Slot, Transfer, Path)) {
        match self {
            Scheduler::Apart(allocator, assigner, paths) => {
                let (slot, transfers) = allocator.next_slot();
                assigner.assign(transfers, paths);
                transfers.iter().zip(paths.iter()).for_each(|(transfer, path)| give(slot, *transfer, *path));
            }
            Scheduler::Together(allocator, number) => {
                let (slot, transfers) = allocator.next_slot();
                let transfers = transfers.to_vec();
                for (transfer, Given { plane, .. }) in transfers.into_iter().zip(allocator.admission().given(*number)) {
                    give(slot, transfer, Path::Aggregation(*plane));
                }
                *number = (*number + 1) % batch;
            }
        }
    }
}
