"""Links of a group: their load, and how it is spread over the links of a class."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from gossamer.analysis.comparison import Group, by_seed, once
from gossamer.analysis.confidence import half_width
from gossamer.analysis.quantities import Kind
from gossamer.analysis.samples import gather, values

__all__ = ["MEASURES", "by_scope", "columns_of", "halves_of", "links_of", "measures_of"]

MEASURES: dict[str, tuple[str, Kind]] = {
    "utilisation": ("utilisation", "fraction"),
    "longest queue": ("max_queue_bytes", "B"),
    "drops": ("dropped_frames", "count"),
}
"""What the load of a link is: the column of the table, and what its values are."""

COLUMNS = ["link", "source", "target", "class", "direction", *(column for column, _ in MEASURES.values())]


@once
def links_of(group: Group) -> pa.Table:
    """The links of a group with their load: means over its runs, of queues the longest."""
    table = gather(group.runs, "links", COLUMNS)
    if len(group.runs) == 1:
        return table.drop_columns(["link"])
    keys = COLUMNS[:5]
    plain = pa.table(
        {name: table.column(name).cast(pa.string()) if name in keys[1:] else table.column(name) for name in COLUMNS}
    )
    means = plain.group_by(keys, use_threads=False).aggregate(
        [("utilisation", "mean"), ("max_queue_bytes", "max"), ("dropped_frames", "mean")]
    )
    return means.rename_columns(COLUMNS).drop_columns(["link"])


@once
def columns_of(group: Group) -> Mapping[str, Sequence[Any]]:
    """`links_of` as a list for each column."""
    links = links_of(group)
    return {name: values(links, name) for name in links.column_names}


def measures_of(group: Group) -> dict[str, Sequence[Any]]:
    """The load of each link, by measure."""
    columns = columns_of(group)
    return {name: columns[column] for name, (column, _) in MEASURES.items()}


@once
def halves_of(group: Group) -> dict[str, list[float]]:
    """Half of the confidence interval of each link's load, by measure, from what each seed has.

    Empty of a single run. The longest queue of all runs is no mean, and has none.
    """
    seeds = by_seed(group)
    if len(seeds) == 1:
        return {}
    places = {key: place for place, key in enumerate(_keys(group))}
    halves = {}
    for name in ("utilisation", "drops"):
        samples: list[list[float]] = [[] for _ in places]
        for seed in seeds:
            for key, value in zip(_keys(seed), measures_of(seed)[name], strict=True):
                samples[places[key]].append(value)
        halves[name] = [half_width(of_link) or 0.0 for of_link in samples]
    return halves


def _keys(group: Group) -> list[tuple[str, str, str, str]]:
    """What a link is known by in every run of a group."""
    columns = columns_of(group)
    return list(zip(*(columns[name] for name in COLUMNS[1:5]), strict=True))


def by_scope(group: Group) -> dict[str, list[float]]:
    """Utilisations in increasing order, by class and direction of the links."""
    columns = columns_of(group)
    gathered: defaultdict[str, list[float]] = defaultdict(list)
    for kind, direction, value in zip(columns["class"], columns["direction"], columns["utilisation"], strict=True):
        gathered[f"{kind} {direction}"].append(value)
    return {scope: sorted(found) for scope, found in gathered.items()}
