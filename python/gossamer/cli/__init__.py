"""The command line: `gossamer`.

One module a command; `page` says how help looks, `exits` how a command ends, `streams` and `signals` how it lives with
those around it, `completion` what a shell completes.
"""

import sys
from collections.abc import Sequence
from typing import NoReturn

from gossamer.cli import streams
from gossamer.cli.commands import commands
from gossamer.cli.exits import ended

__all__ = ["commands", "main"]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command and end the process with its exit status."""
    streams.settle()
    sys.exit(ended(commands, arguments))
