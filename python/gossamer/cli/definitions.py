"""`gossamer schema` and `gossamer reference`: what an experiment file may say."""

import click

from gossamer import _native
from gossamer.cli import page


@click.command(context_settings=page.SETTINGS)
def schema() -> None:
    """Print the JSON Schema of experiment files.

    Editors complete and check with it: save it and name it in the file's first line, as the examples do.

    \b
    Example:
      gossamer schema > experiment.schema.json
      # mine.toml begins: #:schema experiment.schema.json
    """
    print(_native.schema())


@click.command(context_settings=page.SETTINGS, short_help="Print every key of an experiment file, as Markdown.")
def reference() -> None:
    """Print every key of an experiment file with its meaning, unit and default, as Markdown.

    \b
    Example:
      gossamer reference | less
    """
    print(_native.reference(), end="")
