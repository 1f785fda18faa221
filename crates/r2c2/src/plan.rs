//! An R2C2 rack before it runs.

use crate::rig::{BuildError, Rig};
use crate::{Config, R2c2, Routing};
use fabric::refusal::Refusal as Common;
use fabric::{BuildFailure, Configuration, Fabric, Footprint, Loss, Offer, Offers, Run, Runner, Site, Traffic};
use settings::{KeyPath, Length, Section};
use std::sync::Arc;
use topology::Routes;
use units::{Bytes, Pace, Span};

/// An R2C2 rack on its topology.
#[derive(Debug, Clone)]
pub struct Plan {
    config: Config,
    rig: Rig,
    routes: Arc<Routes>,
}

/// Why a configuration makes no R2C2 rack.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Refusal {
    #[error("does not make an R2C2 rack: {0}")]
    Topology(BuildError),
    #[error("is below 1 us, in which no node computes the rates of a rack; write at least \"1 us\"")]
    Interval,
}

/// From one computation to the next, at least.
const SHORTEST: Span = Span::from_us(1);

impl Configuration for Config {
    type Fabric = Plan;

    fn check(&self, site: &Site<'_>, section: &mut Section<'_, '_>) -> Option<Plan> {
        site.refuse_outside("r2c2", section)?;
        site.refuse_port_changes("an R2C2 rack", section);
        let before = section.count();
        let frame = Bytes::new(self.packet.get().saturating_add(self.header.get()));
        if frame > Pace::LONGEST {
            section.refuse("packet", Common::MtuTooLarge { frame, most: Pace::LONGEST.saturating_sub(self.header) });
        }
        if self.announcement > Pace::LONGEST {
            section.refuse("announcement", Common::TooLong { size: self.announcement, most: Pace::LONGEST });
        }
        if self.interval < SHORTEST {
            section.refuse("interval", Refusal::Interval);
        }
        if matches!(self.queue, Some(Length::Bytes(bytes)) if bytes < frame) {
            section.refuse("queue", Common::QueueTooShort { frame });
        }
        let rig = match Rig::new(site.topology) {
            Ok(rig) => rig,
            Err(error) => {
                section.refuse_elsewhere(&KeyPath::from("topology"), Refusal::Topology(error));
                return None;
            }
        };
        let routes = Arc::clone(site.routes?);
        (section.count() == before).then(|| Plan { config: self.clone(), rig, routes })
    }
}

/// What transports may count on.
pub(crate) fn offers(config: &Config) -> Offers {
    Offers {
        ecn: Offer::Never,
        lossless: Offer::given_or(config.queue.is_none(), "fabric.queue = \"none\""),
        in_order: false,
        priorities: 8,
        trimming: Offer::Never,
        ranked: Offer::Never,
    }
}

impl Fabric for Plan {
    fn offers(&self) -> Offers {
        offers(&self.config)
    }
    fn mtu(&self) -> Bytes {
        self.config.mtu
    }
    fn framing(&self) -> Bytes {
        self.config.header
    }
    fn spreads(&self) -> bool {
        true
    }
    fn footprint(&self, _: Span) -> Footprint {
        self.config.footprint(&self.rig.topology)
    }
    /// Packets of the rack, over as many links again if they go to a node between; and announcements that a message's flow starts and ends, each over a tree of
    /// all nodes. Those of flows that are announced once more, or rest and go on, are not in it.
    fn hops(&self, traffic: &Traffic) -> f64 {
        let packets = traffic.packets.max(traffic.bytes / self.config.packet.get().max(1) as f64);
        let between = if self.config.routing == Routing::Valiant { (traffic.links - 2.0).max(0.0) } else { 0.0 };
        let trees = 2.0 * f64::from(self.rig.topology.switches().saturating_sub(1));
        packets * (traffic.links + between) + traffic.messages * trees
    }
    fn on_link(&self, sent: f64, packets: f64) -> f64 {
        let pieces = packets.max(sent / self.config.packet.get().max(1) as f64);
        sent + pieces * self.config.header.get() as f64
    }
    fn losses(&self) -> Vec<Loss> {
        let full =
            |holds| Loss::Full { what: format!("a link's queue of {holds}"), holds, cure: "fabric.queue = \"none\"" };
        self.config.queue.map(full).into_iter().collect()
    }
    fn run<R: Runner>(&self, run: &Run<'_>, mut runner: R) -> Result<R::Outcome, BuildFailure> {
        let observer = runner.observer();
        let mut network = R2c2::on(&self.config, self.rig.clone(), Arc::clone(&self.routes), run.seed, observer);
        network.watch(run.control);
        Ok(runner.run(network))
    }
}
