//! What a network can carry at most, draws and costs: counted from what will run, so that variants can be held to the same.

use crate::layers::Layered;
use crate::plan::RunPlan;
use crate::spec::{CompareSpec, EqualSpec};
use fabrics::FabricSpec;
use planner::built::{Amount, Built, System, price};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{KeyPath, Mistake, Problem, cure};
use shoal::throughput::WORST_CASE;
use topology::{Shape, Topology, Torus};
use units::Span;
use xfabric::baselines::most_cubic;
use xfabric::network::Start;

/// What a run's network can carry, draws and costs; in files with `[compare]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Worth {
    /// What half of the hosts can send to the other half, in b/s; null if that is not known.
    pub bisection_bps: Option<u64>,
    /// What of the topology is counted for it, or why it is not known.
    pub bisection: String,
    /// What switches and links draw, in W; null if one of the two is not given.
    pub power_w: Option<f64>,
    /// What switches alone draw.
    pub power_switches_w: Option<f64>,
    /// Why the power of something is not given; empty if all is.
    pub power_not_given: String,
    /// What switches and links cost, in USD; null if one of the two is not given.
    pub cost_usd: Option<f64>,
    /// What switches alone cost.
    pub cost_switches_usd: Option<f64>,
    /// Why the price of something is not given; empty if all is.
    pub cost_not_given: String,
    /// What power and cost include, and what they leave out.
    pub counted: String,
    /// Prices and powers that were used, with their dates and sources, in words.
    pub prices: Vec<String>,
}

/// A fabric of which nothing is bought.
const IDEAL: &str = "nobody builds an ideal network";
/// A network of two parts.
const OUTSIDE: &str = "a rack with an outside is not counted";

impl Worth {
    /// Of a fabric on its topology; `outside` if that is a rack and what is outside.
    pub(crate) fn of(fabric: &FabricSpec, topology: &Topology, outside: bool) -> Worth {
        let (bps, counted) = if outside { (None, OUTSIDE.to_owned()) } else { bisection(fabric, topology) };
        let built = if outside { Built::nothing(OUTSIDE) } else { built(fabric, topology) };
        let given = |amount: &Amount| (amount.total(), amount.switches, amount.why.to_owned());
        let (power_w, power_switches_w, power_not_given) = given(&built.power);
        let (cost_usd, cost_switches_usd, cost_not_given) = given(&built.cost);
        Worth {
            bisection_bps: bps,
            bisection: counted,
            power_w,
            power_switches_w,
            power_not_given,
            cost_usd,
            cost_switches_usd,
            cost_not_given,
            counted: built.counted.to_owned(),
            prices: built.prices.iter().map(ToString::to_string).collect(),
        }
    }

    /// What is to be equal, if it is known.
    fn value(&self, equal: EqualSpec) -> Option<f64> {
        match equal {
            #[expect(clippy::cast_precision_loss, reason = "a rate, of which a share is asked")]
            EqualSpec::Bisection => self.bisection_bps.map(|bps| bps as f64),
            EqualSpec::Cost => self.cost_usd,
            EqualSpec::Power => self.power_w,
        }
    }
}

/// What half of the hosts can send to the other half, and how it was counted.
fn bisection(fabric: &FabricSpec, topology: &Topology) -> (Option<u64>, String) {
    let links = |what: &str| (Some(topology.bisection_bps()), what.to_owned());
    match fabric {
        FabricSpec::Ethernet(_)
        | FabricSpec::Stardust(_)
        | FabricSpec::R2c2(_)
        | FabricSpec::Fastpod(_)
        | FabricSpec::Fastpass(_)
        | FabricSpec::An3(_)
        | FabricSpec::Fluid(_) => links("all links"),
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "half of a rate"
        )]
        FabricSpec::Shoal(_) => (
            Some((topology.bisection_bps() as f64 * WORST_CASE) as u64),
            "half of all links, as cells cross the rack twice (Shoal, §3.3.1)".to_owned(),
        ),
        FabricSpec::XFabric(own) => match own.rack.start {
            Start::Torus => match torus(topology) {
                Some(bps) => (Some(bps), "the torus that it begins as; later circuits follow the traffic".to_owned()),
                None => (None, "its torus cannot be built from ports of different rates".to_owned()),
            },
            Start::Random | Start::Uniform | Start::Demand => {
                (None, "circuits follow the traffic, and the paper has no bound for any traffic".to_owned())
            }
        },
        // Everybody has a link to it, and it has room for all.
        FabricSpec::IdealSwitch(_) => {
            let mut rates: Vec<u64> = (0..topology.hosts()).map(|host| topology.host_rate(host).as_bps()).collect();
            rates.sort_unstable();
            (Some(rates[..rates.len() / 2].iter().sum()), "links of hosts".to_owned())
        }
    }
}

/// The bisection of the torus that a rack of crosspoints begins as, if all its links are alike.
fn torus(topology: &Topology) -> Option<u64> {
    let rate = topology.link(topology::LinkId(0)).rate;
    if topology.links().iter().any(|link| link.rate != rate) {
        return None;
    }
    let sizes = most_cubic(topology.hosts()).to_vec();
    let built = Shape::Torus(Torus { sizes, host_rate: None }).build(rate, Span::ZERO).ok()?;
    Some(built.bisection_bps())
}

fn built(fabric: &FabricSpec, topology: &Topology) -> Built {
    match fabric {
        FabricSpec::Ethernet(_) | FabricSpec::Fastpass(_) => price(System::Ethernet, topology),
        FabricSpec::Stardust(_) => price(System::Stardust, topology),
        FabricSpec::Shoal(_) => price(System::Shoal, topology),
        FabricSpec::XFabric(_) => price(System::XFabric, topology),
        FabricSpec::R2c2(_) => Built::nothing("the paper has no price and no power of a node"),
        FabricSpec::Fastpod(_) => price(System::Fastpod, topology),
        FabricSpec::An3(_) => price(System::An3, topology),
        FabricSpec::Fluid(_) | FabricSpec::IdealSwitch(_) => Built::nothing(IDEAL),
    }
}

/// What `[compare]` asks for and the runs do not have.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// Nothing to compare with.
    #[error("no such variant; {}", if variants.is_empty() { "this file has none".to_owned() } else { cure("the variants are", name, variants.iter().map(String::as_str)) })]
    UnknownReference {
        /// The variant.
        name: String,
        /// Those there are.
        variants: Vec<String>,
    },
    /// Two runs are too different.
    #[error(
        "run {low} has {less} and run {high} {more}, {apart} less, and within = {within} allows {allowed}: {cure}, or write within = {enough}"
    )]
    Unequal {
        /// The run with the least.
        low: String,
        /// What it has.
        less: String,
        /// The run with the most.
        high: String,
        /// What that has.
        more: String,
        /// How far apart they are.
        apart: String,
        /// What was written.
        within: f64,
        /// The same in percent.
        allowed: String,
        /// What would make them equal.
        cure: &'static str,
        /// A bound that would do.
        enough: f64,
    },
}

impl From<CompareError> for Mistake {
    fn from(error: CompareError) -> Mistake {
        Mistake::Refused(error.to_string())
    }
}

/// What is wrong with a whole file's comparison: its runs were each checked.
pub(crate) fn check(runs: &[RunPlan], layers: &[Layered]) -> Vec<Problem> {
    let (Some(layered), Some(spec)) = (layers.first(), runs.first().and_then(|run| run.compare.as_ref())) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut refuse = |key: &str, error: CompareError| {
        let path = KeyPath::from(key);
        if let Some(node) = layered.root.at(&path.0) {
            found.push(Problem::of_value(&path, node, error));
        }
    };
    if let Some(name) = &spec.reference {
        let mut variants: Vec<String> = runs.iter().filter_map(|run| run.variant.clone()).collect();
        variants.dedup();
        if !variants.contains(name) {
            refuse("compare.reference", CompareError::UnknownReference { name: name.clone(), variants });
        }
    }
    if let Some(error) = spec.equal.and_then(|equal| unequal(runs, spec, equal)) {
        refuse("compare.equal", error);
    }
    found
}

/// Runs of which is not known what is to be equal, and why. Of ideal networks nobody asks.
pub(crate) fn unknown(runs: &[RunPlan]) -> Vec<String> {
    let of_run = |run: &RunPlan| {
        let (equal, worth) = (run.compare.as_ref()?.equal?, run.worth.as_ref()?);
        let why = match equal {
            EqualSpec::Bisection => &worth.bisection,
            EqualSpec::Cost => &worth.cost_not_given,
            EqualSpec::Power => &worth.power_not_given,
        };
        let told = worth.value(equal).is_none() && why != IDEAL;
        told.then(|| format!("run {}: compare.equal = \"{}\" is not checked: {why}", run.name, equal.as_str()))
    };
    runs.iter().filter_map(of_run).collect()
}

/// Runs that have other hosts or other traffic than the first at their place of a sweep, which is not what a comparison of networks is about.
pub(crate) fn other_traffic(runs: &[RunPlan]) -> Vec<String> {
    let mut warnings = Vec::new();
    for run in runs.iter().filter(|run| run.compare.is_some()) {
        let Some(first) = runs.iter().find(|first| first.sweep == run.sweep) else { continue };
        let (hosts, others) = (run.topology.hosts(), first.topology.hosts());
        if hosts != others {
            warnings.push(format!(
                "run {} has {hosts} hosts and run {} {others}: not the same hosts",
                run.name, first.name
            ));
        }
        for group in &run.groups {
            let same = first.groups.iter().find(|other| other.name == group.name);
            let offered = same.and_then(|other| Some((group.offered_bps?, other.offered_bps?)));
            if let Some((here, there)) = offered.filter(|(here, there)| (here - there).abs() > 1e-3 * there) {
                warnings.push(format!(
                    "workload {} offers {} in run {} and {} in run {}: not the same traffic; write flows_per_second in place of load",
                    group.name,
                    told(here, EqualSpec::Bisection),
                    run.name,
                    told(there, EqualSpec::Bisection),
                    first.name
                ));
            }
        }
    }
    warnings
}

/// The two runs that differ most, of those at the same place of a sweep, if they differ by more than may be.
fn unequal(runs: &[RunPlan], spec: &CompareSpec, equal: EqualSpec) -> Option<CompareError> {
    let known = |run: &RunPlan| run.worth.as_ref().and_then(|worth| worth.value(equal));
    runs.iter().find_map(|first| {
        let among = runs.iter().filter(|run| run.sweep == first.sweep);
        let values: Vec<(&RunPlan, f64)> = among.filter_map(|run| Some((run, known(run)?))).collect();
        let low = values.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
        let high = values.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let apart = if high.1 > 0.0 { 1.0 - low.1 / high.1 } else { 0.0 };
        (apart > spec.within).then(|| CompareError::Unequal {
            low: low.0.name.clone(),
            less: told(low.1, equal),
            high: high.0.name.clone(),
            more: told(high.1, equal),
            apart: percent(apart),
            within: spec.within,
            allowed: percent(spec.within),
            cure: match equal {
                EqualSpec::Bisection => "change the number or the rate of links of one of them",
                EqualSpec::Cost | EqualSpec::Power => "change the number of switches or links of one of them",
            },
            enough: (apart * 100.0).ceil() / 100.0,
        })
    })
}

fn told(value: f64, equal: EqualSpec) -> String {
    let digits = |value: f64| format!("{value:.4}").trim_end_matches('0').trim_end_matches('.').to_owned();
    match equal {
        EqualSpec::Bisection if value >= 1e12 => format!("{} Tb/s", digits(value / 1e12)),
        EqualSpec::Bisection => format!("{} Gb/s", digits(value / 1e9)),
        EqualSpec::Cost => format!("{value:.0} USD"),
        EqualSpec::Power => format!("{value:.1} W"),
    }
}

fn percent(share: f64) -> String {
    format!("{} %", (share * 1000.0).round() / 10.0)
}
