"""What a plan of XFabric looks like. Names end in their unit; those without one are counts or ratios."""

from typing import Any, TypedDict

from gossamer.plan.book import Used


class Switches(TypedDict):
    """Circuit switches: ports of all of them, what these cost and draw, and its share of what the rack may draw."""

    ports: int
    asics: int
    usd: float
    w: float
    of_rack: float


class Loss(TypedDict):
    """What a reconfiguration takes from a full-duplex link."""

    bytes: int
    """That pass in one direction while a crosspoint switches."""
    worst_frames: int
    """In both directions."""


class XFabricPlan(TypedDict):
    """A plan of XFabric, as `gossamer.plan("xfabric", ...)` returns it."""

    system: str
    input: dict[str, Any]
    soc_ports: int
    circuits: int
    fixed_circuits: int
    unused_ports: int
    xfabric: Switches
    uplinks: Switches
    clos: Switches
    ratio: float
    loss: Loss
    prices: list[Used]
    """Price and power of a port, with their dates and sources."""
    warnings: list[str]
