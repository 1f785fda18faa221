"""Links: a map of their utilisation, and the utilisation of all links of a class in order."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import altair as alt
import pyarrow as pa

from gossamer.plots.canvas import BUDGET, Canvas, Drawing, NoData, axis, data, ink, lines, points_choice, tooltips
from gossamer.plots.comparison import Comparison, Group
from gossamer.plots.layout import Layout, arrange
from gossamer.plots.quantities import expression, significant
from gossamer.plots.samples import distribution_ranks, gather, values

__all__ = ["draw_link_map", "draw_link_ranks"]

MOST_CELLS = 3000
"""Cells of the map of one group, so that a browser draws it at once."""
ALL_CELLS = 12_000
"""Cells of all maps of a figure together, of which one is shown at a time."""

_RANGE = f"{expression('datum.low', 'fraction')} + ' to ' + {expression('datum.high', 'fraction')}"


def draw_link_map(comparison: Comparison, canvas: Canvas) -> Drawing:
    """Utilisation of every link, by class and direction; neighbours share a cell where there are too many links."""
    found = [(group, links) for group in comparison.groups if (links := _utilisation(group)).num_rows]
    if not found:
        raise NoData(comparison.results.why_empty("links") or "no link was measured")
    share = min(MOST_CELLS, ALL_CELLS // len(found))
    cells: list[dict[str, Any]] = []
    headings: list[dict[str, Any]] = []
    height, merged = 0.0, False
    known: tuple[pa.Table, Layout] | None = None
    for group, links in found:
        ends = links.select(["class", "direction", "source", "target"])
        if known is None or not known[0].equals(ends):
            known = ends, arrange(ends, share)
        layout = known[1]
        height = max(height, layout.height)
        before = len(cells)
        cells.extend(_cells(group, links, layout))
        merged = merged or len(cells) - before < links.num_rows
        headings.extend(_headings(group, links, layout))
    choices = list(points_choice(canvas, comparison.points))
    if len(comparison.labels) > 1:
        choices.append(canvas.choice("label", comparison.label_title, comparison.labels, comparison.labels[0]))
    base, tooltip = tooltips(
        data(cells, choices).transform_calculate(
            x="datum.column / datum.columns", x2="(datum.column + 1) / datum.columns", y2="datum.y + 1"
        ),
        {
            comparison.label_title: "datum.label",
            "Links": "datum.ends",
            "Utilisation": expression("datum.mean", "fraction"),
            "Lowest to highest": f"datum.links === 1 ? 'one link' : {_RANGE}",
        },
    )
    upright = alt.Scale(domain=[height, 0], nice=False)
    across = alt.Scale(domain=[0, 1], nice=False)
    squares = base.mark_rect(strokeWidth=0).encode(
        x=alt.X("x:Q", axis=None, scale=across),
        x2="x2:Q",
        y=alt.Y("y:Q", axis=None, scale=upright),
        y2="y2:Q",
        color=alt.Color(
            "mean:Q",
            scale=alt.Scale(domain=[0, 1], clamp=True),
            legend=alt.Legend(
                title="utilisation",
                format=".0%",
                gradientLength=200,
                gradientThickness=10,
                values=[0, 0.25, 0.5, 0.75, 1],
            ),
        ),
        tooltip=tooltip,
    )
    colour = alt.param(name="ink", value=ink(canvas.theme))
    words = (
        data(headings, choices)
        .mark_text(
            align="left", baseline="bottom", dy=-4, fontSize=12, color=alt.ExprRef("ink"), limit=alt.ExprRef("width")
        )
        .encode(x=alt.X("x:Q", scale=across), y=alt.Y("y:Q", scale=upright), text="text:N")
    )
    subtitle = (
        "Share of the measured window in which each link was sending. A column is a switch, a row one of its links."
        + (" Neighbouring links share a cell, which shows their mean." if merged else "")
        + (f" Mean of {comparison.seeds} seeds." if comparison.seeds > 1 else "")
    )
    chart = alt.LayerChart(layer=[squares, words]).add_params(colour)
    return Drawing(chart, "Link utilisation map", subtitle, tuple(choices), round(max(120, 13 * height)))


def draw_link_ranks(comparison: Comparison, canvas: Canvas) -> Drawing:
    """Utilisation of the links of one class and direction, the idlest first: a slope shows an imbalance."""
    found = [(group, links) for group in comparison.groups if (links := _utilisation(group)).num_rows]
    if not found:
        raise NoData(comparison.results.why_empty("links") or "no link was measured")
    by_scope = [(group, _by_scope(links)) for group, links in found]
    scopes = list(dict.fromkeys(scope for _, scoped in by_scope for scope in scoped))
    most = max(20, min(120, BUDGET // (len(found) * len(scopes))))
    rows = [row for group, scoped in by_scope for row in _ranks(group, scoped, most)]
    spread = {scope: max(_range(scoped[scope]) for _, scoped in by_scope if scope in scoped) for scope in scopes}
    choices = list(points_choice(canvas, comparison.points))
    choices.append(canvas.choice("scope", "links", scopes, max(scopes, key=lambda scope: spread[scope])))
    chart = lines(
        data(rows, choices),
        canvas,
        alt.X(
            "place:Q",
            title="Link, in order of utilisation",
            axis=axis("count", tickCount=6),
            scale=alt.Scale(nice=False),
        ),
        alt.Y("utilisation:Q", title="Utilisation", axis=axis("fraction", tickCount=5), scale=alt.Scale(domain=[0, 1])),
        canvas.colour(comparison.labels, comparison.label_title),
        {
            comparison.label_title: "datum.label",
            "Link": f"{expression('datum.place', 'count')} + ' of ' + {expression('datum.links', 'count')}",
            "Utilisation": expression("datum.utilisation", "fraction"),
        },
    )
    subtitle = "All links of one class and direction, the idlest first. Level is balanced; a slope is an imbalance."
    told = f"{subtitle} Mean of {comparison.seeds} seeds." if comparison.seeds > 1 else subtitle
    return Drawing(chart, "Balance between links", told, tuple(choices), 260)


def _utilisation(group: Group) -> pa.Table:
    """The links of a group with their utilisation, the mean of its runs."""
    columns = ["link", "source", "target", "class", "direction", "utilisation"]
    table = gather(group.runs, "links", columns)
    if len(group.runs) == 1:
        return table.drop_columns(["link"])
    keys = columns[:-1]
    plain = pa.table(
        {key: table.column(key).cast(pa.string()) if key != "link" else table.column(key) for key in columns[:5]}
    )
    plain = plain.append_column("utilisation", table.column("utilisation"))
    means = plain.group_by(keys, use_threads=False).aggregate([("utilisation", "mean")])
    return means.rename_columns([*keys, "utilisation"]).drop_columns(["link"])


def _cells(group: Group, links: pa.Table, layout: Layout) -> Iterator[dict[str, Any]]:
    gathered: defaultdict[tuple[int, int, int], list[int]] = defaultdict(list)
    for place, key in enumerate(zip(layout.panel, layout.column, layout.row, strict=True)):
        gathered[key].append(place)
    busy = values(links, "utilisation")
    sources, targets = values(links, "source"), values(links, "target")
    for (number, column, row), places in gathered.items():
        panel = layout.panels[number]
        among = [busy[place] for place in places]
        more = f" and {len(places) - 1} more" if len(places) > 1 else ""
        yield {
            "label": group.label,
            "point": group.point,
            "column": column,
            "columns": panel.columns,
            "y": round(panel.top + row, 1),
            "ends": f"{sources[places[0]]} → {targets[places[0]]}{more}",
            "links": len(places),
            "mean": significant(sum(among) / len(among), 3),
        } | ({"low": significant(min(among), 3), "high": significant(max(among), 3)} if len(places) > 1 else {})


def _headings(group: Group, links: pa.Table, layout: Layout) -> Iterator[dict[str, Any]]:
    busy = values(links, "utilisation")
    gathered: defaultdict[int, list[float]] = defaultdict(list)
    for number, value in zip(layout.panel, busy, strict=True):
        gathered[number].append(value)
    for number, panel in enumerate(layout.panels):
        lowest, highest = (f"{100 * each(gathered[number]):.0f}" for each in (min, max))
        yield {
            "label": group.label,
            "point": group.point,
            "x": 0,
            "y": round(panel.top, 1),
            "text": f"{panel.name}: {panel.links:,} links, {lowest} to {highest} %",
        }


def _by_scope(links: pa.Table) -> dict[str, list[float]]:
    """Utilisations in increasing order, by class and direction."""
    gathered: defaultdict[str, list[float]] = defaultdict(list)
    columns = (values(links, name) for name in ("class", "direction", "utilisation"))
    for kind, way, value in zip(*columns, strict=True):
        gathered[f"{kind} {way}"].append(value)
    return {scope: sorted(values) for scope, values in gathered.items()}


def _range(ordered: list[float]) -> float:
    return ordered[-1] - ordered[0]


def _ranks(group: Group, scoped: dict[str, list[float]], most: int) -> Iterator[dict[str, Any]]:
    for scope, ordered in scoped.items():
        for rank in distribution_ranks(len(ordered), most):
            yield {
                "label": group.label,
                "point": group.point,
                "scope": scope,
                "place": rank + 1,
                "links": len(ordered),
                "utilisation": significant(ordered[rank], 3),
            }
