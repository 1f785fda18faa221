//! What can be run but may not be what was meant.

use crate::layers::Layered;
use crate::plan::RunPlan;
use fabric::{Fault, Loss, Offer};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use transport::{Config, Transport};

/// Runs that differ in nothing but their names: a variant that changes nothing, most likely.
pub(crate) fn alike(layers: &[Layered]) -> Vec<String> {
    let mut first: BTreeMap<String, &str> = BTreeMap::new();
    let mut warnings = Vec::new();
    for layered in layers {
        match first.entry(layered.root.to_json().to_string()) {
            Entry::Vacant(entry) => {
                entry.insert(&layered.name);
            }
            Entry::Occupied(entry) => {
                warnings.push(format!(
                    "run {}: is the same as run {}; does it lack its change?",
                    layered.name,
                    entry.get()
                ));
            }
        }
    }
    warnings
}

/// Runs that a warning names before the rest are only counted.
const NAMED: usize = 3;

/// The warnings of all runs, each once, with the names of the runs that it is about if it is not about all.
pub(crate) fn of(runs: &[RunPlan]) -> Vec<String> {
    let mut found: Vec<(String, Vec<&str>)> = Vec::new();
    for run in runs {
        for warning in of_run(run) {
            match found.iter_mut().find(|(known, _)| *known == warning) {
                Some((_, names)) => names.push(&run.name),
                None => found.push((warning, vec![&run.name])),
            }
        }
    }
    let whose = |names: &[&str]| match names {
        [one] => format!("run {one}"),
        [first @ .., last] if names.len() <= NAMED => format!("runs {} and {last}", first.join(", ")),
        _ => format!(
            "{} of {} runs ({} and {} more)",
            names.len(),
            runs.len(),
            names[..NAMED].join(", "),
            names.len() - NAMED
        ),
    };
    let named = |(warning, names): (String, Vec<&str>)| {
        if names.len() == runs.len() { warning } else { format!("{}: {warning}", whose(&names)) }
    };
    found.into_iter().map(named).collect()
}

fn of_run(run: &RunPlan) -> Vec<String> {
    let mut warnings = Vec::new();
    let in_groups = |info: &workload::GroupInfo| -> Vec<String> {
        info.warnings.iter().map(|warning| format!("workload {}: {warning}", info.name)).collect()
    };
    warnings.extend(run.groups.iter().flat_map(in_groups));
    if run.transports.protocols.iter().any(|transport| matches!(transport, Config::Direct(_))) {
        warnings.extend(lost_for_good(run));
    }
    warnings.extend(goes_back(run));
    warnings.extend(idle_over_fluid(run));
    warnings.extend(run.fabric.warnings());
    warnings
}

/// What makes a transport that goes back to each packet that is missing send very much again.
fn goes_back(run: &RunPlan) -> Vec<String> {
    let Some(transport) = run.transports.protocols.iter().find(|transport| transport.needs().goes_back) else {
        return Vec::new();
    };
    let (name, offers) = (transport.name(), run.fabric.offers());
    let mut warnings = Vec::new();
    for loss in run.fabric.losses() {
        let (what, cure) = match loss {
            // Whoever asks for losses by chance means them.
            Loss::Chance { .. } => continue,
            Loss::Circuits => ("what is on a circuit when it changes is lost".to_owned(), None),
            Loss::Full { what, .. } => {
                let cure = if let Offer::With(setting) = offers.lossless { Some(setting) } else { None };
                (format!("{what} can overflow"), cure)
            }
        };
        let cure = cure.map(|setting| format!("; set {setting}")).unwrap_or_default();
        warnings.push(format!("{name} sends everything again from a packet on that is lost, and {what}{cure}"));
    }
    if !offers.in_order {
        warnings.push(format!(
            "{name} takes packets that are overtaken for lost, and sends everything again from there on: use a fabric that keeps their order, such \
             as fabric.routing = \"ecmp\""
        ));
    }
    warnings
}

fn idle_over_fluid(run: &RunPlan) -> Option<String> {
    let idle = run.transports.protocols.iter().find(|transport| !matches!(transport, Config::Direct(_)))?;
    run.fabric.is_ideal().then(|| {
        format!(
            "{} has nothing to do over a fluid network, which shares rates ideally and drops nothing: it only limits flows by its window; \
             write transport.kind = \"direct\"",
            idle.name()
        )
    })
}

/// What a transport that does not send again loses for good, and what to write against it.
fn lost_for_good(run: &RunPlan) -> Vec<String> {
    let finite = run
        .groups
        .iter()
        .enumerate()
        .any(|(index, group)| group.mean_bytes.is_some() && matches!(run.transports.of(index), Config::Direct(_)));
    let hosts = run.topology.hosts();
    let stops_host =
        run.faults.events.iter().any(|(_, fault)| matches!(fault, Fault::Node { node, .. } if *node < hosts));
    let faults = finite && !run.faults.planned.is_empty() && (stops_host || !run.fabric.repairs());
    let mut warnings: Vec<String> = Vec::new();
    for loss in run.losses() {
        warnings.push(match loss {
            Loss::Chance { .. } => {
                "direct does not send again what links lose (loss), so some flows will not finish: use newreno".to_owned()
            }
            Loss::Circuits => "direct does not send again what is on a circuit when it changes, so some flows will not finish: use \
                               newreno, or fabric.reconfigure = false"
                .to_owned(),
            Loss::Full { what, cure, .. } => format!(
                "direct does not send again what is dropped, and {what} can overflow, so that some flows would not finish: set {cure}, or use \
                 newreno"
            ),
        });
    }
    if faults {
        warnings.push(
            "direct does not send again what is lost with what breaks, so some flows will not finish: use newreno"
                .to_owned(),
        );
    }
    warnings
}
