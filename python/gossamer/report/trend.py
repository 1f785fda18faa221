"""What a sweep shows along its axis, in sentences that are computed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gossamer.plots.comparison import Comparison, Group
from gossamer.plots.metrics import Metric, completed, metric, of_group
from gossamer.plots.quantities import compact, text
from gossamer.results.manifest import Value

__all__ = ["along"]

TIMES = ("operation_mean_ps", "slowdown_p99", "fct_mean_ps")
"""What completion times are told in: the first that any point has."""
LEVEL = 0.02
"""Relative difference below which a curve is level."""
MOST_CURVES = 4
"""Curves that one sentence tells of; of more, those that are lowest and highest in the mean."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A swept axis with an order, and the place on the others at which it is told of."""

    key: str
    short: str
    values: tuple[Value, ...]
    fixed: Mapping[str, Value]

    @property
    def lead(self) -> str:
        """How a sentence begins."""
        beside = ", ".join(f"{key.rsplit('.', 1)[-1]}={value}" for key, value in self.fixed.items())
        return f"As {self.short} goes from {self.values[0]} to {self.values[-1]}" + (f" at {beside}" if beside else "")


Curve = list[tuple[Value, float]]


def along(comparison: Comparison) -> list[str]:
    """How completion times, throughput and drops change along the first axis that has an order; empty if none has."""
    axis = _axis(comparison)
    if axis is None:
        return []
    rows = list(_rows(comparison, axis))
    lines = []
    for key in TIMES:
        line = _told(rows, axis, metric(key))
        if line:
            lines.append(line)
            break
    for key in ("goodput_per_host_bps", "dropped_frames"):
        line = _told(rows, axis, metric(key))
        if line:
            lines.append(line)
    unfinished = _unfinished(rows, axis)
    if unfinished:
        lines.append(unfinished)
    if lines:
        lines[0] = f"{axis.lead}, {lines[0][0].lower()}{lines[0][1:]}"
    return lines


Rows = Sequence[tuple[str, Value, Group]]


def _axis(comparison: Comparison) -> Axis | None:
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


def _rows(comparison: Comparison, axis: Axis) -> Iterator[tuple[str, Value, Group]]:
    for group in comparison.groups:
        run = group.runs[0]
        if axis.key in run.sweep and all(run.sweep.get(key) == value for key, value in axis.fixed.items()):
            yield run.variant or "", run.sweep[axis.key], group


def _curves(rows: Rows, axis: Axis, measured: Metric) -> dict[str, Curve]:
    """The points of each variant at which all runs ended well and, for completion times, all flows finished."""
    curves: dict[str, Curve] = {}
    for label, value, group in rows:
        spread = of_group(group, measured.key)
        share = completed(group.runs) if measured.completion else None
        if spread and not spread.bound and group.done and not (share and share.unfinished):
            curves.setdefault(label, []).append((value, spread.mean))
    for curve in curves.values():
        curve.sort(key=lambda point: axis.values.index(point[0]))
    return {label: curve for label, curve in curves.items() if len(curve) > 1}


def _told(rows: Rows, axis: Axis, measured: Metric) -> str:
    """What a metric does along the axis, empty where no curve has two points."""
    curves = _curves(rows, axis, measured)
    if not curves:
        return ""
    name = "number of dropped frames" if measured.key == "dropped_frames" else measured.name
    if measured.key == "dropped_frames" and not any(value for curve in curves.values() for _, value in curve):
        return "No frame is dropped at any point."
    chosen = list(curves)
    if len(chosen) > MOST_CURVES:
        chosen.sort(key=lambda label: sum(value for _, value in curves[label]) / len(curves[label]))
        chosen = [chosen[0], chosen[-1]]
    parts = [_shape(curves[label], axis, measured) + (f" with {label}" if label else "") for label in chosen]
    verbs = {part.split(maxsplit=1)[0] for part in parts}
    if len(verbs) == 1:  # said once
        parts = [parts[0], *(part.split(maxsplit=1)[1] for part in parts[1:])]
    line = f"The {name} {_joined(parts)}."
    ahead = _ahead(curves, measured)
    return f"{line} {ahead}" if ahead else line


def _shape(curve: Curve, axis: Axis, measured: Metric) -> str:
    """How one curve goes: level, up, down, or with an extreme in between."""
    numbers = [value for _, value in curve]
    first, last = (text(value, measured.kind) for value in (numbers[0], numbers[-1]))
    ends = ""
    if (curve[0][0], curve[-1][0]) != (axis.values[0], axis.values[-1]):
        ends = f" (between {curve[0][0]} and {curve[-1][0]})"
    if max(numbers) - min(numbers) <= LEVEL * abs(max(numbers)):
        return f"stays at {last}{ends}"
    if all(low <= high for low, high in pairwise(numbers)):
        return f"rises from {first} to {last}{ends}"
    if all(low >= high for low, high in pairwise(numbers)):
        return f"falls from {first} to {last}{ends}"
    low, high = sorted((numbers[0], numbers[-1]))
    top = max(range(1, len(curve) - 1), key=lambda place: max(numbers[place] - high, low - numbers[place]))
    word = "a peak" if numbers[top] > high else "a low"
    return (
        f"goes from {first} to {last}{ends} by way of {word} of {text(numbers[top], measured.kind)} at {curve[top][0]}"
    )


def _ahead(curves: Mapping[str, Curve], measured: Metric) -> str:
    """Who is best at how many of the points that all variants have."""
    if len(curves) < 2 or measured.better is None:
        return ""
    common = [
        value for value, _ in next(iter(curves.values())) if all(value in dict(curve) for curve in curves.values())
    ]
    choose = max if measured.better == "high" else min
    wins: dict[str, int] = {}
    for value in common:
        at = {label: dict(curve)[value] for label, curve in curves.items()}
        best = choose(at.values())
        first = [label for label, number in at.items() if abs(number - best) <= LEVEL * abs(best)]
        if len(first) == 1:
            wins[first[0]] = wins.get(first[0], 0) + 1
    if not wins:
        return ""
    who = max(wins, key=lambda label: wins[label])
    where = "everywhere" if wins[who] == len(common) else f"at {wins[who]} of {len(common)} points"
    return f"It is {'highest' if measured.better == 'high' else 'lowest'} with {who} {where}."


def _unfinished(rows: Rows, axis: Axis) -> str:
    """Where flows were left unfinished."""
    places: dict[str, list[tuple[Value, float]]] = {}
    for label, value, group in rows:
        share = completed(group.runs)
        if share and share.unfinished:
            places.setdefault(label, []).append((value, 1 - share.fraction))
    if not places:
        return ""
    shown = []
    for label, points in list(places.items())[:MOST_CURVES]:
        where = (
            "at every point"
            if len(points) == len(axis.values)
            else "at " + _joined([str(value) for value, _ in points])
        )
        most = f"up to {compact(100 * max(share for _, share in points))} %"
        shown.append(f"{label + ' ' if label else ''}{where} ({most})")
    return (
        f"Measured flows were left unfinished, so completion times are lower bounds and not ranked: {_joined(shown)}."
    )


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
