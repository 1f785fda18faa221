"""`gossamer plan shoal`: a rack of circuit switches, beside packet switches for the same nodes."""

from collections.abc import Callable
from pathlib import Path

import click
from rich.console import Console

from gossamer import _native
from gossamer.cli import page, screen
from gossamer.cli.amounts import quantity, watts
from gossamer.cli.planned import price_list, save, tell
from gossamer.cli.screen import Column
from gossamer.cli.settings import common, gathered, others
from gossamer.plan import plan
from gossamer.types import ShoalComponent, ShoalCost, ShoalDesign, ShoalPlan

COMMON = (
    "nodes",
    "node_rate",
    "channels",
    "switch_ports",
    "switch_port_rate",
    "usable_slot",
    "price_circuit_switch",
    "prices",
)
"""Settings with an option of their own."""

SLOT = "reconfiguration='6.4 ns'"

WORDS: dict[ShoalComponent, str] = {
    "node": "Node",
    "node-leaf-link": "Link of a node",
    "leaf": "Leaf",
    "leaf-spine-link": "Link to a spine",
    "spine": "Spine",
}


@click.command(
    context_settings=page.SETTINGS,
    short_help="Shoal compared with a packet-switched rack.",
    params=common(_native.plan_settings("shoal"), COMMON),
)
@others(SLOT, "price_nic=0.01")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder for plots, as PNG and SVG: cost by price, power, latency and memory by nodes, failed slots.",
)
@page.as_json
def shoal(out: Path | None, others: tuple[str, ...], as_json: bool, **given: str | None) -> None:
    """Plan a Shoal rack: circuit switches on a fixed schedule, compared with packet switches for the same nodes.

    Prints switches, links and power of both, and what only Shoal has: slot and epoch, how much of a node's rate is
    left, latency of a cell, an incast, queues and memory, the header's fields, cost against the price of a circuit
    switch, and the slots that a failed component takes. The defaults are the paper's rack: 512 nodes of 100 Gb/s,
    64-port switches.

    \b
    Examples:
      gossamer plan shoal --nodes 1024
      gossamer plan shoal --channels 2 --usable-slot '10.25 ns'
      gossamer plan shoal --set reconfiguration='6.4 ns' --set schedule=cyclic --out plots
      gossamer plan shoal --json | jq '.timing.epoch_ps, .power_saving'

    All settings: docs/planner.md.

    Exit status: 0 done, 2 bad input.
    """
    settings = gathered(given, others, SLOT)
    found = plan("shoal", **settings)
    plotted = ""
    if out is not None:
        from gossamer.plan.sweep import over_nodes, over_prices
        from gossamer.plots.canvas import Canvas
        from gossamer.plots.shoal_planner import draw_all

        plotted = save(draw_all(over_nodes(settings), over_prices(settings), Canvas()), out)
    tell(found, show, as_json, plotted)


ROWS: tuple[tuple[str, Callable[[ShoalDesign], str]], ...] = (
    ("Leaves and spines of a plane", lambda of: f"{of['network']['plane']['leaves']} + {spines(of)}"),
    ("Planes", lambda of: str(of["network"]["planes"])),
    ("Switches", lambda of: f"{of['network']['switches']:,}"),
    ("Links to nodes", lambda of: f"{of['network']['node_links']:,}"),
    ("Links to spines", lambda of: f"{of['network']['spine_links']:,}"),
    ("Power", lambda of: watts(of["power"]["total_w"])),
    ("  of the switches", lambda of: watts(of["power"]["switches_w"])),
    ("  of the rack's", lambda of: quantity(of["power"]["of_rack"], "fraction")),
)
"""Lines of the table: what they are called, and how a design fills them."""


def show(found: ShoalPlan) -> None:
    """Print both networks, what is Shoal's own, and what failures take."""
    console = screen.console()
    given = found["input"]
    console.print(
        f"{given['nodes']:,} nodes of {given['node_rate']} over circuit switches, of {given['packet_node_rate']} over "
        f"packet switches; {given['switch_ports']} ports of {given['switch_port_rate']}, {found['most_nodes']:,} nodes "
        "at most",
        style="bold",
        soft_wrap=True,
    )
    columns = [Column("", [name for name, _ in ROWS], left=True)]
    for rank, (name, design) in enumerate((("Shoal", found["shoal"]), ("packet switches", found["packet"]))):
        columns.append(Column(name, [cell(design) for _, cell in ROWS], rank))
    screen.show(console, columns)
    console.print()
    facts = {**rates(found), **times(found), **memory(found), **money(found)}
    screen.facts(console, facts)
    console.print()
    failures(console, found)
    price_list(console, found["prices"])


def rates(found: ShoalPlan) -> dict[str, str]:
    """Slot, epoch and what is left of a node's rate."""
    timing, rate, given = found["timing"], found["throughput"], found["input"]
    schedule = next(each for each in timing["schedules"] if each["order"] == given["schedule"])
    return {
        "Slot": f"{timing['slot_ps'] / 1000:g} ns: {given['usable_slot']} for a cell of {timing['cell_bytes']} B "
        f"({timing['payload_bytes']} B of payload) at {quantity(timing['channel_bps'], 'b/s')}, guard band of "
        f"{timing['guard_ps'] / 1000:g} ns ({quantity(timing['guard_share'], 'fraction')})",
        "Epoch": f"{quantity(timing['epoch_ps'], 'ps')}; in whole slots {quantity(schedule['epoch_ps'], 'ps')}: "
        f"{schedule['slots']} on each of {given['channels']} channels, {schedule['empty_slots']} empty, "
        f"{schedule['gap_slots']} between the two directions of a pair",
        "Rate": f"{quantity(rate['peak_bps'], 'b/s')} at best ({quantity(rate['payload_bps'], 'b/s')} of payload), "
        f"{quantity(rate['worst_peak_bps'], 'b/s')} for any traffic ({quantity(rate['worst_payload_bps'], 'b/s')}); if "
        f"every node sends to one other, {quantity(rate['permutation_share'], 'fraction')} of the best",
    }


def times(found: ShoalPlan) -> dict[str, str]:
    """How long cells and a burst take."""
    latency, incast = found["latency"], found["incast"]
    return {
        "Latency": f"{quantity(latency['delay_ps'], 'ps')} from node to node ({latency['delay_slots']} slots); with "
        f"empty queues {quantity(latency['zero_load_ps'], 'ps')} on average and at most "
        f"{quantity(latency['zero_load_worst_ps'], 'ps')}; to a node that nobody else sends to at most "
        f"{quantity(latency['alone_ps'], 'ps')}; with all queues full {quantity(latency['worst_ps'], 'ps')}",
        "Incast": f"{found['input']['incast_burst']} from each of {incast['senders']:,} nodes to one: "
        f"{incast['cells']:,} cells each, {quantity(incast['optimum_ps'], 'ps')} at least, queues of at most "
        f"{incast['queue_cells']:,} cells",
    }


def memory(found: ShoalPlan) -> dict[str, str]:
    """Queues, memory and header."""
    memory, header, given = found["memory"], found["header"], found["input"]
    control = (memory["feedback_bits"] + memory["last_cell_bits"]) / 8
    return {
        "Queues": f"{memory['queues']:,} of at most {memory['queue_cells']:,} cells: "
        f"{quantity(memory['buffer_bytes'], 'B')} a node; a flow's cells come at most "
        f"{memory['reorder_cells']:,} cells out of order",
        "Chip": f"{quantity(found['chip_bytes'], 'B')}: {quantity(memory['cache_bytes'], 'B')} of cells, "
        f"{quantity(control, 'B')} of congestion control",
        "Header": f"{header['bits']} bits; of these an id needs {header['id_needed']} of {given['id_bits']}, the "
        f"feedback {header['feedback_needed']} of {given['feedback_bits']}, the sequence number "
        f"{header['sequence_needed']} of {given['sequence_bits']}: enough for {header['most_nodes']:,} nodes",
    }


def money(found: ShoalPlan) -> dict[str, str]:
    """Power and cost against packet switches."""
    given = found["input"]
    low, high = found["cost"]["designs"]
    relative = " to ".join(quantity(each["relative"], "fraction") for each in (low, high))
    saved = found["power_saving"]
    power = f"{quantity(saved, 'fraction')} less" if saved >= 0 else f"{quantity(-saved, 'fraction')} more"
    return {
        "Power": f"{power} than packet switches",
        "Cost": f"{relative} of packet switches, with NICs at {low['nic_multiple']:g} to {high['nic_multiple']:g} "
        f"times theirs and circuit switches at {given['price_circuit_switch']:g}; the same at {prices(low, high)}, "
        f"{quantity(given['saving'], 'fraction')} less at {prices(low, high, 'saves')}",
    }


def prices(low: ShoalCost, high: ShoalCost, of: str = "break_even") -> str:
    """Prices of a circuit switch, from the dear NIC to the cheap one."""
    found = [each["break_even"] if of == "break_even" else each["saves"] for each in (high, low)]
    words = ["no price" if price is None else f"{price:.3g}" for price in found]
    return words[0] if words[0] == words[1] else " to ".join(words)


def failures(console: Console, found: ShoalPlan) -> None:
    """Slots that a failed component takes."""
    rows = found["failures"]
    columns = [Column("Slots lost with a failed", [WORDS[row["component"]] for row in rows], left=True)]
    for rank, (heading, shares) in enumerate(
        (
            ("of a plane, Table 1", [row["printed"] for row in rows]),
            ("counted, own path", [row["one_way"] for row in rows]),
            ("both directions", [row["both_ways"] for row in rows]),
            ("of the rack", [row["rack"] for row in rows]),
        )
    ):
        columns.append(Column(heading, [quantity(share, "fraction") for share in shares], rank))
    screen.show(console, columns)


def spines(design: ShoalDesign) -> int:
    """Spines of one plane."""
    return design["network"]["plane"]["spines"]
