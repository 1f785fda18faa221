"""`gossamer list`: what an experiment file can use, and which papers can be reproduced."""

import json
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import click
from rich.console import Console

from gossamer import _native
from gossamer.cli import completion, page, screen
from gossamer.cli.amounts import quantity
from gossamer.errors import InputError, cure
from gossamer.reproduce.claims import papers

if TYPE_CHECKING:
    from gossamer.types import Catalogue

KINDS = ("fabrics", "transports", "workloads", "topologies", "sizes", "papers")


@click.command(
    "list", context_settings=page.SETTINGS, short_help="List what an experiment file can use, and the papers."
)
@click.argument("kind", required=False, metavar=f"[{'|'.join(KINDS)}]", shell_complete=completion.lists)
@page.as_json
def list_(kind: str | None, as_json: bool) -> None:
    """List the available fabrics, transports, workloads, topologies, flow-size distributions and papers.

    These are the names that experiment files use; `gossamer reference` describes the keys of each.

    \b
    Examples:
      gossamer list
      gossamer list sizes
      gossamer list transports --json | jq -r '.transports[].name'
    """
    if kind is not None and kind not in KINDS:
        raise InputError(f"no list of {kind!r}: {cure(kind, KINDS)}")
    shown = catalogue() if kind is None else {kind: catalogue()[kind]}
    if as_json:
        print(json.dumps(shown, indent=2))
        return
    console = screen.console()
    for number, (heading, entries) in enumerate(shown.items()):
        if number:
            console.print()
        show(console, heading, entries, sources=kind is not None)


def catalogue() -> dict[str, Sequence[Mapping[str, Any]]]:
    """Everything there is, by kind."""
    known = cast("Catalogue", json.loads(_native.catalogue()))
    return {
        "fabrics": known["fabrics"],
        "transports": known["transports"],
        "workloads": known["workloads"],
        "topologies": known["topologies"],
        "sizes": known["sizes"],
        "papers": [
            {"name": paper.name, "summary": paper.summary, "claims": len(paper.claims)} for paper in papers().values()
        ],
    }


def show(console: Console, heading: str, entries: Sequence[Mapping[str, Any]], *, sources: bool) -> None:
    """Print one kind as a table; where numbers come from, if that is wanted."""
    console.print(heading, style="bold")
    widest = max((len(entry["name"]) for entry in entries), default=0)
    for entry in entries:
        facts = [entry["summary"]]
        if entry.get("mean_bytes") is not None:
            facts.append(f"mean {quantity(entry['mean_bytes'], 'B')}")
        if sources and entry.get("source"):
            facts.append(entry["source"])
        if "claims" in entry:
            facts.append(f"{entry['claims']} claims")
        name = f"  {entry['name']:<{widest}}  "
        room = max(20, console.width - len(name))
        lines = textwrap.wrap("; ".join(facts), room, break_long_words=False, break_on_hyphens=False)
        console.print(("\n" + " " * len(name)).join([name + lines[0], *lines[1:]]), soft_wrap=True)
