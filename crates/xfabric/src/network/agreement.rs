//! Whether crosspoints and SoCs agree (§4.4: "the data plane rapidly converges to a consistent state, even if the controller fails").

use super::XFabric;
use super::controller::Forwarding;
use crate::control::{CrosspointAgent, SocAgent, Version};
use fabric::Observer;
use std::collections::BTreeSet;

/// What is in force, among what works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Agreement {
    /// Configurations by which crosspoints join ports or SoCs forward: one if all agree.
    pub versions: usize,
    /// SoCs that forward by other tables than those of the circuits that are there now, or whose gateway has no uplink.
    pub out_of_date: usize,
}

impl<O: Observer> XFabric<O> {
    /// None without the protocol. As much work as tables for the whole rack.
    pub(super) fn agreement(&self) -> Option<Agreement> {
        let protocol = self.protocol.as_ref()?;
        let health = &self.cabling.health;
        let socs = protocol.socs.iter().filter(|agent| health.soc(agent.soc())).map(SocAgent::version);
        let works = |number: &u32| health.crosspoint(&self.rig, *number);
        let crosspoints = (0..).zip(&protocol.crosspoints).filter(|(number, _)| works(number));
        let set = crosspoints.map(|(_, agent): (u32, &CrosspointAgent)| agent.active().version);
        let versions: BTreeSet<Version> = socs.chain(set).collect();
        let wanted = Forwarding::over(&self.cabling.graph(&self.rig, health));
        let all = 0..self.rig.fabric.socs();
        let follows = |soc: u32| {
            all.clone().all(|to| self.forwarding.set(soc, to) == wanted.set(soc, to)) && self.has_way_out(soc)
        };
        let out_of_date = all.clone().filter(|&soc| health.soc(soc) && !follows(soc)).count();
        Some(Agreement { versions: versions.len(), out_of_date })
    }
}
