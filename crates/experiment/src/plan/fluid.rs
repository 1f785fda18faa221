//! `[fabric]` of kind fluid: from what was written to the fabric's own configuration.

use super::Refusal;
use super::blame::Blame;
use super::fabric::refuse_ports;
use super::topology::Built;
use crate::spec::{FluidSpec, SharingSpec};
use ::fluid::{Config, Fluid, Sharing};

pub(super) fn check(spec: &FluidSpec, built: &Built, blame: &mut Blame<'_>) -> Config {
    refuse_ports(built, "a fluid network", blame);
    let sharing = match spec.sharing {
        SharingSpec::Interfaces => Sharing::Interfaces,
        SharingSpec::EcmpPaths => Sharing::Paths,
        SharingSpec::Detours => Sharing::Detours,
    };
    let hosts = built.topology.hosts();
    if sharing == Sharing::Detours && hosts > MOST_NODES {
        blame.value("topology", Refusal::TooManyForDetours { hosts, most: MOST_NODES });
    }
    if let Err(error) = Fluid::check(&built.topology) {
        blame.value("topology.kind", Refusal::NoFluid(error));
    }
    Config { mtu: spec.mtu, sharing }
}

/// Hosts whose pairs are kept one by one: what a Shoal rack may have.
const MOST_NODES: u32 = 4096;
