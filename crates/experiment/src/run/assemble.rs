//! From a run's plan to a run: the fabric is chosen here, once.

use crate::plan::{FabricPlan, GatewaysPlan, RackPlan, RunPlan};
use crate::spec::SeriesKind;
use engine::Control;
use ethernet::{Discipline, Ethernet, Fifo, Priorities, Trimming};
use fabric::Network;
use fluid::Fluid;
use gateway::Joined;
use results::{Destination, WriteError};
use shoal::Shoal;
use simulation::{Labels, Outcome, Output, Settings, Tables};
use stardust::{Lanes, LockStep, Stardust};
use std::sync::Arc;
use transport::Transport;
use workload::Workload;
use xfabric::network::XFabric;

/// Why a run could not be made or finished, though its plan was checked.
#[derive(Debug, thiserror::Error)]
pub(super) enum RunError {
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Routes(#[from] topology::RouteError),
    #[error(transparent)]
    Stardust(#[from] stardust::BuildError),
    #[error(transparent)]
    Shoal(#[from] shoal::BuildError),
    #[error(transparent)]
    XFabric(#[from] xfabric::network::BuildError),
    #[error(transparent)]
    Fluid(#[from] fluid::BuildError),
    #[error(transparent)]
    Workload(#[from] workload::WorkloadError),
}

/// Runs one run.
pub(super) fn run(plan: &RunPlan, destination: &Destination, control: &Control) -> Result<Outcome, RunError> {
    match &plan.fabric {
        FabricPlan::Ethernet(config) if config.trim.is_some() => {
            over_ethernet::<Trimming>(config, plan, destination, control)
        }
        FabricPlan::Ethernet(config) if config.priorities > 1 => {
            over_ethernet::<Priorities>(config, plan, destination, control)
        }
        FabricPlan::Ethernet(config) => over_ethernet::<Fifo>(config, plan, destination, control),
        FabricPlan::Stardust(config) if config.lock_step => {
            let network = Stardust::<LockStep>::new(config, &plan.topology, plan.seed)?;
            over(network, plan, destination, control)
        }
        FabricPlan::Stardust(config) => {
            let network = Stardust::<Lanes>::new(config, &plan.topology, plan.seed)?;
            over(network, plan, destination, control)
        }
        FabricPlan::Shoal(config) => over(Shoal::new(config, &plan.topology, plan.seed)?, plan, destination, control),
        FabricPlan::XFabric(config) => {
            over(XFabric::new(config, &plan.topology, plan.seed)?, plan, destination, control)
        }
        FabricPlan::Gateways(gateways) if gateways.outside.priorities > 1 => {
            over_gateways::<Priorities>(gateways, plan, destination, control)
        }
        FabricPlan::Gateways(gateways) => over_gateways::<Fifo>(gateways, plan, destination, control),
        FabricPlan::Fluid(config) => {
            let mut network = Fluid::new(config, &plan.topology, plan.seed)?;
            network.watch(control);
            over(network, plan, destination, control)
        }
    }
}

fn over_ethernet<D: Discipline>(
    config: &ethernet::Config,
    plan: &RunPlan,
    destination: &Destination,
    control: &Control,
) -> Result<Outcome, RunError> {
    let network = Ethernet::<D>::new(config, &plan.topology, plan.seed)?;
    over(network, plan, destination, control)
}

fn over_gateways<D: Discipline>(
    gateways: &GatewaysPlan,
    plan: &RunPlan,
    destination: &Destination,
    control: &Control,
) -> Result<Outcome, RunError> {
    let joined = plan.joined.as_deref().expect("a plan with gateways has a rack and an outside");
    let (rack, config, seed) = (joined.rack().topology, &gateways.gateways, plan.seed);
    let outside = Ethernet::<D>::new(&gateways.outside, &joined.outside().topology, seed)?;
    match &gateways.rack {
        RackPlan::Shoal(shoal) => {
            let rack = Shoal::new(shoal, &rack, seed)?;
            over(Joined::new(config, joined, rack, outside, seed), plan, destination, control)
        }
        RackPlan::XFabric(xfabric) => {
            let rack = XFabric::new(xfabric, &rack, seed)?;
            over(Joined::new(config, joined, rack, outside, seed), plan, destination, control)
        }
    }
}

fn over<N: Network>(
    network: N,
    plan: &RunPlan,
    destination: &Destination,
    control: &Control,
) -> Result<Outcome, RunError> {
    for transport in &plan.transports.protocols {
        debug_assert_eq!(transport.needs().unmet(network.offers()), None, "the plan refuses what can't work");
    }
    let workload = Workload::new(&plan.workload, &plan.setting())?;
    let groups = plan.workload.iter().map(|group| Arc::from(group.name.as_str())).collect();
    let settings = settings(plan);
    let tables = Tables::create(destination, &settings)?;
    let output = Output::new(tables, settings, &plan.topology, groups);
    Ok(simulation::run(network, &plan.transports, workload, &plan.topology, plan.seed, output, control)?)
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
