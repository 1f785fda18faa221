"""What `import gossamer` offers for running: check, start, run. The command line is made of the same calls."""

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from gossamer import _native
from gossamer.errors import InputError
from gossamer.experiment import Experiment, Source
from gossamer.results import Manifest, Results
from gossamer.types import Plan, PlannedFault, PlannedRun, PlannedWorkload, Progress, RunProgress

if TYPE_CHECKING:
    from gossamer.cluster import RayJob

__all__ = [
    "MOST_THREADS",
    "TICK_S",
    "Plan",
    "Planned",
    "PlannedFault",
    "PlannedRun",
    "PlannedWorkload",
    "Progress",
    "RunProgress",
    "Running",
    "check",
    "cores",
    "load",
    "run",
    "start",
]

TICK_S = 0.1
"""How often a waiting call looks up: for progress, and for Ctrl-C."""


MOST_THREADS = 4096
"""Runs at once: more than any machine has cores."""


class Running:
    """A started experiment: it runs in the background and is watched from here."""

    def __init__(self, job: "_native.Job | RayJob", experiment: Experiment, folder: Path | None) -> None:
        """`folder` is where the results go, None where they stay in memory."""
        self._job = job
        self._experiment = experiment
        self.folder = folder

    def progress(self) -> Progress:
        """How far every run is now."""
        return cast("Progress", json.loads(self._job.progress()))

    def news(self) -> list[str]:
        """What has happened beside the runs since the last call, in sentences.

        Which runs that were done are done again and why, the death of a worker.
        """
        return self._job.news()

    def stop(self) -> None:
        """Ask all runs to end soon, keeping what they have. Returns at once."""
        self._job.stop()

    def wait(self, timeout_s: float = TICK_S) -> bool:
        """Wait at most that long; true when all runs have ended. Other threads go on meanwhile."""
        return self._job.wait(timeout_s)

    def results(self) -> Results:
        """What the runs have left. Call it when `wait` has said that they ended."""
        if self.folder is not None:
            # What the runs themselves say: on a full disk, the manifest in the folder may be an older one.
            return Results.open(self.folder, Manifest.parse(self._job.manifest(), "the manifest"))
        return Results.from_memory(self._job.manifest(), self._table, self._experiment.text)

    def _table(self, run: int, name: str) -> bytes:
        """A table in memory; nothing where the run left none, as one that was never started."""
        try:
            return self._job.table(run, name)
        except KeyError:
            return b""


class Planned:
    """An experiment that was read and checked once, for whoever looks at what it would run before it runs."""

    def __init__(
        self,
        native: _native.Planned,
        experiment: Experiment,
        overrides: list[str],
        threads: int | None,
        memory_limit: str | None,
    ) -> None:
        """Use `Planned.of`."""
        self._native = native
        self._experiment = experiment
        self._overrides = overrides
        self._threads = threads
        self._memory_limit = memory_limit

    @classmethod
    def of(
        cls,
        experiment: Source,
        *,
        overrides: Iterable[str] = (),
        threads: int | None = None,
        memory_limit: str | None = None,
    ) -> "Planned":
        """Read an experiment. For what the arguments mean, and what is raised, see `check`."""
        experiment = Experiment.of(experiment)
        if threads is not None and not 1 <= threads <= MOST_THREADS:
            if threads < 1:
                raise InputError(f"threads: {threads} is too few; at least one is needed")
            most = f"at most {MOST_THREADS}, and more threads than cores gain nothing"
            raise InputError(f"threads: {threads} is too many; {most}")
        changes = list(overrides)
        native = _native.Planned.read(experiment.text, experiment.file, changes, threads or cores(), memory_limit)
        return cls(native, experiment, changes, threads, memory_limit)

    def check(self) -> Plan:
        """What it would run."""
        return cast("Plan", json.loads(self._native.check()))

    def start(
        self,
        *,
        out: str | os.PathLike[str] | None = None,
        resume: bool = False,
        wall_limit_s: float | None = None,
        on: str | None = None,
    ) -> Running:
        """Start its runs and return at once. For what the arguments mean, see `run`."""
        if resume and out is None:
            raise InputError("resume: nothing can be resumed without `out`")
        folder = None if out is None else Path(out)
        if on is not None:
            return Running(self._on_ray(on, folder, resume=resume, wall_limit_s=wall_limit_s), self._experiment, folder)
        job = self._native.start(
            None if folder is None else str(folder), resume, self._threads or cores(), wall_limit_s
        )
        return Running(job, self._experiment, folder)

    def _on_ray(self, on: str, folder: Path | None, *, resume: bool, wall_limit_s: float | None) -> "RayJob":
        from gossamer.cluster import RayJob, Work, ray_of

        if folder is None:
            raise InputError(f"on: {on} needs a folder for the results, `out`")
        ray_of(on)  # known before the work is done
        text, file = self._experiment.text, self._experiment.file
        work = Work.of(self._native, text, file, self._overrides, self._memory_limit)
        return RayJob(on, work, folder, resume=resume, at_once=self._threads, wall_limit_s=wall_limit_s)


def check(
    experiment: Source,
    *,
    overrides: Iterable[str] = (),
    threads: int | None = None,
    memory_limit: str | None = None,
) -> Plan:
    """Say what an experiment would run: hosts, flows, offered load, rough cost in time and memory.

    Args:
        experiment: A file's path, the file's tables as a dict, or an `Experiment`.
        overrides: Changes as on the command line, `key=value`.
        threads: How many runs would go on at the same time; all cores without it.
        memory_limit: What those may take together, such as "4 GB"; what the machine has without it.

    Raises:
        InputError: Something in it is wrong; the message says what, where, and the cure.
    """
    return Planned.of(experiment, overrides=overrides, threads=threads, memory_limit=memory_limit).check()


def start(
    experiment: Source,
    *,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    threads: int | None = None,
    overrides: Iterable[str] = (),
    wall_limit_s: float | None = None,
    memory_limit: str | None = None,
    on: str | None = None,
) -> Running:
    """Start an experiment's runs and return at once. For what the arguments mean, see `run`."""
    planned = Planned.of(experiment, overrides=overrides, threads=threads, memory_limit=memory_limit)
    return planned.start(out=out, resume=resume, wall_limit_s=wall_limit_s, on=on)


def run(
    experiment: Source,
    *,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    threads: int | None = None,
    overrides: Iterable[str] = (),
    wall_limit_s: float | None = None,
    memory_limit: str | None = None,
    on: str | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Results:
    """Run an experiment and return its results.

    Other Python threads go on while it runs. Ctrl-C stops the runs, keeps what they have (in `out`, where that is
    given) and raises `KeyboardInterrupt`.

    Args:
        experiment: A file's path, the file's tables as a dict, or an `Experiment`.
        out: Folder for the results, which must be new or empty. Without it they stay in memory.
        resume: Go on with the results in `out`, of the same file: runs that are done, and whose plan has not changed,
            are not run again.
        threads: How many runs may go on at the same time; all cores without it. Results do not depend on it.
        overrides: Changes as on the command line, `key=value`.
        wall_limit_s: Stop after so many seconds and keep what there is.
        memory_limit: What the runs that go on at the same time may take by their estimates, such as "4 GB"; what the
            machine has without it.
        on: `ray` or `ray://HOST:PORT` spreads the runs over a Ray cluster, each in a process of its own; needs `out`
            and the extra `gossamer[ray]`. The results are the same to the byte.
        progress: Called with a `Progress` about ten times a second.

    Raises:
        InputError: Something in it is wrong; the message says what, where, and the cure.
    """
    running = start(
        experiment,
        out=out,
        resume=resume,
        threads=threads,
        overrides=overrides,
        wall_limit_s=wall_limit_s,
        memory_limit=memory_limit,
        on=on,
    )
    try:
        while not running.wait():
            if progress is not None:
                progress(running.progress())
    except BaseException:
        running.stop()
        while not running.wait():
            pass
        raise
    if progress is not None:
        progress(running.progress())
    return running.results()


def load(folder: str | os.PathLike[str]) -> Results:
    """Read a results folder, also of a run that was stopped or is still going on.

    Raises:
        ResultsError: It is not a results folder.
    """
    return Results.open(Path(folder))


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
