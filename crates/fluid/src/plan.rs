//! A fluid network before it runs.

use crate::network::BuildError;
use crate::{Config, Fluid, Sharing};
use fabric::{BuildFailure, Configuration, Fabric, Footprint, Offer, Offers, Run, Runner, Site, Traffic};
use settings::{KeyPath, Section};
use std::sync::Arc;
use topology::{Routes, Topology};
use units::{Bytes, Span};

/// A fluid network on its topology.
#[derive(Debug, Clone)]
pub struct Plan {
    config: Config,
    topology: Arc<Topology>,
    routes: Arc<Routes>,
}

/// It marks nothing, and has nothing to drop or to trim.
pub(crate) const OFFERS: Offers = Offers {
    ecn: Offer::Never,
    lossless: Offer::Given,
    in_order: true,
    priorities: 1,
    trimming: Offer::Never,
    ranked: Offer::Never,
};

/// Hosts whose pairs are kept one by one: what a Shoal rack may have.
const MOST_NODES: u32 = 4096;

/// Why settings do not make a fluid network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Refusal {
    #[error("does not make a fluid network: {0}")]
    Topology(BuildError),
    #[error("has {hosts} hosts, and with fabric.sharing = \"detours\" there may be {MOST_NODES}")]
    TooMany { hosts: u32 },
}

impl Configuration for Config {
    type Fabric = Plan;

    fn check(&self, site: &Site<'_>, section: &mut Section<'_, '_>) -> Option<Plan> {
        site.refuse_outside("fluid", section)?;
        site.refuse_port_changes("a fluid network", section);
        let hosts = site.topology.hosts();
        if self.sharing == Sharing::Detours && hosts > MOST_NODES {
            section.refuse_elsewhere(&KeyPath::from("topology"), Refusal::TooMany { hosts });
        }
        if let Err(error) = Fluid::check(site.topology) {
            section.refuse_elsewhere(&KeyPath::from("topology.kind"), Refusal::Topology(error));
        }
        let (topology, routes) = (Arc::clone(site.topology), Arc::clone(site.routes?));
        Some(Plan { config: self.clone(), topology, routes })
    }
}

impl Fabric for Plan {
    fn offers(&self) -> Offers {
        OFFERS
    }
    fn mtu(&self) -> Bytes {
        self.config.mtu
    }
    fn can_fail(&self) -> bool {
        false
    }
    fn is_ideal(&self) -> bool {
        true
    }
    fn spreads(&self) -> bool {
        true
    }
    fn footprint(&self, _: Span) -> Footprint {
        self.config.footprint(self.topology.hosts())
    }
    fn hops(&self, traffic: &Traffic) -> f64 {
        // Each frame leaves a host and reaches another.
        traffic.packets * 2.0
    }
    fn run<R: Runner>(&self, run: &Run<'_>, mut runner: R) -> Result<R::Outcome, BuildFailure> {
        let mut network =
            Fluid::on(&self.config, &self.topology, Arc::clone(&self.routes), run.seed, runner.observer());
        network.watch(run.control);
        Ok(runner.run(network))
    }
}
