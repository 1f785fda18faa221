//! The checked plan: everything a run needs, and nothing that could still be wrong.

mod faults;
mod files;
mod identity;
mod losses;
mod measure;
mod paths;
mod refusal;
mod topology;
mod transport;
mod workload;

pub use faults::{Faults, PlannedFault};
pub use files::Input;
pub use identity::Identity;
pub use measure::Measure;
pub use paths::Paths;
pub use refusal::Refusal;

use crate::compare::{self, Worth};
use crate::layers::{self, Layered};
use crate::spec::{self, CompareSpec, Spec};
use ::fabric::{Parts, Site};
use ::topology::{NodeId, Topology};
use ::workload::readers::read_text;
use ::workload::{Group, GroupInfo, Setting};
use engine::Seed;
use fabrics::{FabricPlan, FabricSpec};
use files::{Files, Folder};
use identity::Said;
use settings::Diagnostics;
use settings::document;
use settings::{Problem, Problems};
use simulation::Transports;
use std::sync::Arc;
use topology::{Built, BuiltParts, Topologies};
use units::{Rate, Time, bounds};

/// A checked experiment: the only thing that can be run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What the experiment shows, if the file says it.
    pub title: Option<String>,
    /// The experiment file, as it was named.
    pub file: String,
    /// Its runs, variants first, then the axes of the sweep in the order of the file, the last one fastest.
    pub runs: Vec<RunPlan>,
    /// What makes each of them the one that it is.
    pub identities: Vec<Identity>,
    /// The other files that they are made of.
    pub inputs: Vec<Input>,
    /// What can be run but may not be what was meant.
    pub warnings: Vec<String>,
}

/// One run of an experiment.
#[derive(Debug, Clone)]
pub struct RunPlan {
    /// Its name, unique among the runs and fit for a folder.
    pub name: String,
    /// The variant that it is of.
    pub variant: Option<String>,
    /// The swept keys and their values.
    pub sweep: Vec<(String, serde_json::Value)>,
    /// Where all its chance comes from.
    pub seed: Seed,
    /// When it ends at the latest.
    pub duration: Time,
    /// From when on everything is measured.
    pub warmup: Time,
    /// Whether it ends once every flow that can finish has finished.
    pub stop_when_done: bool,
    /// The graph, with the rates and delays of all links. Runs with the same one share it.
    pub topology: Arc<Topology>,
    /// Links on a shortest path between two hosts, on average.
    pub mean_hops: f64,
    /// What its routes take of memory, in bytes.
    pub routes_bytes: u64,
    /// What the switches do.
    pub fabric: Arc<FabricPlan>,
    /// What the hosts do.
    pub transports: Transports,
    /// The flows.
    pub workload: Vec<Group>,
    /// What each group of them is and offers.
    pub groups: Vec<GroupInfo>,
    /// Which paths the first flows of each group take, where that is known.
    pub paths: Vec<Option<Paths>>,
    /// What breaks.
    pub faults: Faults,
    /// What is written down.
    pub measure: Measure,
    /// What is to be alike for all runs of the file.
    pub compare: Option<CompareSpec>,
    /// What its network can carry, draws and costs, if that is asked.
    pub worth: Option<Worth>,
}

impl Plan {
    /// Reads an experiment file and checks everything that can be checked before it runs.
    ///
    /// `file` is its name, for messages; other files are looked for in its folder. `overrides` are `key=value`.
    ///
    /// # Errors
    /// Everything that is wrong, one line each.
    pub fn read(text: &str, file: &str, overrides: &[String]) -> Result<Plan, Problems> {
        let document = document::parse(text, file)?;
        let layers = layers::expand(document, overrides, file)?;
        let folder = Folder::of(file);
        let mut checker = Checker { folder: &folder, topologies: Topologies::default(), files: Files::default() };
        let mut found = Found::default();
        let (mut runs, mut said) = (Vec::new(), Vec::new());
        let mut title = None;
        let mut checked = 0;
        for layered in &layers {
            // Nobody reads more than this, and a run that is like those before has nothing new to say.
            if found.problems.len() >= Found::ENOUGH {
                break;
            }
            checked += 1;
            match checker.check(layered) {
                Ok((spec, run)) => {
                    said.push(Said::of(&spec));
                    title = title.or(spec.title);
                    runs.push(run);
                }
                Err(problems) => found.add(problems, &layered.name),
            }
        }
        let mut problems = found.problems(file, checked);
        if problems.is_empty() {
            compare::check(&runs, &layers).into_iter().for_each(|problem| problems.push(problem));
        }
        let mut warnings = crate::warnings::of(&runs);
        warnings.extend(crate::warnings::alike(&layers));
        warnings.extend(compare::unknown(&runs));
        warnings.extend(compare::other_traffic(&runs));
        let inputs = folder.inputs();
        let identities = identity::identities(&said, &inputs);
        problems.unless_any(Plan { title, file: file.to_owned(), runs, identities, inputs, warnings })
    }
}

impl RunPlan {
    /// What the workload needs to know of the run.
    pub fn setting(&self) -> Setting {
        setting(&self.topology, self.seed, self.duration)
    }
}

/// That no count of bytes can overflow: all links together, busy all the time, carry fewer than a count can hold.
fn check_carried(topology: &Topology, duration: Time, diagnostics: &mut Diagnostics<'_>) {
    let rates: u128 = topology.links().iter().map(|link| u128::from(link.rate.as_bps())).sum();
    let most = u128::from(bounds::CARRIED.get()) * 8 * 1_000_000_000_000;
    if rates * u128::from(duration.as_ps()) > most {
        let longest = Time::from_ps(u64::try_from(most / rates).unwrap_or(u64::MAX));
        diagnostics.refuse("duration", Refusal::TooMuchToCount { longest });
    }
}

fn setting(topology: &Topology, seed: Seed, duration: Time) -> Setting {
    let hosts = topology.hosts();
    let sum: u128 = (0..hosts).map(|host| u128::from(topology.host_rate(host).as_bps())).sum();
    let mean = sum / u128::from(hosts.max(1));
    let leaf = |host| topology.ports(NodeId(host)).next().map_or(host, |port| topology.links()[port as usize].to.0);
    Setting {
        hosts,
        host_rate: Rate::from_bps(u64::try_from(mean).unwrap_or(u64::MAX)),
        leaf: (0..hosts).map(leaf).collect(),
        seed,
        duration,
    }
}

struct Checker<'a> {
    folder: &'a Folder,
    topologies: Topologies,
    files: Files,
}

impl Checker<'_> {
    fn check(&mut self, layered: &Layered) -> Result<(Spec, RunPlan), Vec<Problem>> {
        let form = settings::inspect(&layered.root, spec::shape(), layers::KEYS);
        if !form.is_empty() {
            return Err(form);
        }
        let mut diagnostics = Diagnostics::new(&layered.root);
        let spec: Spec = match serde_json::from_value(layered.root.to_json()) {
            Ok(spec) => spec,
            Err(error) => {
                // The form was checked against a schema of these very types, so this is ours to fix.
                diagnostics.refuse("seed", Refusal::Inconsistent(error.to_string()));
                return Err(diagnostics.into_problems());
            }
        };
        let run = self.run(&spec, layered, &mut diagnostics);
        let problems = diagnostics.into_problems();
        match run {
            Some(run) if problems.is_empty() => Ok((spec, run)),
            _refused => Err(problems),
        }
    }

    /// The fabric on what was built.
    fn fabric(&self, spec: &FabricSpec, built: &Built, diagnostics: &mut Diagnostics<'_>) -> Option<FabricPlan> {
        let fabric = spec.name();
        if built.topology.hosts_forward() && !spec.hosts_forward() {
            diagnostics.refuse("fabric.kind", Refusal::HostsForward);
            return None;
        }
        if !built.topology.hosts_forward() && spec.hosts_forward() {
            diagnostics.refuse("topology.kind", Refusal::HostsDoNotForward { fabric });
            return None;
        }
        let text = |name: &str| {
            let path = self.folder.join(name);
            let (path, read) = (path.display().to_string(), read_text(&path));
            read.map(|text| (path.clone(), text))
                .map_err(|error| Refusal::Unreadable { path, reason: error.to_string() }.to_string())
        };
        let parts = built.parts.as_deref().map(|BuiltParts { joined, rack, outside }| Parts {
            joined,
            rack: Site { uplinks: if joined.has_own_gateways() { joined.gateways } else { 0 }, ..rack.site(&text) },
            outside: outside.site(&text),
        });
        let site = Site { parts: parts.as_ref(), ..built.site(&text) };
        spec.check(&site, &mut diagnostics.section("fabric"))
    }

    /// The plan of one run; it counts only if nothing was refused.
    fn run(&mut self, spec: &Spec, layered: &Layered, diagnostics: &mut Diagnostics<'_>) -> Option<RunPlan> {
        let duration = spec.duration;
        if spec.warmup >= duration {
            diagnostics.refuse("warmup", Refusal::WarmupBeyondDuration { duration });
        }
        let built = self.topologies.build(&spec.topology, self.folder, diagnostics)?;
        if built.topology.hosts() < 2 {
            diagnostics.refuse(topology::size_key(&spec.topology), Refusal::OneHost);
            return None;
        }
        check_carried(&built.topology, duration, diagnostics);
        let fabric = self.fabric(&spec.fabric, &built, diagnostics)?;
        let transports = transport::check(spec, &fabric, diagnostics);
        let measure = measure::check(&spec.measure, duration, &built.topology, diagnostics);
        let faults = faults::check(&spec.fault, &built.topology, Seed(spec.seed), duration, diagnostics);
        if !spec.fault.is_empty() && !fabric.can_fail() {
            diagnostics.refuse("fault", Refusal::NoFaults { fabric: fabric.name() });
        }
        let setting = setting(&built.topology, Seed(spec.seed), duration);
        let checker = workload::Checker {
            folder: self.folder,
            files: &mut self.files,
            setting: &setting,
            fabric: &fabric,
            built: &built,
            transports: &transports,
        };
        let before = diagnostics.count();
        let (workload, groups, paths) = checker.check(&spec.workload, diagnostics);
        if diagnostics.count() == before
            && let Some((index, refusal)) = losses::must_lose(&transports, &fabric, &built.topology, &workload, &groups)
        {
            diagnostics.refuse(&format!("{}.kind", transport::key(spec, index)), refusal);
        }
        let worth =
            spec.compare.as_ref().map(|_| Worth::of(&spec.fabric, &built.topology, spec.topology.outside.is_some()));
        Some(RunPlan {
            name: layered.name.clone(),
            variant: layered.variant.clone(),
            sweep: layered.sweep.clone(),
            seed: Seed(spec.seed),
            duration,
            warmup: spec.warmup,
            stop_when_done: spec.stop_when_done,
            topology: built.topology,
            mean_hops: built.mean_hops,
            routes_bytes: built.routes_bytes,
            fabric: Arc::new(fabric),
            transports,
            workload,
            groups,
            paths,
            faults,
            measure,
            compare: spec.compare.clone(),
            worth,
        })
    }
}

/// What is wrong in which runs: what is wrong in all of them is said once, and what is wrong in some with the name of one.
#[derive(Default)]
struct Found {
    problems: Vec<FoundProblem>,
}

struct FoundProblem {
    problem: Problem,
    runs: usize,
    first: String,
    last: String,
}

impl Found {
    const ENOUGH: usize = 100;
    /// Most problems of one run that are kept: each is compared with all others.
    const MOST: usize = 1000;

    fn add(&mut self, problems: Vec<Problem>, run: &str) {
        for problem in problems.into_iter().take(Found::MOST) {
            match self.problems.iter_mut().find(|known| known.problem == problem) {
                Some(known) if known.last == run => {}
                Some(known) => {
                    known.runs += 1;
                    run.clone_into(&mut known.last);
                }
                None => {
                    self.problems.push(FoundProblem { problem, runs: 1, first: run.to_owned(), last: run.to_owned() });
                }
            }
        }
    }
    fn problems(self, file: &str, runs: usize) -> Problems {
        let mut problems = Problems::new(file);
        for FoundProblem { mut problem, runs: count, first, .. } in self.problems {
            problem.run = (count < runs).then_some(first);
            problems.push(problem);
        }
        problems
    }
}
