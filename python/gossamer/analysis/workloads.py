"""What became of each workload of a group: where several share a fabric, their flows together say little of either."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

from gossamer.analysis import confidence
from gossamer.analysis.comparison import Group, once
from gossamer.analysis.metrics import Share
from gossamer.analysis.samples import gather, percentile, values
from gossamer.results import Run

__all__ = ["PERMILLES", "Mean", "Percentile", "WorkloadNumbers", "workloads_of"]

PERMILLES = (500, 990)
"""The percentiles of completion time and slowdown."""
COLUMNS = ("group", "bytes", "start_ps", "fct_ps", "ideal_ps", "window_bytes", "goodput_bps", "measured")


@dataclass(frozen=True, slots=True)
class Percentile:
    """A nearest-rank percentile."""

    value: float
    bound: bool
    """It is a lower bound: flows that had not finished when their run ended could raise it."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over seeds."""

    value: float
    half: float | None
    """Half of its confidence interval; None of a single seed."""
    seeds: int

    @staticmethod
    def of(values: Sequence[float]) -> "Mean":
        """The mean of at least one value."""
        return Mean(confidence.mean(values), confidence.half_width(values), len(values))


@dataclass(frozen=True, slots=True)
class WorkloadNumbers:
    """One workload of a group, over all its seeds."""

    flows: Share | None
    """Measured flows that have an end; None where there is none."""
    throughput: Mean
    """Bytes delivered in the measured window over its length, in b/s, of all its flows together."""
    fairness: Mean | None
    """Jain's index of its endless flows' throughput, 0 to 1. None with fewer than two of them."""
    fct: Mapping[int, Percentile]
    """Completion time in ps, by permille, over the flows of all seeds. A flow that had not finished counts with its
    age."""
    slowdown: Mapping[int, Percentile]
    """The same of slowdown."""


@dataclass(slots=True)
class _Gathered:
    """The flows of a workload."""

    delivered: list[int]
    """Bytes in the measured window, by run."""
    endless: list[list[float]]
    """Throughput of endless flows, by run."""
    lasted: list[float] = field(default_factory=list)
    """Completion time of each measured flow that has an end, or its age."""
    slowdown: list[float] = field(default_factory=list)
    finished: list[bool] = field(default_factory=list)


@once
def workloads_of(group: Group) -> Mapping[str, WorkloadNumbers]:
    """The workloads of a group that had flows, by name, in the order in which they began."""
    runs = [run for run in group.runs if run.summary.num_rows]
    gathered: dict[str, _Gathered] = {}
    for number, run in enumerate(runs):
        flows = gather([run], "flows", COLUMNS)
        columns = [values(flows, name) for name in COLUMNS]
        simulated = _summary(run, "simulated_ps")
        for name, size, start, fct, ideal, delivered, goodput, measured in zip(*columns, strict=True):
            if name not in gathered:
                gathered[name] = _Gathered([0] * len(runs), [[] for _ in runs])
            those = gathered[name]
            those.delivered[number] += delivered
            if size is None:
                those.endless[number].append(goodput)
            elif measured:
                lasted = simulated - start if fct is None else fct
                those.lasted.append(lasted)
                those.slowdown.append(lasted / ideal)
                those.finished.append(fct is not None)
    windows = [_summary(run, "measured_ps") for run in runs]
    return {name: _numbers(those, windows) for name, those in gathered.items()}


def _summary(run: Run, column: str) -> Any:
    return run.summary.column(column)[0].as_py()


def _numbers(those: _Gathered, windows: Sequence[int]) -> WorkloadNumbers:
    rates = [8e12 * delivered / window for delivered, window in zip(those.delivered, windows, strict=True) if window]
    fairness = [_jain(rates) for rates in those.endless if len(rates) > 1 and any(rates)]
    return WorkloadNumbers(
        Share(sum(those.finished), len(those.finished)) if those.finished else None,
        Mean.of(rates or [0.0]),
        Mean.of(fairness) if fairness else None,
        _percentiles(those.lasted, those.finished),
        _percentiles(those.slowdown, those.finished),
    )


def _jain(rates: Sequence[float]) -> float:
    return sum(rates) ** 2 / (len(rates) * sum(rate * rate for rate in rates))


def _percentiles(lasted: Sequence[float], finished: Sequence[bool]) -> Mapping[int, Percentile]:
    """Of values of which those that are not `finished` are the least that they can be."""
    if not lasted:
        return {}
    ordered = sorted(lasted)
    # Had those never finished, they would stand last.
    never = sorted(value if done else inf for value, done in zip(lasted, finished, strict=True))
    found = {permille: (percentile(ordered, permille), percentile(never, permille)) for permille in PERMILLES}
    return {permille: Percentile(value, value != other) for permille, (value, other) in found.items()}
