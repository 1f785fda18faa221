"""From many rows to the few numbers of a plot: percentiles, bins, distributions."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pyarrow as pa

from gossamer.results import Run
from gossamer.results.joining import joined

__all__ = ["Bin", "distribution_ranks", "equal_count_bins", "gather", "least_sample", "percentile", "values"]


def gather(runs: Sequence[Run], table: str, columns: Sequence[str]) -> pa.Table:
    """These columns of a table over `runs`, one after the other."""
    return joined([run.table(table) for run in runs], table, columns)


def values(table: pa.Table, column: str) -> list[Any]:
    """A column as a list."""
    return table.column(column).to_pylist()


def percentile(ordered: Sequence[float], permille: int) -> float:
    """Nearest-rank percentile of values in increasing order: the smallest that `permille` thousandths do not exceed.

    Raises:
        IndexError: there are no values.
    """
    return ordered[max(0, -(-len(ordered) * permille // 1000) - 1)]


def least_sample(permille: int) -> int:
    """How many values it takes for one of them to be expected above the percentile: 2, 100 or 1000."""
    return -(-1000 // (1000 - permille))


@dataclass(frozen=True, slots=True)
class Bin:
    """Neighbouring values of what is on the horizontal axis, and what belongs to them."""

    low: float
    high: float
    middle: float
    """Median of the values in the bin: where it is drawn."""
    ordered: list[float]
    """What belongs to the bin, in increasing order."""


def equal_count_bins(rows: pa.Table, key: str, value: str, least: int, most_bins: int) -> list[Bin]:
    """Cut `rows` along `key` into bins of equal count, of at least `least` rows each, at most `most_bins`.

    Rows of the same key are never parted, so a bin may hold more. Fewer rows than `least` make one bin.
    """
    if not rows.num_rows:
        return []
    ordered = rows.sort_by(key)
    keys = values(ordered, key)
    wanted = max(1, min(most_bins, len(keys) // least))
    cuts = [0]
    for number in range(1, wanted):
        cut = bisect_right(keys, keys[number * len(keys) // wanted - 1])
        if cut - cuts[-1] >= least and len(keys) - cut >= least:
            cuts.append(cut)
    cuts.append(len(keys))
    bins = []
    for begin, end in pairwise(cuts):
        belonging = values(ordered.slice(begin, end - begin).sort_by(value), value)
        bins.append(Bin(keys[begin], keys[end - 1], percentile(keys[begin:end], 500), belonging))
    return bins


def distribution_ranks(count: int, most: int) -> list[int]:
    """At most `most` ranks, from 0 to `count` - 1 and evenly spaced, both ends among them."""
    if count <= most:
        return list(range(count))
    return [number * (count - 1) // (most - 1) for number in range(most)]
