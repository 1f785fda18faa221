"""`gossamer topology`: circuits for a demand. One module a system has its command."""

import click

from gossamer.cli import page, screen
from gossamer.cli.topology_xfabric import xfabric


@click.group(
    cls=page.Book,
    context_settings=page.SETTINGS,
    invoke_without_command=True,
    subcommand_metavar="[SYSTEM] [ARGS]...",
    short_help="Circuits, forwarding tables and uplinks for a demand.",
)
@click.pass_context
def topology(context: click.Context) -> None:
    """Find a topology for a demand: which circuits to set, and how to forward over them. Nothing is simulated.

    Without a SYSTEM, those that are there are listed.

    \b
    Examples:
      gossamer topology
      gossamer topology xfabric --demand demand.csv
      gossamer topology xfabric --demand demand.csv --out rack

    Files, settings and what is written: docs/topology.md.
    """
    if context.invoked_subcommand is not None:
        return
    screen.console().print("xfabric  " + (xfabric.short_help or ""), soft_wrap=True)


topology.add_command(xfabric)
