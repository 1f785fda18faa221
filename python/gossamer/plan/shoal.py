"""What a plan of Shoal looks like. Names end in their unit; those without one are counts or ratios."""

from typing import Any, Literal, TypedDict

from gossamer.plan.book import Used

Component = Literal["node", "node-leaf-link", "leaf", "leaf-spine-link", "spine"]
"""What can fail."""


class Clos(TypedDict):
    """One plane: two stages of switches. `trunk`: links from one leaf to one spine."""

    nodes: int
    switch_ports: int
    leaves: int
    spines: int
    trunk: int


class Network(TypedDict):
    """All planes of a network."""

    plane: Clos
    planes: int
    switches: int
    node_links: int
    spine_links: int


class Power(TypedDict):
    """What a network draws, and its share of what the rack may draw."""

    switches_w: float
    nics_w: float
    total_w: float
    of_rack: float


class Design(TypedDict):
    """Shoal, or the packet-switched network for the same nodes."""

    network: Network
    power: Power


class Cost(TypedDict):
    """Shoal's cost over the packet network's, for one price of its NIC. Prices are in packet switches."""

    nic_multiple: float
    relative: float
    break_even: float | None
    """Price of a circuit switch with which both cost the same."""
    saves: float | None
    """With which Shoal saves as much as is set."""


class Derivation(TypedDict):
    """A ratio that the paper prints, and the price of a packet network's NIC that gives it."""

    nic_multiple: float
    saving: float
    printed: float
    nic: float


class Costs(TypedDict):
    """What both networks cost."""

    designs: list[Cost]
    """With Shoal's NIC at its lowest and at its highest price."""
    derivations: list[Derivation]


class Schedule(TypedDict):
    """A schedule of whole slots. `gap_slots`: from i's slot to j until j's to i, at least."""

    order: Literal["cyclic", "rearranged"]
    slots: int
    empty_slots: int
    epoch_ps: int
    gap_slots: int
    share: float


class Timing(TypedDict):
    """Slots and epochs."""

    channel_bps: int
    guard_ps: int
    slot_ps: int
    guard_share: float
    cell_bytes: int
    payload_bytes: int
    epoch_ps: int
    """(N-1) slots over channels, as the paper has it."""
    schedules: list[Schedule]
    """Cyclic, and rearranged for the propagation delay."""


class Throughput(TypedDict):
    """What a node can send; `worst`: any traffic, with detours."""

    peak_bps: int
    cells_bps: int
    payload_bps: int
    worst_peak_bps: int
    worst_payload_bps: int
    worst_share: float
    permutation_share: float
    """Share of the peak if all nodes send, each to one other."""
    feedback_share: float


class Latency(TypedDict):
    """Times of a cell from its release into a queue of its source to its last bit at the destination."""

    delay_ps: int
    """From node to node, without the cell itself."""
    delay_slots: int
    feedback_epochs: int
    """Epochs from a cell of a subflow to its next."""
    direct_ps: int
    zero_load_ps: int
    zero_load_worst_ps: int
    alone_ps: int
    """A flow to a node that nobody else sends to."""
    worst_ps: int
    """Both queues at their bound."""


class Incast(TypedDict):
    """So many nodes send so many cells each to one."""

    senders: int
    cells: int
    queue_cells: int
    epochs: float
    optimum_ps: int


class Memory(TypedDict):
    """Queues of a node, and what it keeps."""

    queues: int
    queue_cells: int
    ready_flows: int
    most_feedback: int
    buffer_bytes: int
    cache_bytes: int
    feedback_bits: int
    last_cell_bits: int
    reorder_cells: int


class Header(TypedDict):
    """The cells' header: what its fields need for so many nodes, and the most nodes they allow."""

    bits: int
    bytes: int
    id_needed: int
    feedback_needed: int
    sequence_needed: int
    most_nodes: int


class Failed(TypedDict):
    """Share of slots that a failed component takes."""

    component: Component
    printed: float
    """Table 1's approximation."""
    one_way: float
    """Those whose own path crosses it, in its plane."""
    both_ways: float
    """Those that are given up: a pair that fails one way stops the other."""
    rack: float
    """That of all slots of the rack."""


class ShoalPlan(TypedDict):
    """Shoal for a rack, beside a packet-switched network for the same nodes."""

    system: str
    input: dict[str, Any]
    """Every setting, also those that were left out."""
    most_nodes: int
    shoal: Design
    packet: Design
    power_saving: float
    cost: Costs
    timing: Timing
    throughput: Throughput
    latency: Latency
    incast: Incast
    memory: Memory
    chip_bytes: int
    header: Header
    failures: list[Failed]
    failures_nodes: int
    """Nodes for which slots are counted: those of full leaves."""
    prices: list[Used]
    """Power of the switches, with its dates and sources."""
    warnings: list[str]
