"""What a plan of Stardust looks like. Names end in their unit; those without one are counts or ratios."""

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

from gossamer.plan.book import Used

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Setting: TypeAlias = "int | float | str | Sequence[int] | Mapping[str, float] | Sequence[Mapping[str, object]]"
"""A setting's value: a number, a text such as "25 Gb/s", numbers in a row, or prices by rate."""


class Sum(TypedDict):
    """Of the whole network, and of its fabric alone: without adapters and ToRs."""

    network: float
    fabric: float


class Limit(TypedDict):
    """The most hosts that so many tiers join."""

    tiers: int
    hosts: int


class Level(TypedDict):
    """One tier and the links below it. `far`: they are the long ones of a last tier."""

    elements: int
    bundles: int
    links: int
    cables: int
    far: bool


class Cost(TypedDict):
    """What a design costs, by part."""

    adapters_usd: float
    server_cables_usd: float
    elements_usd: float
    transceivers_usd: float
    fibres_usd: float


class Design(TypedDict):
    """One way to build the network: Stardust, or a fat-tree of ordinary switches with bundles of so many links."""

    name: str
    kind: Literal["stardust", "fat-tree"]
    bundle: int
    port_rate_bps: int
    radix: int
    uplinks: int
    speed_up: float
    tiers: int
    limits: list[Limit]
    adapters: int
    elements: int
    elements_by_ports: int
    elements_regular: int | None
    """None with more than four tiers."""
    devices: int
    levels: list[Level]
    links: int
    links_per_adapter: float
    cables: int
    transceivers: int
    area: Sum
    """In areas of one ToR."""
    power: Sum | None
    """In W; None where one part's is not known, with `prices` none."""
    cost: Cost | None
    cost_usd: float | None
    cost_missing: str | None
    """Which prices and powers are missing."""
    table_bits: int
    link_failure_bps: int


class PacketRate(TypedDict):
    """Packets of one size: how many a second, and how many at the same time."""

    bytes: int
    per_second: float
    parallelism: float


class Recovery(TypedDict):
    """After a link has failed."""

    interval_ps: int
    messages: int
    hops: int
    one_update_ps: int
    updates_ps: int
    with_propagation_ps: int
    overhead: float


class Incast(TypedDict):
    """Every adapter sends a burst to one port."""

    admitted_bps: int
    ingress_bytes: float
    waiting: float
    held: bool
    buffer_bytes: int
    pushed_bytes: float
    overflow_bytes: float


class Queues(TypedDict):
    """Queues of an element's links, as M/D/1."""

    utilisation: float
    mean_cells: float
    p99_cells: int
    p999999_cells: int
    decay: float
    decay_estimate: float
    tail: list[float]
    """P(n cells or more) for n = 0, 1, ..."""


class Fabric(TypedDict):
    """What is Stardust's own."""

    voqs: int
    voq_memory_bytes: int
    minimum_credit_bytes: int
    element_memory_bytes: int
    element_latency_ps: int
    fabric_latency_ps: int
    reachability_bits: int
    packet_rates: list[PacketRate]
    recovery: Recovery
    incast: Incast
    queues: Queues


class Coefficients(TypedDict):
    """ToRs in k^n, switches in t k^(n-1), bundles in t k^n, links per ToR in t l."""

    tors: float
    switches: float
    bundles: float
    links_per_tor: float


class SizeRow(TypedDict):
    """A row of the paper's Table 2: as printed, by its general row, and as built."""

    tiers: int
    printed: Coefficients
    general: Coefficients
    built: Coefficients


class StardustPlan(TypedDict):
    """Stardust beside fat-trees, for the same hosts."""

    system: str
    input: dict[str, Any]
    """Every setting, also those that were left out."""
    designs: list[Design]
    """Stardust first, then a fat-tree for each bundle."""
    fabric: Fabric
    prices: list[Used]
    """Prices and powers that were used, with their dates and sources."""
    table2: list[SizeRow]
    warnings: list[str]
