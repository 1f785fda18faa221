"""The one error that bad input causes, and how its message suggests what was meant."""

from collections.abc import Iterable

try:
    from gossamer._native import InputError, nearest
except ModuleNotFoundError as error:
    if error.name != "gossamer._native":
        raise
    raise ImportError("gossamer's Rust core is not built: `make install` in a checkout builds it") from error

# Tracebacks and `except` clauses name it as people import it.
InputError.__module__ = "gossamer"

__all__ = ["InputError", "choices", "cure", "nearest"]


def cure(word: str, names: Iterable[str], otherwise: str | None = None) -> str:
    """What follows "no such thing": the nearest name; failing that `otherwise`, or else all names."""
    known = list(names)
    near = nearest(word, known)
    if near is not None:
        return f"did you mean {near!r}?"
    if otherwise is not None:
        return otherwise
    return choices(known)


def choices(names: Iterable[str]) -> str:
    """Which names are possible: `expected one of incast, poisson and trace`."""
    known = list(names)
    if not known:
        return "there are none"
    return f"expected one of {', '.join(known[:-1])} and {known[-1]}" if len(known) > 1 else f"expected {known[0]}"
