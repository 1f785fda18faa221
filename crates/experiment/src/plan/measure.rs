//! `[measure]`: what is sampled, how often, where.

use super::Refusal;
use crate::spec::{MeasureSpec, SeriesKind};
use ::topology::{LinkId, Topology};
use settings::Diagnostics;
use units::{Span, Time};

/// What a run writes down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measure {
    /// Time between samples. None: as often as what is simulated needs.
    pub sample: Option<Span>,
    /// Series to sample, each once.
    pub series: Vec<SeriesKind>,
    /// Links to sample one by one, each once.
    pub watch: Vec<LinkId>,
    /// Whether to write a row for each flow.
    pub flows: bool,
    /// Whether to write a row for each link.
    pub links: bool,
}

/// The most points of one series.
const MOST_POINTS: u64 = 1_000_000;

pub(super) fn check(
    spec: &MeasureSpec,
    duration: Time,
    topology: &Topology,
    diagnostics: &mut Diagnostics<'_>,
) -> Measure {
    let length = duration.since(Time::ZERO);
    let sample = spec.sample;
    let points = sample.map_or(0, |sample| length.as_ps() / sample.as_ps().max(1));
    if sample.is_some_and(|sample| sample > length) {
        diagnostics.refuse("measure.sample", Refusal::SampleBeyondDuration { duration });
    } else if points > MOST_POINTS {
        let shortest = Span::from_ps(length.as_ps().div_ceil(MOST_POINTS));
        diagnostics.refuse("measure.sample", Refusal::TooManySamples { points, limit: MOST_POINTS, shortest });
    }
    let mut series = spec.series.clone();
    series.sort_unstable();
    series.dedup();
    let mut watch = Vec::new();
    for (index, name) in spec.watch.iter().enumerate() {
        match topology.find_link(name) {
            Ok(link) if watch.contains(&link) => {}
            Ok(link) => watch.push(link),
            Err(error) => diagnostics.refuse(&format!("measure.watch.{index}"), Refusal::UnknownLink(error)),
        }
    }
    Measure { sample, series, watch, flows: spec.flows, links: spec.links }
}
