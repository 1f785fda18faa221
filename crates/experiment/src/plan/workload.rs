//! `[[workload]]`: from what was written to groups of flows, checked against the network that they are for.

use super::files::{Files, Folder};
use super::paths::{Paths, sample};
use super::topology::Built;
use super::{FabricPlan, Refusal};
use crate::spec::{
    CollectiveSpec, HostsSpec, InterpolationSpec, OrderSpec, PairsSpec, PatternName, PatternSpec, PatternTable,
    PoissonSpec, SizesSpec, SizesTable, TraceFormat, TraceSpec, WorkloadKind, WorkloadSpec,
};
use ::workload::readers::{self, Format, LineProblem, ReadError};
use ::workload::sizes::{CdfProblem, CdfUnit, Interpolation, Sizes, published, read_cdf};
use ::workload::{
    AllToAll, AllToMany, Arrivals, Background, Bursts, ClosedLoop, Collective, Group, GroupInfo, Hosts, Incast, Kind,
    Order, Pairs, Pattern, Permutation, Poisson, Problem, Receivers, Rounds, Setting, Workload, WorkloadError,
};
use settings::Diagnostics;
use settings::Volume;
use simulation::Transports;

/// What the workload is checked against.
pub(super) struct Checker<'a> {
    pub folder: &'a Folder,
    pub files: &'a mut Files,
    pub setting: &'a Setting,
    pub fabric: &'a FabricPlan,
    pub built: &'a Built,
    pub transports: &'a Transports,
}

impl Checker<'_> {
    /// The groups, and what they are in words and numbers. They count only if nothing was blamed.
    pub(super) fn check(
        mut self,
        specs: &[WorkloadSpec],
        diagnostics: &mut Diagnostics<'_>,
    ) -> (Vec<Group>, Vec<GroupInfo>, Vec<Option<Paths>>) {
        let (names, unique) = names(specs, diagnostics);
        let spread = self.fabric.spreads();
        let (mut groups, mut paths) = (Vec::new(), Vec::new());
        for (index, (spec, name)) in specs.iter().zip(names).enumerate() {
            let mut entry = Entry { path: format!("workload.{index}"), diagnostics };
            if spec.priority >= self.fabric.offers().priorities {
                let classes = self.fabric.offers().priorities;
                entry.refuse("priority", Refusal::NoSuchPriority { classes });
            }
            let Some(kind) = self.kind(&spec.kind, &mut entry) else { continue };
            let WorkloadSpec { priority, start, stop, jitter, .. } = *spec;
            let group = Group { name, kind, priority, start, stop, jitter };
            match Workload::new(std::slice::from_ref(&group), self.setting) {
                Ok(mut own) => {
                    groups.push(group);
                    let routes = self.built.routes.as_deref();
                    let window = self.transports.of(index).max_window();
                    paths.push(routes.and_then(|routes| {
                        sample(&mut own, &self.built.topology, routes, window, spread, self.setting.duration)
                    }));
                }
                Err(error) => entry.refuse_problem(error),
            }
        }
        if groups.len() < specs.len() || !unique {
            return (groups, Vec::new(), Vec::new());
        }
        let end = self.setting.duration;
        if groups.iter().all(|group| group.start >= end) {
            diagnostics.refuse("workload.0.start", Refusal::NothingStarts { end });
        }
        match Workload::new(&groups, self.setting) {
            Ok(workload) => (groups, workload.groups().to_vec(), paths),
            Err(error) => {
                diagnostics.refuse("workload", Refusal::Workload(error.to_string()));
                (groups, Vec::new(), Vec::new())
            }
        }
    }

    fn kind(&mut self, spec: &WorkloadKind, entry: &mut Entry<'_, '_>) -> Option<Kind> {
        match spec {
            WorkloadKind::Permutation(spec) => {
                let pairs = match &spec.pairs {
                    None => Pairs::Random { count: None },
                    Some(PairsSpec::Count(count)) => Pairs::Random { count: Some(*count) },
                    Some(PairsSpec::List(list)) => Pairs::List(list.iter().map(|[src, dst]| (*src, *dst)).collect()),
                };
                let rounds = Rounds { count: spec.rounds, gap: spec.gap };
                Some(Kind::Permutation(Permutation { pairs, size: self.sizes_or_endless(&spec.size, entry)?, rounds }))
            }
            WorkloadKind::AllToAll(spec) => {
                let order = match spec.order {
                    OrderSpec::Random => Order::Random,
                    OrderSpec::Fixed => Order::Fixed,
                    OrderSpec::Shifted => Order::Shifted,
                };
                let (hosts, size) = (entry.hosts("hosts", &spec.hosts)?, self.sizes(&spec.size, entry)?);
                Some(Kind::AllToAll(AllToAll { hosts, size, order, concurrent: spec.concurrent }))
            }
            WorkloadKind::AllToMany(spec) => {
                let receivers = match &spec.receivers {
                    HostsSpec::Count(count) => Receivers::Each(*count),
                    shared @ (HostsSpec::List(_) | HostsSpec::Words(_)) => {
                        Receivers::Shared(entry.hosts("receivers", shared)?)
                    }
                };
                let rounds = Rounds { count: spec.rounds, gap: spec.gap };
                let (senders, size) =
                    (entry.hosts("senders", &spec.senders)?, self.sizes_or_endless(&spec.size, entry)?);
                Some(Kind::AllToMany(AllToMany { senders, receivers, size, rounds }))
            }
            WorkloadKind::Incast(spec) => {
                let rounds = Rounds { count: spec.rounds, gap: spec.gap };
                let (senders, size) =
                    (entry.hosts("senders", &spec.senders)?, self.sizes_or_endless(&spec.size, entry)?);
                Some(Kind::Incast(Incast { receiver: spec.receiver, senders, size, rounds }))
            }
            WorkloadKind::Poisson(spec) => {
                let arrivals = match (spec.load, spec.flows_per_second) {
                    (Some(load), None) => Arrivals::Load(load),
                    (None, Some(rate)) => Arrivals::Rate(rate),
                    (None, None) => {
                        entry.refuse("load", Refusal::NoLoad);
                        return None;
                    }
                    (Some(_), Some(_)) => {
                        entry.refuse("load", Refusal::TwoLoads);
                        return None;
                    }
                };
                let (size, pattern) = (self.sizes(&spec.size, entry), self.pattern(&spec.pattern, entry));
                let PoissonSpec { flows, allow_overload, .. } = *spec;
                let burst = spec.burst.as_ref().map(|points| Bursts {
                    points: points.iter().map(|point| (point.fraction, point.flows)).collect(),
                });
                Some(Kind::Poisson(Poisson { arrivals, flows, size: size?, pattern: pattern?, burst, allow_overload }))
            }
            WorkloadKind::Background(spec) => {
                if spec.flows.is_some() && spec.flows_per_host != 1 {
                    entry.refuse("flows", Refusal::TwoCounts);
                    return None;
                }
                let (hosts, size) = (entry.hosts("hosts", &spec.hosts)?, self.sizes_or_endless(&spec.size, entry)?);
                let (flows_per_host, flows) = (spec.flows_per_host, spec.flows);
                Some(Kind::Background(Background { hosts, flows_per_host, flows, size }))
            }
            WorkloadKind::ClosedLoop(spec) => {
                let (size, pattern) = (self.sizes(&spec.size, entry), self.pattern(&spec.pattern, entry));
                let (flows, flows_per_host, repeat) = (spec.flows, spec.flows_per_host, spec.repeat);
                Some(Kind::ClosedLoop(ClosedLoop { flows, flows_per_host, size: size?, pattern: pattern?, repeat }))
            }
            WorkloadKind::RingAllReduce(spec) => Some(Kind::RingAllReduce(collective(spec, entry)?)),
            WorkloadKind::TreeAllReduce(spec) => Some(Kind::TreeAllReduce(collective(spec, entry)?)),
            WorkloadKind::CollectiveAllToAll(spec) => {
                let collective = collective(&spec.collective, entry)?;
                Some(Kind::CollectiveAllToAll { collective, barrier: spec.barrier })
            }
            WorkloadKind::Trace(spec) => self.trace(spec, entry),
        }
    }

    fn trace(&mut self, spec: &TraceSpec, entry: &mut Entry<'_, '_>) -> Option<Kind> {
        let format = spec.format.map(|format| match format {
            TraceFormat::Csv => Format::Csv,
            TraceFormat::Parquet => Format::Parquet,
            TraceFormat::Htsim => Format::Htsim,
            TraceFormat::Hpcc => Format::Hpcc,
            TraceFormat::Shoal => Format::Shoal,
            TraceFormat::Opera => Format::Opera,
        });
        let (path, hosts) = (self.folder.join(&spec.path), self.setting.hosts);
        match self.files.trace(&path, &format!("{format:?} {hosts}"), || readers::read(&path, format, hosts)) {
            Ok(trace) => Some(Kind::Trace { trace, rebase: spec.rebase }),
            Err(error) => {
                entry.refuse("path", unreadable(&error));
                None
            }
        }
    }

    fn sizes_or_endless(&mut self, spec: &Option<SizesSpec>, entry: &mut Entry<'_, '_>) -> Option<Option<Sizes>> {
        match spec {
            None => Some(None),
            Some(spec) => self.sizes(spec, entry).map(Some),
        }
    }

    fn sizes(&mut self, spec: &SizesSpec, entry: &mut Entry<'_, '_>) -> Option<Sizes> {
        let (name, interpolation) = match spec {
            SizesSpec::Fixed(Volume(bytes)) => return Some(Sizes::Fixed(*bytes)),
            SizesSpec::Named(name) => (name, None),
            SizesSpec::Table(table) => match table {
                SizesTable::Published(spec) => (&spec.name, spec.interpolation.map(interpolation_of)),
                SizesTable::Pareto(spec) => {
                    return Some(Sizes::Pareto { shape: spec.shape, mean: spec.mean, bound: spec.bound });
                }
                SizesTable::Exponential(spec) => return Some(Sizes::Exponential { mean: spec.mean }),
                SizesTable::Uniform(spec) => return Some(Sizes::Uniform { min: spec.min, max: spec.max }),
                SizesTable::File(spec) => {
                    let unit = spec.packet.map_or(CdfUnit::Bytes, |packet| CdfUnit::Packets(packet.get()));
                    let (path, interpolation) = (self.folder.join(&spec.path), interpolation_of(spec.interpolation));
                    let how = format!("{unit:?} {interpolation}");
                    return match self.files.sizes(&path, &how, || read_cdf(&path, unit, interpolation)) {
                        Ok(cdf) => Some(Sizes::Cdf(cdf)),
                        Err(error) => {
                            let refusal = if let CdfProblem::Unreadable(reason) = &error.problem {
                                Refusal::Unreadable { path: error.file.clone(), reason: reason.clone() }
                            } else {
                                Refusal::Workload(error.to_string())
                            };
                            entry.refuse("size.path", refusal);
                            None
                        }
                    };
                }
            },
        };
        match published(name) {
            Ok(known) => Some(Sizes::Cdf(known.cdf(interpolation))),
            Err(error) => {
                entry.refuse("size", Refusal::Workload(error.to_string()));
                None
            }
        }
    }

    fn pattern(&mut self, spec: &PatternSpec, entry: &mut Entry<'_, '_>) -> Option<Pattern> {
        match spec {
            PatternSpec::Named(PatternName::Uniform) => Some(Pattern::Uniform),
            PatternSpec::Named(PatternName::Permutation) => Some(Pattern::Permutation),
            PatternSpec::Table(PatternTable::RackLocal(spec)) => Some(Pattern::RackLocal { fraction: spec.fraction }),
            PatternSpec::Table(PatternTable::Hotspot(spec)) => {
                let targets = entry.hosts("pattern.targets", &spec.targets)?;
                Some(Pattern::Hotspot { targets, fraction: spec.fraction })
            }
            PatternSpec::Table(PatternTable::Among(spec)) => {
                let hosts = entry.hosts("pattern.hosts", &spec.hosts)?;
                Some(Pattern::Among { hosts, fraction: spec.fraction })
            }
            PatternSpec::Table(PatternTable::Clusters(spec)) => Some(Pattern::Clusters { hosts: spec.clusters }),
            PatternSpec::Table(PatternTable::Skewed(spec)) => Some(Pattern::Skewed { sigma: spec.sigma }),
            PatternSpec::Table(PatternTable::Matrix(spec)) => {
                match readers::read_weights(&self.folder.join(&spec.path), self.setting.hosts) {
                    Ok(matrix) => Some(Pattern::Matrix(matrix)),
                    Err(error) => {
                        entry.refuse("pattern.path", unreadable(&error));
                        None
                    }
                }
            }
        }
    }
}

/// One `[[workload]]` while it is checked.
struct Entry<'a, 'b> {
    path: String,
    diagnostics: &'a mut Diagnostics<'b>,
}

impl Entry<'_, '_> {
    fn refuse(&mut self, key: &str, refusal: Refusal) {
        let path = if key.is_empty() { self.path.clone() } else { format!("{}.{key}", self.path) };
        self.diagnostics.refuse(&path, refusal);
    }

    fn hosts(&mut self, key: &str, spec: &HostsSpec) -> Option<Hosts> {
        match spec.hosts() {
            Ok(hosts) => Some(hosts),
            Err(message) => {
                self.refuse(key, Refusal::Workload(message));
                None
            }
        }
    }

    fn refuse_problem(&mut self, error: WorkloadError) {
        let WorkloadError::Group { problem, .. } = error else {
            return self.refuse("", Refusal::Workload(error.to_string()));
        };
        let (key, refusal) = explained(problem);
        self.refuse(key, refusal);
    }
}

/// The key that a problem is about, and the problem in words that don't repeat the key and its value.
fn explained(problem: Problem) -> (&'static str, Refusal) {
    let key = match &problem {
        Problem::NoSuchHost { key, .. }
        | Problem::Twice { key, .. }
        | Problem::ToItself { key, .. }
        | Problem::NotSoMany { key, .. }
        | Problem::Nothing { key }
        | Problem::Zero { key }
        | Problem::NotPositive { key, .. }
        | Problem::NotAFraction { key, .. } => match *key {
            "rate" => "flows_per_second",
            "targets" => "pattern.targets",
            "among" => "pattern.hosts",
            "fraction" => "pattern.fraction",
            "matrix" => "pattern.path",
            "clusters" => "pattern.clusters",
            key => key,
        },
        Problem::Sizes(_) => "size",
        Problem::EndlessRounds => "rounds",
        Problem::StopsBeforeStart { .. } => "stop",
        Problem::Overload { .. } | Problem::HostOverload { .. } => "load",
        Problem::AloneAmong { .. } | Problem::NoOthers => "pattern.hosts",
        Problem::NoRacks | Problem::AloneInRack { .. } | Problem::OneRack => "pattern",
        Problem::LonelyClusters { .. } => "pattern.clusters",
        Problem::Weight { .. } | Problem::NoWeight => "pattern.path",
        Problem::TooSmallToSplit { .. } => "bytes",
        Problem::TooManyAtOnce { .. } => "flows_per_host",
        Problem::UselessJitter { .. } => "jitter",
        Problem::Trace(_) => "path",
        Problem::BurstsFall { .. } | Problem::BurstsEnd { .. } | Problem::BurstsOfPairs => "burst",
        Problem::TooFewHosts { .. } => "participants",
    };
    let refusal = if let Problem::NotSoMany { there, .. } = &problem {
        Refusal::NotSoMany { there: *there }
    } else if let Problem::Zero { .. } = &problem {
        Refusal::Zero
    } else if let Problem::StopsBeforeStart { start, .. } = &problem {
        Refusal::StopsBeforeStart { start: *start }
    } else if let Problem::Trace(error) = &problem {
        unreadable(error)
    } else {
        Refusal::Workload(problem.to_string())
    };
    (key, refusal)
}

/// A list of flows or weights that can't be read.
fn unreadable(error: &ReadError) -> Refusal {
    if let LineProblem::Unreadable(reason) = &error.problem {
        return Refusal::Unreadable { path: error.file.clone(), reason: reason.clone() };
    }
    Refusal::Workload(error.to_string())
}

/// The names of the groups: as written, or the kind, with a number if that is taken; and whether no two are alike.
fn names(specs: &[WorkloadSpec], diagnostics: &mut Diagnostics<'_>) -> (Vec<String>, bool) {
    let mut names: Vec<Option<String>> = Vec::new();
    let mut unique = true;
    for (index, spec) in specs.iter().enumerate() {
        if spec.name.is_some() && names.contains(&spec.name) {
            diagnostics.refuse(&format!("workload.{index}.name"), Refusal::NameTwice);
            unique = false;
        }
        names.push(spec.name.clone());
    }
    for (index, spec) in specs.iter().enumerate() {
        if names[index].is_some() {
            continue;
        }
        let kind = spec.kind.name();
        let numbered = (2..).map(|number| format!("{kind}-{number}"));
        let free = std::iter::once(kind.to_owned()).chain(numbered).find(|name| !names.contains(&Some(name.clone())));
        names[index] = free;
    }
    (names.into_iter().flatten().collect(), unique)
}

fn collective(spec: &CollectiveSpec, entry: &mut Entry<'_, '_>) -> Option<Collective> {
    let participants = entry.hosts("participants", &spec.participants)?;
    Some(Collective { participants, bytes: spec.bytes, repeat: spec.repeat, gap: spec.gap })
}

fn interpolation_of(spec: InterpolationSpec) -> Interpolation {
    match spec {
        InterpolationSpec::Linear => Interpolation::Linear,
        InterpolationSpec::Step => Interpolation::Step,
        InterpolationSpec::StepDown => Interpolation::StepDown,
        InterpolationSpec::LogLinear => Interpolation::LogLinear,
        InterpolationSpec::LinearPackets => Interpolation::LinearPackets,
    }
}
