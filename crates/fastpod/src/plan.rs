//! A pod before it runs.

use crate::rig::{BuildError, Ports, Rig};
use crate::{Config, Fastpod, LayoutError};
use fabric::refusal::Refusal as Common;
use fabric::{BuildFailure, Configuration, Fabric, Footprint, Loss, Off, Offer, Offers, Run, Runner, Site, Traffic};
use settings::{KeyPath, Length, Section};
use units::{Bytes, Pace, Span};

/// A pod on its topology.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(crate) config: Config,
    pub(crate) rig: Rig,
}

/// Why a configuration makes no pod.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
enum Refusal {
    #[error("does not make a pod of switches without buffers: {0}")]
    Topology(BuildError),
    #[error("leaves no room for payload in packets of {packet}; write less")]
    Header { packet: Bytes },
    #[error("is longer than a data packet ({packet}); write less")]
    Control { packet: Bytes },
    #[error("is not within what the reference says: see docs/experiments.md")]
    Least,
    #[error("is less than a data packet ({packet}), so that nothing could ever be sent to another pod; write more")]
    CoreQueue { packet: Bytes },
    #[error(
        "is less than what it can take until a host hears that a packet has come to another pod ({least}), so that all would be sent again and again; write more"
    )]
    CorePatience { least: Span },
    #[error("is 1 or 2")]
    Arbiters,
    #[error("is from 0 to 1000 parts per million")]
    Drift,
    #[error("is at least a slot ({slot}): such a clock does not know what slot it is; write less")]
    ClockError { slot: Span },
}

impl Configuration for Config {
    type Fabric = Plan;

    fn check(&self, site: &Site<'_>, section: &mut Section<'_, '_>) -> Option<Plan> {
        site.refuse_outside("fastpod", section)?;
        site.refuse_port_changes("a pod of switches without buffers", section);
        let before = section.count();
        refuse_sizes(self, section);
        for (key, is_wrong) in [
            ("batch", !(1..=arbiter::allocation::LARGEST_BATCH).contains(&self.batch)),
            ("demands", self.demands == 0),
            ("patience", self.patience < 4),
            ("suspicion", self.suspicion == 0),
        ] {
            if is_wrong {
                section.refuse(key, Refusal::Least);
            }
        }
        if self.core_queue < self.packet {
            section.refuse("core_queue", Refusal::CoreQueue { packet: self.packet });
        }
        if !(1..=2).contains(&self.arbiters) {
            section.refuse("arbiters", Refusal::Arbiters);
        }
        if !(0.0..=1000.0).contains(&self.clock_drift) {
            section.refuse("clock_drift", Refusal::Drift);
        }
        if section.count() > before {
            return None;
        }
        let rig = match Rig::new(site.topology, self) {
            Ok(rig) => rig,
            Err(error) => {
                refuse_rig(error, self.arbiter_latency, section, Refusal::Topology);
                return None;
            }
        };
        if self.clock_error >= rig.layout().slot() {
            section.refuse("clock_error", Refusal::ClockError { slot: rig.layout().slot() });
            return None;
        }
        // To the other pod's arbiter and back, to its host, to the arbiter again and back, and to the own one and back; twice, as much as waits only a little.
        let least = rig.slot() * (4 * (rig.ahead() + Fastpod::<Off>::settled(&rig)));
        if rig.pods() > 1 && self.core_patience < least {
            section.refuse("core_patience", Refusal::CorePatience { least });
            return None;
        }
        Some(Plan { config: self.clone(), rig })
    }
}

/// Refuses a rig for what makes it impossible.
pub(crate) fn refuse_rig<E: std::error::Error + Send + Sync + 'static>(
    error: BuildError,
    arbiter_latency: Span,
    section: &mut Section<'_, '_>,
    of_topology: impl Fn(BuildError) -> E,
) {
    if let BuildError::Layout(LayoutError::TooShort { .. }) = error {
        section.refuse("guard", error);
    } else if let BuildError::TooFarAhead { .. } = error {
        let key = if arbiter_latency > Span::ZERO { "arbiter_latency" } else { "arbiter_delay" };
        section.refuse(key, error);
    } else if let BuildError::CoreBuffer { .. } = error {
        section.refuse("core_buffer", error);
    } else {
        section.refuse_elsewhere(&KeyPath::from("topology"), of_topology(error));
    }
}

/// Refuses packets that can't be.
pub(crate) fn refuse_sizes(config: &Config, section: &mut Section<'_, '_>) {
    if config.packet > Pace::LONGEST {
        section.refuse("packet", Common::TooLong { size: config.packet, most: Pace::LONGEST });
    }
    if config.header >= config.packet {
        section.refuse("header", Refusal::Header { packet: config.packet });
    }
    if config.control > config.packet {
        section.refuse("control", Refusal::Control { packet: config.packet });
    }
}

/// What transports may count on.
pub(crate) fn offers(ports: Ports) -> Offers {
    let lossless = match ports {
        Ports::Bare => Offer::Given,
        Ports::Queued { longest, .. } => Offer::given_or(longest == Span::MAX, "fabric.queue = \"none\""),
    };
    Offers { ecn: Offer::Never, lossless, in_order: false, priorities: 1, trimming: Offer::Never, ranked: Offer::Never }
}

impl Plan {
    /// Packets that all core switches hold at most.
    fn core_packets(&self) -> u64 {
        let capacity = self.rig.outside.as_ref().map_or(0, |outside| outside.capacity);
        capacity.saturating_mul(self.rig.cores() as u64)
    }
}

impl Fabric for Plan {
    fn offers(&self) -> Offers {
        offers(self.rig.ports)
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
        let (rig, arbiters) = (&self.rig, u64::from(self.config.arbiters));
        let (pods, cores) = (u64::from(rig.pods()), rig.cores() as u64);
        let hosts = u64::from(rig.all_hosts());
        let links = rig.topology.links().len() as u64;
        // Queues and counts for each host and where it sends, and for each port of a core switch and host of its pod; and what arbiters have given.
        let pairs = hosts.saturating_mul(u64::from(rig.targets())).saturating_mul(140 + 8 * arbiters);
        let ports = pods * cores;
        let waiting = ports.saturating_mul(u64::from(rig.pod().hosts())).saturating_mul(40 + 8 * arbiters);
        let held = self.core_packets().saturating_mul(100);
        Footprint {
            fixed: pairs + waiting + held + links * 200 + (hosts + ports) * (8_000 + 10_000 * arbiters),
            frames: u64::MAX,
            frame: 260,
            pair: 100,
            at_once: true,
        }
    }
    /// Data packets over four links each, or six between pods, which is where most of uniform traffic goes; control packets are not in it: how many there are
    /// depends on how long the run is.
    fn hops(&self, traffic: &Traffic) -> f64 {
        let links = if self.rig.pods() > 1 { 6.0 } else { 4.0 };
        links * traffic.packets.max(traffic.bytes / self.config.payload().get().max(1) as f64)
    }
    fn on_link(&self, sent: f64, packets: f64) -> f64 {
        let pieces = packets.max(sent / self.config.payload().get().max(1) as f64);
        let share = if self.rig.ports == Ports::Bare { self.rig.layout().efficiency() } else { 1.0 };
        pieces * self.config.packet.get() as f64 / share
    }
    fn losses(&self) -> Vec<Loss> {
        match self.rig.ports {
            Ports::Queued { longest, .. } if longest < Span::MAX => {
                let holds = Length::Bytes(self.rig.rate.bytes_in(longest));
                vec![Loss::Full { what: format!("a link's queue of {holds}"), holds, cure: "fabric.queue = \"none\"" }]
            }
            Ports::Queued { .. } | Ports::Bare => Vec::new(),
        }
    }
    /// Hosts learn in every answer what has come of what they sent (§4).
    fn repairs(&self) -> bool {
        self.rig.ports == Ports::Bare
    }
    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let off = self.config.clock_error;
        if off > self.rig.layout().absorbs() {
            warnings.push(format!(
                "fabric.clock_error = \"{off}\" is more than half of fabric.guard = \"{}\": scheduled packets will collide",
                self.config.guard
            ));
        }
        if self.config.arbiter_fails.is_some() && self.config.arbiters == 1 {
            warnings.push(
                "fabric.arbiter_fails leaves the pod without an arbiter; with fabric.arbiters = 2 another takes over"
                    .to_owned(),
            );
        }
        warnings
    }
    fn run<R: Runner>(&self, run: &Run<'_>, mut runner: R) -> Result<R::Outcome, BuildFailure> {
        let observer = runner.observer();
        Ok(runner.run(Fastpod::on(&self.config, self.rig.clone(), run.seed, observer)))
    }
}
