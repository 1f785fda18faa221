"""Figures of several schemes: a number against the load, and cumulative distributions."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypedDict

import altair as alt

from gossamer.analysis.quantities import Kind, significant
from gossamer.plots.canvas import Canvas, Drawing, axis, data, lines, log_scale
from gossamer.plots.expressions import expression

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart

__all__ = ["AtLoad", "drawn_as_shares", "drawn_by_load"]


class AtLoad(TypedDict):
    """One number of one scheme at one load."""

    label: str
    load: float
    value: float


def drawn_by_load(found: Sequence[AtLoad], title: str, y: str, kind: Kind, told: str) -> "AnyChart":
    """A line for each scheme over the load; on a logarithmic axis where the numbers are ratios."""
    canvas = Canvas()
    rows = [{**each, "value": significant(each["value"])} for each in found]
    scale, ticks = alt.Scale(domainMin=0), axis(kind, tickCount=5)
    if kind == "ratio":
        scale, ticks = log_scale(kind, [1.0, *(each["value"] for each in found)])
    chart = lines(
        data(rows),
        canvas,
        alt.X("load:Q", title="Load", axis=axis("fraction", tickCount=5), scale=alt.Scale(domain=[0, 1])),
        alt.Y("value:Q", title=y, axis=ticks, scale=scale),
        canvas.colour(list(dict.fromkeys(each["label"] for each in found)), "scheme"),
        {"Scheme": "datum.label", "Load": expression("datum.load", "fraction"), y: expression("datum.value", kind)},
        points=True,
    )
    return Drawing(chart, title, told).finish(canvas)


def drawn_as_shares(found: Mapping[str, Sequence[tuple[int, int, int]]], title: str, told: str) -> "AnyChart":
    """The share of values that are no larger than each, from buckets: bounds in ps, and how many values they hold."""
    canvas = Canvas()
    rows: list[dict[str, Any]] = []
    for label, buckets in found.items():
        total = sum(count for *_, count in buckets)
        up_to = accumulate((count for *_, count in buckets), initial=0)
        rows += [
            {"label": label, "value": significant(value / 1e12, 5), "share": significant(below / total)}
            for (low, high, count), before in zip(buckets, up_to, strict=False)
            for value, below in ((low, before), (high, before + count))
        ]
    scale, ticks = log_scale("ps", [row["value"] for row in rows])
    chart = lines(
        data(rows),
        canvas,
        alt.X("value:Q", title="Latency", axis=ticks, scale=scale),
        alt.Y("share:Q", title="Share of packets", axis=axis("fraction", tickCount=5), scale=alt.Scale(domain=[0, 1])),
        canvas.colour(list(found), "scheme"),
        {
            "Scheme": "datum.label",
            "Latency": expression("datum.value", "ps"),
            "Packets no later": expression("datum.share", "fraction"),
        },
    )
    return Drawing(chart, title, told).finish(canvas)
