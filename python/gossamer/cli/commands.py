"""The list of commands."""

import click

from gossamer import _native
from gossamer.cli.arbiter import arbiter
from gossamer.cli.check import check
from gossamer.cli.compare import compare
from gossamer.cli.definitions import reference, schema
from gossamer.cli.examples import examples
from gossamer.cli.listing import list_
from gossamer.cli.new import new
from gossamer.cli.page import SETTINGS, Book
from gossamer.cli.plan import plan
from gossamer.cli.report import report
from gossamer.cli.reproduce import reproduce
from gossamer.cli.run import run
from gossamer.cli.topology import topology


@click.group(
    cls=Book,
    context_settings=SETTINGS,
    epilog="""Exit status: 0 done, 1 a run or a claim failed, 2 something in the input is wrong or results could not be
    written, 128 + N stopped by signal N (130: Ctrl-C, 143: SIGTERM). Error messages go to standard error and begin
    with `error:`.

    Completion of commands, files, keys, papers and claims: `eval "$(_GOSSAMER_COMPLETE=bash_source gossamer)"` in
    ~/.bashrc; zsh and fish: docs/command-line.md.""",
)
@click.version_option(_native.version(), "-V", "--version", prog_name="gossamer", message="%(prog)s %(version)s")
def commands() -> None:
    """Gossamer, a laboratory for data-centre fabrics.

    An experiment file describes hosts, switches and the traffic that they carry; `gossamer run` simulates it packet by
    packet and writes a results folder with tables and a report.

    \b
    To get started:
      gossamer new                          write a commented experiment file, minimal.toml
      gossamer check minimal.toml           what it would run, and what that would cost
      gossamer run minimal.toml             run it and print where the report is
      gossamer compare results/a results/b  what differs between two results folders
      gossamer examples                     experiments that come with Gossamer, to copy
      gossamer list                         what else a file can use
      gossamer reproduce stardust           check the claims of a published paper
      gossamer plan stardust                what a fabric consists of and costs, without simulating it
      gossamer topology xfabric             circuits of optical or crosspoint switches for your demand
      gossamer arbiter serve                hand out time slots to the hosts of a zero-buffer pod
    """


for command in (
    run,
    check,
    report,
    compare,
    list_,
    new,
    examples,
    schema,
    reference,
    reproduce,
    plan,
    topology,
    arbiter,
):
    commands.add_command(command)
