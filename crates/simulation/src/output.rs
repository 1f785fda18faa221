//! What a run writes, and the sums behind its summary.

use crate::collisions::Collisions;
use crate::completion::Completion;
use crate::flows::Flow;
use crate::operations::Operations;
use crate::sampling::{Sampler, direction_name};
use crate::series::Series;
use crate::settings::Settings;
use fabric::{Network, Over, Totals};
use results::{
    Closed, CollisionRow, CounterRow, Destination, FlowRow, Histogram, HistogramRow, LinkRow, OperationRow, SummaryRow,
    Table, WriteError,
};
use std::sync::Arc;
use topology::{LinkId, Topology};
use transport::Counters;
use units::{Bytes, Span, Time};
use workload::Operation;

/// The tables of a run.
pub(crate) struct Tables {
    flows: Table<FlowRow>,
    operations: Table<OperationRow>,
    links: Table<LinkRow>,
    counters: Table<CounterRow>,
    collisions: Table<CollisionRow>,
    histograms: Table<HistogramRow>,
    series: Series,
    summary: Table<SummaryRow>,
}

impl Tables {
    /// Begins all of them, for a run with these settings.
    ///
    /// # Errors
    /// If one cannot be made.
    fn create(destination: &Destination, settings: &Settings) -> Result<Tables, WriteError> {
        Ok(Tables {
            flows: Table::create(destination)?,
            operations: Table::create(destination)?,
            links: Table::create(destination)?,
            counters: Table::create(destination)?,
            collisions: Table::create(destination)?,
            histograms: Table::create(destination)?,
            series: Series::create(destination, settings.sample, settings.duration)?,
            summary: Table::create(destination)?,
        })
    }

    /// Has the rows so far outlive this process, see [`Table::save`]: those of the tables that get rows as the run goes.
    ///
    /// # Errors
    /// If one cannot be written.
    pub(crate) fn save(&mut self) -> Result<(), WriteError> {
        self.flows.save()?;
        self.operations.save()?;
        self.series.save()
    }

    /// Ends all of them.
    ///
    /// # Errors
    /// If one cannot be written.
    fn close(self) -> Result<Vec<Closed>, WriteError> {
        Ok(vec![
            self.flows.close()?,
            self.operations.close()?,
            self.links.close()?,
            self.counters.close()?,
            self.collisions.close()?,
            self.histograms.close()?,
            self.series.close()?,
            self.summary.close()?,
        ])
    }
}

/// Precision of percentiles in the summary: bins of 0.4 %.
pub(crate) const FINE: u32 = 8;

/// Writes rows and keeps sums.
pub struct Output {
    pub(crate) tables: Tables,
    pub(crate) settings: Settings,
    pub(crate) sampler: Sampler,
    groups: Vec<Arc<str>>,
    pub(crate) started: u64,
    pub(crate) finished: u64,
    /// Bytes delivered, of each group.
    delivered: Vec<u64>,
    /// The same at the last sample.
    sampled: Vec<u64>,
    pub(crate) operations: Operations,
    latency: Histogram,
    completion: Completion,
    pub(crate) collisions: Collisions,
    window_bytes: u64,
    /// Of endless flows: how many, the sum of their goodput, and of its square.
    endless: (u64, f64, f64),
    retransmits: u64,
    timeouts: u64,
    /// The window has begun; what had passed by then.
    pub(crate) is_measuring: bool,
    before: Totals,
    /// Most bytes that the fabric held at a sample in the window.
    max_held: u64,
    /// Names and units of series, by group and for all.
    words: Words,
}

/// Names and units of series.
struct Words {
    goodput: Arc<str>,
    held: Arc<str>,
    all: Arc<str>,
    rate: Arc<str>,
    bytes: Arc<str>,
}

/// Bits a second of all hosts' links. The sum has more than 64 bits where very many hosts have the fastest links there may be.
fn host_rate(topology: &Topology) -> f64 {
    let rates = (0..topology.hosts()).map(|host| u128::from(topology.host_rate(host).as_bps()));
    rates.sum::<u128>() as f64
}

impl Output {
    /// Begins tables for what `settings` asks for, of workloads with these names. Where it is stopped, no table has been begun.
    ///
    /// # Errors
    /// If a table cannot be made.
    pub fn create(
        destination: &Destination,
        settings: Settings,
        topology: &Topology,
        groups: Vec<Arc<str>>,
    ) -> Result<Output, WriteError> {
        let is_measuring = settings.warmup == Time::ZERO;
        let sampler = Sampler::new(topology, &settings);
        Ok(Output {
            tables: Tables::create(destination, &settings)?,
            sampler,
            settings,
            started: 0,
            finished: 0,
            delivered: vec![0; groups.len()],
            sampled: vec![0; groups.len()],
            groups,
            operations: Operations::default(),
            latency: Histogram::new(FINE),
            completion: Completion::default(),
            collisions: Collisions::default(),
            window_bytes: 0,
            endless: (0, 0.0, 0.0),
            retransmits: 0,
            timeouts: 0,
            is_measuring,
            before: Totals::default(),
            max_held: 0,
            words: Words {
                goodput: "goodput".into(),
                held: "held".into(),
                all: "all".into(),
                rate: "b/s".into(),
                bytes: "B".into(),
            },
        })
    }

    /// A data frame brought `bytes` new bytes to its application.
    #[inline]
    pub(crate) fn on_data(&mut self, now: Time, stamp: Time, group: u16, bytes: u64) {
        self.latency.record(now.since(stamp).as_ps());
        self.delivered[usize::from(group)] += bytes;
    }

    /// The warm-up is over: whatever counts begins anew, the network too.
    pub(crate) fn begin_measurement<N: Network>(&mut self, now: Time, network: &mut N) {
        self.sampler.before_restart(now, network);
        network.begin_measurement(now);
        self.sampler.after_restart(now, network);
        self.latency = Histogram::new(FINE);
        self.collisions = Collisions::default();
        self.is_measuring = true;
        (self.retransmits, self.timeouts) = (0, 0);
        self.before = network.totals();
    }

    /// An operation starts.
    pub(crate) fn start_operation(&mut self, number: u64, now: Time, group: u16, round: u32, what: Operation) {
        let measured = now >= self.settings.warmup;
        self.operations.start(number, now, measured, Arc::clone(&self.groups[usize::from(group)]), round, what);
    }

    /// A flow of an operation has ended.
    pub(crate) fn end_flow(&mut self, number: u64, now: Time) -> Result<(), WriteError> {
        self.operations.end_flow(number, now).map_or(Ok(()), |row| self.tables.operations.push(&row))
    }

    /// Writes a flow's row: it is closed, or the run is over at `now`.
    pub(crate) fn on_flow(
        &mut self,
        now: Time,
        flow: &Flow,
        ideal: Option<Span>,
        delivered: Bytes,
        admitted: Option<Time>,
        counters: Counters,
    ) -> Result<(), WriteError> {
        let warmup = self.settings.warmup;
        let endless = flow.is_endless();
        let measured = endless || flow.start >= warmup;
        let ended_before = flow.end.is_some_and(|end| end <= warmup);
        let window_bytes = if ended_before { 0 } else { delivered.get() - flow.before.delivered };
        let active = flow.end.unwrap_or(now).since(flow.start.max(warmup)).as_secs_f64();
        let goodput_bps = if active > 0.0 { window_bytes as f64 * 8.0 / active } else { 0.0 };
        let fct = flow.end.map(|end| end.since(flow.start));
        let slowdown = fct.zip(ideal).map(|(fct, ideal)| fct.as_ps() as f64 / ideal.as_ps() as f64);
        if let Some(ideal) = ideal.filter(|_| measured) {
            self.completion.count(fct.unwrap_or_else(|| now.since(flow.start)), ideal, fct.is_some());
        }
        if endless {
            let (count, sum, squares) = self.endless;
            self.endless = (count + 1, sum + goodput_bps, squares + goodput_bps * goodput_bps);
        }
        self.window_bytes += window_bytes;
        self.retransmits += counters.retransmits - flow.before.retransmits;
        self.timeouts += counters.timeouts - flow.before.timeouts;
        if !self.settings.flows {
            return Ok(());
        }
        self.tables.flows.push(&FlowRow {
            id: flow.id,
            group: Arc::clone(&self.groups[usize::from(flow.group)]),
            src: flow.src,
            dst: flow.dst,
            bytes: (!endless).then(|| flow.bytes.get()),
            start_ps: flow.start.as_ps(),
            end_ps: flow.end.map(Time::as_ps),
            measured,
            delivered_bytes: delivered.get(),
            window_bytes,
            goodput_bps,
            ideal_ps: ideal.map(Span::as_ps),
            fct_ps: fct.map(Span::as_ps),
            slowdown,
            waited_ps: admitted.map(|at| at.since(flow.start).as_ps()),
            frames: counters.frames,
            retransmits: counters.retransmits,
            timeouts: counters.timeouts,
            marks: counters.marks,
        })
    }

    /// A sample is due.
    pub(crate) fn sample<N: Network>(&mut self, now: Time, network: &mut N) -> Result<(), WriteError> {
        let measured = now > self.settings.warmup;
        let series = &mut self.tables.series;
        let interval = self.sampler.sample(now, measured, network, &self.settings, series)?;
        let Words { goodput, held, all, rate, bytes } = &self.words;
        if network.has_buffers() && self.settings.queue {
            series.push(now, [held, all, bytes], Over::Instant, network.totals().held as f64)?;
        }
        if measured {
            self.max_held = self.max_held.max(network.totals().held);
        }
        for fabric::Sampled { name, unit, value, over } in network.sample(now) {
            series.push(now, [&name.into(), all, &unit.into()], over, value)?;
        }
        if self.settings.goodput {
            let mut sum = 0.0;
            for (group, name) in self.groups.iter().enumerate() {
                let bytes = self.delivered[group] - std::mem::replace(&mut self.sampled[group], self.delivered[group]);
                let value = bytes as f64 * 8.0 / interval.as_secs_f64();
                sum += value;
                if self.groups.len() > 1 {
                    series.push(now, [goodput, name, rate], Over::Mean, value)?;
                }
            }
            series.push(now, [goodput, all, rate], Over::Mean, sum)?;
        }
        series.end_sample(now);
        Ok(())
    }

    /// Time from a sample to the next.
    pub(crate) fn sample_interval(&self) -> Span {
        self.tables.series.interval()
    }

    /// Writes what is known only at the end, and closes the tables.
    pub(crate) fn close<N: Network>(
        mut self,
        now: Time,
        events: u64,
        network: &N,
        topology: &Topology,
    ) -> Result<Vec<Closed>, WriteError> {
        let window = now.since(self.settings.warmup);
        let (marked, peak) = self.write_links(now, window, network, topology)?;
        self.write_what_only_it_knows(network, topology)?;
        self.write_histograms()?;
        for row in self.operations.take_open() {
            self.tables.operations.push(&row)?;
        }
        let (totals, before) = (network.totals(), self.before);
        let max_held = self.max_held.max(totals.held);
        let completion = &self.completion;
        let [p50, p99, p999] = [0.5, 0.99, 0.999].map(|fraction| completion.slowdown(fraction));
        let operations = &self.operations;
        let seconds = window.as_secs_f64();
        let goodput_bps = if seconds > 0.0 { self.window_bytes as f64 * 8.0 / seconds } else { 0.0 };
        let hosts = topology.hosts();
        let (count, sum, squares) = self.endless;
        let labels = self.settings.labels.clone();
        self.tables.summary.push(&SummaryRow {
            run: labels.run,
            variant: labels.variant,
            fabric: labels.fabric,
            transport: labels.transport,
            topology: topology.describe().into(),
            hosts,
            seed: labels.seed,
            duration_ps: self.settings.duration.as_ps(),
            measured_ps: window.as_ps(),
            simulated_ps: now.as_ps(),
            flows_started: self.started,
            flows_completed: self.finished,
            flows_measured: completion.measured(),
            flows_measured_completed: completion.completed(),
            goodput_bps,
            goodput_per_host_bps: goodput_bps / f64::from(hosts),
            host_utilisation: goodput_bps / host_rate(topology),
            fairness: (count > 0 && squares > 0.0).then(|| sum * sum / (count as f64 * squares)),
            fct_mean_ps: completion.mean_fct_ps(),
            slowdown_mean: completion.mean_slowdown(),
            slowdown_mean_is_bound: completion.completed() < completion.measured(),
            slowdown_p50: p50.value,
            slowdown_p50_is_bound: p50.is_bound,
            slowdown_p99: p99.value,
            slowdown_p99_is_bound: p99.is_bound,
            slowdown_p999: p999.value,
            slowdown_p999_is_bound: p999.is_bound,
            latency_p50_ps: self.latency.quantile(0.5),
            latency_p99_ps: self.latency.quantile(0.99),
            operations_started: operations.started,
            operations_completed: operations.completed,
            operation_mean_ps: (operations.completed > 0).then(|| operations.sum / operations.completed as f64),
            operation_max_ps: operations.longest,
            frames: totals.offered - before.offered,
            dropped_frames: totals.dropped - before.dropped,
            lost_frames: totals.lost - before.lost,
            marked_frames: marked,
            retransmits: self.retransmits,
            timeouts: self.timeouts,
            max_queue_bytes: peak,
            max_held_bytes: network.has_buffers().then_some(max_held),
            total_frames: totals.offered,
            total_dropped_frames: totals.dropped,
            total_lost_frames: totals.lost,
            total_hops: totals.hops,
            total_events: events,
        })?;
        self.tables.close()
    }

    /// Writes a row a link; says how many frames were marked in all, and the longest queue.
    fn write_links<N: Network>(
        &mut self,
        now: Time,
        window: Span,
        network: &N,
        topology: &Topology,
    ) -> Result<(u64, u64), WriteError> {
        let nodes: Vec<Arc<str>> =
            (0..topology.nodes()).map(|node| topology.name(topology::NodeId(node)).into()).collect();
        let classes: Vec<Arc<str>> = topology.classes().iter().map(|name| name.as_str().into()).collect();
        let seconds = window.as_secs_f64();
        let over_window = |sum: f64| if seconds > 0.0 { sum / seconds } else { 0.0 };
        let (mut marked, mut peak) = (0, 0);
        for index in 0..topology.links().len() as u32 {
            let link = topology.link(LinkId(index));
            let counters = network.link_counters(now, index);
            marked += counters.marked;
            peak = peak.max(counters.peak.get());
            if !self.settings.links {
                continue;
            }
            self.tables.links.push(&LinkRow {
                link: index,
                source: Arc::clone(&nodes[link.from.index()]),
                target: Arc::clone(&nodes[link.to.index()]),
                class: Arc::clone(&classes[usize::from(link.class)]),
                direction: direction_name(link.direction).into(),
                rate_bps: link.rate.as_bps(),
                delay_ps: link.delay.as_ps(),
                frames: counters.frames,
                bytes: counters.bytes,
                dropped_frames: counters.dropped,
                lost_frames: counters.lost,
                marked_frames: counters.marked,
                max_queue_bytes: counters.peak.get(),
                mean_queue_bytes: over_window(counters.byte_seconds),
                utilisation: over_window(counters.bytes as f64 * 8.0 / link.rate.as_bps() as f64),
                pauses: counters.pauses,
                paused_ps: counters.paused.as_ps(),
                longest_pause_ps: counters.longest_pause.as_ps(),
            })?;
        }
        Ok((marked, peak))
    }

    /// Writes counters and distributions that the fabric keeps by itself.
    fn write_what_only_it_knows<N: Network>(&mut self, network: &N, topology: &Topology) -> Result<(), WriteError> {
        for fabric::Counter { name, unit, value } in network.counters() {
            self.tables.counters.push(&CounterRow { counter: name.into(), unit: unit.into(), value })?;
        }
        if self.collisions.unlisted() > 0 {
            let (counter, unit) = ("collisions of pairs that are not in the table".into(), "packets".into());
            self.tables.counters.push(&CounterRow { counter, unit, value: self.collisions.unlisted() as f64 })?;
        }
        for row in self.collisions.rows(topology) {
            self.tables.collisions.push(&row)?;
        }
        for fabric::Distribution { name, unit, bins } in network.distributions() {
            let (name, unit): (Arc<str>, Arc<str>) = (name.into(), unit.into());
            for (lower, upper, count) in bins.into_iter().filter(|(.., count)| *count > 0) {
                let (histogram, unit) = (Arc::clone(&name), Arc::clone(&unit));
                self.tables.histograms.push(&HistogramRow { histogram, unit, lower, upper, count })?;
            }
        }
        Ok(())
    }

    fn write_histograms(&mut self) -> Result<(), WriteError> {
        let latency = [(Arc::<str>::from("latency"), Arc::<str>::from("ps"), &self.latency)];
        let queues = self.sampler.queues().map(|(name, histogram)| (name, "B".into(), histogram));
        for (name, unit, histogram) in latency.into_iter().chain(queues) {
            for (lower, upper, count) in histogram.bins() {
                let (histogram, unit) = (Arc::clone(&name), Arc::clone(&unit));
                self.tables.histograms.push(&HistogramRow { histogram, unit, lower, upper, count })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
