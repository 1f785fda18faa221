"""Shoal's schedule, its circuit switches and its cell header, by themselves.

    from gossamer import shoal
    shoal.examine(nodes=512, channels=4, ports=64)["decomposes"]         # True
    shoal.Header(source=3, destination=9, sequence=17).encode(b"payload").hex()

What is modelled, and where the paper leaves things open: papers/shoal/README.md.
"""

import json
from dataclasses import astuple, dataclass
from typing import cast

from gossamer import _native
from gossamer.errors import InputError
from gossamer.types import ShoalExamination as Examination
from gossamer.types import ShoalHeaderWidths, ShoalOrder

__all__ = ["Examination", "Header", "examine", "widths"]


def examine(nodes: int, channels: int = 1, ports: int = 64, schedule: ShoalOrder = "rearranged") -> Examination:
    """Go through an epoch (Shoal §3.2, App. A). `InputError` if `ports` do not join `nodes`, or for another order."""
    try:
        found = _native.shoal_examine(nodes, channels, ports, schedule)
    except _native.InputError as error:
        raise InputError(str(error)) from None
    return cast("Examination", json.loads(found))


def widths(nodes: int = 512) -> ShoalHeaderWidths:
    """Bits of each field of a cell's header, for a rack of so many nodes (Fig. 5)."""
    try:
        return cast("ShoalHeaderWidths", json.loads(_native.shoal_header_widths(nodes)))
    except _native.InputError as error:
        raise InputError(str(error)) from None


@dataclass(frozen=True, slots=True)
class Header:
    """A cell's header, without its CRC (Fig. 5)."""

    source: int
    destination: int
    sequence: int = 0
    feedback: int = 0
    start: bool = False
    end: bool = False
    last_dropped: bool = False

    def encode(self, payload: bytes = b"", *, nodes: int = 512) -> bytes:
        """The eight bytes on the wire. `InputError` if a field does not hold its value."""
        numbers = list(astuple(self))
        try:
            return bytes(_native.shoal_header_encode(nodes, numbers[:4], numbers[4:], payload))
        except _native.InputError as error:
            raise InputError(str(error)) from None

    @staticmethod
    def decode(header: bytes, payload: bytes = b"", *, nodes: int = 512) -> "Header | None":
        """What eight bytes say; None if the CRC does not fit them and the payload."""
        if len(header) != 8:
            raise InputError(f"a header has 8 bytes, not {len(header)}")
        read = _native.shoal_header_decode(nodes, header, payload)
        if read is None:
            return None
        (source, destination, sequence, feedback), (start, end, last_dropped) = read
        return Header(source, destination, sequence, feedback, start, end, last_dropped)
