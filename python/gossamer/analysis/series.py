"""Series of a group over simulated time: goodput, queues, utilisation, and what only one kind of fabric samples."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from gossamer.analysis import confidence
from gossamer.analysis.comparison import Group, once
from gossamer.analysis.samples import gather, values

__all__ = ["SERIES", "Point", "averaged", "instants", "means", "own_samples", "samples"]

SERIES = ("goodput", "queue", "held", "utilisation")
"""What every fabric can sample; any other series is of one kind of fabric."""

COLUMNS = ["time_ps", "scope", "value", "series", "unit"]


@once
def _table(group: Group) -> pa.Table:
    tables = [gather([run], "series", COLUMNS) for run in group.runs]
    numbers = [pa.array([number] * table.num_rows, pa.int32()) for number, table in enumerate(tables)]
    return pa.concat_tables([each.append_column("run", run) for each, run in zip(tables, numbers, strict=True)])


def samples(group: Group, series: str) -> pa.Table:
    """Samples of one series: time in picoseconds, scope, value, and the place of their run in the group."""
    table = _table(group).filter(pc.field("series") == series)
    scope = table.column("scope").cast(pa.string())
    return _samples(table, scope)


def own_samples(group: Group) -> pa.Table:
    """Samples of series that are a fabric's own, which are told apart by their names and units, as their scope."""
    table = _table(group)
    names = table.column("series").cast(pa.string())
    table = table.filter(pc.invert(pc.is_in(names, pa.array(list(SERIES)))))
    named = zip(values(table, "series"), values(table, "unit"), strict=True)
    scope = pa.array([f"{name} ({unit})" for name, unit in named], pa.string())
    return _samples(table, scope)


def _samples(table: pa.Table, scope: Any) -> pa.Table:
    kept = {name: table.column(name) for name in ("time_ps", "value", "run")}
    return pa.table({"time_ps": kept["time_ps"], "scope": scope, "value": kept["value"], "run": kept["run"]})


def means(samples: pa.Table) -> dict[str, float]:
    """Scopes in the order in which they appear, and the mean value of each."""
    table = samples.group_by("scope", use_threads=False).aggregate([("value", "mean")])
    return dict(zip(values(table, "scope"), values(table, "value_mean"), strict=True))


def instants(samples: pa.Table) -> int:
    """At how many instants samples were taken."""
    return len(pc.unique(samples.column("time_ps")))


class Point(NamedTuple):
    """The mean of neighbouring samples, at the mean of their times."""

    scope: str
    time_ps: float
    value: float
    half: float | None
    """Half of the confidence interval of the value, if it is the mean over several seeds."""


def averaged(samples: pa.Table, scopes: Sequence[str], step: int) -> Iterator[Point]:
    """A point for every `step` samples of each scope."""
    times: list[int] = sorted(set(values(samples, "time_ps")))
    place = {time: number // step for number, time in enumerate(times)}
    gathered: defaultdict[tuple[str, int], list[tuple[int, float, int]]] = defaultdict(list)
    for time, scope, value, run in zip(*(values(samples, name) for name in samples.column_names), strict=True):
        gathered[scope, place[time]].append((time, value, run))
    for scope in scopes:
        for number in range(-(-len(times) // step)):
            among = gathered.get((scope, number))
            if among:
                time_ps = sum(time for time, _, _ in among) / len(among)
                yield Point(scope, time_ps, sum(value for _, value, _ in among) / len(among), _half(among))


def _half(among: Sequence[tuple[int, float, int]]) -> float | None:
    """Half of the confidence interval over runs: each counts with the mean of its samples."""
    by_run: defaultdict[int, list[float]] = defaultdict(list)
    for _, value, run in among:
        by_run[run].append(value)
    return confidence.half_width([confidence.mean(each) for each in by_run.values()]) if len(by_run) > 1 else None
