"""`gossamer topology xfabric`: circuits of crosspoint switches for a demand from a file."""

import json
from pathlib import Path

import click
from rich.console import Console

from gossamer import _native
from gossamer.cli import page, screen
from gossamer.cli.amounts import quantity
from gossamer.cli.planned import tell
from gossamer.cli.screen import Column
from gossamer.cli.settings import common, gathered, others
from gossamer.topology.configuration import xfabric as configured
from gossamer.types import XFabricCircuit, XFabricConfiguration

COMMON = ("soc_ports", "crosspoints", "uplinks", "weight")
"""Settings with an option of their own."""
FILE = click.Path(path_type=Path)
EXAMPLE = "ties=by-number"
LISTED = 12
"""Circuits and changes that are printed; the JSON has all."""
DOCUMENT = "topology.json"


@click.command(
    context_settings=page.SETTINGS,
    short_help="Circuits of crosspoint or optical switches.",
    params=common(_native.xfabric_configure_settings(), COMMON),
)
@click.option("--demand", type=FILE, required=True, metavar="FILE", help="Bytes between SoCs, as CSV; see above.")
@click.option("--previous", type=FILE, metavar="FILE", help="The configuration in force, as this command wrote it.")
@click.option(
    "--wiring", type=FILE, metavar="FILE", help="Wiring of the ports, as CSV: soc,port,crosspoint,crosspoint_port."
)
@click.option("--failed", multiple=True, metavar="SOC[:PORT]", help="Exclude this SoC or port; may be repeated.")
@others(EXAMPLE, "seed=7")
@click.option("--out", type=FILE, metavar="DIR", help="Folder for topology.json and for drawings as PNG, SVG and PDF.")
@page.as_json
def xfabric(
    demand: Path,
    previous: Path | None,
    wiring: Path | None,
    failed: tuple[str, ...],
    others: tuple[str, ...],
    out: Path | None,
    as_json: bool,
    **given: str | None,
) -> None:
    """Choose the circuits of a rack for a demand, as XFabric's controller does.

    The demand is a square matrix of bytes, with or without names in its first line and first column, or a list whose
    first line is source,destination,bytes. The name uplink stands for everything outside the rack.

    With --previous, the demand is averaged with that of the previous configuration, changed circuits are listed, and
    settings that are not given keep their previous values.

    \b
    Examples:
      gossamer topology xfabric --demand demand.csv
      gossamer topology xfabric --demand demand.csv --wiring wiring.csv --out rack
      gossamer topology xfabric --demand later.csv --previous rack/topology.json --out rack
      gossamer topology xfabric --demand demand.csv --json | jq '.crosspoints[0].circuits'

    Files, settings and JSON: docs/topology.md.

    Exit status: 0 done, 2 bad input.
    """
    settings = gathered(given, others, EXAMPLE)
    found = configured(demand, previous=previous, wiring=wiring, failed=failed, **settings)
    tell(found, show, as_json, "" if out is None else save(found, out))


def save(found: XFabricConfiguration, folder: Path) -> str:
    """Write the configuration and its drawings; says what was written."""
    from gossamer.plots.cabling import draw_all
    from gossamer.plots.canvas import Canvas
    from gossamer.plots.export import save_charts

    folder.mkdir(parents=True, exist_ok=True)
    (folder / DOCUMENT).write_text(json.dumps(found) + "\n", encoding="utf-8")
    charts = draw_all(found, Canvas())
    save_charts(charts, folder, ("png", "svg", "pdf"))
    return f"wrote {folder / DOCUMENT}, and drawings: {', '.join(charts)} (PNG, SVG, PDF)"


def show(found: XFabricConfiguration) -> None:
    """Print what it does to the demand, the crosspoints, the heaviest circuits or the changes, and the uplinks."""
    console = screen.console()
    given = found["input"]
    console.print(
        f"{len(found['socs']):,} SoCs of {given['soc_ports']} ports on {given['crosspoints']} crosspoints, "
        f"{given['uplinks']} uplinks: configuration {found['version']}",
        style="bold",
        soft_wrap=True,
    )
    for name, text in facts(found).items():
        console.print(f"{name:<8}  {text}", soft_wrap=True)
    console.print()
    crosspoints = found["crosspoints"]
    columns = [
        Column("Crosspoint", [each["name"] for each in crosspoints], left=True),
        Column("circuits", [f"{len(each['circuits']):,}" for each in crosspoints]),
        Column("bytes", [quantity(sum(of["bytes"] for of in each["circuits"]), "B") for each in crosspoints]),
    ]
    if found["changes"] is not None:
        columns.append(Column("new", [f"{sum(of['new'] for of in each['circuits']):,}" for each in crosspoints]))
        columns.append(Column("removed", [f"{len(each['removed']):,}" for each in crosspoints]))
    screen.show(console, columns)
    console.print()
    circuits(console, found)
    uplinks(console, found)


def facts(found: XFabricConfiguration) -> dict[str, str]:
    """What a person decides by."""
    summary, changes = found["summary"], found["changes"]
    lengths = {
        "a random graph": summary["random_path_length"],
        "the previous configuration": summary["previous_path_length"],
    }
    beside = "; ".join(f"over {name} {hops:.2f}" for name, hops in lengths.items() if hops is not None)
    told = {
        "Demand": f"{quantity(summary['bytes'], 'B')} between SoCs, {quantity(summary['uplink_bytes'], 'B')} into "
        "and out of the rack",
        "Paths": f"{length(summary['path_length'])} on average{'; ' + beside if beside else ''}; the longest has "
        f"{'no end' if summary['diameter'] is None else summary['diameter']}",
    }
    if summary["direct"] is not None and summary["direct_at_most"] is not None:
        told["Direct"] = (
            f"{quantity(summary['direct'], 'fraction')} of the bytes over a single circuit; no choice of circuits has "
            f"more than {quantity(summary['direct_at_most'], 'fraction')}"
        )
    if summary["uplink_path_length"] is not None:
        told["Uplinks"] = f"{length(summary['uplink_path_length'])} on average to and from them"
    if found["fixed_circuits"]:
        cables = ", ".join(" - ".join(fixed["socs"]) for fixed in found["fixed_circuits"])
        told["Cables"] = f"{cables}: between ports that an odd number leaves over, for good"
    told["Updates"] = f"{found['update_bytes']:,} B to each SoC: its forwarding table, neighbours and version"
    if changes is not None:
        told["Changes"] = (
            f"{changes['added']:,} circuits to set, {changes['removed']:,} to give up, {changes['kept']:,} stay, since "
            f"configuration {changes['version']}"
        )
    return told


def length(hops: float | None) -> str:
    """A mean path length."""
    return "no path for some of it, or no demand" if hops is None else f"{hops:.2f} hops"


def circuits(console: Console, found: XFabricConfiguration) -> None:
    """The heaviest circuits; of a configuration that follows another, the heaviest new ones."""
    changed = found["changes"] is not None
    listed: list[tuple[str, XFabricCircuit]] = [
        (each["name"], circuit) for each in found["crosspoints"] for circuit in each["circuits"] if circuit["new"]
    ]
    listed.sort(key=lambda entry: entry[1]["turn"])
    if not listed:
        console.print("No circuit changes.", soft_wrap=True)
        return
    shown = listed[:LISTED]
    columns = [
        Column("New circuit" if changed else "Circuit", [" - ".join(each["socs"]) for _, each in shown], left=True),
        Column("crosspoint", [name for name, _ in shown]),
        Column("its ports", [" - ".join(each["ports"]) for _, each in shown]),
        Column("SoC ports", [" - ".join(map(str, each["soc_ports"])) for _, each in shown]),
        Column("bytes", [quantity(each["bytes"], "B") for _, each in shown]),
    ]
    screen.show(console, columns)
    if len(listed) > LISTED:
        console.print(f"and {len(listed) - LISTED:,} more: --json or --out has all", soft_wrap=True)


def uplinks(console: Console, found: XFabricConfiguration) -> None:
    """Where uplinks go."""
    if not found["uplinks"]:
        return
    console.print()
    shown = found["uplinks"]
    columns = [
        Column("Uplink", [str(each["uplink"]) for each in shown], left=True),
        Column("SoC", [each["soc"] for each in shown]),
        Column("ports", [" - ".join(map(str, each["ports"])) for each in shown]),
        Column("used by", [f"{len(each['used_by']):,}" for each in shown]),
        Column("bytes", [quantity(each["bytes"], "B") for each in shown]),
    ]
    screen.show(console, columns)
