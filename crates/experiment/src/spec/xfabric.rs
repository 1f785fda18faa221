//! `[fabric]` of kind xfabric.

use super::{EthernetSpec, RoutingSpec, UplinksSpec};
use crate::quantity::{BufferText, DelayText, LastingText, PacketText, SizeText, TimeText};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Span, Time};
use xfabric::network::{Config, ProtocolSettings};

/// XFabric: a rack of SoCs whose ports hang on crosspoint switches, which join them in pairs. SoCs forward packets over the circuits there
/// are, and a controller changes these to follow the demand. Hosts are SoCs and switches crosspoints: topology.kind = "planes".
/// Where the defaults come from is in papers/xfabric/README.md.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct XFabricSpec {
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
    pub routing: RoutingSpec,
    /// The circuits with which the run begins.
    pub start: StartSpec,
    /// With start = "demand": a CSV file with the header `src,dst,weight`, relative to the folder of the experiment file.
    #[schemars(example = &"demand.csv")]
    pub demand: Option<String>,
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
    pub control: ControlSpec,
    /// How the controller's messages reach crosspoints.
    pub control_plane: PlaneSpec,
    /// What a message to or from a crosspoint takes.
    #[schemars(with = "DelayText")]
    pub control_message: Span,
    /// What a crosspoint takes from the command until its circuits change.
    #[schemars(with = "DelayText")]
    pub crosspoint_program: Span,
    /// With control = "ideal": from the change of the last crosspoint until SoCs forward by their new tables.
    #[schemars(with = "TimeText")]
    pub ideal_tables: Span,
    /// With control = "protocol", as all keys that follow but `detection` and `hop_limit`: hosts on whose SoCs a controller can run. It
    /// begins on the first, and when it has died on the next that works.
    #[schemars(length(min = 1))]
    pub controllers: Vec<u32>,
    /// When the controller dies; it dies with its SoC, too.
    #[schemars(with = "Vec<TimeText>", extend("examples" = [["5 s"]]))]
    pub controller_dies: Vec<Time>,
    /// From a controller's death until the next begins.
    #[schemars(with = "LastingText")]
    pub controller_takeover: Span,
    /// Each SoC says hello on each port this often.
    #[schemars(with = "LastingText")]
    pub hello: Span,
    /// After so many hellos that did not come a link counts as broken; 0: never.
    #[schemars(range(max = 1_000_000))]
    pub hello_misses: u32,
    /// A message that is not answered is sent again after this time.
    #[schemars(with = "LastingText")]
    pub control_retry: Span,
    /// So many times it is sent; then its receiver counts as broken.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub control_tries: u32,
    /// From something's breaking or being mended (`[[fault]]`) until an ideal controller generates a topology without it, or a rack that
    /// does not reconfigure forwards around it. The protocol finds out what is broken by itself, but is told so much later what is mended.
    #[schemars(with = "TimeText")]
    pub detection: Span,
    /// Circuits that a frame may pass before it is discarded: loops between tables of different versions end.
    #[schemars(range(min = 1, max = 255))]
    pub hop_limit: u8,
    /// The far ends of the rack's uplinks, if there is a `[topology.outside]`. Uplinks begin spread evenly over the rack, each SoC using the
    /// nearest. With every new topology the controller gives them to the SoCs that exchange most with the outside, and has the others
    /// share them evenly. SoCs on which a controller can run have none.
    pub uplinks: Option<UplinksSpec>,
    /// The Ethernet outside, if there is a `[topology.outside]`. Its `mtu` must be that of the rack.
    pub outside: Option<Box<EthernetSpec>>,
}

/// The circuits with which a run begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StartSpec {
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
pub enum ControlSpec {
    /// By the messages of the paper's protocol, those with SoCs among the frames of hosts.
    Protocol,
    /// The controller knows all demand at once, and all SoCs use their new tables at the same time.
    Ideal,
}

/// How the controller's messages reach crosspoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlaneSpec {
    /// One after the other, as over the prototype's USB.
    Sequential,
    /// All at once, as over Ethernet.
    Parallel,
}

impl Default for XFabricSpec {
    fn default() -> XFabricSpec {
        let config = Config::default();
        let protocol = ProtocolSettings::default();
        XFabricSpec {
            mtu: config.mtu,
            framing: config.framing,
            queue: config.queue,
            routing: RoutingSpec::Ecmp,
            start: StartSpec::Torus,
            demand: None,
            reconfigure: true,
            period: config.period.unwrap_or(Span::from_ms(1000)),
            reconfigure_from: config.from,
            weight: config.weight,
            switching: config.switching,
            crosspoint_latency: config.crosspoint_latency,
            control: ControlSpec::Protocol,
            control_plane: PlaneSpec::Sequential,
            control_message: config.plane.message,
            crosspoint_program: config.plane.program,
            ideal_tables: Span::from_ms(1),
            controllers: protocol.hosts,
            controller_dies: protocol.dies,
            controller_takeover: protocol.takeover.unwrap_or(Span::from_ms(1000)),
            hello: protocol.hello,
            hello_misses: protocol.misses,
            control_retry: protocol.retry,
            control_tries: protocol.tries,
            detection: config.detection,
            hop_limit: config.hop_limit,
            uplinks: None,
            outside: None,
        }
    }
}
