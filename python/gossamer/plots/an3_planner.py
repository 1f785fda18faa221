"""Figures of AN3's plans: cost of a port, and what it is made of (AN3, Figs. 9 and 10)."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from gossamer.analysis.quantities import significant
from gossamer.plots.canvas import AnyChart, Canvas, Drawing, data, tooltips
from gossamer.types import An3Cost, An3Plan

__all__ = ["draw_all", "draw_breakdown", "draw_ports", "named"]

PARTS = ("NICs", "switches", "links", "design")
"""What a network's cost is made of, in words."""


def draw_all(plans: Sequence[An3Plan], canvas: Canvas) -> dict[str, AnyChart]:
    """Every figure, by what its file is called; none of plans without prices."""
    known = [plan for plan in plans if plan["an3"]["cost"] is not None and plan["baseline"]["cost"] is not None]
    drawings = {"cost-of-a-port": draw_ports(known), "breakdown": draw_breakdown(known)} if known else {}
    return {name: drawing.finish(canvas) for name, drawing in drawings.items()}


def named(plan: An3Plan) -> list[tuple[str, An3Cost]]:
    """The networks of a plan that have a cost, by what they are called in figures."""
    given = plan["input"]
    off = f"switches, {100 * given['discount']:g} % off"
    pairs = ((off, plan["baseline"]["cost"]), (f"AN3, {given['nic'].upper()}", plan["an3"]["cost"]))
    return [(name, cost) for name, cost in pairs if cost is not None]


def draw_ports(plans: Sequence[An3Plan], title: str = "Cost of a port") -> Drawing:
    """USD a port of both networks, by servers and oversubscription."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for plan in plans:
        given = plan["input"]
        place = f"{given['servers'] / 1000:g}K, {given['oversubscription']:g}"
        for name, cost in named(plan):
            row = {"place": place, "label": name, "cost": significant(cost["port_usd"])}
            rows[place, name] = row
    return Drawing(grouped(list(rows.values())), title, "By servers and oversubscription, in USD.")


def grouped(rows: Sequence[Mapping[str, Any]]) -> alt.Chart:
    """A bar for each network, in a group for each size."""
    base, tooltip = tooltips(
        data(rows),
        {"Servers, oversubscription": "datum.place", "Network": "datum.label", "USD": "format(datum.cost, ',.4~r')"},
    )
    bars: alt.Chart = base.mark_bar(cornerRadiusEnd=2).encode(
        x=alt.X("place:N", title="Servers, oversubscription", sort=None, axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("label:N", sort=None),
        y=alt.Y("cost:Q", title="USD a port", axis=alt.Axis(tickCount=6)),
        color=alt.Color("label:N", sort=None, legend=alt.Legend(title=None, symbolType="square")),
        tooltip=tooltip,
    )
    return bars


def draw_breakdown(plans: Sequence[An3Plan], title: str = "What the cost of a port is made of") -> Drawing:
    """USD a port of both networks, by part: bars one above the other."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for plan in plans:
        servers = plan["input"]["servers"]
        for name, cost in named(plan):
            place = f"{servers / 1000:g}K, {plan['input']['oversubscription']:g}: {name}"
            amounts = (cost["nics_usd"], cost["switches_usd"], cost["links_usd"], cost["design_usd"])
            for part, amount in zip(PARTS, amounts, strict=True):
                found[place, part] = {"place": place, "label": part, "cost": significant(amount / servers)}
    base, tooltip = tooltips(
        data(list(found.values())),
        {"Network": "datum.place", "Part": "datum.label", "USD": "format(datum.cost, ',.4~r')"},
    )
    bars = base.mark_bar().encode(
        y=alt.Y("place:N", title=None, sort=None, axis=alt.Axis(labelLimit=320)),
        x=alt.X("cost:Q", title="USD a port", axis=alt.Axis(tickCount=6)),
        color=alt.Color("label:N", sort=None, legend=alt.Legend(title=None, symbolType="square")),
        tooltip=tooltip,
    )
    return Drawing(bars, title, "By servers and oversubscription.")
