"""Time series: goodput, queue and utilisation, and what a kind of fabric samples by itself, as the run went."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import altair as alt
import pyarrow as pa

from gossamer.analysis import confidence
from gossamer.analysis.comparison import Comparison, Group
from gossamer.analysis.quantities import Kind, significant
from gossamer.analysis.series import averaged, instants, means, own_samples, samples
from gossamer.plots.canvas import (
    BUDGET,
    Canvas,
    Choice,
    Drawing,
    NoData,
    axis,
    data,
    lines,
    points_choice,
    tooltips,
    value_scale,
    with_bands,
)
from gossamer.plots.expressions import expression

__all__ = ["SERIES", "draw_own_series", "draw_series"]

SERIES: dict[str, tuple[str, Kind]] = {
    "goodput": ("Goodput over time", "b/s"),
    "queue": ("Link queues over time", "B"),
    "held": ("Bytes held over time", "B"),
    "utilisation": ("Utilisation over time", "fraction"),
}
"""What can be sampled: title of the figure, and what its values are."""
MOST_SCOPES = 24
FEWEST_SAMPLES = 20
MOST_FAULTS = 100
"""Marks that still can be told apart."""


def draw_series(comparison: Comparison, canvas: Canvas, series: str) -> Drawing:
    """One series over simulated time, of one scope at a time: everything, a class of links, or one link."""
    title, kind = SERIES[series]
    found = [(group, table) for group in comparison.groups if (table := samples(group, series)).num_rows]
    if not found:
        raise NoData(
            comparison.results.why_empty("series")
            or f"{series} was not sampled: name it in [measure] series to have it"
        )
    what = "workload" if series == "goodput" else "links"
    return _draw(comparison, canvas, found, Words(title, what, series.capitalize(), kind, _what(series)))


def draw_own_series(comparison: Comparison, canvas: Canvas) -> Drawing:
    """What a kind of fabric samples by itself over simulated time, one series at a time."""
    found = [(group, table) for group in comparison.groups if (table := own_samples(group)).num_rows]
    if not found:
        raise NoData(comparison.results.why_empty("series") or "no fabric here has series of its own")
    told = "Series that only this kind of fabric has."
    return _draw(comparison, canvas, found, Words("Inside the fabric over time", "series", "Value", "count", told))


class Words(NamedTuple):
    """What a figure of series says."""

    title: str
    choice: str
    """What is chosen among scopes."""
    value: str
    kind: Kind
    told: str


def _draw(comparison: Comparison, canvas: Canvas, found: list[tuple[Group, pa.Table]], words: Words) -> Drawing:
    loads = means(pa.concat_tables([table for _, table in found]))
    scopes = list(loads)[:MOST_SCOPES]
    most = max(FEWEST_SAMPLES, BUDGET // (len(found) * len(scopes)))
    step = max(-(-instants(table) // most) for _, table in found)
    rows = [row for group, table in found for row in _rows(group, table, scopes, step)]
    choices = list(points_choice(canvas, comparison.points))
    scale, ticks = alt.Scale(domainMin=0), axis(words.kind, tickCount=5)
    if words.kind == "B":
        scale, ticks = value_scale(words.kind, rows)
    if len(scopes) > 1:
        busiest = max(scopes, key=lambda scope: loads[scope])
        first = "all" if "all" in scopes else scopes[0] if words.choice == "series" else busiest
        choices.append(canvas.choice("scope", words.choice, scopes, first))
    chart = lines(
        data(rows, choices),
        canvas,
        alt.X("time:Q", title="Simulated time", axis=axis("ps", tickCount=6), scale=alt.Scale(nice=False)),
        alt.Y("value:Q", title=words.value, axis=ticks, scale=scale),
        canvas.colour(comparison.labels, comparison.label_title),
        {
            comparison.label_title: "datum.label",
            "Time": expression("datum.time", "ps"),
            words.value: expression("datum.value", words.kind),
        },
    )
    chart = with_bands(chart, rows, choices, canvas, "time", canvas.colour(comparison.labels, comparison.label_title))
    chart, broke = _with_faults(chart, comparison, canvas, choices)
    averaged = f"A point is the mean of {step} samples." if step > 1 else ""
    hidden = f"{len(loads) - len(scopes)} scopes are left out." if len(loads) > len(scopes) else ""
    seeds = confidence.told(comparison.seeds)
    pooled = f"Means, in bands of their confidence intervals: {seeds}." if seeds else ""
    told = " ".join(part for part in (words.told, broke, averaged, hidden, pooled) if part)
    return Drawing(chart, words.title, told, tuple(choices), 260)


def _with_faults(
    chart: alt.LayerChart, comparison: Comparison, canvas: Canvas, choices: Sequence[Choice]
) -> tuple[alt.LayerChart, str]:
    """The chart with an upright line wherever something broke or worked again, and a sentence that says so."""
    marks = list(dict.fromkeys(mark for group in comparison.groups for mark in _faults(group)))
    if not marks or len(marks) > MOST_FAULTS:
        return chart, f"{len(marks)} faults are not marked." if marks else ""
    rows = [{"label": label, "point": point, "time": time, "what": what} for label, point, time, what in marks]
    places = [choice for choice in choices if choice.field == "point"]
    drawn, tooltip = tooltips(
        data(rows, places),
        {comparison.label_title: "datum.label", "Time": expression("datum.time", "ps"), "Fault": "datum.what"},
    )
    rules = drawn.mark_rule(strokeWidth=1.4, strokeDash=[5, 4], clip=True).encode(
        x=alt.X("time:Q"), color=canvas.colour(comparison.labels, comparison.label_title), tooltip=tooltip
    )
    return chart + rules, "Dashed lines: faults and repairs."


def _faults(group: Group) -> Iterator[tuple[str, str, float, str]]:
    for run in group.runs:
        for fault in run.record.faults:
            yield group.label, group.point, fault.at_ps / 1e12, fault.what
            if fault.until_ps is not None:
                yield group.label, group.point, fault.until_ps / 1e12, f"repaired: {fault.what}"


def _what(series: str) -> str:
    if series == "goodput":
        return "Bytes handed to receivers, of all flows together or of one workload."
    if series == "held":
        return "Bytes that hosts had handed over and the fabric still had, in all its buffers and on its links."
    if series == "queue":
        return "Bytes waiting for a link, the frame being sent included: the mean over the links at each instant."
    return "Share of the time between samples in which the links were sending."


def _rows(group: Group, table: pa.Table, scopes: Sequence[str], step: int) -> Iterator[dict[str, Any]]:
    """A point for every `step` samples of each scope."""
    for scope, time_ps, value, half in averaged(table, scopes, step):
        yield {
            "label": group.label,
            "point": group.point,
            "scope": scope,
            "time": significant(time_ps / 1e12, 6),
            "value": significant(value),
            "low": None if half is None else significant(max(0.0, value - half)),
            "high": None if half is None else significant(value + half),
        }
