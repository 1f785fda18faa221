//! `[fabric]`: from what was written to the fabric's own configuration.

use super::blame::Blame;
use super::files::Folder;
use super::gateways::{self, GatewaysPlan};
use super::topology::Built;
use super::{Refusal, fluid, shoal, stardust, xfabric};
use crate::quantity::{QueueLength, Threshold};
use crate::spec::{EthernetSpec, FabricSpec, RoutingSpec, SwitchingSpec, TrimmingSpec};
use ethernet::{Config, Length, Port, Routing, Rule, Switching, Trim};
use std::collections::BTreeMap;
use units::{Bytes, Pace};

/// A checked fabric. One variant for each kind.
#[derive(Debug, Clone, PartialEq)]
pub enum FabricPlan {
    /// Output-queued Ethernet switches.
    Ethernet(Config),
    /// A scheduled cell fabric.
    Stardust(::stardust::Config),
    /// A rack of circuit switches on a static schedule.
    Shoal(::shoal::Config),
    /// A rack that re-cables itself.
    XFabric(::xfabric::network::Config),
    /// Such a rack, joined to an Ethernet outside.
    Gateways(Box<GatewaysPlan>),
    /// The ideal network.
    Fluid(::fluid::Config),
}

impl FabricPlan {
    /// Its kind, as experiment files and results have it.
    pub fn name(&self) -> &'static str {
        match self {
            FabricPlan::Ethernet(_) => "ethernet",
            FabricPlan::Stardust(_) => "stardust",
            FabricPlan::Shoal(_) => "shoal",
            FabricPlan::Gateways(plan) => plan.rack.name(),
            FabricPlan::XFabric(_) => "xfabric",
            FabricPlan::Fluid(_) => "fluid",
        }
    }
    /// Strict priority classes.
    pub fn priorities(&self) -> u8 {
        match self {
            FabricPlan::Ethernet(config) => config.priorities,
            FabricPlan::Stardust(config) => config.classes.len() as u8,
            FabricPlan::Shoal(config) => config.classes,
            FabricPlan::Gateways(plan) => plan.priorities(),
            FabricPlan::XFabric(_) | FabricPlan::Fluid(_) => 1,
        }
    }
    /// Largest packet, the transport's header included.
    pub fn mtu(&self) -> Bytes {
        match self {
            FabricPlan::Ethernet(config) => config.mtu,
            FabricPlan::Stardust(config) => config.mtu,
            FabricPlan::Shoal(config) => config.mtu,
            FabricPlan::XFabric(config) => config.mtu,
            FabricPlan::Gateways(plan) => plan.rack.mtu(),
            FabricPlan::Fluid(config) => config.mtu,
        }
    }
    /// Whether a flow uses all paths there are, and not one.
    pub fn spreads(&self) -> bool {
        match self {
            FabricPlan::Ethernet(config) => config.routing == Routing::Spray,
            FabricPlan::Stardust(_) | FabricPlan::Shoal(_) | FabricPlan::Gateways(_) | FabricPlan::Fluid(_) => true,
            FabricPlan::XFabric(_) => false,
        }
    }
    /// Whether ports trim frames.
    pub fn trims(&self) -> bool {
        matches!(self, FabricPlan::Ethernet(config) if config.trim.is_some())
    }
    /// Whether some port marks frames.
    pub fn marks(&self) -> bool {
        match self {
            FabricPlan::Ethernet(config) => ports_mark(config),
            FabricPlan::Gateways(plan) => plan.gateways.ecn_threshold.is_some() || ports_mark(&plan.outside),
            FabricPlan::Stardust(config) => config.adapter.ecn_threshold.is_some(),
            FabricPlan::Shoal(_) | FabricPlan::XFabric(_) | FabricPlan::Fluid(_) => false,
        }
    }
}

fn ports_mark(config: &Config) -> bool {
    config.port.ecn_threshold.is_some() || config.rules.iter().any(|rule| matches!(rule.ecn_threshold, Some(Some(_))))
}

/// The checked fabric; nothing, if it can't be on a topology that is a rack and an outside.
pub(super) fn check(spec: &FabricSpec, built: &Built, folder: &Folder, blame: &mut Blame<'_>) -> Option<FabricPlan> {
    let mut joins_nothing = |fabric| {
        if built.parts.is_some() {
            blame.value("topology.outside", Refusal::NoGateways { fabric });
        }
        built.parts.is_none()
    };
    match spec {
        FabricSpec::Ethernet(spec) => {
            joins_nothing("ethernet").then(|| FabricPlan::Ethernet(ethernet(spec, "fabric", built, blame)))
        }
        FabricSpec::Stardust(spec) => {
            joins_nothing("stardust").then(|| FabricPlan::Stardust(stardust::check(spec, built, blame)))
        }
        FabricSpec::Fluid(spec) => joins_nothing("fluid").then(|| FabricPlan::Fluid(fluid::check(spec, built, blame))),
        FabricSpec::Shoal(spec) => {
            if let Some(parts) = &built.parts {
                return gateways::check_shoal(spec, parts, blame).map(|plan| FabricPlan::Gateways(Box::new(plan)));
            }
            gateways::refuse_shoal(spec, blame);
            Some(FabricPlan::Shoal(shoal::check(spec, built, blame)))
        }
        FabricSpec::XFabric(spec) => {
            if let Some(parts) = &built.parts {
                let plan = gateways::check_xfabric(spec, parts, folder, blame);
                return plan.map(|plan| FabricPlan::Gateways(Box::new(plan)));
            }
            gateways::refuse_xfabric(spec, blame);
            Some(FabricPlan::XFabric(xfabric::check(spec, (built, 0), folder, blame)))
        }
    }
}

/// Ethernet as the table under `table` has it.
pub(super) fn ethernet(spec: &EthernetSpec, table: &str, built: &Built, blame: &mut Blame<'_>) -> Config {
    let key = |key: &str| format!("{table}.{key}");
    let frame = check_frame(&key("mtu"), spec.mtu, spec.framing, blame);
    if spec.switching == SwitchingSpec::CutThrough && spec.cut_through_header > frame {
        blame.value(&key("cut_through_header"), Refusal::CutThroughHeader { frame });
    }
    let port = Port { queue: spec.queue.0, ecn_threshold: spec.ecn_threshold.0, loss: spec.loss };
    check_port(&port, frame, blame, &key("queue"), &key("ecn_threshold"));
    if spec.trimming.is_some() && spec.priorities > 1 {
        blame.value(&key("trimming"), Refusal::TrimmingWithPriorities);
    }
    let trim = |TrimmingSpec { header, headers_in_a_row }| Trim { header, headers_in_a_row };
    Config {
        switching: match spec.switching {
            SwitchingSpec::StoreAndForward => Switching::StoreAndForward,
            SwitchingSpec::CutThrough => Switching::CutThrough { header: spec.cut_through_header },
        },
        routing: match spec.routing {
            RoutingSpec::Ecmp => Routing::Ecmp,
            RoutingSpec::Spray => Routing::Spray,
        },
        mtu: spec.mtu,
        framing: spec.framing,
        jitter: spec.jitter,
        convergence: spec.convergence,
        priorities: spec.priorities,
        port,
        trim: spec.trimming.map(trim),
        rules: rules(port, frame, built, blame),
    }
}

/// The longest frame on a link; `key` is that of the longest packet.
pub(super) fn check_frame(key: &str, mtu: Bytes, framing: Bytes, blame: &mut Blame<'_>) -> Bytes {
    let frame = Bytes::new(mtu.get().saturating_add(framing.get()));
    if frame > Pace::LONGEST {
        let most = Pace::LONGEST.saturating_sub(framing);
        blame.value(key, Refusal::MtuTooLarge { frame, longest: Pace::LONGEST, most });
    }
    frame
}

/// Queues that the topology's own file states, then what `topology.links` and `topology.link` say.
fn rules(port: Port, frame: Bytes, built: &Built, blame: &mut Blame<'_>) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let mut known: BTreeMap<Bytes, usize> = BTreeMap::new();
    let mut ports = vec![port; built.topology.links().len()];
    for (number, link) in (0..).zip(built.topology.links()) {
        let Some(bytes) = link.queue else { continue };
        let queue = Some(Length::Bytes(bytes));
        ports[number as usize].queue = Length::Bytes(bytes);
        let rule = *known.entry(bytes).or_insert_with(|| {
            rules.push(Rule { links: Vec::new(), queue, ecn_threshold: None, loss: None });
            rules.len() - 1
        });
        rules[rule].links.push(number);
    }
    for change in &built.changes {
        let queue = change.change.queue.map(|QueueLength(length)| length);
        let ecn_threshold = change.change.ecn_threshold.map(|Threshold(length)| length);
        let loss = change.change.loss;
        if queue.is_none() && ecn_threshold.is_none() && loss.is_none() {
            continue;
        }
        for link in &change.links {
            let port = &mut ports[*link as usize];
            port.queue = queue.unwrap_or(port.queue);
            port.ecn_threshold = ecn_threshold.unwrap_or(port.ecn_threshold);
        }
        if let Some(first) = change.links.first() {
            let (queue, threshold) = (change.path.child("queue"), change.path.child("ecn_threshold"));
            check_port(&ports[*first as usize], frame, blame, &queue.to_string(), &threshold.to_string());
        }
        rules.push(Rule { links: change.links.clone(), queue, ecn_threshold, loss });
    }
    rules
}

/// Queues, marks and losses by link belong to Ethernet's ports.
pub(super) fn refuse_ports(built: &Built, fabric: &'static str, blame: &mut Blame<'_>) {
    for change in &built.changes {
        let written = [
            ("queue", change.change.queue.is_some()),
            ("ecn_threshold", change.change.ecn_threshold.is_some()),
            ("loss", change.change.loss.is_some()),
        ];
        for (key, _) in written.into_iter().filter(|(_, is_written)| *is_written) {
            blame.at(&change.path.child(key), Refusal::OfPorts { key, fabric });
        }
    }
}

fn check_port(port: &Port, frame: Bytes, blame: &mut Blame<'_>, queue_key: &str, threshold_key: &str) {
    if let Length::Bytes(bytes) = port.queue
        && bytes < frame
    {
        blame.value(queue_key, Refusal::QueueTooShort { frame });
    }
    let never = match (port.ecn_threshold, port.queue) {
        (Some(Length::Bytes(threshold)), Length::Bytes(queue)) => threshold >= queue,
        (Some(Length::Packets(threshold)), Length::Packets(queue)) => threshold >= queue,
        (Some(Length::Packets(_)), Length::Bytes(_)) | (Some(Length::Bytes(_)), Length::Packets(_)) | (None, _) => {
            false
        }
    };
    if never {
        blame.value(threshold_key, Refusal::ThresholdAboveQueue { queue: QueueLength(port.queue).to_string() });
    }
}
