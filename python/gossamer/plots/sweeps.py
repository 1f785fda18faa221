"""A metric against a swept axis, a line for each variant."""

from collections.abc import Iterator
from typing import Any

import altair as alt

from gossamer.plots.canvas import Canvas, Choice, Drawing, NoData, axis, data, log_scale, tooltips
from gossamer.plots.comparison import Comparison
from gossamer.plots.metrics import Metric, metric, of_run
from gossamer.plots.quantities import expression, significant
from gossamer.results import Run

__all__ = ["draw_sweep"]


def draw_sweep(comparison: Comparison, canvas: Canvas, key: str, axis_name: str | None = None) -> Drawing:
    """Metric `key` of the summary against a swept axis, the first one unless it is named.

    Several seeds are drawn as their mean, with a bar from the lowest to the highest. Where other axes are swept too,
    one value of those is shown at a time.
    """
    measured = metric(key)
    keys = {short: full for full, short in comparison.axes.items()}
    if not keys:
        raise NoData("nothing is swept: the experiment file has no [sweep] but, at most, of the seed")
    name = axis_name or next(iter(keys))
    if name not in keys:
        raise NoData(f"no swept axis is called {name!r}; there are {', '.join(keys)}")
    runs = comparison.results.runs
    values = [value for run in runs if (value := run.sweep.get(keys[name])) is not None]
    if len(set(values)) < 2:
        raise NoData(f"{name} has one value only")
    rows = list(_rows(runs, keys, name, measured))
    if not rows:
        raise NoData(f"no run has a {measured.name}")
    others = list(dict.fromkeys(row["others"] for row in rows))
    choices: list[Choice] = [canvas.choice("others", "other axes", others)] if len(others) > 1 else []
    numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    labels = list(dict.fromkeys(run.variant or "all runs" for run in runs))
    chart = _chart(rows, choices, canvas, measured, name, labels, across=_across(values, name, numeric=numeric))
    subtitle = measured.definition + (
        f" Mean over {comparison.seeds} seeds, with a bar from the lowest to the highest."
        if comparison.seeds > 1
        else ""
    )
    return Drawing(
        chart,
        f"{measured.name[0].upper()}{measured.name[1:]} against {name}",
        subtitle,
        tuple(choices),
        isolates=comparison.label_title == "variant",
    )


def _chart(
    rows: list[dict[str, Any]],
    choices: list[Choice],
    canvas: Canvas,
    measured: Metric,
    name: str,
    labels: list[str],
    *,
    across: alt.X,
) -> alt.LayerChart:
    isolation = canvas.isolation()
    base, tooltip = tooltips(
        data(rows, choices),
        {
            "variant": "datum.label",
            name: "datum.swept",
            measured.short: expression("datum.value", measured.kind),
            "Seeds": expression("datum.seeds", "count"),
        },
    )
    high = max(row["value"] for row in rows)
    low = min(row["value"] for row in rows)
    wide = measured.kind in ("ratio", "ps") and low > 0 and high > 20 * low
    scale, ticks = alt.Scale(zero=measured.kind != "ratio"), axis(measured.kind, tickCount=5)
    if wide:
        scale, ticks = log_scale(measured.kind, [row[end] for row in rows for end in ("low", "high")])
    title = measured.name[0].upper() + measured.name[1:]
    upright = alt.Y("value:Q", title=title, axis=ticks, scale=scale)
    colour = canvas.colour(labels, "variant")
    opacity = canvas.opacity(isolation)
    line = base.mark_line(strokeWidth=2.2).encode(x=across, y=upright, color=colour, opacity=opacity)
    bar = base.mark_rule(strokeWidth=1.5).encode(
        x=across, y=alt.Y("low:Q", title=title), y2="high:Q", color=colour, opacity=opacity
    )
    dot = base.mark_circle(size=60).encode(x=across, y=upright, color=colour, opacity=opacity, tooltip=tooltip)
    return alt.LayerChart(layer=[line.add_params(isolation), bar, dot])


def _across(values: list[Any], name: str, *, numeric: bool) -> alt.X:
    if not numeric:
        flat = alt.Axis(labelAngle=0, labelOverlap="greedy")
        return alt.X("swept:O", title=name, axis=flat, sort=[str(value) for value in dict.fromkeys(values)])
    wide = min(values) > 0 and max(values) >= 50 * min(values)
    scale = alt.Scale(type="log", nice=False) if wide else alt.Scale(zero=False, nice=False, padding=12)
    return alt.X("swept:Q", title=name, scale=scale, axis=alt.Axis(values=sorted(set(values)), labelOverlap="greedy"))


def _rows(runs: tuple[Run, ...], keys: dict[str, str], name: str, measured: Metric) -> Iterator[dict[str, Any]]:
    gathered: dict[tuple[str, Any, str], list[float]] = {}
    for run in runs:
        value = of_run(run, measured.key)
        swept = run.sweep.get(keys[name])
        if value is None or swept is None:
            continue
        others = ",".join(
            f"{short}={run.sweep[key]}" for short, key in keys.items() if short != name and key in run.sweep
        )
        gathered.setdefault((run.variant or "all runs", swept, others), []).append(value)
    factor = 1e-12 if measured.kind == "ps" else 1
    for (label, swept, others), found in gathered.items():
        yield {
            "label": label,
            "swept": swept if not isinstance(swept, bool) else str(swept),
            "others": others,
            "value": significant(sum(found) / len(found) * factor),
            "low": significant(min(found) * factor),
            "high": significant(max(found) * factor),
            "seeds": len(found),
        }
