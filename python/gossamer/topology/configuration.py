"""A configuration of circuit switches for a demand: circuits, forwarding tables, uplinks. See docs/topology.md."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias, TypedDict, cast

from gossamer import _native
from gossamer.errors import InputError
from gossamer.plan import Setting
from gossamer.topology.study import written

File: TypeAlias = str | Path
Rows: TypeAlias = Sequence[Sequence[float]]
"""A square matrix of bytes: row by source, column by destination."""


class Plug(TypedDict):
    """Where a SoC's port hangs."""

    crosspoint: str
    port: str


class Circuit(TypedDict):
    """Two ports of a crosspoint, joined; the lesser SoC first."""

    ports: list[str]
    socs: list[str]
    soc_ports: list[int]
    bytes: int
    turn: int
    new: bool


class Crosspoint(TypedDict):
    """A crosspoint: what it sets, and pairs of its ports that the previous configuration joined and this one not."""

    name: str
    circuits: list[Circuit]
    removed: list[list[str]]


class Fixed(TypedDict):
    """A cable between ports of two crosspoints that stays."""

    socs: list[str]
    soc_ports: list[int]
    plugs: list[Plug]


class Uplink(TypedDict):
    """An uplink, the SoC that has it, and who uses it."""

    uplink: int
    soc: str
    ports: list[int]
    bytes: int
    used_by: list[str]


class Forwarding(TypedDict):
    """A SoC's table: by destination, the ports that lead there."""

    soc: str
    gateway: str | None
    neighbours: list[str | None]
    toward: list[list[int]]


class Summary(TypedDict):
    """What the topology does to the demand; None without such traffic, or if some of it has no path."""

    bytes: int
    uplink_bytes: int
    circuits: int
    trees: int
    connected: bool
    diameter: int | None
    path_length: float | None
    random_path_length: float | None
    previous_path_length: float | None
    uplink_path_length: float | None
    direct: float | None
    direct_at_most: float | None


class Changes(TypedDict):
    """Circuits that differ from the previous configuration, and its version."""

    version: int
    added: int
    removed: int
    kept: int


class Input(TypedDict):
    """Settings."""

    soc_ports: int
    crosspoints: int
    uplinks: int
    weight: float
    ties: str
    seed: int
    fixed_circuits: bool
    failed: list[str]


class DemandRecord(TypedDict):
    """The averaged demand by SoCs' numbers: from, to, bytes; traffic into and out of the rack included."""

    inside: list[tuple[int, int, int]]
    sent: list[int]
    received: list[int]


class Configuration(TypedDict):
    """All that a controller needs to re-cable a rack."""

    format: str
    version: int
    input: Input
    socs: list[str]
    wiring: list[list[Plug | None]]
    crosspoints: list[Crosspoint]
    fixed_circuits: list[Fixed]
    uplinks: list[Uplink]
    forwarding: list[Forwarding]
    update_bytes: int
    summary: Summary
    changes: Changes | None
    demand: DemandRecord
    warnings: list[str]


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
