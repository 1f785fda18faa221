//! An XFabric rack before it runs.

use super::XFabric;
use super::config::{Config, Multipath, Start};
use super::rig::{BuildError, Rig};
use crate::demand::{self, Demand};
use fabric::refusal::{Refusal as Common, check_frame};
use fabric::{BuildFailure, Configuration, Fabric, Footprint, Loss, Offer, Offers, Run, Runner, Site};
use settings::{KeyPath, Length, Section};
use std::sync::Arc;
use topology::{NodeId, Topology};
use units::{Bytes, Span};

/// An XFabric rack on its topology.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What it is, its first demand included.
    pub config: Config,
    topology: Arc<Topology>,
    rig: Rig,
}

/// Why a configuration makes no XFabric rack.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
enum Refusal {
    #[error("does not make an XFabric rack: {0}")]
    Topology(BuildError),
    #[error("missing: start = \"demand\" needs a file of demand, for example demand = \"demand.csv\"")]
    NoDemand,
    #[error("is read only with start = \"demand\"; write that, or leave this out")]
    UselessDemand,
    #[error("has no demand between SoCs, so there is nothing to generate a topology for")]
    NoTraffic,
}

impl Configuration for Config {
    type Fabric = Plan;

    fn check(&self, site: &Site<'_>, section: &mut Section<'_, '_>) -> Option<Plan> {
        let before = section.count();
        let frame = check_frame(self.mtu, self.framing, section);
        if self.queue < frame {
            section.refuse("queue", Common::QueueTooShort { frame });
        }
        site.refuse_port_changes("an XFabric rack", section);
        let start_demand = self.read_demand(site, section);
        if section.count() > before {
            return None;
        }
        let config = Config { start_demand, uplink_hosts: site.uplinks, ..self.clone() };
        match Rig::new(&config, site.topology) {
            Ok(rig) => Some(Plan { config, topology: Arc::clone(site.topology), rig }),
            Err(error) => {
                let refusal = Refusal::Topology(error.clone());
                match error {
                    BuildError::NoTorus { .. }
                    | BuildError::Flat { .. }
                    | BuildError::Random(_)
                    | BuildError::NotEmbedded => section.refuse("start", refusal),
                    BuildError::NoHost { .. } => section.refuse("controllers", refusal),
                    BuildError::Demand { .. } => section.refuse("demand", refusal),
                    BuildError::Size(_) => section.refuse_elsewhere(&KeyPath::from("topology"), refusal),
                    BuildError::TooManyUplinks { .. } => {
                        section.refuse_elsewhere(&KeyPath::from("topology.outside.uplinks"), refusal);
                    }
                    BuildError::NotUplinks => section.refuse_elsewhere(&KeyPath::from("topology.outside"), refusal),
                    BuildError::NotToCrosspoint { .. } | BuildError::Ports { .. } | BuildError::Unlike { .. } => {
                        section.refuse_elsewhere(&KeyPath::from("topology.kind"), refusal);
                    }
                }
                None
            }
        }
    }
}

impl Config {
    /// The demand with which the run begins, if its file is to be read.
    fn read_demand(&self, site: &Site<'_>, section: &mut Section<'_, '_>) -> Option<Demand> {
        let socs = site.topology.hosts().saturating_sub(site.uplinks);
        match (self.start, &self.demand) {
            (Start::Torus | Start::Random | Start::Uniform, None) => {}
            (Start::Demand, None) => section.refuse("demand", Refusal::NoDemand),
            (Start::Torus | Start::Random | Start::Uniform, Some(_)) => {
                section.refuse("demand", Refusal::UselessDemand);
            }
            (Start::Demand, Some(path)) => {
                let hosts: Vec<String> = (0..socs).map(|soc| site.topology.name(NodeId(soc)).to_owned()).collect();
                let read = (site.text)(path).and_then(|(file, text)| {
                    demand::file::read_for(&text, &file, &hosts).map_err(|why| why.to_string())
                });
                match read {
                    Ok(reading) if reading.demand.total() > 0 => return Some(reading.demand),
                    Ok(_) => section.refuse("demand", Refusal::NoTraffic),
                    Err(why) => section.refuse("demand", why),
                }
            }
        }
        None
    }

    /// What transports may count on. With circuits that never change, a flow keeps its path.
    pub fn offers(&self) -> Offers {
        let in_order = self.period().is_none() && self.routing == Multipath::Flow;
        Offers {
            ecn: Offer::Never,
            lossless: Offer::Never,
            in_order,
            priorities: 1,
            trimming: Offer::Never,
            ranked: Offer::Never,
        }
    }

    /// All the ways in which it can lose frames.
    pub fn losses(&self) -> Vec<Loss> {
        let (what, holds) = (format!("a port's queue of {}", self.queue), Length::Bytes(self.queue));
        let full = Loss::Full { what, holds, cure: "a larger fabric.queue" };
        self.period().map(|_| Loss::Circuits).into_iter().chain([full]).collect()
    }
}

impl Fabric for Plan {
    fn offers(&self) -> Offers {
        self.config.offers()
    }
    fn mtu(&self) -> Bytes {
        self.config.mtu
    }
    fn framing(&self) -> Bytes {
        self.config.framing
    }
    fn spreads(&self) -> bool {
        false
    }
    fn footprint(&self, duration: Span) -> Footprint {
        self.config.footprint(&self.topology, duration)
    }
    fn losses(&self) -> Vec<Loss> {
        self.config.losses()
    }
    fn run<R: Runner>(&self, run: &Run<'_>, mut runner: R) -> Result<R::Outcome, BuildFailure> {
        let network = XFabric::on(&self.config, self.rig.clone(), run.seed, runner.observer())?;
        Ok(runner.run(network))
    }
}
