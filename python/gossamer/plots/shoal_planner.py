"""Figures of Shoal's plans: cost by a circuit switch's price, power, latency and memory by nodes, failed slots."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from gossamer.analysis.quantities import Kind, significant
from gossamer.plots.canvas import AnyChart, Canvas, Drawing, axis, data, ink, lines, log_scale, tooltips
from gossamer.plots.expressions import expression
from gossamer.plots.planner import counted
from gossamer.types import ShoalComponent, ShoalPlan

__all__ = ["COMPONENTS", "draw_all", "draw_cost", "draw_failures", "draw_memory", "draw_power", "draw_times"]

COMPONENTS: Mapping[ShoalComponent, str] = {
    "node": "node",
    "node-leaf-link": "link of a node",
    "leaf": "leaf",
    "leaf-spine-link": "link to a spine",
    "spine": "spine",
}
"""What can fail, in words."""


def draw_all(by_nodes: Sequence[ShoalPlan], by_price: Sequence[ShoalPlan], canvas: Canvas) -> dict[str, AnyChart]:
    """Every figure, by what its file is called. Plans by price are of the rack that is planned."""
    drawings = {
        "cost": draw_cost(by_price, canvas),
        "power": draw_power(by_price[0]),
        "latency": draw_times(by_nodes, canvas),
        "memory": draw_memory(by_nodes, canvas),
        "failed-slots": draw_failures(by_price[0], canvas),
    }
    return {name: drawing.finish(canvas) for name, drawing in drawings.items()}


def draw_cost(
    plans: Sequence[ShoalPlan], canvas: Canvas, title: str = "Cost of Shoal by the price of a circuit switch"
) -> Drawing:
    """What Shoal costs, over what packet switches cost, against the price of a circuit switch (Shoal, Fig. 11)."""
    rows: list[dict[str, Any]] = [
        {
            "label": nics(cost["nic_multiple"]),
            "price": plan["input"]["price_circuit_switch"],
            "share": significant(cost["relative"]),
        }
        for plan in plans
        for cost in plan["cost"]["designs"]
    ]
    saving = plans[0]["input"]["saving"]
    marks = [
        {"share": 1.0, "text": "as much as packet switches"},
        {"share": 1 - saving, "text": f"{100 * saving:.3g} % less"},
    ]
    level = alt.Chart(alt.InlineData(values=marks)).encode(y="share:Q")
    rules = level.mark_rule(strokeDash=[2, 4], color=ink(canvas.theme))
    words = level.mark_text(align="left", dx=4, dy=-7, color=ink(canvas.theme)).encode(x=alt.value(0), text="text:N")
    curves = lines(
        data(rows),
        canvas,
        alt.X("price:Q", title="Price of a circuit switch, of a packet switch's", axis=axis("fraction", tickCount=7)),
        alt.Y("share:Q", title="Cost, of the packet network's", axis=axis("fraction", tickCount=6)),
        canvas.colour(list(dict.fromkeys(row["label"] for row in rows)), "Shoal's NIC"),
        {
            "Shoal's NIC": "datum.label",
            "Circuit switch": expression("datum.price", "fraction"),
            "Cost": expression("datum.share", "fraction"),
        },
    )
    subtitle = f"{rack(plans[0])} The packet network's NIC is at {plans[0]['input']['price_nic']:.3g} switches."
    return Drawing(curves + rules + words, title, subtitle)


def draw_power(plan: ShoalPlan, title: str = "Power of the rack's network") -> Drawing:
    """Switches and NICs of Shoal and of the packet-switched network, in W (Shoal, §5)."""
    rows = [
        {"network": name, "label": part, "power": power}
        for name, design in (("Shoal", plan["shoal"]), ("packet switches", plan["packet"]))
        for part, power in (("switches", design["power"]["switches_w"]), ("NICs", design["power"]["nics_w"]))
    ]
    base, tooltip = tooltips(
        data(rows),
        {"Network": "datum.network", "Part": "datum.label", "Power": "format(datum.power, ',.4~r') + ' W'"},
    )
    bars = base.mark_bar(size=60).encode(
        x=alt.X("network:N", title=None, sort=None, axis=alt.Axis(labelAngle=0)),
        y=alt.Y("power:Q", title="Power in W", axis=alt.Axis(tickCount=6)),
        color=alt.Color("label:N", sort=None, legend=alt.Legend(title=None, symbolType="square")),
        tooltip=tooltip,
    )
    return Drawing(bars, title, rack(plan))


def draw_times(plans: Sequence[ShoalPlan], canvas: Canvas, title: str = "Epoch and latency by nodes") -> Drawing:
    """An epoch, and how long a cell is on its way with empty and with full queues, against nodes."""

    def times(plan: ShoalPlan) -> dict[str, float]:
        latency = plan["latency"]
        return {
            "epoch": plan["timing"]["epoch_ps"] / 1e12,
            "cell, empty queues": latency["zero_load_ps"] / 1e12,
            "cell, alone at its destination": latency["alone_ps"] / 1e12,
            "cell, all queues full": latency["worst_ps"] / 1e12,
        }

    chart = _by_nodes({plan["input"]["nodes"]: times(plan) for plan in plans}, canvas, "ps")
    return Drawing(chart, title, f"{slots(plans[0])} With empty queues on average, else at most.")


def draw_memory(plans: Sequence[ShoalPlan], canvas: Canvas, title: str = "Memory of a node by nodes") -> Drawing:
    """All queues at their bound, and what of it and of the congestion control is on the chip, against nodes."""

    def sizes(plan: ShoalPlan) -> dict[str, float]:
        memory = plan["memory"]
        return {
            "all queues full": memory["buffer_bytes"],
            "on the chip": plan["chip_bytes"],
            "of that, feedback": memory["feedback_bits"] / 8,
            "of that, cells": memory["cache_bytes"],
        }

    chart = _by_nodes({plan["input"]["nodes"]: sizes(plan) for plan in plans}, canvas, "B")
    cell = plans[0]["timing"]["cell_bytes"]
    return Drawing(chart, title, f"Cells of {cell} B. A queue for each other node, of at most as many cells as nodes.")


def draw_failures(plan: ShoalPlan, canvas: Canvas, title: str = "Slots that a failed component takes") -> Drawing:
    """Share of slots that fail in one plane: as printed, and counted over a schedule (Shoal, Table 1)."""
    rows: list[dict[str, Any]] = [
        {"component": COMPONENTS[failed["component"]], "label": label, "share": significant(share)}
        for failed in plan["failures"]
        for label, share in (
            ("Table 1", failed["printed"]),
            ("counted, own path", failed["one_way"]),
            ("counted, both directions given up", failed["both_ways"]),
        )
    ]
    shares = [row["share"] for row in rows]
    scale, ticks = log_scale("fraction", [min(shares) / 2, 1.5 * max(shares)])
    base, tooltip = tooltips(
        data(rows),
        {"Failed": "datum.component", "By": "datum.label", "Slots": expression("datum.share", "fraction")},
    )
    labels = list(dict.fromkeys(row["label"] for row in rows))
    isolation = canvas.isolation()
    points = (
        base.mark_point(size=90, filled=True)
        .encode(
            x=alt.X("component:N", title=None, sort=None, axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("label:N", sort=labels),
            y=alt.Y("share:Q", title="Slots that fail", scale=scale, axis=ticks),
            color=alt.Color(
                "label:N",
                scale=alt.Scale(domain=labels),
                legend=alt.Legend(title=None, columns=4, symbolType="circle"),
            ),
            opacity=canvas.opacity(isolation),
            tooltip=tooltip,
        )
        .add_params(isolation)
    )
    clos = plan["shoal"]["network"]["plane"]
    counted_for = f"Counted in one plane of {clos['leaves']} leaves and {clos['spines']} spines"
    return Drawing(points, title, f"{counted_for}, {plan['failures_nodes']:,} nodes, of nodes that are not cut off.")


def nics(multiple: float) -> str:
    """What a line of the cost is called."""
    return f"{multiple:g} times a packet NIC"


def rack(plan: ShoalPlan) -> str:
    """The hardware in a sentence."""
    given, shoal, packet = plan["input"], plan["shoal"]["network"], plan["packet"]["network"]
    return (
        f"{given['nodes']:,} nodes: {shoal['switches']:,} circuit switches for {given['node_rate']} a node, "
        f"{packet['switches']:,} packet switches for {given['packet_node_rate']}, {given['switch_ports']} ports each."
    )


def slots(plan: ShoalPlan) -> str:
    """The slots in a sentence."""
    return f"Slots of {plan['timing']['slot_ps'] / 1000:g} ns, {plan['input']['channels']} channels a node."


def _by_nodes(values: Mapping[int, Mapping[str, float]], canvas: Canvas, kind: Kind) -> alt.LayerChart:
    rows: list[dict[str, Any]] = [
        {"label": label, "nodes": nodes, "value": significant(value)}
        for nodes, named in values.items()
        for label, value in named.items()
    ]
    x_scale, x_ticks = log_scale("count", [row["nodes"] for row in rows])
    scale, ticks = log_scale(kind, [row["value"] for row in rows])
    return lines(
        data(rows),
        canvas,
        alt.X("nodes:Q", title="Nodes", scale=x_scale, axis=counted(x_ticks)),
        alt.Y("value:Q", title=None, scale=scale, axis=ticks),
        canvas.colour(list(next(iter(values.values()))), ""),
        {
            "Of": "datum.label",
            "Nodes": expression("datum.nodes", "count"),
            "Is": expression("datum.value", kind),
        },
    )
