"""Operations, such as collectives and rounds of an incast: how long each took, and the bandwidth that this makes."""

from collections.abc import Iterator
from typing import Any

import altair as alt

from gossamer.analysis import confidence
from gossamer.analysis.comparison import Comparison, Group, by_seed
from gossamer.analysis.operations import Operations, operations_of
from gossamer.analysis.quantities import Kind, significant
from gossamer.plots.canvas import (
    BUDGET,
    Canvas,
    Drawing,
    NoData,
    axis,
    data,
    interval,
    lines,
    points_choice,
    value_scale,
    with_bands,
)
from gossamer.plots.expressions import expression

__all__ = ["draw_bandwidth", "draw_times"]


def draw_times(comparison: Comparison, canvas: Canvas) -> Drawing:
    """Completion time of each operation, in order."""
    told = (
        "From the start of an operation to the end of its last flow. One that had not finished when the run "
        "ended is not "
        "drawn."
    )
    return _draw(comparison, canvas, "duration_ps", "ps", "Completion time of operations", "Completion time", told)


def draw_bandwidth(comparison: Comparison, canvas: Canvas) -> Drawing:
    """Bus bandwidth of each operation, in order; algorithm bandwidth where no bus bandwidth is defined."""
    rows = [row for group in comparison.groups for rows in operations_of(group).values() for row in rows]
    if any(row["bus_bandwidth_bps"] is not None for row in rows):
        told = (
            "Size of the operation over its completion time, times the factor of nccl-tests, by which it can be "
            "compared "
            "with the rate of a host's link."
        )
        return _draw(comparison, canvas, "bus_bandwidth_bps", "b/s", "Bus bandwidth", "Bus bandwidth", told)
    told = "Size of the operation over its completion time."
    return _draw(comparison, canvas, "algorithm_bandwidth_bps", "b/s", "Bandwidth of operations", "Bandwidth", told)


def _draw(
    comparison: Comparison, canvas: Canvas, column: str, kind: Kind, title: str, value: str, told: str
) -> Drawing:
    found = [(group, operations_of(group)) for group in comparison.groups]
    workloads = list(dict.fromkeys(name for _, by_name in found for name in by_name))
    if not workloads:
        raise NoData("no workload here has operations: collectives, rounds of an incast, iterations or batches")
    most = max(10, BUDGET // (len(found) * len(workloads)))
    longest = max(len(rows) for group, _ in found for one in by_seed(group) for rows in operations_of(one).values())
    step = -(-longest // most)
    rows = [row for group, by_name in found for name in by_name for row in _rows(group, name, column, kind, step)]
    if not rows:
        raise NoData("no operation completed before its run ended")
    choices = list(points_choice(canvas, comparison.points))
    if len(workloads) > 1:
        choices.append(canvas.choice("scope", "workload", workloads, workloads[0]))
    scale, ticks = value_scale(kind, rows)
    colour = canvas.colour(comparison.labels, comparison.label_title)
    chart = lines(
        data(rows, choices),
        canvas,
        alt.X(
            "place:Q",
            title="Operation, in order",
            axis=axis("count", tickCount=6, tickMinStep=1),
            scale=alt.Scale(nice=False, zero=False, padding=8),
        ),
        alt.Y("value:Q", title=value, axis=ticks, scale=scale),
        colour,
        {
            comparison.label_title: "datum.label",
            "Operation": "datum.what",
            "Number": expression("datum.place", "count"),
            value: expression("datum.value", kind),
        },
        points=True,
    )
    chart = with_bands(chart, rows, choices, canvas, "place", colour)
    thinned = f"A point is the {'slowest' if kind == 'ps' else 'mean'} of {step} operations." if step > 1 else ""
    seeds = confidence.told(comparison.seeds)
    pooled = f"Means over seeds, in bands of their confidence intervals: {seeds}." if seeds else ""
    subtitle = " ".join(part for part in (told, thinned, pooled) if part)
    return Drawing(chart, title, subtitle, tuple(choices), 280)


def _rows(group: Group, name: str, column: str, kind: Kind, step: int) -> Iterator[dict[str, Any]]:
    """A point for every `step` operations: the slowest of times, the mean of bandwidths; their mean over seeds."""
    seeds = [operations_of(one).get(name, ()) for one in by_seed(group)]
    for begin in range(0, max(map(len, seeds)), step):
        among = [those[begin : begin + step] for those in seeds]
        samples = [number for those in among if (number := _of(those, column, kind)) is not None]
        if samples:
            value = confidence.mean(samples)
            yield {
                "label": group.label,
                "point": group.point,
                "scope": name,
                "what": next(those[0]["kind"] for those in among if those),
                "place": begin + 1,
                "value": significant(value),
                **interval(value, samples),
            }


def _of(operations: Operations, column: str, kind: Kind) -> float | None:
    """What is drawn of some operations of a run; None if none of them has completed."""
    values = [each[column] for each in operations if each[column] is not None]
    if not values:
        return None
    return max(values) / 1e12 if kind == "ps" else confidence.mean(values)
