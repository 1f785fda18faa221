"""Metrics along a swept axis: which axis has an order, the curve of each variant, and which variant is ahead where."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from gossamer.analysis.comparison import Comparison, Group
from gossamer.analysis.metrics import Metric, completed_by, of_group
from gossamer.results.manifest import Value

__all__ = ["LEVEL", "Axis", "Curve", "Lead", "Point", "axis_of", "curves", "lead", "points", "unfinished"]

LEVEL = 0.02
"""Relative difference below which a curve is level."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A swept axis with an order, and the values of the others at which it is looked at."""

    key: str
    short: str
    values: tuple[Value, ...]
    fixed: Mapping[str, Value]


class Point(NamedTuple):
    """A group on an axis."""

    label: str
    """Its variant; empty without variants."""
    value: Value
    """Where it is on the axis."""
    group: Group


Curve: TypeAlias = list[tuple[Value, float]]
"""A metric by value of the axis, in the axis's order."""


def axis_of(comparison: Comparison) -> Axis | None:
    """The first axis along which values have an order; the other axes are held at their last value."""
    runs = comparison.results.runs
    found = {key: list(dict.fromkeys(run.sweep[key] for run in runs if key in run.sweep)) for key in comparison.axes}
    for key, short in comparison.axes.items():
        values = found[key]
        if len(values) > 1 and all(_in_order(value) for value in values):
            if all(isinstance(value, int | float) for value in values):
                values = sorted(values)
            fixed = {other: each[-1] for other, each in found.items() if other != key and len(each) > 1}
            return Axis(key, short, tuple(values), fixed)
    return None


def _in_order(value: Value) -> bool:
    """A number, or a quantity such as `20 packets`."""
    return value[:1].isdigit() if isinstance(value, str) else not isinstance(value, bool)


def points(comparison: Comparison, axis: Axis) -> Iterator[Point]:
    """The groups on an axis."""
    for group in comparison.groups:
        run = group.runs[0]
        if axis.key in run.sweep and all(run.sweep.get(key) == value for key, value in axis.fixed.items()):
            yield Point(run.variant or "", run.sweep[axis.key], group)


def curves(found: Sequence[Point], axis: Axis, measured: Metric) -> dict[str, Curve]:
    """The points of each variant at which all runs ended well and, for completion times, all flows finished."""
    gathered: dict[str, Curve] = {}
    for label, value, group in found:
        spread = of_group(group, measured.key)
        share = completed_by(group) if measured.completion else None
        if spread and not spread.bound and group.done and not (share and share.unfinished):
            gathered.setdefault(label, []).append((value, spread.mean))
    for curve in gathered.values():
        curve.sort(key=lambda point: axis.values.index(point[0]))
    return {label: curve for label, curve in gathered.items() if len(curve) > 1}


class Lead(NamedTuple):
    """The variant that is best at the most points."""

    label: str
    wins: int
    points: int
    """Points that all variants have."""


def lead(found: Mapping[str, Curve], measured: Metric) -> Lead | None:
    """Which variant is best at how many of the points that all have; None where none is clearly best anywhere."""
    if len(found) < 2 or measured.better is None:
        return None
    at = {label: dict(curve) for label, curve in found.items()}
    common = [value for value, _ in next(iter(found.values())) if all(value in curve for curve in at.values())]
    choose = max if measured.better == "high" else min
    wins: dict[str, int] = {}
    for value in common:
        best = choose(curve[value] for curve in at.values())
        first = [label for label, curve in at.items() if abs(curve[value] - best) <= LEVEL * abs(best)]
        if len(first) == 1:
            wins[first[0]] = wins.get(first[0], 0) + 1
    if not wins:
        return None
    label = max(wins, key=lambda each: wins[each])
    return Lead(label, wins[label], len(common))


def unfinished(found: Sequence[Point]) -> dict[str, Curve]:
    """Where each variant left measured flows unfinished, and the share of them."""
    places: dict[str, Curve] = {}
    for label, value, group in found:
        share = completed_by(group)
        if share and share.unfinished:
            places.setdefault(label, []).append((value, 1 - share.fraction))
    return places
