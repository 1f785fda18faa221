"""Time series: goodput, queue and utilisation, and what a kind of fabric samples by itself, as the run went."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import altair as alt
import pyarrow as pa
import pyarrow.compute as pc

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
)
from gossamer.plots.comparison import Comparison, Group
from gossamer.plots.quantities import Kind, expression, significant
from gossamer.plots.samples import gather, values

__all__ = ["SERIES", "draw_own_series", "draw_series"]

SERIES: dict[str, tuple[str, Kind]] = {
    "goodput": ("Goodput over time", "b/s"),
    "queue": ("Link queues over time", "B"),
    "held": ("Bytes held over time", "B"),
    "utilisation": ("Utilisation over time", "fraction"),
}
"""What can be sampled: title of the figure, and what its values are."""
COLUMNS = ["time_ps", "scope", "value", "series"]
MOST_SCOPES = 24
FEWEST_SAMPLES = 20
MOST_FAULTS = 100
"""Marks that still can be told apart."""


def draw_series(comparison: Comparison, canvas: Canvas, series: str) -> Drawing:
    """One series over simulated time, of one scope at a time: everything, a class of links, or one link."""
    title, kind = SERIES[series]
    found = [(group, _samples(group, series)) for group in comparison.groups]
    found = [(group, samples) for group, samples in found if samples.num_rows]
    if not found:
        raise NoData(
            comparison.results.why_empty("series")
            or f"{series} was not sampled: name it in [measure] series to have it"
        )
    what = "workload" if series == "goodput" else "links"
    return _draw(comparison, canvas, found, Words(title, what, series.capitalize(), kind, _what(series)))


def draw_own_series(comparison: Comparison, canvas: Canvas) -> Drawing:
    """What a kind of fabric samples by itself over simulated time, one series at a time."""
    found = [(group, _own_samples(group)) for group in comparison.groups]
    found = [(group, samples) for group, samples in found if samples.num_rows]
    if not found:
        raise NoData(comparison.results.why_empty("series") or "no fabric here samples anything by itself")
    told = "What only this kind of fabric samples."
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
    means = _means(pa.concat_tables([samples for _, samples in found]))
    scopes = list(means)[:MOST_SCOPES]
    most = max(FEWEST_SAMPLES, BUDGET // (len(found) * len(scopes)))
    step = max(_step(samples, most) for _, samples in found)
    rows = [row for group, samples in found for row in _rows(group, samples, scopes, step)]
    choices = list(points_choice(canvas, comparison.points))
    scale, ticks = alt.Scale(domainMin=0), axis(words.kind, tickCount=5)
    if words.kind == "B":
        scale, ticks = value_scale(words.kind, rows)
    if len(scopes) > 1:
        busiest = max(scopes, key=lambda scope: means[scope])
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
    chart, broke = _with_faults(chart, comparison, canvas, choices)
    averaged = f"A point is the mean of {step} samples." if step > 1 else ""
    hidden = f"{len(means) - len(scopes)} scopes are left out." if len(means) > len(scopes) else ""
    pooled = f"Mean of {comparison.seeds} seeds." if comparison.seeds > 1 else ""
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
    return chart + rules, "Broken lines: something broke, or worked again."


def _faults(group: Group) -> Iterator[tuple[str, str, float, str]]:
    for run in group.runs:
        for fault in run.record.faults:
            yield group.label, group.point, fault.at_ps / 1e12, fault.what
            if fault.until_ps is not None:
                yield group.label, group.point, fault.until_ps / 1e12, f"over: {fault.what}"


def _what(series: str) -> str:
    if series == "goodput":
        return "Bytes handed to receivers, of all flows together or of one workload."
    if series == "held":
        return "Bytes that hosts had handed over and the fabric still had, in all its buffers and on its links."
    if series == "queue":
        return "Bytes waiting for a link, the frame being sent included: the mean over the links at each instant."
    return "Share of the time between samples in which the links were sending."


def _samples(group: Group, series: str) -> pa.Table:
    table = gather(group.runs, "series", COLUMNS).filter(pc.field("series") == series)
    scope = table.column("scope").cast(pa.string())
    return pa.table({"time_ps": table.column("time_ps"), "scope": scope, "value": table.column("value")})


def _own_samples(group: Group) -> pa.Table:
    """Samples of series that are a fabric's own, which are told apart by their names and units."""
    table = gather(group.runs, "series", [*COLUMNS, "unit"])
    names = table.column("series").cast(pa.string())
    table = table.filter(pc.invert(pc.is_in(names, pa.array(list(SERIES)))))
    named = zip(values(table, "series"), values(table, "unit"), strict=True)
    scope = pa.array([f"{name} ({unit})" for name, unit in named], pa.string())
    return pa.table({"time_ps": table.column("time_ps"), "scope": scope, "value": table.column("value")})


def _means(samples: pa.Table) -> dict[str, float]:
    """Scopes in the order in which they appear, and the mean value of each."""
    table = samples.group_by("scope", use_threads=False).aggregate([("value", "mean")])
    return dict(zip(values(table, "scope"), values(table, "value_mean"), strict=True))


def _step(samples: pa.Table, most: int) -> int:
    """How many samples make one point, for at most `most` points a line."""
    return -(-len(pc.unique(samples.column("time_ps"))) // most)


def _rows(group: Group, samples: pa.Table, scopes: list[str], step: int) -> Iterator[dict[str, Any]]:
    """The mean of every `step` samples of each scope, at the mean of their times."""
    times: list[int] = sorted(set(values(samples, "time_ps")))
    place = {time: number // step for number, time in enumerate(times)}
    gathered: defaultdict[tuple[str, int], list[tuple[int, float]]] = defaultdict(list)
    for time, scope, value in zip(*(values(samples, name) for name in samples.column_names), strict=True):
        gathered[scope, place[time]].append((time, value))
    for scope in scopes:
        for number in range(-(-len(times) // step)):
            among = gathered.get((scope, number))
            if among:
                yield {
                    "label": group.label,
                    "point": group.point,
                    "scope": scope,
                    "time": significant(sum(time for time, _ in among) / len(among) / 1e12, 6),
                    "value": significant(sum(value for _, value in among) / len(among)),
                }
