"""`gossamer plan xfabric`: crosspoint switches of a rack, beside one circuit switch for all ports."""

from collections.abc import Callable

import click

from gossamer import _native
from gossamer.cli import page, screen
from gossamer.cli.amounts import quantity, watts
from gossamer.cli.planned import price_list, tell
from gossamer.cli.screen import Column
from gossamer.cli.settings import common, gathered, others
from gossamer.plan import plan
from gossamer.types import XFabricPlan, XFabricSwitches

COMMON = (
    "socs",
    "soc_ports",
    "uplinks",
    "asic_ports",
    "port_usd",
    "port_w",
    "prices",
)
"""Settings with an option of their own."""

EXAMPLE = "clos_factor=6"


@click.command(
    context_settings=page.SETTINGS,
    short_help="XFabric compared with one large circuit switch.",
    params=common(_native.plan_settings("xfabric"), COMMON),
)
@others(EXAMPLE, "switching='70 ns'")
@page.as_json
def xfabric(others: tuple[str, ...], as_json: bool, **given: str | None) -> None:
    """Plan an XFabric rack: small circuit switches, one for each port of a SoC, compared with one for all ports.

    Prints ports, ASICs, cost and power of XFabric's internal crosspoints, of its uplink crosspoint, and of a fully
    reconfigurable fabric built as a folded Clos; circuits, and what a reconfiguration loses. The defaults are the rack
    of the paper's evaluation: 343 SoCs of 6 ports, 8 uplinks.

    \b
    Examples:
      gossamer plan xfabric --socs 256
      gossamer plan xfabric --port-w 0.14 --set clos_factor=6
      gossamer plan xfabric --json | jq '.clos.ports, .xfabric.ports'

    All settings: docs/planner.md.

    Exit status: 0 done, 2 bad input.
    """
    found = plan("xfabric", **gathered(given, others, EXAMPLE))
    tell(found, show, as_json)


ROWS: tuple[tuple[str, Callable[[XFabricSwitches], str]], ...] = (
    ("Ports", lambda of: f"{of['ports']:,}"),
    ("ASICs", lambda of: f"{of['asics']:,}"),
    ("Cost", lambda of: f"{of['usd']:,.0f} USD"),
    ("Power", lambda of: watts(of["w"])),
    ("  of the rack's", lambda of: quantity(of["of_rack"], "fraction")),
)
"""Lines of the table: what they are called, and how a fabric fills them."""


def show(found: XFabricPlan) -> None:
    """Print the switches, the circuits, and the loss."""
    console = screen.console()
    given, loss = found["input"], found["loss"]
    console.print(
        f"{given['socs']:,} SoCs of {given['soc_ports']} internal ports and {given['uplinks']:,} uplinks",
        style="bold",
        soft_wrap=True,
    )
    fabrics = (("XFabric", found["xfabric"]), ("its uplinks", found["uplinks"]), ("folded Clos", found["clos"]))
    columns = [Column("", [name for name, _ in ROWS], left=True)]
    for rank, (name, fabric) in enumerate(fabrics):
        columns.append(Column(name, [cell(fabric) for _, cell in ROWS], rank))
    screen.show(console, columns)
    console.print()
    facts = {
        "Circuits": f"{found['circuits']:,} inside the rack, {found['fixed_circuits']:,} of them fixed; "
        f"{found['unused_ports']} ports left over",
        "Ratio": f"the folded Clos has {found['ratio']:g} ports for each of XFabric's",
        "Loss": f"{given['switching']} at {given['port_rate']} are {loss['bytes']:,} B in each direction: a link loses "
        f"at most {loss['worst_frames']:,} frames in a reconfiguration",
    }
    screen.facts(console, facts)
    price_list(console, found["prices"])
