"""Fastpod's pods of switches without buffers."""

import math

from gossamer.errors import InputError
from gossamer.plan import Setting, plan
from gossamer.plan.comparison import Asked, Configured
from gossamer.plan.networks.bill import ORDINARY, costs, count, halves, in_book, priced
from gossamer.types import FastpodPlan

MOST_PORTS = 128
"""Of a switch, in plans of Fastpod."""


def configured(wanted: Asked) -> Configured:
    """The pods that take the fewest switches, with core switches for all that can leave a pod."""
    switches, shape = fewest(wanted)
    settings: dict[str, Setting] = {**shape, "rate": wanted.rate}
    # As many cores as its arbiter takes.
    settings["arbiter_cores"] = plan("fastpod", **settings, prices="none")["arbiter"]["work"]["cores"]
    found, missing = priced("fastpod", settings, wanted.prices)
    assert found["fastpod"]["switches"] == switches, "what was sought is what is planned"
    return pods(wanted, settings, found, missing)


def fewest(wanted: Asked) -> tuple[int, dict[str, Setting]]:
    """The fewest switches for the hosts, and the pods that take so many: of several those with the largest racks.

    A ToR switch has a port for its arbiter, and a core switch one for each pod.

    Raises:
        InputError: Three tiers do not join so many hosts.
    """
    ports = min(wanted.ports, MOST_PORTS)
    found: list[tuple[int, int, int, int, int]] = []
    most = 0
    for hosts in range(2, ports):
        uplinks = math.ceil(hosts / wanted.oversubscription - 1e-9)
        if hosts + uplinks + 1 > ports:
            break
        most = ports * (ports // 2) * hosts
        for racks in range(1, ports + 1):
            pods = math.ceil(wanted.hosts / (racks * hosts))
            if pods == 1:
                found.append((racks + uplinks, -hosts, racks, uplinks, 1))
                break
            if 2 * racks <= ports and pods <= ports:
                found.append((pods * (racks + uplinks) + uplinks * racks, -hosts, racks, uplinks, pods))
    if most == 0:
        raise InputError(
            f"a ToR switch of {wanted.switch_bandwidth} has too few ports of {wanted.rate} for two hosts, their "
            "uplinks and an arbiter: raise switch_bandwidth"
        )
    if not found:
        raise InputError(
            f"three tiers of switches with {ports} ports of {wanted.rate} join no more than {most:,} hosts: raise "
            "switch_bandwidth"
        )
    switches, negative, racks, uplinks, pods = min(found)
    shape: dict[str, Setting] = {"racks": racks, "hosts_per_rack": -negative, "uplinks": uplinks, "pods": pods}
    return switches, {**shape, "cores_per_plane": racks} if pods > 1 else shape


def pods(wanted: Asked, settings: dict[str, Setting], found: FastpodPlan, missing: str) -> Configured:
    """Fastpod's plan."""
    given, design, work = found["input"], found["fastpod"], found["arbiter"]["work"]
    several = given["pods"] > 1
    each, cores = (" each", f"; {design['cores']['count']:,} buffered core switches") if several else ("", "")
    kinds = (design["tors"], design["aggregations"], design["cores"])
    used = {kind["bandwidth_bps"] for kind in kinds if kind["count"]}
    return Configured(
        configuration=f"{count(given['pods'], 'pod')} of {count(given['racks'], 'rack')} of "
        f"{given['hosts_per_rack']} hosts, {found['hosts']:,} in all, with {given['uplinks']} aggregation switches and "
        f"an arbiter of {count(work['cores'], 'core')}{each}{cores}",
        settings=settings,
        values=values(wanted, found, missing),
        missing=missing,
        reasons={
            "power_nics_w": ORDINARY,
            "cost_nics_usd": ORDINARY,
            "voqs": "the paper does not say what queues hosts keep",
            "table_bytes": "switches of a pod have none (§2.1), and the paper has no size for core switches",
        },
        counted=f"switches in proportion to their ports, in pods at {given['price_zero_buffer_ratio']:g} of a buffered "
        f"one's price and {given['zero_buffer_power']:g} of its power; links as for the fat-tree; arbiters are left "
        "out, as nobody has a price for them",
        recovery=f"by the arbiter, for a host's link: {given['suspicion']} requests are missing (§4)",
        # Others are of the buffered network beside it.
        prices=[price for price in in_book(found["prices"]) if price["part"] != "switch" or price["rate_bps"] in used],
        warnings=found["warnings"],
    )


def values(wanted: Asked, found: FastpodPlan, missing: str) -> dict[str, float | None]:
    """Quantities of the pods."""
    design, links = found["fastpod"], found["fastpod"]["links"]
    power, cost = design["power"], design["cost"]
    several = found["input"]["pods"] > 1
    tier = min(links["racks"], links["cores"]) if several else links["racks"]
    kinds = (design["tors"], design["aggregations"], design["cores"])
    known: dict[str, float | None] = {
        "bisection_bps": halves(wanted, tier * wanted.rate_bps),
        "data_share": found["slot"]["data_share"],
        "tiers": 3 if several else 2,
        "switches": design["switches"],
        "switch_bandwidth_bps": sum(kind["count"] * kind["bandwidth_bps"] for kind in kinds),
        "silicon_bps": design["area_tbps"] * 1e12,
        "links_rack": links["hosts"],
        "links_near": links["racks"] + links["arbiters"],
        "links_far": links["cores"],
        "transceivers": design["transceivers"],
        "recovery_ps": found["latency"]["failure_ps"],
    }
    if power is not None:
        known["power_w"], known["power_switches_w"] = power["total_w"], power["switches_w"]
        known["power_transceivers_w"] = power["transceivers_w"]
    if cost is not None:
        cables = cost["host_cables_usd"] + cost["transceivers_usd"] + cost["fibres_usd"]
        known |= costs(wanted, cost["switches_usd"], None if missing else cables)
    return known
