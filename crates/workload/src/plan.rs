//! From what a person asks for to what a run does: every check is here, before anything starts.

use crate::error::{Problem, WorkloadError};
use crate::group::{
    AllToAll, AllToMany, Arrivals, Background, Collective, Group, Hosts, Incast, Kind, Order, Pairs, Permutation,
    Poisson, Receivers, Rounds,
};
use crate::info::GroupInfo;
use crate::pattern::{Chooser, Pattern};
use crate::prose::{self, count};
use crate::setting::{Chance, Setting};
use crate::sizes::Sizes;
use crate::source::Source;
use crate::sources::{
    AllToAllSource, BackgroundSource, ExchangeSource, Iterations, PoissonSource, RingSource, Round, RoundSource,
    TraceSource, TreeSource,
};
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
    mean_bytes: Option<f64>,
    offered_bps: Option<f64>,
    warnings: Vec<String>,
}

impl Made {
    fn new(source: impl Source + 'static, description: String) -> Made {
        let source = Box::new(source);
        Made { source, description, flows: None, mean_bytes: None, offered_bps: None, warnings: Vec::new() }
    }
    fn flows(self, flows: Option<u64>) -> Made {
        Made { flows, ..self }
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
            Kind::RingAllReduce(it) => self.ring(it),
            Kind::TreeAllReduce(it) => self.tree(it),
            Kind::CollectiveAllToAll { collective, barrier } => self.exchange(collective, *barrier),
            Kind::Trace { trace, rebase } => self.trace(trace, *rebase),
        }
    }

    fn hosts(&self, needed: u32) -> Result<u32, Problem> {
        let there = self.setting.hosts;
        if there < needed { Err(Problem::TooFewHosts { needed, there }) } else { Ok(there) }
    }

    fn choose(&self, hosts: &Hosts, key: &'static str) -> Result<Vec<u32>, Problem> {
        hosts.check(key, self.setting.hosts, None)?;
        Ok(hosts.choose(self.setting.hosts, None, &mut self.chance.stream(key, 0)))
    }

    /// `per_round` flows in each of some rounds.
    fn rounds(
        &self,
        round: Round,
        size: Option<&Sizes>,
        rounds: Rounds,
        per_round: u64,
        what: String,
    ) -> Result<Made, Problem> {
        if let Some(size) = size {
            size.check()?;
        }
        if rounds.count == 0 {
            return Err(Problem::Zero { key: "rounds" });
        }
        if rounds.count > 1 && size.is_none() {
            return Err(Problem::EndlessRounds);
        }
        let Group { start, jitter, .. } = *self.group;
        let source = RoundSource::new(round, size.cloned(), rounds, jitter, start, self.setting.hosts, self.chance);
        let mut description = format!("{what}, {}", sizes(size));
        if rounds.count > 1 {
            description += &format!(", {} rounds one after the other", rounds.count);
        }
        let flows = per_round.saturating_mul(rounds.count);
        Ok(Made::new(source, description).flows(Some(flows)).mean(size.map(Sizes::mean)))
    }

    fn permutation(&self, it: &Permutation) -> Result<Made, Problem> {
        let hosts = self.hosts(2)?;
        let (pairs, what) = match &it.pairs {
            Pairs::Random { count: None } => (hosts, format!("each of {hosts} hosts to one other")),
            Pairs::Random { count: Some(0) } => return Err(Problem::Zero { key: "pairs" }),
            Pairs::Random { count: Some(asked) } if *asked > hosts => {
                return Err(Problem::NotSoMany { key: "pairs", asked: *asked, there: hosts });
            }
            Pairs::Random { count: Some(asked) } => {
                (*asked, format!("{asked} of {hosts} hosts, each to one other and none to the same"))
            }
            Pairs::List(list) => {
                for &(src, dst) in list {
                    if let Some(host) = [src, dst].into_iter().find(|host| *host >= hosts) {
                        return Err(Problem::NoSuchHost { key: "pairs", host, hosts });
                    }
                    if src == dst {
                        return Err(Problem::ToItself { key: "pairs", host: src });
                    }
                }
                if list.is_empty() {
                    return Err(Problem::Nothing { key: "pairs" });
                }
                (list.len() as u32, format!("the {} listed", count(list.len() as u64, "pair")))
            }
        };
        self.rounds(Round::of_permutation(it), it.size.as_ref(), it.rounds, u64::from(pairs), what)
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
        Ok(Made::new(source, description).flows(n.checked_mul(n - 1)).mean(Some(it.size.mean())))
    }

    fn all_to_many(&self, it: &AllToMany) -> Result<Made, Problem> {
        let hosts = self.hosts(2)?;
        it.senders.check("senders", hosts, None)?;
        let senders = u64::from(it.senders.count(hosts, false));
        let (flows, what) = match &it.receivers {
            Receivers::Each(0) => return Err(Problem::Zero { key: "receivers" }),
            Receivers::Each(asked) if *asked >= hosts => {
                return Err(Problem::NotSoMany { key: "receivers", asked: *asked, there: hosts - 1 });
            }
            Receivers::Each(each) => {
                (senders * u64::from(*each), format!("each of {senders} hosts to {each} random others"))
            }
            Receivers::Shared(shared) => {
                shared.check("receivers", hosts, None)?;
                let receivers = u64::from(shared.count(hosts, false));
                // Who is in both has one flow less; how many are, only the draw tells where one is random.
                let mut stream = self.chance.stream("round", 0);
                let sending: BTreeSet<u32> = it.senders.choose(hosts, None, &mut stream).into_iter().collect();
                let both = shared.choose(hosts, None, &mut stream).iter().filter(|host| sending.contains(host)).count();
                let flows = senders * receivers - both as u64;
                if flows == 0 {
                    return Err(Problem::Nothing { key: "receivers" });
                }
                (flows, format!("each of {senders} hosts to the same {receivers}"))
            }
        };
        let round = Round::AllToMany { senders: it.senders.clone(), receivers: it.receivers.clone() };
        self.rounds(round, it.size.as_ref(), it.rounds, flows, what)
    }

    fn incast(&self, it: &Incast) -> Result<Made, Problem> {
        let hosts = self.hosts(2)?;
        if let Some(host) = it.receiver.filter(|host| *host >= hosts) {
            return Err(Problem::NoSuchHost { key: "receiver", host, hosts });
        }
        // A random receiver is one host less to send, too; any will do for checking.
        let listed = matches!(it.senders, Hosts::List(_));
        let except = if listed { it.receiver } else { it.receiver.or(Some(0)) };
        it.senders.check("senders", hosts, except)?;
        let senders = it.senders.count(hosts, true);
        if listed && it.receiver.is_none() && senders == hosts {
            return Err(Problem::NotSoMany { key: "senders", asked: senders, there: hosts - 1 });
        }
        let to = it.receiver.map_or("a random host".to_owned(), |host| format!("host {host}"));
        let what = format!("{} to {to}", count(u64::from(senders), "host"));
        self.rounds(Round::of_incast(it), it.size.as_ref(), it.rounds, u64::from(senders), what)
    }

    fn poisson(&self, it: &Poisson) -> Result<Made, Problem> {
        it.size.check()?;
        let chooser = Chooser::new(&it.pattern, self.setting, &self.chance)?;
        let (hosts, mean) = (f64::from(self.setting.hosts), it.size.mean());
        let host_rate = self.setting.host_rate.as_bps() as f64;
        let (key, value, rate) = match it.arrivals {
            Arrivals::Load(load) => ("load", load, load * hosts * host_rate / (8.0 * mean)),
            Arrivals::Rate(rate) => ("rate", rate, rate),
        };
        if !(value.is_finite() && value > 0.0) {
            return Err(Problem::NotPositive { key, value });
        }
        let offered = rate * 8.0 * mean;
        let load = offered / (hosts * host_rate);
        let [(source, from), (sink, to)] = chooser.busiest();
        if !it.allow_overload {
            if load > 1.0 + ROUNDING {
                return Err(Problem::Overload { load });
            }
            if offered * from > host_rate * (1.0 + ROUNDING) {
                return Err(Problem::HostOverload { host: source, load: offered * from / host_rate });
            }
        }
        let mut warnings = Vec::new();
        if offered * to > host_rate * (1.0 + ROUNDING) {
            warnings.push(format!(
                "host {sink} is sent {} times what its link can carry: its queues grow as long as flows arrive",
                prose::number(offered * to / host_rate)
            ));
        }
        let Group { start, stop, .. } = *self.group;
        let until = stop.unwrap_or(Time::MAX).min(self.setting.duration);
        let pattern = match &it.pattern {
            Pattern::Uniform => "any host to any other".to_owned(),
            Pattern::Permutation => "each host to one other".to_owned(),
            Pattern::RackLocal { fraction } => format!("{} % within the rack", prose::number(100.0 * fraction)),
            Pattern::Hotspot { targets, fraction } => format!(
                "{} % to {}, the rest to any",
                prose::number(100.0 * fraction),
                count(u64::from(targets.count(self.setting.hosts, false)), "hot host")
            ),
            Pattern::Matrix(matrix) => format!("weights of {}", matrix.name),
        };
        let description = format!(
            "load {} ({} a host, {} flows/s in all), {pattern}, {}",
            prose::number(load),
            prose::rate(offered / hosts),
            prose::number(rate),
            it.size
        );
        let source = PoissonSource::new(it.size.clone(), chooser, rate, start, until, &self.chance);
        let flows = (rate * until.since(start).as_secs_f64()).round() as u64;
        let made = Made::new(source, description).flows(Some(flows)).mean(Some(mean));
        Ok(Made { offered_bps: Some(offered), warnings, ..made })
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
        let (n, each) = (senders.len() as u64, u64::from(it.flows_per_host));
        let again = if it.size.is_some() { ", each followed by another" } else { "" };
        let description = format!(
            "{} from each of {n} hosts to random others, {}{again}",
            count(each, "flow"),
            sizes(it.size.as_ref())
        );
        let Group { start, jitter, .. } = *self.group;
        let source =
            BackgroundSource::new(senders, it.flows_per_host, it.size.clone(), start, jitter, hosts, self.chance);
        let flows = if it.size.is_some() { None } else { Some(n * each) };
        Ok(Made::new(source, description).flows(flows).mean(it.size.as_ref().map(Sizes::mean)))
    }

    /// The participants of a collective that splits its bytes into so many pieces for each of them.
    fn participants(&self, it: &Collective, split: bool) -> Result<Vec<u32>, Problem> {
        let hosts = self.choose(&it.participants, "participants")?;
        let n = hosts.len() as u64;
        if n < 2 {
            return Err(Problem::TooFewHosts { needed: 2, there: n as u32 });
        }
        if it.repeat == 0 {
            return Err(Problem::Zero { key: "repeat" });
        }
        if it.bytes == Bytes::ZERO {
            return Err(Problem::Zero { key: "bytes" });
        }
        if split && it.bytes.get() < n {
            return Err(Problem::TooSmallToSplit { bytes: it.bytes, pieces: n });
        }
        Ok(hosts)
    }

    fn collective(
        &self,
        it: &Collective,
        hosts: Vec<u32>,
        flows: u64,
        mean: f64,
        what: &str,
        source: impl FnOnce(Iterations) -> Box<dyn Source>,
    ) -> Made {
        let mut description = format!("{} of {} among {} hosts", what, it.bytes, hosts.len());
        if it.repeat > 1 {
            description += &format!(", {} times", it.repeat);
        }
        if it.repeat > 1 && it.gap > Span::ZERO {
            description += &format!(", {} of computation in between", it.gap);
        }
        let Group { start, jitter, .. } = *self.group;
        let iterations = Iterations::new(it, hosts, flows, start, jitter, self.chance);
        Made {
            source: source(iterations),
            description,
            flows: Some(flows.saturating_mul(it.repeat)),
            mean_bytes: Some(mean),
            offered_bps: None,
            warnings: Vec::new(),
        }
    }

    fn ring(&self, it: &Collective) -> Result<Made, Problem> {
        let hosts = self.participants(it, true)?;
        let n = hosts.len() as u64;
        let mean = it.bytes.get() as f64 / n as f64;
        let what = "ring all-reduce";
        Ok(self.collective(it, hosts, RingSource::flows(n), mean, what, |its| Box::new(RingSource::new(its))))
    }

    fn tree(&self, it: &Collective) -> Result<Made, Problem> {
        let hosts = self.participants(it, false)?;
        let n = hosts.len() as u64;
        let mean = it.bytes.get() as f64;
        let what = "binary-tree all-reduce";
        Ok(self.collective(it, hosts, TreeSource::flows(n), mean, what, |its| Box::new(TreeSource::new(its))))
    }

    fn exchange(&self, it: &Collective, barrier: bool) -> Result<Made, Problem> {
        let hosts = self.participants(it, true)?;
        let n = hosts.len() as u64;
        let mean = it.bytes.get() as f64 / n as f64;
        let what = if barrier { "all-to-all with a barrier after each step," } else { "all-to-all" };
        let source = |its| -> Box<dyn Source> { Box::new(ExchangeSource::new(its, barrier)) };
        Ok(self.collective(it, hosts, ExchangeSource::flows(n), mean, what, source))
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
        let made = Made::new(source, description).flows(Some(flows)).mean(mean);
        Ok(Made { warnings: trace.warnings.clone(), ..made })
    }
}

fn sizes(size: Option<&Sizes>) -> String {
    size.map_or("without end".to_owned(), Sizes::to_string)
}
