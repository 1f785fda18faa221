"""Throughput of single flows: in increasing order, and their distribution."""

from collections.abc import Callable, Iterator
from typing import Any

import altair as alt

from gossamer.analysis.comparison import Comparison, Group
from gossamer.analysis.flows import rates
from gossamer.analysis.quantities import significant
from gossamer.analysis.samples import distribution_ranks
from gossamer.plots.canvas import BUDGET, Canvas, Drawing, NoData, axis, data, lines, log_scale, points_choice
from gossamer.plots.expressions import expression

__all__ = ["draw_throughput_cdf", "draw_throughput_rank"]

SUBTITLE = (
    "Bytes that each measured flow delivered within the measured window, over the part of the window in which it was "
    "active."
)


def draw_throughput_rank(comparison: Comparison, canvas: Canvas) -> Drawing:
    """Throughput of every flow, the slowest first, as in figures of permutation traffic."""
    rows = _rows(comparison, lambda rank, _: rank + 1)
    choices = list(points_choice(canvas, comparison.points))
    chart = lines(
        data(rows, choices),
        canvas,
        alt.X(
            "place:Q",
            title="Flow, in order of throughput",
            axis=axis("count", tickCount=6),
            scale=alt.Scale(nice=False),
        ),
        alt.Y("goodput:Q", title="Throughput", axis=axis("b/s", tickCount=6), scale=alt.Scale(domainMin=0)),
        canvas.colour(comparison.labels, comparison.label_title),
        {
            comparison.label_title: "datum.label",
            "Flow": f"{expression('datum.place', 'count')} + ' of ' + {expression('datum.flows', 'count')}",
            "Throughput": expression("datum.goodput", "b/s"),
        },
    )
    return Drawing(chart, "Throughput per flow", f"{SUBTITLE} {comparison.pooled}".strip(), tuple(choices))


def draw_throughput_cdf(comparison: Comparison, canvas: Canvas) -> Drawing:
    """Distribution of the flows' throughput."""
    rows = _rows(comparison, lambda rank, count: significant((rank + 1) / count))
    choices = list(points_choice(canvas, comparison.points))
    drawn = sorted(row["goodput"] for row in rows)
    wide = drawn[0] > 0 and drawn[len(drawn) * 95 // 100] > 30 * drawn[len(drawn) * 5 // 100]
    scale, ticks = alt.Scale(domainMin=0), axis("b/s", tickCount=6)
    if wide:
        scale, ticks = log_scale("b/s", drawn)
    chart = lines(
        data(rows, choices),
        canvas,
        alt.X("goodput:Q", title="Throughput", axis=ticks, scale=scale),
        alt.Y("place:Q", title="Share of flows", axis=axis("fraction", tickCount=5), scale=alt.Scale(domain=[0, 1])),
        canvas.colour(comparison.labels, comparison.label_title),
        {
            comparison.label_title: "datum.label",
            "Throughput of at most": expression("datum.goodput", "b/s"),
            "Share of flows": expression("datum.place", "fraction"),
        },
        interpolate="step-after",
    )
    return Drawing(chart, "Distribution of throughput", f"{SUBTITLE} {comparison.pooled}".strip(), tuple(choices))


def _rows(comparison: Comparison, place: Callable[[int, int], float]) -> list[dict[str, Any]]:
    most = max(20, min(500, BUDGET // max(1, len(comparison.groups))))
    rows = [row for group in comparison.groups for row in _group_rows(group, place, most)]
    if not rows:
        raise NoData(comparison.results.why_empty("flows") or "no flow was active within the measured window")
    return rows


def _group_rows(group: Group, place: Callable[[int, int], float], most: int) -> Iterator[dict[str, Any]]:
    ordered = rates(group)
    for rank in distribution_ranks(len(ordered), most):
        yield {
            "label": group.label,
            "point": group.point,
            "place": place(rank, len(ordered)),
            "flows": len(ordered),
            "goodput": significant(ordered[rank]),
        }
