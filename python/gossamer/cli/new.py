"""`gossamer new`: write a commented experiment file to start from."""

import sys
from pathlib import Path

import click

from gossamer import _native
from gossamer.cli import completion, page
from gossamer.errors import InputError

KINDS = ("minimal", "permutation", "poisson", "incast", "all-reduce", "trace")
"""What the core has templates of; the first is for who does not say."""


@click.command(context_settings=page.SETTINGS, short_help="Write a commented experiment file to start from.")
@click.argument("kind", required=False, shell_complete=completion.kinds)
@click.argument("file", required=False, type=click.Path(path_type=Path))
def new(kind: str | None, file: Path | None) -> None:
    """Write a commented experiment file of KIND (minimal, if not given) to FILE (KIND.toml, if not given).

    KIND is minimal, permutation, poisson, incast, all-reduce or trace. A file that exists is never overwritten. With
    `-` as FILE the text is printed.

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
    try:
        with target.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError:
        raise InputError(f"{target}: exists, and nothing is overwritten: name another file") from None
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}") from None
    print(f"wrote {target}; `gossamer check {target}` says what it runs")
