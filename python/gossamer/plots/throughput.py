"""Throughput of single flows: in increasing order, and their distribution."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Any

import altair as alt

from gossamer.analysis.comparison import Comparison, Group, by_seed
from gossamer.analysis.flows import rates
from gossamer.analysis.quantities import significant
from gossamer.analysis.samples import distribution_ranks
from gossamer.plots.canvas import (
    BUDGET,
    Canvas,
    Drawing,
    NoData,
    axis,
    data,
    interval,
    lines,
    log_scale,
    points_choice,
    with_bands,
)
from gossamer.plots.expressions import expression

__all__ = ["draw_throughput_cdf", "draw_throughput_rank"]

SUBTITLE = (
    "Bytes that each measured flow delivered within the measured window, over the part of the window in which it was "
    "active."
)


def draw_throughput_rank(comparison: Comparison, canvas: Canvas) -> Drawing:
    """Throughput of every flow, the slowest first, as in figures of permutation traffic."""
    rows = _rows(comparison, _in_order)
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
    rows = _rows(comparison, _distribution)
    choices = list(points_choice(canvas, comparison.points))
    drawn = sorted(row["goodput"] for row in rows)
    wide = drawn[0] > 0 and drawn[len(drawn) * 95 // 100] > 30 * drawn[len(drawn) * 5 // 100]
    scale, ticks = alt.Scale(domainMin=0), axis("b/s", tickCount=6)
    colour = canvas.colour(comparison.labels, comparison.label_title)
    if wide:
        scale, ticks = log_scale("b/s", drawn)
    chart = lines(
        data(rows, choices),
        canvas,
        alt.X("goodput:Q", title="Throughput", axis=ticks, scale=scale),
        alt.Y("place:Q", title="Share of flows", axis=axis("fraction", tickCount=5), scale=alt.Scale(domain=[0, 1])),
        colour,
        {
            comparison.label_title: "datum.label",
            "Throughput of at most": expression("datum.goodput", "b/s"),
            "Share of flows": expression("datum.place", "fraction"),
        },
        interpolate="step-after",
    )
    chart = with_bands(chart, rows, choices, canvas, "goodput", colour, interpolate="step-after")
    return Drawing(
        chart, "Distribution of throughput", f"{SUBTITLE} {comparison.pooled_in_bands}".strip(), tuple(choices)
    )


def _rows(comparison: Comparison, of: Callable[[Group, int], Iterator[dict[str, Any]]]) -> list[dict[str, Any]]:
    most = max(20, min(500, BUDGET // max(1, len(comparison.groups))))
    rows = [
        {"label": group.label, "point": group.point} | row for group in comparison.groups for row in of(group, most)
    ]
    if not rows:
        raise NoData(comparison.results.why_empty("flows") or "no flow was active within the measured window")
    return rows


def _in_order(group: Group, most: int) -> Iterator[dict[str, Any]]:
    ordered = rates(group)
    for rank in distribution_ranks(len(ordered), most):
        yield {"place": rank + 1, "flows": len(ordered), "goodput": significant(ordered[rank])}


def _distribution(group: Group, most: int) -> Iterator[dict[str, Any]]:
    ordered = rates(group)
    seeds = [rates(one) for one in by_seed(group) if rates(one)]
    for rank in distribution_ranks(len(ordered), most):
        rate, share = ordered[rank], (rank + 1) / len(ordered)
        shares = [bisect_right(those, rate) / len(those) for those in seeds]
        yield {"place": significant(share), "goodput": significant(rate)} | interval(share, shares, 1.0)
