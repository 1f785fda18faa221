"""Signals that stop a command: Ctrl-C, and those that schedulers, containers and closing terminals send."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ASKED = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
"""They do what Ctrl-C does, once: who sends them sends them twice, and SIGKILL when it has lost its patience."""

_first: list[int] = []


@contextmanager
def heard() -> Iterator[None]:
    """Meanwhile SIGTERM and SIGHUP raise `KeyboardInterrupt`. One that is ignored stays so, as under `nohup`."""
    _first.clear()
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in ASKED:
            if signal.getsignal(number) == signal.SIG_DFL:
                before[number] = signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    if not _first:
        _first.append(number)
        raise KeyboardInterrupt


def status() -> int:
    """The exit status of a command that was stopped: 128 and the signal's number, as shells count."""
    return 128 + (_first[0] if _first else signal.SIGINT)
