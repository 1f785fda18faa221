//! Series and queue distributions: a look at everything, now and then.

use engine::looking;
use fabric::{Network, Over};
use results::{Histogram, WriteError};
use std::sync::Arc;
use topology::{Direction, LinkId, Topology};
use units::{Span, Time};

use crate::series::Series;
use crate::settings::Settings;

/// What is watched together: the links of a class in one direction, or a single link.
struct Scope {
    name: Arc<str>,
    links: Vec<u32>,
    /// Bits a second of all of them together.
    rate: f64,
    /// Queue lengths seen at samples in the window; not for single links.
    queues: Option<Histogram>,
}

/// Looks at links at every sample.
pub(crate) struct Sampler {
    scopes: Vec<Scope>,
    /// Each link's counter of bytes at the last sample; wraps, for counters begin anew between two samples.
    sent: Vec<u64>,
    /// The same at this sample, while it is taken.
    fresh: Vec<u64>,
    last: Time,
    /// Names and units of series.
    words: [Arc<str>; 4],
}

/// Up, down or flat, as tables have it.
pub(crate) fn direction_name(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "up",
        Direction::Down => "down",
        Direction::Flat => "flat",
    }
}

/// In the order in which series have them.
const DIRECTIONS: [Direction; 3] = [Direction::Up, Direction::Down, Direction::Flat];

impl Sampler {
    pub(crate) fn new(topology: &Topology, settings: &Settings) -> Sampler {
        let links = topology.links();
        let mut members: Vec<[Vec<u32>; 3]> = vec![Default::default(); topology.classes().len()];
        for (number, link) in looking((0..).zip(links)) {
            let direction = DIRECTIONS.iter().position(|direction| *direction == link.direction);
            members[usize::from(link.class)][direction.expect("there are no others")].push(number);
        }
        let mut scopes: Vec<Scope> = Vec::new();
        for (name, members) in topology.classes().iter().zip(members) {
            for (direction, links) in DIRECTIONS.into_iter().zip(members).filter(|(_, links)| !links.is_empty()) {
                let name = format!("{name} {}", direction_name(direction)).into();
                scopes.push(Scope { name, links, rate: 0.0, queues: Some(Histogram::new(5)) });
            }
        }
        for LinkId(link) in &settings.watch {
            let name = topology.link_name(LinkId(*link)).into();
            scopes.push(Scope { name, links: vec![*link], rate: 0.0, queues: None });
        }
        for scope in &mut scopes {
            engine::look();
            scope.rate = scope.links.iter().map(|link| links[*link as usize].rate.as_bps() as f64).sum();
        }
        let words = ["queue", "B", "utilisation", ""].map(Arc::from);
        Sampler { scopes, sent: vec![0; links.len()], fresh: vec![0; links.len()], last: Time::ZERO, words }
    }

    /// Links' counters are about to begin anew: what was sent since the last sample is owed to the next.
    pub(crate) fn before_restart<N: Network>(&mut self, now: Time, network: &N) {
        for (link, sent) in (0..).zip(&mut self.sent) {
            *sent = sent.wrapping_sub(network.bytes_sent(now, link));
        }
    }

    /// They have begun anew.
    pub(crate) fn after_restart<N: Network>(&mut self, now: Time, network: &N) {
        for (link, sent) in (0..).zip(&mut self.sent) {
            *sent = sent.wrapping_add(network.bytes_sent(now, link));
        }
    }

    /// Looks at every link. `measured`: in the window, so queues count.
    pub(crate) fn sample<N: Network>(
        &mut self,
        now: Time,
        measured: bool,
        network: &N,
        settings: &Settings,
        series: &mut Series,
    ) -> Result<Span, WriteError> {
        let interval = now.since(self.last);
        self.last = now;
        let weight = series.weight();
        let [queue_name, bytes, utilisation_name, fraction] = &self.words;
        // A watched link is in its class too, and is asked once. A run that is stopped here keeps the samples before this one.
        // A fabric whose cells are computed and not queued counts them when it is asked, which takes long for large networks.
        if settings.utilisation {
            for (link, fresh) in looking((0..).zip(&mut self.fresh)) {
                *fresh = network.bytes_sent(now, link);
            }
        }
        for scope in &mut self.scopes {
            let (mut queued, mut sent) = (0, 0_u64);
            for link in looking(&scope.links) {
                let queue = network.queue(now, *link).get();
                queued += queue;
                if let Some(histogram) = scope.queues.as_mut().filter(|_| measured) {
                    histogram.record_times(queue, weight);
                }
                if !settings.utilisation {
                    continue;
                }
                let since = self.fresh[*link as usize].wrapping_sub(self.sent[*link as usize]);
                // Less than nothing, if what had been counted was lost with a link that broke. No link alone carries 2^63 bytes in a run, and
                // all together no more (`units::bounds::CARRIED`).
                sent += if (since as i64) < 0 { 0 } else { since };
            }
            let mean_queue = queued as f64 / scope.links.len() as f64;
            let utilisation = sent as f64 * 8.0 / (scope.rate * interval.as_secs_f64());
            if settings.queue {
                series.push(now, [queue_name, &scope.name, bytes], Over::Instant, mean_queue)?;
            }
            if settings.utilisation {
                series.push(now, [utilisation_name, &scope.name, fraction], Over::Mean, utilisation)?;
            }
        }
        if settings.utilisation {
            std::mem::swap(&mut self.sent, &mut self.fresh);
        }
        Ok(interval)
    }

    /// Distributions of queue length, by class and direction.
    pub(crate) fn queues(&self) -> impl Iterator<Item = (Arc<str>, &Histogram)> {
        let with_histogram = self.scopes.iter().filter_map(|scope| Some((&scope.name, scope.queues.as_ref()?)));
        with_histogram.map(|(name, histogram)| (format!("queue {name}").into(), histogram))
    }
}
