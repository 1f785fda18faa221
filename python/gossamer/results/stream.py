"""Reading one Arrow IPC stream, whole, cut or damaged.

A table that was finished has its digest in the manifest. Where its bytes are still those, it is mapped into memory
and nothing is copied. Any other file is not trusted: Arrow's readers follow lengths and offsets that one flipped bit
can lead out of the file, so its framing is gone through first, it is read from a copy, and every value is validated.
"""

import hashlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from os import stat_result
from pathlib import Path

import pyarrow as pa

from gossamer.results.columns import schema

__all__ = ["Digest", "Stream", "read"]

END = b"\xff\xff\xff\xff\x00\x00\x00\x00"
"""What a writer puts last: a message of length zero (Arrow columnar format, "IPC streaming format")."""
CONTINUATION = b"\xff\xff\xff\xff"
TAIL = ".tail"
"""Ending of the file that holds the rows of an unfinished table that fill no batch yet."""


@dataclass(frozen=True, slots=True)
class Digest:
    """What the manifest says of a finished table's file."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Stream:
    """The rows that could be read."""

    table: pa.Table
    complete: bool
    """The writer reached its end; false where the stream was cut, at whatever byte."""
    damage: str | None = None
    """How the file differs from what was written, as a predicate; None where nothing is known against it."""


def read(source: Path | bytes, name: str, digest: Digest | None = None) -> Stream:
    """Read the stream of table `name` from a file or from bytes that this process wrote.

    A stream that is cut, as it is when a run was killed, gives the rows of every batch that is whole, and those that
    the run had saved beside it. One that is cut before its first batch gives an empty table with the columns of `name`.
    One that is damaged gives the rows before the damage; where a `digest` shows the damage but not its place, none.
    """
    if isinstance(source, bytes):
        return _trusted(pa.BufferReader(source), len(source), name)
    stat = source.stat()
    if digest is None:
        return _with_tail(_untrusted(source.read_bytes(), name), source, name)
    if stat.st_size < digest.bytes:
        cut = _untrusted(source.read_bytes(), name)
        return Stream(cut.table, complete=False, damage=f"was cut to {stat.st_size} of {digest.bytes} bytes")
    if stat.st_size > digest.bytes or _sha256(source, _version(stat)) != digest.sha256:
        return Stream(_empty(name), complete=False, damage="is damaged: its SHA-256 is not the one in manifest.json")
    return _trusted(pa.memory_map(str(source)), stat.st_size, name)


def _empty(name: str) -> pa.Table:
    return schema(name).empty_table()


def _version(stat: stat_result) -> tuple[int, ...]:
    """What is another when the file has been written again."""
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns


@lru_cache(maxsize=1 << 16)
def _sha256(file: Path, version: tuple[int, ...]) -> str:  # noqa: ARG001 - once for each version of a file
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _trusted(memory: "pa.NativeFile", size: int, name: str) -> Stream:
    """Rows of a stream whose bytes are those that were written."""
    if size == 0:
        return Stream(_empty(name), complete=False)
    reader = pa.ipc.open_stream(memory)
    batches = list(reader)
    memory.seek(size - len(END))
    return Stream(pa.Table.from_batches(batches, reader.schema), memory.read(len(END)) == END)


def _untrusted(content: bytes, name: str) -> Stream:
    """Rows of a stream of which nothing is known, as far as it holds."""
    ends = list(_messages(content))
    ended = content[ends[-1] :] == END if ends else False
    if not ends:
        return Stream(_empty(name), complete=False, damage=None if _is_start(content) else DAMAGED)
    batches: list[pa.RecordBatch] = []
    try:
        reader = pa.ipc.open_stream(pa.py_buffer(content[: ends[-1]]))
        columns = reader.schema
        if not _is_known(columns, name):
            return Stream(
                _empty(name), complete=False, damage="does not have the columns that this version of Gossamer writes"
            )
        for batch in reader:
            batch.validate(full=True)
            batches.append(batch)  # one by one: what was read before an error is kept
    except (pa.ArrowException, OSError, MemoryError, ValueError, OverflowError):
        table = pa.Table.from_batches(batches, columns) if batches else _empty(name)
        return Stream(table, complete=False, damage=DAMAGED)
    damage = None if ended or _is_start(content[ends[-1] :]) else DAMAGED
    return Stream(pa.Table.from_batches(batches, columns), ended, damage)


DAMAGED = "is damaged"


def _is_start(rest: bytes) -> bool:
    """Whether these bytes may begin a message that was cut."""
    return rest[:4] == CONTINUATION[: len(rest)]


def _messages(content: bytes) -> Iterator[int]:
    """Where each message that lies whole in the stream ends (Arrow columnar format, "Encapsulated message format")."""
    place = 0
    while content[place : place + 4] == CONTINUATION and place + 8 <= len(content):
        (length,) = struct.unpack_from("<i", content, place + 4)
        start = place + 8
        if length <= 0 or length % 8 or start + length > len(content):
            return
        body = _body_length(content[start : start + length])
        if body is None or body < 0 or body % 8 or start + length + body > len(content):
            return
        place = start + length + body
        yield place


def _body_length(metadata: bytes) -> int | None:
    """Field `bodyLength`, the fourth, of the FlatBuffers table `Message`; None where its offsets lead out of it."""
    try:
        (table,) = struct.unpack_from("<I", metadata, 0)
        (back,) = struct.unpack_from("<i", metadata, table)
        fields = table - back  # where its fields are, two bytes each after two lengths
        if fields < 0:
            return None
        (size,) = struct.unpack_from("<H", metadata, fields)
        (field,) = struct.unpack_from("<H", metadata, fields + 4 + 2 * 3) if size > 4 + 2 * 3 else (0,)
        if field == 0:  # left out, as a schema's is
            return 0
        (length,) = struct.unpack_from("<q", metadata, table + field)
    except struct.error:
        return None
    return int(length)


def _is_known(columns: pa.Schema, name: str) -> bool:
    """Whether these are columns of table `name`; an older version may have had fewer."""
    known = {field.name: field.type for field in schema(name)}
    return len(set(columns.names)) == len(columns) and all(
        field.name in known and known[field.name] == _value_type(field.type) for field in columns
    )


def _value_type(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if isinstance(kind, pa.DictionaryType) else kind


def _with_tail(stream: Stream, file: Path, name: str) -> Stream:
    """The rows of an unfinished table with those that were saved beside it."""
    tail = file.with_name(file.name + TAIL)
    if stream.complete or stream.damage or not tail.is_file():
        return stream
    saved = _untrusted(tail.read_bytes(), name)
    rows = stream.table.num_rows
    before = _rows_before(saved.table.schema)
    if saved.damage or before is None or before > rows:
        return stream  # rows between the two are missing
    added = saved.table.slice(rows - before).replace_schema_metadata(stream.table.schema.metadata)
    if not rows:
        return Stream(added, complete=False)
    return Stream(pa.concat_tables([stream.table, added]), complete=False)


def _rows_before(columns: pa.Schema) -> int | None:
    text = (columns.metadata or {}).get(b"rows_before", b"")
    return int(text) if text.isdigit() else None
