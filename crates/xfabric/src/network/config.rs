//! What an XFabric rack is made with.

use super::drive;
use crate::control::ControlPlane;
use crate::demand::Demand;
use fabric::Footprint;
use fabric::footprint::{on_all_links, on_their_way, steps};
use topology::{Link, Topology};
use units::{Bytes, Span, Time};

/// Bytes of memory that a message of the control protocol takes, its frame included.
const MESSAGE: u64 = 400;

/// A rack. Defaults are those of §5 and §6.5 where the paper states them.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// How many of the topology's hosts are no SoCs but the far ends of uplinks (§3): the last ones.
    pub uplinks: u32,
    /// The largest packet, transport headers included.
    pub mtu: Bytes,
    /// What each packet takes on a link beyond itself: Ethernet's 38 B.
    pub framing: Bytes,
    /// What an output port of a packet switch holds, on the wire; frames beyond it are dropped.
    pub queue: Bytes,
    /// How a packet switch chooses among ports that lead equally near.
    pub multipath: Multipath,
    /// The circuits with which the run begins.
    pub start: Start,
    /// How often a new topology is generated (§3: "every interval t"). `None`: never, the rack is static.
    pub period: Option<Span>,
    /// No topology is generated before this (§6.5: 2 minutes). With [`Control::Protocol`] the controller begins then and generates one
    /// at once; with [`Control::Ideal`] the first comes a period later.
    pub from: Time,
    /// What the latest period counts in the estimate of demand ([`crate::demand::Estimate`]), above 0 and at most 1.
    pub weight: f64,
    /// How long a circuit is dark while it is changed (§6.6: 20 ns).
    pub switching: Span,
    /// From port to port of a crosspoint.
    pub crosspoint_latency: Span,
    /// How the news of a new topology reaches crosspoints and SoCs.
    pub control: Control,
    /// What the ways to crosspoints are like.
    pub plane: ControlPlane,
    /// From something's breaking or being mended until the controller acts upon it.
    pub detection: Span,
    /// Circuits that a frame may pass before it is discarded, so that loops between tables of different versions end.
    pub hop_limit: u8,
}

/// How the news of a new topology spreads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Control {
    /// The protocol of §4.4, message by message: [`crate::control`].
    Protocol(ProtocolSettings),
    /// A controller that knows all demand at once, and whose SoCs all use their new tables so long after the last crosspoint.
    Ideal {
        /// So long.
        tables: Span,
    },
}

/// What the protocol leaves open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtocolSettings {
    /// SoCs on the control plane (§3: "a small fraction, e.g. 3"). The controller begins on the first; when it has died, it begins
    /// again on the next that works.
    pub hosts: Vec<u32>,
    /// From a controller's death until it begins elsewhere. `None`: never.
    pub takeover: Option<Span>,
    /// When the controller dies.
    pub dies: Vec<Time>,
    /// Each SoC says hello on each port this often.
    pub hello: Span,
    /// So many hellos missed, and a link counts as broken; 0: never.
    pub misses: u32,
    /// A message without an answer is repeated after this time.
    pub retry: Span,
    /// So many times it is sent; then its receiver counts as broken.
    pub tries: u32,
}

/// How a packet switch chooses among ports that lead equally near. The paper says that there are several (§6.4), not which is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Multipath {
    /// By a hash of the flow.
    Flow,
    /// Anew for each packet, at random.
    Packet,
}

/// The circuits with which the run begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// The most cubic 3D torus of so many SoCs with six ports (§6.1, §6.5).
    Torus,
    /// A random graph (§6.1).
    Random,
    /// Generated for equal demand between all.
    Uniform,
    /// Generated for this demand.
    Demand(Demand),
}

impl Config {
    /// What a rack takes of memory on this topology: ports whose queues are full of the largest packets, what SoCs and the controller know of
    /// each other, and what they say to each other.
    pub fn footprint(&self, topology: &Topology) -> Footprint {
        let hosts = u64::from(topology.hosts());
        let wire = self.mtu + self.framing;
        let ports = topology.links().len() as u64 / 2;
        let queued = ports * (self.queue.get() / wire.get().max(1) + 1);
        Footprint {
            fixed: (topology.links().len() as u64 * 500 + hosts * hosts * 150 + (4 << 20))
                .saturating_add(self.messages(topology).saturating_mul(MESSAGE)),
            frames: queued.saturating_add(on_all_links(topology, wire)),
            frame: 250,
            ..Footprint::default()
        }
    }
    /// Messages of the control protocol that wait for ports or are on their way: as many hellos as a queue holds, or as are said while it
    /// drains; and on the control plane what is repeated while a message is on its way.
    fn messages(&self, topology: &Topology) -> u64 {
        let Control::Protocol(settings) = &self.control else { return 0 };
        let least = drive::LEAST as u64 + self.framing.get();
        let of_port = |link: &Link| {
            let drains = link.rate.time_for(self.queue) + link.delay;
            steps(drains, settings.hello).min(self.queue.get() / least + on_their_way(link, Bytes::new(least)))
        };
        let hellos = topology.links().iter().map(of_port).fold(0, u64::saturating_add);
        let crosspoints = u64::from(topology.switches());
        let exchange = self.plane.message.saturating_mul(2) + self.plane.program;
        let repeated = if self.plane.sequential { 1 } else { steps(exchange, settings.retry) + 1 };
        // The controller tells each crosspoint, and each crosspoint every other.
        hellos.saturating_add(crosspoints.saturating_mul(crosspoints + repeated))
    }
    /// Whether the controller may place an uplink on this SoC: SoCs that can run the controller have their uplink port on the control network (§3).
    pub(super) fn may_have_uplink(&self, soc: u32) -> bool {
        !self.on_control_network().contains(&soc)
    }
    /// SoCs that can run the controller.
    pub(super) fn on_control_network(&self) -> &[u32] {
        match &self.control {
            Control::Protocol(settings) if self.period.is_some() => &settings.hosts,
            Control::Protocol(_) | Control::Ideal { .. } => &[],
        }
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            uplinks: 0,
            mtu: Bytes::new(1500),
            framing: Bytes::new(38),
            queue: Bytes::new(150_000),
            multipath: Multipath::Flow,
            start: Start::Torus,
            period: Some(Span::from_ms(1000)),
            from: Time::ZERO,
            weight: 0.5,
            switching: Span::from_ns(20),
            crosspoint_latency: Span::ZERO,
            control: Control::Protocol(ProtocolSettings::default()),
            plane: ControlPlane { message: Span::from_ms(1), sequential: true, program: Span::from_us(40) },
            detection: Span::from_ms(100),
            hop_limit: 64,
        }
    }
}

impl Default for ProtocolSettings {
    fn default() -> ProtocolSettings {
        ProtocolSettings {
            hosts: vec![0, 1, 2],
            takeover: Some(Span::from_ms(1000)),
            dies: Vec::new(),
            hello: Span::from_ms(100),
            misses: 3,
            retry: Span::from_ms(20),
            tries: 5,
        }
    }
}
