//! What an active arbiter schedules with.

use crate::allocation::hosts::Hosts;
use crate::allocation::{Admission as _, Allocator, Policy};
use crate::interpod::{Attached, Core, Given, WithCores};
use crate::paths::PathAssigner;
use crate::pod::{Part, Path, Pod, Transfer};
use crate::slot::Slot;

/// What is above a pod among others: core switches, and for which pods each of them takes packets, a bit for each.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Outside {
    pub attached: Attached,
    open: Vec<u128>,
}

impl Outside {
    /// Whose core switches take packets for all pods.
    pub(super) fn new(attached: Attached) -> Outside {
        let cores = attached.pod().uplinks() * attached.cores_per_plane();
        Outside { open: vec![u128::MAX; cores as usize], attached }
    }

    /// What a core switch takes. Whether that is anything new.
    pub(super) fn set_open(&mut self, core: Core, open: u128) -> bool {
        let place = u32::from(core.plane) * self.attached.cores_per_plane() + u32::from(core.number);
        std::mem::replace(&mut self.open[place as usize], open) != open
    }

    fn cores(&self) -> impl Iterator<Item = (Core, u128)> {
        self.attached.cores().zip(self.open.iter().copied())
    }
}

/// Tells an admission for which pods a core switch takes packets. None at all is the backpressure of the whole switch (§3.4).
fn close(admission: &mut WithCores, core: Core, open: u128) {
    admission.close_core(core, open == 0);
    for pod in 0..admission.pods() {
        admission.close_port(core, pod, open & 1 << pod == 0);
    }
}

/// Slots, and paths: one after the other while all paths are there; together where some are not, as a matching need not have paths then.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Scheduler {
    /// Everything works.
    Apart(Allocator<Hosts>, PathAssigner, Vec<Path>),
    /// Something does not, or core switches take part; and how many slots of a batch have been handed out.
    Together(Allocator<WithCores>, u32),
}

impl Scheduler {
    /// With nothing to schedule yet, for a pod of which these parts do not work; it may be among others.
    pub(super) fn new(
        pod: &Pod,
        outside: Option<&Outside>,
        policy: Policy,
        batch: u32,
        first: Slot,
        broken: &[Part],
    ) -> Scheduler {
        let hosts = pod.hosts();
        // A pod of three tiers has no scheduler that knows of broken links, and goes on as if all worked.
        let alone = || (!broken.is_empty()).then(|| Attached::new(pod.clone(), 1, 1).ok()).flatten();
        let Some(attached) = outside.map(|outside| outside.attached.clone()).or_else(alone) else {
            let allocator = Allocator::new(policy, Hosts::new(pod), hosts, hosts, batch, first);
            return Scheduler::Apart(allocator, PathAssigner::new(pod), Vec::new());
        };
        let mut admission = WithCores::new(&attached, batch);
        let (sources, destinations) = admission.participants();
        for part in broken {
            admission.set_works(*part, false);
        }
        for (core, open) in outside.into_iter().flat_map(Outside::cores) {
            close(&mut admission, core, open);
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

    /// A core switch takes packets for these pods only, from the next slot that is not allocated.
    pub(super) fn set_open(&mut self, core: Core, open: u128) {
        if let Scheduler::Together(allocator, _) = self {
            close(allocator.admission_mut(), core, open);
        }
    }

    /// What a core switch sends next to a host is from this host of another pod.
    pub(super) fn set_origin(&mut self, source: u16, destination: u16, origin: u16) {
        if let Scheduler::Together(allocator, _) = self {
            allocator.set_origin(source, destination, origin);
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
                for (transfer, given) in transfers.into_iter().zip(allocator.admission().given(*number)) {
                    let Given { plane: aggregation, core, .. } = *given;
                    let over = |core| Path::Core { aggregation, core };
                    give(slot, transfer, core.map_or(Path::Aggregation(aggregation), over));
                }
                *number = (*number + 1) % batch;
            }
        }
    }
}
