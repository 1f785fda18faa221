"""The same plan for many sizes of the network or many prices, for curves."""

from gossamer.plan import Setting, plan
from gossamer.plan.comparison import Comparison
from gossamer.plan.networks import compare
from gossamer.types import An3Plan, ShoalPlan, StardustPlan

PER_DECADE = 24
LARGEST = 1_000_000
ADAPTERS = 8
"""The smallest network of a curve: with fewer adapters, single devices make steps."""


def over_hosts(settings: dict[str, Setting], least: int | None = None, most: int | None = None) -> list[StardustPlan]:
    """Plans from `least` to `most` hosts at equal steps of the logarithm, and on both sides of every step in tiers.

    Numbers of hosts are rounded up to full adapters, so that curves show the fabric and not a last adapter half full.
    """
    first = plan("stardust", **settings)
    each = first["input"]["hosts_per_adapter"]
    low = least or ADAPTERS * each
    high = most or max(LARGEST, first["input"]["hosts"])
    wanted = {low, high}
    number = 0
    while (hosts := low * 10 ** (number / PER_DECADE)) < high:
        wanted.add(-(-int(hosts) // each) * each)
        number += 1
    for design in first["designs"]:
        for limit in design["limits"]:
            wanted |= {limit["hosts"], limit["hosts"] + each}
    return [plan("stardust", **{**settings, "hosts": hosts}) for hosts in sorted(wanted) if low <= hosts <= high]


POINTS = 64
"""About how many racks a curve over nodes has."""
MOST_NODES = 1_000_000
DEAREST = 0.6
"""The highest price of a circuit switch on a curve, in packet switches: beyond break-even for any NIC."""


def over_nodes(settings: dict[str, Setting]) -> list[ShoalPlan]:
    """Plans of Shoal from one full leaf to the most that two stages join, each with full leaves only.

    All nodes but one send in the incast of each, whatever `incast_senders` says.
    """
    first = plan("shoal", **settings)
    leaf = first["input"]["switch_ports"] // 2
    leaves = min(first["most_nodes"], MOST_NODES) // leaf
    step = max(1, leaves // POINTS)
    wanted = {leaf * number for number in (*range(step, leaves + 1, step), 1, leaves)}
    others = {key: value for key, value in settings.items() if key != "incast_senders"}
    return [plan("shoal", **{**others, "nodes": nodes}) for nodes in sorted(wanted) if nodes > 1]


def over_prices(settings: dict[str, Setting]) -> list[ShoalPlan]:
    """Plans of Shoal for prices of a circuit switch from nothing to `DEAREST` packet switches."""
    prices = [DEAREST * number / POINTS for number in range(POINTS + 1)]
    return [plan("shoal", **{**settings, "price_circuit_switch": price}) for price in prices]


SERVERS = (20_000, 40_000, 60_000)
"""Sizes of data centres in AN3's Table 2."""


def over_servers(settings: dict[str, Setting]) -> list[An3Plan]:
    """Plans of AN3 for the paper's sizes and the one that is planned, each with both kinds of NICs."""
    wanted = sorted({*SERVERS, plan("an3", **settings)["input"]["servers"]})
    nics = ("fpga", "asic")
    return [plan("an3", **{**settings, "servers": servers, "nic": nic}) for servers in wanted for nic in nics]


FEWEST_COMPARED, MOST_COMPARED, COMPARED_PER_DECADE = 100, 1_000_000, 16


def over_all(request: dict[str, Setting]) -> list[Comparison]:
    """Comparisons of all systems from 100 to a million hosts at equal steps of the logarithm, and of what is asked."""
    wanted = {compare(**request)["asked"]["hosts"], MOST_COMPARED}
    number = 0
    while (hosts := FEWEST_COMPARED * 10 ** (number / COMPARED_PER_DECADE)) < MOST_COMPARED:
        wanted.add(round(hosts))
        number += 1
    return [compare(**{**request, "hosts": hosts}) for hosts in sorted(wanted)]
