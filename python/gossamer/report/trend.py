"""What a sweep shows along its axis, in sentences that are computed."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from gossamer.analysis.comparison import Comparison
from gossamer.analysis.metrics import Metric, metric
from gossamer.analysis.quantities import compact, text
from gossamer.analysis.trend import LEVEL, Axis, Curve, Point, axis_of, curves, lead, points, unfinished

__all__ = ["along"]

TIMES = ("operation_mean_ps", "slowdown_p99", "fct_mean_ps")
"""What completion times are told in: the first that any point has."""
MOST_CURVES = 4
"""Curves that one sentence tells of; of more, those that are lowest and highest in the mean."""


def along(comparison: Comparison) -> list[str]:
    """How completion times, throughput and drops change along the first axis that has an order; empty if none has."""
    axis = axis_of(comparison)
    if axis is None:
        return []
    found = list(points(comparison, axis))
    lines = []
    for key in TIMES:
        line = _told(found, axis, metric(key))
        if line:
            lines.append(line)
            break
    for key in ("goodput_per_host_bps", "dropped_frames"):
        line = _told(found, axis, metric(key))
        if line:
            lines.append(line)
    left = _unfinished(found, axis)
    if left:
        lines.append(left)
    if lines:
        lines[0] = f"{_lead(axis)}, {lines[0][0].lower()}{lines[0][1:]}"
    return lines


def _lead(axis: Axis) -> str:
    """How the first sentence begins."""
    beside = ", ".join(f"{key.rsplit('.', 1)[-1]}={value}" for key, value in axis.fixed.items())
    return f"As {axis.short} goes from {axis.values[0]} to {axis.values[-1]}" + (f" at {beside}" if beside else "")


def _told(found: Sequence[Point], axis: Axis, measured: Metric) -> str:
    """What a metric does along the axis, empty where no curve has two points."""
    drawn = curves(found, axis, measured)
    if not drawn:
        return ""
    name = "number of dropped frames" if measured.key == "dropped_frames" else measured.name
    if measured.key == "dropped_frames" and not any(value for curve in drawn.values() for _, value in curve):
        return "No frame is dropped at any point."
    chosen = list(drawn)
    if len(chosen) > MOST_CURVES:
        chosen.sort(key=lambda label: sum(value for _, value in drawn[label]) / len(drawn[label]))
        chosen = [chosen[0], chosen[-1]]
    parts = [_shape(drawn[label], axis, measured) + (f" with {label}" if label else "") for label in chosen]
    verbs = {part.split(maxsplit=1)[0] for part in parts}
    if len(verbs) == 1:  # said once
        parts = [parts[0], *(part.split(maxsplit=1)[1] for part in parts[1:])]
    line = f"The {name} {_joined(parts)}."
    ahead = _ahead(drawn, measured)
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
    return f"goes from {first} to {last}{ends} with {word} of {text(numbers[top], measured.kind)} at {curve[top][0]}"


def _ahead(found: Mapping[str, Curve], measured: Metric) -> str:
    """Which variant is best at how many of the points that all variants have."""
    best = lead(found, measured)
    if best is None:
        return ""
    where = "everywhere" if best.wins == best.points else f"at {best.wins} of {best.points} points"
    return f"It is {'highest' if measured.better == 'high' else 'lowest'} with {best.label} {where}."


def _unfinished(found: Sequence[Point], axis: Axis) -> str:
    """Where flows were left unfinished."""
    places = unfinished(found)
    if not places:
        return ""
    shown = []
    for label, left in list(places.items())[:MOST_CURVES]:
        where = (
            "at every point" if len(left) == len(axis.values) else "at " + _joined([str(value) for value, _ in left])
        )
        most = f"up to {compact(100 * max(share for _, share in left))} %"
        shown.append(f"{label + ' ' if label else ''}{where} ({most})")
    return (
        f"Measured flows were left unfinished, so completion times are lower bounds and not ranked: {_joined(shown)}."
    )


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
