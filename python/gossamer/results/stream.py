"""Reading one Arrow IPC stream, whole or cut, without copying it."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from gossamer.results.columns import schema

__all__ = ["Stream", "read"]

END = b"\xff\xff\xff\xff\x00\x00\x00\x00"
"""What a writer puts last: a message of length zero (Arrow columnar format, "IPC streaming format")."""


@dataclass(frozen=True, slots=True)
class Stream:
    """The rows that could be read."""

    table: pa.Table
    complete: bool
    """The writer reached its end; false where the stream was cut, at whatever byte."""


def read(source: Path | bytes, name: str) -> Stream:
    """Read the stream of table `name` from a file, which is mapped into memory, or from bytes. Nothing is copied.

    A stream that is cut, as it is when a run was killed, gives the rows of every batch that is whole. One that is cut
    before its first batch gives an empty table with the columns of `name`.
    """
    size = source.stat().st_size if isinstance(source, Path) else len(source)
    if size == 0:  # cannot be mapped
        return Stream(schema(name).empty_table(), complete=False)
    memory: pa.NativeFile
    memory = pa.memory_map(str(source)) if isinstance(source, Path) else pa.BufferReader(source)
    try:
        reader = pa.ipc.open_stream(memory)
    except (pa.ArrowInvalid, OSError):
        return Stream(schema(name).empty_table(), complete=False)
    batches: list[pa.RecordBatch] = []
    ended = False
    try:
        for batch in reader:
            batches.append(batch)  # one by one: what was read before an error is kept
        memory.seek(size - len(END))
        ended = memory.read(len(END)) == END
    except (pa.ArrowInvalid, OSError):
        pass  # cut within a batch
    return Stream(pa.Table.from_batches(batches, reader.schema), ended)
