"""Figures of `gossamer plan compare`: cost and power of every system for each host, by hosts."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from gossamer.analysis.quantities import significant
from gossamer.plan.comparison import Comparison, told
from gossamer.plots.canvas import AnyChart, Canvas, Drawing, NoData, data, lines, log_scale
from gossamer.plots.expressions import expression
from gossamer.plots.planner import counted

__all__ = ["draw_all", "draw_cost", "draw_power"]


def draw_all(found: Sequence[Comparison], canvas: Canvas) -> dict[str, AnyChart]:
    """Every figure that has data, by what its file is called."""
    drawn = {}
    for name, draw in (("cost-of-a-host", draw_cost), ("power-of-a-host", draw_power)):
        try:
            drawn[name] = draw(found, canvas).finish(canvas)
        except NoData:
            continue  # no prices: the table says which
    return drawn


def draw_cost(found: Sequence[Comparison], canvas: Canvas, title: str = "Cost for each host, by hosts") -> Drawing:
    """USD of switches and links for each host, a line a system."""
    return _by_hosts(found, canvas, title, "cost_usd", "USD a host", "Switches and links; NICs are left out.")


def draw_power(
    found: Sequence[Comparison], canvas: Canvas, title: str = "Power of switches for each host, by hosts"
) -> Drawing:
    """W of switches for each host, a line a system: what is known of all of them."""
    return _by_hosts(
        found, canvas, title, "power_switches_w", "W a host", "Switches alone; transceivers and NICs are left out."
    )


def _by_hosts(found: Sequence[Comparison], canvas: Canvas, title: str, key: str, unit: str, included: str) -> Drawing:
    rows: list[dict[str, Any]] = [
        {
            "label": network["name"],
            "hosts": each["asked"]["hosts"],
            "value": significant(network["values"][key] / each["asked"]["hosts"]),
        }
        for each in found
        for network in each["networks"]
        if network["verdict"] == "fits" and key in network["values"]
    ]
    if not rows:
        raise NoData("no system has all its prices")
    asked = found[0]["asked"]
    names = [network["name"] for network in found[0]["networks"]]
    hosts, ticks = log_scale("count", [row["hosts"] for row in rows])
    chart = lines(
        data(rows),
        canvas,
        alt.X("hosts:Q", title="Hosts", scale=hosts, axis=counted(ticks)),
        alt.Y("value:Q", title=unit, axis=alt.Axis(tickCount=6), scale=alt.Scale(zero=True)),
        canvas.colour(names, "system"),
        {"System": "datum.label", "Hosts": expression("datum.hosts", "count"), unit: "format(datum.value, ',.4~r')"},
    )
    subtitle = (
        f"Hosts of {told(asked['rate_bps'])} at an oversubscription of {asked['oversubscription']:g}. {included} No "
        "line where a system does not fit, is not checked, or the number is not given."
    )
    return Drawing(chart, title, subtitle)
