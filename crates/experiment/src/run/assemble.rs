//! From a run's plan to a run.

use crate::plan::RunPlan;
use crate::spec::SeriesKind;
use engine::Control;
use fabrics::{Simulation, SimulationError};
use results::Destination;
use simulation::{Labels, Outcome, Settings};
use std::sync::Arc;

/// Runs one run.
pub(super) fn run(plan: &RunPlan, destination: &Destination, control: &Control) -> Result<Outcome, SimulationError> {
    let simulation = Simulation {
        topology: &plan.topology,
        transports: &plan.transports,
        workload: &plan.workload,
        setting: plan.setting(),
        settings: settings(plan),
        destination,
        control,
    };
    simulation.run(&plan.fabric)
}

fn settings(plan: &RunPlan) -> Settings {
    let measure = &plan.measure;
    let series = |kind| measure.series.contains(&kind);
    Settings {
        duration: plan.duration,
        warmup: plan.warmup,
        stop_when_done: plan.stop_when_done,
        sample: measure.sample,
        watch: measure.watch.clone(),
        flows: measure.flows,
        links: measure.links,
        goodput: series(SeriesKind::Goodput),
        queue: series(SeriesKind::Queue),
        utilisation: series(SeriesKind::Utilisation),
        faults: plan.faults.events.clone(),
        labels: Labels {
            run: plan.name.as_str().into(),
            variant: plan.variant.as_deref().map(Arc::from),
            fabric: plan.fabric.name().into(),
            transport: plan.transports.name().into(),
            seed: plan.seed.0,
        },
    }
}
