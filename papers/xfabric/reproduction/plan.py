"""XFabric (NSDI 2016): the claims that arithmetic and the algorithm settle. Readings: papers/xfabric/README.md."""

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from gossamer import topology
from gossamer.plan import XFabricPlan, plan
from gossamer.reproduce.registry import Computation, Measurement
from gossamer.topology import Configuration

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart
    from gossamer.reproduce.claims import Claim

PLAN = "gossamer plan xfabric"
TOPOLOGY = "gossamer topology xfabric"


def rack_256() -> XFabricPlan:
    """The rack of §2."""
    return plan("xfabric", socs=256)


ports = Computation("xfabric", "ports-256", PLAN, computes=rack_256)


@ports.measure
def port_counts(found: XFabricPlan) -> Measurement:
    """Ports of the fully reconfigurable fabric, of the folded Clos that provides them, and its ASICs."""
    six = plan("xfabric", socs=256, clos_factor=6)["clos"]
    note = (
        f"XFabric's {found['xfabric']['asics']} ASICs have {found['soc_ports']:,} ports in all. §2 gives 1.3 to 2.6 kW "
        f"for the Clos and 2.2 kW a page later: at 0.28 W a port 2.6 kW are six ports for each ({six['w'] / 1e3:.2f} "
        f"kW), 2.2 kW the five of the text ({found['clos']['w'] / 1e3:.2f} kW)"
    )
    rows = {"full": found["soc_ports"], "clos": found["clos"]["ports"], "clos_asics": found["clos"]["asics"]}
    return Measurement(rows, note)


cost_power = Computation("xfabric", "cost-power-256", PLAN, computes=rack_256)


@cost_power.measure
def price_and_power(found: XFabricPlan) -> Measurement:
    """Ports at their price and power."""
    optical = plan("xfabric", socs=256, port_w=0.14)
    rows = {
        "xfabric_kw": found["xfabric"]["w"] / 1e3,
        "clos_kw": found["clos"]["w"] / 1e3,
        "xfabric_usd": found["xfabric"]["usd"],
        "clos_usd": found["clos"]["usd"],
    }
    note = (
        "The uplink crosspoint is left out, as in the paper. With optical switches at 0.14 W a port "
        f"{optical['xfabric']['w'] / 1e3:.2f} and {optical['clos']['w'] / 1e3:.2f} kW"
    )
    return Measurement(rows, note)


table_1 = Computation("xfabric", "table1-343", PLAN, computes=lambda: plan("xfabric"))


@table_1.measure
def table(found: XFabricPlan) -> Measurement:
    """Table 1."""
    rows = {
        f"{name}_{column}": value
        for name, fabric in (("clos", found["clos"]), ("xfabric", found["xfabric"]))
        for column, value in (("ports", fabric["ports"]), ("usd", fabric["usd"]), ("kw", fabric["w"] / 1e3))
    }
    uplinks = found["uplinks"]["ports"]
    note = (
        f"Without the uplink crosspoint, as in the paper; it has {uplinks} ports (§6.1), one more than the "
        f"{found['input']['asic_ports']} that §2 believes possible"
    )
    return Measurement(rows, note)


def largest() -> Configuration:
    """The rack of 512 SoCs of §4.4, with any demand: the encoding does not depend on it."""
    return topology.xfabric(uniform(512, random.Random(1), 0.02), uplinks=8)


state = Computation("xfabric", "state-size", TOPOLOGY, computes=largest)


@state.measure
def encoded(found: Configuration) -> Measurement:
    """Bytes of what the controller sends to a SoC."""
    given, size = found["input"], found["update_bytes"]
    tables = len(found["socs"]) * given["soc_ports"] // 8
    ports_used = [len(ports) for of in found["forwarding"] for ports in of["toward"]]
    note = (
        f"{tables} B are the table, a bit for each destination and port; {6 * given['soc_ports']} B addresses of "
        f"neighbours, 8 B the version, {size - tables - 6 * given['soc_ports'] - 8} B the rest. The table has all "
        f"shortest paths, {sum(ports_used) / len(ports_used):.2f} ports a destination on average"
    )
    return Measurement({"": size}, note)


class Racks(NamedTuple):
    """Configurations for random demands, and how many of each kind."""

    found: list[Configuration]
    few: list[Configuration]
    """With fewer crosspoints than connect any rack."""


def uniform(socs: int, chance: random.Random, density: float) -> list[list[int]]:
    """A random demand: some pairs, over several orders of magnitude."""
    return [
        [int(10 ** chance.uniform(0, 9)) if a != b and chance.random() < density else 0 for b in range(socs)]
        for a in range(socs)
    ]


def many() -> Racks:
    """Racks of many sizes and densities of demand: as §4.3 claims for every matrix."""
    chance = random.Random(1)
    found = [
        topology.xfabric(uniform(socs, chance, density), seed=number, soc_ports=each)
        for number, socs in enumerate([2, 4, 6, 8, 12, 16, 27, 50, 64, 99, 128])
        for density in (0.0, 0.05, 0.5, 1.0)
        for each in (5 if socs % 2 else 3, 6)
    ]
    few = [
        topology.xfabric(uniform(socs, chance, 0.3), seed=number, soc_ports=2)
        for number, socs in enumerate([4, 6, 8, 10] * 25)
    ]
    return Racks(found, few)


properties = Computation("xfabric", "topology-properties", TOPOLOGY, computes=many)


@properties.measure
def whole(found: Racks) -> Measurement:
    """Connected, all ports in use, circuits within a crosspoint."""
    connected = [rack["summary"]["connected"] for rack in found.found]
    full = [left_over(rack) <= len(rack["socs"]) % 2 * rack["input"]["soc_ports"] % 2 for rack in found.found]
    within = [all(map(inside, circuits(rack))) for rack in found.found]
    apart = sum(not rack["summary"]["connected"] for rack in found.few)
    note = (
        f"Of {len(found.found)} racks of 2 to 128 SoCs with random demands {sum(connected)} are connected, {sum(full)} "
        f"have all ports in use and {sum(within)} each circuit within one crosspoint (property tests try more: "
        "crates/xfabric/src/generate/tests.rs). "
        '"By construction" takes three crosspoints or more, five with an odd number of SoCs, whose fixed circuits are '
        f"outside the algorithm: of {len(found.few)} racks with two, {apart} fall apart"
    )
    trends = {
        "every rack is connected": all(connected),
        "every port is in use": all(full),
        "every circuit is within one crosspoint": all(within),
        "three crosspoints are needed: some racks with two fall apart": apart > 0,
    }
    return Measurement({}, note, trends=trends)


def left_over(rack: Configuration) -> int:
    """Ports that neither a circuit nor a cable has."""
    used = sum(len(crosspoint["circuits"]) for crosspoint in rack["crosspoints"]) + len(rack["fixed_circuits"])
    return len(rack["socs"]) * rack["input"]["soc_ports"] - 2 * used


def circuits(rack: Configuration) -> Sequence[tuple[Configuration, str, list[str], list[int]]]:
    """Every circuit with its crosspoint, its SoCs and their ports."""
    return [
        (rack, crosspoint["name"], circuit["socs"], circuit["soc_ports"])
        for crosspoint in rack["crosspoints"]
        for circuit in crosspoint["circuits"]
    ]


def inside(circuit: tuple[Configuration, str, list[str], list[int]]) -> bool:
    """Whether both ports of a circuit hang on its crosspoint."""
    rack, name, socs, numbers = circuit
    hang = [rack["wiring"][rack["socs"].index(soc)][number] for soc, number in zip(socs, numbers, strict=True)]
    return socs[0] != socs[1] and all(plug is not None and plug["crosspoint"] == name for plug in hang)


@table_1.plot
def both_fabrics(found: XFabricPlan, claim: "Claim") -> "AnyChart":
    """Table 1 as a figure: power of both fabrics, with the paper's sums."""
    from gossamer.plots.canvas import Canvas, Drawing
    from gossamer.reproduce.bars import Bar, draw_bars

    bars: list[Bar] = [
        {
            "place": f"{name}: {fabric['ports']:,} ports, {fabric['usd'] / 1e3:.1f}K USD",
            "label": name,
            "value": fabric["w"],
            "expected": 1e3 * float(claim.rows[row]),
        }
        for name, fabric, row in (
            ("XFabric", found["xfabric"], "xfabric_kw"),
            ("folded Clos", found["clos"], "clos_kw"),
        )
    ]
    canvas = Canvas()
    chart = draw_bars(bars, canvas, "count", None, "Power in W", "fabric")
    told = f"§{claim.section}: 343 SoCs of 6 ports. Marks are the paper's."
    return Drawing(chart, "XFabric Table 1: ports, cost and power", told).finish(canvas)
