//! What a run writes, and the sums behind its summary.

use crate::flows::Flow;
use crate::sampling::{Sampler, direction_name};
use crate::settings::Settings;
use fabric::Network;
use results::{
    Closed, CounterRow, Destination, FlowRow, Histogram, HistogramRow, LinkRow, SeriesRow, SummaryRow, Table,
    WriteError,
};
use std::sync::Arc;
use topology::{LinkId, Topology};
use transport::{Counters, Transport};
use units::{Bytes, Span, Time};

/// The tables of a run.
pub struct Tables {
    flows: Table<FlowRow>,
    links: Table<LinkRow>,
    counters: Table<CounterRow>,
    histograms: Table<HistogramRow>,
    series: Table<SeriesRow>,
    summary: Table<SummaryRow>,
}

impl Tables {
    /// Begins all of them.
    ///
    /// # Errors
    /// If one cannot be made.
    pub fn create(destination: &Destination) -> Result<Tables, WriteError> {
        Ok(Tables {
            flows: Table::create(destination)?,
            links: Table::create(destination)?,
            counters: Table::create(destination)?,
            histograms: Table::create(destination)?,
            series: Table::create(destination)?,
            summary: Table::create(destination)?,
        })
    }

    /// Has the rows so far outlive this process, see [`Table::save`]: those of the tables that get rows as the run goes.
    ///
    /// # Errors
    /// If one cannot be written.
    pub fn save(&mut self) -> Result<(), WriteError> {
        self.flows.save()?;
        self.series.save()
    }

    /// Ends all of them.
    ///
    /// # Errors
    /// If one cannot be written.
    pub fn close(self) -> Result<Vec<Closed>, WriteError> {
        Ok(vec![
            self.flows.close()?,
            self.links.close()?,
            self.counters.close()?,
            self.histograms.close()?,
            self.series.close()?,
            self.summary.close()?,
        ])
    }
}

/// Precision of percentiles in the summary: bins of 0.4 %.
const FINE: u32 = 8;
/// Slowdowns are counted in thousandths.
const THOUSAND: f64 = 1000.0;

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
    latency: Histogram,
    slowdown: Histogram,
    slowdown_sum: f64,
    fct_sum: f64,
    measured_finished: u64,
    window_bytes: u64,
    /// Of endless flows: how many, the sum of their goodput, and of its square.
    endless: (u64, f64, f64),
    retransmits: u64,
    timeouts: u64,
}

impl Output {
    /// Writes to `tables` what `settings` asks for, of workloads with these names.
    pub fn new(tables: Tables, settings: Settings, topology: &Topology, groups: Vec<Arc<str>>) -> Output {
        Output {
            tables,
            sampler: Sampler::new(topology, &settings),
            settings,
            started: 0,
            finished: 0,
            delivered: vec![0; groups.len()],
            sampled: vec![0; groups.len()],
            groups,
            latency: Histogram::new(FINE),
            slowdown: Histogram::new(FINE),
            slowdown_sum: 0.0,
            fct_sum: 0.0,
            measured_finished: 0,
            window_bytes: 0,
            endless: (0, 0.0, 0.0),
            retransmits: 0,
            timeouts: 0,
        }
    }

    /// A data frame brought `bytes` new bytes to its application.
    #[inline]
    pub(crate) fn on_data(&mut self, now: Time, stamp: Time, group: u16, bytes: u64) {
        self.latency.record(now.since(stamp).as_ps());
        self.delivered[usize::from(group)] += bytes;
    }

    /// The warm-up is over.
    pub(crate) fn begin_measurement(&mut self) {
        self.latency = Histogram::new(FINE);
        self.sampler.restart();
    }

    /// Writes a flow's row: it is closed, or the run is over at `now`.
    pub(crate) fn on_flow<T: Transport>(
        &mut self,
        now: Time,
        flow: &Flow<T>,
        ideal: Option<Span>,
        delivered: Bytes,
        counters: Counters,
    ) -> Result<(), WriteError> {
        let warmup = self.settings.warmup;
        let endless = flow.is_endless();
        let measured = endless || flow.start >= warmup;
        let ended_before = flow.end.is_some_and(|end| end <= warmup);
        let window_bytes = if ended_before { 0 } else { delivered.get() - flow.delivered_before };
        let active = flow.end.unwrap_or(now).since(flow.start.max(warmup)).as_secs_f64();
        let goodput_bps = if active > 0.0 { window_bytes as f64 * 8.0 / active } else { 0.0 };
        let fct = flow.end.map(|end| end.since(flow.start));
        let slowdown = fct.zip(ideal).map(|(fct, ideal)| fct.as_ps() as f64 / ideal.as_ps() as f64);
        if let Some((slowdown, fct)) = slowdown.zip(fct).filter(|_| measured) {
            self.slowdown.record((slowdown * THOUSAND) as u64);
            self.slowdown_sum += slowdown;
            self.fct_sum += fct.as_ps() as f64;
            self.measured_finished += 1;
        }
        if endless {
            let (count, sum, squares) = self.endless;
            self.endless = (count + 1, sum + goodput_bps, squares + goodput_bps * goodput_bps);
        }
        self.window_bytes += window_bytes;
        self.retransmits += counters.retransmits;
        self.timeouts += counters.timeouts;
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
            frames: counters.frames,
            retransmits: counters.retransmits,
            timeouts: counters.timeouts,
            marks: counters.marks,
        })
    }

    /// A sample is due.
    pub(crate) fn sample<N: Network>(&mut self, now: Time, network: &mut N) -> Result<(), WriteError> {
        let measured = now > self.settings.warmup;
        let interval = self.sampler.sample(now, measured, network, &self.settings, &mut self.tables.series)?;
        for fabric::Counter { name, unit, value } in network.sample(now) {
            let (series, scope, unit) = (name.into(), "all".into(), unit.into());
            self.tables.series.push(&SeriesRow { time_ps: now.as_ps(), series, scope, unit, value })?;
        }
        if !self.settings.goodput {
            return Ok(());
        }
        let mut all = 0.0;
        for group in 0..self.groups.len() {
            let bytes = self.delivered[group] - std::mem::replace(&mut self.sampled[group], self.delivered[group]);
            let value = bytes as f64 * 8.0 / interval.as_secs_f64();
            all += value;
            if self.groups.len() > 1 {
                self.goodput(now, Arc::clone(&self.groups[group]), value)?;
            }
        }
        self.goodput(now, "all".into(), all)
    }

    fn goodput(&mut self, now: Time, scope: Arc<str>, value: f64) -> Result<(), WriteError> {
        let (series, unit) = ("goodput".into(), "b/s".into());
        self.tables.series.push(&SeriesRow { time_ps: now.as_ps(), series, scope, unit, value })
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
        self.write_what_only_it_knows(network)?;
        self.write_histograms()?;
        let totals = network.totals();
        let of_finished = |sum: f64| (self.measured_finished > 0).then(|| sum / self.measured_finished as f64);
        let slowdown = |fraction| self.slowdown.quantile(fraction).map(|value| value as f64 / THOUSAND);
        let seconds = window.as_secs_f64();
        let goodput_bps = if seconds > 0.0 { self.window_bytes as f64 * 8.0 / seconds } else { 0.0 };
        let hosts = topology.hosts();
        let host_rate: u64 = (0..hosts).map(|host| topology.host_rate(host).as_bps()).sum();
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
            goodput_bps,
            goodput_per_host_bps: goodput_bps / f64::from(hosts),
            host_utilisation: goodput_bps / host_rate as f64,
            fairness: (count > 0 && squares > 0.0).then(|| sum * sum / (count as f64 * squares)),
            fct_mean_ps: of_finished(self.fct_sum),
            slowdown_mean: of_finished(self.slowdown_sum),
            slowdown_p50: slowdown(0.5),
            slowdown_p99: slowdown(0.99),
            slowdown_p999: slowdown(0.999),
            latency_p50_ps: self.latency.quantile(0.5),
            latency_p99_ps: self.latency.quantile(0.99),
            frames: totals.offered,
            hops: totals.hops,
            events,
            dropped_frames: totals.dropped,
            lost_frames: totals.lost,
            marked_frames: marked,
            retransmits: self.retransmits,
            timeouts: self.timeouts,
            max_queue_bytes: peak,
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
            })?;
        }
        Ok((marked, peak))
    }

    /// Writes counters and distributions that the fabric keeps by itself.
    fn write_what_only_it_knows<N: Network>(&mut self, network: &N) -> Result<(), WriteError> {
        for fabric::Counter { name, unit, value } in network.counters() {
            self.tables.counters.push(&CounterRow { counter: name.into(), unit: unit.into(), value })?;
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
