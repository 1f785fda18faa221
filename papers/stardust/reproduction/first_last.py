"""When the first and the last of flows that start together are complete: how fair an incast is, and how fast."""

from collections.abc import Sequence
from typing import TypedDict

import altair as alt

from gossamer.analysis.quantities import significant
from gossamer.plots.canvas import Canvas, axis, data, lines
from gossamer.plots.expressions import expression

__all__ = ["FirstLast", "draw_first_last"]


class FirstLast(TypedDict):
    """The flows of one run that started together."""

    label: str
    senders: int
    first_ps: int
    last_ps: int


def draw_first_last(found: Sequence[FirstLast], canvas: Canvas) -> alt.LayerChart:
    """First and last completion time against the number of senders; the last are lines, the first broken lines."""
    rows = [
        {"label": each["label"], "senders": each["senders"], "which": which, "time": significant(time / 1e12, 6)}
        for each in sorted(found, key=lambda each: each["senders"])
        for which, time in (("last", each["last_ps"]), ("first", each["first_ps"]))
    ]
    dash = alt.StrokeDash(
        "which:N",
        title="response",
        scale=alt.Scale(domain=["last", "first"], range=[[1, 0], [5, 4]]),
        legend=None if canvas.embedded else alt.Legend(),
    )
    return lines(
        data(rows),
        canvas,
        alt.X("senders:Q", title="Senders", axis=axis("count", tickCount=8), scale=alt.Scale(nice=False, zero=True)),
        alt.Y("time:Q", title="Completion time", axis=axis("ps", tickCount=6), scale=alt.Scale(zero=True)),
        canvas.colour(list(dict.fromkeys(each["label"] for each in found)), "variant"),
        {
            "Variant": "datum.label",
            "Senders": expression("datum.senders", "count"),
            "Response": "datum.which",
            "Completion time": expression("datum.time", "ps"),
        },
        dash=dash,
        points=True,
    )
