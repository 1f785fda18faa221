"""Vega for the report: taken out of vl-convert, which takes longer than all else, and cached for the next report."""

import base64
import gzip
import hashlib
import os
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import vl_convert

__all__ = ["packed", "vega"]


@cache
def vega(carrier: str) -> str:
    """Vega alone, packed: charts are compiled from Vega-Lite beforehand, so the page does without its compiler.

    `carrier` is the version of vl-convert. Its bundler works for more than a second, so what it made is in the
    user's cache, `$XDG_CACHE_HOME/gossamer` or `~/.cache/gossamer`, where that can be written.
    """
    program = _program(carrier)
    file = _cache_file(f"vega {carrier} {program}")
    found = None if file is None else _read(file)
    if found is None:
        found = packed(bundled(carrier))
        if file is not None:
            _write(file, found)
    return found


def bundled(carrier: str) -> str:
    """Vega as a script, from vl-convert."""
    return vl_convert.javascript_bundle(_program(carrier))


def packed(text: str) -> str:
    """Compressed, as characters that HTML can hold; the page unpacks it with the browser's own means."""
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _program(carrier: str) -> str:
    """What to bundle.

    vl-convert carries Vega as a module under the address it was taken from, and never asks the network for it. Where
    1.9 keeps it is known; from any other version, Vega is taken from the whole of Vega-Embed, which is half as large
    again.
    """
    if not carrier.startswith("1.9."):
        return "window.vega = vegaEmbed.vega;"
    module = f"https://cdn.jsdelivr.net/npm/vega@{vl_convert.get_vega_version()}/+esm.js"
    return f'import {{ View, parse }} from "{module}"; window.vega = {{ View, parse }};'


def _cache_file(what: str) -> Path | None:
    """The file in the user's cache for what is made of `what`; None if the user has no place for one."""
    place = os.environ.get("XDG_CACHE_HOME", "")
    try:
        folder = Path(place) if Path(place).is_absolute() else Path.home() / ".cache"
    except RuntimeError:
        return None
    return folder / "gossamer" / f"vega-{_digest(what)[:16]}"


def _read(file: Path) -> str | None:
    """What is cached, unless it is not what was written: a digest is before it."""
    try:
        digest, _, content = file.read_text(encoding="ascii").partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return content if digest == _digest(content) else None


def _write(file: Path, content: str) -> None:
    """Cache it: the whole of it or nothing, and nothing where that is not possible."""
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        number, part = tempfile.mkstemp(dir=file.parent, prefix=".")
        os.close(number)
        try:
            Path(part).write_text(f"{_digest(content)}\n{content}", encoding="ascii")
            Path(part).replace(file)
        except OSError:
            Path(part).unlink()
            raise


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
