"""The manifest of a results folder: what was run, on what, and how each run ended."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gossamer.errors import InputError
from gossamer.results.stream import Digest

__all__ = ["Fault", "Manifest", "ResultsError", "RunRecord", "Value"]

Value = str | int | float | bool
"""A value on a swept axis."""


class ResultsError(InputError):
    """Results that cannot be opened, found or written. `str(error)` is the whole message for a person."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that broke during a run: one `[[fault]]` of its file."""

    at_ps: int
    """When, in simulated time."""
    until_ps: int | None
    """When it worked again; None if it stayed broken."""
    targets: tuple[str, ...]
    """What broke: names of links (`leaf-0 -> spine-1`) or nodes."""
    effect: str
    """What it did then: `down`, `bit error rate 1e-9`, `down for 1 ms every 5 ms`."""

    @staticmethod
    def of(entry: Mapping[str, Any]) -> "Fault":
        """Read an entry of the manifest, or of what `gossamer check --json` prints."""
        return Fault(entry["at_ps"], entry.get("until_ps"), tuple(entry["targets"]), entry["effect"])

    @property
    def what(self) -> str:
        """What broke and how, in words: `leaf-0 -> spine-1 and 3 more: down`."""
        named = ", ".join(self.targets[:NAMED])
        more = f" and {len(self.targets) - NAMED} more" if len(self.targets) > NAMED else ""
        return f"{named}{more}: {self.effect}"


NAMED = 3
"""Targets of a fault that are named before the rest are only counted."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """How one run was made and how it ended."""

    name: str
    folder: str
    """Where its tables are, relative to the results folder."""
    variant: str | None = None
    sweep: Mapping[str, Value] = field(default_factory=dict)
    """Full key of each swept axis, and the value in this run."""
    seed: int | None = None
    status: str = "done"
    """done, stopped, stalled, out-of-time, failed, running, not-started, or unknown where no manifest was left."""
    message: str | None = None
    """Why it did not end as it should, in words."""
    core_s: float = 0.0
    """Seconds of one core. Not repeatable, unlike everything in the tables."""
    hops: int = 0
    """Frames over one link each."""
    simulated_ps: int = 0
    """Simulated time that was reached, picoseconds."""
    faults: tuple[Fault, ...] = ()
    """What broke during the run."""
    tables: Mapping[str, Digest] = field(default_factory=dict)
    """Length and SHA-256 of the file of each table that was finished."""
    worth: Mapping[str, Any] | None = None
    """What its network can carry, draws and costs, if the file has `[compare]`: see `gossamer.types.Worth`."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What was run, on what, and how each run ended."""

    runs: tuple[RunRecord, ...]
    gossamer: str | None = None
    """Version that ran it."""
    title: str | None = None
    file: str | None = None
    """Name of the experiment file that was given."""
    overrides: tuple[str, ...] = ()
    """`key=value` given on the command line."""
    started: str | None = None
    """ISO 8601."""
    wall_s: float | None = None
    threads: int | None = None
    machine: Mapping[str, Any] = field(default_factory=dict)
    """`cpu`, `cores`, `os`."""
    status: str = "done"
    """running, done, stopped or failed."""
    message: str | None = None
    """What there is to say of that."""
    inputs: Mapping[str, Digest] = field(default_factory=dict)
    """The other files that the experiment read, as it names them."""
    compare: Mapping[str, Any] | None = None
    """The file's `[compare]`: see `gossamer.types.CompareSpec`."""

    @staticmethod
    def parse(text: str, origin: str) -> "Manifest":
        """Read the JSON of a manifest; `origin` names it in messages.

        Raises:
            ResultsError: it is not a manifest.
        """
        try:
            content = json.loads(text)
            return Manifest(
                runs=tuple(_record(entry) for entry in content["runs"]),
                gossamer=content.get("gossamer"),
                title=content.get("title"),
                file=content.get("file"),
                overrides=tuple(content.get("overrides") or ()),
                started=content.get("started"),
                wall_s=content.get("wall_s"),
                threads=content.get("threads"),
                machine=content.get("machine") or {},
                status=content.get("status") or "done",
                message=content.get("message"),
                inputs=_digests(content.get("inputs")),
                compare=content.get("compare"),
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
            raise ResultsError(f"{origin} is not a manifest of Gossamer: {_reason(problem)}") from problem

    @staticmethod
    def of_folder(folder: Path) -> "Manifest":
        """Read `folder/manifest.json`; if it was never written, or is cut, list the runs that left tables.

        Raises:
            ResultsError: there is no such folder, or nothing in it was written by Gossamer.
        """
        if not folder.is_dir():
            raise ResultsError(f"{folder}: no such folder; expected the results folder of an experiment")
        path = folder / "manifest.json"
        try:
            return Manifest.parse(_text(path), str(path))
        except (FileNotFoundError, ResultsError) as problem:
            names = sorted(entry.name for entry in folder.glob("runs/*") if any(entry.glob("*.arrow")))
            if not names:
                if isinstance(problem, ResultsError):
                    raise
                raise ResultsError(
                    f"{folder} is not a results folder: it has neither manifest.json nor runs/*/*.arrow"
                ) from problem
        message = "manifest.json is missing or incomplete: the program ended before it could write it"
        records = (RunRecord(name, f"runs/{name}", status="unknown", message=message) for name in names)
        return Manifest(tuple(records), status="stopped")


def _record(entry: dict[str, Any]) -> RunRecord:
    return RunRecord(
        name=entry["name"],
        folder=entry.get("folder") or f"runs/{entry['name']}",
        variant=entry.get("variant"),
        sweep={key: _on_axis(value) for key, value in (entry.get("sweep") or {}).items()},
        seed=entry.get("seed"),
        status=entry.get("status") or "unknown",
        message=entry.get("message"),
        core_s=entry.get("core_s") or 0.0,
        hops=entry.get("hops") or 0,
        simulated_ps=entry.get("simulated_ps") or 0,
        faults=tuple(Fault.of(fault) for fault in entry.get("faults") or ()),
        tables=_digests(entry.get("tables")),
        worth=entry.get("worth"),
    )


def _digests(entries: dict[str, Any] | None) -> Mapping[str, Digest]:
    return {name: Digest(int(entry["bytes"]), str(entry["sha256"])) for name, entry in (entries or {}).items()}


def _text(path: Path) -> str:
    """The text of a manifest, which is a file like others."""
    if path.exists() and not path.is_file():
        raise ResultsError(f"{path} is not a manifest of Gossamer: it is not a regular file")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as problem:
        where = f"byte 0x{problem.object[problem.start]:02x} at offset {problem.start}"
        raise ResultsError(f"{path} is not a manifest of Gossamer: it is not UTF-8 text ({where})") from problem
    except FileNotFoundError:
        raise
    except OSError as problem:
        raise ResultsError(f"{path} cannot be read: {problem.strerror or problem}") from problem


def _on_axis(value: Any) -> Value:
    """A value on a swept axis. One that is a list or a table is known by its text, as in the name of its run."""
    return value if isinstance(value, Value) else json.dumps(value)


def _reason(problem: Exception) -> str:
    if isinstance(problem, json.JSONDecodeError):
        return f"line {problem.lineno}: {problem.msg}"
    if isinstance(problem, KeyError):
        return f"it has no {problem}"
    return str(problem)
