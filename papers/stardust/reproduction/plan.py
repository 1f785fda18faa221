"""Stardust (NSDI 2019): the claims that closed forms settle. How each is read is in papers/stardust/README.md."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gossamer.plan import Setting, StardustPlan, plan
from gossamer.plan.sweep import over_hosts
from gossamer.reproduce.registry import Computation, Measurement

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.claims import Claim

SOURCE = "gossamer plan stardust"

FIG_2: Mapping[str, Setting] = {
    "switch_bandwidth": "12.8 Tb/s",
    "link_rate": "50 Gb/s",
    "host_rate": "100 Gb/s",
    "hosts_per_adapter": 40,
    "bundles": (1, 2, 4, 8),
    "prices": "none",
}
"""§2.2: 12.8 Tb/s as 256 x 50G to 32 x 400G, 40 servers of 100G an edge device."""

FIG_11: Mapping[str, Setting] = {
    "switch_bandwidth": "6.4 Tb/s",
    "link_rate": "25 Gb/s",
    "host_rate": "25 Gb/s",
    "hosts_per_adapter": 40,
    "bundles": (1, 2, 4),
    "transceiver_power_w": 0,
}
"""§7 and Table 3: boxes of 64 x 100G, links of 25G, 40 servers at the link speed; devices alone draw power."""


def of_the_figure() -> StardustPlan:
    """The network of Fig. 2."""
    return plan("stardust", **FIG_2)


def sizes(claim: str, tiers: int, bundle: int) -> Computation[StardustPlan]:
    """A point of Fig. 2a: the most hosts with so many tiers and such bundles."""
    computation = Computation("stardust", claim, SOURCE, computes=of_the_figure)

    def hosts(found: StardustPlan, links: int) -> int:
        (design,) = (each for each in found["designs"] if each["kind"] == "fat-tree" and each["bundle"] == links)
        return design["limits"][tiers - 1]["hosts"]

    @computation.measure
    def most_hosts(found: StardustPlan) -> Measurement:
        unbundled = hosts(found, 1) / hosts(found, bundle)
        note = "" if bundle == 1 else f"Single links join {unbundled:g} times as many hosts"
        return Measurement({"": hosts(found, bundle)}, note)

    return computation


one_tier = sizes("fig2a-1tier-l1", tiers=1, bundle=1)
sizes("fig2a-1tier-l8", tiers=1, bundle=8)
sizes("fig2a-2tier-l8", tiers=2, bundle=8)


@one_tier.plot
def fig_2(found: StardustPlan, claim: "Claim") -> "Mapping[str, AnyChart]":
    """Figs. 2a, 2b and 2c; the paper's point that the claim is about is drawn in."""
    import altair as alt

    from gossamer.plots import planner
    from gossamer.plots.canvas import Canvas, ink

    canvas = Canvas()
    curves = over_hosts(dict(FIG_2))
    stated = {"tiers": 1, "hosts": claim.value, "text": f"{claim.value} hosts in the paper"}
    point = alt.Chart(alt.InlineData(values=[stated])).encode(x="tiers:O", y="hosts:Q")
    hosts = planner.draw_hosts(found, canvas, "Stardust Fig. 2a: hosts that so many tiers join")
    marked = hosts.chart + point.mark_point(size=160, color=ink(canvas.theme))
    named = marked + point.mark_text(align="right", dx=32, dy=-20, color=ink(canvas.theme)).encode(text="text:N")
    return {
        "fig2a": type(hosts)(named, hosts.title, hosts.subtitle).finish(canvas),
        "fig2b": planner.draw_devices(curves, canvas, "Stardust Fig. 2b: devices by hosts").finish(canvas),
        "fig2c": planner.draw_links(curves, canvas, "Stardust Fig. 2c: serial links by hosts").finish(canvas),
    }


packet_rate = Computation(
    "stardust",
    "packet-rate",
    SOURCE,
    computes=lambda: plan("stardust", switch_bandwidth="12.8 Tb/s", packets=(64, 256), prices="none"),
)


@packet_rate.measure
def rates(found: StardustPlan) -> Measurement:
    """Packets a second at line rate, in thousand millions; at 1 GHz and a packet a clock, packets at the same time."""
    by_size = {each["bytes"]: each for each in found["fabric"]["packet_rates"]}
    return Measurement(
        {f"{size} B": each["per_second"] / 1e9 for size, each in by_size.items()},
        f"App. B prints P = 6.06 for 256 B; its own equation gives {by_size[256]['parallelism']:.3f}, which is the "
        "5.8 Gpps of §2.3. For 64 B it cuts 19.0476 off to 19.047, and §2.3 rounds it to 19.05",
    )


min_credit = Computation(
    "stardust",
    "min-credit",
    SOURCE,
    computes=lambda: plan("stardust", adapter_bandwidth="10 Tb/s", clocks_per_credit=2, prices="none"),
)


@min_credit.measure
def smallest_credit(found: StardustPlan) -> Measurement:
    """What a scheduler that gives a credit every two clocks must give to keep 10 Tb/s busy."""
    slower = plan("stardust", adapter_bandwidth="8 Tb/s", clocks_per_credit=2, prices="none")
    eight = slower["fabric"]["minimum_credit_bytes"]
    return Measurement(
        {"": found["fabric"]["minimum_credit_bytes"]},
        "The paper's own expression, 10 Tb/s over half of 1 GHz, is 20,000 bits: 2500 B with 8 bits a byte. "
        f"A credit of {eight} B goes with 8 Tb/s",
    )


def table_4() -> StardustPlan:
    """The example values of Table 4."""
    return plan(
        "stardust",
        hosts=32_000,
        **FIG_2,
        clock_ghz=1,
        reachability_clocks=10_000,
        reachability_bitmap=128,
        reachability_message="24 B",
        reachability_threshold=3,
        delay_near="50 ns",
        delay_far="500 ns",
    )


recovery_time = Computation("stardust", "recovery-time", SOURCE, computes=table_4)


element_memory = Computation(
    "stardust",
    "element-memory",
    SOURCE,
    computes=lambda: plan("stardust", **FIG_2, element_memory=128, cell="256 B"),
)


@element_memory.measure
def memory(found: StardustPlan) -> Measurement:
    """Memory in the paper's MB: 8 MB is 8 MiB, to the byte."""
    fabric = found["fabric"]
    return Measurement(
        {
            "memory_mb": fabric["element_memory_bytes"] / 1e6,
            "worst_latency_us": fabric["element_latency_ps"] / 1e6,
        },
        f"{fabric['element_memory_bytes'] / 2**20:g} MiB. The wait is for 128 cells at 50 Gb/s; the fabric's "
        "speed-up of 1.05 is not in it",
    )


area = Computation("stardust", "fig10d-area", SOURCE, computes=lambda: plan("stardust"))


@area.measure
def area_per_tbps(found: StardustPlan) -> Measurement:
    """An input: measured on two devices by their makers."""
    return Measurement(
        {"area_per_tbps": found["input"]["element_area"]},
        "An input of the paper, not a result: the areas of two shipped devices, whose shares by function are not "
        "printed. The savings that App. C does print (interfaces to 30 %, the remainder to 60 %, I/O alike, headers "
        "and tables to nothing) add up to it if I/O takes 16.5 % of a switch, plus 0.75 times the interfaces' share, "
        "plus 1.5 times that of headers and tables",
    )


@area.plot
def fig_10d(found: StardustPlan, claim: "Claim") -> "AnyChart":  # noqa: ARG001 - what is stated is what is drawn
    """Fig. 10d."""
    from gossamer.plots import planner
    from gossamer.plots.canvas import Canvas

    return planner.draw_area(found, "Stardust Fig. 10d: silicon area per Tb/s").finish(Canvas())


def fig_11_curves() -> list[StardustPlan]:
    """Fig. 11: networks of 320 to a million hosts."""
    return over_hosts(dict(FIG_11))


cost_power = Computation("stardust", "fig11-cost-power", SOURCE, computes=fig_11_curves)


def extremes(plans: Sequence[StardustPlan]) -> dict[str, float]:
    """The claim's rows, over all numbers of hosts and all bundles: the lowest cost, the largest savings of power."""
    from gossamer.plots.planner import pairs

    costs, network, fabric = [], [], []
    for _, stardust, design in pairs(plans):
        ours, theirs = stardust["cost_usd"], design["cost_usd"]
        if ours is not None and theirs is not None:
            costs.append(ours / theirs)
        draws, others = stardust["power"], design["power"]
        if draws is not None and others is not None:
            network.append(draws["network"] / others["network"])
            fabric.append(draws["fabric"] / others["fabric"])
    return {
        "cost_ratio_min": min(costs),
        "cost_ratio_max": max(costs),
        "power_saving_max": 1 - min(network),
        "fabric_power_saving_max": 1 - min(fabric),
    }


@cost_power.measure
def savings(found: list[StardustPlan]) -> Measurement:
    """Cost and power against fat-trees with bundles of one, two and four links."""
    ours = extremes(found)
    dearest = ours.pop("cost_ratio_max")
    read = extremes(over_hosts({**FIG_11, "host_rate": "50 Gb/s"}))
    always = "always the cheapest" if dearest < 1 else f"up to {dearest:.2f} of the cost"
    return Measurement(
        ours,
        f"Stardust is {always}. The paper does not print the servers' rate. Here it is that of a link, 25 Gb/s; with "
        f"50 Gb/s lowest cost and largest saving of power are {read['cost_ratio_min']:.2f} and "
        f"{read['power_saving_max']:.2f}; 40 servers of 100 Gb/s and their uplinks are more than a switch of 6.4 Tb/s "
        "has. Neither rate gives both printed numbers: 50 Gb/s gives the cost, 25 Gb/s the power; the saving within "
        "the fabric, 1 - 0.666 / 3, is the same with both",
    )


@cost_power.plot
def fig_11(found: list[StardustPlan], claim: "Claim") -> "Mapping[str, AnyChart]":
    """Figs. 11a and 11b, with the paper's extremes as dashed lines."""
    import altair as alt

    from gossamer.plots import planner
    from gossamer.plots.canvas import Canvas, Drawing, ink

    canvas = Canvas()
    colour = ink(canvas.theme)

    def marked(drawing: Drawing, stated: Mapping[str, float]) -> "AnyChart":
        values = [{"share": share, "text": f"{text} in the paper: {share:.0%}"} for text, share in stated.items()]
        paper = alt.Chart(alt.InlineData(values=values)).encode(y="share:Q")
        rules = paper.mark_rule(strokeDash=[2, 4], color=colour)
        names = paper.mark_text(align="right", dx=-4, dy=-7, color=colour).encode(x=alt.value("width"), text="text:N")
        return Drawing(drawing.chart + rules + names, drawing.title, drawing.subtitle).finish(canvas)

    rows = {name: float(value) for name, value in claim.rows.items()}
    return {
        "cost": marked(
            planner.draw_cost(found, canvas, "Stardust Fig. 11a: relative cost by hosts"),
            {"lowest": rows["cost_ratio_min"]},
        ),
        "power": marked(
            planner.draw_power(found, canvas, "Stardust Fig. 11b: relative power by hosts"),
            {
                "whole network, lowest": 1 - rows["power_saving_max"],
                "fabric alone, lowest": 1 - rows["fabric_power_saving_max"],
            },
        ),
    }


table2 = Computation("stardust", "table2-sizes", SOURCE, computes=lambda: plan("stardust"))


@table2.measure
def sizes_as_built(found: StardustPlan) -> Measurement:
    """For how many of 1 to 4 tiers a printed coefficient is that of fat-trees which were built and counted."""
    rows: dict[str, float] = {}
    for row in found["table2"]:
        built = row["built"]
        for printed, suffix in ((row["printed"], ""), (row["general"], ", row n")):
            for column, right in (
                ("tors", printed["tors"] == built["tors"]),
                ("switches", printed["switches"] == built["switches"]),
                ("bundles", printed["bundles"] == built["bundles"]),
                ("links_per_tor", printed["links_per_tor"] == built["links_per_tor"]),
            ):
                rows[column + suffix] = rows.get(column + suffix, 0) + right
    return Measurement(
        rows,
        "Numbers of tiers, of 1 to 4, for which the printed formula is what counting a built fat-tree gives: its own "
        "row's, and the row's for n tiers. There are n t k^n / 2^(n-1) bundles and n t l links a ToR. The row for "
        "4 tiers has 7/8 t k^4 and 7 t l instead of 1/2 and 4; that for n has (1 - 1/2^(n-1)) t k^n and "
        "(2^(n-1) - 1) t l, which is right for 3 tiers only",
        stated=dict.fromkeys(rows, len(found["table2"])),
    )
