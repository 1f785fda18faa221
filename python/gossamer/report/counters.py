"""What only one kind of fabric counts, side by side: a row a counter, a column a group of runs."""

from dataclasses import dataclass

from gossamer.analysis import confidence
from gossamer.analysis.comparison import Comparison
from gossamer.analysis.counters import Counted, mean_counters
from gossamer.analysis.quantities import Kind, around, compact, text
from gossamer.report.table import ABSENT

__all__ = ["Counters", "counters_of"]

KINDS: dict[str, Kind] = {"ps": "ps", "b/s": "b/s", "B": "B"}
"""Units that are printed with a prefix."""
COUNTED = 1e6
"""Counts below this are printed in full."""


@dataclass(frozen=True, slots=True)
class Counters:
    """A table of counters."""

    columns: tuple[str, ...]
    """Names of the groups."""
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    """Name of each counter with its unit, and its value in each group."""
    caption: str


def counters_of(comparison: Comparison) -> Counters | None:
    """The counters of all groups that have any, means over seeds; None if none has."""
    found = [(group, values) for group in comparison.groups if (values := mean_counters(group))]
    if not found:
        return None
    names = dict.fromkeys(name for _, values in found for name in values)
    rows = [
        (
            # A name that says what is counted needs no unit.
            name if unit in KINDS or not unit or unit in name.split() else f"{name}, {unit}",
            tuple(_shown(values[name, unit], unit) if (name, unit) in values else ABSENT for _, values in found),
        )
        for name, unit in names
    ]
    caption = "Counters that only this kind of fabric has, in the measured window."
    if comparison.seeds > 1:
        caption += f" Means ± half of their confidence intervals: {confidence.told(comparison.seeds)}."
    return Counters(tuple(group.name for group, _ in found), tuple(rows), caption)


def _shown(counted: Counted, unit: str) -> str:
    if counted.half is None:
        return _number(counted.mean, unit)
    return around(counted.mean, counted.half, KINDS.get(unit, "ratio"))


def _number(value: float, unit: str) -> str:
    if unit in KINDS:
        return text(value, KINDS[unit])
    return f"{value:,.0f}" if value == round(value) and abs(value) < COUNTED else compact(value)
