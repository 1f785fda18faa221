"""What only one kind of fabric counts, for a group."""

from collections.abc import Mapping

from gossamer.analysis.comparison import Group

__all__ = ["mean_counters"]


def mean_counters(group: Group) -> Mapping[tuple[str, str], float]:
    """Counters of a group by name and unit: the mean over its runs."""
    sums: dict[tuple[str, str], float] = {}
    for run in group.runs:
        for row in run.counters.to_pylist():
            key = row["counter"], row["unit"]
            sums[key] = sums.get(key, 0.0) + row["value"]
    return {key: value / len(group.runs) for key, value in sums.items()}
