"""XFabric (NSDI 2016): studies of flows on topologies, each with several seeds, and how their rows are summed up."""

import os
import statistics
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

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


def apart(numbers: Sequence[float], digits: int = 2) -> str:
    """A mean and the range that it is of: `1.25 (1.18 to 1.31)`."""
    return f"{statistics.fmean(numbers):.{digits}f} ({min(numbers):.{digits}f} to {max(numbers):.{digits}f})"


def spread(rows: Studied, topology: str, column: Column, place: str | float, expected: float | None = None) -> "Spread":
    """One mean of a figure."""
    found = values(rows, topology, column)
    return {
        "place": place,
        "label": NAMES[topology],
        "mean": statistics.fmean(found),
        "low": min(found),
        "high": max(found),
        "expected": expected,
    }
