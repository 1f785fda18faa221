//! An AN3 network before it runs.

use crate::frame::{CONTROL, DATA};
use crate::rig::{BuildError, Rig};
use crate::{An3, Config};
use fabric::{BuildFailure, Configuration, Fabric, Footprint, Offer, Offers, Run, Runner, Site, Traffic};
use settings::{KeyPath, Section};
use units::{Bytes, Span};

/// An AN3 network on its topology.
#[derive(Debug, Clone)]
pub struct Plan {
    config: Config,
    rig: Rig,
}

/// Why a configuration makes no AN3 network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Refusal {
    #[error("does not make an AN3 network: {0}")]
    Topology(BuildError),
    #[error("is not within what the reference says: see docs/experiments.md")]
    Least,
    #[error(
        "is for what crosses a gateway, and there is none; leave it out, or write [topology.outside] with gateways = 1"
    )]
    NoGateway,
    #[error("is more than a slot ({slot}), in which an L1 switch has to handle a request of each link; write less")]
    Cycle { slot: Span },
}

impl Configuration for Config {
    type Fabric = Plan;

    const HOSTS_FORWARD: bool = true;

    fn check(&self, site: &Site<'_>, section: &mut Section<'_, '_>) -> Option<Plan> {
        site.refuse_outside("an3", section)?;
        if !self.tunnels && site.uplinks == 0 {
            section.refuse("tunnels", Refusal::NoGateway);
        }
        site.refuse_port_changes("a network of circuits", section);
        let before = section.count();
        for (key, value, least, most) in [
            ("chunk", self.chunk, 1, 128),
            ("circuits", self.circuits, 1, 256),
            ("retry", self.retry, 1, 1_000_000),
            ("hold", self.hold, 1, 1_000_000_000),
            ("patience", self.patience, 8, 1_000_000),
        ] {
            if !(least..=most).contains(&value) {
                section.refuse(key, Refusal::Least);
            }
        }
        let rig = match Rig::new(site.topology) {
            Ok(rig) => rig,
            Err(error) => {
                section.refuse_elsewhere(&KeyPath::from("topology"), Refusal::Topology(error));
                return None;
            }
        };
        let slot = rig.frame.slot(crate::frame::SLOTS);
        if self.ring_cycle > slot {
            section.refuse("ring_cycle", Refusal::Cycle { slot });
        }
        let rig = rig.with_gateways(site.uplinks);
        (section.count() == before).then(|| Plan { config: self.clone(), rig })
    }
}

/// What transports may count on.
pub(crate) fn offers() -> Offers {
    Offers {
        ecn: Offer::Never,
        lossless: Offer::Given,
        in_order: true,
        priorities: 1,
        trimming: Offer::Never,
        ranked: Offer::Never,
    }
}

impl Fabric for Plan {
    fn offers(&self) -> Offers {
        offers()
    }
    fn mtu(&self) -> Bytes {
        self.config.mtu
    }
    fn spreads(&self) -> bool {
        true
    }
    fn footprint(&self, _: Span) -> Footprint {
        self.config.footprint(&self.rig.topology)
    }
    /// Cells over links. Control cells are not in it: how many there are depends on how long circuits last and how many requests are refused.
    fn hops(&self, traffic: &Traffic) -> f64 {
        traffic.packets.max(traffic.bytes / DATA as f64) * traffic.links
    }
    fn on_link(&self, sent: f64, packets: f64) -> f64 {
        packets.max(sent / DATA as f64) * (DATA + CONTROL) as f64
    }
    /// Chunks, until their sources know that they came (§3.2).
    fn repairs(&self) -> bool {
        true
    }
    fn run<R: Runner>(&self, run: &Run<'_>, mut runner: R) -> Result<R::Outcome, BuildFailure> {
        let observer = runner.observer();
        Ok(runner.run(An3::on(&self.config, self.rig.clone(), run.seed, observer)))
    }
}
