//! The tables of a run. Times are picoseconds since the run began; "the window" is from the end of the warm-up to the end.

use crate::column::{self, Cell, Row, rows};
use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use std::sync::Arc;

rows! {
    /// A flow: a message from one host to another.
    FlowRow in "flows" {
        /// Number of the flow, in order of start.
        id: u64,
        /// Name of the workload that it belongs to.
        group: Arc<str>,
        /// Host that sends.
        src: u32,
        /// Host that receives.
        dst: u32,
        /// Size of the message in bytes; null: endless.
        bytes: Option<u64>,
        /// When it started, in ps.
        start_ps: u64,
        /// When its last byte was received, in ps; null: not finished.
        end_ps: Option<u64>,
        /// Whether it counts in statistics: it started in the window, or is endless.
        measured: bool,
        /// Bytes received by the application, in all.
        delivered_bytes: u64,
        /// Bytes received by the application in the window.
        window_bytes: u64,
        /// window_bytes over the part of the window in which the flow was active, in b/s.
        goodput_bps: f64,
        /// Flow completion time if it were alone in the fabric, in ps; null: endless.
        ideal_ps: Option<u64>,
        /// Flow completion time: end_ps - start_ps, in ps; null: not finished.
        fct_ps: Option<u64>,
        /// fct_ps / ideal_ps.
        slowdown: Option<f64>,
        /// Data frames sent, retransmissions included.
        frames: u64,
        /// Data frames sent again.
        retransmits: u64,
        /// Retransmission timeouts.
        timeouts: u64,
        /// Acknowledgements that echoed a congestion mark.
        marks: u64,
    }
}

rows! {
    /// A directed link, within the window.
    LinkRow in "links" {
        /// Number of the link.
        link: u32,
        /// Node that sends.
        source: Arc<str>,
        /// Node that receives.
        target: Arc<str>,
        /// Class of the link, as the topology names it.
        class: Arc<str>,
        /// up (away from hosts), down or flat.
        direction: Arc<str>,
        /// Rate in b/s.
        rate_bps: u64,
        /// Propagation delay in ps.
        delay_ps: u64,
        /// Frames sent.
        frames: u64,
        /// Bytes sent, framing included.
        bytes: u64,
        /// Frames dropped before it for want of room.
        dropped_frames: u64,
        /// Frames corrupted on it, or lost with it when it broke.
        lost_frames: u64,
        /// Frames that got a congestion mark before it.
        marked_frames: u64,
        /// Longest queue before it, in bytes, the frame being sent included.
        max_queue_bytes: u64,
        /// Queue before it averaged over time, in bytes, the frame being sent included.
        mean_queue_bytes: f64,
        /// Fraction of the window in which it was sending.
        utilisation: f64,
    }
}

rows! {
    /// A bin of a histogram, within the window.
    HistogramRow in "histograms" {
        /// What was counted: latency (of data frames, from interface to interface), a class of links' queues, or what the fabric
        /// itself keeps.
        histogram: Arc<str>,
        /// Unit of the bounds: ps or B, or what the fabric counts in.
        unit: Arc<str>,
        /// Smallest value of the bin.
        lower: u64,
        /// Upper bound of the bin, exclusive.
        upper: u64,
        /// Values in the bin.
        count: u64,
    }
}

rows! {
    /// Something that only this fabric counts, within the window.
    CounterRow in "counters" {
        /// What was counted.
        counter: Arc<str>,
        /// In what.
        unit: Arc<str>,
        /// How much.
        value: f64,
    }
}

rows! {
    /// A sample of a time series.
    SeriesRow in "series" {
        /// End of the sampling interval, in ps.
        time_ps: u64,
        /// goodput (b/s, over the interval), queue (B, mean over the links at the instant), utilisation (over the interval).
        series: Arc<str>,
        /// What it is of: all, a class of links and a direction, or a link.
        scope: Arc<str>,
        /// Unit of the value.
        unit: Arc<str>,
        /// The sample.
        value: f64,
    }
}

rows! {
    /// A run in one row. Frames, hops, drops, losses and events are of the whole run; all else of the window.
    SummaryRow in "summary" {
        /// Name of the run.
        run: Arc<str>,
        /// Variant of the experiment; null: it has none.
        variant: Option<Arc<str>>,
        /// Fabric.
        fabric: Arc<str>,
        /// Transport.
        transport: Arc<str>,
        /// Topology, in words.
        topology: Arc<str>,
        /// Hosts.
        hosts: u32,
        /// Seed.
        seed: u64,
        /// Simulated time that was asked for, in ps.
        duration_ps: u64,
        /// Length of the window, in ps.
        measured_ps: u64,
        /// Simulated time at the end, in ps.
        simulated_ps: u64,
        /// Flows that started.
        flows_started: u64,
        /// Flows that finished.
        flows_completed: u64,
        /// Goodput of all flows together, in b/s.
        goodput_bps: f64,
        /// The same over the number of hosts.
        goodput_per_host_bps: f64,
        /// The same over the rate of a host's links.
        host_utilisation: f64,
        /// Jain's index of the endless flows' goodput; null: there are none.
        fairness: Option<f64>,
        /// Mean flow completion time, in ps, of measured flows that finished.
        fct_mean_ps: Option<f64>,
        /// Mean slowdown of measured flows that finished.
        slowdown_mean: Option<f64>,
        /// Median slowdown (percentiles here are within 0.4 % of the exact ones, which the table of flows gives).
        slowdown_p50: Option<f64>,
        /// 99th percentile of slowdown.
        slowdown_p99: Option<f64>,
        /// 99.9th percentile of slowdown.
        slowdown_p999: Option<f64>,
        /// Median latency of data frames, in ps.
        latency_p50_ps: Option<u64>,
        /// 99th percentile of the latency of data frames, in ps.
        latency_p99_ps: Option<u64>,
        /// Frames handed to the fabric by hosts.
        frames: u64,
        /// Frames over links.
        hops: u64,
        /// Events handled.
        events: u64,
        /// Frames dropped for want of room.
        dropped_frames: u64,
        /// Frames corrupted on links, or lost to what broke.
        lost_frames: u64,
        /// Frames that got a congestion mark, in the window.
        marked_frames: u64,
        /// Data frames sent again, of flows that are in the table of flows.
        retransmits: u64,
        /// Retransmission timeouts of these flows.
        timeouts: u64,
        /// Longest queue in the window, in bytes.
        max_queue_bytes: u64,
    }
}
