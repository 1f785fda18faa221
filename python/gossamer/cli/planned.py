"""What every plan command ends with: the plan as JSON or in words, its warnings, its plots."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from rich.console import Console

from gossamer.cli import screen
from gossamer.cli.amounts import quantity
from gossamer.cli.screen import Column
from gossamer.types import Used

if TYPE_CHECKING:
    from gossamer.plots.canvas import AnyChart

PARTS = {
    "switch": "switch",
    "transceiver": "transceiver",
    "host-cable": "cable to a host",
    "fibre-near": "fibre, 10 m",
    "fibre-far": "fibre, 100 m",
    "packet-switch": "packet switch",
    "circuit-switch": "circuit switch",
    "crosspoint-port": "crosspoint port",
    "nic": "NIC",
    "access-switch": "access switch",
    "an3-switch": "L1 switch",
    "an3-switch-design": "design of the L1 switch",
    "an3-fpga-nic": "L0 NIC, FPGA",
    "an3-fpga-nic-design": "design of the L0 NIC, FPGA",
    "an3-asic-nic": "L0 NIC, ASIC",
    "an3-asic-nic-design": "design of the L0 NIC, ASIC",
    "sata-cable": "SATA cable",
    "copper-cable": "copper cable",
    "optical-port": "optical port",
}

Planned = TypeVar("Planned", bound=Mapping[str, Any])


def tell(found: Planned, show: Callable[[Planned], None], as_json: bool, plotted: str = "") -> None:
    """Print a plan as JSON and nothing else, or with `show`, its warnings, and what was `plotted`."""
    if as_json:
        print(json.dumps(found, indent=2))
        return
    show(found)
    for warning in found["warnings"]:
        print(f"warning: {warning}", file=sys.stderr)
    if plotted:
        print(plotted)


def price_list(console: Console, prices: Sequence[Used]) -> None:
    """Which prices and powers a plan used, of when they are, and where they are from."""
    if not prices:
        return
    columns = [
        Column("Prices and power", [part(used) for used in prices], left=True),
        Column("", [f"{used['value']:,.10g} {used['unit'].upper()}" for used in prices]),
        Column("of", [dated(used) for used in prices], left=True),
        Column("source", [site(used["source"]) for used in prices], 1, left=True),
    ]
    console.print()
    screen.show(console, columns)


def part(used: Used) -> str:
    """A part with its rate: `transceiver of 100 Gb/s`."""
    rate = "" if used["rate_bps"] is None else f" of {quantity(used['rate_bps'], 'b/s')}"
    return PARTS.get(used["part"], used["part"]) + rate


def site(source: str) -> str:
    """A source as a column has room for it: of an address the site; --json has all of it."""
    said, colon, address = source.rpartition(": ")
    return said + colon + (urlsplit(address).netloc or address)


def dated(used: Used) -> str:
    """When a number was true: of the price list or the paper; when it was read, where the page has no date."""
    return f"{used['date']} (read)" if used["undated"] else used["date"] or "set"


def save(charts: "Mapping[str, AnyChart]", folder: Path) -> str:
    """Write charts into a folder as PNG and SVG; says how many files they are."""
    from gossamer.plots.export import save_charts

    return f"plots: {len(save_charts(charts, folder))} files in {folder}"
