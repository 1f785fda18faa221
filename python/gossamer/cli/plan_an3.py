"""`gossamer plan an3`: circuits over NICs and L1 switches, beside ToR and aggregation switches."""

from collections.abc import Callable
from pathlib import Path

import click

from gossamer import _native
from gossamer.cli import page, screen
from gossamer.cli.amounts import quantity, watts
from gossamer.cli.planned import price_list, save, tell
from gossamer.cli.screen import Column
from gossamer.cli.settings import common, gathered, others
from gossamer.plan import plan
from gossamer.types import An3Cost, An3Design, An3Plan

COMMON = (
    "servers",
    "oversubscription",
    "discount",
    "nic",
    "rate",
    "prices",
)
"""Settings with an option of their own."""

EXAMPLE = "price_l0=25"


@click.command(
    context_settings=page.SETTINGS,
    short_help="AN3 compared with ToR and aggregation switches.",
    params=common(_native.plan_settings("an3"), COMMON),
)
@others(EXAMPLE, "design_l0=2000000")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder for plots, as PNG and SVG: cost of a port by servers, and what it is made of.",
)
@page.as_json
def an3(out: Path | None, others: tuple[str, ...], as_json: bool, **given: str | None) -> None:
    """Plan AN3: circuits over NICs and L1 switches, compared with ToR and aggregation switches for the same servers.

    Both have the same bandwidth between racks. Prints switches, links, power and cost of both, and what only AN3 has:
    frames, what an L1 switch carries and processes, distances in the L0 network, the largest network. The defaults are
    the first row of the paper's Table 2 with three quarters off all prices of the other network.

    \b
    Examples:
      gossamer plan an3 --servers 60000
      gossamer plan an3 --oversubscription 5 --discount 0.5 --nic fpga
      gossamer plan an3 --set price_l0=25 --out plots
      gossamer plan an3 --json | jq '.cheaper, .an3.cost'

    All settings: docs/planner.md.

    Exit status: 0 done, 2 bad input.
    """
    settings = gathered(given, others, EXAMPLE)
    found = plan("an3", **settings)
    plotted = ""
    if out is not None:
        from gossamer.plan.sweep import over_servers
        from gossamer.plots.an3_planner import draw_all
        from gossamer.plots.canvas import Canvas

        plotted = save(draw_all(over_servers(settings), Canvas()), out)
    tell(found, show, as_json, plotted)


def money(number: Callable[[An3Cost], float]) -> Callable[[An3Design], str]:
    """Of what a network costs, one number, if its prices are known."""
    return lambda of: "not known" if of["cost"] is None else f"{number(of['cost']):,.0f} USD"


ROWS: tuple[tuple[str, Callable[[An3Design], str]], ...] = (
    ("Tiers of switches", lambda of: str(of["tiers"])),
    ("NICs", lambda of: f"{of['nics']:,}"),
    ("ToR switches", lambda of: f"{of['tors']:,}"),
    ("Aggregation switches", lambda of: f"{of['aggregations']:,}"),
    ("L1 switches", lambda of: f"{of['l1']:,}"),
    ("Links, SATA", lambda of: f"{of['links']['sata']:,}"),
    ("  copper", lambda of: f"{of['links']['copper']:,}"),
    ("  optical, up", lambda of: f"{of['links']['up']:,}"),
    ("  between L1 switches", lambda of: f"{of['links']['between']:,}"),
    ("Bisection", lambda of: quantity(of["bisection_bps"], "b/s")),
    ("Power", lambda of: "not known" if of["power"] is None else watts(of["power"]["total_w"])),
    ("Cost", money(lambda cost: cost["total_usd"])),
    ("  NICs", money(lambda cost: cost["nics_usd"])),
    ("  switches", money(lambda cost: cost["switches_usd"])),
    ("  links", money(lambda cost: cost["links_usd"])),
    ("  design", money(lambda cost: cost["design_usd"])),
    ("Cost of a port", money(lambda cost: cost["port_usd"])),
)
"""Lines of the table: what they are called, and how a design fills them."""


def show(found: An3Plan) -> None:
    """Print both networks, and what is AN3's own."""
    console = screen.console()
    given = found["input"]
    console.print(
        f"{given['servers']:,} servers of {given['rate']}, oversubscription {given['oversubscription']:g}, "
        f"{quantity(given['discount'], 'fraction')} off what is bought, AN3's NICs of {given['nic'].upper()}s",
        style="bold",
        soft_wrap=True,
    )
    columns = [Column("", [name for name, _ in ROWS], left=True)]
    for rank, (name, design) in enumerate((("AN3", found["an3"]), ("ToR and aggregation", found["baseline"]))):
        columns.append(Column(name, [cell(design) for _, cell in ROWS], rank))
    screen.show(console, columns)
    console.print()
    screen.facts(console, facts(found))
    price_list(console, found["prices"])


def facts(found: An3Plan) -> dict[str, str]:
    """What follows from racks, frames, switches and the L0 network."""
    frame, switch, l0, largest = found["frame"], found["switch"], found["l0"], found["largest"]
    cheaper = "not known" if found["cheaper"] is None else f"{found['cheaper']:.2f} times"
    return {
        "Cheaper": f"a port of AN3, {cheaper}",
        "Rack": f"{found['servers_per_rack']:.4g} servers, {found['uplinks_per_rack']:.4g} links up or egress NICs",
        "Frame": f"{quantity(frame['frame_ps'], 'ps')}: {frame['slots']} slots of {frame['control_bytes']} B of "
        f"control and {frame['data_bytes']} B of data; a slot carries {quantity(frame['slot_bps'], 'b/s')}",
        "L1 switch": f"{switch['ports']} ports on {switch['line_cards']} line cards, "
        f"{quantity(switch['crossbar_bps'], 'b/s')} both ways, {switch['requests_per_second'] / 1e6:.2f} million "
        "set-ups and tear-downs a second",
        "L0 network": f"of {l0['nics']} NICs with {l0['links_per_nic']} links each: {l0['mean_hops']:.2f} hops on "
        f"average, {l0['most_hops']} at most, {l0['egress_hops']} to an egress NIC",
        "Largest": f"{largest['servers']:,} servers: {largest['containers']} containers of {largest['networks']} L0 "
        f"networks; {quantity(largest['bisection_bps'], 'b/s')} between two halves",
    }
