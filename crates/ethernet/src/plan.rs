//! An Ethernet fabric before it runs.

use crate::config::{Config, Pfc, Port, Routing, Rule, Switching};
use crate::{Ethernet, Fifo, Pausing, Priorities, Ranked, Trimming};
use fabric::refusal::{self, check_frame};
use fabric::{BuildFailure, Configuration, Fabric, Footprint, Loss, Offer, Offers, PortChange, Red, Run, Runner, Site};
use settings::{KeyPath, Length, Section, plain};
use std::collections::BTreeMap;
use std::sync::Arc;
use topology::{NodeId, Routes, Topology};
use units::{Bytes, Span};

/// An Ethernet fabric on its topology.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What it is, the ports that are different included.
    pub config: Config,
    /// What it is on.
    pub topology: Arc<Topology>,
    /// All shortest paths.
    pub routes: Arc<Routes>,
}

/// Why a configuration makes no Ethernet fabric.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
enum Refusal {
    #[error("is longer than the longest frame of {}; write at most that, or switching = \"store-and-forward\"", plain(*frame))]
    CutThroughHeader { frame: Bytes },
    #[error("ports that trim have one class; write fabric.priorities = 1, or leave trimming out")]
    TrimmingWithPriorities,
    #[error(
        "orders packets of all classes by what remains of their messages; write fabric.priorities = 1, or leave pfabric out"
    )]
    PfabricWithPriorities,
    #[error(
        "drops the packets of the longest messages, and ports that trim cut those that come; leave pfabric or trimming out"
    )]
    PfabricWithTrimming,
    #[error("drops packets, and ports that pause drop nothing; leave pfabric or pfc out")]
    PfabricWithPfc,
    #[error(
        "is of frames that their host's interface sends in their turn, and pauses hold them up there; leave it or pfc out"
    )]
    LatencyWithPfc,
    #[error(transparent)]
    Common(#[from] refusal::Refusal),
    #[error("ports that pause drop nothing, so there is nothing to trim; leave pfc or trimming out")]
    PfcWithTrimming,
    #[error(
        "ports that pause have no queues of their own but share the memory of their switch; leave it out, or say fabric.pfc.buffer"
    )]
    QueueWithPfc,
    #[error("names class {class}, and there are {classes}, from 0 on (fabric.priorities)")]
    NoSuchClass { class: u8, classes: u8 },
    #[error(
        "{switch} reserves {headroom} of it as headroom, and what its ports share must hold a packet of {frame}; enlarge it, or lower \
         fabric.pfc.headroom"
    )]
    BufferIsHeadroom { switch: String, headroom: Bytes, frame: Bytes },
    #[error(
        "a pause must last until it is repeated, which may have to wait for a packet that is being sent: {least} quanta at least"
    )]
    PauseTooShort { least: u64 },
    #[error("is not below the queue of {queue}, so nothing would ever be marked; lower it, or lengthen the queue")]
    ThresholdAboveQueue { queue: Length },
    #[error("says how likely a mark is, and ecn_threshold from where it is certain; keep one of the two")]
    RedWithThreshold,
    #[error("is not below max_threshold, which is {most}; a probability grows between the two")]
    RedUpsideDown { most: Bytes },
}

impl Configuration for Config {
    type Fabric = Plan;

    fn check(&self, site: &Site<'_>, section: &mut Section<'_, '_>) -> Option<Plan> {
        site.refuse_outside("ethernet", section)?;
        self.plan(site, section)
    }
}

impl Config {
    /// As [`Configuration::check`], for the outside of a rack too.
    pub fn plan(&self, site: &Site<'_>, section: &mut Section<'_, '_>) -> Option<Plan> {
        let frame = check_frame(self.mtu, self.framing, section);
        if self.switching == Switching::CutThrough && self.cut_through_header > frame {
            section.refuse("cut_through_header", Refusal::CutThroughHeader { frame });
        }
        if self.pfc.is_none() {
            for (key, refusal) in of_port(&self.port, frame) {
                section.refuse(key, refusal);
            }
        } else if section.is_written("queue") {
            section.refuse("queue", Refusal::QueueWithPfc);
        }
        if self.port.red.is_some() && self.port.ecn_threshold.is_some() {
            section.refuse("red", Refusal::RedWithThreshold);
        }
        if let Some(refusal) = self.port.red.and_then(upside_down) {
            section.refuse("red.min_threshold", refusal);
        }
        if self.trimming.is_some() && self.priorities > 1 {
            section.refuse("trimming", Refusal::TrimmingWithPriorities);
        }
        if self.pfabric {
            let others = [
                (self.priorities > 1, Refusal::PfabricWithPriorities),
                (self.trimming.is_some(), Refusal::PfabricWithTrimming),
                (self.pfc.is_some(), Refusal::PfabricWithPfc),
            ];
            for (_, refusal) in others.into_iter().filter(|(is_written, _)| *is_written) {
                section.refuse("pfabric", refusal);
            }
        }
        if self.in_network_latency && self.pfc.is_some() {
            section.refuse("in_network_latency", Refusal::LatencyWithPfc);
        }
        if let Some(pfc) = self.pfc {
            self.check_pfc(&pfc, site.topology, section);
        }
        let rules = rules(self, frame, site, section);
        let (topology, routes) = (Arc::clone(site.topology), Arc::clone(site.routes?));
        Some(Plan { config: Config { rules, ..self.clone() }, topology, routes })
    }

    fn check_pfc(&self, pfc: &Pfc, topology: &Topology, section: &mut Section<'_, '_>) {
        let classes = self.priorities;
        if let Some(class) = (classes..8).find(|class| !pfc.is_lossless(*class)) {
            section.refuse("pfc.lossy", Refusal::NoSuchClass { class, classes });
        }
        if self.trimming.is_some() {
            section.refuse("pfc", Refusal::PfcWithTrimming);
        }
        // What is left of every switch's memory must hold a packet.
        let mut reserved = vec![Bytes::ZERO; topology.nodes() as usize];
        for (link, headroom) in topology.links().iter().zip(self.headroom(topology)) {
            let sum = &mut reserved[link.to.index()];
            *sum = Bytes::new(sum.get().saturating_add(headroom.get()));
        }
        let most = (0..).map(NodeId).zip(reserved).max_by_key(|(node, bytes)| (*bytes, std::cmp::Reverse(*node)));
        let frame = self.mtu + self.framing;
        if let Some((switch, headroom)) = most
            && pfc.buffer < Bytes::new(headroom.get().saturating_add(frame.get()))
        {
            let switch = topology.name(switch).to_owned();
            section.refuse("pfc.buffer", Refusal::BufferIsHeadroom { switch, headroom, frame });
        }
        let least = self.shortest_quanta(topology);
        if u64::from(pfc.quanta) < least {
            section.refuse("pfc.quanta", Refusal::PauseTooShort { least });
        }
    }

    /// What transports may count on, in a network that is lossless or not.
    pub(crate) fn offers(&self, is_lossless: bool) -> Offers {
        let marked = self.rules.iter().any(|rule| rule.red.is_some() || matches!(rule.ecn_threshold, Some(Some(_))));
        let marks = self.port.ecn_threshold.is_some() || self.port.red.is_some() || marked;
        Offers {
            ecn: Offer::given_or(marks, "fabric.ecn_threshold, for example \"20 packets\""),
            lossless: Offer::given_or(is_lossless, if self.pfc.is_some() { LOSSY_PFC } else { "fabric.pfc = {}" }),
            in_order: self.routing == Routing::Ecmp,
            priorities: self.priorities,
            trimming: Offer::given_or(self.trimming.is_some(), "fabric.trimming = {} and fabric.queue = \"8 packets\""),
            ranked: Offer::given_or(self.pfabric, "fabric.pfabric = true and fabric.queue = \"24 packets\""),
        }
    }

    /// All the ways in which it can lose frames, given what keeps the queues from it.
    pub fn losses(&self, cure: &'static str) -> Vec<Loss> {
        let queues = self.rules.iter().filter_map(|rule| rule.queue).chain([self.port.queue]);
        let in_packets = |queue: &Length| matches!(queue, Length::Packets(_));
        let shortest =
            queues.filter(|queue| in_packets(queue) || self.bytes(*queue) < NEVER_FULL).min_by_key(|q| self.bytes(*q));
        let full = shortest.map(|holds| Loss::Full { what: format!("a port's queue of {holds}"), holds, cure });
        self.by_chance().into_iter().chain(full).collect()
    }

    /// Of links, if there is one that loses any.
    fn by_chance(&self) -> Option<Loss> {
        let of_rules = self.rules.iter().filter_map(|rule| rule.loss);
        let most = of_rules.fold(self.port.loss, f64::max);
        (most > 0.0).then_some(Loss::Chance { most })
    }

    /// Bytes on the wire of a full queue.
    fn bytes(&self, queue: Length) -> u64 {
        match queue {
            Length::Bytes(bytes) => bytes.get(),
            Length::Packets(packets) => u64::from(packets).saturating_mul((self.mtu + self.framing).get()),
        }
    }
}

/// A queue of so much is taken for one that never fills.
const NEVER_FULL: u64 = 1_000_000_000;

/// What to write where pauses are not enough.
const LOSSY_PFC: &str = "fabric.pfc.lossy = [] and a larger fabric.pfc.headroom";

/// What to write against full queues.
const CURE: &str = "fabric.queue = \"1 GB\"";

impl Fabric for Plan {
    fn offers(&self) -> Offers {
        let is_lossless = self.config.is_lossless(&self.topology) && self.config.by_chance().is_none();
        self.config.offers(is_lossless)
    }
    fn mtu(&self) -> Bytes {
        self.config.mtu
    }
    fn framing(&self) -> Bytes {
        self.config.framing
    }
    fn spreads(&self) -> bool {
        self.config.routing == Routing::Spray
    }
    fn footprint(&self, _: Span) -> Footprint {
        self.config.footprint(&self.topology)
    }
    fn losses(&self) -> Vec<Loss> {
        let Some(pfc) = self.config.pfc else { return self.config.losses(CURE) };
        let full = (!self.config.is_lossless(&self.topology)).then(|| {
            let lossy = (0..self.config.priorities).any(|class| !pfc.is_lossless(class));
            let (what, cure) = match pfc.headroom.filter(|_| !lossy) {
                Some(headroom) => {
                    (format!("headroom (fabric.pfc.headroom) of {headroom}"), "a larger fabric.pfc.headroom")
                }
                None => (format!("a switch's memory (fabric.pfc.buffer) of {}", pfc.buffer), "fabric.pfc.lossy = []"),
            };
            Loss::Full { what, holds: Length::Bytes(pfc.buffer), cure }
        });
        self.config.by_chance().into_iter().chain(full).collect()
    }
    fn holds(&self) -> Option<(f64, &'static str)> {
        if self.config.pfc.is_some() {
            return None;
        }
        let mut queues = vec![self.config.bytes(self.config.port.queue); self.topology.links().len()];
        for Rule { links, queue, .. } in &self.config.rules {
            for (link, queue) in links.iter().filter_map(|link| Some((*link, (*queue)?))) {
                queues[link as usize] = self.config.bytes(queue);
            }
        }
        let hosts = self.topology.hosts();
        let of_switches = self.topology.links().iter().zip(queues).filter(|(link, _)| link.from.0 >= hosts);
        Some((of_switches.map(|(_, bytes)| bytes as f64).sum(), CURE))
    }
    fn run<R: Runner>(&self, run: &Run<'_>, mut runner: R) -> Result<R::Outcome, BuildFailure> {
        let (config, topology, routes) = (&self.config, &self.topology, Arc::clone(&self.routes));
        let observer = runner.observer();
        if config.pfc.is_some() {
            Ok(runner.run(Ethernet::<Pausing, _>::on(config, topology, routes, run.seed, observer)))
        } else if config.trimming.is_some() {
            Ok(runner.run(Ethernet::<Trimming, _>::on(config, topology, routes, run.seed, observer)))
        } else if config.pfabric {
            Ok(runner.run(Ethernet::<Ranked, _>::on(config, topology, routes, run.seed, observer)))
        } else if config.priorities > 1 {
            Ok(runner.run(Ethernet::<Priorities, _>::on(config, topology, routes, run.seed, observer)))
        } else {
            Ok(runner.run(Ethernet::<Fifo, _>::on(config, topology, routes, run.seed, observer)))
        }
    }
}

/// Queues that the topology's own file states, then what `topology.links` and `topology.link` say.
fn rules(config: &Config, frame: Bytes, site: &Site<'_>, section: &mut Section<'_, '_>) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let mut known: BTreeMap<Bytes, usize> = BTreeMap::new();
    let mut ports = vec![config.port; site.topology.links().len()];
    for (number, link) in (0..).zip(site.topology.links()) {
        let Some(bytes) = link.queue else { continue };
        let queue = Some(Length::Bytes(bytes));
        ports[number as usize].queue = Length::Bytes(bytes);
        let rule = *known.entry(bytes).or_insert_with(|| {
            rules.push(Rule { links: Vec::new(), queue, ecn_threshold: None, red: None, loss: None });
            rules.len() - 1
        });
        rules[rule].links.push(number);
    }
    for PortChange { path, links, queue, ecn_threshold, red, loss } in site.ports {
        if queue.is_none() && ecn_threshold.is_none() && red.is_none() && loss.is_none() {
            continue;
        }
        let rule = Rule { links: links.clone(), queue: *queue, ecn_threshold: *ecn_threshold, red: *red, loss: *loss };
        for link in links {
            let port = &mut ports[*link as usize];
            port.queue = queue.unwrap_or(port.queue);
            rule.mark(port);
        }
        if red.is_some() && ecn_threshold.is_some() {
            section.refuse_elsewhere(&path.child("red"), Refusal::RedWithThreshold);
        }
        if let Some(refusal) = red.and_then(upside_down) {
            section.refuse_elsewhere(&path.child("red").child("min_threshold"), refusal);
        }
        if config.pfc.is_some() {
            if queue.is_some() {
                section.refuse_elsewhere(&path.child("queue"), Refusal::QueueWithPfc);
            }
        } else {
            for (key, refusal) in links.first().into_iter().flat_map(|first| of_port(&ports[*first as usize], frame)) {
                section.refuse_elsewhere(&path.joined(&KeyPath::from(key)), refusal);
            }
        }
        rules.push(rule);
    }
    rules
}

/// What is wrong with a port, and the key of each.
fn of_port(port: &Port, frame: Bytes) -> Vec<(&'static str, Refusal)> {
    let mut refusals = Vec::new();
    if matches!(port.queue, Length::Bytes(bytes) if bytes < frame) {
        refusals.push(("queue", refusal::Refusal::QueueTooShort { frame }.into()));
    }
    let least = port.ecn_threshold.or(port.red.map(|red| Length::Bytes(red.min_threshold)));
    let never = match (least, port.queue) {
        (Some(Length::Bytes(threshold)), Length::Bytes(queue)) => threshold >= queue,
        (Some(Length::Packets(threshold)), Length::Packets(queue)) => threshold >= queue,
        (Some(Length::Packets(_)), Length::Bytes(_)) | (Some(Length::Bytes(_)), Length::Packets(_)) | (None, _) => {
            false
        }
    };
    if never {
        let key = if port.ecn_threshold.is_some() { "ecn_threshold" } else { "red.min_threshold" };
        refusals.push((key, Refusal::ThresholdAboveQueue { queue: port.queue }));
    }
    refusals
}

/// RED without room between its thresholds.
fn upside_down(red: Red) -> Option<Refusal> {
    (red.min_threshold >= red.max_threshold).then_some(Refusal::RedUpsideDown { most: red.max_threshold })
}
