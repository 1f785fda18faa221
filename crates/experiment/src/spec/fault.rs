//! `[[fault]]`: what breaks during the run. In one form for all fabrics.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::{LastingText, TimeText};
use units::{Span, Time};

/// Something that breaks during the run, and may be repaired. What breaks is one of `link`, `node`, `links` and `nodes`. What is
/// broken by several entries works again when the last of them is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FaultSpec {
    /// When it breaks.
    #[schemars(with = "TimeText", example = &"5 ms")]
    pub at: Time,
    /// When it works again. By default it stays broken.
    #[serde(default)]
    #[schemars(with = "Option<LastingText>")]
    pub until: Option<Time>,
    /// A cable, by the names of its ends: both of its directions. What is on it is lost, and what is sent to it until routes
    /// change.
    #[serde(default)]
    #[schemars(example = &"leaf-0 -> spine-1")]
    pub link: Option<String>,
    /// With `link`: only the direction that is written.
    #[serde(default)]
    pub one_way: bool,
    /// A switch or host, by its name. A switch loses what it holds and all that comes to it; a host neither sends nor receives.
    #[serde(default)]
    #[schemars(example = &"spine-1")]
    pub node: Option<String>,
    /// Cables of this class, drawn at random: see `topology.links`. Which ones depends on the seed and on the place of this entry
    /// among the faults.
    #[serde(default)]
    #[schemars(example = &"leaf-spine")]
    pub links: Option<String>,
    /// Nodes of this kind, drawn at random in the same way: `host`, `switch`, what the names of some begin with (`spine`), or a
    /// tier of switches (`tier 2`; switches with hosts are `tier 1`).
    #[serde(default)]
    #[schemars(example = &"spine")]
    pub nodes: Option<String>,
    /// With `links` or `nodes`: how many. By default one.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub count: Option<u32>,
    /// Links stay up, but each bit is received wrong with this probability; a frame with a wrong bit is lost. Routes do not
    /// notice.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0.0, "exclusiveMaximum" = 1.0), example = 1e-6)]
    pub bit_error_rate: Option<f64>,
    /// It flaps: from `at` to `until` (or the end of the run) it breaks anew this often.
    #[serde(default)]
    #[schemars(with = "Option<LastingText>")]
    pub period: Option<Span>,
    /// With `period`: how long it is broken each time.
    #[serde(default)]
    #[schemars(with = "Option<LastingText>")]
    pub down: Option<Span>,
}
