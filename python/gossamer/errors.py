"""The one error that a person's input can cause, and how its message names what was meant."""

import difflib
from collections.abc import Iterable

try:
    from gossamer._native import InputError
except ModuleNotFoundError as error:
    if error.name != "gossamer._native":
        raise
    raise ImportError("gossamer's Rust core is not built: `make install` in a checkout builds it") from error

# Tracebacks and `except` clauses name it as people import it.
InputError.__module__ = "gossamer"

__all__ = ["InputError", "cure"]


def cure(word: str, names: Iterable[str], otherwise: str | None = None) -> str:
    """What follows "there is no such thing": the nearest name, or else all names, or else what is said instead."""
    known = list(names)
    close = difflib.get_close_matches(word, known, n=1)
    if close:
        return f"did you mean {close[0]!r}?"
    if otherwise is not None:
        return otherwise
    if len(known) < 2:
        return f"there is {known[0] if known else 'none'}"
    return f"there are {', '.join(known[:-1])} and {known[-1]}"
