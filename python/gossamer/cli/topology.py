"""`gossamer topology`: the graph of an experiment, and circuits for a demand."""

import click

from gossamer.cli import page
from gossamer.cli.topology_graph import draw, export, list_
from gossamer.cli.topology_xfabric import xfabric


@click.group(
    cls=page.Book,
    context_settings=page.SETTINGS,
    invoke_without_command=True,
    subcommand_metavar="[COMMAND] [ARGS]...",
    short_help="An experiment's nodes and links by name; circuits for a demand.",
)
@click.pass_context
def topology(context: click.Context) -> None:
    """List, draw or export the topology of an experiment, or choose the circuits of a rack for a demand.

    Nothing is simulated.

    \b
    Examples:
      gossamer topology list experiments/quickstart.toml
      gossamer topology draw experiments/quickstart.toml --out quickstart.svg
      gossamer topology export experiments/quickstart.toml --out network.json
      gossamer topology xfabric --demand demand.csv --out rack

    Files, settings and what is written: docs/topology.md.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (list_, draw, export, xfabric):
    topology.add_command(command)
