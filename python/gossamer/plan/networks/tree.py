"""Stardust, and the conventional fat-tree beside it."""

import math

from gossamer.errors import InputError
from gossamer.plan import Setting, plan
from gossamer.plan.comparison import Asked, Configured, told
from gossamer.plan.networks.bill import ORDINARY, costs, count, halves, in_book, priced
from gossamer.types import StardustDesign, StardustPlan


def fat_tree(wanted: Asked) -> Configured:
    """The conventional fat-tree."""
    settings = configuration(wanted)
    found, missing = priced("stardust", settings, wanted.prices)
    return tree(wanted, settings, found, missing, found["designs"][1])


def stardust(wanted: Asked) -> Configured:
    """Stardust."""
    settings = configuration(wanted)
    found, missing = priced("stardust", settings, wanted.prices)
    return tree(wanted, settings, found, missing, found["designs"][0])


def configuration(wanted: Asked) -> dict[str, Setting]:
    """Settings of both: as many hosts on an edge device, and a credit with which its scheduler keeps up."""
    settings: dict[str, Setting] = {
        "hosts": wanted.hosts,
        "hosts_per_adapter": edge_hosts(wanted),
        "host_rate": wanted.rate,
        "switch_bandwidth": wanted.switch_bandwidth,
        "link_rate": wanted.link_rate,
        "bundles": [wanted.host_lanes],
        "oversubscription": wanted.oversubscription,
    }
    found = plan("stardust", **settings, prices="none")
    if any(warning.startswith("credit") for warning in found["warnings"]):
        settings["credit"] = f"{found['fabric']['minimum_credit_bytes']} B"
    return settings


def edge_hosts(wanted: Asked) -> int:
    """Hosts on a ToR or adapter: the most for which it has ports, and as many as they need for uplinks."""
    port = wanted.host_lanes * wanted.link_bps

    def uplinks(hosts: int) -> int:
        return math.ceil(hosts * wanted.rate_bps / wanted.oversubscription / port - 1e-9)

    if wanted.hosts <= wanted.ports:
        return wanted.hosts
    fits = [hosts for hosts in range(1, wanted.ports) if hosts + uplinks(hosts) <= wanted.ports]
    if not fits:
        raise InputError(
            f"a switch of {wanted.switch_bandwidth} has no room for a port of {wanted.rate} and its uplink: raise "
            "switch_bandwidth"
        )
    return fits[-1]


def tree(
    wanted: Asked, settings: dict[str, Setting], found: StardustPlan, missing: str, design: StardustDesign
) -> Configured:
    """One of the designs of Stardust's plan."""
    given, cells = found["input"], design["kind"] == "stardust"
    edge, above = ("Fabric Adapter", "Fabric Elements") if cells else ("ToR switch", "switches")
    radix, rate = (wanted.lanes, wanted.link_bps) if cells else (design["radix"], design["port_rate_bps"])
    fabric = f"{count(design['tiers'], 'tier')} of {above} of {radix:,} ports of {told(rate)}"
    relation = (
        f"; Fabric Elements at {given['price_element_ratio']:g} of a switch's price and {given['element_power']:g} of "
        "its power"
        if cells
        else ""
    )
    return Configured(
        configuration=f"{count(given['hosts_per_adapter'], 'host')} on a {edge}, "
        f"{fabric if design['tiers'] else 'nothing above it'}",
        settings=settings,
        values=values(wanted, settings, found, missing, design),
        missing=missing,
        reasons=reasons(design),
        counted=f"whole switches of {wanted.switch_bandwidth}, a cable to every host, two transceivers and a fibre a "
        f"cable between switches{relation}",
        recovery="by the farthest Fabric Adapter, which believes it then (App. E)" if cells and design["tiers"] else "",
        prices=in_book(found["prices"]),
        warnings=found["warnings"],
    )


def values(
    wanted: Asked, settings: dict[str, Setting], found: StardustPlan, missing: str, design: StardustDesign
) -> dict[str, float | None]:
    """Quantities of a design."""
    switch_bps = wanted.lanes * wanted.link_bps
    narrowest = min((level["links"] for level in design["levels"]), default=None)
    # One device alone joins its hosts at their rate.
    inside = wanted.hosts * wanted.rate_bps if narrowest is None else narrowest * wanted.link_bps
    cables = {far: sum(level["cables"] for level in design["levels"] if level["far"] is far) for far in (False, True)}
    known: dict[str, float | None] = {
        "bisection_bps": halves(wanted, inside),
        "tiers": design["tiers"] + 1,
        "switches": design["devices"],
        "switch_bandwidth_bps": design["devices"] * switch_bps,
        "silicon_bps": design["area"]["network"] * switch_bps,
        "links_rack": wanted.hosts,
        "table_bytes": design["table_bits"] / 8 if design["tiers"] else None,
    }
    # Without prices a plan of Stardust has a cable for each serial link, which nobody would build.
    if design["kind"] == "fat-tree" or design["cost"] is not None or not design["tiers"]:
        known["links_near"], known["links_far"] = cables[False], cables[True]
        known["transceivers"] = design["transceivers"]
    if design["kind"] == "stardust":
        known["voqs"] = found["fabric"]["voqs"]
        known["recovery_ps"] = found["fabric"]["recovery"]["with_propagation_ps"] if design["tiers"] else None
    else:
        known["data_share"] = 1.0
    if design["power"] is not None:
        boxes = plan("stardust", **settings, prices=wanted.prices, transceiver_power_w=0, price_server_cable=0)
        switches = next(each["power"] for each in boxes["designs"] if each["kind"] == design["kind"])
        assert switches is not None, "it has one with transceivers"
        known["power_w"], known["power_switches_w"] = design["power"]["network"], switches["network"]
        known["power_transceivers_w"] = design["power"]["network"] - switches["network"]
    cost = design["cost"]
    if cost is not None:
        links = cost["server_cables_usd"] + cost["transceivers_usd"] + cost["fibres_usd"]
        known |= costs(wanted, cost["adapters_usd"] + cost["elements_usd"], None if missing else links)
    return known


def reasons(design: StardustDesign) -> dict[str, str]:
    """Why quantities are not given."""
    shared = {
        "power_nics_w": ORDINARY,
        "cost_nics_usd": ORDINARY,
        "table_bytes": "there is no switch above the edge",
    }
    if design["kind"] == "stardust":
        shared_cables = "how many serial links share a cable is a matter of prices"
        return {
            **shared,
            "data_share": "the paper calls a cell's header small, and has no size",
            "recovery_ps": "there is no link above the edge",
            "links_near": shared_cables,
            "links_far": shared_cables,
            "transceivers": shared_cables,
        }
    return {
        **shared,
        "voqs": "it has none: packets wait in the switches",
        "recovery_ps": "that is a matter of its routing protocol, for which the papers have no formula",
    }
