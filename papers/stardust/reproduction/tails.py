"""Tails of distributions beside a model of them: the share of values at or above each."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import altair as alt

from gossamer.analysis.quantities import Kind, significant
from gossamer.plots.canvas import Canvas, axis, data, lines, log_scale
from gossamer.plots.expressions import expression
from gossamer.results import Run

__all__ = ["Tail", "buckets", "draw_tails", "tail"]

Tail = Sequence[tuple[float, float]]
"""Values in increasing order, and the share of all that is at or above each."""


def buckets(run: Run, histogram: str) -> list[dict[str, Any]]:
    """The buckets of a distribution, in increasing order."""
    rows = [row for row in run.histograms.to_pylist() if row["histogram"] == histogram and row["count"]]
    return sorted(rows, key=lambda row: int(row["lower"]))


def tail(run: Run, histogram: str, unit: float) -> Tail:
    """The share of values at or above the lower bound of each bucket, in multiples of `unit`."""
    found = buckets(run, histogram)
    total = sum(row["count"] for row in found)
    below = accumulate((row["count"] for row in found), initial=0)
    return [(row["lower"] / unit, 1 - before / total) for row, before in zip(found, below, strict=False)]


def draw_tails(
    measured: Mapping[str, Tail],
    modelled: Mapping[str, Tail],
    canvas: Canvas,
    kind: Kind,
    title: str,
    of: str,
    lowest: float,
    label: str = "load",
) -> alt.LayerChart:
    """A line for each label, and a broken one where a model says how it should be; shares below `lowest` are cut."""
    rows: list[dict[str, Any]] = [
        {"label": name, "which": which, "value": significant(value), "share": significant(share)}
        for which, tails in (("measured", measured), ("model", modelled))
        for name, each in tails.items()
        for value, share in each
        if share >= lowest
    ]
    scale, ticks = log_scale("fraction", [row["share"] for row in rows])
    dash: Any = alt.Undefined
    if modelled:
        legend = None if canvas.embedded else alt.Legend()
        dash = alt.StrokeDash(
            "which:N",
            title=None,
            scale=alt.Scale(domain=["measured", "model"], range=[[1, 0], [4, 4]]),
            legend=legend,
        )
    return lines(
        data(rows),
        canvas,
        alt.X("value:Q", title=title, axis=axis(kind, tickCount=8), scale=alt.Scale(zero=True, nice=False)),
        alt.Y("share:Q", title=f"Share of {of} at or above", axis=ticks, scale=scale),
        canvas.colour(list(measured), label),
        {
            label.capitalize(): "datum.label",
            "": "datum.which",
            title: expression("datum.value", kind),
            f"Share of {of} at or above": expression("datum.share", "fraction"),
        },
        dash=dash,
    )
