//! From what a person asks for to what a run does: every check is here, before anything starts.

mod collectives;
mod poisson;
mod rounds;

use crate::destinations::Destinations;
use crate::error::{Problem, WorkloadError};
use crate::group::{AllToAll, Background, ClosedLoop, Group, Hosts, Kind, Order};
use crate::info::GroupInfo;
use crate::prose::{self, count};
use crate::setting::{Chance, Setting};
use crate::sizes::Sizes;
use crate::source::Source;
use crate::sources::{AllToAllSource, BackgroundSource, ClosedLoopSource, TraceSource};
use crate::trace::Trace;
use std::collections::BTreeSet;
use std::sync::Arc;
use units::{Bytes, Span, Time};

/// All groups, checked and made ready.
pub(crate) struct Plan {
    pub sources: Vec<Box<dyn Source>>,
    pub infos: Vec<GroupInfo>,
}

/// One group, checked and made ready.
struct Made {
    source: Box<dyn Source>,
    description: String,
    flows: Option<u64>,
    at_once: Option<u64>,
    mean_bytes: Option<f64>,
    offered_bps: Option<f64>,
    warnings: Vec<String>,
}

impl Made {
    fn new(source: impl Source + 'static, description: String) -> Made {
        let source = Box::new(source);
        Made {
            source,
            description,
            flows: None,
            at_once: None,
            mean_bytes: None,
            offered_bps: None,
            warnings: Vec::new(),
        }
    }
    fn flows(self, flows: Option<u64>) -> Made {
        Made { flows, ..self }
    }
    fn at_once(self, at_once: u64) -> Made {
        Made { at_once: Some(at_once), ..self }
    }
    fn mean(self, mean_bytes: Option<f64>) -> Made {
        Made { mean_bytes, ..self }
    }
}

/// Everything that building one group needs.
struct Builder<'a> {
    group: &'a Group,
    setting: &'a Setting,
    chance: Chance,
}

pub(crate) fn plan(groups: &[Group], setting: &Setting) -> Result<Plan, WorkloadError> {
    if groups.len() > usize::from(u16::MAX) + 1 {
        return Err(WorkloadError::TooMany { groups: groups.len() });
    }
    let mut names = BTreeSet::new();
    let mut made = Plan { sources: Vec::new(), infos: Vec::new() };
    for group in groups {
        if !names.insert(&group.name) {
            return Err(WorkloadError::SameName { name: group.name.clone() });
        }
        let builder = Builder { group, setting, chance: Chance::new(setting.seed, &group.name) };
        let one = builder.build().map_err(|problem| problem.of(&group.name))?;
        let all_links = setting.host_rate.as_bps() as f64 * f64::from(setting.hosts);
        made.sources.push(one.source);
        made.infos.push(GroupInfo {
            name: group.name.clone(),
            kind: group.kind.name(),
            description: one.description,
            flows: one.flows,
            at_once: one.at_once,
            mean_bytes: one.mean_bytes,
            offered_bps: one.offered_bps,
            offered_load: one.offered_bps.map(|offered| offered / all_links),
            warnings: one.warnings,
        });
    }
    check_sum(groups, &made.infos)?;
    Ok(made)
}

/// Loads that are each below 1 may not be so together.
fn check_sum(groups: &[Group], infos: &[GroupInfo]) -> Result<(), WorkloadError> {
    let allowed = |group: &Group| matches!(&group.kind, Kind::Poisson(poisson) if poisson.allow_overload);
    let load: f64 = infos.iter().filter_map(|info| info.offered_load).sum();
    if load <= 1.0 + ROUNDING || groups.iter().any(allowed) {
        return Ok(());
    }
    let loaded = infos.iter().filter(|info| info.offered_load.is_some());
    Err(WorkloadError::Overload { groups: loaded.map(|info| info.name.clone()).collect(), load })
}

/// A load of exactly 1 may come out of a division a little above it.
const ROUNDING: f64 = 1e-9;

impl Builder<'_> {
    fn build(&self) -> Result<Made, Problem> {
        let Group { start, stop, jitter, .. } = *self.group;
        if let Some(stop) = stop.filter(|stop| *stop <= start) {
            return Err(Problem::StopsBeforeStart { start, stop });
        }
        match &self.group.kind {
            Kind::Poisson(_) | Kind::Trace { .. } if jitter > Span::ZERO => {
                Err(Problem::UselessJitter { kind: self.group.kind.name() })
            }
            Kind::Permutation(it) => self.permutation(it),
            Kind::AllToAll(it) => self.all_to_all(it),
            Kind::AllToMany(it) => self.all_to_many(it),
            Kind::Incast(it) => self.incast(it),
            Kind::Poisson(it) => self.poisson(it),
            Kind::Background(it) => self.background(it),
            Kind::ClosedLoop(it) => self.closed_loop(it),
            Kind::RingAllReduce(it) => self.ring(it),
            Kind::TreeAllReduce(it) => self.tree(it),
            Kind::CollectiveAllToAll { collective, barrier } => self.exchange(collective, *barrier),
            Kind::Trace { trace, rebase } => self.trace(trace, *rebase),
        }
    }

    /// That a group does not hold more flows at once than anyone means: they are made ready before the run begins.
    fn check_at_once(flows: u64) -> Result<(), Problem> {
        const MOST: u64 = 10_000_000;
        if flows > MOST { Err(Problem::TooManyAtOnce { flows, most: MOST }) } else { Ok(()) }
    }

    /// From when on no flow starts.
    fn until(&self) -> Time {
        self.group.stop.unwrap_or(Time::MAX).min(self.setting.duration)
    }

    fn hosts(&self, needed: u32) -> Result<u32, Problem> {
        let there = self.setting.hosts;
        if there < needed { Err(Problem::TooFewHosts { needed, there }) } else { Ok(there) }
    }

    fn choose(&self, hosts: &Hosts, key: &'static str) -> Result<Vec<u32>, Problem> {
        hosts.check(key, self.setting.hosts, None)?;
        Ok(hosts.choose(self.setting.hosts, None, &mut self.chance.stream(key, 0)))
    }

    fn all_to_all(&self, it: &AllToAll) -> Result<Made, Problem> {
        it.size.check()?;
        self.hosts(2)?;
        let hosts = self.choose(&it.hosts, "hosts")?;
        let n = hosts.len() as u64;
        if n < 2 {
            return Err(Problem::TooFewHosts { needed: 2, there: n as u32 });
        }
        if it.concurrent == Some(0) {
            return Err(Problem::Zero { key: "concurrent" });
        }
        let order = match it.order {
            Order::Random => "in random order",
            Order::Fixed => "in the same fixed order",
            Order::Shifted => "beginning with the next",
        };
        let how = match it.concurrent {
            None => "all at once".to_owned(),
            Some(concurrent) => format!("{concurrent} at a time, {order}"),
        };
        let description = format!("each of {n} hosts to every other, {how}, {}", it.size);
        let Group { start, jitter, .. } = *self.group;
        let source = AllToAllSource::new(it, hosts, start, jitter, self.chance);
        let at_once = n * (n - 1).min(it.concurrent.map_or(u64::MAX, u64::from));
        Ok(Made::new(source, description).flows(n.checked_mul(n - 1)).at_once(at_once).mean(Some(it.size.mean())))
    }

    fn background(&self, it: &Background) -> Result<Made, Problem> {
        let hosts = self.hosts(2)?;
        if let Some(size) = &it.size {
            size.check()?;
        }
        if it.flows_per_host == 0 {
            return Err(Problem::Zero { key: "flows_per_host" });
        }
        let senders = self.choose(&it.hosts, "hosts")?;
        if it.flows == Some(0) {
            return Err(Problem::Zero { key: "flows" });
        }
        let count_of = |senders: usize| it.flows.map_or(senders as u64, u64::from) * u64::from(it.flows_per_host);
        Self::check_at_once(count_of(senders.len()))?;
        let senders = match it.flows {
            None => senders,
            Some(flows) => {
                let mut stream = self.chance.stream("sender", 0);
                let there = senders.len() as u64;
                (0..flows).map(|_| senders[stream.below(there) as usize]).collect()
            }
        };
        let (n, each) = (senders.len() as u64, u64::from(it.flows_per_host));
        let again = if it.size.is_some() { ", each followed by another" } else { "" };
        let from = match it.flows {
            None => format!("{} from each of {n} hosts", count(each, "flow")),
            Some(_) => format!("{} from random hosts", count(n, "flow")),
        };
        let description = format!("{from} to random others, {}{again}", sizes(it.size.as_ref()));
        let Group { start, jitter, .. } = *self.group;
        let source =
            BackgroundSource::new(senders, it.flows_per_host, it.size.clone(), start, jitter, hosts, self.chance);
        let flows = if it.size.is_some() { None } else { Some(n * each) };
        Ok(Made::new(source, description).flows(flows).at_once(n * each).mean(it.size.as_ref().map(Sizes::mean)))
    }

    fn closed_loop(&self, it: &ClosedLoop) -> Result<Made, Problem> {
        let hosts = self.hosts(2)?;
        it.size.check()?;
        for (key, value) in [
            ("flows", it.flows.unwrap_or(1)),
            ("flows_per_host", u64::from(it.flows_per_host)),
            ("repeat", u64::from(it.repeat)),
        ] {
            if value == 0 {
                return Err(Problem::Zero { key });
            }
        }
        let destinations = Destinations::new(&it.pattern, self.setting, &self.chance)?;
        let senders = (0..hosts).filter(|host| destinations.sends(*host)).count() as u64;
        let at_once = (senders * u64::from(it.flows_per_host)).min(it.flows.unwrap_or(u64::MAX));
        Self::check_at_once(at_once)?;
        let how_many = it.flows.map_or("flow after flow".to_owned(), |flows| count(flows, "flow"));
        let again = if it.repeat > 1 { format!(", {} in a row to each destination", it.repeat) } else { String::new() };
        let description = format!(
            "{how_many} of {}, each {} at a time, {}, {}{again}",
            count(senders, "host"),
            it.flows_per_host,
            it.pattern.describe(hosts),
            it.size
        );
        let Group { start, jitter, .. } = *self.group;
        let source = ClosedLoopSource::new(it, destinations, hosts, start, jitter, self.chance);
        Ok(Made::new(source, description).flows(it.flows).at_once(at_once).mean(Some(it.size.mean())))
    }

    fn trace(&self, trace: &Arc<Trace>, rebase: bool) -> Result<Made, Problem> {
        trace.check(self.setting.hosts).map_err(Box::new)?;
        let flows = trace.flows.len() as u64;
        let waiting = trace.flows.iter().filter(|flow| flow.waits()).count() as u64;
        let ending = trace.flows.iter().filter(|flow| flow.bytes != Bytes::MAX);
        let (ends, bytes) = ending.fold((0_u64, 0.0), |(n, sum), flow| (n + 1, sum + flow.bytes.get() as f64));
        let mean = (ends > 0).then(|| bytes / ends as f64);
        let mut description = format!("{} of {}", count(flows, "flow"), trace.file);
        if let Some(mean) = mean {
            description += &format!(", mean {}", prose::bytes(mean));
        }
        if waiting > 0 {
            description += &format!(", {waiting} of which wait for others");
        }
        let source = TraceSource::new(Arc::clone(trace), rebase, self.group.start);
        let until = self.until();
        let mut warnings = trace.warnings.clone();
        match source.later_than(until) {
            0 => {}
            late => warnings.push(format!(
                "{}: {late} of its {} would start at or after {until}, when no flow starts any more",
                trace.file,
                count(flows, "flow")
            )),
        }
        let made = Made::new(source, description).flows(Some(flows)).mean(mean);
        Ok(Made { warnings, ..made })
    }
}

fn sizes(size: Option<&Sizes>) -> String {
    size.map_or("without end".to_owned(), Sizes::to_string)
}
