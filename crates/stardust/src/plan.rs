//! A Stardust fabric before it runs.

use crate::build::Parts;
use crate::config::{Config, InteriorKind, Reachability};
use crate::{BuildError, Lanes, LockStep, Stardust, least_threshold, least_watermark};
use fabric::refusal::Refusal as Common;
use fabric::{BuildFailure, Configuration, Fabric, Footprint, Loss, Offer, Offers, Run, Runner, Site, Traffic};
use settings::{KeyPath, Length, Section, plain};
use std::sync::Arc;
use topology::Topology;
use units::{Bytes, Pace, Span};

/// A Stardust fabric on its topology.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What it is.
    pub config: Config,
    topology: Arc<Topology>,
    parts: Parts,
}

/// The largest packet memory. Queues count bytes in 32 bits that wrap, and of two counts the difference, at most this and a packet, has a
/// sign.
const LARGEST_BUFFER: Bytes = Bytes::new(2_000_000_000);

/// Why a configuration makes no Stardust fabric.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
enum Refusal {
    #[error("does not make a Stardust fabric: {0}")]
    Topology(BuildError),
    #[error("is too long: at most {} (fabric.cell, and 256 B more than fabric.cell_header)", plain(*most))]
    ShortestCell { most: Bytes },
    #[error("is never reached: fabric.buffer is {}", plain(*buffer))]
    ThresholdAboveBuffer { buffer: Bytes },
    #[error("has {weights} numbers for fabric.priorities = {classes} classes; write one for each")]
    WeightsOfClasses { weights: usize, classes: u8 },
    #[error("names class {class}, and there are {classes}, from 0 on (fabric.priorities)")]
    NoSuchClass { class: u8, classes: u8 },
}

impl Configuration for Config {
    type Fabric = Plan;

    fn check(&self, site: &Site<'_>, section: &mut Section<'_, '_>) -> Option<Plan> {
        site.refuse_outside("stardust", section)?;
        let fits = self.check_sizes(section);
        site.refuse_port_changes("a Stardust fabric", section);
        let Config { adapter, priorities: classes, weights, low_latency, .. } = self;
        let thresholds = [("ecn_threshold", adapter.ecn_threshold), ("pause_threshold", adapter.pause_threshold)];
        for (key, _) in thresholds.into_iter().filter(|(_, bytes)| bytes.is_some_and(|bytes| bytes >= adapter.buffer)) {
            section.refuse(key, Refusal::ThresholdAboveBuffer { buffer: adapter.buffer });
        }
        if !weights.is_empty() && weights.len() != usize::from(*classes) {
            section.refuse("weights", Refusal::WeightsOfClasses { weights: weights.len(), classes: *classes });
        }
        if let Some(class) = low_latency.iter().find(|class| *class >= classes) {
            section.refuse("low_latency", Refusal::NoSuchClass { class: *class, classes: *classes });
        }
        if !fits {
            return None;
        }
        match Parts::new(self, site.topology) {
            Ok(parts) => Some(Plan { config: self.clone(), topology: Arc::clone(site.topology), parts }),
            Err(error @ BuildError::UnequalRates { .. }) => {
                section.refuse("interior", Refusal::Topology(error));
                None
            }
            Err(error) => {
                section.refuse_elsewhere(&KeyPath::from("topology.kind"), Refusal::Topology(error));
                None
            }
        }
    }
}

impl Config {
    fn check_sizes(&self, section: &mut Section<'_, '_>) -> bool {
        let before = section.count();
        let Config { mtu, framing, cells, credits, adapter, reachability, .. } = self;
        let most = Pace::LONGEST.saturating_sub(Bytes::new(1));
        for (key, size) in [
            ("mtu", *mtu + *framing + cells.packet_header),
            ("cell", cells.size),
            ("credit", credits.size),
            ("control_message", credits.message),
            ("reachability.message", reachability.message),
        ] {
            if size > most {
                section.refuse(key, Common::TooLong { size, most });
            }
        }
        if cells.header >= cells.size {
            section.refuse("cell_header", Common::CellWithoutRoom { cell: cells.size });
        }
        // Padding is counted in a byte, and an empty cell is never sent.
        let longest = cells.size.get().min(cells.header.get() + 256);
        if cells.shortest.get() > longest {
            section.refuse("shortest_cell", Refusal::ShortestCell { most: Bytes::new(longest) });
        }
        let packet = self.longest_packet();
        if adapter.buffer < packet {
            section.refuse("buffer", Common::BufferTooSmall { packet });
        }
        if adapter.buffer > LARGEST_BUFFER {
            section.refuse("buffer", Common::TooLong { size: adapter.buffer, most: LARGEST_BUFFER });
        }
        section.count() == before
    }

    /// What transports may count on.
    pub fn offers(&self) -> Offers {
        let marks = self.adapter.ecn_threshold.is_some();
        let pauses = self.adapter.pause_threshold.is_some();
        Offers {
            ecn: Offer::given_or(marks, "fabric.ecn_threshold, for example \"100 KB\""),
            lossless: Offer::given_or(pauses, PAUSE),
            in_order: true,
            priorities: self.priorities,
            trimming: Offer::Never,
            ranked: Offer::Never,
        }
    }
}

/// What keeps adapters' memories from overflowing.
const PAUSE: &str = "fabric.pause_threshold, at half of fabric.buffer";

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
        true
    }
    fn footprint(&self, duration: Span) -> Footprint {
        self.config.footprint(&self.topology, duration)
    }
    /// Packets over the first and the last link, cells over the others; requests and credits beside them.
    fn hops(&self, traffic: &Traffic) -> f64 {
        let Config { cells, credits, .. } = &self.config;
        let inside = (traffic.links - 2.0).max(0.0) / traffic.links;
        let payload = (cells.size - cells.header).get().max(1) as f64;
        let packet = self.config.longest_packet().get() as f64;
        let cells = (packet / payload).ceil() + 2.0 * packet / credits.size.get() as f64;
        let hops = traffic.packets * traffic.links;
        hops * (1.0 - inside) + hops * inside * cells
    }
    fn losses(&self) -> Vec<Loss> {
        let adapter = &self.config.adapter;
        if adapter.pause_threshold.is_some() {
            return Vec::new();
        }
        let (buffer, share) = (adapter.buffer.get() as f64, adapter.voq_share);
        // One VOQ takes packets while it holds less than its share of what is free.
        let holds = Length::Bytes(Bytes::new((buffer * share / (1.0 + share)) as u64));
        let what = format!("an adapter's memory (fabric.buffer) of {}", adapter.buffer);
        vec![Loss::Full { what, holds, cure: PAUSE }]
    }
    fn holds(&self) -> Option<(f64, &'static str)> {
        let adapter = &self.config.adapter;
        let all = f64::from(self.topology.switches()) * adapter.buffer.get() as f64;
        adapter.pause_threshold.is_none().then_some((all, PAUSE))
    }
    fn warnings(&self) -> Vec<String> {
        let warnings = [self.credits_too_late(), self.given_up_too_soon(), self.working_links_fail()];
        warnings.into_iter().flatten().collect()
    }
    fn run<R: Runner>(&self, run: &Run<'_>, mut runner: R) -> Result<R::Outcome, BuildFailure> {
        let (config, topology, parts) = (&self.config, &self.topology, self.parts.clone());
        let observer = runner.observer();
        match config.interior {
            InteriorKind::Events => {
                Ok(runner.run(Stardust::<Lanes, _>::on(config, topology, parts, run.seed, observer)))
            }
            InteriorKind::LockStep => {
                Ok(runner.run(Stardust::<LockStep, _>::on(config, topology, parts, run.seed, observer)))
            }
        }
    }
}

impl Plan {
    fn credits_too_late(&self) -> Option<String> {
        let watermark = self.config.credits.watermark;
        let (turn, least) = least_watermark(&self.config, &self.topology);
        (watermark < least).then(|| {
            format!(
                "fabric.credit_watermark is {watermark}, less than what a port takes in while a request and its credit are on their way \
                 ({turn}), so one sender does not fill a port; write \"{} KB\" or more",
                least.get().div_ceil(1000)
            )
        })
    }

    fn given_up_too_soon(&self) -> Option<String> {
        let watchdog = self.config.credits.watchdog;
        let (turn, _) = least_watermark(&self.config, &self.topology);
        (watchdog < turn).then(|| {
            format!(
                "fabric.watchdog is {watchdog}, less than a request and its credit, or a credit and its packets, are on their way ({turn}): adapters take \
                 for lost what is still to come, ask again, and give credits beyond fabric.egress_window; write \"{} us\" or more",
                turn.as_ps().div_ceil(1_000_000)
            )
        })
    }

    fn working_links_fail(&self) -> Option<String> {
        let (late, least) = least_threshold(&self.config, &self.topology);
        let Reachability { threshold, period, .. } = self.config.reachability;
        (threshold < least).then(|| {
            let cure = if least <= Reachability::MOST {
                format!("write {least} or more")
            } else {
                "write a longer fabric.reachability.period".to_owned()
            };
            format!(
                "fabric.reachability.threshold is {threshold}, so that a link that works counts as failed when a message is late: behind a cell \
                 and another message it may come {late} after its time, with a message every {period}; {cure}"
            )
        })
    }
}
