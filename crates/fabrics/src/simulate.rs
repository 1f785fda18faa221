//! From a checked fabric and what goes over it to a run.

use crate::FabricPlan;
use engine::Control;
use fabric::{BuildFailure, Network, Off, Run, Runner};
use results::{Destination, WriteError};
use simulation::{Outcome, Output, Settings, Transports};
use std::sync::Arc;
use topology::Topology;
use transport::Transport;
use workload::{Group, Setting, Workload, WorkloadError};

/// Why a run could not be made or finished, though its plan was checked.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// A table can't be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// What chance gives the fabric can't be built.
    #[error(transparent)]
    Fabric(#[from] BuildFailure),
    /// What chance gives the workload can't be made.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
}

/// All of a run but its fabric.
#[derive(Debug)]
pub struct Simulation<'a> {
    /// Hosts, switches and links.
    pub topology: &'a Topology,
    /// The transports of the workloads.
    pub transports: &'a Transports,
    /// The workloads.
    pub workload: &'a [Group],
    /// What workloads know of the run.
    pub setting: Setting,
    /// How long it is, and what is recorded.
    pub settings: Settings,
    /// Where its tables go.
    pub destination: &'a Destination,
    /// What may stop it.
    pub control: &'a Control,
}

impl Simulation<'_> {
    /// Runs it over a fabric.
    ///
    /// # Errors
    /// If what chance gives the run can't be built, or a table can't be written.
    pub fn run(self, fabric: &FabricPlan) -> Result<Outcome, SimulationError> {
        let Simulation { control, setting: Setting { seed, .. }, .. } = self;
        fabric.run(&Run { seed, control }, self)?
    }
}

impl Runner for Simulation<'_> {
    type Observer = Off;
    type Outcome = Result<Outcome, SimulationError>;

    fn observer(&mut self) -> Off {
        Off
    }

    fn run<N: Network<Observer = Off>>(self, network: N) -> Self::Outcome {
        let Simulation { topology, transports, workload, setting, settings, destination, control } = self;
        for transport in &transports.protocols {
            debug_assert_eq!(transport.needs().unmet(network.offers()), None, "the plan refuses what can't work");
        }
        let groups = workload.iter().map(|group| Arc::from(group.name.as_str())).collect();
        let workload = Workload::new(workload, &setting)?;
        let output = Output::create(destination, settings, topology, groups)?;
        Ok(simulation::run(network, transports, workload, topology, setting.seed, output, control)?)
    }
}
