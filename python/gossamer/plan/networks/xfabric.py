"""XFabric's rack."""

from gossamer.errors import InputError
from gossamer.plan import Setting, plan
from gossamer.plan.comparison import Asked, Configured
from gossamer.plan.networks.bill import count, priced
from gossamer.types import XFabricPlan

PORT_BPS = 10_000_000_000
"""A crosspoint's port, for which the paper has price and power (§2)."""
UPLINKS = 8
"""Of the rack, as many as the paper's evaluation has (§6); they are not compared."""


def configured(wanted: Asked) -> Configured:
    """A rack of the paper's SoCs.

    Raises:
        InputError: It has too many SoCs, or they are too fast.
    """
    given = plan("xfabric")["input"]
    if wanted.hosts > given["asic_ports"]:
        raise InputError(
            f"a crosspoint has a port for every SoC and is one ASIC of {given['asic_ports']} ports at most, so a rack "
            "has no more SoCs"
        )
    if wanted.rate_bps > given["soc_ports"] * PORT_BPS:
        raise InputError(
            f"a SoC has {given['soc_ports']} ports of {given['port_rate']}, which is less than {wanted.rate}"
        )
    settings: dict[str, Setting] = {"socs": wanted.hosts, "uplinks": min(UPLINKS, wanted.hosts)}
    found, missing = priced("xfabric", settings, wanted.prices)
    return rack(settings, found, missing)


def rack(settings: dict[str, Setting], found: XFabricPlan, missing: str) -> Configured:
    """XFabric's plan."""
    given, inside, uplinks = found["input"], found["xfabric"], found["uplinks"]
    known: dict[str, float | None] = {
        "data_share": 1.0,
        "tiers": 1,
        "switches": inside["asics"] + uplinks["asics"],
        "switch_bandwidth_bps": (inside["ports"] + uplinks["ports"]) * PORT_BPS,
        "links_rack": inside["ports"] + given["socs"],
    }
    if not missing:
        known["power_switches_w"] = inside["w"] + uplinks["w"]
        known["cost_switches_usd"] = inside["usd"] + uplinks["usd"]
    none, board = "a rack has none", "the paper has circuits on a board, and nothing of what their ends take"
    on_chip = "packet switches are on the SoCs, and the paper has nothing of what they take"
    return Configured(
        configuration=f"{given['socs']:,} SoCs of {given['soc_ports']} ports of {given['port_rate']}, a crosspoint for "
        f"each port and one for {count(given['uplinks'], 'uplink')}",
        settings=settings,
        values=known,
        missing=missing,
        reasons={
            "bisection_bps": "circuits follow the traffic, and the paper has no bound for any traffic",
            "silicon_bps": "the paper has no area",
            "links_near": none,
            "links_far": none,
            "transceivers": board,
            "power_w": missing or board,
            "power_transceivers_w": board,
            "cost_usd": missing or board,
            "cost_links_usd": board,
            "cost_host_usd": missing or board,
            "power_nics_w": on_chip,
            "cost_nics_usd": on_chip,
            "voqs": on_chip,
            "table_bytes": on_chip,
            "recovery_ps": "the paper has no formula",
        },
        counted="ports of crosspoints, also of the one for uplinks; SoCs' packet switches, which pass on what others "
        "send, are left out",
        recovery="",
        prices=[] if missing else found["prices"],
        warnings=found["warnings"],
    )
