"""How a command ends: one message and one of four exit statuses, never a traceback for bad input."""

import errno
import os
import sys
from collections.abc import Sequence

import click

from gossamer.errors import InputError

DONE = 0
FAILED = 1
"""A claim or a run failed: a result of the work, not of how it was asked for."""
BAD_INPUT = 2
STOPPED = 130
"""By Ctrl-C: 128 and the signal's number, as shells count."""


def ended(command: click.Command, arguments: Sequence[str] | None) -> int:
    """Carry out a command and say how it ended."""
    try:
        status = command.main(args=arguments, prog_name="gossamer", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        complain(error.format_message())
        context = getattr(error, "ctx", None)
        if context is not None:
            print(f"`{context.command_path} --help` says more", file=sys.stderr)
        return BAD_INPUT
    except InputError as error:
        complain(str(error))
        return BAD_INPUT
    except (KeyboardInterrupt, click.Abort):
        print("stopped", file=sys.stderr)
        return STOPPED
    except BrokenPipeError:
        leave_output_alone()
        return DONE
    except OSError as error:
        complain(what_failed(error))
        if error.errno == errno.ENOSPC:
            leave_output_alone()
        return BAD_INPUT
    return status if isinstance(status, int) else DONE


def complain(message: str) -> None:
    """One message to the person, where scripts do not read."""
    print(f"error: {message}", file=sys.stderr)


def what_failed(error: OSError) -> str:
    """A system call's failure in one sentence."""
    where = error.filename if isinstance(error.filename, str) else "the output"
    return f"{where}: {error.strerror or error}"


def leave_output_alone() -> None:
    """Keep the interpreter from writing to an output that no longer takes anything, when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
