"""Completion times themselves, where flows have few sizes: their distribution, and their medians by size."""

from collections.abc import Sequence
from typing import Any, TypedDict

import altair as alt

from gossamer.analysis.quantities import significant
from gossamer.plots.canvas import Canvas, Drawing, axis, data, lines, log_scale
from gossamer.plots.expressions import expression

__all__ = ["Completion", "draw_by_size", "draw_share"]


class Completion(TypedDict):
    """One flow that is complete."""

    label: str
    bytes: int
    fct_ps: int


def draw_share(flows: Sequence[Completion], canvas: Canvas) -> Drawing:
    """The share of flows that are complete within each time."""
    rows: list[dict[str, Any]] = []
    for label in _labels(flows):
        times = sorted(flow["fct_ps"] for flow in flows if flow["label"] == label)
        rows += [
            {"label": label, "time": significant(time / 1e12), "share": significant((place + 1) / len(times))}
            for place, time in enumerate(times)
        ]
    scale, ticks = log_scale("ps", [row["time"] for row in rows])
    chart = lines(
        data(rows),
        canvas,
        alt.X("time:Q", title="Completion time", scale=scale, axis=ticks),
        alt.Y("share:Q", title="Share of flows", axis=axis("fraction", tickCount=5), scale=alt.Scale(domain=[0, 1])),
        canvas.colour(_labels(flows), "variant"),
        {
            "Variant": "datum.label",
            "Completion time of at most": expression("datum.time", "ps"),
            "Share of flows": expression("datum.share", "fraction"),
        },
        interpolate="step-after",
    )
    return Drawing(chart, "Completion times", "All flows that are complete.")


def draw_by_size(flows: Sequence[Completion], canvas: Canvas) -> Drawing:
    """The median completion time of each size, and the slowest as broken lines."""
    rows: list[dict[str, Any]] = []
    for label in _labels(flows):
        for size in sorted({flow["bytes"] for flow in flows if flow["label"] == label}):
            times = sorted(flow["fct_ps"] for flow in flows if flow["label"] == label and flow["bytes"] == size)
            rows += [
                {"label": label, "bytes": size, "which": which, "time": significant(time / 1e12)}
                for which, time in (("median", times[len(times) // 2]), ("slowest", times[-1]))
            ]
    across, places = log_scale("B", [row["bytes"] for row in rows])
    up, ticks = log_scale("ps", [row["time"] for row in rows])
    dash = alt.StrokeDash(
        "which:N",
        title="flow",
        scale=alt.Scale(domain=["median", "slowest"], range=[[1, 0], [5, 4]]),
        legend=None if canvas.embedded else alt.Legend(),
    )
    chart = lines(
        data(rows),
        canvas,
        alt.X("bytes:Q", title="Flow size", scale=across, axis=places),
        alt.Y("time:Q", title="Completion time", scale=up, axis=ticks),
        canvas.colour(_labels(flows), "variant"),
        {
            "Variant": "datum.label",
            "Flow size": expression("datum.bytes", "B"),
            "Flow": "datum.which",
            "Completion time": expression("datum.time", "ps"),
        },
        dash=dash,
        points=True,
    )
    return Drawing(chart, "Completion times by size", "The median and the slowest flow of each size.")


def _labels(flows: Sequence[Completion]) -> list[str]:
    return list(dict.fromkeys(flow["label"] for flow in flows))
