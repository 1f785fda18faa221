"""Figures of packet-processing data paths: throughput by packet size and by mix, and how many are needed."""

from collections.abc import Mapping, Sequence

import altair as alt

from gossamer.analysis.quantities import significant
from gossamer.pipeline import Row
from gossamer.plots.canvas import Canvas, Drawing, axis, data, ink, lines, tooltips
from gossamer.plots.expressions import expression

__all__ = ["draw_by_mix", "draw_by_size", "draw_needed"]

NAMES: Mapping[str, str] = {
    "packed-cells": "packed cells",
    "reference-switch": "Reference Switch",
    "cells": "non-packed cells",
    "ndp-switch": "NDP switch",
}
"""What designs are called in a figure, in the order of their colours."""


def draw_by_size(rows: Sequence[Row], canvas: Canvas, title: str, subtitle: str) -> Drawing:
    """Throughput as a share of the line rate against packet size, a line for each design."""
    shown = [
        {"label": NAMES[row["design"]], "size": row["size"], "share": significant(row["throughput"])} for row in rows
    ]
    chart = lines(
        data(shown),
        canvas,
        alt.X("size:Q", title="Packet size", axis=axis("B", tickCount=8), scale=alt.Scale(nice=False, zero=False)),
        alt.Y(
            "share:Q",
            title="Throughput, of the line rate",
            axis=axis("fraction", tickCount=6),
            scale=alt.Scale(domain=[0.4, 1]),
        ),
        canvas.colour(_labels(rows), "design"),
        {
            "Design": "datum.label",
            "Packet size": "datum.size + ' B'",
            "Throughput": expression("datum.share", "fraction"),
        },
    )
    return Drawing(chart, title, subtitle)


def draw_by_mix(rows: Sequence[Row], canvas: Canvas, title: str, subtitle: str) -> Drawing:
    """Throughput as a share of the line rate for each mix of packet sizes, a bar for each design."""
    shown = [
        {"label": NAMES[row["design"]], "mix": row["size"], "share": significant(row["throughput"])} for row in rows
    ]
    base, tooltip = tooltips(
        data(shown),
        {"Design": "datum.label", "Mix": "datum.mix", "Throughput": expression("datum.share", "fraction")},
    )
    labels = _labels(rows)
    across = alt.X("mix:N", title=None, sort=None, axis=alt.Axis(labelAngle=0))
    beside = alt.XOffset("label:N", sort=labels)
    up = alt.Y(
        "share:Q",
        title="Throughput, of the line rate",
        axis=axis("fraction", tickCount=6),
        scale=alt.Scale(domain=[0, 1.05]),
    )
    colour = alt.Color(
        "label:N", scale=alt.Scale(domain=labels), legend=alt.Legend(title="design", columns=4, symbolType="square")
    )
    bars = base.mark_bar().encode(x=across, xOffset=beside, y=up, color=colour, tooltip=tooltip)
    numbers = (
        base.transform_calculate(text=expression("datum.share", "fraction"))
        .mark_text(dy=-7, color=ink(canvas.theme))
        .encode(x=across, xOffset=beside, y=up, text="text:N")
    )
    return Drawing(alt.LayerChart(layer=[bars, numbers]), title, subtitle, isolates=False)


def draw_needed(rows: Sequence[Row], canvas: Canvas, title: str, subtitle: str) -> Drawing:
    """How many data paths side by side are needed, against packet size."""
    names = {**NAMES, "reference-switch": "standard switch"}
    shown = [
        {"label": names[row["design"]], "size": row["size"], "needed": significant(row["pipelines_needed"])}
        for row in rows
    ]
    chart = lines(
        data(shown),
        canvas,
        alt.X("size:Q", title="Packet size", axis=axis("B", tickCount=8), scale=alt.Scale(nice=False, zero=False)),
        alt.Y("needed:Q", title="Data paths needed", axis=axis("count", tickCount=6), scale=alt.Scale(domainMin=0)),
        canvas.colour([names[design] for design in NAMES if any(row["design"] == design for row in rows)], "design"),
        {
            "Design": "datum.label",
            "Packet size": "datum.size + ' B'",
            "Data paths": expression("datum.needed", "ratio"),
        },
    )
    return Drawing(chart, title, subtitle)


def _labels(rows: Sequence[Row]) -> list[str]:
    """The designs' names in the order of their colours."""
    return [name for design, name in NAMES.items() if any(row["design"] == design for row in rows)]
