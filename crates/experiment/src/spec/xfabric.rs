//! `[fabric]` of kind xfabric.

use super::RoutingSpec;
use crate::quantity::{LastingText, SizeText, TimeText, VolumeText};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Span, Time};
use xfabric::network::Config;

/// XFabric: a rack of SoCs whose ports hang on crosspoint switches, which join them in pairs. SoCs forward packets over the circuits there
/// are, and a controller changes these to follow the demand. Hosts are SoCs and switches crosspoints: topology.kind = "planes".
/// Where the defaults come from is in papers/xfabric/README.md.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct XFabricSpec {
    /// The largest packet, headers of the transport included.
    #[schemars(with = "VolumeText", extend("default" = "1500 B"))]
    pub mtu: Bytes,
    /// What each packet takes on a link beyond itself.
    #[schemars(with = "SizeText")]
    pub framing: Bytes,
    /// What an output port of a SoC's packet switch holds; frames beyond it are dropped.
    #[schemars(with = "VolumeText")]
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
    /// Before this circuits do not change; the first new topology is generated a period later.
    #[schemars(with = "TimeText")]
    pub reconfigure_from: Time,
    /// What the latest period counts in the estimate of demand; all before it counts the rest.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub weight: f64,
    /// How long a circuit is dark while its crosspoint changes it: nanoseconds for electrical ones, microseconds to milliseconds for
    /// optical ones.
    #[schemars(with = "TimeText")]
    pub switching: Span,
    /// From port to port of a crosspoint.
    #[schemars(with = "TimeText")]
    pub crosspoint_latency: Span,
    /// What each of the controller's messages to a crosspoint takes; they go one after the other.
    #[schemars(with = "TimeText")]
    pub control_message: Span,
    /// What a crosspoint takes from the message until its circuits change.
    #[schemars(with = "TimeText")]
    pub crosspoint_program: Span,
    /// From the change of the last crosspoint until SoCs forward by their new tables.
    #[schemars(with = "TimeText")]
    pub control_tables: Span,
    /// From something's breaking or being mended (`[[fault]]`) until the controller generates a topology without it; a rack that does not
    /// reconfigure forwards around it then.
    #[schemars(with = "TimeText")]
    pub detection: Span,
    /// Circuits that a frame may pass before it is discarded: loops between tables of different versions end.
    #[schemars(range(min = 1, max = 255))]
    pub hop_limit: u8,
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

impl Default for XFabricSpec {
    fn default() -> XFabricSpec {
        let config = Config::default();
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
            control_message: config.control.message,
            crosspoint_program: config.control.program,
            control_tables: config.control.tables,
            detection: config.detection,
            hop_limit: config.hop_limit,
        }
    }
}
