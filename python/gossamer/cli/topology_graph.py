"""`gossamer topology list`, `draw` and `export`: the hosts, switches and links of an experiment."""

import csv
import fnmatch
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from gossamer.cli import page, screen
from gossamer.cli.amounts import quantity
from gossamer.cli.screen import Column
from gossamer.errors import InputError
from gossamer.topology.graph import graph
from gossamer.types import Graph, GraphLink, GraphNode

FILE = click.Path(path_type=Path)
Function = TypeVar("Function", bound=Callable[..., Any])


def of_experiment(function: Function) -> Function:
    """Add what all three take."""
    function = page.overrides(function)
    function = click.option("--run", metavar="NAME", help="Of this run (default: the first).")(function)
    return click.argument("file", metavar="EXPERIMENT", type=FILE)(function)


@click.command("list", context_settings=page.SETTINGS, short_help="List an experiment's nodes and links by name.")
@of_experiment
@click.option("--nodes", is_flag=True, help="Nodes only.")
@click.option("--links", is_flag=True, help="Links only.")
@click.option(
    "--only",
    metavar="PATTERN",
    help="Only those whose name or class matches: * stands for any text, ? for one character.",
)
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV; with --nodes or --links.")
@page.as_json
def list_(
    file: Path,
    overrides: tuple[str, ...],
    run: str | None,
    nodes: bool,
    links: bool,
    only: str | None,
    as_csv: bool,
    as_json: bool,
) -> None:
    """List the hosts, switches and links of EXPERIMENT by name, with the rates and delays that the file gives them.

    A cable is two links, one in each direction, and each has a name such as `leaf-0 -> spine-1`. These are the names
    that `[[fault]]`, `[[topology.link]]` and `measure.watch` take; the class is what `[topology.links]` takes.

    \b
    Examples:
      gossamer topology list experiments/quickstart.toml
      gossamer topology list experiments/quickstart.toml --links --only 'leaf-0 -> *'
      gossamer topology list experiments/quickstart.toml --links --only leaf-spine --csv > links.csv
      gossamer topology list experiments/quickstart.toml --json | jq '.links | length'

    Exit status: 0 done, 2 bad input.
    """
    found = graph(file, run=run, overrides=overrides)
    if as_csv and nodes == links:
        raise InputError("--csv prints one table: add --nodes or --links")
    both = nodes == links
    chosen_nodes = [node for node in found["nodes"] if (both or nodes) and matches(only, node["name"], node["kind"])]
    chosen_links = [link for link in found["links"] if (both or links) and matches(only, link["name"], link["class"])]
    if only is not None and not chosen_nodes and not chosen_links:
        raise InputError(f"--only {only!r}: nothing has that name; names look like {found['links'][0]['name']!r}")
    if as_json:
        kept = {"run": found["run"], "description": found["description"]}
        print(json.dumps({**kept, "nodes": chosen_nodes, "links": chosen_links}, indent=2))
    elif as_csv:
        write_csv(chosen_nodes if nodes else chosen_links)
    else:
        show(found, chosen_nodes, chosen_links)


def matches(pattern: str | None, *names: str) -> bool:
    """Whether one of the names matches; a bracket is a bracket."""
    literal = None if pattern is None else pattern.replace("[", "[[]")
    return literal is None or any(fnmatch.fnmatchcase(name, literal) for name in names)


def write_csv(rows: "Sequence[GraphNode] | Sequence[GraphLink]") -> None:
    """Print rows with a header."""
    if rows:
        writer = csv.DictWriter(sys.stdout, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def show(found: Graph, nodes: Sequence[GraphNode], links: Sequence[GraphLink]) -> None:
    """Print both tables, without those that are empty."""
    console = screen.console()
    console.print(found["description"], style="bold", soft_wrap=True)
    if nodes:
        console.print()
        columns = [
            Column("Node", [node["name"] for node in nodes], left=True),
            Column("kind", [node["kind"] for node in nodes], left=True),
            Column("tier", [str(node["tier"]) for node in nodes]),
            Column("links out", [str(node["links"]) for node in nodes]),
        ]
        screen.show(console, columns)
    if links:
        console.print()
        columns = [
            Column("Link", [link["name"] for link in links], left=True),
            Column("class", [link["class"] for link in links], left=True),
            Column("direction", [link["direction"] for link in links], left=True),
            Column("rate", [quantity(link["rate_bps"], "b/s") for link in links]),
            Column("delay", [quantity(link["delay_ps"], "ps") for link in links]),
        ]
        queues = [link["queue_bytes"] for link in links]
        if any(queue is not None for queue in queues):
            columns.append(Column("queue", ["" if queue is None else quantity(queue, "B") for queue in queues]))
        screen.show(console, columns)


@click.command(context_settings=page.SETTINGS, short_help="Draw an experiment's topology as SVG, PNG or PDF.")
@of_experiment
@click.option(
    "--out", type=FILE, metavar="FILE", help="File to write; its extension selects the format (default topology.svg)."
)
def draw(file: Path, overrides: tuple[str, ...], run: str | None, out: Path | None) -> None:
    """Draw the topology of EXPERIMENT: a row for each tier, hosts at the bottom, a line for each cable.

    \b
    Examples:
      gossamer topology draw experiments/quickstart.toml
      gossamer topology draw experiments/quickstart.toml --run shoal --out rack.pdf

    Exit status: 0 done, 2 bad input.
    """
    from gossamer.plots import NoData, save_chart
    from gossamer.plots.canvas import Canvas
    from gossamer.plots.graph import draw_graph

    canvas = Canvas()
    try:
        chart = draw_graph(graph(file, run=run, overrides=overrides), canvas).finish(canvas)
    except NoData as reason:
        raise InputError(f"{file}: cannot be drawn: {reason}") from None
    print(f"wrote {save_chart(chart, out or Path('topology.svg'))}")


@click.command(context_settings=page.SETTINGS, short_help="Write an experiment's topology as node-link JSON.")
@of_experiment
@click.option("--out", type=FILE, metavar="FILE", help="File to write (default: standard output).")
def export(file: Path, overrides: tuple[str, ...], run: str | None, out: Path | None) -> None:
    """Write the topology of EXPERIMENT as node-link JSON, to change it, or for another program.

    `[topology] kind = "file"` reads it, and so does NetworkX (node_link_graph). docs/topology.md has its attributes.
    A file that exists is never overwritten.

    \b
    Examples:
      gossamer topology export experiments/quickstart.toml
      gossamer topology export experiments/quickstart.toml --out network.json

    Exit status: 0 done, 2 bad input.
    """
    text = graph(file, run=run, overrides=overrides)["node_link"]
    if out is None:
        sys.stdout.write(text)
        return
    try:
        with out.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError:
        raise InputError(f"{out}: already exists and is not overwritten: name another file") from None
    except OSError as error:
        raise InputError(f"{out}: cannot be written: {error.strerror}") from None
    print(f'wrote {out}; `[topology]` with kind = "file" and path = "{out.name}" reads it')
