"""`gossamer new`: write a commented experiment file to start from."""

import sys
from pathlib import Path

import click

from gossamer import _native
from gossamer.cli import completion, page
from gossamer.errors import InputError

KINDS = (
    "minimal",
    "permutation",
    "poisson",
    "incast",
    "all-reduce",
    "collectives",
    "stardust",
    "shoal",
    "xfabric",
    "r2c2",
    "fastpod",
    "an3",
    "failures",
    "trace",
)
"""What the core has templates of; the first is for who does not say."""


@click.command(context_settings=page.SETTINGS, short_help="Write a commented experiment file to start from.")
@click.argument("kind", required=False, shell_complete=completion.kinds)
@click.argument("file", required=False, type=click.Path(path_type=Path))
def new(kind: str | None, file: Path | None) -> None:
    """Write a commented experiment file of KIND (default minimal) to FILE (default KIND.toml).

    An existing file is never overwritten. If FILE is `-`, the text is printed. The kind trace also writes flows.csv,
    which its experiment reads.

    \b
    Kinds:
      minimal        the shortest file that runs
      permutation    every host to one other: how well routing balances load
      poisson        flows at random times: completion times against load
      incast         many hosts answer one at once
      all-reduce     ring and tree, as in distributed training
      collectives    an all-reduce and an all-to-all over four networks
      stardust       a scheduled cell fabric compared with Ethernet
      shoal          a rack of circuit switches as load rises
      xfabric        a rack that rewires itself, compared with a torus
      r2c2           a torus whose nodes forward packets and compute rates
      fastpod        a pod of switches without buffers, compared with DCTCP
      an3            circuits of time slots, set up for each flow
      failures       a cable and a switch that fail
      trace          your own flows, from a file

    \b
    Examples:
      gossamer new                       minimal.toml in this folder
      gossamer new mine.toml             the same under another name
      gossamer new incast                incast.toml: another kind
      gossamer new incast mine.toml
    """
    if kind is not None and file is None and (kind == "-" or kind.endswith(".toml")):
        file, kind = Path(kind), None
    kind = kind or KINDS[0]
    text = _native.template(kind)
    if file == Path("-"):
        sys.stdout.write(text)
        return
    target = file or Path(f"{kind}.toml")
    if not write(target, text):
        raise InputError(f"{target}: already exists and is not overwritten: name another file")
    companion = _native.template_companion(kind)
    if companion is not None:
        name, contents = companion
        beside = target.with_name(name)
        print(f"wrote {beside}" if write(beside, contents) else f"kept the existing {beside}")
    print(f"wrote {target}; `gossamer check {target}` shows what it runs")


def write(target: Path, text: str) -> bool:
    """Write a new file; false if there is one of this name already."""
    try:
        with target.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError:
        return False
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}") from None
    return True
