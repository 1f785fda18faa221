"""A drawing of the topology with its load: hosts below, switches above, in tiers that follow from the links alone."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from gossamer.analysis.comparison import Comparison, Group
from gossamer.analysis.links import MEASURES, columns_of, links_of, measures_of
from gossamer.analysis.quantities import significant
from gossamer.plots.canvas import Canvas, Drawing, NoData, data, ink, points_choice, tooltips
from gossamer.plots.expressions import expression
from gossamer.plots.links import Shading

__all__ = ["Tiers", "draw_topology", "tiers_of"]

MOST_NODES = 220
MOST_CABLES = 500
"""Beyond these a drawing is unreadable, and the link map shows more."""
MOST_LINES = 8000
"""Cables of all drawings of a figure together, of which one is shown at a time."""
NAMED = 40
"""Nodes of a tier whose names still fit."""
TALL = 150
"""Pixels between two tiers."""


@dataclass(frozen=True, slots=True)
class Tiers:
    """The place of each node."""

    place: dict[str, tuple[float, int]]
    """From 0 at the left to 1 at the right, and the tier: 0 is hosts."""
    count: int


def tiers_of(links: Mapping[str, Sequence[Any]]) -> Tiers:
    """Lay out the nodes of a links table: a node lies above all those that have a link up to it.

    In a tier, nodes lie in the order of their mean place of what is below them, so that few cables cross.
    """
    below: defaultdict[str, list[str]] = defaultdict(list)
    nodes: dict[str, int] = {}
    for source, target, direction in _ends(links):
        nodes.setdefault(source, 0)
        nodes.setdefault(target, 0)
        if direction == "up":
            below[target].append(source)
    for _ in range(len(nodes)):  # a node is higher than what is below it; so often at most, should links up form a ring
        moved = False
        for node, under in below.items():
            wanted = 1 + max(nodes[each] for each in under)
            if wanted > nodes[node] and wanted < len(nodes):
                nodes[node], moved = wanted, True
        if not moved:
            break
    count = 1 + max(nodes.values(), default=0)
    place: dict[str, tuple[float, int]] = {}
    for tier in range(count):
        members = [node for node, height in nodes.items() if height == tier]
        middles = {
            node: sum(place[each][0] for each in under) / len(under)
            for node in members
            if (under := [each for each in below[node] if each in place])
        }
        members.sort(key=lambda node: middles.get(node, 0.0))
        for number, node in enumerate(members):
            place[node] = (number + 0.5) / len(members), tier
    return Tiers(place, count)


def draw_topology(comparison: Comparison, canvas: Canvas) -> Drawing:
    """Nodes and cables of a network that is small enough to be drawn, coloured by their load."""
    found = [(group, links) for group in comparison.groups if (links := links_of(group)).num_rows]
    if not found:
        raise NoData(comparison.results.why_empty("links") or "no link was measured")
    nodes: list[dict[str, Any]] = []
    cables: list[dict[str, Any]] = []
    tall = 1
    known: tuple[list[tuple[str, str, str]], Tiers] | None = None
    for group, links in found:
        ends = list(_ends(columns_of(group)))
        if known is None or known[0] != ends:
            known = ends, tiers_of(columns_of(group))
        tiers = known[1]
        if len(tiers.place) > MOST_NODES or links.num_rows > 2 * MOST_CABLES:
            raise NoData(
                f"{len(tiers.place):,} nodes and {links.num_rows // 2:,} cables are too many for a drawing; the "
                f"link map shows them"
            )
        tall = max(tall, tiers.count)
        nodes.extend(_nodes(group, tiers))
        cables.extend(_cables(group, tiers))
        if len(cables) > MOST_LINES:
            raise NoData(
                f"{len(found):,} drawings of {links.num_rows // 2:,} cables are too many; the link map shows them"
            )
    choices = list(points_choice(canvas, comparison.points))
    if len(comparison.labels) > 1:
        choices.append(canvas.choice("label", comparison.label_title, comparison.labels, comparison.labels[0]))
    shading = Shading.of(canvas, [group for group, _ in found])
    across = alt.Scale(domain=[0, 1], nice=False)
    upright = alt.Scale(domain=[-0.25, tall - 0.75], nice=False)
    load = {
        "Utilisation": expression("datum.utilisation", "fraction"),
        "Longest queue": expression("datum['longest queue']", "B"),
        "Drops": expression("datum.drops", "count"),
    }
    base, tooltip = tooltips(
        shading.shaded(data(cables, choices)),
        {comparison.label_title: "datum.label", "Busier direction": "datum.ends", **load},
    )
    x, y = alt.X("x:Q", axis=None, scale=across), alt.Y("y:Q", axis=None, scale=upright)
    drawn = base.mark_rule(strokeCap="round").encode(
        x=x,
        y=y,
        x2=alt.X2("x2:Q"),
        y2=alt.Y2("y2:Q"),
        color=shading.colour(),
        strokeWidth=alt.StrokeWidth(
            "shade:Q", scale=alt.Scale(domain=[0, 1], range=[canvas.sized(1), canvas.sized(4.5)]), legend=None
        ),
        order=alt.Order("shade:Q"),
        tooltip=tooltip,
    )
    dots, tips = tooltips(
        shading.shaded(data(nodes, choices)),
        {comparison.label_title: "datum.label", "Node": "datum.name", "Busiest outgoing link": "datum.ends", **load},
    )
    colour = alt.param(name="ink", value=ink(canvas.theme))
    size = alt.Size(
        "y:Q",
        scale=alt.Scale(domain=[0, 1], range=[canvas.sized(canvas.sized(size)) for size in (70, 190)], clamp=True),
        legend=None,
    )
    circles = dots.mark_circle(opacity=1, stroke=alt.ExprRef("ink"), strokeWidth=canvas.sized(0.8)).encode(
        x=x, y=y, size=size, color=shading.colour(), tooltip=tips
    )
    names = (
        data([node for node in nodes if node["named"]], choices)
        .mark_text(fontSize=canvas.sized(10), color=alt.ExprRef("ink"), dy=-canvas.sized(14), limit=110)
        .encode(x=x, y=y, text=alt.Text("name:N"))
    )
    chart = alt.LayerChart(layer=[drawn, circles, names]).add_params(colour, *shading.params())
    subtitle = (
        "Hosts below, switches above. A line is a cable: the colour is that of its busier direction, and of a "
        "node that of "
        "its busiest link out." + (f" Mean of {comparison.seeds} seeds." if comparison.seeds > 1 else "")
    )
    return Drawing(chart, "The network and its load", subtitle, (*choices, shading.choice), TALL * tall, isolates=False)


def _ends(links: Mapping[str, Sequence[Any]]) -> Iterator[tuple[str, str, str]]:
    return zip(links["source"], links["target"], links["direction"], strict=True)


def _load(columns: dict[str, Sequence[Any]], places: Sequence[int]) -> dict[str, float]:
    return {name: significant(max(among[place] for place in places), 3) for name, among in columns.items()}


def _cables(group: Group, tiers: Tiers) -> Iterator[dict[str, Any]]:
    """A line for each pair of nodes with any link between them: both ways, and parallel cables, are one."""
    pairs: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    ends = list(_ends(columns_of(group)))
    for number, (source, target, _) in enumerate(ends):
        low, high = sorted((source, target), key=lambda node: (tiers.place[node][1], node))
        pairs[low, high].append(number)
    columns = measures_of(group)
    for (low, high), numbers in pairs.items():
        hottest = max(numbers, key=lambda number: columns["utilisation"][number])
        (x, y), (x2, y2) = tiers.place[low], tiers.place[high]
        yield {
            "label": group.label,
            "point": group.point,
            "x": significant(x),
            "y": y,
            "x2": significant(x2),
            "y2": y2,
            "ends": f"{ends[hottest][0]} → {ends[hottest][1]}",
        } | _load(columns, numbers)


def _nodes(group: Group, tiers: Tiers) -> Iterator[dict[str, Any]]:
    leaving: defaultdict[str, list[int]] = defaultdict(list)
    ends = list(_ends(columns_of(group)))
    for number, (source, _, _) in enumerate(ends):
        leaving[source].append(number)
    columns = measures_of(group)
    in_tier: defaultdict[int, int] = defaultdict(int)
    for _, tier in tiers.place.values():
        in_tier[tier] += 1
    for name, (x, y) in tiers.place.items():
        numbers = leaving[name]
        hottest = max(numbers, key=lambda number: columns["utilisation"][number], default=None)
        yield {
            "label": group.label,
            "point": group.point,
            "name": name,
            "x": significant(x),
            "y": y,
            "ends": "none" if hottest is None else f"{ends[hottest][0]} → {ends[hottest][1]}",
            "named": in_tier[y] * len(name) < NAMED * 3,
        } | (_load(columns, numbers) if numbers else dict.fromkeys(MEASURES, 0.0))
