"""A configuration of circuit switches for a demand: circuits, forwarding tables, uplinks. See docs/topology.md."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias, cast

from gossamer import _native
from gossamer.errors import InputError
from gossamer.plan import Setting
from gossamer.topology.study import written
from gossamer.types import XFabricConfiguration as Configuration

File: TypeAlias = str | Path
Rows: TypeAlias = Sequence[Sequence[float]]
"""A square matrix of bytes: row by source, column by destination."""


def xfabric(
    demand: File | Rows,
    *,
    previous: File | Configuration | None = None,
    wiring: File | None = None,
    failed: Sequence[str] = (),
    **settings: Setting,
) -> Configuration:
    """Choose circuits for a demand, as XFabric's controller does.

    Args:
        demand: A file of bytes, a square matrix or `source,destination,bytes`; or the rows of a matrix.
        previous: The configuration in force, or the file with it: demand is averaged with what that was for, circuits
            that change are told, and what is not set is as it was there.
        wiring: A file `soc,port,crosspoint,crosspoint_port`. Without, port `i` of every SoC hangs on crosspoint `i`.
        failed: SoCs, and ports of SoCs as `name:port`, that are out of order.
        settings: As docs/topology.md names them.

    Raises:
        InputError: A file or a setting is wrong; the message says where, and what is expected.
    """
    latest = text(demand) if isinstance(demand, str | Path) else ("demand", rows(demand))
    before = None
    if previous is not None:
        before = text(previous) if isinstance(previous, str | Path) else ("previous", json.dumps(previous))
    wired = None if wiring is None else text(wiring)
    found = _native.xfabric_configure(latest, wired, before, list(failed), written(settings))
    return cast("Configuration", json.loads(found))


def text(file: File) -> tuple[str, str]:
    """A file's name and what is in it."""
    try:
        return str(file), Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: byte {error.start} is not UTF-8 text; save it as UTF-8") from None


def rows(matrix: Rows) -> str:
    """The rows of a matrix as a file has them."""
    return "\n".join(",".join(str(entry) for entry in row) for row in matrix)
