"""Drawings of a configuration: circuits by crosspoint, and the demand beside the hops that it takes."""

import heapq
import json
import math
from typing import Any, Literal

import altair as alt

from gossamer.analysis.quantities import text
from gossamer.plots.canvas import BUDGET, WIDTH, AnyChart, Canvas, Drawing, NoData, data, ink, tooltips
from gossamer.plots.expressions import expression
from gossamer.plots.themes import THEMES
from gossamer.types import XFabricConfiguration

__all__ = ["draw_all", "draw_circuits", "draw_demand"]

NAMED = 80
"""More SoCs than this are drawn without their names."""
FARTHEST = 5
"""Hops from which on all have one colour."""


def draw_all(found: XFabricConfiguration, canvas: Canvas) -> dict[str, AnyChart]:
    """Every drawing that has something in it, by what its file is called."""
    charts: dict[str, AnyChart] = {}
    for name, draw in (("circuits", draw_circuits), ("demand", draw_demand)):
        try:
            charts[name] = draw(found, canvas).finish(canvas)
        except NoData:
            continue
    return charts


def draw_circuits(found: XFabricConfiguration, canvas: Canvas) -> Drawing:
    """SoCs on a circle, and a line for each circuit in its crosspoint's colour, wide where there is much demand."""
    order = neighbourly(found)
    place = {name: number for number, name in enumerate(order)}
    most = max((each["bytes"] for of in found["crosspoints"] for each in of["circuits"]), default=0)
    rows: list[dict[str, Any]] = []
    for crosspoint in found["crosspoints"]:
        for circuit in crosspoint["circuits"]:
            (x, y), (x2, y2) = (point(place[name], len(order)) for name in circuit["socs"])
            rows.append(
                {
                    "label": crosspoint["name"],
                    "ends": " - ".join(circuit["socs"]),
                    "ports": " - ".join(circuit["ports"]),
                    "bytes": circuit["bytes"],
                    "width": 0.6 + 3.4 * circuit["bytes"] / most if most else 0.6,
                    "since": "new" if circuit["new"] else "as before",
                    "x": x,
                    "y": y,
                    "x2": x2,
                    "y2": y2,
                }
            )
    if not rows:
        raise NoData("no circuit is set")
    base, tooltip = tooltips(
        data(rows),
        {
            "Crosspoint": "datum.label",
            "SoCs": "datum.ends",
            "Its ports": "datum.ports",
            "Demand": expression("datum.bytes", "B"),
            "Since": "datum.since",
        },
    )
    labels = [crosspoint["name"] for crosspoint in found["crosspoints"] if crosspoint["circuits"]]
    scale = alt.Scale(domain=[-1.18, 1.18])
    across = alt.X("x:Q", axis=None, scale=scale)
    up = alt.Y("y:Q", axis=None, scale=scale)
    isolation = canvas.isolation()
    chords = (
        base.mark_rule(strokeCap="round")
        .encode(
            x=across,
            y=up,
            x2=alt.X2("x2:Q"),
            y2=alt.Y2("y2:Q"),
            color=canvas.colour(labels, "crosspoint"),
            strokeWidth=alt.StrokeWidth("width:Q", scale=None, legend=None),
            opacity=canvas.opacity(isolation, 0.75),
            tooltip=tooltip,
        )
        .add_params(isolation)
    )
    layers: list[Any] = [chords, *around(found, order, across, up, canvas)]
    given, changes = found["input"], found["changes"]
    told = (
        f"{len(order)} SoCs of {given['soc_ports']} ports; the width of a circuit is what its SoCs send each other, at "
        f"most {text(most, 'B')}. Connected SoCs are drawn near each other. A square has an uplink."
    )
    if changes is not None:
        told += f" {changes['added']} circuits are new since configuration {changes['version']}."
    return Drawing(alt.LayerChart(layer=layers), f"Circuits of configuration {found['version']}", told, height=WIDTH)


def around(found: XFabricConfiguration, order: list[str], across: alt.X, up: alt.Y, canvas: Canvas) -> list[Any]:
    """SoCs on the circle, and their names where there is room."""
    gateways = {uplink["soc"] for uplink in found["uplinks"]}
    socs: list[dict[str, Any]] = []
    for number, name in enumerate(order):
        x, y = point(number, len(order))
        socs.append({"name": name, "x": x, "y": y, "shape": "square" if name in gateways else "circle"})
    colour = ink(canvas.theme)
    dots = data(socs).encode(x=across, y=up, tooltip=alt.Tooltip("name:N", title="SoC"))
    size = max(12, min(60, 4000 // len(order)))
    layers: list[Any] = [
        dots.mark_point(
            filled=True, opacity=1, color=colour, size=size * (1 if shape == "circle" else 3), shape=shape
        ).transform_filter(f"datum.shape === {shape!r}")
        for shape in ("circle", "square")
    ]
    if len(order) <= NAMED:
        sides: tuple[tuple[Literal["left", "right"], str], ...] = (("left", "datum.x >= 0"), ("right", "datum.x < 0"))
        for side, filtered in sides:
            # Names lie outside the circle: left of the middle they end at it.
            outside = data([{**soc, "x": 1.05 * soc["x"], "y": 1.05 * soc["y"]} for soc in socs])
            layers.append(
                outside.mark_text(align=side, baseline="middle", fontSize=11, color=colour)
                .encode(x=across, y=up, text=alt.Text("name:N"))
                .transform_filter(filtered)
            )
    return layers


def draw_demand(found: XFabricConfiguration, canvas: Canvas) -> Drawing:
    """A matrix of SoCs: above the diagonal what two send each other, below it the hops between them."""
    order = neighbourly(found)
    place = {name: number for number, name in enumerate(order)}
    numbers = [place[name] for name in found["socs"]]
    pairs: dict[tuple[int, int], int] = {}
    for a, b, amount in found["demand"]["inside"]:
        key = (min(a, b), max(a, b))
        pairs[key] = pairs.get(key, 0) + amount
    heaviest = sorted(pairs.items(), key=lambda entry: (-entry[1], entry[0]))[: BUDGET // 2]
    if not heaviest:
        raise NoData("nobody sends anything")
    hops = distances(found, {a for (a, _), _ in heaviest})
    rows = []
    for (a, b), amount in heaviest:
        low, high = sorted((numbers[a], numbers[b]))
        least = hops[a][b]
        rows.append(
            {
                "low": low,
                "high": high,
                "pair": f"{found['socs'][a]} - {found['socs'][b]}",
                "bytes": amount,
                "hops": "no path" if least is None else f"{least}" if least < FARTHEST else f"{FARTHEST} or more",
            }
        )
    base, tooltip = tooltips(
        data(rows),
        {"SoCs": "datum.pair", "Demand": expression("datum.bytes", "B"), "Hops": "datum.hops"},
    )
    places = list(range(len(order)))
    named = len(order) <= NAMED
    label = f"{json.dumps(order)}[datum.value]"
    scale = alt.Scale(domain=places)
    below = alt.Axis(labelExpr=label, labelFontSize=9, labelAngle=-90, labelOverlap=True) if named else None
    beside = alt.Axis(labelExpr=label, labelFontSize=9, labelOverlap=True) if named else None

    def encoded(x: str, y: str) -> dict[str, Any]:
        return {
            "x": alt.X(f"{x}:O", scale=scale, title=None, axis=below),
            "y": alt.Y(f"{y}:O", scale=scale, title=None, axis=beside),
            "tooltip": tooltip,
        }

    theme = THEMES[canvas.theme]
    steps = [*(f"{number}" for number in range(1, FARTHEST)), f"{FARTHEST} or more", "no path"]
    amounts = alt.Scale(type="log", range=list(theme.heat[1:]))
    demand = base.mark_rect().encode(
        **encoded("high", "low"),
        color=alt.Color(
            "bytes:Q",
            scale=amounts,
            legend=alt.Legend(title="above: demand of a pair", labelExpr=expression("datum.value", "B"), tickCount=4),
        ),
    )
    reached = base.mark_rect().encode(
        **encoded("low", "high"),
        color=alt.Color(
            "hops:N",
            scale=alt.Scale(domain=steps, range=[*theme.heat[1:], theme.category[1]]),
            legend=alt.Legend(title="below: hops", symbolType="square", columns=len(steps)),
        ),
    )
    chart = alt.layer(demand, reached).resolve_scale(color="independent")
    left = len(pairs) - len(heaviest)
    told = (
        "SoCs in the order of the circle. Each pair appears twice: its demand and, mirrored, the hops between its SoCs."
    )
    if left:
        told += f" These are the {len(heaviest):,} heaviest pairs of {len(pairs):,}."
    return Drawing(chart, f"Demand and hops of configuration {found['version']}", told, height=WIDTH, isolates=False)


def neighbourly(found: XFabricConfiguration) -> list[str]:
    """SoCs in an order in which those with much demand and a circuit between them stand together: as a tree grows."""
    circuits: dict[str, list[tuple[int, str]]] = {name: [] for name in found["socs"]}
    for crosspoint in found["crosspoints"]:
        for circuit in crosspoint["circuits"]:
            a, b = circuit["socs"]
            circuits[a].append((-circuit["bytes"], b))
            circuits[b].append((-circuit["bytes"], a))
    order: dict[str, None] = {}
    for start in found["socs"]:
        waiting: list[tuple[int, str]] = [(0, start)]
        while waiting:
            _, name = heapq.heappop(waiting)
            if name not in order:
                order[name] = None
                for entry in circuits[name]:
                    heapq.heappush(waiting, entry)
    return list(order)


def distances(found: XFabricConfiguration, sources: set[int]) -> dict[int, list[int | None]]:
    """Hops from some SoCs to all, by number; None where there is no path."""
    number = {name: place for place, name in enumerate(found["socs"])}
    peers = [[number[peer] for peer in of["neighbours"] if peer is not None] for of in found["forwarding"]]
    hops: dict[int, list[int | None]] = {}
    for source in sorted(sources):
        reached: list[int | None] = [None] * len(peers)
        reached[source] = 0
        frontier, far = [source], 0
        while frontier:
            far += 1
            following = []
            for soc in frontier:
                for peer in peers[soc]:
                    if reached[peer] is None:
                        reached[peer] = far
                        following.append(peer)
            frontier = following
        hops[source] = reached
    return hops


def point(number: int, of: int) -> tuple[float, float]:
    """A place on the circle, from the top on and clockwise."""
    angle = 2 * math.pi * number / of
    return round(math.sin(angle), 4), round(math.cos(angle), 4)
