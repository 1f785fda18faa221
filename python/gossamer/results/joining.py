"""Tables under the one schema that is documented, whatever version or run wrote them."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from gossamer.results.columns import TABLES, Column

__all__ = ["completed", "joined"]

WORDS = pa.dictionary(pa.uint32(), pa.string())
"""How columns of words are kept, as the engine writes them: each word once."""


def completed(table: pa.Table, name: str) -> pa.Table:
    """`table` with every documented column of table `name`; one that an older version did not write is null."""
    known = set(table.column_names)
    for column in TABLES[name]:
        if column.name not in known:
            table = table.append_column(column.name, pa.array([None] * table.num_rows, column.type))
    documented = [column.name for column in TABLES[name]]
    return table.select([*documented, *(each for each in table.column_names if each not in documented)])


def joined(parts: Sequence[pa.Table], name: str, columns: Sequence[str] | None = None) -> pa.Table:
    """`parts`, each a table `name`, one after the other, with these columns of it (all, unless given).

    The types depend on the documentation alone: words are dictionaries, the same in all chunks, also where there are no
    rows. So tables of a run that stored none and of one that stored many go together.
    """
    wanted = [column for column in TABLES[name] if columns is None or column.name in columns]
    schema = pa.schema([pa.field(column.name, _type(column)) for column in wanted])
    tables = [
        pa.table([_typed(part.column(column.name), column) for column in wanted], schema=schema) for part in parts
    ]
    together = pa.concat_tables(tables or [schema.empty_table()]).unify_dictionaries()
    return together if columns is None else together.select(list(columns))


def _type(column: Column) -> pa.DataType:
    return WORDS if pa.types.is_string(column.type) else column.type


def _typed(values: "pa.ChunkedArray[Any]", column: Column) -> "pa.ChunkedArray[Any]":
    if not pa.types.is_string(column.type):
        return values.cast(column.type)
    chunked: Any = pa.chunked_array  # whose stubs know no dictionaries
    coded: pa.ChunkedArray[Any] = chunked([_coded(chunk) for chunk in values.chunks], WORDS)
    return coded


def _coded(words: "pa.Array[Any]") -> "pa.Array[Any]":
    if words.type == WORDS:
        return words
    coded = words if isinstance(words, pa.DictionaryArray) else words.dictionary_encode()
    return pa.DictionaryArray.from_arrays(coded.indices.cast(pa.uint32()), coded.dictionary.cast(pa.string()))
