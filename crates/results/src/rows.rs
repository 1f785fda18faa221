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
        /// From its start until the fabric first let it send, in ps; null: it need not ask, or was not let.
        waited_ps: Option<u64>,
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
    /// An operation: flows that are one job together, such as a collective, a round of an incast, an iteration.
    OperationRow in "operations" {
        /// Number of the operation, in order of start.
        operation: u64,
        /// Name of the workload that it belongs to.
        group: Arc<str>,
        /// What it is, such as all-reduce (ring), all-to-all, incast.
        kind: Arc<str>,
        /// Its place among those of its workload, from 0.
        round: u32,
        /// Hosts that take part.
        ranks: u32,
        /// Its flows.
        flows: u64,
        /// Its size as nccl-tests count it: bytes of one participant's buffer. Of an incast, a permutation, an all-to-many or a trace: all
        /// that is sent. If sizes are drawn at random, that of the flows that have started.
        bytes: u64,
        /// When its first flow started, in ps.
        start_ps: u64,
        /// When its last flow finished, in ps; null: not finished.
        end_ps: Option<u64>,
        /// end_ps - start_ps; null: not finished.
        duration_ps: Option<u64>,
        /// Whether it counts in the summary: it started in the window.
        measured: bool,
        /// Algorithm bandwidth: bytes over the duration, in b/s.
        algorithm_bandwidth_bps: Option<f64>,
        /// Bus bandwidth (nccl-tests, doc/PERFORMANCE.md), in b/s: algorithm bandwidth times 2 (n - 1) / n for an all-reduce among n hosts,
        /// (n - 1) / n for an all-to-all; null for other kinds.
        bus_bandwidth_bps: Option<f64>,
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
        /// How often priority flow control paused a class of it.
        pauses: u64,
        /// For how long it did, in ps: of all classes together.
        paused_ps: u64,
        /// Longest of those pauses in ps.
        longest_pause_ps: u64,
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
        /// Values in the bin. Of queues: links times samples, each for as long as it lasted.
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
    /// Packets that met at a port where only one can be at a time, in a fabric that is to see to it that none do: everything that two pairs of hosts
    /// lost to each other in this way at one port, within the window.
    CollisionRow in "collisions" {
        /// When they met for the first time, in ps.
        first_ps: u64,
        /// When they met for the last time, in ps.
        last_ps: u64,
        /// How often they met.
        collisions: u64,
        /// Number of the link behind the port; null: it leads to an arbiter, and is none of the topology's.
        link: Option<u32>,
        /// Node whose port it is.
        node: Arc<str>,
        /// Where it leads: a node, or arbiter.
        target: Arc<str>,
        /// What came later, and was lost: data, request or answer.
        lost_kind: Arc<str>,
        /// The host that it was from; null: an arbiter.
        lost_src: Option<u32>,
        /// The host that it was for; null: an arbiter.
        lost_dst: Option<u32>,
        /// The flow of the first one that was lost; null: it was of none, or that is over.
        lost_flow: Option<u64>,
        /// The time slot in which that one was sent; null: it was given none.
        lost_slot: Option<u64>,
        /// What had the port: data, request or answer.
        met_kind: Arc<str>,
        /// The host that it was from; null: an arbiter.
        met_src: Option<u32>,
        /// The host that it was for; null: an arbiter.
        met_dst: Option<u32>,
        /// The flow of the first one that was met; null: it was of none, or that is over.
        met_flow: Option<u64>,
        /// The time slot in which that one was sent; null: it was given none.
        met_slot: Option<u64>,
    }
}

rows! {
    /// A sample of a time series.
    SeriesRow in "series" {
        /// End of the sampling interval, in ps.
        time_ps: u64,
        /// goodput (b/s, over the interval), queue (B, mean over the links at the instant), utilisation (over the interval), held (B, all
        /// that hosts have handed over and the fabric still has at the instant).
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
    /// A run in one row. Everything is of the window, but for flows_started, flows_completed and what begins with total_: they are of the
    /// whole run.
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
        /// Flows that started, in the whole run.
        flows_started: u64,
        /// Flows that finished, in the whole run.
        flows_completed: u64,
        /// Measured flows that have an end: those that started in the window.
        flows_measured: u64,
        /// Those of them that finished. The statistics of completion times are of all of them: one that did not finish counts with
        /// the time that it had taken so far.
        flows_measured_completed: u64,
        /// Goodput of all flows together, in b/s.
        goodput_bps: f64,
        /// The same over the number of hosts.
        goodput_per_host_bps: f64,
        /// The same over the rate of a host's links.
        host_utilisation: f64,
        /// Jain's index of the endless flows' goodput; null: there are none.
        fairness: Option<f64>,
        /// Mean flow completion time of the measured flows, in ps: a lower bound if slowdown_mean is one; null: there are none.
        fct_mean_ps: Option<f64>,
        /// Mean slowdown of the measured flows.
        slowdown_mean: Option<f64>,
        /// Whether it is only a lower bound: some of these flows did not finish.
        slowdown_mean_is_bound: bool,
        /// Median slowdown (percentiles here are within 0.4 % of the exact ones, which the table of flows gives).
        slowdown_p50: Option<f64>,
        /// Whether it is only a lower bound: it would be larger if the flows that did not finish never did.
        slowdown_p50_is_bound: bool,
        /// 99th percentile of slowdown.
        slowdown_p99: Option<f64>,
        /// The same of it.
        slowdown_p99_is_bound: bool,
        /// 99.9th percentile of slowdown.
        slowdown_p999: Option<f64>,
        /// The same of it.
        slowdown_p999_is_bound: bool,
        /// Median latency of data frames, in ps.
        latency_p50_ps: Option<u64>,
        /// 99th percentile of the latency of data frames, in ps.
        latency_p99_ps: Option<u64>,
        /// Operations (collectives, rounds) that started.
        operations_started: u64,
        /// Those of them that finished.
        operations_completed: u64,
        /// Mean duration of those that finished, in ps; null: none did.
        operation_mean_ps: Option<f64>,
        /// The longest of these durations, in ps.
        operation_max_ps: Option<u64>,
        /// Frames handed to the fabric by hosts.
        frames: u64,
        /// Frames dropped for want of room.
        dropped_frames: u64,
        /// Frames corrupted on links, or lost to what broke.
        lost_frames: u64,
        /// Frames that got a congestion mark.
        marked_frames: u64,
        /// Data frames sent again.
        retransmits: u64,
        /// Retransmission timeouts.
        timeouts: u64,
        /// Longest queue before a link, in bytes.
        max_queue_bytes: u64,
        /// Most bytes of frames that hosts had handed over and the fabric still held at a sample, in all its buffers together: the same
        /// for every fabric. Null: the fabric has no buffers (fluid).
        max_held_bytes: Option<u64>,
        /// Frames handed to the fabric by hosts, in the whole run.
        total_frames: u64,
        /// Frames dropped for want of room, in the whole run.
        total_dropped_frames: u64,
        /// Frames corrupted or lost, in the whole run.
        total_lost_frames: u64,
        /// Frames over links, in the whole run: the unit of a simulation's speed.
        total_hops: u64,
        /// Events handled, in the whole run.
        total_events: u64,
    }
}
