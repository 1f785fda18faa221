"""Distributions from histograms: those of a group added up, and the share above each value."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TypeAlias

import pyarrow.compute as pc

from gossamer.analysis.comparison import Group, by_seed, once
from gossamer.analysis.samples import distribution_ranks, gather

__all__ = ["Buckets", "buckets_of", "mean", "of_links", "own_buckets", "share_above", "shares_at"]

COLUMNS = ["histogram", "unit", "lower", "upper", "count"]

Buckets: TypeAlias = Mapping[tuple[int, int], int]
"""How many values lie in each bucket, by its bounds."""


@once
def buckets_of(group: Group) -> Mapping[str, Buckets]:
    """The histograms of a group by name, added up over its runs."""
    return {name: buckets for (name, _), buckets in _with_units(group).items()}


@once
def own_buckets(group: Group) -> Mapping[tuple[str, str], Buckets]:
    """The histograms that the fabric of a group keeps by itself, by name and unit."""
    return {
        (name, unit): buckets
        for (name, unit), buckets in _with_units(group).items()
        if name != "latency" and not of_links(name)
    }


@once
def _with_units(group: Group) -> Mapping[tuple[str, str], Buckets]:
    gathered: dict[tuple[str, str], Counter[tuple[int, int]]] = {}
    if len(group.runs) > 1:
        for one in by_seed(group):
            for key, buckets in _with_units(one).items():
                gathered.setdefault(key, Counter()).update(buckets)
        return gathered
    for row in gather(group.runs, "histograms", COLUMNS).filter(pc.field("count") > 0).to_pylist():
        gathered.setdefault((row["histogram"], row["unit"]), Counter())[row["lower"], row["upper"]] += row["count"]
    return gathered


def of_links(name: str) -> bool:
    """Whether a histogram is of the queues before links of a class, in one direction."""
    return name.startswith("queue ") and name.endswith((" up", " down", " flat"))


def share_above(buckets: Buckets, most: int) -> list[tuple[int, float]]:
    """At most `most` points (value, share of the counts at or above it), at the bounds of buckets, where it is exact.

    Between buckets that do not touch it is level. The last bound is left out: nought is not on a log axis.
    """
    ordered = sorted(buckets)
    total = sum(buckets.values())
    below = 0
    points: dict[int, float] = {}
    for low, high in ordered:
        points[low] = 1 - below / total
        below += buckets[low, high]
        points[high] = 1 - below / total
    del points[ordered[-1][1]]
    places = list(points)
    return [(places[place], points[places[place]]) for place in distribution_ranks(len(places), most)]


def shares_at(buckets: Buckets, bounds: Sequence[int]) -> list[float]:
    """The share of the counts, of which there must be some, at or above each of some bounds of buckets."""
    ordered = sorted(buckets)
    lows = [low for low, _ in ordered]
    below = [0, *accumulate(buckets[each] for each in ordered)]
    return [1 - below[bisect_left(lows, bound)] / below[-1] for bound in bounds]


def mean(buckets: Buckets) -> float:
    """The mean of the values, each taken for the middle of its bucket."""
    return sum((low + high) / 2 * count for (low, high), count in buckets.items()) / sum(buckets.values())
