//! A rack, alone or joined to an outside, before it runs.

use crate::config::{Config, Spreading, Uplinks};
use crate::joined::Joined;
use crate::numbering::{Numbered, Numbering};
use ethernet::{Ethernet, Fifo, Priorities};
use fabric::refusal::Refusal as Common;
use fabric::{
    BuildFailure, Configuration, Fabric, Footprint, Loss, Network, Offer, Offers, Parts, Run, Runner, Site, Traffic,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{KeyPath, Length, Section, plain};
use std::sync::Arc;
use units::{Bytes, Span};

/// A rack that gateways may join to an outside.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ByGateways<C> {
    /// The rack.
    #[serde(flatten)]
    pub rack: C,
    /// The nodes that join the rack to what is outside, if there is a `[topology.outside]`.
    pub gateways: Option<Config>,
    /// The Ethernet outside, if there is a `[topology.outside]`. Its `mtu` must be that of the rack.
    pub outside: Option<ethernet::Config>,
}

/// A network whose operations centre may join it to an outside.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ByOperationsCentre<C> {
    /// The network.
    #[serde(flatten)]
    pub rack: C,
    /// The bridges of the network operations centre, if there is a `[topology.outside]`.
    pub gateways: Option<Config>,
    /// The Ethernet outside, if there is a `[topology.outside]`. Its `mtu` must be that of the network.
    pub outside: Option<ethernet::Config>,
}

/// A rack that uplinks may join to an outside.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ByUplinks<C> {
    /// The rack.
    #[serde(flatten)]
    pub rack: C,
    /// The far ends of the rack's uplinks, if there is a `[topology.outside]`. Uplinks begin spread evenly over the rack, each SoC using the
    /// nearest. With every new topology the controller gives them to the SoCs that exchange most with the outside, and has the others
    /// share them evenly. SoCs on which a controller can run have none.
    pub uplinks: Option<Uplinks>,
    /// The Ethernet outside, if there is a `[topology.outside]`. Its `mtu` must be that of the rack.
    pub outside: Option<ethernet::Config>,
}

/// What joins racks of a kind to their outside.
struct Means {
    /// A key of `[topology.outside]` and a table of `[fabric]`.
    table: &'static str,
    /// So many of them, for example.
    count: u32,
    /// What the other kind of racks has.
    other: &'static str,
    /// The kind of rack, as files have it.
    fabric: &'static str,
    /// Whether they are nodes of their own.
    has_own_gateways: bool,
    /// How traffic is shared out if nothing is written.
    spreading: Spreading,
    /// What marks frames.
    marks: &'static str,
    /// What keeps buffers from overflowing.
    cure: &'static str,
}

const GATEWAYS: Means = Means {
    table: "gateways",
    count: 4,
    other: "uplinks",
    fabric: "shoal",
    has_own_gateways: false,
    spreading: Spreading::Flow,
    marks: "fabric.outside.ecn_threshold, for example \"20 packets\", or fabric.gateways.ecn_threshold",
    cure: "a larger fabric.gateways.buffer",
};
const UPLINKS: Means = Means {
    table: "uplinks",
    count: 4,
    other: "gateways",
    fabric: "xfabric",
    has_own_gateways: true,
    spreading: Spreading::Flow,
    marks: "fabric.outside.ecn_threshold, for example \"20 packets\", or fabric.uplinks.ecn_threshold",
    cure: "a larger fabric.uplinks.buffer",
};

const OPERATIONS_CENTRE: Means =
    Means { count: 1, fabric: "an3", has_own_gateways: true, spreading: Spreading::Host, ..GATEWAYS };

/// Why a rack can't be joined, or not like this.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
enum Refusal {
    #[error(
        "is for a rack with an outside, and there is none; write [topology.outside] with for example {by} = {count}, kind = \"star\" and hosts = 16"
    )]
    NothingOutside { by: &'static str, count: u32 },
    #[error("is not what joins a rack of kind {fabric} to its outside; write {by} = {count} in its place")]
    JoinedOtherwise { fabric: &'static str, by: &'static str, count: u32 },
    #[error("must be that of the rack, fabric.mtu = \"{}\": gateways pass packets on as they are", plain(*rack))]
    OtherMtu { rack: Bytes },
    #[error("is never reached: fabric.{table}.buffer is {}", plain(*buffer))]
    ThresholdAboveBuffer { table: &'static str, buffer: Bytes },
    #[error("only an Ethernet fabric by itself trims packets; leave it out")]
    TrimmingOutside,
    #[error("only an Ethernet fabric by itself pauses its hosts; leave it out")]
    PfcOutside,
    #[error("only an Ethernet fabric by itself orders packets by rank; leave it out")]
    PfabricOutside,
    #[error("only an Ethernet fabric by itself has packets of which it sees the whole way; leave it out")]
    LatencyOutside,
}

/// A rack on its topology, alone or joined to an outside.
#[derive(Debug)]
pub enum Plan<P> {
    /// Alone.
    Alone(P),
    /// Joined.
    Joined(Box<Join<P>>),
}

/// A rack, what is outside it, and what joins them.
#[derive(Debug)]
pub struct Join<P> {
    /// The rack.
    pub rack: P,
    /// What is outside.
    pub outside: ethernet::Plan,
    /// The gateways, or the far ends of uplinks.
    pub config: Config,
    /// Where the one ends and the other begins.
    pub joined: Arc<topology::Joined>,
    marks: &'static str,
    cure: &'static str,
}

impl<C: Configuration> Configuration for ByGateways<C> {
    type Fabric = Plan<C::Fabric>;

    fn check(&self, site: &Site<'_>, section: &mut Section<'_, '_>) -> Option<Self::Fabric> {
        check(&self.rack, self.gateways, self.outside.as_ref(), &GATEWAYS, site, section)
    }
}

impl<C: Configuration> Configuration for ByOperationsCentre<C> {
    type Fabric = Plan<C::Fabric>;

    const HOSTS_FORWARD: bool = C::HOSTS_FORWARD;

    fn check(&self, site: &Site<'_>, section: &mut Section<'_, '_>) -> Option<Self::Fabric> {
        check(&self.rack, self.gateways, self.outside.as_ref(), &OPERATIONS_CENTRE, site, section)
    }
}

impl<C: Configuration> Configuration for ByUplinks<C> {
    type Fabric = Plan<C::Fabric>;

    fn check(&self, site: &Site<'_>, section: &mut Section<'_, '_>) -> Option<Self::Fabric> {
        check(&self.rack, self.uplinks.map(Config::from), self.outside.as_ref(), &UPLINKS, site, section)
    }
}

fn check<C: Configuration>(
    rack: &C,
    config: Option<Config>,
    outside: Option<&ethernet::Config>,
    means: &Means,
    site: &Site<'_>,
    section: &mut Section<'_, '_>,
) -> Option<Plan<C::Fabric>> {
    let Some(parts) = site.parts else {
        // A rack by itself has no use for these.
        for (table, _) in [("outside", outside.is_some()), (means.table, config.is_some())].iter().filter(|(_, is)| *is)
        {
            section.refuse(table, Refusal::NothingOutside { by: means.table, count: means.count });
        }
        return rack.check(site, section).map(Plan::Alone);
    };
    let Parts { joined, rack: inside, outside: beyond } = parts;
    if joined.has_own_gateways() != means.has_own_gateways {
        let refusal = Refusal::JoinedOtherwise { fabric: means.fabric, by: means.table, count: joined.gateways };
        section.refuse_elsewhere(&KeyPath::from("topology.outside").child(means.other), refusal);
        return None;
    }
    let rack = rack.check(inside, section);
    let mtu = rack.as_ref().map(Fabric::mtu);
    // What is not written at all is as large as the rack has it.
    let default =
        || ethernet::Config { mtu: mtu.unwrap_or(ethernet::Config::default().mtu), ..ethernet::Config::default() };
    let of_outside = outside.cloned().unwrap_or_else(default);
    let plan = of_outside.plan(beyond, &mut section.section("outside"));
    if of_outside.trimming.is_some() {
        section.refuse("outside.trimming", Refusal::TrimmingOutside);
    }
    if of_outside.pfabric {
        section.refuse("outside.pfabric", Refusal::PfabricOutside);
    }
    if of_outside.in_network_latency {
        section.refuse("outside.in_network_latency", Refusal::LatencyOutside);
    }
    if of_outside.pfc.is_some() {
        section.refuse("outside.pfc", Refusal::PfcOutside);
    }
    let (rack, mtu) = (rack?, mtu?);
    if of_outside.mtu != mtu {
        section.refuse("outside.mtu", Refusal::OtherMtu { rack: mtu });
    }
    let config = config.unwrap_or_default();
    let config = Config { spreading: config.spreading.or(Some(means.spreading)), ..config };
    let mut own = section.section(means.table);
    if config.buffer < mtu {
        own.refuse("buffer", Common::BufferTooSmall { packet: mtu });
    }
    if config.ecn_threshold.is_some_and(|threshold| threshold >= config.buffer) {
        own.refuse("ecn_threshold", Refusal::ThresholdAboveBuffer { table: means.table, buffer: config.buffer });
    }
    let Means { marks, cure, .. } = *means;
    Some(Plan::Joined(Box::new(Join { rack, outside: plan?, config, joined: Arc::clone(joined), marks, cure })))
}

impl<P: Fabric> Fabric for Plan<P> {
    fn offers(&self) -> Offers {
        match self {
            Plan::Alone(rack) => rack.offers(),
            Plan::Joined(join) => {
                let (rack, outside) = (join.rack.offers(), join.outside.offers());
                let marks = join.config.ecn_threshold.is_some() || outside.ecn.is_given();
                Offers {
                    ecn: Offer::given_or(marks, join.marks),
                    lossless: Offer::Never,
                    in_order: false,
                    priorities: rack.priorities.min(outside.priorities),
                    trimming: Offer::Never,
                    ranked: Offer::Never,
                }
            }
        }
    }
    fn mtu(&self) -> Bytes {
        self.rack().mtu()
    }
    fn framing(&self) -> Bytes {
        match self {
            Plan::Alone(rack) => rack.framing(),
            Plan::Joined(join) => join.outside.framing(),
        }
    }
    fn spreads(&self) -> bool {
        match self {
            Plan::Alone(rack) => rack.spreads(),
            Plan::Joined(_) => true,
        }
    }
    fn footprint(&self, duration: Span) -> Footprint {
        match self {
            Plan::Alone(rack) => rack.footprint(duration),
            Plan::Joined(join) => {
                let between = join.config.footprint(join.joined.gateways, self.mtu());
                join.rack.footprint(duration).beside(join.outside.footprint(duration)).beside(between)
            }
        }
    }
    /// The outside does not.
    fn repairs(&self) -> bool {
        match self {
            Plan::Alone(rack) => rack.repairs(),
            Plan::Joined(_) => false,
        }
    }
    /// As if all were in the rack and outside as well.
    fn hops(&self, traffic: &Traffic) -> f64 {
        match self {
            Plan::Alone(rack) => rack.hops(traffic),
            Plan::Joined(join) => join.rack.hops(traffic) + join.outside.hops(traffic),
        }
    }
    fn on_link(&self, sent: f64, packets: f64) -> f64 {
        self.rack().on_link(sent, packets)
    }
    fn losses(&self) -> Vec<Loss> {
        let mut losses = self.rack().losses();
        if let Plan::Joined(join) = self {
            losses.extend(join.outside.config.losses("fabric.outside.queue = \"1 GB\""));
            let buffer = join.config.buffer;
            let what = format!("a gateway's buffer of {buffer}");
            losses.push(Loss::Full { what, holds: Length::Bytes(buffer), cure: join.cure });
        }
        losses
    }
    fn warnings(&self) -> Vec<String> {
        self.rack().warnings()
    }
    fn run<R: Runner>(&self, run: &Run<'_>, runner: R) -> Result<R::Outcome, BuildFailure> {
        match self {
            Plan::Alone(rack) => rack.run(run, runner),
            Plan::Joined(join) => {
                join.rack.run(run, WithOutside { join, run: *run, numbering: Numbering::new(&join.joined), runner })
            }
        }
    }
}

impl<P> Plan<P> {
    fn rack(&self) -> &P {
        match self {
            Plan::Alone(rack) => rack,
            Plan::Joined(join) => &join.rack,
        }
    }
}

/// Runs a rack's network with its outside.
struct WithOutside<'a, P, R> {
    join: &'a Join<P>,
    run: Run<'a>,
    numbering: Numbering,
    runner: R,
}

impl<P, R: Runner> Runner for WithOutside<'_, P, R> {
    type Observer = Numbered<R::Observer>;
    type Outcome = R::Outcome;

    fn observer(&mut self) -> Self::Observer {
        self.numbering.inside(self.runner.observer())
    }

    fn run<N: Network<Observer = Self::Observer>>(self, rack: N) -> R::Outcome {
        let WithOutside { join, run: Run { seed, .. }, numbering, mut runner } = self;
        let observer = numbering.outside(runner.observer());
        let ethernet::Plan { config, topology, routes } = &join.outside;
        if config.priorities > 1 {
            let outside = Ethernet::<Priorities, _>::on(config, topology, Arc::clone(routes), seed, observer);
            runner.run(Joined::new(&join.config, &join.joined, rack, outside, seed))
        } else {
            let outside = Ethernet::<Fifo, _>::on(config, topology, Arc::clone(routes), seed, observer);
            runner.run(Joined::new(&join.config, &join.joined, rack, outside, seed))
        }
    }
}
