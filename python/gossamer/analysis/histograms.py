"""Distributions from histograms: those of a group added up, and the share above each value."""

from collections.abc import Mapping
from typing import TypeAlias

import pyarrow.compute as pc

from gossamer.analysis.comparison import Group, once
from gossamer.analysis.samples import distribution_ranks, gather, values

__all__ = ["Buckets", "buckets_of", "mean", "of_links", "own_buckets", "share_above"]

COLUMNS = ["histogram", "unit", "lower", "upper", "count"]

Buckets: TypeAlias = Mapping[tuple[int, int], int]
"""How many values lie in each bucket, by its bounds."""


@once
def buckets_of(group: Group) -> Mapping[str, Buckets]:
    """The histograms of a group by name, added up over its runs."""
    table = gather(group.runs, "histograms", COLUMNS).filter(pc.field("count") > 0)
    gathered: dict[str, dict[tuple[int, int], int]] = {}
    for row in table.group_by(["histogram", "lower", "upper"]).aggregate([("count", "sum")]).to_pylist():
        gathered.setdefault(row["histogram"], {})[row["lower"], row["upper"]] = row["count_sum"]
    return gathered


@once
def own_buckets(group: Group) -> Mapping[tuple[str, str], Buckets]:
    """The histograms that the fabric of a group keeps by itself, by name and unit."""
    table = gather(group.runs, "histograms", COLUMNS)
    units = dict(zip(values(table, "histogram"), values(table, "unit"), strict=True))
    return {
        (name, units[name]): buckets
        for name, buckets in buckets_of(group).items()
        if name != "latency" and not of_links(name)
    }


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


def mean(buckets: Buckets) -> float:
    """The mean of the values, each taken for the middle of its bucket."""
    return sum((low + high) / 2 * count for (low, high), count in buckets.items()) / sum(buckets.values())
