"""What only one kind of fabric counts, for a group."""

from collections.abc import Mapping
from typing import NamedTuple

from gossamer.analysis import confidence
from gossamer.analysis.comparison import Group

__all__ = ["Counted", "mean_counters"]


class Counted(NamedTuple):
    """A counter of a group."""

    mean: float
    """Over its runs; one that does not have it counts as 0."""
    half: float | None
    """Half of the mean's confidence interval; None of a single run."""


def mean_counters(group: Group) -> Mapping[tuple[str, str], Counted]:
    """Counters of a group by name and unit."""
    found: dict[tuple[str, str], list[float]] = {}
    for number, run in enumerate(group.runs):
        for row in run.counters.to_pylist():
            found.setdefault((row["counter"], row["unit"]), [0.0] * len(group.runs))[number] += row["value"]
    return {key: Counted(confidence.mean(values), confidence.half_width(values)) for key, values in found.items()}
