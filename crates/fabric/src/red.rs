//! Random early detection: how likely a frame is marked, by the queue that it finds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::BufferText;
use units::Bytes;

/// Random early detection (RED: Floyd and Jacobson, 1993) on the queue at the instant at which a frame arrives, as switches mark for DCQCN (Zhu et al., SIGCOMM
/// 2015, §3.1). The defaults are those of its Fig. 14, for links of 40 Gb/s.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Red {
    /// Frames that find no more than this are not marked (K_min). It must be less than what makes a switch pause a sender (§4), so that marks come first.
    #[schemars(with = "BufferText")]
    pub min_threshold: Bytes,
    /// Frames that find more than this are all marked (K_max). In between the probability grows in proportion. The paper has no rule for links of other
    /// rates; in proportion to the rate, a queue at the threshold takes as long to drain.
    #[schemars(with = "BufferText")]
    pub max_threshold: Bytes,
    /// The probability of a mark at `max_threshold` (P_max).
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub max_probability: f64,
}

impl Default for Red {
    fn default() -> Red {
        Red { min_threshold: Bytes::new(5_000), max_threshold: Bytes::new(200_000), max_probability: 0.01 }
    }
}
