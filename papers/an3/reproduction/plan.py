"""AN3: the claims that arithmetic settles. How each is read is in papers/an3/README.md."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from gossamer.plan import An3Plan, plan
from gossamer.reproduce.registry import Computation, Measurement
from gossamer.reproduce.verdict import Requirement

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.claims import Claim

PLAN = "gossamer plan an3"


def first_row() -> An3Plan:
    """The first row of Table 2."""
    return plan("an3")


scale = Computation("an3", "scale", PLAN, computes=first_row)


@scale.measure
def servers(found: An3Plan) -> Measurement:
    """Containers by L0 networks by NICs."""
    largest = found["largest"]
    return Measurement(
        {"": largest["servers"]},
        f"{largest['containers']} containers of {largest['networks']} L0 networks of {largest['hosts']} NICs. Between "
        f"two halves of the containers {largest['bisection_bps'] / 1e12:.2f} Tb/s one way: "
        f"{largest['bisection_bps'] / largest['servers'] * 2 / 1e6:.0f} Mb/s for each server of a half",
    )


frame = Computation("an3", "frame", PLAN, computes=first_row)


@frame.measure
def frame_time(found: An3Plan) -> Measurement:
    """128 control and 128 data cells at the rate of a port's payload."""
    times = found["frame"]
    us = times["frame_ps"] / 1e6
    return Measurement(
        {"": us},
        f"{times['slots']} x ({times['control_bytes']} + {times['data_bytes']}) B at 10 Gb/s are {us:.4f} us. If 10 "
        f"Gb/s were the rate of the line, its 66/64 code would make it {us * 66 / 64:.2f} us; what is printed is near "
        f"to {times['slots'] - 1} slots, {us * (times['slots'] - 1) / times['slots']:.3f} us. Two frames, §8.2's delay "
        f"at each switch, are {2 * us:.2f} us (it prints 14.6)",
    )


l0 = Computation("an3", "l0-topology", PLAN, computes=first_row)


@l0.measure
def mean_distance(found: An3Plan) -> Measurement:
    """Links between two NICs, on average over all pairs."""
    network = found["l0"]
    nics, links = network["nics"], network["links_per_nic"]
    two = links * (links - 1)
    bound = (links + 2 * two + 3 * (nics - 1 - links - two)) / (nics - 1)
    return Measurement(
        {"": network["mean_hops"]},
        f"The frozen graph of crates/topology/src/an3/fat_tree.rs: {nics} NICs of {links} links, at most "
        f"{network['most_hops']} hops apart. No such graph has a mean below "
        f"{bound:.4f}, which 2.04 is if it is cut off",
        trends={"an egress NIC is within two hops of every NIC": network["egress_hops"] <= 2},
    )


crossbar = Computation("an3", "crossbar", PLAN, computes=first_row)


@crossbar.measure
def both_ways(found: An3Plan) -> Measurement:
    """All ports, each both ways."""
    switch = found["switch"]
    return Measurement(
        {"": switch["crossbar_bps"] / 1e12},
        f"{switch['ports']} ports of {found['input']['rate']} on {switch['line_cards']} line cards; "
        f"{switch['crossbar_bps'] / 2e12:g} Tb/s each way",
    )


rate = Computation("an3", "setup-rate", PLAN, computes=first_row)


@rate.measure
def requests(found: An3Plan) -> Measurement:
    """One a cycle of the ring, whose cycle was read off this very claim: an input, so it cannot differ."""
    per_second = found["switch"]["requests_per_second"]
    return Measurement(
        {"": per_second / 1e6},
        f"An input: the ring's cycle of {1e9 / per_second:g} ns is taken from this number. That 16 ringmasters which "
        "always have requests come to 17 in 18 cycles is a unit test of the ring",
        required={"": Requirement("given", 156)},
    )


AREA: Mapping[str, tuple[int, int]] = {"ringmaster": (2400, 670), "I/O unit": (1136, 314), "line card": (11544, 2638)}
"""Table 1: look-up tables and flip-flops."""

area = Computation("an3", "table1-fpga", "papers/an3/reproduction/plan.py", computes=lambda: AREA)


@area.measure
def line_card(found: Mapping[str, tuple[int, int]]) -> Measurement:
    """A line card has eight I/O units and a ringmaster."""
    luts, registers = (8 * found["I/O unit"][of] + found["ringmaster"][of] for of in (0, 1))
    return Measurement(
        {"line_card_luts": luts, "line_card_flip_flops": registers},
        "Areas are inputs: nothing here synthesizes Verilog. Eight I/O units and a ringmaster, added up, beside the "
        f"{found['line card'][0]} look-up tables and {found['line card'][1]} flip-flops that Table 1 prints for a line "
        "card, which has fewer flip-flops than its parts",
    )


TABLE_2: Mapping[tuple[int, float], tuple[int, int, int]] = {
    (20_000, 2.5): (500, 143, 125),
    (20_000, 5.0): (429, 71, 63),
    (40_000, 2.5): (1000, 286, 250),
    (40_000, 5.0): (857, 143, 125),
    (60_000, 2.5): (1500, 429, 375),
    (60_000, 5.0): (1286, 214, 188),
}
"""ToR, aggregation and L1 switches, by servers and oversubscription."""


class Setting(NamedTuple):
    """What Fig. 9 varies."""

    servers: int
    oversubscription: float
    discount: float
    nic: str


def figure_9() -> dict[Setting, An3Plan]:
    """Every bar of Fig. 9."""
    return {
        setting: plan("an3", **setting._asdict())
        for servers, oversubscription in TABLE_2
        for discount in (0.5, 0.75)
        for nic in ("fpga", "asic")
        for setting in (Setting(servers, oversubscription, discount, nic),)
    }


cost = Computation("an3", "table2-3-cost", PLAN, computes=figure_9)


@cost.measure
def cheaper(found: dict[Setting, An3Plan]) -> Measurement:
    """Cost of a port beside the baseline with three quarters off."""

    def times(servers: int, nic: str, oversubscription: float = 2.5) -> float:
        ratio = found[Setting(servers, oversubscription, 0.75, nic)]["cheaper"]
        assert ratio is not None, "the book has all prices"
        return ratio

    rows = {"best": times(60_000, "asic"), "asic_20k": times(20_000, "asic"), "fpga": times(20_000, "fpga")}
    counts = [
        (each["baseline"]["tors"], each["baseline"]["aggregations"], each["an3"]["l1"]) == TABLE_2[setting[:2]]
        for setting, each in found.items()
    ]
    asic, fpga = (found[Setting(20_000, 2.5, 0.75, nic)] for nic in ("asic", "fpga"))
    ports = {
        "baseline": asic["baseline"]["cost"],
        "AN3 with ASICs": asic["an3"]["cost"],
        "AN3 with FPGAs": fpga["an3"]["cost"],
    }
    told = ", ".join(f"{name} {of['port_usd']:.1f}" for name, of in ports.items() if of is not None)
    cases = ((60_000, "asic"), (20_000, "asic"), (20_000, "fpga"))
    five = ", ".join(f"{times(servers, nic, 5.0):.2f}" for servers, nic in cases)
    halves = (plan("an3", servers=servers, nic=nic, price_optical_port=55) for servers, nic in cases)
    link = ", ".join(f"{each['cheaper']:.2f}" for each in halves)
    note = (
        f"USD a port at 20,000 servers, oversubscription 2.5: {told}. At an oversubscription of 5 the three ratios are "
        f"{five}; with 110 USD for a whole optical link, not for each end, {link}. By Table 3 an ASIC NIC costs 10 + "
        "1,000,000 / 20,000 = 60 USD at 20,000 servers and an FPGA NIC 90 + 100,000 / 20,000 = 95: whatever else is "
        "counted, ASICs cannot be the worse choice there (1.7) and FPGAs the better one (1.8)"
    )
    trends = {
        "switch counts are Table 2's": all(counts),
        "ASICs gain with the number of servers": times(20_000, "asic") < times(40_000, "asic") < times(60_000, "asic"),
        "AN3 is cheaper everywhere": all((each["cheaper"] or 0) > 1 for each in found.values()),
    }
    return Measurement(rows, note, trends=trends)


@cost.plot
def figures(found: dict[Setting, An3Plan], claim: "Claim") -> "Mapping[str, AnyChart]":
    """Figs. 9 and 10."""
    from gossamer.plots.an3_planner import draw_breakdown, draw_ports
    from gossamer.plots.canvas import Canvas

    canvas, section = Canvas(), claim.section.split(",")[0]
    discounted = [each for setting, each in found.items() if setting.discount == 0.75]
    return {
        "fig9": draw_ports(list(found.values()), f"AN3 §{section}, Fig. 9: cost of a port").finish(canvas),
        "fig10": draw_breakdown(discounted, f"AN3 §{section}, Fig. 10: what it is made of").finish(canvas),
    }
