"""One run: how it ended, and its tables."""

import tomllib
from collections.abc import Callable, Mapping
from functools import cached_property

import pyarrow as pa

from gossamer.results.columns import TABLES, schema
from gossamer.results.joining import completed
from gossamer.results.manifest import ResultsError, RunRecord, Value
from gossamer.results.stream import Stream
from gossamer.results.unfinished import with_unfinished

__all__ = ["Run"]

EMPTY = {
    "flows": "no flow had started when the run ended",
    "operations": "no collective, round or other operation had started when the run ended",
    "links": "the topology has no link, or the run ended before its links were written",
    "histograms": "no frame arrived and no queue was measured within the measured window",
    "counters": "its fabric has no counters of its own (an Ethernet fabric has them once there is a fault)",
    "collisions": "no two packets met where a fabric is to keep them apart; of those here only fastpod is to",
    "series": "no sample was taken before the run ended",
    "summary": "the run ended before its summary was written",
}
"""Why a table that was written whole can have no row."""


class Run:
    """One run of an experiment: how it ended, and its tables as `pyarrow.Table`.

    Times are integer picoseconds, rates bits a second, sizes bytes; `docs/results.md` lists every column. Tables are
    read when first asked for. From a results folder they are mapped into memory, not copied, once their digest is known
    to be that of the manifest.
    """

    def __init__(
        self, record: RunRecord, load: Callable[[str], Stream | None], experiment: str = "", *, on_disk: bool = False
    ) -> None:
        self.record = record
        """How the run was made and how it ended."""
        self._load = load
        self._experiment = experiment
        self._on_disk = on_disk
        self._streams: dict[str, Stream | None] = {}
        self._tables: dict[str, pa.Table] = {}

    @property
    def name(self) -> str:
        """Variant and swept values, such as `dctcp,load=0.5`; the name by which `Results` finds the run."""
        return self.record.name

    @property
    def variant(self) -> str | None:
        """Variant of the experiment, if it has any."""
        return self.record.variant

    @property
    def sweep(self) -> Mapping[str, Value]:
        """Value of each swept axis, by full key."""
        return self.record.sweep

    @property
    def status(self) -> str:
        """done, stopped, stalled, out-of-time, failed, running, not-started or unknown."""
        return self.record.status

    @property
    def message(self) -> str | None:
        """Why the run did not end as it should, in words."""
        return self.record.message

    def table(self, name: str) -> pa.Table:
        """Table `name`, such as flows or links. Empty, never absent, where there is nothing.

        Raises:
            ResultsError: no table has that name.
        """
        stream = self._stream(name)
        if stream is None:
            return schema(name).empty_table()
        if name not in self._tables:
            table = completed(stream.table, name)
            if name == "summary" and table.num_rows and "flows_measured" not in stream.table.column_names:
                table = with_unfinished(table, self.flows)
            self._tables[name] = table
        return self._tables[name]

    @property
    def flows(self) -> pa.Table:
        """A row a flow: sizes in bytes, times in picoseconds, goodput in b/s."""
        return self.table("flows")

    @property
    def operations(self) -> pa.Table:
        """A row a collective, round or other operation: times in picoseconds, bandwidths in b/s."""
        return self.table("operations")

    @property
    def links(self) -> pa.Table:
        """A row a link and direction: frames, bytes, queues and utilisation within the measured window."""
        return self.table("links")

    @property
    def histograms(self) -> pa.Table:
        """A row a bucket of the latency (ps) and queue (bytes) distributions, and of those that the fabric keeps."""
        return self.table("histograms")

    @property
    def counters(self) -> pa.Table:
        """A row for each thing that this kind of fabric counts and others do not."""
        return self.table("counters")

    @property
    def collisions(self) -> pa.Table:
        """A row for two pairs of hosts whose packets met at a port that only one can have: who, where and when."""
        return self.table("collisions")

    @property
    def series(self) -> pa.Table:
        """A row a sample: time in picoseconds; what, of what, and its value."""
        return self.table("series")

    @property
    def summary(self) -> pa.Table:
        """One row: the run in numbers."""
        return self.table("summary")

    def why_empty(self, name: str) -> str | None:
        """Why table `name` has no rows, in one line; None if it has some."""
        stream = self._stream(name)
        if stream is not None and stream.table.num_rows:
            return None
        if self.status == "not-started":
            reason = f" ({self.message})" if self.message else ""
            return f"run {self.name} was not started{reason}"
        damage = self._damage(name)
        if damage is not None:
            return f"run {self.name} has no {name}: {name}.arrow {damage}"
        if stream is None:
            if self._left_out(name):
                return f"run {self.name} has no {name}: the experiment file turns them off ([measure] {name} = false)"
            return f"run {self.name} has no {name}: {name}.arrow was not written; the run is {self.status}"
        if not stream.complete:
            return (
                f"run {self.name} has no {name}: {name}.arrow was cut before its first rows; the run is {self.status}"
            )
        if self._left_out(name):
            return f"run {self.name} has no {name}: the experiment file turns them off ([measure])"
        return f"run {self.name} has no {name}: {EMPTY[name]}"

    def why_short(self, name: str) -> str | None:
        """How much of table `name` was read, in one line, if it was cut or damaged; None if it is whole or empty."""
        stream = self._stream(name)
        damage = self._damage(name)
        if damage is not None:
            rows = stream.table.num_rows if stream is not None else 0
            used = f"the {rows} rows before that are used" if rows else "it is left out"
            return f"run {self.name}: {name}.arrow {damage}; {used}"
        if stream is None or stream.complete or not stream.table.num_rows:
            return None
        return f"run {self.name}: {name}.arrow was cut; the {stream.table.num_rows} rows before the cut are used"

    @property
    def damaged(self) -> bool:
        """Whether the file of a table is not what the run has written."""
        return any(self._damage(name) is not None for name in TABLES)

    def _damage(self, name: str) -> str | None:
        """How the file of table `name` differs from what was written, as a predicate."""
        stream = self._stream(name)
        if stream is None:
            return "is missing, though it was finished" if name in self.record.tables and self._on_disk else None
        return stream.damage

    def _stream(self, name: str) -> Stream | None:
        if name not in TABLES:
            raise ResultsError(f"no table is called {name!r}; expected one of {', '.join(TABLES)}")
        if name not in self._streams:
            self._streams[name] = self._load(name)
        return self._streams[name]

    def _left_out(self, name: str) -> bool:
        measure = self._measure
        if name in ("flows", "links"):
            return measure.get(name) is False
        return name == "series" and measure.get("series") == []

    @cached_property
    def _measure(self) -> Mapping[str, object]:
        """`[measure]` of the experiment file, as far as it can be read."""
        try:
            measure = tomllib.loads(self._experiment).get("measure")
        except tomllib.TOMLDecodeError:
            return {}
        return measure if isinstance(measure, dict) else {}

    def __repr__(self) -> str:
        ending = "" if self.status == "done" else f", {self.status}"
        return f"<Run {self.name}{ending}>"
