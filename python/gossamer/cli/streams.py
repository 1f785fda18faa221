"""Standard input and output as they may be: closed, read by nobody, unable to say what there is to say.

The work of a command does not depend on who listens. A reader that has left, such as `head`, or a terminal that is gone
stops nothing, and the exit status tells how the work ended.
"""

import codecs
import errno
import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

GONE = (errno.EPIPE, errno.EIO, errno.ESHUTDOWN)
"""Nobody reads any more: the reader has left, or the terminal is closed."""
PLAIN = "gossamer.plain"
"""Name of the error handler that says in ASCII what an output cannot say."""
WORDS = {
    "µ": "u",
    "μ": "u",
    "→": "->",
    "\N{MULTIPLICATION SIGN}": "x",
    "\N{EN DASH}": "-",
    "—": "-",
    "…": "...",
    "§": "section ",
    "≤": "<=",
    "≥": ">=",
    "·": "*",
    "±": "+-",
}


def settle() -> None:
    """Have standard input and outputs that can always be written to. Called once, before a command."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number; else a table's file would get it
    codecs.register_error(PLAIN, _plain)
    sys.stdin = sys.stdin or open(0, closefd=False, encoding="utf-8")  # noqa: SIM115 - it stays open
    sys.stdout = _writer(1, sys.stdout, _Listener)
    sys.stderr = _writer(2, sys.stderr, _Bystander)


def leave_output_alone() -> None:
    """Keep the interpreter from writing to an output that no longer takes anything, when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


class _Listener(io.FileIO):
    """Standard output: whoever has left does not get the rest. Any other failure, as on a full disk, is one."""

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            if error.errno not in GONE:
                raise
            return memoryview(data).nbytes


class _Bystander(io.FileIO):
    """Standard error: what it does not take is lost, whatever the reason, for there is nowhere else to say so."""

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def _writer(number: int, given: TextIO | None, raw: type[io.FileIO]) -> TextIO:
    """A stream to file descriptor `number`, in the encoding of the one that the interpreter has made."""
    if given is not None:
        given.flush()
    file = raw(number, "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(file),
        encoding=given.encoding if given is not None else "utf-8",
        errors=PLAIN,
        line_buffering=number == 2 or file.isatty(),
    )


def _plain(error: UnicodeError) -> tuple[str, int]:
    """What to say for characters that cannot be encoded; bytes of a name that is not UTF-8 by their numbers."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    said = [WORDS.get(each) or _byte(each) or "?" for each in error.object[error.start : error.end]]
    return "".join(said), error.end


def _byte(character: str) -> str:
    """A byte that the interpreter keeps as a lone surrogate (PEP 383), as `\\xe9`."""
    code = ord(character)
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else ""
