"""What a reader must know to trust a report and to reproduce it."""

import base64
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from gossamer.analysis.comparison import Comparison
from gossamer.analysis.quantities import compact, text
from gossamer.results import Manifest, Results, Run

__all__ = ["Facts", "RunFacts", "facts_of"]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A line of the table of runs."""

    name: str
    seed: str
    status: str
    simulated: str
    hops: str
    core_s: str
    rate: str
    """Hops a core-second."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Where the numbers come from."""

    title: str
    setting: str
    """Hosts, topology, fabric and transports, in words."""
    started: str
    status: str
    warnings: tuple[str, ...]
    faults: tuple[str, ...]
    """Faults, in sentences."""
    runs: tuple[RunFacts, ...]
    made: tuple[tuple[str, str], ...]
    """Name and value of what identifies the runs: version, seed, machine, times."""
    command: str
    """The command that reproduces the results, given the experiment file."""
    file: str
    experiment: str
    """The exact experiment file; empty if it was not kept."""
    experiment_link: str
    """The same as a `data:` address, to save it from the page."""


def facts_of(comparison: Comparison) -> Facts:
    """Gather them from the manifest and the summaries."""
    results = comparison.results
    manifest = results.manifest
    file = PurePath(manifest.file or "experiment.toml").name
    changes = [f"--set {shlex.quote(change)}" for change in manifest.overrides]
    packed = base64.b64encode(results.experiment.encode()).decode()
    return Facts(
        title=manifest.title or file.removesuffix(".toml"),
        setting=_setting(results),
        started=(manifest.started or "").replace("T", " ").split(".")[0].removesuffix("Z"),
        status=manifest.status,
        warnings=tuple(results.warnings),
        faults=tuple(_faults(results)),
        runs=tuple(_run(run) for run in results.runs),
        made=tuple(_made(results, manifest)),
        command=" ".join(["gossamer run", shlex.quote(file), *changes]),
        file=file,
        experiment=results.experiment,
        experiment_link=f"data:application/toml;base64,{packed}",
    )


MOST_FAULTS = 20
"""Faults that are listed before the rest are only counted."""


def _faults(results: Results) -> Iterator[str]:
    """Each fault once, with its runs if not all had it."""
    having: dict[str, list[str]] = {}
    for run in results.runs:
        for fault in run.record.faults:
            until = f" until {text(fault.until_ps, 'ps')}" if fault.until_ps is not None else " to the end"
            line = f"{fault.what}, from {text(fault.at_ps, 'ps')}{until}"
            having.setdefault(line, []).append(run.name)
    for line, runs in list(having.items())[:MOST_FAULTS]:
        names = list(dict.fromkeys(runs))
        shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more runs" if len(names) > 4 else "")
        yield line if len(names) == len(results.runs) else f"{line} ({shown})"
    if len(having) > MOST_FAULTS:
        yield f"and {len(having) - MOST_FAULTS} more"


def _setting(results: Results) -> str:
    summary = results.summary
    parts = []
    hosts = _distinct(results, "hosts")
    if hosts and not any("hosts" in topology for topology in _distinct(results, "topology")):
        parts.append(f"{' or '.join(f'{int(each):,}' for each in hosts)} hosts")
    parts.extend(" or ".join(_distinct(results, name)) for name in ("topology", "fabric") if summary.num_rows)
    transports = _distinct(results, "transport")
    if transports:
        parts.append(", ".join(transports))
    if summary.num_rows:
        parts.append(_simulated(results))
    return " · ".join(part for part in parts if part)


def _simulated(results: Results) -> str:
    """How long was simulated, and of how long, where runs ended before their duration."""
    reached, asked = (
        [int(each or 0) for each in results.summary.column(name).to_pylist()]
        for name in ("simulated_ps", "duration_ps")
    )
    shown = _span(reached)
    early = any(here < there for here, there in zip(reached, asked, strict=True))
    return f"{shown} of {_span(asked)} simulated" if early else f"{shown} simulated"


def _span(times: list[int]) -> str:
    """One time, or from the shortest to the longest."""
    low, high = text(float(min(times)), "ps"), text(float(max(times)), "ps")
    return low if low == high else f"{low} to {high}"


def _distinct(results: Results, column: str) -> list[str]:
    """The values of a column of the summary, each once."""
    return list(dict.fromkeys(str(value) for value in results.summary.column(column).to_pylist() if value is not None))


def _made(results: Results, manifest: Manifest) -> list[tuple[str, str]]:
    hops = sum(run.record.hops for run in results.runs)
    cores = sum(run.record.core_s for run in results.runs)
    seeds = list(dict.fromkeys(str(run.record.seed) for run in results.runs if run.record.seed is not None))
    machine = manifest.machine
    return [
        ("Gossamer", manifest.gossamer or "unknown version"),
        ("Experiment file", manifest.file or "unknown"),
        ("Changes on the command line", ", ".join(manifest.overrides) or "none"),
        ("Seed" if len(seeds) == 1 else "Seeds", ", ".join(seeds) or "unknown"),
        ("Machine", ", ".join(str(machine[key]) for key in ("cpu", "os") if machine.get(key)) or "unknown"),
        ("Cores", str(machine.get("cores") or "unknown")),
        ("Threads", str(manifest.threads or "unknown")),
        ("Wall time", text(manifest.wall_s * 1e12, "ps") if manifest.wall_s else "unknown"),
        ("Core time", text(cores * 1e12, "ps") if cores else "unknown"),
        ("Hops", f"{hops:,}"),
        ("Hops a core-second", _rate(hops, cores)),
    ]


def _run(run: Run) -> RunFacts:
    record = run.record
    return RunFacts(
        name=run.name,
        seed="" if record.seed is None else str(record.seed),
        status=record.status,
        simulated=text(float(record.simulated_ps), "ps"),
        hops=f"{record.hops:,}",
        core_s=text(record.core_s * 1e12, "ps"),
        rate=_rate(record.hops, record.core_s),
    )


def _rate(hops: int, core_s: float) -> str:
    """Hops a core-second, in millions; a run too short to be timed has none."""
    return f"{compact(hops / core_s / 1e6)} million" if core_s > 0 else "–"  # noqa: RUF001  an en dash
