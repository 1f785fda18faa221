"""How a command ends: one message and one of a few exit statuses, never a traceback for bad input."""

import errno
import sys
from collections.abc import Sequence

import click
from click.exceptions import NoArgsIsHelpError

from gossamer.cli import signals
from gossamer.cli.streams import leave_output_alone
from gossamer.errors import InputError

DONE = 0
FAILED = 1
"""A claim or a run failed: the outcome of the work, not a mistake in the command."""
BAD_INPUT = 2
"""The input is wrong, or results could not be written."""


def ended(command: click.Command, arguments: Sequence[str] | None) -> int:
    """Carry out a command; returns its exit status."""
    try:
        with signals.heard():
            words = list(sys.argv[1:] if arguments is None else arguments)
            for word in words:
                refuse_other_than_text(word)
            status = command.main(args=words, prog_name="gossamer", standalone_mode=False)
            sys.stdout.flush()
    except NoArgsIsHelpError as error:
        print(error.format_message())
        return DONE
    except click.ClickException as error:
        complain(error.format_message())
        context = getattr(error, "ctx", None)
        if context is not None:
            print(f"see `{context.command_path} --help`", file=sys.stderr)
        return BAD_INPUT
    except InputError as error:
        complain(str(error))
        return BAD_INPUT
    except (KeyboardInterrupt, click.Abort):
        print("stopped", file=sys.stderr)
        return signals.status()
    except OSError as error:
        complain(what_failed(error))
        if error.errno == errno.ENOSPC:
            leave_output_alone()
        return BAD_INPUT
    return status if isinstance(status, int) else DONE


def refuse_other_than_text(word: str) -> None:
    """Refuse what is not UTF-8: names of files end up in tables, reports and JSON, which are."""
    try:
        word.encode("utf-8")
    except UnicodeEncodeError:
        shown = word.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        raise InputError(f"{shown}: is not UTF-8 text: rename the file or folder") from None


def complain(message: str) -> None:
    """Print one message on standard error."""
    print(f"error: {message}", file=sys.stderr)


def what_failed(error: OSError) -> str:
    """A system call's failure in one sentence."""
    where = error.filename if isinstance(error.filename, str) else "the output"
    return f"{where}: {error.strerror or error}"
