"""All runs of an experiment together."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from gossamer.errors import nearest
from gossamer.results.columns import TABLES
from gossamer.results.export import to_csv, to_parquet
from gossamer.results.joining import joined
from gossamer.results.manifest import Manifest, ResultsError, RunRecord, Value
from gossamer.results.run import Run
from gossamer.results.stream import Stream, read

__all__ = ["Results", "UnknownRunError"]

ENDINGS = {
    "stopped": "was stopped",
    "stalled": "stalled",
    "out-of-time": "ran out of time",
    "failed": "failed",
    "not-started": "was not started",
    "running": "was still going on, or was killed",
    "unknown": "ended in an unknown state",
}
"""How a run ended, as a predicate."""


class UnknownRunError(ResultsError, LookupError):
    """No run has that name."""


class Results:
    """The runs of one experiment, and their tables over all runs.

    Each table is a `pyarrow.Table` with the columns of `docs/results.md` after columns `run`, `variant` and one for
    each swept axis. polars, pandas, DuckDB take it without a copy: `polars.from_arrow(results.flows, rechunk=False)`,
    `results.flows.to_pandas(types_mapper=pandas.ArrowDtype)`, `duckdb.sql("from flows")` with `flows = results.flows`.

        results = Results.open("results/quickstart")
        results["dctcp"].flows          # one run
        results.summary                 # a row a run
        results.where(load=0.5).links   # some runs
    """

    def __init__(
        self, runs: Sequence[Run], manifest: Manifest, *, experiment: str = "", path: Path | None = None
    ) -> None:
        self.runs: tuple[Run, ...] = tuple(runs)
        """Runs in the order of the experiment file: variants, then swept values."""
        self.manifest = manifest
        """What was run, on what, and how each run ended."""
        self.experiment = experiment
        """The exact experiment file, empty if it was not kept."""
        self.path = path
        """The results folder; None for runs in memory."""

    @classmethod
    def open(cls, folder: str | Path, manifest: Manifest | None = None) -> "Results":
        """Open a results folder, finished or not; with `manifest`, for that and not for the one in the folder.

        Raises:
            ResultsError: it is not a results folder.
        """
        path = Path(folder)
        manifest = manifest or Manifest.of_folder(path)
        try:
            experiment = (path / "experiment.toml").read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            experiment = ""

        def loader(record: RunRecord) -> Callable[[str], Stream | None]:
            def load(name: str) -> Stream | None:
                file = path / record.folder / f"{name}.arrow"
                return read(file, name, record.tables.get(name)) if file.is_file() else None

            return load

        runs = [Run(record, loader(record), experiment, on_disk=True) for record in manifest.runs]
        return cls(runs, manifest, experiment=experiment, path=path)

    @classmethod
    def from_memory(cls, manifest: str, table: Callable[[int, str], bytes], experiment: str = "") -> "Results":
        """Runs that were kept in memory: the JSON of the manifest, and what gives the Arrow stream of a run's table.

        `table(run, name)` gives bytes, none at all where the run left no such table. Nothing is copied after that.
        """
        parsed = Manifest.parse(manifest, "the manifest")

        def loader(number: int) -> Callable[[str], Stream | None]:
            def load(name: str) -> Stream | None:
                content = table(number, name)
                return read(content, name) if content else None

            return load

        runs = [Run(record, loader(number), experiment) for number, record in enumerate(parsed.runs)]
        return cls(runs, parsed, experiment=experiment)

    @cached_property
    def axes(self) -> Mapping[str, str]:
        """Swept axes: full key, and the name of its column.

        That name is the last part of the key, or the whole key where the last part is the name of another column.
        """
        keys = list(dict.fromkeys(key for run in self.runs for key in run.sweep))
        taken = {column.name for columns in TABLES.values() for column in columns} - {"seed"}
        short = [key.rsplit(".", 1)[-1] for key in keys]
        return {
            key: last if last not in taken and short.count(last) == 1 else key
            for key, last in zip(keys, short, strict=True)
        }

    def table(self, name: str) -> pa.Table:
        """Table `name` over all runs, with columns `run`, `variant` and one for each swept axis in front.

        Raises:
            ResultsError: no table has that name.
        """
        cached = self._tables.get(name)
        if cached is None:
            parts = [run.table(name) for run in self.runs]
            cached = self._labelled(joined(parts, name), [part.num_rows for part in parts])
            self._tables[name] = cached
        return cached

    @property
    def flows(self) -> pa.Table:
        """A row a flow, over all runs: sizes in bytes, times in picoseconds, goodput in b/s."""
        return self.table("flows")

    @property
    def operations(self) -> pa.Table:
        """A row a collective, round or other operation, over all runs: times in picoseconds, bandwidths in b/s."""
        return self.table("operations")

    @property
    def links(self) -> pa.Table:
        """A row a link and direction, over all runs; everything within the measured window."""
        return self.table("links")

    @property
    def histograms(self) -> pa.Table:
        """A row a bucket of the latency (ps), queue (bytes) and fabrics' own distributions, over all runs."""
        return self.table("histograms")

    @property
    def counters(self) -> pa.Table:
        """A row for each thing that only one kind of fabric counts, over all runs."""
        return self.table("counters")

    @property
    def collisions(self) -> pa.Table:
        """A row for two pairs of hosts whose packets met where only one can be, over all runs: who, where and when."""
        return self.table("collisions")

    @property
    def series(self) -> pa.Table:
        """A row a sample, over all runs: time in picoseconds; what, of what, and its value."""
        return self.table("series")

    @property
    def summary(self) -> pa.Table:
        """A row a run: the run in numbers."""
        return self.table("summary")

    def why_empty(self, name: str) -> str | None:
        """Why table `name` has no rows over all runs, in one line; None if it has some."""
        if not self.runs:
            return "the experiment has no runs"
        reasons = [run.why_empty(name) for run in self.runs]
        if None in reasons:
            return None
        more = f" (and so for {len(reasons) - 1} more)" if len(reasons) > 1 else ""
        return f"{reasons[0]}{more}"

    @property
    def warnings(self) -> list[str]:
        """What a reader must know before trusting the numbers: runs that did not end well, tables that were cut."""
        lines = [self.manifest.message] if self.manifest.message else []
        for run in self.runs:
            if run.status != "done":
                ending = ENDINGS.get(run.status, f"ended as {run.status}")
                lines.append(f"run {run.name} {ending}" + (f": {run.message}" if run.message else ""))
            elif run.message:
                lines.append(f"run {run.name}: {run.message}")
            lines.extend(line for name in TABLES if (line := run.why_short(name)))
        return lines

    def where(self, variant: str | None = None, **sweep: Value) -> "Results":
        """The runs of one variant and of these swept values, by the names of their columns: `where(load=0.5)`.

        Raises:
            ResultsError: there is no such variant or axis.
        """
        variants = list(dict.fromkeys(run.variant for run in self.runs if run.variant is not None))
        if variant is not None and variant not in variants:
            raise ResultsError(f"no variant is called {variant!r}{_nearest(variant, variants)}")
        keys = {short: key for key, short in self.axes.items()}
        for axis in sweep:
            if axis not in keys:
                raise ResultsError(f"no swept axis is called {axis!r}{_nearest(axis, list(keys))}")
        runs = [
            run
            for run in self.runs
            if (variant is None or run.variant == variant)
            and all(run.sweep.get(keys[axis]) == value for axis, value in sweep.items())
        ]
        return Results(runs, self.manifest, experiment=self.experiment, path=self.path)

    def to_parquet(self, folder: str | Path) -> list[Path]:
        """Write every table over all runs as `folder/<table>.parquet`; beside an empty one, a line that says why.

        Raises:
            ResultsError: a file of that name exists, or the folder cannot be written.
        """
        return to_parquet(self, Path(folder))

    def to_csv(self, folder: str | Path) -> list[Path]:
        """Write every table over all runs as `folder/<table>.csv`; beside an empty one, a line that says why.

        Raises:
            ResultsError: a file of that name exists, or the folder cannot be written.
        """
        return to_csv(self, Path(folder))

    def __getitem__(self, key: str | int) -> Run:
        if isinstance(key, int):
            return self.runs[key]
        for run in self.runs:
            if run.name == key:
                return run
        raise UnknownRunError(f"no run is called {key!r}{_nearest(key, [run.name for run in self.runs])}")

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[Run]:
        return iter(self.runs)

    def __contains__(self, key: object) -> bool:
        return any(key in (run, run.name) for run in self.runs)

    def __repr__(self) -> str:
        from gossamer.report.notebook import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from gossamer.report.notebook import as_html

        return as_html(self)

    @cached_property
    def _tables(self) -> dict[str, pa.Table]:
        return {}

    def _labelled(self, table: pa.Table, rows: Sequence[int]) -> pa.Table:
        """`table`, of which each run has as many `rows`, after the columns that say which run a row is of."""
        columns = {
            "run": _spread([run.name for run in self.runs], rows),
            "variant": _spread([run.variant for run in self.runs], rows),
        }
        for key, short in self.axes.items():
            columns[short] = _spread([run.sweep.get(key) for run in self.runs], rows)
        labels = pa.table(columns)
        for name in table.column_names:
            if name not in columns:
                labels = labels.append_column(name, table.column(name))
        return labels


def _spread(values: Sequence[Value | None], rows: Sequence[int]) -> "pa.Array[Any]":
    """The value of each run as often as it has rows, in a type that holds all of them; words as a dictionary."""
    counts = [*enumerate(rows), (0, 0)]  # one array at least, also of no runs
    owners = pa.concat_arrays([pa.repeat(pa.scalar(number, pa.uint32()), count) for number, count in counts])
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool} or (kinds and kinds <= {int, float}):
        kind = pa.bool_() if kinds == {bool} else pa.float64() if float in kinds else pa.int64()
        return pa.array(values, kind).take(owners)
    words = list(dict.fromkeys(str(value) for value in values if value is not None))
    places = [None if value is None else words.index(str(value)) for value in values]
    return pa.DictionaryArray.from_arrays(pa.array(places, pa.uint32()).take(owners), pa.array(words, pa.string()))


def _nearest(word: str, names: Sequence[str]) -> str:
    """What to add to "no X is called W": the nearest name, or all of them."""
    near = nearest(word, list(names))
    if near is not None:
        return f"; did you mean {near!r}?"
    shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    return f"; expected {'one of ' if len(names) > 1 else ''}{shown}" if names else "; there are none"
