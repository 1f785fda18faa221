"""Packet-processing data paths, clock by clock: how much of their lines they keep up with.

    from gossamer import pipeline
    pipeline.throughput(["reference-switch", "packed-cells"], [64, 65, 1518])       # rows, as dicts
    pipeline.lowest_clock_hz("reference-switch", [64, 65, 1518])                    # 177000000

Without settings this is NetFPGA SUME as §6.1.1 of the Stardust paper has it; docs/pipeline.md says what is modelled.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict, Unpack, cast, get_type_hints

from gossamer import _native
from gossamer.errors import InputError, cure
from gossamer.types import PipelineMeasured, PipelineMix
from gossamer.types import PipelineTally as Tally

__all__ = ["DESIGNS", "MIXES", "Part", "Row", "Settings", "Tally", "lowest_clock_hz", "throughput"]

DESIGNS = ("reference-switch", "ndp-switch", "cells", "packed-cells")
"""Whole packets; the same, NDP packets taking a clock more; packets padded to whole cells; credits packed in cells."""


class Part(NamedTuple):
    """Some packets of a mix: evenly between two sizes in bytes, both included; `weight` compares it with the others."""

    smallest: int
    largest: int
    weight: int


class Settings(TypedDict, total=False):
    """What can be said of a data path. Sizes and rates have their unit: `"32 B"`, `"10 Gb/s"`."""

    traffic: str
    """`ndp` (without a word) or `tcp`; only `ndp-switch` tells them apart."""
    lines: str
    """What the lines carry: `packets`, or `cells` where the design moves cells."""
    ports: int
    line_rate: str
    gap: str
    """Preamble, start of frame and gap: 20 B."""
    width: str
    """Width of the data path: what moves in a clock."""
    clock_hz: float
    lookup_clocks: int
    """Clocks between the starts of two table look-ups."""
    cell: str
    """Size of a cell, header included."""
    cell_header: str
    credit: str
    """What a credit releases."""
    idle_inputs: int
    """Inputs of the arbiter that never have anything."""
    polls: bool
    """Whether the arbiter takes a clock to pass over an empty input."""
    output_hold: int
    """Clocks for which the output queues hold the first word."""
    pauses: bool
    """Whether a line waits when its port is full; else what comes is dropped."""
    port_buffer: str
    warmup_clocks: int
    clocks: int
    """Clocks of the measured window."""


class Row(PipelineMeasured):
    """What one data path has given."""

    design: str
    size: int | str
    """Size in bytes, or a mix's name."""


def throughput(
    design: str | Iterable[str],
    size: int | str | Iterable[int | str],
    *,
    seed: int = 1,
    mixes: Mapping[str, Sequence[Part]] | None = None,
    **settings: Unpack[Settings],
) -> list[Row]:
    """Run data paths clock by clock.

    Args:
        design: One of `DESIGNS`, or several.
        size: Packets' size in bytes, check sequence included, or a name of `MIXES`; or several.
        seed: What sizes of a mix are drawn from.
        mixes: Mixes of your own, by name.
        settings: What differs from NetFPGA SUME at 150 MHz; see `Settings`.

    Raises:
        InputError: Something is not possible; the message says what, and what is.
    """
    designs = [design] if isinstance(design, str) else list(design)
    sizes = [size] if isinstance(size, int | str) else list(size)
    asked = [(one, of) for one in designs for of in sizes]
    known = {**MIXES, **(mixes or {})}
    specs = [_spec(one, _mix(of, known), settings) for one, of in asked]
    found = cast("list[PipelineMeasured]", json.loads(_native.pipeline_run(json.dumps(specs), _whole("seed", seed))))
    return [{"design": one, "size": of, **measured} for (one, of), measured in zip(asked, found, strict=True)]


def lowest_clock_hz(
    design: str,
    sizes: Iterable[int],
    *,
    step_hz: float = 1e6,
    most_hz: float = 1e9,
    seed: int = 1,
    **settings: Unpack[Settings],
) -> int | None:
    """The lowest multiple of `step_hz` at which the clocked model keeps up at every size; None above `most_hz`.

    Raises:
        InputError: Something is not possible; the message says what, and what is.
    """
    wanted = [_whole("size in bytes", size) for size in sizes]
    for key, value in (("step_hz", step_hz), ("most_hz", most_hz)):
        if not value >= 1:
            raise InputError(f"{key}: {value:g} is not possible; at least 1 is expected")
    search = {
        "spec": _spec(design, _mix(64, {}), settings),
        "sizes": wanted,
        "step_hz": int(step_hz),
        "most_hz": int(most_hz),
    }
    return _native.pipeline_lowest_clock(json.dumps(search), _whole("seed", seed))


def _spec(design: str, mix: list[dict[str, int]], settings: Mapping[str, Any]) -> dict[str, Any]:
    """A data path as the core reads it."""
    if design not in DESIGNS:
        raise InputError(f"no design {design!r}: {cure(design, DESIGNS)}")
    for key in settings:
        if key not in KEYS:
            raise InputError(f"no setting {key!r}: {cure(key, KEYS)}")
    spec = {"design": design, "mix": mix, **settings}
    if "clock_hz" in spec:
        spec["clock_hz"] = _whole("clock_hz", spec["clock_hz"])
    return spec


def _mix(size: int | str, known: Mapping[str, Sequence[Part]]) -> list[dict[str, int]]:
    """One size, or a mix by its name, as the core reads it."""
    parts: Sequence[Part] = [Part(_whole("size in bytes", size), int(size), 1)] if isinstance(size, int) else []
    if isinstance(size, str):
        if size not in known:
            raise InputError(f"no mix {size!r}: {cure(size, known)}")
        parts = known[size]
    return [{"from": smallest, "to": largest, "weight": weight} for smallest, largest, weight in parts]


def _whole(key: str, value: float) -> int:
    """A whole number, of which the core says what bounds it has."""
    if isinstance(value, bool) or not 0 <= value < 2**64 or int(value) != value:
        raise InputError(f"{key}: {value} is not possible; a whole number is expected")
    return int(value)


KEYS = tuple(get_type_hints(Settings))

MIXES: Mapping[str, Sequence[Part]] = {
    mix["name"]: [Part(part["from"], part["to"], part["weight"]) for part in mix["parts"]]
    for mix in cast("list[PipelineMix]", json.loads(_native.pipeline_mixes()))
}
"""Mixes of packet sizes, by name: what is published of the traces of Roy et al. (SIGCOMM 2015), filled in by us."""
