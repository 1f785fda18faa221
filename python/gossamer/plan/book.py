"""A person's own book of prices and power of parts."""

import tomllib
from pathlib import Path
from typing import Any

from gossamer.errors import InputError, cure

EDITIONS = ("paper", "modern", "none")
"""What `prices` may be, other than a file."""


def laid_out(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings in which a file under `prices` is read: its entries come before those of the papers.

    Raises:
        InputError: There is no such file, or it has no entries.
    """
    named = settings.get("prices")
    if named is None or named in EDITIONS:
        return settings
    file = Path(str(named))
    if not file.is_file():
        hint = cure(str(named), EDITIONS, "expected paper, modern, none, or a TOML file of prices")
        raise InputError(f"prices = {named}: no such file; {hint}")
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {error}") from None
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from None
    entries = found.pop("entry", None)
    if found or not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        wrong = next(iter(found), None)
        what = "no [[entry]] tables" if wrong is None else f"unknown key {wrong!r}"
        raise InputError(f"{file}: {what}; expected [[entry]] tables as in docs/planner.md")
    dated = [{key: str(value) if key == "date" else value for key, value in entry.items()} for entry in entries]
    others = {key: value for key, value in settings.items() if key != "prices"}
    return {**others, "book": dated}
