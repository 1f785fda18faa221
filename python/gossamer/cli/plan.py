"""`gossamer plan`: closed forms. One module a system has its command; here is what they share."""

import click

from gossamer.cli import page, screen
from gossamer.cli.plan_an3 import an3
from gossamer.cli.plan_compare import compare
from gossamer.cli.plan_fastpod import fastpod
from gossamer.cli.plan_shoal import shoal
from gossamer.cli.plan_stardust import stardust
from gossamer.cli.plan_xfabric import xfabric
from gossamer.plan import systems


@click.group(
    cls=page.Book,
    context_settings=page.SETTINGS,
    invoke_without_command=True,
    subcommand_metavar="[SYSTEM] [ARGS]...",
    short_help="Sizes, devices, links, cost, power and recovery, in closed form.",
)
@click.pass_context
def plan(context: click.Context) -> None:
    """Compute what a network consists of, what it costs and how it recovers, in closed form; nothing is simulated.

    Without SYSTEM, list the systems that can be planned.

    \b
    Examples:
      gossamer plan
      gossamer plan stardust --hosts 20000
      gossamer plan shoal --nodes 1024
      gossamer plan xfabric --socs 256
      gossamer plan fastpod --ports 16
      gossamer plan an3 --servers 60000
      gossamer plan compare --hosts 10000 --rate '100 Gb/s'

    Settings, units and formulas: docs/planner.md.
    """
    if context.invoked_subcommand is not None:
        return
    console = screen.console()
    widest = max(len(system["name"]) for system in systems())
    for system in systems():
        console.print(f"{system['name']:<{widest}}  {system['summary']}", soft_wrap=True)
    console.print("`gossamer plan SYSTEM` plans one, `gossamer plan compare` all for the same hosts", soft_wrap=True)


for command in (stardust, shoal, xfabric, fastpod, an3, compare):
    plan.add_command(command)
