"""`gossamer plan compare`: every system side by side, for the same hosts at the same bisection."""

from collections.abc import Mapping
from pathlib import Path

import click
from rich.console import Console

from gossamer.cli import page, screen
from gossamer.cli.amounts import count, quantity, watts
from gossamer.cli.planned import price_list, save, tell
from gossamer.cli.screen import Column
from gossamer.plan import Setting, networks
from gossamer.plan.comparison import QUANTITIES, Comparison, Network, Quantity, told
from gossamer.types import Used


@click.command(
    context_settings=page.SETTINGS,
    short_help="All systems side by side, for the same hosts.",
)
@click.option("--hosts", metavar="N", help="Hosts that are wanted (default 10000).")
@click.option("--rate", metavar="RATE", help="Rate of a host (default 100 Gb/s).")
@click.option(
    "--oversubscription",
    metavar="NUMBER",
    help="Bandwidth of the hosts over the bisection that is asked, each for half of the hosts (default 1).",
)
@click.option(
    "--switch-bandwidth",
    metavar="RATE",
    help="Bandwidth of a switch of the fat-tree, Stardust and Fastpod, over all its ports (default 6.4 Tb/s).",
)
@click.option("--link-rate", metavar="RATE", help="Rate of a serial link of these switches (default 25 Gb/s).")
@click.option(
    "--prices",
    metavar="paper|modern|none|FILE",
    help="Prices and power: an edition of the book, or a TOML file of your own (default paper).",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder for plots of cost and power over the number of hosts, as PNG and SVG.",
)
@page.as_json
def compare(out: Path | None, as_json: bool, **given: str | None) -> None:
    """Plan every system for the same hosts: a fat-tree, Stardust, Fastpod, Shoal, AN3 and XFabric, side by side.

    Each is configured for the hosts at the bisection that is asked, and its bisection is then counted from its links:
    one that has less, or cannot join so many hosts, does not fit, and the reason is printed. Prints tiers, switches,
    links by length, transceivers, silicon, power, cost, VOQs, tables and recovery. What a system's paper and formulas
    do not give is "not given", with the reason below the table, and so is what power and cost include.

    \b
    Examples:
      gossamer plan compare --hosts 10000 --rate '100 Gb/s'
      gossamer plan compare --hosts 1000 --oversubscription 4 --rate '10 Gb/s'
      gossamer plan compare --rate '400 Gb/s' --switch-bandwidth '51.2 Tb/s' --prices modern
      gossamer plan compare --json | jq '.networks[] | {name, verdict, cost: .values.cost_usd}'

    What is counted how: docs/planner.md.

    Exit status: 0 done, 2 bad input.
    """
    request: dict[str, Setting] = {key: value for key, value in given.items() if value is not None}
    found = networks.compare(**request)
    plotted = ""
    if out is not None:
        from gossamer.plan.sweep import over_all
        from gossamer.plots.canvas import Canvas
        from gossamer.plots.compare_planner import draw_all

        plotted = save(draw_all(over_all(request), Canvas()), out)
    tell(found, show, as_json, plotted)


def show(found: Comparison) -> None:
    """Print the networks side by side, what stands behind their numbers, and those that do not fit."""
    console = screen.console()
    asked = found["asked"]
    hosts = "1 host" if asked["hosts"] == 1 else f"{asked['hosts']:,} hosts"
    console.print(
        f"{hosts} of {told(asked['rate_bps'])}, oversubscription {asked['oversubscription']:g}: "
        f"{told(asked['bisection_bps'])} one way between two halves are asked",
        style="bold",
        soft_wrap=True,
    )
    shown = [network for network in found["networks"] if network["verdict"] != "does not fit"]
    if shown:
        table(console, shown)
    for heading, lines in (
        ("Configured", {network["name"]: network["configuration"] for network in shown}),
        ("Power and cost include", {each["name"]: each["counted"] for each in shown if each["prices"]}),
        ("A failed link is known", {network["name"]: network["recovery"] for network in shown}),
        ("Not given", {network["name"]: absent(network) for network in shown}),
        ("Does not fit", {each["name"]: each["why"] for each in found["networks"] if each not in shown}),
    ):
        section(console, heading, {name: text for name, text in lines.items() if text})
    price_list(console, used(shown))


def table(console: Console, shown: list[Network]) -> None:
    """A column a network, a line a quantity."""
    bisection, *titles = (each.title for each in QUANTITIES)
    columns = [Column("", [bisection, "  at least as asked", *titles], left=True)]
    for rank, network in enumerate(shown):
        first, *others = (cell(network, each) for each in QUANTITIES)
        checked = "yes" if network["verdict"] == "fits" else "not checked"
        columns.append(Column(network["name"], [first, checked, *others], rank))
    screen.show(console, columns)


def cell(network: Network, of: Quantity) -> str:
    """A quantity of a network with its unit, or that it is not given."""
    value = network["values"].get(of.key)
    if value is None:
        return "not given"
    match of.kind:
        case "W":
            return watts(value)
        case "USD":
            return f"{count(value)} USD"
        case kind:
            return quantity(value, kind)


def absent(network: Network) -> str:
    """What is not given and why; what has one reason together."""
    reasons: dict[str, list[str]] = {}
    for each in QUANTITIES:
        if each.key in network["not_given"]:
            reasons.setdefault(network["not_given"][each.key], []).append(each.words)
    return "; ".join(f"{', '.join(words)}: {reason}" for reason, words in reasons.items())


def section(console: Console, heading: str, lines: Mapping[str, str]) -> None:
    """Sentences under a heading, a network each."""
    if lines:
        console.print()
        console.print(heading, style="bold", soft_wrap=True)
        screen.facts(console, {f"  {name}": text for name, text in lines.items()})


def used(shown: list[Network]) -> list[Used]:
    """Prices and powers of all networks, each once."""
    found: list[Used] = []
    for network in shown:
        found += [each for each in network["prices"] if each not in found]
    return found
