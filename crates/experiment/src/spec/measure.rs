//! `[measure]`: what is written down.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use settings::LastingText;
use units::Span;

/// What is written down, beyond the totals of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MeasureSpec {
    /// Time between two samples of a series. By default it grows with what has been simulated, so that there are 128 to 256 samples, evenly
    /// spaced, whenever the run ends.
    #[schemars(with = "Option<LastingText>")]
    pub sample: Option<Span>,
    /// Whether to write a row for each flow.
    pub flows: bool,
    /// Whether to write a row for each link.
    pub links: bool,
    /// What to sample as a series over time, for the whole network and each class of links.
    pub series: Vec<SeriesKind>,
    /// Links to sample one by one as well, by the names of their ends.
    #[schemars(extend("examples" = [["edge-0 -> aggregation-1"]]))]
    pub watch: Vec<String>,
}

/// What can be sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SeriesKind {
    /// Bytes that reached their application in order, per second, over all flows.
    Goodput,
    /// Bytes waiting in queues.
    Queue,
    /// Part of the time in which links were busy.
    Utilisation,
}

impl Default for MeasureSpec {
    fn default() -> MeasureSpec {
        MeasureSpec {
            sample: None,
            flows: true,
            links: true,
            series: vec![SeriesKind::Goodput, SeriesKind::Queue, SeriesKind::Utilisation],
            watch: Vec::new(),
        }
    }
}
