"""The numbers that sum up a run: what each is, which way is better, and how it is printed."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from gossamer.plots.comparison import Group
from gossamer.plots.quantities import Kind
from gossamer.plots.samples import least_sample
from gossamer.results import Run

__all__ = ["METRICS", "SURVIVORS", "Metric", "Spread", "completed_share", "metric", "of_group", "of_interest", "of_run"]


SURVIVORS = 0.05
"""Difference in the share of flows that completed above which slowdowns are not compared: they count survivors only."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A column of the summary table, as people read it."""

    key: str
    """Column of the table `summary`."""
    name: str
    """In words, without its unit."""
    short: str
    """Heading of a column."""
    kind: Kind
    better: Literal["high", "low"] | None
    """Which way is better; None where neither is."""
    definition: str
    """What it is, exactly."""
    least_flows: int = 0
    """Completed flows that it takes for the number to mean something."""
    rare: bool = False
    """Whether it is left out where it is 0 in all runs."""


METRICS: tuple[Metric, ...] = (
    Metric(
        "goodput_per_host_bps",
        "throughput per host",
        "Throughput per host",
        "b/s",
        "high",
        "Bytes handed to receivers within the measured window, over the length of the window and the number of hosts. "
        "Headers and retransmissions do not count.",
    ),
    Metric(
        "host_utilisation",
        "utilisation of the hosts' links",
        "Utilisation",
        "fraction",
        "high",
        "Throughput per host over the line rate of a host's link. Headers and framing keep it below 100 %.",
    ),
    Metric(
        "fairness",
        "fairness",
        "Fairness",
        "ratio",
        "high",
        "Jain's index of the throughput of the endless flows: 1 when all get the same, 1/n when one of n gets all.",
    ),
    Metric(
        "slowdown_p50",
        "median slowdown",
        "Slowdown p50",
        "ratio",
        "low",
        "Slowdown of a flow is its completion time over its ideal completion time: the time it would take alone in the "
        "network, which is the serialisation of all its bytes at the bottleneck of its path plus the latency of the "
        "unloaded path. 1 is best. The median is over the measured flows that completed.",
        least_sample(500),
    ),
    Metric(
        "slowdown_p99",
        "99th-percentile slowdown",
        "Slowdown p99",
        "ratio",
        "low",
        "One completed flow in a hundred has a higher slowdown. Of fewer than a hundred flows, it is the worst.",
        least_sample(990),
    ),
    Metric(
        "slowdown_p999",
        "99.9th-percentile slowdown",
        "Slowdown p99.9",
        "ratio",
        "low",
        "One completed flow in a thousand has a higher slowdown. Of fewer than a thousand flows, it is the worst.",
        least_sample(999),
    ),
    Metric(
        "latency_p50_ps",
        "median frame latency",
        "Latency p50",
        "ps",
        "low",
        "Time from the moment a host hands a data frame to the fabric until it has wholly arrived at the receiver. "
        "Half of the frames take longer.",
    ),
    Metric(
        "latency_p99_ps",
        "99th-percentile frame latency",
        "Latency p99",
        "ps",
        "low",
        "One data frame in a hundred takes longer.",
    ),
    Metric(
        "max_queue_bytes",
        "longest queue",
        "Longest queue",
        "B",
        "low",
        "The most bytes that waited for one link at once, the frame being sent included, within the measured window.",
    ),
    Metric(
        "dropped_frames",
        "dropped frames",
        "Drops",
        "count",
        "low",
        "Frames refused because the queue of their link was full, in the whole run. Frames lost on the wire are "
        "counted apart.",
    ),
    Metric(
        "lost_frames",
        "lost frames",
        "Lost",
        "count",
        "low",
        "Frames that were corrupted on the wire, or lost to what broke or was switched, in the whole run.",
        rare=True,
    ),
    Metric(
        "marked_frames",
        "marked frames",
        "Marks",
        "count",
        None,
        "Frames that got an explicit congestion mark (ECN) because the queue was at or above its threshold, "
        "within the measured window.",
    ),
    Metric(
        "retransmits",
        "retransmitted frames",
        "Retransmits",
        "count",
        "low",
        "Data frames that were sent again, whether or not the first had been lost, in the whole run.",
    ),
)
"""In the order of the report's table."""


def metric(key: str) -> Metric:
    """The metric of column `key`."""
    return next(each for each in METRICS if each.key == key)


@dataclass(frozen=True, slots=True)
class Spread:
    """A metric over the seeds of a group."""

    mean: float
    low: float
    high: float
    seeds: int


def of_group(group: Group, key: str) -> Spread | None:
    """The summary column `key` over the runs of `group`; None where no run has a value."""
    values = [value for run in group.runs if (value := of_run(run, key)) is not None]
    if not values:
        return None
    return Spread(sum(values) / len(values), min(values), max(values), len(values))


def completed_share(group: Group) -> float | None:
    """Share of the flows that started, in all runs of `group`, that completed; None where none started."""
    started = sum(of_run(run, "flows_started") or 0 for run in group.runs)
    completed = sum(of_run(run, "flows_completed") or 0 for run in group.runs)
    return completed / started if started else None


def of_interest(runs: Iterable[Run]) -> list[Metric]:
    """The metrics that any of these runs has; of the rare ones those that are not always 0."""
    runs = list(runs)

    def tells(each: Metric) -> bool:
        values = (of_run(run, each.key) for run in runs)
        return any(value is not None and not (each.rare and value == 0) for value in values)

    return [each for each in METRICS if tells(each)]


def of_run(run: Run, key: str) -> float | None:
    """The summary column `key` of one run; None where it is null or there is no summary."""
    table = run.summary
    if not table.num_rows or key not in table.column_names:
        return None
    value = table.column(key)[0].as_py()
    return None if value is None else float(value)
