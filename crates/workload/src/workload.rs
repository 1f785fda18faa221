//! All groups of a run as one stream of flows.

use crate::error::WorkloadError;
use crate::flow::{Flow, Waiting};
use crate::group::Group;
use crate::info::GroupInfo;
use crate::operation::Operation;
use crate::plan::{Plan, plan};
use crate::setting::Setting;
use crate::source::{Source, Start};
use std::collections::{BTreeMap, BTreeSet};
use units::Time;

/// Everything that a run sends, as one stream of flows: take them with [`Workload::start_next`] when their time has come,
/// and say when they end with [`Workload::finish`].
///
/// Its memory grows with the flows in flight that others wait for (and with the number of hosts, and the length of a
/// trace), not with the flows that have passed.
pub struct Workload {
    groups: Vec<Entry>,
    infos: Vec<GroupInfo>,
    /// The next start of each group that has one.
    next: BTreeSet<(Time, u16)>,
    /// Flows in flight whose end something waits for: group and order.
    watched: BTreeMap<u64, (u16, u64)>,
    started: u64,
    /// Operations that have started.
    operations: u64,
}

struct Entry {
    source: Box<dyn Source>,
    priority: u8,
    /// From when on it starts nothing.
    until: Time,
    next: Option<Time>,
    /// The round and the number of its last operation.
    operation: Option<(u32, u64)>,
}

impl Workload {
    /// Checks the groups, and makes ready what they start with.
    ///
    /// # Errors
    /// What is wrong with the groups, in the words of an experiment file.
    pub fn new(groups: &[Group], setting: &Setting) -> Result<Workload, WorkloadError> {
        let Plan { sources, infos } = plan(groups, setting)?;
        let mut workload = Workload {
            groups: Vec::with_capacity(groups.len()),
            infos,
            next: BTreeSet::new(),
            watched: BTreeMap::new(),
            started: 0,
            operations: 0,
        };
        for (index, (group, source)) in (0..).zip(groups.iter().zip(sources)) {
            let until = group.stop.unwrap_or(Time::MAX).min(setting.duration);
            workload.groups.push(Entry { source, priority: group.priority, until, next: None, operation: None });
            workload.refresh(index);
            if workload.groups[usize::from(index)].next.is_none() {
                let why = if group.start >= until {
                    format!("it begins at {}, and from {until} on no flow starts any more", group.start)
                } else {
                    format!("none is due before {until}; raise what it offers, or the time it has")
                };
                workload.infos[usize::from(index)].warnings.push(format!("starts no flow: {why}"));
            }
        }
        Ok(workload)
    }

    /// When the next flow starts, of those that are known to start. Ends of flows may make others known, which may be
    /// earlier than this: ask again after each [`Workload::finish`].
    pub fn next_start(&self) -> Option<Time> {
        self.next.first().map(|(at, _)| *at)
    }

    /// The flow that starts at [`Workload::next_start`].
    pub fn start_next(&mut self) -> Option<Flow> {
        let (_, group) = *self.next.first()?;
        let entry = &mut self.groups[usize::from(group)];
        let start = entry.source.start_next()?;
        let id = self.started;
        self.started += 1;
        if start.watched {
            self.watched.insert(id, (group, start.order));
        }
        let operation = start.round.map(|round| match entry.operation {
            Some((known, number)) if known == round => number,
            _new => {
                let number = self.operations;
                self.operations += 1;
                entry.operation = Some((round, number));
                number
            }
        });
        let priority = entry.priority;
        self.refresh(group);
        let Start { src, dst, bytes, at: start, .. } = start;
        Some(Flow { id, group, src, dst, bytes, start, priority, operation })
    }

    /// The operation of `group` that started last: its round, and what it is.
    pub fn operation(&self, group: u16) -> Option<(u32, Operation)> {
        let entry = &self.groups[usize::from(group)];
        let (round, _) = entry.operation?;
        Some((round, entry.source.operation()?))
    }

    /// The flow `id` has ended at `now`: what waited for it may become due. Has no effect when repeated.
    pub fn finish(&mut self, id: u64, now: Time) {
        if let Some((group, order)) = self.watched.remove(&id) {
            self.groups[usize::from(group)].source.finish(order, now);
            self.refresh(group);
        }
    }

    /// What waits for flows in flight, group by group: for the report of a run that has stalled. Whatever waits, waits for
    /// flows in flight in the end; what is listed waits for one directly.
    pub fn waiting(&self) -> impl Iterator<Item = Waiting> {
        let mut ids = BTreeMap::<u16, BTreeMap<u64, u64>>::new();
        for (id, (group, order)) in &self.watched {
            ids.entry(*group).or_default().insert(*order, *id);
        }
        ids.into_iter().flat_map(|(group, ids)| {
            let orders: Vec<u64> = ids.keys().copied().collect();
            let waits = self.groups[usize::from(group)].source.waiting(&orders);
            let name = &self.infos[usize::from(group)].name;
            waits.into_iter().map(move |wait| {
                let mut flows: Vec<u64> = wait.on.iter().filter_map(|order| ids.get(order).copied()).collect();
                flows.sort_unstable();
                Waiting { group, name: name.clone(), what: wait.what, flows }
            })
        })
    }

    /// How many flows have started: the id of the next.
    pub fn started(&self) -> u64 {
        self.started
    }

    /// About how many flows all groups start if the run takes its whole time and every flow that has an end does end; none
    /// if that depends on the network.
    pub fn expected_flows(&self) -> Option<u64> {
        self.infos.iter().try_fold(0_u64, |sum, info| Some(sum.saturating_add(info.flows?)))
    }

    /// What each group is and offers.
    pub fn groups(&self) -> &[GroupInfo] {
        &self.infos
    }

    /// How many entries it holds now that come and go with flows: what is due, and what others wait for.
    pub fn held(&self) -> usize {
        self.watched.len() + self.groups.iter().map(|entry| entry.source.held()).sum::<usize>()
    }

    /// Looks again when `group` starts its next flow; one that is too late is none.
    fn refresh(&mut self, group: u16) {
        let entry = &mut self.groups[usize::from(group)];
        if let Some(before) = entry.next.take() {
            self.next.remove(&(before, group));
        }
        entry.next = entry.source.next_start().filter(|at| *at < entry.until);
        self.next.extend(entry.next.map(|at| (at, group)));
    }
}
