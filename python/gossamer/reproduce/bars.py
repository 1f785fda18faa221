"""Bars of measured numbers beside each other, with what was expected of each as a mark across."""

from collections.abc import Sequence
from typing import TypedDict

import altair as alt

from gossamer.analysis.quantities import Kind, significant
from gossamer.plots.canvas import Canvas, axis, data, ink, tooltips
from gossamer.plots.expressions import expression

__all__ = ["Bar", "draw_bars"]


class Bar(TypedDict):
    """One bar. `expected` is None where nothing is expected of it."""

    place: str
    """Where it stands on the horizontal axis, beside the bars of other labels."""
    label: str
    value: float
    expected: float | None


def draw_bars(bars: Sequence[Bar], canvas: Canvas, kind: Kind, x: str | None, y: str, label: str) -> alt.LayerChart:
    """A bar for each measured number, grouped by place and coloured by label; a mark where it was expected to end."""
    labels = list(dict.fromkeys(bar["label"] for bar in bars))
    places = list(dict.fromkeys(bar["place"] for bar in bars))
    rows = [
        {
            **bar,
            "value": significant(bar["value"]),
        }
        for bar in bars
    ]
    base, tooltip = tooltips(
        data(rows),
        {
            label.capitalize(): "datum.label",
            (x or "At").capitalize(): "datum.place",
            y: expression("datum.value", kind),
            "Expected": f"datum.expected === null ? 'nothing' : {expression('datum.expected', kind)}",
        },
    )
    across = alt.X("place:N", title=x, sort=places, axis=alt.Axis(labelAngle=0))
    beside = alt.XOffset("label:N", sort=labels)
    up = alt.Y("value:Q", title=y, axis=axis(kind, tickCount=5), scale=alt.Scale(domainMin=0))
    # Squares: the legend of other figures draws lines, and bars have none.
    several = len(labels) > 1 and not canvas.embedded
    legend = alt.Legend(title=label, columns=4, symbolType="square") if several else None
    colour = alt.Color("label:N", scale=alt.Scale(domain=labels), legend=legend)
    drawn = base.mark_bar(cornerRadiusEnd=2).encode(x=across, xOffset=beside, y=up, color=colour, tooltip=tooltip)
    marks = (
        base.transform_filter("datum.expected !== null")
        .mark_tick(thickness=2.5, width=34, color=ink(canvas.theme))
        .encode(x=across, xOffset=beside, y=alt.Y("expected:Q"), tooltip=tooltip)
    )
    return alt.LayerChart(layer=[drawn, marks])
