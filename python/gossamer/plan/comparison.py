"""One question, every system: networks for the same hosts, each checked to have the bisection that is asked.

Here is what is asked, what is compared, and the check; how each system is configured is in `gossamer.plan.networks`,
and what the numbers mean in docs/planner.md.
"""

import math
from dataclasses import dataclass
from typing import Literal, TypedDict

from gossamer.plan import Setting, plan
from gossamer.types import Used

__all__ = [
    "QUANTITIES",
    "Asked",
    "Comparison",
    "Configured",
    "Network",
    "Quantity",
    "Request",
    "asked",
    "judged",
    "refused",
    "told",
]

Kind = Literal["ps", "b/s", "B", "fraction", "count", "W", "USD"]
"""What a quantity measures, by its unit."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A line of the comparison, which means the same of every system."""

    key: str
    """What JSON calls it; the last word is the unit."""
    title: str
    """What the table calls it; one that is set in is part of the line above."""
    words: str
    """What a sentence calls it."""
    kind: Kind


QUANTITIES: tuple[Quantity, ...] = (
    Quantity("bisection_bps", "Bisection", "bisection", "b/s"),
    Quantity("data_share", "Of a link for data", "share of a link for data", "fraction"),
    Quantity("tiers", "Tiers of switches", "tiers", "count"),
    Quantity("switches", "Switches", "switches", "count"),
    Quantity("switch_bandwidth_bps", "  bandwidth of all", "bandwidth of switches", "b/s"),
    Quantity("silicon_bps", "  chip area, if buffered", "chip area", "b/s"),
    Quantity("links_rack", "Links within racks", "links within racks", "count"),
    Quantity("links_near", "  of 10 to 20 m", "links of 10 to 20 m", "count"),
    Quantity("links_far", "  of 100 m", "links of 100 m", "count"),
    Quantity("transceivers", "Transceivers", "transceivers", "count"),
    Quantity("power_w", "Power, NICs aside", "power", "W"),
    Quantity("power_switches_w", "  switches", "power of switches", "W"),
    Quantity("power_transceivers_w", "  transceivers", "power of transceivers", "W"),
    Quantity("power_nics_w", "  NICs, on top", "power of NICs", "W"),
    Quantity("cost_usd", "Cost, NICs aside", "cost", "USD"),
    Quantity("cost_switches_usd", "  switches", "cost of switches", "USD"),
    Quantity("cost_links_usd", "  links", "cost of links", "USD"),
    Quantity("cost_host_usd", "  for each host", "cost for each host", "USD"),
    Quantity("cost_nics_usd", "  NICs and design, on top", "cost of NICs and design", "USD"),
    Quantity("voqs", "VOQs of an edge device", "VOQs", "count"),
    Quantity("table_bytes", "Table of a switch", "table of a switch", "B"),
    Quantity("recovery_ps", "Failed link known after", "time until a failed link is known", "ps"),
)
"""Lines of the comparison, in their order."""


class Request(TypedDict):
    """What every network is to do."""

    hosts: int
    """Hosts."""
    rate_bps: int
    """Rate of each."""
    oversubscription: float
    """Hosts' bandwidth over the bisection's, each for half of the hosts."""
    bisection_bps: int
    """What must pass one way between two halves of the hosts."""
    switch_bandwidth: str
    """Bandwidth of a switch of the fat-tree, Stardust and Fastpod."""
    link_rate: str
    """Rate of a serial link of these switches."""
    prices: str
    """Which prices and power."""


class Network(TypedDict):
    """One system, configured for what is asked."""

    name: str
    """What it is called here."""
    system: str
    """Whose plan it is: of `gossamer plan SYSTEM`."""
    verdict: Literal["fits", "not checked", "does not fit"]
    """Whether it carries the hosts with the bisection that is asked; not checked where its bisection is not given."""
    why: str | None
    """Why it does not fit, or is not checked."""
    configuration: str
    """How it is configured, in words."""
    settings: dict[str, Setting]
    """The settings that `gossamer plan SYSTEM` plans it with."""
    values: dict[str, float]
    """Its quantities, those that are given."""
    not_given: dict[str, str]
    """Why each of the others is not."""
    counted: str
    """What its cost and power include, and what they leave out."""
    recovery: str
    """Who knows of a failed link then, and how; empty where no time is given."""
    prices: list[Used]
    """Prices and powers that were used."""
    warnings: list[str]
    """What a person should know before believing it."""


class Comparison(TypedDict):
    """Every system for the same hosts."""

    asked: Request
    networks: list[Network]
    """In the order of the table; those that do not fit, too."""
    warnings: list[str]
    """Warnings of all networks, each once, with whose it is."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What every network is to do, read and checked."""

    hosts: int
    rate: str
    rate_bps: int
    oversubscription: float
    switch_bandwidth: str
    link_rate: str
    link_bps: int
    lanes: int
    """Serial links of a switch."""
    prices: str

    @property
    def bisection_bps(self) -> int:
        """One way between two halves of the hosts, any halves."""
        return math.ceil(self.hosts * self.rate_bps / 2 / self.oversubscription)

    @property
    def host_lanes(self) -> int:
        """Serial links that a host's port takes: a whole number, also where the host is slower than one."""
        return -(-self.rate_bps // self.link_bps)

    @property
    def ports(self) -> int:
        """Ports of a switch for hosts' rate."""
        return self.lanes // self.host_lanes

    def request(self) -> Request:
        """As results have it."""
        return {
            "hosts": self.hosts,
            "rate_bps": self.rate_bps,
            "oversubscription": self.oversubscription,
            "bisection_bps": self.bisection_bps,
            "switch_bandwidth": self.switch_bandwidth,
            "link_rate": self.link_rate,
            "prices": self.prices,
        }


def asked(
    hosts: Setting = 10_000,
    rate: Setting = "100 Gb/s",
    oversubscription: Setting = 1,
    switch_bandwidth: Setting = "6.4 Tb/s",
    link_rate: Setting = "25 Gb/s",
    prices: Setting = "paper",
) -> Asked:
    """Read what is asked.

    The planners' own readers do it, so that a value is written here as there: AN3's takes a rate and an
    oversubscription of at least one, Stardust's the rest.

    Raises:
        InputError: A value cannot be.
    """
    # Of two servers one link is what crosses the middle.
    pair = plan("an3", servers=2, oversubscription=1, rate=rate, prices=prices)
    oversubscribed = plan("an3", servers=2, oversubscription=oversubscription, prices="none")
    many = plan("stardust", hosts=hosts, hosts_per_adapter=65_536, host_rate="1 Mb/s", prices="none")
    box = plan(
        "stardust",
        hosts=2,
        hosts_per_adapter=1,
        host_rate="1 Mb/s",
        switch_bandwidth=switch_bandwidth,
        # So that what is too small is answered with the name that it has here.
        adapter_bandwidth="1000 Tb/s",
        element_bandwidth="1000 Tb/s",
        link_rate=link_rate,
        bundles=[1],
        prices="none",
    )
    return Asked(
        hosts=many["input"]["hosts"],
        rate=pair["input"]["rate"],
        rate_bps=pair["an3"]["bisection_bps"],
        oversubscription=oversubscribed["input"]["oversubscription"],
        switch_bandwidth=box["input"]["switch_bandwidth"],
        link_rate=box["input"]["link_rate"],
        link_bps=box["designs"][1]["port_rate_bps"],
        lanes=box["designs"][1]["radix"],
        prices=str(prices),
    )


@dataclass(frozen=True, slots=True)
class Configured:
    """A system as its planner sizes it, before its bisection has been checked."""

    configuration: str
    settings: dict[str, Setting]
    values: dict[str, float | None]
    """Quantities; None where the planner would have them but for a price or power."""
    missing: str
    """Why prices or power are not given, where they are not."""
    reasons: dict[str, str]
    """Why other quantities are not given."""
    counted: str
    recovery: str
    prices: list[Used]
    warnings: list[str]


def judged(name: str, system: str, wanted: Asked, found: Configured) -> Network:
    """A network with its verdict: refused where its bisection is less than what is asked."""
    values = {key: value for key, value in found.values.items() if value is not None}
    reasons = {quantity.key: found.reasons.get(quantity.key, found.missing) for quantity in QUANTITIES}
    network = Network(
        name=name,
        system=system,
        verdict="fits",
        why=None,
        configuration=found.configuration,
        settings=found.settings,
        values=values,
        not_given={key: reason for key, reason in reasons.items() if key not in values},
        counted=found.counted,
        recovery=found.recovery,
        prices=found.prices,
        warnings=found.warnings,
    )
    bisection = values.get("bisection_bps")
    if bisection is None:
        return {**network, "verdict": "not checked", "why": reasons["bisection_bps"]}
    if bisection < wanted.bisection_bps:
        why = f"its bisection is {told(bisection)}, and {told(wanted.bisection_bps)} are asked"
        return refused(name, system, f"{found.configuration}: {why}")
    return network


def refused(name: str, system: str, why: str) -> Network:
    """A network that cannot be."""
    return Network(
        name=name,
        system=system,
        verdict="does not fit",
        why=why,
        configuration="",
        settings={},
        values={},
        not_given={quantity.key: "does not fit" for quantity in QUANTITIES},
        counted="",
        recovery="",
        prices=[],
        warnings=[],
    )


def told(bps: float) -> str:
    """A rate in words, to a ten-thousandth: two that differ by little must not read alike."""
    unit, size = next(((unit, size) for unit, size in (("Tb/s", 1e12), ("Gb/s", 1e9)) if bps >= size), ("Mb/s", 1e6))
    return f"{bps / size:,.4f}".rstrip("0").rstrip(".") + f" {unit}"
