//! A Shoal rack before it runs.

use crate::build::Rig;
use crate::{BuildError, Config, Shoal};
use fabric::refusal::Refusal as Common;
use fabric::{BuildFailure, Configuration, Fabric, Footprint, Offer, Offers, Run, Runner, Site, Traffic};
use settings::{KeyPath, Section};
use std::sync::Arc;
use topology::Topology;
use units::{Bytes, Span};

/// A Shoal rack on its topology.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What it is.
    pub config: Config,
    topology: Arc<Topology>,
    rig: Rig,
}

/// Why a configuration makes no Shoal rack.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
enum Refusal {
    #[error("does not make a Shoal rack: {0}")]
    Topology(BuildError),
    #[error("is shorter than guard band, overhead and cell together, {least}; write at least that, or leave it out")]
    SlotTooShort { least: Span },
}

impl Configuration for Config {
    type Fabric = Plan;

    fn check(&self, site: &Site<'_>, section: &mut Section<'_, '_>) -> Option<Plan> {
        let before = section.count();
        if self.cell_header >= self.cell {
            section.refuse("cell_header", Common::CellWithoutRoom { cell: self.cell });
        }
        site.refuse_port_changes("a Shoal rack", section);
        if section.count() > before {
            return None;
        }
        let rig = match Rig::new(self, site.topology) {
            Ok(rig) => rig,
            Err(error @ (BuildError::MasterIsNoHost | BuildError::Master(_))) => {
                section.refuse("clocks.master", error);
                return None;
            }
            Err(error @ BuildError::ClassQueue { .. }) => {
                section.refuse("class_queue", Refusal::Topology(error));
                return None;
            }
            Err(error) => {
                let key = if matches!(error, BuildError::Nodes { .. }) {
                    "topology"
                } else if matches!(error, BuildError::Far { .. }) {
                    "topology.delay"
                } else {
                    "topology.kind"
                };
                section.refuse_elsewhere(&KeyPath::from(key), Refusal::Topology(error));
                return None;
            }
        };
        if self.slot.is_some_and(|slot| slot < rig.slot) {
            section.refuse("slot", Refusal::SlotTooShort { least: rig.slot });
        }
        Some(Plan { config: self.clone(), topology: Arc::clone(site.topology), rig })
    }
}

impl Config {
    /// What transports may count on.
    pub fn offers(&self) -> Offers {
        let priorities = self.priorities;
        Offers {
            ecn: Offer::Never,
            lossless: Offer::Given,
            in_order: true,
            priorities,
            trimming: Offer::Never,
            ranked: Offer::Never,
        }
    }
}

impl Fabric for Plan {
    fn offers(&self) -> Offers {
        self.config.offers()
    }
    fn mtu(&self) -> Bytes {
        self.config.mtu
    }
    fn spreads(&self) -> bool {
        true
    }
    fn footprint(&self, _: Span) -> Footprint {
        self.config.footprint(&self.topology, self.rig.delay)
    }
    /// Two moves a cell: to a node between, and on. A packet begins with a cell of its own, and an acknowledgement is one.
    fn hops(&self, traffic: &Traffic) -> f64 {
        2.0 * (traffic.bytes / self.config.payload().get().max(1) as f64 + traffic.packets)
    }
    /// Cells that are not full, and that go over two links.
    fn on_link(&self, sent: f64, _: f64) -> f64 {
        2.0 * (sent / self.config.payload().get().max(1) as f64).ceil() * self.config.cell.get() as f64
    }
    fn run<R: Runner>(&self, run: &Run<'_>, mut runner: R) -> Result<R::Outcome, BuildFailure> {
        let observer = runner.observer();
        Ok(runner.run(Shoal::on(&self.config, &self.topology, self.rig.clone(), run.seed, observer)))
    }
}
