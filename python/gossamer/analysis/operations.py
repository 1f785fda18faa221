"""Operations of a group, such as collectives and rounds of an incast."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from gossamer.analysis.comparison import Group, by_seed, once
from gossamer.analysis.samples import gather

__all__ = ["Operations", "operations_of"]

COLUMNS = [
    "operation",
    "group",
    "kind",
    "round",
    "ranks",
    "bytes",
    "start_ps",
    "duration_ps",
    "measured",
    "algorithm_bandwidth_bps",
    "bus_bandwidth_bps",
]

Operations: TypeAlias = Sequence[dict[str, Any]]
"""Operations as rows of their table."""


@once
def operations_of(group: Group) -> Mapping[str, Operations]:
    """The measured operations of a group, by workload, each workload's in order of round and seed."""
    found: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    if len(group.runs) > 1:
        for one in by_seed(group):
            for name, rows in operations_of(one).items():
                found[name] += rows
    else:
        for row in gather(group.runs, "operations", COLUMNS).to_pylist():
            if row["measured"]:
                found[row["group"]].append(row)
    return {name: sorted(rows, key=lambda row: (row["round"], row["operation"])) for name, rows in found.items()}
