"""Shoal's rack."""

import math

from gossamer.errors import InputError
from gossamer.plan import Setting, plan
from gossamer.plan.comparison import Asked, Configured, told
from gossamer.plan.networks.bill import count, priced
from gossamer.types import ShoalPlan

CHANNEL_BPS = 25_000_000_000
"""A channel of the paper's rack: a quarter of 100 Gb/s (§7.1)."""
PORT_BPS = 50_000_000_000
"""A port of its switches, for which the paper has a power (§5)."""


def configured(wanted: Asked) -> Configured:
    """The paper's switches with as many channels as it takes, and a header for so many nodes."""
    paper = plan("shoal")
    given = paper["input"]
    if wanted.hosts > paper["most_nodes"]:
        raise InputError(
            f"two stages of switches with {given['switch_ports']} ports join no more than {paper['most_nodes']:,} nodes"
        )
    settings: dict[str, Setting] = {
        "nodes": wanted.hosts,
        "node_rate": f"{node_bps(wanted)} b/s",
        "channels": math.ceil(node_bps(wanted) / CHANNEL_BPS),
        "packet_node_rate": wanted.rate,
    }
    needs = priced("shoal", settings, "none")[0]["header"]
    settings["id_bits"] = max(given["id_bits"], needs["id_needed"])
    settings["feedback_bits"] = max(given["feedback_bits"], needs["feedback_needed"])
    settings["sequence_bits"] = max(given["sequence_bits"], needs["sequence_needed"])
    found, missing = priced("shoal", settings, wanted.prices)
    return rack(wanted, settings, found, missing)


def node_bps(wanted: Asked) -> int:
    """Rate of a node: a host's, and twice what is asked of the bisection for each, as cells take detours (§3.3.1)."""
    return max(wanted.rate_bps, math.ceil(2 * wanted.rate_bps / wanted.oversubscription))


def rack(wanted: Asked, settings: dict[str, Setting], found: ShoalPlan, missing: str) -> Configured:
    """Shoal's plan."""
    network = found["shoal"]["network"]
    plane = network["plane"]
    unpriced = "the paper counts cost in packet switches, and has no price in USD"
    electrical, inside = "the paper has none between nodes and switches", "a rack has none"
    return Configured(
        configuration=f"nodes of {told(node_bps(wanted))} over {count(network['planes'], 'plane')} of "
        f"{count(plane['leaves'], 'leaf', 'leaves')} and {count(plane['spines'], 'spine')} with "
        f"{plane['switch_ports']} ports of {told(PORT_BPS)}",
        settings=settings,
        values=values(found, missing),
        missing=missing,
        reasons={
            "silicon_bps": "the paper has no area of a circuit switch",
            "links_near": inside,
            "links_far": inside,
            "transceivers": electrical,
            "power_w": missing or electrical,
            "power_transceivers_w": electrical,
            "cost_usd": unpriced,
            "cost_switches_usd": unpriced,
            "cost_links_usd": unpriced,
            "cost_nics_usd": unpriced,
            "cost_host_usd": unpriced,
            "table_bytes": "circuit switches have none, and the paper has no size of a schedule",
        },
        counted="circuit switches; NICs are on the nodes' chips, at the nodes' rate (§5)",
        recovery="by every node: a cell is missing, and the others are told, an epoch and a way each (§3.5)",
        prices=[] if missing else [used for used in found["prices"] if used["part"] == "circuit-switch"],
        # Slots that failures take are not compared.
        warnings=[each for each in found["warnings"] if not each.startswith("slots that failures take")],
    )


def values(found: ShoalPlan, missing: str) -> dict[str, float | None]:
    """Quantities of the rack."""
    design, timing, sent = found["shoal"], found["timing"], found["throughput"]
    network, given = design["network"], found["input"]
    interfaces = given["channels"] * timing["channel_bps"] * given["nodes"]
    # Whatever the traffic, the schedule has a node send to the other half of the nodes in half of its slots.
    carried = min(interfaces, network["spine_links"] * PORT_BPS) * sent["worst_share"]
    epoch = next(each["epoch_ps"] for each in timing["schedules"] if each["order"] == given["schedule"])
    known: dict[str, float | None] = {
        "bisection_bps": carried / 2,
        "data_share": sent["payload_bps"] * given["nodes"] / interfaces,
        "tiers": 2,
        "switches": network["switches"],
        "switch_bandwidth_bps": network["switches"] * network["plane"]["switch_ports"] * PORT_BPS,
        "links_rack": network["node_links"] + network["spine_links"],
        "voqs": found["memory"]["queues"],
        "recovery_ps": 2 * (epoch + found["latency"]["delay_ps"]),
    }
    if not missing:
        known["power_switches_w"], known["power_nics_w"] = design["power"]["switches_w"], design["power"]["nics_w"]
    return known
