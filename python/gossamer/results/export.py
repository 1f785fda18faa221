"""Tables over all runs as Parquet and CSV."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from gossamer.results.columns import TABLES
from gossamer.results.manifest import ResultsError

if TYPE_CHECKING:
    from gossamer.results.collection import Results

__all__ = ["to_csv", "to_parquet"]


def to_parquet(results: "Results", folder: Path) -> list[Path]:
    """Write `folder/<table>.parquet` for every table; the paths written."""
    import pyarrow.parquet as parquet  # like CSV, what few commands need

    def write(table: pa.Table, path: Path) -> None:
        parquet.write_table(table, path, compression="zstd")

    return _write(results, folder, "parquet", write)


def to_csv(results: "Results", folder: Path) -> list[Path]:
    """Write `folder/<table>.csv` for every table; the paths written."""
    import pyarrow.csv as csv

    def write(table: pa.Table, path: Path) -> None:
        csv.write_csv(_plain(table), path)

    return _write(results, folder, "csv", write)


def _write(results: "Results", folder: Path, ending: str, write: Callable[[pa.Table, Path], None]) -> list[Path]:
    paths = {name: folder / f"{name}.{ending}" for name in TABLES}
    for path in paths.values():
        if path.exists():
            raise ResultsError(f"{path} exists; nothing was written. Choose another folder or remove it")
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, path in paths.items():
            write(results.table(name), path)
            written.append(path)
            reason = results.why_empty(name)
            if reason:
                note = folder / f"{name}.empty.txt"
                note.write_text(f"{reason}\n", encoding="utf-8")
                written.append(note)
    except OSError as problem:
        raise ResultsError(f"{folder} cannot be written: {problem.strerror or problem}") from problem
    return written


def _plain(table: pa.Table) -> pa.Table:
    """The table without dictionaries, which CSV does not have."""
    fields = [
        field.with_type(field.type.value_type) if isinstance(field.type, pa.DictionaryType) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))
