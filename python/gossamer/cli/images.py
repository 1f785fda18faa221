"""How far the writing of images is, for the person who waits for it."""

import sys

from gossamer.plots.export import Progress

__all__ = ["progress"]


def progress() -> Progress | None:
    """A line on a terminal that is written over and over; nothing elsewhere, where it would fill a log."""
    if not sys.stderr.isatty():
        return None

    def show(name: str, done: int, of: int) -> None:
        line = f"plots: {done} of {of}, {name}" if name else ""
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    return show
