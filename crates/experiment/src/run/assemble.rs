//! From a run's plan to a run.

use crate::plan::RunPlan;
use crate::spec::SeriesKind;
use engine::Control;
use fabric::{BuildFailure, Network, Off, Run, Runner};
use results::{Destination, WriteError};
use simulation::{Labels, Outcome, Output, Settings};
use std::sync::Arc;
use transport::Transport;
use workload::Workload;

/// Why a run could not be made or finished, though its plan was checked.
#[derive(Debug, thiserror::Error)]
pub(super) enum RunError {
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Fabric(#[from] BuildFailure),
    #[error(transparent)]
    Workload(#[from] workload::WorkloadError),
}

/// Runs one run.
pub(super) fn run(plan: &RunPlan, destination: &Destination, control: &Control) -> Result<Outcome, RunError> {
    plan.fabric.run(&Run { seed: plan.seed, control }, Assembly { plan, destination, control })?
}

/// All of a run but its network.
struct Assembly<'a> {
    plan: &'a RunPlan,
    destination: &'a Destination,
    control: &'a Control,
}

impl Runner for Assembly<'_> {
    type Observer = Off;
    type Outcome = Result<Outcome, RunError>;

    fn observer(&mut self) -> Off {
        Off
    }

    fn run<N: Network<Observer = Off>>(self, network: N) -> Self::Outcome {
        let Assembly { plan, destination, control } = self;
        for transport in &plan.transports.protocols {
            debug_assert_eq!(transport.needs().unmet(network.offers()), None, "the plan refuses what can't work");
        }
        let workload = Workload::new(&plan.workload, &plan.setting())?;
        let groups = plan.workload.iter().map(|group| Arc::from(group.name.as_str())).collect();
        let settings = settings(plan);
        let output = Output::create(destination, settings, &plan.topology, groups)?;
        Ok(simulation::run(network, &plan.transports, workload, &plan.topology, plan.seed, output, control)?)
    }
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
