"""Figures of plans: sizes by tiers, devices, links, cost and power by hosts, silicon area."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import altair as alt

from gossamer.analysis.quantities import significant
from gossamer.plots.canvas import AnyChart, Canvas, Drawing, NoData, axis, data, lines, log_scale, tooltips
from gossamer.plots.expressions import expression
from gossamer.types import StardustDesign, StardustPlan

__all__ = ["draw_all", "draw_area", "draw_cost", "draw_devices", "draw_hosts", "draw_links", "draw_power"]


def draw_all(plans: Sequence[StardustPlan], canvas: Canvas) -> dict[str, AnyChart]:
    """Every figure that has data, by what its file is called."""
    figures: dict[str, Callable[[], Drawing]] = {
        "hosts-by-tiers": lambda: draw_hosts(plans[0], canvas),
        "devices": lambda: draw_devices(plans, canvas),
        "links": lambda: draw_links(plans, canvas),
        "cost": lambda: draw_cost(plans, canvas),
        "power": lambda: draw_power(plans, canvas),
        "area": lambda: draw_area(plans[0]),
    }
    drawn = {}
    for name, draw in figures.items():
        try:
            drawn[name] = draw().finish(canvas)
        except NoData:
            continue  # no prices, say: the plan's warnings name them
    return drawn


def draw_hosts(plan: StardustPlan, canvas: Canvas, title: str = "Most hosts by number of tiers") -> Drawing:
    """The most hosts against tiers, a line for each design (Stardust, Fig. 2a)."""
    rows: list[dict[str, Any]] = [
        {"label": name, "tiers": limit["tiers"], "hosts": limit["hosts"]}
        for name, design in distinct(plan).items()
        for limit in design["limits"]
    ]
    scale, ticks = log_scale("count", [row["hosts"] for row in rows])
    chart = lines(
        data(rows),
        canvas,
        alt.X("tiers:O", title="Tiers in the fabric", axis=alt.Axis(labelAngle=0)),
        alt.Y("hosts:Q", title="Hosts", scale=scale, axis=counted(ticks)),
        canvas.colour(list(distinct(plan)), "design"),
        {"Design": "datum.label", "Tiers": "datum.tiers", "Hosts": expression("datum.hosts", "count")},
        points=True,
    )
    return Drawing(chart, title, f"Full networks. {devices_of(plan)}")


def draw_devices(plans: Sequence[StardustPlan], canvas: Canvas, title: str = "Devices by hosts") -> Drawing:
    """Adapters and elements, or ToRs and switches, against hosts (Stardust, Fig. 2b)."""
    return _by_hosts(plans, canvas, title, "Devices", lambda design: design["devices"])


def draw_links(plans: Sequence[StardustPlan], canvas: Canvas, title: str = "Serial links by hosts") -> Drawing:
    """Serial links in the fabric against hosts (Stardust, Fig. 2c)."""
    return _by_hosts(plans, canvas, title, "Serial links in the fabric", lambda design: design["links"])


def draw_cost(plans: Sequence[StardustPlan], canvas: Canvas, title: str = "Cost of Stardust by hosts") -> Drawing:
    """What Stardust costs, over what each fat-tree costs (Stardust, Fig. 11a)."""
    rows = [
        {"label": design["name"], "hosts": plan["input"]["hosts"], "share": significant(of / other)}
        for plan, stardust, design in pairs(plans)
        if (of := stardust["cost_usd"]) is not None and (other := design["cost_usd"])
    ]
    if not rows:
        raise NoData("no design has all its prices")
    chart = _relative(rows, plans, canvas, "Cost, of the fat-tree's")
    return Drawing(chart, title, f"Devices, server cables, transceivers and fibres. {devices_of(plans[0])}")


def draw_power(plans: Sequence[StardustPlan], canvas: Canvas, title: str = "Power of Stardust by hosts") -> Drawing:
    """What Stardust draws, over what each fat-tree draws: the whole network, and the fabric (Stardust, Fig. 11b)."""
    rows = [
        {
            "label": design["name"],
            "hosts": plan["input"]["hosts"],
            "scope": scope,
            "share": significant(draws / of),
        }
        for plan, stardust, design in pairs(plans)
        if (ours := stardust["power"]) is not None and (theirs := design["power"]) is not None
        for scope, draws, of in (
            ("whole network", ours["network"], theirs["network"]),
            ("fabric alone", ours["fabric"], theirs["fabric"]),
        )
        if of > 0
    ]
    if not rows:
        raise NoData("no design has a fabric whose power is known")
    dash = alt.StrokeDash("scope:N", legend=alt.Legend(title="of"), sort=["whole network", "fabric alone"])
    chart = _relative(rows, plans, canvas, "Power, of the fat-tree's", dash)
    return Drawing(chart, title, devices_of(plans[0]))


def draw_area(plan: StardustPlan, title: str = "Silicon area per Tb/s") -> Drawing:
    """Area per Tb/s of a Fabric Element beside a switch's (Stardust, Fig. 10d). It is an input of the plan."""
    rows = [
        {"label": "switch (ToR)", "area": 1.0},
        {"label": "Fabric Element", "area": plan["input"]["element_area"]},
    ]
    base, tooltip = tooltips(
        data(rows), {"Device": "datum.label", "Area per Tb/s, of a switch's": expression("datum.area", "fraction")}
    )
    bars = base.mark_bar(size=60).encode(
        x=alt.X("label:N", title=None, sort=None, axis=alt.Axis(labelAngle=0)),
        y=alt.Y("area:Q", title="Area per Tb/s, of a switch's", axis=axis("fraction", tickCount=5)),
        color=alt.Color("label:N", sort=None, legend=None),
        tooltip=tooltip,
    )
    return Drawing(bars, title, "As measured by the devices' makers: an input, not a result.")


def distinct(plan: StardustPlan) -> dict[str, StardustDesign]:
    """The designs by name; a fat-tree that has the devices and links of Stardust shares its line."""
    stardust, *others = plan["designs"]
    alike = [each for each in others if (each["radix"], each["bundle"]) == (stardust["radix"], stardust["bundle"])]
    name = ", ".join([stardust["name"], *(each["name"] for each in alike)])
    return {name: stardust} | {each["name"]: each for each in others if each not in alike}


def pairs(plans: Sequence[StardustPlan]) -> Iterator[tuple[StardustPlan, StardustDesign, StardustDesign]]:
    """Each plan with Stardust and one fat-tree, for every fat-tree."""
    for plan in plans:
        stardust, *others = plan["designs"]
        for design in others:
            yield plan, stardust, design


def devices_of(plan: StardustPlan) -> str:
    """The hardware in a sentence."""
    given = plan["input"]
    return (
        f"{given['hosts_per_adapter']} hosts of {given['host_rate']} per edge device, devices of "
        f"{given['switch_bandwidth']}, serial links of {given['link_rate']}."
    )


def _by_hosts(
    plans: Sequence[StardustPlan], canvas: Canvas, title: str, what: str, of: Callable[[StardustDesign], int]
) -> Drawing:
    rows: list[dict[str, Any]] = [
        {"label": name, "hosts": plan["input"]["hosts"], "value": of(design), "tiers": design["tiers"]}
        for plan in plans
        for name, design in distinct(plan).items()
        if of(design) > 0
    ]
    if not rows:
        raise NoData("one edge device has all the hosts")
    scale, ticks = log_scale("count", [row["value"] for row in rows])
    chart = lines(
        data(rows),
        canvas,
        _hosts(rows),
        alt.Y("value:Q", title=what, scale=scale, axis=counted(ticks)),
        canvas.colour(list(distinct(plans[0])), "design"),
        {
            "Design": "datum.label",
            "Hosts": expression("datum.hosts", "count"),
            what: expression("datum.value", "count"),
            "Tiers": "datum.tiers",
        },
    )
    return Drawing(chart, title, devices_of(plans[0]))


def _relative(
    rows: Sequence[Mapping[str, Any]],
    plans: Sequence[StardustPlan],
    canvas: Canvas,
    title: str,
    dash: Any = alt.Undefined,
) -> alt.LayerChart:
    tips = {
        "Against": "datum.label",
        "Hosts": expression("datum.hosts", "count"),
        title: expression("datum.share", "fraction"),
    }
    if "scope" in rows[0]:
        tips["Of"] = "datum.scope"
    highest = max(1.0, *(row["share"] for row in rows))
    return lines(
        data(rows),
        canvas,
        _hosts(rows),
        alt.Y(
            "share:Q",
            title=title,
            axis=axis("fraction", tickCount=6),
            scale=alt.Scale(domain=[0, 1.02 * highest], nice=False),
        ),
        canvas.colour([design["name"] for design in plans[0]["designs"][1:]], "against"),
        tips,
        dash=dash,
    )


def _hosts(rows: Sequence[Mapping[str, Any]]) -> alt.X:
    scale, ticks = log_scale("count", [row["hosts"] for row in rows])
    return alt.X("hosts:Q", title="Hosts", scale=scale, axis=counted(ticks))


def counted(ticks: alt.Axis) -> alt.Axis:
    """The axis with its counts short: 20 K, 1 M, 3 G."""
    short = "replace(replace(format(datum.value, '.3~s'), 'k', ' K'), regexp('([MGT])$'), ' $1')"
    ticks.labelExpr = short
    return ticks
