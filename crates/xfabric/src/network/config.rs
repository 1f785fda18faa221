//! What a person can say of an XFabric rack.

use super::drive;
use crate::control::{ControlPlane, Exchanges};
use crate::demand::Demand;
use fabric::Footprint;
use fabric::footprint::{on_their_way, steps};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{BufferText, DelayText, LastingText, PacketText, SizeText, TimeText};
use topology::{Link, Topology};
use units::{Bytes, Span, Time};

/// Bytes of memory that a message of the control protocol takes, its frame included.
const MESSAGE: u64 = 400;

/// XFabric: a rack of SoCs whose ports hang on crosspoint switches, which join them in pairs. SoCs forward packets over the circuits there
/// are, and a controller changes these to follow the demand. Hosts are SoCs and switches crosspoints: topology.kind = "planes".
/// Where the defaults come from is in papers/xfabric/README.md.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Config {
    /// The largest packet, headers of the transport included.
    #[schemars(with = "PacketText", extend("default" = "1500 B"))]
    pub mtu: Bytes,
    /// What each packet takes on a link beyond itself.
    #[schemars(with = "SizeText")]
    pub framing: Bytes,
    /// What an output port of a SoC's packet switch holds; frames beyond it are dropped.
    #[schemars(with = "BufferText")]
    pub queue: Bytes,
    /// How a SoC chooses among ports that lead equally near.
    pub routing: Multipath,
    /// The circuits with which the run begins.
    pub start: Start,
    /// With start = "demand": the demand, a CSV file as `gossamer topology xfabric --demand` reads it: a list that begins with
    /// `source,destination,bytes`, or a matrix (docs/topology.md). SoCs have the names of hosts or their numbers; other names stand for the hosts
    /// in the order in which they come. What goes to and from `uplink` does not count, since uplinks begin evenly spread. The path is
    /// relative to the folder of the experiment file.
    #[schemars(example = &"demand.csv")]
    pub demand: Option<String>,
    /// What `demand` says.
    #[serde(skip)]
    pub start_demand: Option<Demand>,
    /// How many of the topology's hosts are no SoCs but the far ends of uplinks (§3): the last ones.
    #[serde(skip)]
    pub uplink_hosts: u32,
    /// Whether circuits change at all. If not, the rack stays as it begins: the static torus and random graph that the paper compares
    /// with.
    pub reconfigure: bool,
    /// How often a new topology is generated for what hosts have sent.
    #[schemars(with = "LastingText")]
    pub period: Span,
    /// Before this circuits do not change. The protocol's controller begins then, and generates its first topology at once; an ideal
    /// one generates it a period later.
    #[schemars(with = "TimeText")]
    pub reconfigure_from: Time,
    /// What the latest period counts in the estimate of demand; all before it counts the rest.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub weight: f64,
    /// How long a circuit is dark while its crosspoint changes it: nanoseconds for electrical ones, microseconds to milliseconds for
    /// optical ones.
    #[schemars(with = "DelayText")]
    pub switching: Span,
    /// From port to port of a crosspoint.
    #[schemars(with = "DelayText")]
    pub crosspoint_latency: Span,
    /// How the controller and the others learn of each other.
    pub control: Control,
    /// What the paths to crosspoints are like.
    #[serde(flatten)]
    pub plane: ControlPlane,
    /// With control = "ideal": from the change of the last crosspoint until SoCs forward by their new tables.
    #[schemars(with = "TimeText")]
    pub ideal_tables: Span,
    /// What the protocol leaves open.
    #[serde(flatten)]
    pub protocol: ProtocolSettings,
    /// From something's breaking or being repaired (`[[fault]]`) until an ideal controller generates a topology without it, or a rack that
    /// does not reconfigure forwards around it. The protocol finds out what is broken by itself, but is told so much later what is repaired.
    #[schemars(with = "TimeText")]
    pub detection: Span,
    /// Circuits that a frame may pass before it is discarded: loops between tables of different versions end.
    #[schemars(range(min = 1, max = 255))]
    pub hop_limit: u8,
}

/// What the control protocol leaves open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProtocolSettings {
    /// With control = "protocol", as all keys that follow but `detection` and `hop_limit`: hosts on whose SoCs a controller can run. It
    /// begins on the first, and when it has died on the next that works.
    #[schemars(length(min = 1))]
    #[serde(rename = "controllers")]
    pub hosts: Vec<u32>,
    /// When the controller dies; it dies with its SoC, too.
    #[schemars(with = "Vec<TimeText>", extend("examples" = [["5 s"]]))]
    #[serde(rename = "controller_dies")]
    pub dies: Vec<Time>,
    /// From a controller's death until the next begins.
    #[schemars(with = "LastingText")]
    #[serde(rename = "controller_takeover")]
    pub takeover: Option<Span>,
    /// Each SoC says hello on each port this often.
    #[schemars(with = "LastingText")]
    pub hello: Span,
    /// After so many hellos that did not come a link counts as broken; 0: never.
    #[schemars(range(max = 1_000_000))]
    #[serde(rename = "hello_misses")]
    pub misses: u32,
    /// A message that is not answered is sent again after this time.
    #[schemars(with = "LastingText")]
    #[serde(rename = "control_retry")]
    pub retry: Span,
    /// So many times it is sent; then its receiver counts as broken.
    #[schemars(range(min = 1, max = 1_000_000))]
    #[serde(rename = "control_tries")]
    pub tries: u32,
}

/// How a SoC chooses among ports that lead equally near.
// The paper says that there are several (§6.4), not which is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Multipath {
    /// By a hash of the flow: each flow keeps its path, and two flows may share one (RFC 2992).
    #[serde(rename = "ecmp")]
    Flow,
    /// Anew for each packet, at random: evens out the load, but packets overtake each other, which TCPs take for losses.
    #[serde(rename = "spray")]
    Packet,
}

/// The circuits with which a run begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// The 3D torus that is most like a cube; SoCs have six ports then.
    Torus,
    /// A random graph in which all ports are used.
    Random,
    /// Generated for equal demand between all.
    Uniform,
    /// Generated for the demand of a file.
    Demand,
}

/// How the controller and the others learn of each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// By the messages of the paper's protocol, those with SoCs among the frames of hosts.
    Protocol,
    /// The controller knows all demand at once, and all SoCs use their new tables at the same time.
    Ideal,
}

impl Default for Config {
    /// Those of §5 and §6.5 where the paper states them.
    fn default() -> Config {
        Config {
            mtu: Bytes::new(1500),
            framing: Bytes::new(38),
            queue: Bytes::new(150_000),
            routing: Multipath::Flow,
            start: Start::Torus,
            demand: None,
            start_demand: None,
            uplink_hosts: 0,
            reconfigure: true,
            period: Span::from_ms(1000),
            reconfigure_from: Time::ZERO,
            weight: 0.5,
            switching: Span::from_ns(20),
            crosspoint_latency: Span::ZERO,
            control: Control::Protocol,
            plane: ControlPlane::default(),
            ideal_tables: Span::from_ms(1),
            protocol: ProtocolSettings::default(),
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

impl Config {
    /// How often a new topology is generated. `None`: never, the rack is static.
    pub fn period(&self) -> Option<Span> {
        self.reconfigure.then_some(self.period)
    }
    /// What the protocol's controller keeps to, if there is one.
    pub fn controller(&self) -> Option<&ProtocolSettings> {
        (self.reconfigure && self.control == Control::Protocol).then_some(&self.protocol)
    }
    /// What a rack takes of memory on this topology: ports whose queues are full of the largest packets, what SoCs and the controller know of
    /// each other, and what they say to each other in a run of this length.
    pub fn footprint(&self, topology: &Topology, run: Span) -> Footprint {
        let hosts = u64::from(topology.hosts());
        let wire = self.mtu + self.framing;
        let ports = topology.links().len() as u64 / 2;
        let queued = ports.saturating_mul((self.queue.get() / wire.get().max(1)).saturating_add(1));
        Footprint {
            fixed: (topology.links().len() as u64 * 500 + hosts * hosts * 150 + (4 << 20))
                .saturating_add(self.messages(topology, run).saturating_mul(MESSAGE)),
            frames: self.cables(topology).map(|link| on_their_way(&link, wire)).fold(queued, u64::saturating_add),
            frame: 250,
            ..Footprint::default()
        }
    }
    /// All links, each with its half of the way through the crosspoint between two.
    fn cables(&self, topology: &Topology) -> impl Iterator<Item = Link> {
        let half = Span::from_ps(self.crosspoint_latency.as_ps() / 2);
        topology.links().iter().map(move |link| Link { delay: link.delay + half, ..*link })
    }
    /// Messages of the control protocol that wait for ports or are on their way: as many hellos as a queue holds, or as are said while it
    /// drains; and on the control plane what is repeated while a message is on its way.
    fn messages(&self, topology: &Topology, run: Span) -> u64 {
        let Control::Protocol = self.control else { return 0 };
        let settings = &self.protocol;
        let least = drive::LEAST as u64 + self.framing.get();
        let of_port = |link: Link| {
            let drains = (link.rate.time_for(self.queue) + link.delay).min(run);
            steps(drains, settings.hello).min(self.queue.get() / least + on_their_way(&link, Bytes::new(least)))
        };
        let hellos = self.cables(topology).map(of_port).fold(0, u64::saturating_add);
        let crosspoints = u64::from(topology.switches());
        let exchange = self.plane.message.saturating_mul(2) + self.plane.program;
        let repeated =
            if self.plane.exchanges == Exchanges::Sequential { 1 } else { steps(exchange, settings.retry) + 1 };
        // The controller tells each crosspoint, and each crosspoint every other.
        hellos.saturating_add(crosspoints.saturating_mul(crosspoints + repeated))
    }
    /// Whether the controller may place an uplink on this SoC: SoCs that can run the controller have their uplink port on the control network (§3).
    pub(super) fn may_have_uplink(&self, soc: u32) -> bool {
        !self.on_control_network().contains(&soc)
    }
    /// SoCs that can run the controller.
    pub(super) fn on_control_network(&self) -> &[u32] {
        if self.controller().is_some() { &self.protocol.hosts } else { &[] }
    }
}
