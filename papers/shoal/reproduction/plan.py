"""Shoal (NSDI 2019): the claims that closed forms settle. How each is read is in papers/shoal/README.md."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from gossamer.plan import Setting, ShoalPlan, plan
from gossamer.plan.sweep import over_nodes, over_prices
from gossamer.reproduce.registry import Computation, Measurement

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart, Canvas, Drawing
    from gossamer.reproduce.claims import Claim

SOURCE = "gossamer plan shoal"

Stated: TypeAlias = dict[str, int | float | bool | str]
"""What the paper says, by the names of what is measured."""

RACK: Mapping[str, Setting] = {"nodes": 512, "node_rate": "100 Gb/s", "channels": 4, "switch_ports": 64}
"""§5 and §7.1."""

PROTOTYPE: Mapping[str, Setting] = {
    "nodes": 8,
    "node_rate": "10 Gb/s",
    "channels": 1,
    "switch_ports": 4,
    "switch_port_rate": "10 Gb/s",
    "packet_node_rate": "10 Gb/s",
    "usable_slot": "51.2 ns",
    "reconfiguration": "6.4 ns",
    "propagation_variation": "0 ns",
    "synchronisation_error": "0 ns",
    "overhead": "24 B",
    "schedule": "cyclic",
    "clock_mhz": 156.25,
    "wire_delay": "40 ns",
    "incast_senders": 7,
    "incast_burst": "392 B",
}
"""§6.1: eight nodes of 10 Gb/s; a guard band of one clock and three of MAC in slots of twelve; seven cells' payload."""


def rack() -> ShoalPlan:
    """The rack of §5 and §7.1."""
    return plan("shoal", **RACK)


def prototype() -> ShoalPlan:
    """The prototype of §6."""
    return plan("shoal", **PROTOTYPE)


def by_ports() -> dict[int, ShoalPlan]:
    """The largest racks of switches with 64 and with 4 ports."""
    return {
        ports: plan("shoal", nodes=nodes, switch_ports=ports, node_rate="50 Gb/s")
        for ports, nodes in ((64, 2048), (4, 8))
    }


def marked(
    drawing: "Drawing",
    canvas: "Canvas",
    x: str,
    y: str,
    values: Sequence[Mapping[str, Any]],
    *,
    align: Literal["left", "right"] = "left",
) -> "Drawing":
    """The figure with the paper's own points in it: circles at `x` and `y` of `values`, and their `text`."""
    import altair as alt

    from gossamer.plots.canvas import Drawing, ink

    colour = ink(canvas.theme)
    side, down = (10, 16) if align == "left" else (-10, -12)
    point = alt.Chart(alt.InlineData(values=[dict(each) for each in values])).encode(x=f"{x}:Q", y=f"{y}:Q")
    words = point.mark_text(align=align, dx=side, dy=down, color=colour).encode(text="text:N")
    return Drawing(drawing.chart + point.mark_point(size=140, color=colour) + words, drawing.title, drawing.subtitle)


fabric_size = Computation("shoal", "fabric-size", SOURCE, computes=by_ports)


@fabric_size.measure
def most_nodes(found: dict[int, ShoalPlan]) -> Measurement:
    """The most nodes that two stages join, by ports of a switch."""
    small = found[4]["shoal"]["network"]["plane"]
    return Measurement(
        {str(ports): each["most_nodes"] for ports, each in found.items()},
        f"8 nodes take {small['leaves']} leaves and {small['spines']} spines of 4 ports. The header of Fig. 5 is for "
        f"{found[64]['header']['most_nodes']} nodes at most, half of what 64 ports join",
    )


buffer_size = Computation("shoal", "buffer-size", SOURCE, computes=rack)


@buffer_size.measure
def buffers(found: ShoalPlan) -> Measurement:
    """N-1 queues at the bound of Eq. 5, and a cell of each on the chip."""
    memory, header = found["memory"], found["header"]
    one_queue = memory["queue_cells"] * found["timing"]["cell_bytes"]
    thousand = plan("shoal", nodes=1000)
    return Measurement(
        {"node_mb": memory["buffer_bytes"] / 1e6, "on_chip_kb": memory["cache_bytes"] / 1e3},
        f"All {memory['queues']} queues at {memory['queue_cells']} cells each. An incast of all to one fills one "
        f"queue of each node, {one_queue / 1e3:.1f} KB; it takes flows from every node to every other to fill all. The "
        f"congestion control's state, (N-1)^2 numbers of {header['feedback_needed']} bits here, adds "
        f"{memory['feedback_bits'] / 8e3:.0f} KB on the chip; with 1000 nodes {thousand['chip_bytes'] / 1e6:.2f} MB "
        "are there in all (§3.5: of the order of a megabyte)",
    )


@buffer_size.plot
def memory_by_nodes(found: ShoalPlan, claim: "Claim") -> "AnyChart":
    """Memory against nodes, with the paper's two numbers."""
    from gossamer.plots import shoal_planner
    from gossamer.plots.canvas import Canvas

    canvas, nodes = Canvas(), found["input"]["nodes"]
    drawing = shoal_planner.draw_memory(over_nodes(dict(RACK)), canvas, "Shoal §3.3.4: memory of a node by nodes")
    values = [
        {"nodes": nodes, "value": float(claim.rows[row]) * scale, "text": f"{claim.rows[row]} {unit} in the paper"}
        for row, scale, unit in (("node_mb", 1e6, "MB"), ("on_chip_kb", 1e3, "KB"))
    ]
    return marked(drawing, canvas, "nodes", "value", values).finish(canvas)


epoch = Computation("shoal", "epoch", SOURCE, computes=rack)


@epoch.measure
def slots_and_epochs(found: ShoalPlan) -> Measurement:
    """(N-1) slots over the channels, the interface's rate less guard band, and the guard band's share."""
    timing, given = found["timing"], found["input"]
    whole = next(each for each in timing["schedules"] if each["order"] == given["schedule"])
    halved = plan("shoal", **{**RACK, "channels": 2})["timing"]
    larger = plan("shoal", **{**RACK, "nodes": 1024})["timing"]
    small = prototype()["timing"]
    return Measurement(
        {
            "epoch_us": timing["epoch_ps"] / 1e6,
            "peak_gbps": found["throughput"]["peak_bps"] / 1e9,
            "guard_overhead": timing["guard_share"],
        },
        "The paper cuts the epoch off to 2.9 us and rounds 100 Gb/s less guard band to 90. 64 B fill 20.48 of the 20.5 "
        f"ns. 511 slots do not go into 4 channels: in whole slots an epoch is {whole['slots']} of them, "
        f"{whole['epoch_ps'] / 1e6:.3f} us, which has room for App. A's empty slot as well. With 2 channels "
        f"{halved['epoch_ps'] / 1e6:.2f} us and cells of {halved['cell_bytes']} B, with 1024 nodes "
        f"{larger['epoch_ps'] / 1e6:.2f} us (§7.3: twice as long). The prototype's is {small['epoch_ps'] / 1e6:.4f} us "
        "(§6.1: 0.53)",
    )


@epoch.plot
def epoch_by_nodes(found: ShoalPlan, claim: "Claim") -> "AnyChart":
    """Epoch and latency against nodes, with the paper's epoch."""
    from gossamer.plots import shoal_planner
    from gossamer.plots.canvas import Canvas

    canvas, stated = Canvas(), claim.rows["epoch_us"]
    drawing = shoal_planner.draw_times(over_nodes(dict(RACK)), canvas, "Shoal §3.4: epoch and latency by nodes")
    value = {"nodes": found["input"]["nodes"], "value": float(stated) / 1e6}
    text = {"text": f"epoch of {stated} us in the paper"}
    return marked(drawing, canvas, "nodes", "value", [value | text]).finish(canvas)


power = Computation(
    "shoal",
    "power",
    SOURCE,
    computes=lambda: plan("shoal", **RACK, packet_nic_w=0.62, shoal_nic_w=1.37),
)


@power.measure
def watts(found: ShoalPlan) -> Measurement:
    """Switches and NICs, as §5 counts them."""
    shoal, packet = found["shoal"], found["packet"]
    exact = rack()
    return Measurement(
        {
            "psn_kw": packet["power"]["total_w"] / 1e3,
            "shoal_kw": shoal["power"]["total_w"] / 1e3,
            "saving": found["power_saving"],
        },
        f"{packet['network']['switches']} packet switches, {shoal['network']['switches']} circuit switches. 12.4 W "
        f"over 10, with 11 % more for Shoal's logic, are {exact['input']['shoal_nic_w']:.4g} W, of which the paper "
        f"prints 1.37; with it Shoal draws {exact['shoal']['power']['total_w'] / 1e3:.3f} kW",
    )


@power.plot
def power_of_both(found: ShoalPlan, claim: "Claim") -> "AnyChart":
    """Both networks, with the paper's sums."""
    import altair as alt

    from gossamer.plots import shoal_planner
    from gossamer.plots.canvas import Canvas, Drawing, ink

    canvas = Canvas()
    drawing = shoal_planner.draw_power(found, "Shoal §5: power of a rack of 512 nodes")
    values = [
        {"network": name, "power": 1e3 * float(claim.rows[row]), "text": f"{claim.rows[row]} kW in the paper"}
        for name, row in (("Shoal", "shoal_kw"), ("packet switches", "psn_kw"))
    ]
    sums = alt.Chart(alt.InlineData(values=values)).encode(x=alt.X("network:N", sort=None), y="power:Q")
    named = drawing.chart + sums.mark_text(dy=-8, color=ink(canvas.theme)).encode(text="text:N")
    return Drawing(named, drawing.title, drawing.subtitle).finish(canvas)


def by_price() -> list[ShoalPlan]:
    """Fig. 11: the rack of §5 with circuit switches at any price."""
    return over_prices(dict(RACK))


cost = Computation("shoal", "fig11-cost", SOURCE, computes=by_price)


@cost.measure
def ratios(found: list[ShoalPlan]) -> Measurement:
    """Prices of a circuit switch at which both networks cost the same, and at which Shoal costs 40 % less.

    The paper prints no price for a NIC. Each of its four ratios gives one; what is measured takes one for all four.
    """
    costs = found[0]["cost"]
    by_multiple = {each["nic_multiple"]: each for each in costs["designs"]}
    rows: dict[str, float] = {}
    stated: Stated = {}
    for each in costs["derivations"]:
        cost = by_multiple[each["nic_multiple"]]
        what = "same cost" if each["saving"] == 0 else f"{100 * each['saving']:.0f} % less"
        ratio = cost["break_even"] if each["saving"] == 0 else cost["saves"]
        if ratio is not None:
            name = f"{what}, NIC {each['nic_multiple']:g}x"
            rows[name], stated[name] = ratio, each["printed"]
    prices = ", ".join(f"1/{1 / each['nic']:.1f}" for each in costs["derivations"])
    return Measurement(
        rows,
        "A NIC's price c, in packet switches, is not printed. With a circuit switch at r and a Shoal NIC at m times c, "
        "24 + 512 c = 48 r + 512 m c, and 0.6 of the left side for 40 % less: the four ratios give c = "
        f"{prices} in this order. All are computed with c = 1/{1 / found[0]['input']['price_nic']:g}; three are "
        "the printed ones to the last digit, and the fourth is 0.1 where the paper prints 0.096",
        stated=stated,
    )


@cost.plot
def fig_11(found: list[ShoalPlan], claim: "Claim") -> "AnyChart":  # noqa: ARG001 - what is stated is in the plan
    """Fig. 11, with the four ratios that the paper prints."""
    from gossamer.plots import shoal_planner
    from gossamer.plots.canvas import Canvas

    canvas = Canvas()
    drawing = shoal_planner.draw_cost(found, canvas, "Shoal Fig. 11: relative cost by price of a circuit switch")
    printed = found[0]["cost"]["derivations"]
    low, high = (
        [
            {
                "price": each["printed"],
                "share": 1 - each["saving"],
                "text": f"{100 * each['printed']:.1f} % in the paper",
            }
            for each in printed
            if each["nic_multiple"] == multiple
        ]
        for multiple in (2, 3)
    )
    drawing = marked(drawing, canvas, "price", "share", low)
    return marked(drawing, canvas, "price", "share", high, align="right").finish(canvas)


failed_slots = Computation(
    "shoal",
    "table1-failed-slots",
    SOURCE,
    computes=lambda: plan("shoal", nodes=2048, node_rate="50 Gb/s"),
)


@failed_slots.measure
def shares(found: ShoalPlan) -> Measurement:
    """Slots that fail in a full Clos, read in the two ways that the text allows."""
    from gossamer.plots.shoal_planner import COMPONENTS

    rows: dict[str, float] = {}
    stated: Stated = {}
    for failed in found["failures"]:
        name = COMPONENTS[failed["component"]]
        rows[name], stated[name] = failed["one_way"], failed["printed"]
    for failed in found["failures"]:
        if failed["component"] in ("leaf-spine-link", "spine"):
            name = f"{COMPONENTS[failed['component']]}, both ways"
            rows[name], stated[name] = failed["both_ways"], failed["printed"]
    racks = {each["component"]: each for each in rack()["failures"]}
    leaf, spine = racks["leaf"], racks["spine"]
    return Measurement(
        rows,
        "Counted over a schedule that is built for 2048 nodes and 64 ports, of slots of nodes that are not cut off. A "
        "spine carries one of k/2 cells, sqrt(2)/sqrt(N); Table 1 has twice that, which is 2/N for each of its k "
        "links: every cell crosses two of them. If a pair is given up both ways (§3.5), a spine does take "
        "2 sqrt(2)/sqrt(N), and then a link 4/N; no reading gives both rows. The formulas hold for full Clos networks, "
        "with N = k^2/2. The paper's 512 nodes on 64 ports fill a quarter of one: a leaf takes "
        f"{leaf['one_way']:.3f} of its plane's slots ({leaf['printed']:.3f} by the formula), a spine "
        f"{spine['one_way']:.3f} ({spine['printed']:.3f}), and of the rack's, with two planes, half of that",
        stated=stated,
    )


@failed_slots.plot
def table_1(found: ShoalPlan, claim: "Claim") -> "AnyChart":  # noqa: ARG001 - what is stated is in the plan
    """Table 1 as a figure."""
    from gossamer.plots import shoal_planner
    from gossamer.plots.canvas import Canvas

    canvas = Canvas()
    drawing = shoal_planner.draw_failures(found, canvas, "Shoal Table 1: slots that a failed component takes")
    return drawing.finish(canvas)


switch_latency = Computation("shoal", "switch-latency", SOURCE, computes=prototype)


@switch_latency.measure
def port_to_port(found: ShoalPlan) -> Measurement:
    """Clocks of a switch times the clock; what is made of it from node to node."""
    given, latency, incast = found["input"], found["latency"], found["incast"]
    clock_ns = 1e3 / given["clock_mhz"]
    fast = 1e3 / plan("shoal")["input"]["clock_mhz"]
    return Measurement(
        {"": given["switch_cycles"] * clock_ns},
        f"An input of the paper: {given['switch_cycles']} cycles of {clock_ns:g} ns, one of them the reconfiguration. "
        f"Three switches, {given['nic_cycles']} cycles of MAC and PHY and {given['wire_delay']} of wire are "
        f"{latency['delay_ps'] / 1e6:.3f} us from node to node (§6.2: 1.57). A 7:1 incast of 7 cells takes "
        f"{incast['epochs']:g} epochs and two ways, {incast['optimum_ps'] / 1e6:.2f} us (§6.2: 3.76 us and two ways, "
        f"6.9). At 390.625 MHz a cycle is {fast:g} ns; §4.1 prints 2.5",
    )
