"""Tails of distributions beside a model of them: the share of values at or above each."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from gossamer.plots.canvas import Canvas, axis, data, lines, log_scale
from gossamer.plots.quantities import Kind, expression, significant

__all__ = ["Tail", "draw_tails"]

Tail = Sequence[tuple[float, float]]
"""Values in increasing order, and the share of all that is at or above each."""


def draw_tails(
    measured: Mapping[str, Tail],
    modelled: Mapping[str, Tail],
    canvas: Canvas,
    kind: Kind,
    title: str,
    of: str,
    lowest: float,
) -> alt.LayerChart:
    """A line for each label, and a broken one where a model says how it should be; shares below `lowest` are cut."""
    rows: list[dict[str, Any]] = [
        {"label": label, "which": which, "value": significant(value), "share": significant(share)}
        for which, tails in (("measured", measured), ("model", modelled))
        for label, tail in tails.items()
        for value, share in tail
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
        canvas.colour(list(measured), "load"),
        {
            "Load": "datum.label",
            "": "datum.which",
            title: expression("datum.value", kind),
            f"Share of {of} at or above": expression("datum.share", "fraction"),
        },
        dash=dash,
    )
