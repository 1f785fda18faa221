"""Links: a map of their load, and the utilisation of all links of a class in order."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair as alt

from gossamer.analysis.comparison import Comparison, Group, by_seed
from gossamer.analysis.confidence import told
from gossamer.analysis.links import MEASURES, by_scope, columns_of, halves_of, links_of, measures_of
from gossamer.analysis.quantities import significant
from gossamer.analysis.samples import distribution_ranks
from gossamer.plots.canvas import (
    BUDGET,
    Canvas,
    Choice,
    Drawing,
    NoData,
    axis,
    data,
    ink,
    interval,
    lines,
    points_choice,
    tooltips,
    with_bands,
)
from gossamer.plots.expressions import expression
from gossamer.plots.layout import Layout, arrange

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Shading", "draw_link_map", "draw_link_ranks"]

MOST_CELLS = 3000
"""Cells of the map of one group, so that a browser draws it at once."""
ALL_CELLS = 12_000
"""Cells of all maps of a figure together, of which one is shown at a time."""

SHOWN = " : ".join(
    f"measure === {name!r} ? {expression(f'datum[{name!r}]', kind)}" for name, (_, kind) in MEASURES.items()
)


def draw_link_map(comparison: Comparison, canvas: Canvas) -> Drawing:
    """Load of every link, by class and direction; neighbours share a cell where there are too many links.

    A cell shows the highest value among its links, so that no hot link is hidden.
    """
    found = [(group, links) for group in comparison.groups if (links := links_of(group)).num_rows]
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
        cells.extend(_cells(group, layout))
        merged = merged or len(cells) - before < links.num_rows
        headings.extend(_headings(group, layout))
    choices = list(points_choice(canvas, comparison.points))
    if len(comparison.labels) > 1:
        choices.append(canvas.choice("label", comparison.label_title, comparison.labels, comparison.labels[0]))
    shading = Shading.of(canvas, [group for group, _ in found])
    base, tooltip = tooltips(
        shading.shaded(data(cells, choices)).transform_calculate(
            x="datum.column / datum.columns", x2="(datum.column + 1) / datum.columns", y2="datum.y + 1"
        ),
        {
            comparison.label_title: "datum.label",
            "Links": "datum.ends + (datum.links === 1 ? '' : ' and ' + (datum.links - 1) + ' more: the highest')",
            "Utilisation": _with_half("utilisation"),
            "Longest queue": _with_half("longest queue"),
            "Drops": _with_half("drops"),
        },
    )
    upright = alt.Scale(domain=[height, 0], nice=False)
    across = alt.Scale(domain=[0, 1], nice=False)
    squares = base.mark_rect(strokeWidth=0).encode(
        x=alt.X("x:Q", axis=None, scale=across),
        x2=alt.X2("x2:Q"),
        y=alt.Y("y:Q", axis=None, scale=upright),
        y2=alt.Y2("y2:Q"),
        color=shading.colour(),
        tooltip=tooltip,
    )
    colour = alt.param(name="ink", value=ink(canvas.theme))
    words = (
        data(headings, choices)
        .transform_calculate(text=f"datum.name + ': ' + datum.links + ' links, up to ' + ({SHOWN} : '')")
        .mark_text(
            align="left",
            baseline="bottom",
            dy=-4,
            fontSize=canvas.sized(12),
            color=alt.ExprRef("ink"),
            limit=alt.ExprRef("width"),
        )
        .encode(x=alt.X("x:Q", scale=across), y=alt.Y("y:Q", scale=upright), text=alt.Text("text:N"))
    )
    subtitle = (
        "Within the measured window: the share of time in which each link was sending, its longest queue, or "
        "the frames that "
        "its queue refused. A column is a switch, a row one of its links."
        + (" Neighbouring links share a cell, which shows the highest of them." if merged else "")
        + (f" Means of {told(comparison.seeds)}." if comparison.seeds > 1 else "")
    )
    chart = alt.LayerChart(layer=[squares, words]).add_params(colour, *shading.params())
    return Drawing(
        chart, "Link map", subtitle, (*choices, shading.choice), round(max(120, 13 * height)), tall=True, isolates=False
    )


@dataclass(frozen=True, slots=True)
class Shading:
    """Colours by the measure that a reader chooses."""

    choice: Choice
    most: dict[str, float]
    """The highest value of each measure: the end of its scale."""

    @staticmethod
    def of(canvas: Canvas, groups: Sequence[Group]) -> "Shading":
        """Over the links of `groups`. A measure that is nought everywhere is not offered."""
        most = {
            name: max((load for group in groups for load in measures_of(group)[name] if load is not None), default=0.0)
            for name in MEASURES
        }
        offered = [name for name, value in most.items() if value > 0] or ["utilisation"]
        most["utilisation"] = 1.0
        choice = canvas.choice("measure", "colour", offered, offered[0])
        return Shading(choice, {name: most[name] or 1.0 for name in MEASURES})

    def shaded(self, chart: alt.Chart) -> alt.Chart:
        """The chart with `shade`, the chosen measure as a share of its highest value."""
        return chart.transform_calculate(shade="datum[measure] / most[measure]")

    def params(self) -> list[alt.Parameter]:
        """What the expressions need beside the choice."""
        return [alt.param(name="most", value=self.most)]

    def colour(self) -> alt.Color:
        """Colour by shade, with the values of the measure in the legend."""
        texts = " : ".join(
            f"measure === {name!r} ? {expression(f'(datum.value * most[{name!r}])', kind)}"
            for name, (_, kind) in MEASURES.items()
        )
        return alt.Color(
            "shade:Q",
            scale=alt.Scale(domain=[0, 1], clamp=True),
            legend=alt.Legend(
                title=None,
                labelExpr=f"{texts} : ''",
                gradientLength=200,
                gradientThickness=10,
                values=[0, 0.5, 1],
            ),
        )


def draw_link_ranks(comparison: Comparison, canvas: Canvas) -> Drawing:
    """Utilisation of the links of one class and direction, the idlest first: a slope shows an imbalance."""
    found = [(group, by_scope(group)) for group in comparison.groups if links_of(group).num_rows]
    if not found:
        raise NoData(comparison.results.why_empty("links") or "no link was measured")
    scopes = list(dict.fromkeys(scope for _, scoped in found for scope in scoped))
    most = max(20, min(120, BUDGET // (len(found) * len(scopes))))
    rows = [row for group, scoped in found for row in _ranks(group, scoped, most)]
    colour = canvas.colour(comparison.labels, comparison.label_title)
    spread = {scope: max(_range(scoped[scope]) for _, scoped in found if scope in scoped) for scope in scopes}
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
        colour,
        {
            comparison.label_title: "datum.label",
            "Link": f"{expression('datum.place', 'count')} + ' of ' + {expression('datum.links', 'count')}",
            "Utilisation": expression("datum.utilisation", "fraction"),
        },
    )
    chart = with_bands(chart, rows, choices, canvas, "place", colour)
    subtitle = (
        "All links of one class and direction, the least utilised first. A level curve is balanced; a slope is an "
        "imbalance."
    )
    subtitle += f" Mean, with a band: {told(comparison.seeds)}." if comparison.seeds > 1 else ""
    return Drawing(chart, "Balance between links", subtitle, tuple(choices), 260)


def _with_half(measure: str) -> str:
    """The expression of a link's load and half of its confidence interval, if it has one."""
    kind, half = MEASURES[measure][1], f"datum['{measure} half']"
    return f"{expression(f'datum[{measure!r}]', kind)} + (isValid({half}) ? ' ± ' + {expression(half, kind)} : '')"


def _cells(group: Group, layout: Layout) -> Iterator[dict[str, Any]]:
    gathered: defaultdict[tuple[int, int, int], list[int]] = defaultdict(list)
    for place, key in enumerate(zip(layout.panel, layout.column, layout.row, strict=True)):
        gathered[key].append(place)
    columns: dict[str, Sequence[float]] = measures_of(group)
    halves = halves_of(group)
    busy = columns["utilisation"]
    sources, targets = columns_of(group)["source"], columns_of(group)["target"]
    for (number, column, row), places in gathered.items():
        panel = layout.panels[number]
        hottest = max(places, key=lambda place: busy[place])
        highest = {name: max(places, key=among.__getitem__) for name, among in columns.items()}
        yield {
            "label": group.label,
            "point": group.point,
            "column": column,
            "columns": panel.columns,
            "y": round(panel.top + row, 1),
            "ends": f"{sources[hottest]} → {targets[hottest]}",
            "links": len(places),
            **{name: significant(among[highest[name]], 3) for name, among in columns.items()},
            **{f"{name} half": significant(among[highest[name]], 2) for name, among in halves.items()},
        }


def _headings(group: Group, layout: Layout) -> Iterator[dict[str, Any]]:
    columns = measures_of(group)
    most: list[dict[str, float]] = [dict.fromkeys(MEASURES, 0.0) for _ in layout.panels]
    for name, among in columns.items():
        for number, value in zip(layout.panel, among, strict=True):
            most[number][name] = max(most[number][name], value)
    for number, panel in enumerate(layout.panels):
        yield {
            "label": group.label,
            "point": group.point,
            "x": 0,
            "y": round(panel.top, 1),
            "name": panel.name,
            "links": panel.links,
        } | {name: significant(value, 3) for name, value in most[number].items()}


def _range(ordered: list[float]) -> float:
    return ordered[-1] - ordered[0]


def _ranks(group: Group, scoped: dict[str, list[float]], most: int) -> Iterator[dict[str, Any]]:
    seeds = [by_scope(seed) for seed in by_seed(group)]
    for scope, ordered in scoped.items():
        alike = [found for seed in seeds if len(found := seed.get(scope, [])) == len(ordered)]
        for rank in distribution_ranks(len(ordered), most):
            yield {
                "label": group.label,
                "point": group.point,
                "scope": scope,
                "place": rank + 1,
                "links": len(ordered),
                "utilisation": significant(ordered[rank], 3),
                **interval(ordered[rank], [utilisations[rank] for utilisations in alike], 1.0),
            }
