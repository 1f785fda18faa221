"""XFabric (NSDI 2016): studies of flows on topologies, each with several seeds, and how their rows are summed up."""

import os
import statistics
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from gossamer.analysis import confidence
from gossamer.plan import Setting
from gossamer.topology import Row, study

if TYPE_CHECKING:
    from .spread import Spread

SOURCE = "gossamer.topology.study"

Column: TypeAlias = Literal[
    "path_length",
    "uplink_path_length",
    "direct",
    "direct_at_most",
    "effective_pairs",
    "disjoint_paths",
    "bottleneck",
    "total_load",
    "skew",
]
Studied: TypeAlias = tuple[tuple[Row, ...], ...]
"""Rows of one study, by seed."""

NAMES: Mapping[str, str] = {"xfabric": "XFabric", "osa": "OSA", "torus": "3D torus", "random": "random"}
"""What topologies are called in words and figures, in the order of their colours."""

SEEDS = 10
"""Each draws a trace or a graph, its place on SoCs, a random topology, fixed circuits and ties anew."""


@cache
def over_seeds(seeds: int, threads: int | None, settings: tuple[tuple[str, Setting], ...]) -> Studied:
    """A study with each of so many seeds, several at the same time. Claims that ask for the same share it."""

    def one(seed: int) -> tuple[Row, ...]:
        return tuple(study(**dict(settings), seed=seed))

    pool = ThreadPoolExecutor(threads or os.cpu_count())
    try:
        return tuple(pool.map(one, range(1, seeds + 1)))
    finally:
        pool.shutdown(cancel_futures=True)


def studied(seeds: int, threads: int | None, **settings: Setting) -> Studied:
    """The same, settings as keywords."""
    return over_seeds(seeds, threads, tuple(sorted(settings.items())))


def values(rows: Studied, topology: str, column: Column) -> list[float]:
    """A column of a topology, by seed. Every demand of these studies has its paths."""
    found = [row[column] for of_seed in rows for row in of_seed if row["topology"] == topology]
    return [value for value in found if value is not None]


def mean(rows: Studied, topology: str, column: Column) -> float:
    """The mean over all seeds."""
    return statistics.fmean(values(rows, topology, column))


def around(numbers: Sequence[float], digits: int = 2) -> str:
    """A mean over seeds and half of its confidence interval: `1.25 ± 0.03`; the mean alone of one seed."""
    half = confidence.half_width(numbers)
    interval = "" if half is None else f" ± {half:.{digits}f}"
    return f"{statistics.fmean(numbers):.{digits}f}{interval}"


def spread(rows: Studied, topology: str, column: Column, place: str | float, expected: float | None = None) -> "Spread":
    """One mean of a figure."""
    found = values(rows, topology, column)
    middle = statistics.fmean(found)
    low, high = confidence.around(middle, found) or (middle, middle)
    return {
        "place": place,
        "label": NAMES[topology],
        "mean": middle,
        "low": low,
        "high": high,
        "expected": expected,
    }
