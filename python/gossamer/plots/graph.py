"""A drawing of an experiment's graph: a row for each tier, hosts at the bottom, and a line for each cable."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from gossamer.plots.canvas import BUDGET, Canvas, Drawing, NoData, data, ink, tooltips
from gossamer.plots.expressions import expression
from gossamer.types import Graph, GraphNode

__all__ = ["draw_graph"]

NAMED = 24
"""A tier of more nodes than this is drawn without their names."""


def draw_graph(graph: Graph, canvas: Canvas) -> Drawing:
    """Nodes by tier and cables by class, wide where their rate is high."""
    places = layout(graph["nodes"])
    cables = [link for link in graph["links"] if places[link["source"]] < places[link["target"]]]
    if not cables:
        raise NoData("no link joins two nodes")
    if len(cables) > BUDGET:
        raise NoData(f"{len(cables):,} cables are more than the {BUDGET:,} that can be drawn; `list` has all")
    most = max(link["rate_bps"] for link in cables)
    rows = [
        {
            "label": link["class"],
            "name": link["name"],
            "rate": link["rate_bps"],
            "delay": link["delay_ps"],
            "width": 0.6 + 1.8 * link["rate_bps"] / most,
            "x": places[link["source"]][1],
            "y": places[link["source"]][0],
            "x2": places[link["target"]][1],
            "y2": places[link["target"]][0],
        }
        for link in cables
    ]
    classes = list(dict.fromkeys(link["class"] for link in cables))
    base, tooltip = tooltips(
        data(rows),
        {
            "Link": "datum.name",
            "Class": "datum.label",
            "Rate": expression("datum.rate", "b/s"),
            "Delay": expression("datum.delay", "ps"),
        },
    )
    top = max(tier for tier, _ in places.values())
    across = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, 1], nice=False))
    up = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[-0.3, top + 0.3], nice=False))
    isolation = canvas.isolation()
    lines = (
        base.mark_rule(strokeCap="round")
        .encode(
            x=across,
            y=up,
            x2=alt.X2("x2:Q"),
            y2=alt.Y2("y2:Q"),
            color=canvas.colour(classes, "class of links"),
            strokeWidth=alt.StrokeWidth("width:Q", scale=None, legend=None),
            opacity=canvas.opacity(isolation, 0.6),
            tooltip=tooltip,
        )
        .add_params(isolation)
    )
    layers = [lines, *marks(graph["nodes"], places, across, up, canvas)]
    told = f"{graph['description']}. Hosts are circles, switches squares; a line is a cable."
    return Drawing(alt.LayerChart(layer=layers), f"Topology of {graph['run']}", told, height=110 * (int(top) + 1))


def layout(nodes: Sequence[GraphNode]) -> dict[str, tuple[float, float]]:
    """Height and place from left to right of each node; the nodes of a tier are spread evenly, in their order."""
    tiers: dict[int, list[str]] = {}
    for node in nodes:
        tiers.setdefault(node["tier"], []).append(node["name"])
    # Tiers may leave numbers out, rows of a drawing may not.
    return {
        name: (float(row), (place + 0.5) / len(tiers[tier]))
        for row, tier in enumerate(sorted(tiers))
        for place, name in enumerate(tiers[tier])
    }


def marks(
    nodes: Sequence[GraphNode], places: Mapping[str, tuple[float, float]], across: alt.X, up: alt.Y, canvas: Canvas
) -> list[Any]:
    """Nodes, and their names where a tier has room for them."""
    colour = ink(canvas.theme)
    many = max(sum(1 for other in nodes if other["tier"] == tier) for tier in {node["tier"] for node in nodes})
    layers: list[Any] = []
    for kind, shape in (("host", "circle"), ("switch", "square")):
        rows = [
            {"name": node["name"], "y": places[node["name"]][0], "x": places[node["name"]][1]}
            for node in nodes
            if node["kind"] == kind
        ]
        size = max(8, min(70, 4000 // many)) * (1 if kind == "host" else 2)
        layers.append(
            data(rows)
            .mark_point(filled=True, opacity=1, color=colour, size=size, shape=shape)
            .encode(x=across, y=up, tooltip=alt.Tooltip("name:N", title=kind))
        )
        counts = {row["y"]: sum(1 for other in rows if other["y"] == row["y"]) for row in rows}
        named = [row for row in rows if counts[row["y"]] <= NAMED]
        if named:
            # Short names where a row is full: the number is enough below a switch that says the kind.
            angle = 0 if max(counts[row["y"]] for row in named) <= 8 else -90
            layers.append(
                data(named)
                .mark_text(
                    dy=16 if angle == 0 and kind == "host" else -14 if angle == 0 else 0,
                    dx=-12 if angle else 0,
                    align="right" if angle else "center",
                    angle=abs(270) if angle else 0,
                    fontSize=10,
                    color=colour,
                )
                .encode(x=across, y=up, text=alt.Text("name:N"))
            )
    return layers
