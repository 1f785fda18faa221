"""Prices of a network, and the words that all networks share."""

import contextlib
from collections.abc import Mapping
from typing import Any

from gossamer.errors import InputError
from gossamer.plan import Setting, plan
from gossamer.plan.comparison import Asked
from gossamer.types import Used

ORDINARY = "hosts' NICs are ordinary ones, and left out"
LEFT_OUT = "left out with prices none"
FREE: dict[str, dict[str, Setting]] = {
    "shoal": {"packet_switch_w": 0, "circuit_switch_w": 0},
    "xfabric": {"port_usd": 0, "port_w": 0},
}
"""Numbers without which a planner does not plan; what it makes of them is left out."""
CABLED = ("stardust", "fastpod")
"""Systems whose plans have a price for the cable to a host."""


def priced(system: str, settings: Mapping[str, Setting], prices: str) -> tuple[Any, str]:
    """A plan at `prices`, and why it has no cost where a part has no price.

    Where that is the cable to a host alone, the plan has its power and the cost of its switches all the same.

    Raises:
        InputError: It cannot be built whatever it costs.
    """
    free = FREE.get(system, {})
    if prices == "none":
        return plan(system, **settings, **free, prices="none"), LEFT_OUT
    try:
        return plan(system, **settings, prices=prices), ""
    except InputError as error:
        why = str(error).split(": set ")[0]
    if system in CABLED:
        with contextlib.suppress(InputError):
            return plan(system, **settings, price_server_cable=0, prices=prices), why
    return plan(system, **settings, **free, prices="none"), why


def in_book(prices: list[Used]) -> list[Used]:
    """Prices and powers without what `priced` has set."""
    return [used for used in prices if not (used["part"] == "host-cable" and used["value"] == 0)]


def costs(wanted: Asked, switches: float, links: float | None, nics: float | None = None) -> dict[str, float | None]:
    """What parts cost: switches and links together, if those of links have a price, and NICs with their design."""
    total = None if links is None else switches + links
    return {
        "cost_usd": total,
        "cost_switches_usd": switches,
        "cost_links_usd": links,
        "cost_host_usd": None if total is None else total / wanted.hosts,
        "cost_nics_usd": nics,
    }


def halves(wanted: Asked, bps: float) -> float:
    """What a tier carries for half of the hosts whose links up come to `bps`; hosts' own links carry no more."""
    return min(bps, wanted.hosts * wanted.rate_bps) / 2


def count(number: int, one: str, more: str = "") -> str:
    """So many of a thing: `1 pod`, `12 pods`."""
    return f"{number:,} {one}" if number == 1 else f"{number:,} {more or one + 's'}"
