//! What can be run but may not be what was meant.

use crate::layers::Layered;
use crate::plan::{FabricPlan, RackPlan, RunPlan};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use transport::Config;

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

/// The warnings of all runs, each once, with the name of the first run that it is about if it is not about all.
pub(crate) fn of(runs: &[RunPlan]) -> Vec<String> {
    let mut found: Vec<(String, usize, &str)> = Vec::new();
    for run in runs {
        for warning in of_run(run) {
            match found.iter_mut().find(|(known, ..)| *known == warning) {
                Some((_, count, _)) => *count += 1,
                None => found.push((warning, 1, &run.name)),
            }
        }
    }
    let named = |(warning, count, run): (String, usize, &str)| {
        if count == runs.len() { warning } else { format!("run {run}: {warning}") }
    };
    found.into_iter().map(named).collect()
}

fn loses(fabric: &ethernet::Config) -> bool {
    fabric.port.loss > 0.0 || fabric.rules.iter().any(|rule| rule.loss.is_some_and(|loss| loss > 0.0))
}

fn of_run(run: &RunPlan) -> Vec<String> {
    let mut warnings = Vec::new();
    let in_groups = |info: &workload::GroupInfo| -> Vec<String> {
        info.warnings.iter().map(|warning| format!("workload {}: {warning}", info.name)).collect()
    };
    warnings.extend(run.groups.iter().flat_map(in_groups));
    let gives_up = match &run.transport {
        Config::Direct(_) => true,
        Config::NewReno(_) | Config::Dctcp(_) => false,
    };
    let loses = match &run.fabric {
        // Circuits change under what is on them.
        FabricPlan::XFabric(fabric) => fabric.period.is_some(),
        FabricPlan::Ethernet(fabric) => loses(fabric),
        FabricPlan::Gateways(plan) => match &plan.rack {
            RackPlan::Shoal(_) => loses(&plan.outside),
            RackPlan::XFabric(rack) => rack.period.is_some() || loses(&plan.outside),
        },
        FabricPlan::Stardust(_) | FabricPlan::Shoal(_) | FabricPlan::Fluid(_) => false,
    };
    if matches!(run.fabric, FabricPlan::Fluid(_)) && !gives_up {
        warnings.push(format!(
            "{} has nothing to do over a fluid network, which shares rates ideally and drops nothing: it only limits flows by its window; \
             write transport.kind = \"direct\"",
            run.transport.name()
        ));
    }
    let finite = run.groups.iter().any(|group| group.mean_bytes.is_some());
    if gives_up && finite && (loses || !run.faults.planned.is_empty()) {
        warnings.push("direct does not send again what is lost, so some flows will not finish".to_owned());
    }
    if let FabricPlan::Stardust(fabric) = &run.fabric {
        let (turn, least) = stardust::least_watermark(fabric, &run.topology);
        if fabric.credits.watermark < least {
            warnings.push(format!(
                "fabric.credit_watermark is {}, less than a port takes in while a request and its credit are on their way ({turn}), so that \
                 queues which are nearly empty lose part of their rate: write \"{} KB\" or more",
                fabric.credits.watermark,
                least.get().div_ceil(1000)
            ));
        }
    }
    warnings
}
