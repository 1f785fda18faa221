"""How each system is configured for the hosts that are asked, and what its planner says of it.

    found = networks.compare(hosts=10_000, rate="100 Gb/s")
    [(network["name"], network["values"].get("cost_usd")) for network in found["networks"]]

A bisection comes from the links that the planner has counted, never from what was asked: what those of the narrowest
tier carry one way for half of the hosts.
"""

from collections.abc import Callable

from gossamer.errors import InputError
from gossamer.plan import Setting
from gossamer.plan.comparison import Asked, Comparison, Configured, Network, asked, judged, refused
from gossamer.plan.networks import an3, fastpod, shoal, tree, xfabric

__all__ = ["SYSTEMS", "compare"]

SYSTEMS: tuple[tuple[str, str, Callable[[Asked], Configured]], ...] = (
    ("fat-tree", "stardust", tree.fat_tree),
    ("Stardust", "stardust", tree.stardust),
    ("Fastpod", "fastpod", fastpod.configured),
    ("Shoal", "shoal", shoal.configured),
    ("AN3", "an3", an3.configured),
    ("XFabric", "xfabric", xfabric.configured),
)
"""Every system: its name, whose plan it is, and how it is configured."""


def compare(**request: Setting) -> Comparison:
    """Every system for the same hosts at the same bisection.

    Args:
        request: `hosts`, `rate`, `oversubscription`, `switch_bandwidth`, `link_rate` and `prices`, as the plans of
            systems take them; what is left out has its default.

    Raises:
        InputError: A value cannot be.
    """
    wanted = asked(**request)
    networks: list[Network] = []
    for name, system, configure in SYSTEMS:
        try:
            networks.append(judged(name, system, wanted, configure(wanted)))
        except InputError as error:
            networks.append(refused(name, system, str(error)))
    owners: dict[str, list[str]] = {}
    for network in networks:
        for warning in network["warnings"]:
            owners.setdefault(warning, []).append(network["name"])
    warnings = [f"{', '.join(names)}: {warning}" for warning, names in owners.items()]
    return {"asked": wanted.request(), "networks": networks, "warnings": warnings}
