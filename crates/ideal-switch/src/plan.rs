//! The ideal switch before it runs.

use crate::network::BuildError;
use crate::{Config, IdealSwitch};
use fabric::footprint::on_all_links;
use fabric::refusal::{Refusal as Common, check_frame};
use fabric::{BuildFailure, Configuration, Fabric, Footprint, Loss, Offer, Offers, Run, Runner, Site, Traffic};
use settings::{KeyPath, Length, Section};
use std::sync::Arc;
use topology::Topology;
use units::{Bytes, Span};

/// An ideal switch and its hosts.
#[derive(Debug, Clone)]
pub struct Plan {
    config: Config,
    topology: Arc<Topology>,
}

/// Why a configuration makes no ideal switch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Refusal {
    #[error("does not suit an ideal switch: {0}")]
    Topology(BuildError),
    #[error("is not below the queue of {queue}, so nothing would ever be marked; lower it, or lengthen the queue")]
    ThresholdAboveQueue { queue: Length },
}

impl Configuration for Config {
    type Fabric = Plan;

    fn check(&self, site: &Site<'_>, section: &mut Section<'_, '_>) -> Option<Plan> {
        site.refuse_outside("ideal-switch", section)?;
        site.refuse_port_changes("an ideal switch", section);
        let frame = check_frame(self.mtu, self.framing, section);
        if matches!(self.queue, Some(Length::Bytes(bytes)) if bytes < frame) {
            section.refuse("queue", Common::QueueTooShort { frame });
        }
        let never = match (self.ecn_threshold, self.queue) {
            (Some(Length::Bytes(threshold)), Some(Length::Bytes(queue))) => threshold >= queue,
            (Some(Length::Packets(threshold)), Some(Length::Packets(queue))) => threshold >= queue,
            (_, None) | (None, _) | (Some(Length::Packets(_) | Length::Bytes(_)), Some(_)) => false,
        };
        if let Some(queue) = self.queue.filter(|_| never) {
            section.refuse("ecn_threshold", Refusal::ThresholdAboveQueue { queue });
        }
        if let Err(error) = IdealSwitch::check(site.topology) {
            section.refuse_elsewhere(&KeyPath::from("topology.kind"), Refusal::Topology(error));
        }
        Some(Plan { config: self.clone(), topology: Arc::clone(site.topology) })
    }
}

/// What transports may count on.
pub(crate) fn offers(config: &Config) -> Offers {
    Offers {
        ecn: Offer::given_or(config.ecn_threshold.is_some(), "fabric.ecn_threshold, for example \"20 packets\""),
        lossless: Offer::given_or(config.queue.is_none(), "fabric.queue = \"none\""),
        in_order: true,
        priorities: 1,
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
        self.config.framing
    }
    fn can_fail(&self) -> bool {
        false
    }
    /// It is as if a flow had all paths to itself.
    fn spreads(&self) -> bool {
        true
    }
    fn footprint(&self, _: Span) -> Footprint {
        let wire = self.config.mtu + self.config.framing;
        let hosts = u64::from(self.topology.hosts());
        let queued = match self.config.queue {
            None => u64::MAX,
            Some(Length::Packets(packets)) => hosts.saturating_mul(packets.into()),
            Some(Length::Bytes(bytes)) => hosts.saturating_mul(bytes.get() / wire.get().max(1)),
        };
        let fixed = hosts * 600 + self.topology.links().len() as u64 * 8;
        let frames = queued.saturating_add(on_all_links(&self.topology, wire));
        Footprint { fixed, frames, frame: 200, ..Footprint::default() }
    }
    /// To the switch, and from there.
    fn hops(&self, traffic: &Traffic) -> f64 {
        2.0 * traffic.packets
    }
    fn losses(&self) -> Vec<Loss> {
        let full =
            |holds| Loss::Full { what: format!("a port's queue of {holds}"), holds, cure: "fabric.queue = \"none\"" };
        self.config.queue.map(full).into_iter().collect()
    }
    fn run<R: Runner>(&self, _: &Run<'_>, mut runner: R) -> Result<R::Outcome, BuildFailure> {
        let network = IdealSwitch::on(&self.config, &self.topology, runner.observer())?;
        Ok(runner.run(network))
    }
}
