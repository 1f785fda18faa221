"""AN3's circuits over NICs and L1 switches."""

import math

from gossamer.errors import InputError
from gossamer.plan import Setting, plan
from gossamer.plan.comparison import Asked, Configured, told
from gossamer.plan.networks.bill import costs, count, priced
from gossamer.types import An3Plan, Used

PAPER_BPS = 10_000_000_000
"""The rate of the parts of Table 3."""
PORTS = 128
"""Of an L1 switch (§4)."""
HALF = PORTS // 2
"""So many lead to egress NICs, and so many to other L1 switches (§7)."""
CONTAINERS = 64
"""At most, with two L1 switches each (§2.2)."""
OTHERS = ("nic", "access-switch", "copper-cable")
"""Parts of the network beside it."""


def configured(wanted: Asked) -> Configured:
    """The fewest L1 switches that have the bisection, with all ports to egress NICs in use, and so many egress NICs.

    Raises:
        InputError: No number of them has it.
    """
    # There are no more egress NICs than servers.
    most = min(math.ceil(wanted.hosts / HALF), 2 * CONTAINERS)
    cuts = {switches: cut(switches, min(wanted.hosts, HALF * switches)) for switches in range(1, most + 1)}
    enough = [switches for switches, links in cuts.items() if links * wanted.rate_bps >= wanted.bisection_bps]
    if not enough:
        raise InputError(
            f"with {HALF} ports of an L1 switch to egress NICs and {HALF} to other L1 switches (§7), and no more than "
            f"{CONTAINERS} containers (§2.2), its bisection is {told(max(cuts.values()) * wanted.rate_bps)} at most, "
            f"and {told(wanted.bisection_bps)} are asked"
        )
    uplinks = HALF * enough[0]
    # A plan rounds half a switch up, and less down: where servers are fewer than links, it is for a few more.
    servers = max(wanted.hosts, uplinks - HALF // 2) if enough[0] > 1 else wanted.hosts
    settings: dict[str, Setting] = {
        "servers": servers,
        "oversubscription": max(1.0, servers / uplinks),
        "rate": wanted.rate,
    }
    found, missing = priced("an3", settings, wanted.prices)
    if wanted.rate_bps != PAPER_BPS and any(used["source"].startswith("AN3,") for used in own(found)):
        found = plan("an3", **settings, prices="none")
        missing = f"the paper has prices and power of parts of {told(PAPER_BPS)} alone"
    return half_racks(wanted, settings, found, missing)


def cut(switches: int, uplinks: int) -> float:
    """Links that cross the middle of so many L1 switches.

    Each has as many links to every other (§7), or an even number of them are the primary and the secondary ones of
    containers, each with links to those of its kind (§2.2): whichever has more.
    """
    used = min(uplinks, HALF * switches)
    one = crossing(switches, used)
    return one if switches % 2 else max(one, 2 * crossing(switches // 2, used / 2))


def crossing(switches: int, uplinks: float) -> float:
    """Links that cross the middle of L1 switches with as many links to every other; no more than half of the uplinks.

    Of an odd number, the one in the middle has servers of both halves: half of its uplinks cross, too.
    """
    if switches == 1:
        return uplinks / 2
    trunk = HALF // (switches - 1)
    if trunk == 0:
        return 0
    low = switches // 2
    shared = uplinks / switches / 2 if switches % 2 else 0
    return min(uplinks / 2, low * (switches - low) * trunk + shared)


def own(found: An3Plan) -> list[Used]:
    """Prices and powers of AN3's parts."""
    return [used for used in found["prices"] if used["part"] not in OTHERS]


def half_racks(wanted: Asked, settings: dict[str, Setting], found: An3Plan, missing: str) -> Configured:
    """AN3's plan."""
    design, links = found["an3"], found["an3"]["links"]
    return Configured(
        configuration=f"{count(design['nics'], 'NIC')}, {links['up']:,} of them with a link up, to "
        f"{count(design['l1'], 'L1 switch', 'L1 switches')} of {PORTS} ports of {wanted.rate}; links between NICs of "
        "half of that",
        settings=settings,
        values=values(wanted, found),
        missing=missing,
        reasons={
            "silicon_bps": "the paper has FPGAs, and no area",
            "links_far": "the paper has optical links of one length, 20 m",
            "power_w": missing or "the paper has no power of optical ends (§6)",
            "power_transceivers_w": "the paper has no power of optical ends (§6)",
            "voqs": "the paper has no number of queues",
            "table_bytes": "the paper has no size",
            "recovery_ps": "the paper has no formula",
        },
        counted="L1 switches, SATA cables, optical links with both ends; NICs, which pass on what others send, with "
        "the design of NICs and L1 switches, which is paid once",
        recovery="",
        prices=own(found),
        # That not each of them has a link to every other is what `cut` is about.
        warnings=[each for each in found["warnings"] if "cannot each have a link to every other" not in each],
    )


def values(wanted: Asked, found: An3Plan) -> dict[str, float | None]:
    """Quantities of the network."""
    design, links, frame = found["an3"], found["an3"]["links"], found["frame"]
    power, cost = design["power"], design["cost"]
    known: dict[str, float | None] = {
        "bisection_bps": min(cut(design["l1"], links["up"]), wanted.hosts / 2) * wanted.rate_bps,
        "data_share": frame["data_bytes"] / (frame["data_bytes"] + frame["control_bytes"]),
        "tiers": design["tiers"],
        "switches": design["l1"],
        "switch_bandwidth_bps": design["l1"] * PORTS * wanted.rate_bps,
        "links_rack": links["sata"],
        "links_near": links["up"] + links["between"],
        "transceivers": 2 * (links["up"] + links["between"]),
    }
    if power is not None:
        known["power_switches_w"], known["power_nics_w"] = power["switches_w"], power["nics_w"]
    if cost is not None:
        known |= costs(wanted, cost["switches_usd"], cost["links_usd"], cost["nics_usd"] + cost["design_usd"])
    return known
