"""A number of several systems against the load that is offered to them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

import altair as alt

from gossamer.analysis.quantities import Kind, significant
from gossamer.plots.canvas import Canvas, Drawing, data, lines, log_scale
from gossamer.plots.expressions import expression

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart

__all__ = ["AtLoad", "drawn_by_load"]


class AtLoad(TypedDict):
    """One number of one system at one load."""

    label: str
    which: str
    """Which of its numbers, if there are several; the first that is named is drawn as a line, a second one broken."""
    load: float
    value: float


def drawn_by_load(found: Sequence[AtLoad], title: str, y: str, kind: Kind, told: str) -> "AnyChart":
    """Lines over the load, on a logarithmic axis: one timeout is hundreds of times as long as a round trip."""
    canvas = Canvas()
    rows = [{**each, "value": significant(each["value"] / (1e12 if kind == "ps" else 1))} for each in found]
    scale, ticks = log_scale(kind, [each["value"] / (1e12 if kind == "ps" else 1) for each in found])
    kinds = list(dict.fromkeys(each["which"] for each in found))
    dash = alt.StrokeDash(
        "which:N",
        title="of these",
        scale=alt.Scale(domain=kinds, range=[[1, 0], [5, 4]][: len(kinds)]),
        legend=alt.Legend() if len(kinds) > 1 and not canvas.embedded else None,
    )
    chart = lines(
        data(rows),
        canvas,
        alt.X("load:Q", title="Load L", axis=alt.Axis(tickCount=5), scale=alt.Scale(nice=False, zero=True)),
        alt.Y("value:Q", title=y, axis=ticks, scale=scale),
        canvas.colour(list(dict.fromkeys(each["label"] for each in found)), "system"),
        {
            "System": "datum.label",
            "Load": "datum.load",
            "Which": "datum.which",
            y: expression("datum.value", kind),
        },
        dash=dash,
        points=True,
    )
    return Drawing(chart, title, told).finish(canvas)
