"""`gossamer plan stardust`: Stardust beside fat-trees, for the same hosts."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import click
from rich.console import Console

from gossamer import _native
from gossamer.cli import page, screen
from gossamer.cli.amounts import count, quantity, watts
from gossamer.cli.planned import price_list, save, tell
from gossamer.cli.screen import Column
from gossamer.cli.settings import common, gathered, others
from gossamer.plan import plan
from gossamer.types import StardustDesign, StardustPlan

COMMON = (
    "hosts",
    "hosts_per_adapter",
    "host_rate",
    "switch_bandwidth",
    "link_rate",
    "bundles",
    "oversubscription",
    "prices",
)
"""Settings with an option of their own."""

CELL = "cell='512 B'"


@click.command(
    context_settings=page.SETTINGS,
    short_help="Stardust compared with fat-trees.",
    params=common(_native.plan_settings("stardust"), COMMON),
)
@others(CELL, "price_switch=9000")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder for plots over the number of hosts, as PNG and SVG.",
)
@page.as_json
def stardust(out: Path | None, others: tuple[str, ...], as_json: bool, **given: str | None) -> None:
    """Plan a Stardust network and compare it with fat-trees of ordinary switches, one for each bundle of serial links.

    Prints tiers, devices, links, cables, silicon, power and cost of each, and what only Stardust has: recovery from a
    failed link, VOQs and their memory, the smallest credit, cell memory and latency of an element, queues. By default
    the hardware is what the paper has prices for. Devices are counted by their ports, as in the paper; "regular" is
    the number that a regular cabling pattern needs, and `--set counting=regular` plans with it.

    Prices and power come from a book with dates and sources, which are printed. A part that is not in the book is an
    error that names it: set it, or omit cost and power with `--prices none`.

    \b
    Examples:
      gossamer plan stardust --hosts 20000
      gossamer plan stardust --switch-bandwidth '12.8 Tb/s' --bundles 1,8 --prices none
      gossamer plan stardust --hosts 5000 --set element_bandwidth='9.6 Tb/s' --out plots
      gossamer plan stardust --json | jq '.designs[] | {name, devices, cost_usd}'

    All settings: docs/planner.md.

    Exit status: 0 done, 2 bad input.
    """
    settings = gathered(given, others, CELL)
    found = plan("stardust", **settings)
    plotted = ""
    if out is not None:
        from gossamer.plan.sweep import over_hosts
        from gossamer.plots.canvas import Canvas
        from gossamer.plots.planner import draw_all

        plotted = save(draw_all(over_hosts(settings), Canvas()), out)
    tell(found, show, as_json, plotted)


ROWS: tuple[tuple[str, Callable[[StardustDesign], str]], ...] = (
    ("Tiers", lambda design: str(design["tiers"])),
    ("Most hosts with these", lambda design: most(design)),
    ("Adapters or ToRs", lambda design: f"{design['adapters']:,}"),
    ("Elements or switches", lambda design: f"{design['elements']:,}"),
    ("  regular", lambda design: number(design["elements_regular"])),
    ("Devices", lambda design: f"{design['devices']:,}"),
    ("Ports of an element", lambda design: f"{design['radix']:,}"),
    ("Uplinks of an adapter", lambda design: f"{design['uplinks']:,}"),
    ("Serial links", lambda design: f"{design['links']:,}"),
    ("Cables", lambda design: f"{design['cables']:,}"),
    ("Transceivers", lambda design: f"{design['transceivers']:,}"),
    ("Silicon, in ToRs", lambda design: f"{design['area']['network']:,.1f}"),
    ("  of the fabric", lambda design: f"{design['area']['fabric']:,.1f}"),
    ("Power", lambda design: draws(design, "network")),
    ("  of the fabric", lambda design: draws(design, "fabric")),
    ("Cost", lambda design: "not known" if design["cost_usd"] is None else f"{count(design['cost_usd'])} USD"),
    ("Look-up table", lambda design: quantity(design["table_bits"] / 8, "B")),
    ("Lost with a link", lambda design: quantity(design["link_failure_bps"], "b/s")),
)
"""Lines of the table: what they are called, and how a design fills them."""


def show(found: StardustPlan) -> None:
    """Print designs side by side, and what is Stardust's own."""
    console = screen.console()
    given = found["input"]
    console.print(
        f"{given['hosts']:,} hosts of {given['host_rate']}, {given['hosts_per_adapter']} on an edge device; devices of "
        f"{given['switch_bandwidth']}, serial links of {given['link_rate']}",
        style="bold",
        soft_wrap=True,
    )
    columns = [Column("", [name for name, _ in ROWS], left=True)]
    for rank, design in enumerate(found["designs"]):
        columns.append(Column(design["name"], [cell(design) for _, cell in ROWS], rank))
    screen.show(console, columns)
    console.print()
    own(console, found)
    price_list(console, found["prices"])


def draws(design: StardustDesign, scope: Literal["network", "fabric"]) -> str:
    """Power of a design, where it is known."""
    return "not known" if design["power"] is None else watts(design["power"][scope])


def own(console: Console, found: StardustPlan) -> None:
    """What only Stardust has, a line each."""
    fabric, given = found["fabric"], found["input"]
    recovery, queues = fabric["recovery"], fabric["queues"]
    rates = ", ".join(
        f"{count(each['per_second'])}/s of {each['bytes']} B ({each['parallelism']:.3g} at once)"
        for each in fabric["packet_rates"]
    )
    facts = {
        "Recovery": f"{quantity(recovery['with_propagation_ps'], 'ps')} after a link has failed: "
        f"{given['reachability_threshold']} updates of {messages(recovery['messages'])} each, one message every "
        f"{quantity(recovery['interval_ps'], 'ps')}, over {hops(recovery['hops'])}; messages take "
        f"{quantity(recovery['overhead'], 'fraction')} of each link",
        "VOQs": f"{fabric['voqs']:,} in each adapter, {quantity(fabric['voq_memory_bytes'], 'B')} of memory",
        "Credit": f"at least {quantity(fabric['minimum_credit_bytes'], 'B')}, or the scheduler cannot keep up",
        "Element": f"memory for {quantity(fabric['element_memory_bytes'], 'B')} of cells; a cell waits at most "
        f"{quantity(fabric['element_latency_ps'], 'ps')} in it and takes at most "
        f"{quantity(fabric['fabric_latency_ps'], 'ps')} across the fabric",
        "Queues": f"at {quantity(queues['utilisation'], 'fraction')} load {queues['mean_cells']:.3g} cells on average, "
        f"more than {queues['p99_cells']} in 1 % of the time, more than {queues['p999999_cells']} in 0.0001 % (M/D/1)",
        "Incast": incast(found),
        "Packets": f"a switch of {given['switch_bandwidth']} processes {rates}",
    }
    screen.facts(console, facts)


def messages(number: int) -> str:
    """So many messages."""
    return "1 message" if number == 1 else f"{number:,} messages"


def hops(number: int) -> str:
    """So many hops."""
    return "1 hop" if number == 1 else f"{number} hops"


def incast(found: StardustPlan) -> str:
    """What a burst from everywhere to one port does."""
    becomes, burst = found["fabric"]["incast"], found["input"]["incast_burst"]
    held = "which its buffer holds" if becomes["held"] else "which is more than its buffer holds"
    pushed = becomes["overflow_bytes"]
    ethernet = f"would lack room for {quantity(pushed, 'B')}" if pushed > 0 else "would hold it all as well"
    waits = quantity(becomes["ingress_bytes"], "B")
    return f"{burst} from every adapter to one port: {waits} wait at each, {held}; one ToR before that port {ethernet}"


def most(design: StardustDesign) -> str:
    """The most hosts with the tiers of a design."""
    for limit in design["limits"]:
        if limit["tiers"] == design["tiers"]:
            return f"{limit['hosts']:,}"
    return ""


def number(value: int | None) -> str:
    """A count, or nothing where it is not known."""
    return "" if value is None else f"{value:,}"
