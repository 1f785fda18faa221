//! What a person can say of a Stardust fabric. Defaults and their sources: `papers/stardust/README.md`.

use crate::control_loop::least_watermark;
use fabric::Footprint;
use fabric::footprint::{on_all_links, steps};
use std::collections::BTreeSet;
use topology::{Direction, Link, LinkId, NodeId, Topology};
use units::{Bytes, Span};

/// Bytes of memory that a control message takes on its way.
const MESSAGE: u64 = 80;

/// A Stardust fabric.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Largest packet that hosts send.
    pub mtu: Bytes,
    /// What each packet takes on the wire between a host and its adapter, beyond itself.
    pub framing: Bytes,
    /// Cells.
    pub cells: Cells,
    /// Credits.
    pub credits: Credits,
    /// Fabric Adapters.
    pub adapter: Adapter,
    /// Fabric Elements.
    pub element: Element,
    /// Reachability messages.
    pub reachability: Reachability,
    /// Traffic classes, first the one of priority 0.
    pub classes: Vec<Class>,
    /// Whether the inside is computed in lock-step (see [`crate::LockStep`]) and not by events.
    pub lock_step: bool,
}

/// How packets become cells (§3.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cells {
    /// Longest cell on a link, header included.
    pub size: Bytes,
    /// The part of it that is header: destination, sequence number.
    pub header: Bytes,
    /// Shorter cells are padded to this.
    pub shortest: Bytes,
    /// Whether a cell may hold several packets and parts of packets. If not, each packet begins a cell.
    pub packing: bool,
    /// What the adapter adds to each packet on its way through the fabric.
    pub packet_header: Bytes,
}

/// The request and credit protocol (§3.3, §4.1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Credits {
    /// What a credit entitles a VOQ to send, at most.
    pub size: Bytes,
    /// Credits are given at the port's rate times one plus this.
    pub speed_up: f64,
    /// Shortest time between two credits of one adapter: the generation rate of its scheduler.
    pub interval: Span,
    /// A VOQ reports its backlog when the scheduler knows of less than this.
    pub watermark: Bytes,
    /// While the scheduler knows of something, a VOQ reports no fewer bytes than these, so that short packets are not a request each.
    pub step: Bytes,
    /// What a port may hold and await in all, as time at its rate: when it is used up, credits stop.
    pub window: Span,
    /// A VOQ that has waited for a credit for so long says again what it has.
    pub watchdog: Span,
    /// Length of a request or a credit on a link.
    pub message: Bytes,
    /// How congestion indications throttle credits.
    pub throttle: Throttle,
}

/// The reaction of a destination adapter to congestion indications (FCI, §4.2). The paper leaves it open; ours is proportional: at the
/// end of each interval the credit rate loses `cut` times the share of cells that carried an indication, and gains `recover`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Throttle {
    /// Share of the rate that is taken if all cells carry indications.
    pub cut: f64,
    /// Share of the full rate that comes back in each interval.
    pub recover: f64,
    /// The interval.
    pub interval: Span,
    /// The rate never falls below this share of the full one.
    pub least: f64,
}

/// A Fabric Adapter (§4.1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adapter {
    /// Packet memory before the fabric; what finds it full is dropped.
    pub buffer: Bytes,
    /// A VOQ takes packets while it holds less than this many times what is free; not where hosts are paused.
    pub voq_share: f64,
    /// Packets that find more than this in their VOQ are marked.
    pub ecn_threshold: Option<Bytes>,
    /// Hosts are paused while the memory holds more than this, and go on when it holds less than three quarters of it.
    pub pause_threshold: Option<Bytes>,
    /// Cells that arrive out of order and wait for others, at most, per adapter.
    pub reassembly: Bytes,
    /// A packet that has waited so long for a cell is discarded.
    pub reassembly_timeout: Span,
    /// Rounds of the spraying arbiter after which it takes another order of the links.
    pub rounds: u32,
}

/// A Fabric Element (§4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element {
    /// Cells that find more than this before their link carry congestion indications, in cells.
    pub fci_threshold: u32,
    /// Cell memory, shared by all links, in cells for each link.
    pub memory: u32,
}

/// Reachability messages (§5.8 to §5.10, App E).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reachability {
    /// Time between messages on a link: t'.
    pub period: Span,
    /// Length of a message: B. It tells of 128 adapters: b.
    pub message: Bytes,
    /// Missing messages after which a link counts as failed, and equal ones after which an update is believed: th.
    pub threshold: u32,
    /// Good messages after which a link counts as valid.
    pub valid_after: u32,
    /// Time until the devices at both ends see that a link has lost its signal; `None`: they never see it themselves.
    pub loss_of_signal: Option<Span>,
    /// Share of cells received wrong, over the last [`Reachability::ERROR_WINDOW`] cells, above which a link declares itself faulty.
    pub error_threshold: f64,
    /// Whether all tables are empty when the run begins.
    pub cold: bool,
}

impl Reachability {
    /// Cells over which errors are counted.
    pub const ERROR_WINDOW: u32 = 1000;
    /// Adapters that one message tells of (App E, Table 4: b).
    pub const BITMAP: u32 = 128;
}

/// A traffic class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class {
    /// Share of the port among the classes that have one; 0: strict priority over those, and over later classes of the kind.
    pub weight: u32,
    /// Its packets are sent without waiting for a credit (§5.6).
    pub low_latency: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            mtu: Bytes::new(1500),
            framing: Bytes::new(38),
            cells: Cells {
                size: Bytes::new(256),
                header: Bytes::new(16),
                shortest: Bytes::new(32),
                packing: true,
                packet_header: Bytes::ZERO,
            },
            credits: Credits {
                size: Bytes::new(4096),
                speed_up: 0.02,
                interval: Span::from_ns(2),
                watermark: Bytes::new(65_536),
                step: Bytes::new(1024),
                window: Span::from_us(50),
                watchdog: Span::from_ms(1),
                message: Bytes::new(24),
                throttle: Throttle { cut: 0.125, recover: 1.0 / 128.0, interval: Span::from_us(10), least: 1.0 / 16.0 },
            },
            adapter: Adapter {
                buffer: Bytes::new(32 << 20),
                voq_share: 1.0,
                ecn_threshold: None,
                pause_threshold: None,
                reassembly: Bytes::new(1 << 20),
                reassembly_timeout: Span::from_us(100),
                rounds: 4,
            },
            element: Element { fci_threshold: 64, memory: 128 },
            reachability: Reachability {
                period: Span::from_us(10),
                message: Bytes::new(24),
                threshold: 3,
                valid_after: 3,
                loss_of_signal: Some(Span::from_ns(100)),
                error_threshold: 1e-2,
                cold: false,
            },
            classes: vec![Class { weight: 0, low_latency: false }],
            lock_step: false,
        }
    }
}

impl Config {
    /// What the fabric takes of memory on this topology: packet memories full of the largest packets, every virtual output queue in use,
    /// in lock-step a list for each step that a cell may be on its way, and the requests that a run of this length repeats.
    pub fn footprint(&self, topology: &Topology, run: Span) -> Footprint {
        let hosts = u64::from(topology.hosts());
        let links = topology.links();
        let at_hosts = |link: &&Link| topology.is_host(link.to);
        let adapters = (0..topology.hosts()).map(|host| topology.link(LinkId(topology.ports(NodeId(host)).start)).to);
        let adapters = adapters.collect::<BTreeSet<_>>().len() as u64;
        let queues = adapters * hosts * self.classes.len() as u64;
        let mut fixed = links.len() as u64 * 700 + queues * 200 + u64::from(topology.nodes()) * 4000;
        if self.lock_step {
            let inside = links.iter().filter(|link| !topology.is_host(link.from) && !topology.is_host(link.to));
            let step = |link: &Link| steps(link.delay, link.rate.time_for(self.cells.size));
            fixed = fixed.saturating_add(inside.map(step).max().unwrap_or(0).saturating_mul(24));
        }
        fixed = fixed.saturating_add(self.repeated_requests(topology, queues, run).saturating_mul(MESSAGE));
        let egress = |link: &Link| link.rate.bytes_in(self.credits.window).get() / self.mtu.get().max(1) + 1;
        let stored = self.adapter.buffer.get() / self.mtu.get().max(1);
        let frames = (adapters * stored)
            .saturating_add(links.iter().filter(at_hosts).map(egress).sum())
            .saturating_add(on_all_links(topology, self.mtu + self.framing));
        let cells = self.mtu.get().div_ceil(self.cells.size.saturating_sub(self.cells.header).get().max(1));
        Footprint { fixed, frames, frame: 120 + 40 * cells, ..Footprint::default() }
    }

    /// Requests of queues that wait for credits, at most, that are on their way at once: more than go over the links, if the watchdog is
    /// so short that they pile up.
    fn repeated_requests(&self, topology: &Topology, queues: u64, run: Span) -> u64 {
        let (turn, _) = least_watermark(self, topology);
        let watchdog = self.credits.watchdog;
        let leads_up = |link: &&Link| link.direction == Direction::Up && !topology.is_host(link.from);
        let rate: f64 = topology.links().iter().filter(leads_up).map(|link| link.rate.as_bps() as f64).sum();
        let asked = queues as f64 * self.credits.message.bits() as f64 / watchdog.as_secs_f64();
        let piled = if asked > rate { run } else { turn };
        queues.saturating_mul(piled.min(run).as_ps() / watchdog.as_ps().max(1))
    }
}
