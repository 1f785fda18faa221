"""A metric against a swept axis, a line for each variant or value of a second axis; a heat map of two axes."""

from collections.abc import Iterable, Iterator
from math import log
from typing import Any

import altair as alt

from gossamer.analysis import confidence
from gossamer.analysis.comparison import COLOURS, Comparison
from gossamer.analysis.metrics import Metric, Spread, metric, of_group, of_interest
from gossamer.analysis.quantities import around, significant, text
from gossamer.errors import choices as expected
from gossamer.plots.canvas import Canvas, Choice, Drawing, NoData, axis, data, log_scale, tooltips
from gossamer.plots.expressions import expression
from gossamer.plots.themes import THEMES
from gossamer.results import Run

__all__ = ["draw_sweep", "draw_sweep_map"]


def draw_sweep(comparison: Comparison, canvas: Canvas, key: str, axis_name: str | None = None) -> Drawing:
    """Metric `key` of the summary against a swept axis, the first one unless it is named.

    Several seeds are drawn as their mean, with a bar over its confidence interval. Where one other axis is swept and
    there are no variants, each of its values is a line; else one value of the other axes is shown at a time.

    Raises:
        InputError: no metric is called `key`.
        NoData: nothing is swept, or no run has that metric.
    """
    measured = metric(key)
    keys = _keys(comparison)
    name = axis_name or next(iter(keys))
    if name not in keys:
        raise NoData(f"no swept axis is called {name!r}; {expected(keys)}")
    runs = comparison.results.runs
    values = [value for run in runs if (value := run.sweep.get(keys[name])) is not None]
    if len(set(values)) < 2:
        raise NoData(f"{name} has one value only")
    rows = list(_rows(comparison, keys, name, measured))
    if not rows:
        raise NoData(f"no run has a {measured.name}")
    if measured.kind == "count" and not any(row["value"] for row in rows):
        raise NoData(f"no run has any {measured.name}")
    labels = list(dict.fromkeys(run.variant or "all runs" for run in runs))
    others = list(dict.fromkeys(row["others"] for row in rows))
    colours = "variant"
    if len(labels) == 1 and 1 < len(others) <= COLOURS:
        rows = [row | {"label": row["others"], "others": ""} for row in rows]
        labels, others, colours = others, [""], " and ".join(short for short in keys if short != name)
    choices: list[Choice] = [canvas.choice("others", "other axes", others)] if len(others) > 1 else []
    numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    across = _across(values, name, numeric=numeric)
    chart = _chart(rows, choices, canvas, measured, name, labels, across=across, colours=colours)
    told = [measured.definition]
    if any(row["bound"] for row in rows):
        told.append("Triangles are lower bounds, since flows had not finished when the run ended.")
    if comparison.seeds > 1:
        told.append(f"Mean, with a bar over its confidence interval: {confidence.told(comparison.seeds)}.")
    return Drawing(
        chart,
        f"{measured.name[0].upper()}{measured.name[1:]} against {name}",
        " ".join(told),
        tuple(choices),
        isolates=comparison.label_title == "variant" and colours == "variant",
    )


def draw_sweep_map(comparison: Comparison, canvas: Canvas) -> Drawing:
    """Metrics of the summary against two swept axes, as a heat map with its numbers."""
    keys = _keys(comparison)
    if len(keys) < 2:
        raise NoData("only one axis is swept, which lines show better")
    runs = comparison.results.runs
    across, upright = list(keys)[:2]
    rows = [row for measured in of_interest(runs) for row in _map_rows(comparison, keys, (across, upright), measured)]
    if not rows:
        raise NoData("no run left a summary")
    choices = []
    for field, title in (("label", "variant"), ("others", "other axes")):
        options = list(dict.fromkeys(row[field] for row in rows))
        if len(options) > 1:
            choices.append(canvas.choice(field, title, options, options[0]))
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    choices.append(
        canvas.choice("measure", "what", measures, next((each for each in measures if "99th" in each), measures[0]))
    )
    base, tooltip = tooltips(
        data(rows, choices),
        {"variant": "datum.label", across: "datum.x", upright: "datum.y", "Value": "datum.told"},
    )
    x = alt.X("x:O", title=across, sort=_sorted(runs, keys[across]), axis=alt.Axis(labelAngle=0, labelOverlap="greedy"))
    y = alt.Y("y:O", title=upright, sort=_sorted(runs, keys[upright])[::-1])
    squares = base.mark_rect(stroke=None).encode(
        x=x, y=y, color=alt.Color("shade:Q", scale=alt.Scale(domain=[0, 1]), legend=None), tooltip=tooltip
    )
    # Both themes run from the paper's colour to its opposite, so beyond the middle the paper's colour is readable.
    words = base.mark_text(fontSize=12).encode(
        x=x,
        y=y,
        text=alt.Text("text:N"),
        color=alt.ColorValue(
            **alt.condition("datum.shade > 0.5", alt.value(alt.ExprRef("paper")), alt.value(alt.ExprRef("ink")))
        ),
    )
    theme = THEMES[canvas.theme]
    chart = alt.LayerChart(layer=[squares, words]).add_params(
        alt.param(name="ink", value=theme.ink), alt.param(name="paper", value=theme.paper)
    )
    subtitle = (
        "Darker is more in the light theme, brighter is more in the dark theme; the scale is logarithmic where values "
        "span more than a decade."
    )
    if comparison.seeds > 1:
        seeds = confidence.told(comparison.seeds)
        subtitle += f" Means; a cell that is pointed at shows its confidence interval: {seeds}."
    height = 60 + 44 * len(_sorted(runs, keys[upright]))
    return Drawing(chart, f"Against {across} and {upright}", subtitle, tuple(choices), height, isolates=False)


def _keys(comparison: Comparison) -> dict[str, str]:
    """Swept axes: short name, and full key."""
    keys = {short: full for full, short in comparison.axes.items()}
    if not keys:
        raise NoData("nothing is swept: the experiment file has no [sweep], or sweeps only the seed")
    return keys


def _sorted(runs: tuple[Run, ...], key: str) -> list[str]:
    """The values of an axis as text: numbers in order, anything else in that of the file."""
    values = list(dict.fromkeys(run.sweep[key] for run in runs if key in run.sweep))
    if all(isinstance(value, int | float) for value in values):
        values.sort()
    return [str(value) for value in values]


def _map_rows(
    comparison: Comparison, keys: dict[str, str], pair: tuple[str, str], measured: Metric
) -> list[dict[str, Any]]:
    """A cell for each variant and pair of values: the mean of its seeds, as text and as a shade."""
    gathered: dict[tuple[str, str, str, str], Spread] = {}
    for run, spread in _spreads(comparison, measured):
        places = [run.sweep.get(keys[short]) for short in pair]
        if None not in places:
            others = _others(run, keys, pair)
            gathered[run.variant or "all runs", str(places[0]), str(places[1]), others] = spread
    means = {cell: spread.mean for cell, spread in gathered.items()}
    if not means:
        return []
    low, high = min(means.values()), max(means.values())
    wide = low > 0 and high > 10 * low
    rows = []
    for (label, x, y, others), mean in means.items():
        share = log(mean / low) / log(high / low) if wide else (mean - low) / (high - low) if high > low else 0.0
        bound = gathered[label, x, y, others].bound
        rows.append(
            {
                "label": label,
                "x": x,
                "y": y,
                "others": others,
                "measure": measured.name,
                "text": ("≥ " if bound else "") + text(mean, measured.kind),
                "told": _told(gathered[label, x, y, others], measured),
                "shade": significant(share, 3),
            }
        )
    return rows


def _told(spread: Spread, measured: Metric) -> str:
    """A mean and half of its confidence interval, with their units."""
    if spread.bound:
        return f"≥ {text(spread.mean, measured.kind)}"
    return around(spread.mean, spread.half, measured.kind)


def _spreads(comparison: Comparison, measured: Metric) -> Iterator[tuple[Run, Spread]]:
    """A metric of each group that has it, with a run that stands for its variant and swept values."""
    for group in comparison.groups:
        spread = of_group(group, measured.key)
        if spread is not None:
            yield group.runs[0], spread


def _others(run: Run, keys: dict[str, str], but: Iterable[str]) -> str:
    """The swept values of a run on all axes but these."""
    return ",".join(f"{short}={run.sweep[key]}" for short, key in keys.items() if short not in but and key in run.sweep)


def _chart(
    rows: list[dict[str, Any]],
    choices: list[Choice],
    canvas: Canvas,
    measured: Metric,
    name: str,
    labels: list[str],
    *,
    across: alt.X,
    colours: str,
) -> alt.LayerChart:
    high = max(row["value"] for row in rows)
    low = min(row["value"] for row in rows)
    wide = measured.kind in ("ratio", "ps") and low > 0 and high > 20 * low
    if wide:
        # An interval may reach down to 0, which has no place on a log scale: its bar ends a decade below all means.
        rows = [row | {"low": max(row["low"], low / 10)} for row in rows]
    isolation = canvas.isolation()
    ends = [expression(f"datum.{end}", measured.kind) for end in ("low", "high")]
    interval = f"datum.seeds > 1 ? {ends[0]} + ' to ' + {ends[1]} : 'none'"
    base, tooltip = tooltips(
        data(rows, choices),
        {
            colours: "datum.label",
            name: "datum.swept",
            measured.title: f"(datum.bound ? '≥ ' : '') + {expression('datum.value', measured.kind)}",
            **({"Confidence interval": interval} if any(row["seeds"] > 1 for row in rows) else {}),
            "Seeds": expression("datum.seeds", "count"),
        },
    )
    scale, ticks = alt.Scale(zero=measured.kind != "ratio"), axis(measured.kind, tickCount=5)
    if wide:
        scale, ticks = log_scale(measured.kind, [row[end] for row in rows for end in ("low", "high")])
    title = measured.name[0].upper() + measured.name[1:]
    upright = alt.Y("value:Q", title=title, axis=ticks, scale=scale)
    colour = canvas.colour(labels, colours)
    if colours != "variant":  # the page's own legend has other labels
        colour = alt.Color("label:N", scale=alt.Scale(domain=labels), legend=alt.Legend(title=colours, columns=4))
    opacity = canvas.opacity(isolation)
    line = base.mark_line(strokeWidth=2.2).encode(x=across, y=upright, color=colour, opacity=opacity)
    bar = base.mark_rule(strokeWidth=1.5).encode(
        x=across, y=alt.Y("low:Q", title=title), y2=alt.Y2("high:Q"), color=colour, opacity=opacity
    )
    shape = alt.ShapeValue(**alt.condition("datum.bound", alt.value("triangle-up"), alt.value("circle")))
    dot = base.mark_point(size=60, filled=True).encode(
        x=across, y=upright, color=colour, shape=shape, opacity=opacity, tooltip=tooltip
    )
    return alt.LayerChart(layer=[line.add_params(isolation), bar, dot])


def _across(values: list[Any], name: str, *, numeric: bool) -> alt.X:
    if not numeric:
        flat = alt.Axis(labelAngle=0, labelOverlap="greedy")
        return alt.X("swept:O", title=name, axis=flat, sort=[str(value) for value in dict.fromkeys(values)])
    wide = min(values) > 0 and max(values) >= 50 * min(values)
    scale = alt.Scale(type="log", nice=False) if wide else alt.Scale(zero=False, nice=False, padding=12)
    return alt.X("swept:Q", title=name, scale=scale, axis=alt.Axis(values=sorted(set(values)), labelOverlap="greedy"))


def _rows(comparison: Comparison, keys: dict[str, str], name: str, measured: Metric) -> Iterator[dict[str, Any]]:
    factor = 1e-12 if measured.kind == "ps" else 1
    for run, spread in _spreads(comparison, measured):
        swept = run.sweep.get(keys[name])
        if swept is not None:
            yield {
                "label": run.variant or "all runs",
                "swept": swept if not isinstance(swept, bool) else str(swept),
                "others": _others(run, keys, (name,)),
                "value": significant(spread.mean * factor),
                "low": significant(spread.low * factor),
                "high": significant(spread.high * factor),
                "seeds": spread.seeds,
                "bound": spread.bound,
            }
