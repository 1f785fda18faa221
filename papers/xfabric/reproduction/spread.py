"""Numbers that were measured with several seeds: their mean and its confidence interval."""

from collections.abc import Sequence
from typing import TypedDict

import altair as alt

from gossamer.analysis.quantities import Kind, significant
from gossamer.plots.canvas import Canvas, axis, data, ink, log_scale, tooltips
from gossamer.plots.expressions import expression

__all__ = ["Spread", "draw_curves", "draw_groups"]


class Spread(TypedDict):
    """A mean and its confidence interval: of a single seed, the mean itself. `expected` is None where nothing is."""

    place: str | float
    """Where it stands on the horizontal axis: a word in groups, a number on curves."""
    label: str
    mean: float
    low: float
    high: float
    expected: float | None


def draw_groups(spreads: Sequence[Spread], canvas: Canvas, kind: Kind, y: str, label: str) -> alt.LayerChart:
    """A bar for each mean, by place and coloured by label, a line over its interval, a mark where expected."""
    labels = list(dict.fromkeys(spread["label"] for spread in spreads))
    base, tooltip = tooltips(data(_rows(spreads)), _tips(kind, label, y, "datum.place"))
    across = alt.X("place:N", title=None, sort=None, axis=alt.Axis(labelAngle=0))
    beside = alt.XOffset("label:N", sort=labels)
    up = alt.Y("mean:Q", title=y, axis=axis(kind, tickCount=6), scale=alt.Scale(domainMin=0))
    legend = alt.Legend(title=label, columns=4, symbolType="square")
    colour = alt.Color("label:N", scale=alt.Scale(domain=labels), legend=legend)
    where = base.encode(x=across, xOffset=beside, tooltip=tooltip)
    bars = where.mark_bar(cornerRadiusEnd=2).encode(y=up, color=colour)
    ends = where.mark_rule(strokeWidth=2, color=ink(canvas.theme)).encode(y=alt.Y("low:Q"), y2="high:Q")
    marks = (
        base.transform_filter("datum.expected !== null")
        .mark_tick(thickness=2.5, width=34, color=ink(canvas.theme))
        .encode(x=across, xOffset=beside, y=alt.Y("expected:Q"), tooltip=tooltip)
    )
    return alt.LayerChart(layer=[bars, ends, marks])


def draw_curves(
    spreads: Sequence[Spread], canvas: Canvas, kind: Kind, x: str, y: str, label: str, *, log_y: bool = False
) -> alt.LayerChart:
    """A line through the means of each label, and lines over their intervals; both over a logarithmic axis."""
    labels = list(dict.fromkeys(spread["label"] for spread in spreads))
    base, tooltip = tooltips(data(_rows(spreads)), _tips(kind, label, y, "format(datum.place, ',')"))
    places = sorted({float(spread["place"]) for spread in spreads})
    scale, _ = log_scale("count", places)
    ticks = alt.Axis(values=places, labelExpr="format(datum.value, ',')", labelOverlap="greedy")
    across = alt.X("place:Q", title=x, scale=scale, axis=ticks)
    up = alt.Y("mean:Q", title=y, axis=axis(kind, tickCount=6), scale=alt.Scale(zero=False))
    if log_y:
        lengths, steps = log_scale(kind, [spread[end] for spread in spreads for end in ("low", "high")])
        up = alt.Y("mean:Q", title=y, axis=steps, scale=lengths)
    colour = canvas.colour(labels, label)
    isolation = canvas.isolation()
    where = base.encode(x=across, color=colour, opacity=canvas.opacity(isolation), tooltip=tooltip)
    line = where.mark_line(strokeWidth=2.2).encode(y=up).add_params(isolation)
    points = where.mark_circle(size=40).encode(y=up)
    ends = where.mark_rule(strokeWidth=1.5).encode(y=alt.Y("low:Q"), y2="high:Q")
    return alt.LayerChart(layer=[line, ends, points])


def _rows(spreads: Sequence[Spread]) -> list[dict[str, object]]:
    return [
        {
            **spread,
            "mean": significant(spread["mean"]),
            "low": significant(spread["low"]),
            "high": significant(spread["high"]),
        }
        for spread in spreads
    ]


def _tips(kind: Kind, label: str, y: str, place: str) -> dict[str, str]:
    low, high = (expression(f"datum.{end}", kind) for end in ("low", "high"))
    return {
        label.capitalize(): "datum.label",
        "At": place,
        y: expression("datum.mean", kind),
        "95 % confidence": f"{low} + ' to ' + {high}",
        "In the paper": f"datum.expected === null ? '' : {expression('datum.expected', kind)}",
    }
