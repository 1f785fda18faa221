"""The tables a run leaves behind: every column, its type, its unit, its meaning.

This is the one place where they are listed on the Python side. The tables of `docs/results.md` are generated from it.
"""

from dataclasses import dataclass

import pyarrow as pa

__all__ = ["TABLES", "Column", "markdown", "schema"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    name: str
    type: pa.DataType
    unit: str
    """Unit as printed, `""` for a name, a count or a flag."""
    meaning: str
    nullable: bool = False


def _count(name: str, meaning: str) -> Column:
    return Column(name, pa.uint64(), "", meaning)


def _text(name: str, meaning: str, *, nullable: bool = False) -> Column:
    return Column(name, pa.string(), "", meaning, nullable)


def _flag(name: str, meaning: str) -> Column:
    return Column(name, pa.bool_(), "", meaning)


def _time(name: str, meaning: str, *, nullable: bool = False) -> Column:
    return Column(name, pa.uint64(), "ps", meaning, nullable)


def _bytes(name: str, meaning: str, *, nullable: bool = False) -> Column:
    return Column(name, pa.uint64(), "B", meaning, nullable)


def _real(name: str, unit: str, meaning: str, *, nullable: bool = False) -> Column:
    return Column(name, pa.float64(), unit, meaning, nullable)


TABLES: dict[str, tuple[Column, ...]] = {
    "flows": (
        _count("id", "number of the flow within its run, in order of start"),
        _text("group", "workload that the flow belongs to"),
        Column("src", pa.uint32(), "", "sending host"),
        Column("dst", pa.uint32(), "", "receiving host"),
        _bytes("bytes", "size; null for an endless flow", nullable=True),
        _time("start_ps", "when it started"),
        _time("end_ps", "when its last byte arrived; null if it had not by the end of the run", nullable=True),
        Column("measured", pa.bool_(), "", "counts in statistics: started at or after the warm-up, or is endless"),
        _bytes("delivered_bytes", "bytes handed to the receiver"),
        _bytes("window_bytes", "of those, bytes delivered in the measured window"),
        _real("goodput_bps", "b/s", "window_bytes over the part of the window in which the flow was active"),
        _time("ideal_ps", "completion time of this flow alone in the network; null if endless", nullable=True),
        _time("fct_ps", "flow completion time: end less start; null if it did not complete", nullable=True),
        _real("slowdown", "ratio", "fct_ps over ideal_ps; null if it did not complete or is endless", nullable=True),
        _time("waited_ps", "from start_ps until the fabric first let it send; null if it need not ask", nullable=True),
        _count("frames", "data frames sent, retransmissions among them"),
        _count("retransmits", "data frames sent again"),
        _count("timeouts", "retransmission timeouts"),
        _count("marks", "acknowledgements that echoed a congestion mark"),
    ),
    "operations": (
        _count("operation", "number of the operation within its run, in order of start"),
        _text("group", "workload that the operation belongs to"),
        _text("kind", "what it is, such as all-reduce (ring), all-to-all, incast"),
        Column("round", pa.uint32(), "", "its place among those of its workload, from 0"),
        Column("ranks", pa.uint32(), "", "hosts that take part"),
        _count("flows", "its flows"),
        _bytes(
            "bytes",
            "size as nccl-tests count it: one participant's buffer; of kinds that they do not have, all that is sent",
        ),
        _time("start_ps", "when its first flow started"),
        _time("end_ps", "when its last flow completed; null if it had not by the end of the run", nullable=True),
        _time("duration_ps", "end less start; null if it did not complete", nullable=True),
        Column("measured", pa.bool_(), "", "counts in the summary: started at or after the warm-up"),
        _real("algorithm_bandwidth_bps", "b/s", "bytes over the duration", nullable=True),
        _real(
            "bus_bandwidth_bps",
            "b/s",
            "algorithm bandwidth times 2 (n - 1) / n for an all-reduce, (n - 1) / n for an all-to-all; else null",
            nullable=True,
        ),
    ),
    "links": (
        Column("link", pa.uint32(), "", "number of the link; a cable is two links, one each way"),
        _text("source", "node that sends"),
        _text("target", "node that receives"),
        _text("class", "layer of the topology, such as edge-aggregation"),
        _text("direction", "up (away from the hosts), down or flat"),
        Column("rate_bps", pa.uint64(), "b/s", "line rate"),
        _time("delay_ps", "propagation delay"),
        _count("frames", "frames sent"),
        _bytes("bytes", "bytes sent, framing included"),
        _count("dropped_frames", "frames refused by a full queue"),
        _count("lost_frames", "frames lost on the wire, by chance or because it broke"),
        _count("marked_frames", "frames that got a congestion mark"),
        _bytes("max_queue_bytes", "longest queue, the frame being sent included"),
        _real("mean_queue_bytes", "B", "queue averaged over time, the frame being sent included"),
        _real("utilisation", "fraction", "share of the window in which the link was sending"),
        _count("pauses", "pauses of a class of it by priority flow control that began in the window"),
        _time("paused_ps", "how long classes of it were paused in the window, all together"),
        _time("longest_pause_ps", "longest of those pauses, or what of it was in the window"),
    ),
    "histograms": (
        _text("histogram", "what was counted: latency, queue with a link class and direction, or the fabric's own"),
        _text("unit", "unit of the bounds: ps or B, or what the fabric counts in"),
        Column("lower", pa.uint64(), "see unit", "lower bound of the bucket, inclusive"),
        Column("upper", pa.uint64(), "see unit", "upper bound of the bucket, exclusive"),
        _count(
            "count",
            "how many values fell in the bucket, queues weighted by the interval; a bucket without any has no row",
        ),
    ),
    "counters": (
        _text("counter", "what was counted; each kind of fabric has its own"),
        _text("unit", "in what, such as frames, credits or B"),
        _real("value", "see unit", "how much, in the window"),
    ),
    "collisions": (
        _time("first_ps", "when these two met for the first time"),
        _time("last_ps", "when they met for the last time"),
        _count("collisions", "how often they met"),
        Column("link", pa.uint32(), "", "link behind the port; null: it leads to an arbiter", nullable=True),
        _text("node", "node whose port it is"),
        _text("target", "where the port leads: a node, or arbiter"),
        *(
            column
            for which, what in (("lost", "what came later and was lost"), ("met", "what had the port"))
            for column in (
                _text(f"{which}_kind", f"{what}: data, request or answer"),
                Column(f"{which}_src", pa.uint32(), "", "host that it was from; null: an arbiter", nullable=True),
                Column(f"{which}_dst", pa.uint32(), "", "host that it was for; null: an arbiter", nullable=True),
                Column(
                    f"{which}_flow",
                    pa.uint64(),
                    "",
                    "flow of the first such packet; null: it was of none, or that was over",
                    nullable=True,
                ),
                Column(f"{which}_slot", pa.uint64(), "", "time slot of that packet; null: it had none", nullable=True),
            )
        ),
    ),
    "series": (
        _time("time_ps", "when the sample was taken: end of its interval"),
        _text("series", "goodput, queue, utilisation, held, or the fabric's own"),
        _text("scope", 'what it was taken of: "all", a workload, a link class and direction, or one link'),
        _text("unit", "unit of the value: b/s, B, or empty for a fraction"),
        _real(
            "value",
            "see unit",
            "goodput, utilisation: over the interval that ends here; queue: mean of the links now; held: in all now",
        ),
    ),
    "summary": (
        _text("run", "name of the run"),
        _text("variant", "variant of the experiment; null where it has none", nullable=True),
        _text("fabric", "kind of fabric"),
        _text("transport", "kind of transport"),
        _text("topology", "topology in words"),
        Column("hosts", pa.uint32(), "", "hosts in the topology"),
        _count("seed", "seed of the run"),
        _time("duration_ps", "simulated time that was asked for"),
        _time("measured_ps", "length of the measured window"),
        _time("simulated_ps", "simulated time that was reached"),
        _count("flows_started", "flows that started, in the whole run"),
        _count("flows_completed", "flows that completed, in the whole run"),
        _count(
            "flows_measured",
            "flows with an end that started in the window: statistics of completion are of all of them",
        ),
        _count(
            "flows_measured_completed", "those of them that completed; the others count with the time they took so far"
        ),
        _real("goodput_bps", "b/s", "bytes delivered in the window over its length, all flows together"),
        _real("goodput_per_host_bps", "b/s", "goodput_bps over the number of hosts"),
        _real("host_utilisation", "fraction", "goodput_per_host_bps over the rate of a host's link"),
        _real("fairness", "0 to 1", "Jain's index of the endless flows' goodput", nullable=True),
        _real(
            "fct_mean_ps", "ps", "mean flow completion time of the measured flows, a bound as the next", nullable=True
        ),
        _real("slowdown_mean", "ratio", "mean slowdown of the measured flows", nullable=True),
        _flag("slowdown_mean_is_bound", "it is only a lower bound: some of these flows did not complete"),
        _real("slowdown_p50", "ratio", "median slowdown, within 0.4 % as are all percentiles here", nullable=True),
        _flag("slowdown_p50_is_bound", "it is only a lower bound: flows that did not complete could raise it"),
        _real("slowdown_p99", "ratio", "99th percentile of slowdown", nullable=True),
        _flag("slowdown_p99_is_bound", "the same of it"),
        _real("slowdown_p999", "ratio", "99.9th percentile of slowdown", nullable=True),
        _flag("slowdown_p999_is_bound", "the same of it"),
        _time("latency_p50_ps", "median latency of data frames, from interface to interface", nullable=True),
        _time("latency_p99_ps", "99th percentile of the latency of data frames", nullable=True),
        _count("operations_started", "operations (collectives, rounds) that started in the window"),
        _count("operations_completed", "those of them that completed"),
        _real("operation_mean_ps", "ps", "mean duration of those that completed", nullable=True),
        _time("operation_max_ps", "the longest of these durations", nullable=True),
        _count("frames", "frames that hosts handed to the fabric, in the window"),
        _count("dropped_frames", "frames refused by a full queue, in the window"),
        _count("lost_frames", "frames lost on the wire or to what broke, in the window"),
        _count("marked_frames", "frames that got a congestion mark, in the window"),
        _count("retransmits", "data frames sent again, in the window"),
        _count("timeouts", "retransmission timeouts, in the window"),
        _bytes("max_queue_bytes", "longest queue of any link, in the window"),
        _bytes(
            "max_held_bytes",
            "most bytes of frames inside the fabric at a sample in the window, in all its buffers; null: it has none",
            nullable=True,
        ),
        _count("total_frames", "frames that hosts handed to the fabric, in the whole run"),
        _count("total_dropped_frames", "frames refused by a full queue, in the whole run"),
        _count("total_lost_frames", "frames lost on the wire or to what broke, in the whole run"),
        _count("total_hops", "frames over one link each, acknowledgements too, in the whole run"),
        _count("total_events", "events of the engine, in the whole run"),
    ),
}
"""Tables by name, in the order in which they are documented."""


def schema(table: str) -> pa.Schema:
    """The Arrow schema of `table`: what an empty one has, so that code written for a full one still runs."""
    return pa.schema([pa.field(column.name, column.type, column.nullable) for column in TABLES[table]])


def markdown(table: str) -> str:
    """The columns of `table` as a Markdown table."""
    lines = ["| column | type | unit | meaning |", "|---|---|---|---|"]
    for column in TABLES[table]:
        kind = f"{column.type}{', null' if column.nullable else ''}"
        lines.append(f"| `{column.name}` | {kind} | {column.unit} | {column.meaning} |")
    return "\n".join(lines) + "\n"
