"""The numbers that sum up a run: what each is, which way is better, with what it may be compared, how it is printed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from gossamer.analysis import confidence
from gossamer.analysis.comparison import Group, once
from gossamer.analysis.quantities import Kind, Scale
from gossamer.analysis.samples import least_sample
from gossamer.errors import InputError, cure
from gossamer.results import Run

__all__ = [
    "DETAILS",
    "METRICS",
    "Metric",
    "Share",
    "Spread",
    "best_of",
    "completed",
    "completed_by",
    "details",
    "fabric_of",
    "is_bound",
    "metric",
    "of_group",
    "of_interest",
    "of_run",
]


@dataclass(frozen=True, slots=True)
class Metric:
    """A column of the summary table, as people read it."""

    key: str
    """Column of the table `summary`."""
    name: str
    """In words, without its unit."""
    short: str
    """Heading of a column; under a band, what tells it from its neighbours there."""
    kind: Kind
    better: Literal["high", "low"] | None
    """Which way is better; None where neither is."""
    definition: str
    """What it is, exactly."""
    band: str = ""
    """Heading that it shares with its neighbours, which have the same unit."""
    least_flows: int = 0
    """Measured flows that it takes for the number to mean something."""
    rare: bool = False
    """Whether it is left out where it is 0 in all runs."""
    completion: bool = False
    """Whether flows that never finished would be missing from it or make it a bound."""
    bound: str = ""
    """Column of the summary that says whether it is a lower bound."""

    @property
    def title(self) -> str:
        """Heading of a column without a band above it."""
        return f"{self.band} {self.short}" if self.band else self.short


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
        "operation_mean_ps",
        "mean completion time of an operation",
        "mean",
        "ps",
        "low",
        "From the start of an operation (a collective, a round of an incast, an iteration, a batch) to the end "
        "of its last "
        "flow. The mean over the measured operations.",
        band="Operation",
        completion=True,
        bound="operations",
    ),
    Metric(
        "operation_max_ps",
        "completion time of the slowest operation",
        "slowest",
        "ps",
        "low",
        "The longest completion time of a measured operation.",
        band="Operation",
        completion=True,
        bound="operations",
    ),
    Metric(
        "fct_mean_ps",
        "mean flow completion time",
        "Mean FCT",
        "ps",
        "low",
        "From the start of a message to the arrival of its last byte, queues in its host included. The mean over the "
        "measured flows that have an end.",
        completion=True,
        bound="slowdown_mean_is_bound",
    ),
    Metric(
        "slowdown_p50",
        "median slowdown",
        "p50",
        "ratio",
        "low",
        "Slowdown of a flow is its completion time over its ideal completion time: the time it would take alone in the "
        "network, which is the serialisation of all its bytes at the bottleneck of its path plus the latency of the "
        "unloaded path. 1 is best. Flows that had not finished when the run ended count with the age that they "
        "had then.",
        band="Slowdown",
        least_flows=least_sample(500),
        completion=True,
        bound="slowdown_p50_is_bound",
    ),
    Metric(
        "slowdown_p99",
        "99th-percentile slowdown",
        "p99",
        "ratio",
        "low",
        "One flow in a hundred has a higher slowdown. Of fewer than a hundred flows, it is the worst.",
        band="Slowdown",
        least_flows=least_sample(990),
        completion=True,
        bound="slowdown_p99_is_bound",
    ),
    Metric(
        "slowdown_p999",
        "99.9th-percentile slowdown",
        "p99.9",
        "ratio",
        "low",
        "One flow in a thousand has a higher slowdown. Of fewer than a thousand flows, it is the worst.",
        band="Slowdown",
        least_flows=least_sample(999),
        completion=True,
        bound="slowdown_p999_is_bound",
    ),
    Metric(
        "dropped_frames",
        "dropped frames",
        "Drops",
        "count",
        "low",
        "Frames refused because a queue or buffer was full. Frames lost on the wire are counted apart.",
    ),
    Metric(
        "lost_frames",
        "lost frames",
        "Lost",
        "count",
        "low",
        "Frames that were corrupted on the wire, or lost to faults or reconfigurations.",
        rare=True,
    ),
    Metric(
        "retransmits",
        "retransmitted frames",
        "Retransmits",
        "count",
        "low",
        "Data frames that were sent again, whether or not the first had been lost.",
    ),
    Metric(
        "max_held_bytes",
        "most bytes held by the fabric",
        "Most held",
        "B",
        "low",
        "The most bytes of frames that hosts had handed over and the fabric still held at a sample: in virtual output "
        "queues, link queues and buffers of all devices together. It means the same for every fabric.",
    ),
)
"""What means the same over every fabric, in the order of the report's table."""

DETAILS: tuple[Metric, ...] = (
    Metric(
        "latency_p50_ps",
        "median frame latency, interface to interface",
        "p50",
        "ps",
        "low",
        "Time from the moment a host's interface hands a data frame to the fabric until it has wholly arrived at the "
        "receiver. What a transport holds back before the interface is not in it, what a fabric holds behind it "
        "is. Half "
        "of the frames take longer.",
        band="Frame latency, interface to interface",
    ),
    Metric(
        "latency_p99_ps",
        "99th-percentile frame latency, interface to interface",
        "p99",
        "ps",
        "low",
        "One data frame in a hundred takes longer.",
        band="Frame latency, interface to interface",
    ),
    Metric(
        "max_queue_bytes",
        "longest link queue",
        "Longest link queue",
        "B",
        "low",
        "The most bytes that waited for one link at once, the frame being sent included, within the measured "
        "window. Bytes "
        "in virtual output queues and in nodes wait for no link, and are not in it.",
    ),
    Metric(
        "marked_frames",
        "congestion marks",
        "Congestion marks",
        "count",
        None,
        "Frames that got a congestion mark within the measured window.",
    ),
)
"""What means the same only among runs over the same kind of fabric."""

MARKS = {
    "ethernet": (
        "ECN marks",
        "Frames that got an explicit congestion notification mark (ECN) because the queue of their link was at "
        "or above "
        "its threshold, within the measured window.",
    ),
    "stardust": (
        "Cells with FCI",
        "Cells that got the fabric congestion indication (FCI) because the queue of their link was above its "
        "threshold (fabric.fci_threshold), within the measured window. Packets that a virtual output queue marked for "
        "the transport (fabric.ecn_threshold) are the counter `packets marked at ingress`.",
    ),
}
"""What a mark is, by the kind of fabric."""


def metric(key: str) -> Metric:
    """The metric of column `key`.

    Raises:
        InputError: there is none; the message names the nearest.
    """
    known = {each.key: each for each in (*METRICS, *DETAILS)}
    if key not in known:
        raise InputError(f"no metric is called {key!r}: {cure(key, known)}")
    return known[key]


def details(fabric: str) -> list[Metric]:
    """`DETAILS` in the words of a kind of fabric."""
    name, definition = MARKS.get(fabric, ("", ""))
    return [
        replace(each, short=name, name=name, definition=definition) if name and each.key == "marked_frames" else each
        for each in DETAILS
    ]


def fabric_of(group: Group) -> str:
    """The kind of fabric of a group, empty where no run of it left a summary."""
    kinds = (run.summary.column("fabric")[0].as_py() for run in group.runs if run.summary.num_rows)
    return next((kind for kind in kinds if kind), "")


@dataclass(frozen=True, slots=True)
class Spread:
    """A metric over the seeds of a group."""

    mean: float
    half: float | None
    """Half of the confidence interval of the mean (`confidence`); None of a single seed."""
    seeds: int
    bound: bool = False
    """The mean is a lower bound: flows that had not finished could raise it."""

    @staticmethod
    def of(values: Sequence[float], *, bound: bool = False) -> "Spread":
        """Of the numbers of at least one seed."""
        return Spread(confidence.mean(values), confidence.half_width(values), len(values), bound)

    def text(self, unit: Scale, kind: Kind) -> str:
        """As it is printed in a unit: `≥ 3.1`, `3.1 ± 0.2` or `3.1`."""
        return f"≥ {unit.show(self.mean, kind)}" if self.bound else unit.around(self.mean, self.half, kind)

    @property
    def low(self) -> float:
        """Lower end of the confidence interval, the mean itself of a single seed. No metric is below 0."""
        return max(0.0, self.mean - (self.half or 0.0))

    @property
    def high(self) -> float:
        """Upper end of the confidence interval."""
        return self.mean + (self.half or 0.0)

    def overlaps(self, other: "Spread") -> bool:
        """Both have a confidence interval, and these overlap: the means differ by no more than seeds do."""
        several = self.half is not None and other.half is not None
        return several and self.low <= other.high and other.low <= self.high


def best_of(spreads: Mapping[int, Spread], better: str, show: Callable[[float], str]) -> set[int]:
    """Places of the best, with those that print alike or whose intervals overlap; none where that is all of them.

    `better` is `high` or `low`.
    """
    if len(spreads) < 2:
        return set()
    winner = (max if better == "high" else min)(spreads.values(), key=lambda spread: spread.mean)
    shown = show(winner.mean)
    best = {place for place, each in spreads.items() if show(each.mean) == shown or each.overlaps(winner)}
    return best if len(best) < len(spreads) else set()


@once
def of_group(group: Group, key: str) -> Spread | None:
    """The summary column `key` over the runs of `group`; None where no run has a value."""
    runs = [(run, value) for run in group.runs if (value := of_run(run, key)) is not None]
    if not runs:
        return None
    return Spread.of([value for _, value in runs], bound=any(is_bound(run, key) for run, _ in runs))


def is_bound(run: Run, key: str) -> bool:
    """Whether flows or operations that had not finished could raise this number of a run."""
    says = next((each.bound for each in METRICS if each.key == key), "")
    if says == "operations":
        return (of_run(run, "operations_completed") or 0) < (of_run(run, "operations_started") or 0)
    return bool(says and of_run(run, says))


@dataclass(frozen=True, slots=True)
class Share:
    """How many flows completed, of how many."""

    completed: int
    started: int

    @property
    def fraction(self) -> float:
        """Between 0 and 1; 1 of none."""
        return self.completed / self.started if self.started else 1.0

    @property
    def unfinished(self) -> int:
        """Flows that had not finished when their run ended."""
        return self.started - self.completed


def completed(runs: Iterable[Run]) -> Share | None:
    """Measured flows of `runs` that have an end, and how many of them completed; None where there is none.

    Of results of an older version that kept no flows, all flows that started.
    """
    counts = []
    for run in runs:
        pair = of_run(run, "flows_measured_completed"), of_run(run, "flows_measured")
        if None in pair:
            pair = of_run(run, "flows_completed"), of_run(run, "flows_started")
        counts.append((pair[0] or 0, pair[1] or 0))
    share = Share(round(sum(done for done, _ in counts)), round(sum(started for _, started in counts)))
    return share if share.started else None


@once
def completed_by(group: Group) -> Share | None:
    """`completed` of a group."""
    return completed(group.runs)


def of_interest(runs: Iterable[Run], among: Iterable[Metric] = METRICS) -> list[Metric]:
    """The metrics that any of these runs has; of the rare ones those that are not always 0."""
    runs = list(runs)

    def tells(each: Metric) -> bool:
        values = (of_run(run, each.key) for run in runs)
        return any(value is not None and not (each.rare and value == 0) for value in values)

    return [each for each in among if tells(each)]


def of_run(run: Run, key: str) -> float | None:
    """The summary column `key` of one run; None where it is null or there is no summary."""
    table = run.summary
    if not table.num_rows or key not in table.column_names:
        return None
    value = table.column(key)[0].as_py()
    return None if value is None else float(value)
