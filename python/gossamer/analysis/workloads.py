"""What became of each workload of a group: where several share a fabric, their flows together say little of either."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from gossamer.analysis.comparison import Group, once
from gossamer.analysis.metrics import Share, Spread
from gossamer.analysis.samples import gather, percentile, values
from gossamer.results import Run

__all__ = ["PERMILLES", "WorkloadNumbers", "workloads_of"]

PERMILLES = (500, 990)
"""The percentiles of completion time and slowdown."""
COLUMNS = ("group", "bytes", "start_ps", "fct_ps", "ideal_ps", "window_bytes", "goodput_bps", "measured")


@dataclass(frozen=True, slots=True)
class WorkloadNumbers:
    """One workload of a group, over all its seeds."""

    flows: Share | None
    """Measured flows that have an end; None where there is none."""
    throughput: Spread
    """Bytes delivered in the measured window over its length, in b/s, of all its flows together."""
    fairness: Spread | None
    """Jain's index of its endless flows' throughput, 0 to 1. None with fewer than two of them."""
    fct: Mapping[int, Spread]
    """Nearest-rank percentiles of completion time in ps, by permille.

    A flow that had not finished counts with its age.
    """
    slowdown: Mapping[int, Spread]
    """The same of slowdown."""


@dataclass(slots=True)
class _Gathered:
    """The flows of a workload."""

    delivered: list[int]
    """Bytes in the measured window, by run."""
    endless: list[list[float]]
    """Throughput of endless flows, by run."""
    lasted: list[list[float]]
    """Completion time of each measured flow that has an end, or its age, by run."""
    slowdown: list[list[float]]
    """By run."""
    finished: list[list[bool]]
    """By run."""

    @staticmethod
    def of(runs: int) -> "_Gathered":
        """Nothing so far."""
        return _Gathered([0] * runs, *([[] for _ in range(runs)] for _ in range(4)))  # type: ignore[arg-type]


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
                gathered[name] = _Gathered.of(len(runs))
            those = gathered[name]
            those.delivered[number] += delivered
            if size is None:
                those.endless[number].append(goodput)
            elif measured:
                lasted = simulated - start if fct is None else fct
                those.lasted[number].append(lasted)
                those.slowdown[number].append(lasted / ideal)
                those.finished[number].append(fct is not None)
    windows = [_summary(run, "measured_ps") for run in runs]
    return {name: _numbers(those, windows) for name, those in gathered.items()}


def _summary(run: Run, column: str) -> Any:
    return run.summary.column(column)[0].as_py()


def _numbers(those: _Gathered, windows: Sequence[int]) -> WorkloadNumbers:
    rates = [8e12 * delivered / window for delivered, window in zip(those.delivered, windows, strict=True) if window]
    fairness = [_jain(rates) for rates in those.endless if len(rates) > 1 and any(rates)]
    return WorkloadNumbers(
        Share(sum(map(sum, those.finished)), sum(map(len, those.finished))) if any(those.finished) else None,
        Spread.of(rates or [0.0]),
        Spread.of(fairness) if fairness else None,
        _percentiles(those.lasted, those.finished),
        _percentiles(those.slowdown, those.finished),
    )


def _jain(rates: Sequence[float]) -> float:
    return sum(rates) ** 2 / (len(rates) * sum(rate * rate for rate in rates))


def _percentiles(lasted: Sequence[Sequence[float]], finished: Sequence[Sequence[bool]]) -> Mapping[int, Spread]:
    """Of the values of each run, of which those that are not `finished` are the least that they can be."""
    ordered = [sorted(values) for values in lasted if values]
    if not ordered:
        return {}
    # Had those never finished, they would stand last.
    never = [
        sorted(value if done else inf for value, done in zip(values, ends, strict=True))
        for values, ends in zip(lasted, finished, strict=True)
        if values
    ]
    found = {}
    for permille in PERMILLES:
        by_run = [percentile(values, permille) for values in ordered]
        found[permille] = Spread.of(by_run, bound=by_run != [percentile(values, permille) for values in never])
    return found
