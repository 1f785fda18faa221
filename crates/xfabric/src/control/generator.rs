//! How a controller comes by a topology.

use super::wiring::Wiring;
use crate::demand::{DemandVector, Estimate, EstimateError, External, index};
use crate::generate::crosspoints::{Circuit, Fabric};
use crate::generate::{Ties, Uplinks, generate};

/// A topology for the rack.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Choice {
    /// Of the internal crosspoints.
    pub circuits: Vec<Circuit>,
    /// Where the uplinks go, if there are any.
    pub uplinks: Option<Uplinks>,
}

/// Makes topologies out of what SoCs report. The controller has no opinion on how.
pub trait Generator {
    /// What a SoC has counted in the period that ended.
    fn report(&mut self, soc: u32, demand: &DemandVector);
    /// A topology. `fabric` leaves out what is broken; `alive` says by SoC who answers.
    fn generate(&mut self, fabric: &Fabric, alive: &[bool]) -> Choice;
}

/// The paper's: weighted averages (§4.1), uplinks where external demand is highest (§4.2), Algorithm 1 (§4.3).
#[derive(Debug, Clone)]
pub struct DemandDriven {
    estimate: Estimate,
    uplinks: u32,
    /// Where uplinks were placed last.
    places: Vec<u32>,
    /// By SoC: its uplink port hangs on the uplink crosspoint.
    has_uplink_port: Vec<bool>,
    ties: Ties,
}

impl DemandDriven {
    /// For this rack. The latest period counts with `weight`, 0 to 1. SoCs whose uplink port hangs on the control network, so that
    /// they can run the controller (§3), are `on_control_network`: they are given no uplink.
    ///
    /// # Errors
    /// For a weight that is not above 0 and at most 1.
    pub fn new(
        wiring: &Wiring,
        weight: f64,
        on_control_network: &[u32],
        ties: Ties,
    ) -> Result<DemandDriven, EstimateError> {
        let socs = wiring.fabric().socs();
        let has_uplink_port = (0..socs).map(|soc| !on_control_network.contains(&soc)).collect();
        let (estimate, uplinks) = (Estimate::new(socs, weight)?, wiring.uplinks());
        Ok(DemandDriven { estimate, uplinks, places: Vec::new(), has_uplink_port, ties })
    }
    /// The demand as it is estimated now.
    pub fn estimate(&self) -> &Estimate {
        &self.estimate
    }
}

impl Generator for DemandDriven {
    fn report(&mut self, soc: u32, demand: &DemandVector) {
        // A report of another rack's shape is none; the controller has checked who sent it.
        let _ = self.estimate.report(soc, demand);
    }

    fn generate(&mut self, fabric: &Fabric, alive: &[bool]) -> Choice {
        let (internal, external) = (self.estimate.demand(), self.estimate.external());
        let external =
            External { sent: of_alive(&external.sent, alive), received: of_alive(&external.received, alive) };
        let may = |soc: u32| alive[index(soc)] && self.has_uplink_port[index(soc)];
        let able = (0..fabric.socs()).filter(|&soc| may(soc)).count() as u32;
        let uplinks = Uplinks::place_among(&external, self.uplinks.min(able), may).ok();
        let uplinks = uplinks.map(|uplinks| uplinks.keeping(&self.places));
        self.places = uplinks.as_ref().map(|uplinks| uplinks.places.clone()).unwrap_or_default();
        let demand = uplinks.as_ref().and_then(|uplinks| uplinks.demand(&internal, &external).ok()).unwrap_or(internal);
        let cabling = generate(fabric, &demand, self.ties).expect("estimate and fabric are of the same rack");
        Choice { circuits: cabling.circuits, uplinks }
    }
}

/// Nobody carries the traffic of a SoC that does not answer.
fn of_alive(bytes: &[u64], alive: &[bool]) -> Vec<u64> {
    bytes.iter().zip(alive).map(|(&bytes, &alive)| if alive { bytes } else { 0 }).collect()
}
