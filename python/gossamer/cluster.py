"""Runs spread over a Ray cluster. Ray is no dependency: it is loaded when somebody asks for it.

Each run is a task in a worker process. A worker has the whole plan and a results folder of its own, whose manifest says
that all other runs are done, and resumes it: so it does the one that is left, with the code and the names of a local
job, and its tables are the same to the byte. Its files come back to the one results folder, which is written as a local
job writes it: a local job can resume it, and the other way round.
"""

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import threading
import time
import warnings
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from pathlib import Path, PurePath
from typing import Any, TextIO

from gossamer import _native
from gossamer.errors import InputError
from gossamer.types import RunProgress

__all__ = ["RayJob", "Work", "ray_of"]

SCHEME = "ray://"
WRITE_EVERY_S = 0.3
"""How often the manifest is written, at most."""
REPORT_EVERY_S = 0.3
"""How often a worker says how far its run is, and asks whether it is to stop."""
ATTEMPTS = 2
"""A run whose worker died is run once more."""
DEAD = "its worker died"
NAMED = 4
"""Runs that are named before the rest are only counted."""


def ray_of(on: str) -> Any:
    """Load Ray for `--on ray` or `--on ray://HOST:PORT`.

    Raises:
        InputError: `on` is neither, or Ray is not installed.
    """
    if on != "ray" and not (on.startswith(SCHEME) and len(on) > len(SCHEME)):
        raise InputError(f"--on {on}: expected ray, or ray://HOST:PORT for a cluster that is running")
    try:
        return import_module("ray")
    except ImportError as error:
        if error.name != "ray":
            raise
        raise InputError(f"--on {on}: Ray is not installed: pip install 'gossamer[ray]'") from None


@dataclass(frozen=True)
class Work:
    """What a worker has to know, the same for all runs."""

    version: str
    text: str
    file: str
    """The experiment file as the workers find it if they share a file system."""
    overrides: list[str]
    memory_limit: str | None
    manifest: Mapping[str, Any]
    """As a job begins: no run has been started."""
    progress: list[RunProgress]
    """How far each run is, likewise."""
    inputs: Mapping[str, bytes] = field(default_factory=dict)
    """Other files that the experiment reads, where they lie beside or below it."""

    @staticmethod
    def of(native: _native.Planned, text: str, file: str, overrides: list[str], memory_limit: str | None) -> "Work":
        """Gather it."""
        # The binding gives a manifest to whoever has started a job. In memory, and stopped at once, it leaves nothing.
        job = native.start(None, False, 1, None)  # noqa: FBT003 - the binding takes places, not names
        job.stop()
        manifest = json.loads(job.manifest())
        # It may have begun one before it heard of that.
        begun: list[RunProgress] = json.loads(job.progress())["runs"]
        progress: list[RunProgress] = [{**run, "simulated_ps": 0, "hops": 0, "flows": 0} for run in begun]
        while not job.wait(1.0):
            pass
        manifest["status"] = "running"
        nothing: dict[str, Any] = {
            "status": "not-started",
            "message": None,
            "core_s": 0.0,
            "hops": 0,
            "simulated_ps": 0,
            "tables": {},
        }
        manifest["runs"] = [entry | nothing for entry in manifest["runs"]]
        beside = Path(file).parent
        names = [PurePath(name) for name in manifest["inputs"]]
        inputs = {}
        if not any(name.is_absolute() or ".." in name.parts for name in names):
            inputs = {str(name): (beside / name).read_bytes() for name in names}
        place = str(Path(file).absolute())
        return Work(_native.version(), text, place, overrides, memory_limit, manifest, progress, inputs)


class _Board:
    """Where workers say how far they are, and learn whether to stop. It lives in the cluster, as an actor."""

    def __init__(self, limit_s: float | None) -> None:
        self._begun = time.monotonic()
        self._limit_s = limit_s
        self._stopped = False
        self._reports: dict[int, RunProgress | None] = {}

    def begin(self, run: int) -> tuple[bool, float | None]:
        """Whether a run is still wanted, and how many seconds are left for it."""
        left = None if self._limit_s is None else self._limit_s - (time.monotonic() - self._begun)
        wanted = not self._stopped and (left is None or left > 0)
        if wanted:
            self._reports[run] = None
        return wanted, left

    def report(self, run: int, progress: RunProgress) -> bool:
        """Take down how far a run is; true if it is to stop."""
        self._reports[run] = progress
        return self._stopped

    def reports(self) -> dict[int, RunProgress | None]:
        """How far each run that has begun is, as its worker said last."""
        return self._reports

    def stop(self) -> None:
        """Have all runs stop soon."""
        self._stopped = True


@dataclass(frozen=True)
class _Done:
    """What comes back from a worker."""

    entry: dict[str, Any]
    """Of the manifest."""
    cpu: str
    files: Mapping[str, bytes]


def run_one(work: Work, run: int, board: Any) -> _Done:
    """Do one run of an experiment; this is the task of a worker."""
    ray = import_module("ray")
    before = work.manifest["runs"][run]
    if _native.version() != work.version:
        message = f"its worker has version {_native.version()} of Gossamer, not {work.version}"
        return _Done(before | {"status": "failed", "message": message}, "", {})
    wanted, left_s = ray.get(board.begin.remote(run))
    if not wanted:
        why = "it was stopped" if left_s is None or left_s > 0 else "the wall-clock budget was spent"
        return _Done(before | {"message": f"{why} before it began"}, "", {})
    with tempfile.TemporaryDirectory(prefix="gossamer-") as scratch:
        root = Path(scratch)
        (root / "experiment.toml").write_text(work.text, encoding="utf-8")
        others = [entry | {"status": "done"} for entry in work.manifest["runs"]]
        others[run] = before
        (root / "manifest.json").write_text(json.dumps({**work.manifest, "runs": others}), encoding="utf-8")
        try:
            native = _planned(work.text, work.file, tuple(work.overrides), work.memory_limit, _Inputs(work.inputs))
            job = native.start(scratch, True, 1, left_s)  # noqa: FBT003 - as above
        except InputError as error:
            return _Done(before | {"status": "failed", "message": str(error)}, "", {})
        while not job.wait(REPORT_EVERY_S):
            now = json.loads(job.progress())["runs"][run]
            if ray.get(board.report.remote(run, now)):
                job.stop()
        manifest = json.loads(job.manifest())
        folder = root / before["folder"]
        files = {file.name: file.read_bytes() for file in folder.iterdir()} if folder.is_dir() else {}
        return _Done(manifest["runs"][run], manifest["machine"]["cpu"], files)


class _Inputs(dict[str, bytes]):
    """Files by name, as a key of a cache: those of one experiment do not change."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))


@lru_cache(maxsize=1)
def _planned(
    text: str, file: str, overrides: tuple[str, ...], memory_limit: str | None, inputs: _Inputs
) -> _native.Planned:
    """The plan, read once for all runs of a worker process: reading one of a thousand runs takes longer than a run."""
    if inputs:
        folder = Path(tempfile.mkdtemp(prefix="gossamer-inputs-"))
        for name, content in inputs.items():
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        file = str(folder / Path(file).name)
    return _native.Planned.read(text, file, list(overrides), 1, memory_limit)


class RayJob:
    """An experiment whose runs go on in a Ray cluster. It has the face of `_native.Job`."""

    def __init__(
        self, on: str, work: Work, folder: Path, *, resume: bool, at_once: int | None, wall_limit_s: float | None
    ) -> None:
        """Start; `at_once` limits how many runs go on at the same time, which else the cluster decides.

        Raises:
            InputError: there is no such cluster, or the folder has no results to go on with.
        """
        self._ray = ray_of(on)
        self._work = work
        self._folder = folder
        self._begun = time.monotonic()
        self._manifest: dict[str, Any] = json.loads(json.dumps(work.manifest))
        self._before_s = 0.0
        self._earlier: set[int] = set()
        self._lock = threading.Lock()
        self._reports: dict[int, RunProgress | None] = {}
        self._news: list[str] = []
        self._stopping = threading.Event()
        self._over = threading.Event()
        self._trouble: Exception | None = None
        self._cpus: dict[str, None] = {}
        self._own = self._connect(on)
        try:
            self._locked = self._held(resume=resume)
        except BaseException:
            if self._own:
                self._ray.shutdown()
            raise
        self._board = self._ray.remote(num_cpus=0)(_Board).remote(wall_limit_s)
        self._shared = self._ray.put(work)
        cores = int(self._ray.cluster_resources().get("CPU", 1))
        self._at_once = at_once or len(work.manifest["runs"])
        self._manifest["threads"] = min(self._at_once, cores)
        self._manifest["machine"]["cores"] = cores
        self._write()
        threading.Thread(target=self._keep, daemon=True, name="gossamer-ray").start()

    def progress(self) -> str:
        """How far it is, as JSON."""
        with self._lock:
            runs: list[RunProgress] = []
            for number, (entry, before) in enumerate(zip(self._manifest["runs"], self._work.progress, strict=True)):
                told = (self._reports.get(number) if entry["status"] == "running" else None) or before
                if entry["status"] not in ("running", "not-started"):
                    told = {**told, "simulated_ps": entry["simulated_ps"], "hops": entry["hops"]}
                runs.append({**told, "status": entry["status"], "earlier": number in self._earlier})
        elapsed = time.monotonic() - self._begun
        return json.dumps({"runs": runs, "hops": sum(run["hops"] for run in runs), "elapsed_s": elapsed})

    def news(self) -> list[str]:
        """What has happened to workers since the last call, in sentences."""
        with self._lock:
            told, self._news = self._news, []
        return told

    def stop(self) -> None:
        """Have every run stop and write what it has."""
        self._stopping.set()

    def wait(self, timeout_s: float) -> bool:
        """Wait until everything has ended, at most `timeout_s`; true if it has."""
        if not self._over.wait(timeout_s):
            return False
        if self._trouble is not None:
            raise InputError(
                f"Ray: {_first_line(self._trouble)}; --resume goes on with what is done"
            ) from self._trouble
        return True

    def manifest(self) -> str:
        """What is known of it by now, as JSON."""
        with self._lock:
            return json.dumps(self._manifest)

    def table(self, run: int, name: str) -> bytes:
        """Nothing is kept in memory."""
        raise KeyError(f"run {run} has no table {name} in memory")

    def _connect(self, on: str) -> bool:
        """Reach the cluster, or start one on this machine; true if it is to be shut down in the end."""
        if self._ray.is_initialized():
            return False
        address = None if on == "ray" else on
        # A cluster that is started here tells nobody about it, unless somebody has decided so.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what it warns of is the error that follows
                self._ray.init(address=address, log_to_driver=False, logging_level="error")
        except (ConnectionError, RuntimeError, ImportError, ValueError, TimeoutError) as error:
            raise InputError(f"--on {on}: no Ray cluster can be reached: {_first_line(error)}") from error
        return True

    def _held(self, *, resume: bool) -> TextIO:
        """Prepare the folder, or go on with what is there, and hold it as a local job does: by a lock on its file."""
        path = self._folder / "experiment.toml"
        try:
            if not resume:
                self._folder.mkdir(parents=True, exist_ok=True)
                if any(self._folder.iterdir()):
                    raise InputError(
                        f"{self._folder}: is not empty; choose another folder with --out, or remove this one"
                    )
            file = path.open("r+" if resume else "x", encoding="utf-8")
        except FileNotFoundError:
            raise InputError(_other(self._folder, "there are no results in it")) from None
        try:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                busy = "another job is writing its results there; wait until it has ended, or stop it"
                raise InputError(f"{self._folder}: {busy}") from None
            if resume:
                self._go_on()
                file.truncate()
            file.write(self._work.text)
            file.flush()
            for number, entry in enumerate(self._manifest["runs"]):
                folder = self._folder / entry["folder"]
                folder.mkdir(parents=True, exist_ok=True)
                if number not in self._earlier:
                    shutil.rmtree(folder)
                    folder.mkdir()
        except BaseException:
            file.close()
            raise
        return file

    def _go_on(self) -> None:
        """Take over the runs that an earlier job has done, if they are the same; say which are not."""
        try:
            earlier = json.loads((self._folder / "manifest.json").read_text(encoding="utf-8"))
            entries = {entry["name"]: entry for entry in earlier["runs"]}
        except FileNotFoundError:
            raise InputError(_other(self._folder, "there are no results in it")) from None
        except (ValueError, KeyError, TypeError):
            raise InputError(_other(self._folder, "its manifest.json cannot be read")) from None
        if earlier.get("file") != self._manifest["file"]:
            raise InputError(_other(self._folder, "it is of another experiment file"))
        self._manifest["started"] = earlier["started"]
        self._before_s = float(earlier.get("wall_s") or 0.0)
        told: dict[str, list[str]] = {}
        numbers = {entry["name"]: number for number, entry in enumerate(self._manifest["runs"])}
        for name, done in entries.items():
            if done["status"] != "done":
                continue
            number = numbers.get(name)
            wanted = None if number is None else self._manifest["runs"][number]
            why = _why_not(self._folder, done, wanted, earlier.get("gossamer"))
            if why:
                told.setdefault(why, []).append(name)
            elif number is not None and wanted is not None:
                kept = {key: wanted[key] for key in ("folder", "variant", "sweep")}
                self._manifest["runs"][number] = done | kept
                self._earlier.add(number)
        self._news = [f"{_listed(names)}: {why}" for why, names in sorted(told.items())]

    def _keep(self) -> None:
        """Hand out runs, take in what comes back, until all have ended."""
        try:
            self._go_through()
        except Exception as error:  # whatever Ray raises is said where somebody waits
            self._trouble = error
        finally:
            try:
                self._end()
            except Exception as error:
                self._trouble = self._trouble or error
            self._over.set()

    def _go_through(self) -> None:
        ray = self._ray
        waiting = deque(number for number in range(len(self._manifest["runs"])) if number not in self._earlier)
        deaths: dict[int, int] = {}
        flying: dict[Any, int] = {}
        written, asked = 0.0, False
        while flying or (waiting and not self._stopping.is_set()):
            while waiting and len(flying) < self._at_once and not self._stopping.is_set():
                number = waiting.popleft()
                flying[self._handed_out(number)] = number
            if self._stopping.is_set() and not asked:
                asked = True
                ray.get(self._board.stop.remote())
                reports = ray.get(self._board.reports.remote())
                for ref, number in flying.items():
                    if number not in reports:
                        ray.cancel(ref)
            ready, _ = ray.wait(list(flying), num_returns=1, timeout=REPORT_EVERY_S)
            for ref in ready:
                number = flying.pop(ref)
                if self._taken_in(number, ref, deaths):
                    waiting.appendleft(number)
            reports = ray.get(self._board.reports.remote())
            with self._lock:
                self._reports = reports
                for number in flying.values():
                    if number in reports:
                        self._manifest["runs"][number]["status"] = "running"
            if time.monotonic() - written >= WRITE_EVERY_S:
                self._write()
                written = time.monotonic()

    def _handed_out(self, number: int) -> Any:
        """The task of a run. Ray is not to retry it by itself: that would be seen by nobody."""
        name = self._manifest["runs"][number]["name"]
        task = self._ray.remote(run_one).options(num_cpus=1, max_retries=0, name=f"gossamer run {name}")
        return task.remote(self._shared, number, self._board)

    def _taken_in(self, number: int, ref: Any, deaths: dict[int, int]) -> bool:
        """Take in what came of a run; true if it is to be run again."""
        exceptions = self._ray.exceptions
        entry = self._manifest["runs"][number]
        changed: dict[str, Any]
        files: dict[str, bytes]
        try:
            done: _Done = self._ray.get(ref)
        except exceptions.TaskCancelledError:
            changed, files = {"status": "not-started", "message": "it was stopped before it began"}, {}
        except exceptions.RayTaskError as error:
            changed, files = {"status": "failed", "message": f"its worker failed: {_last_line(error)}"}, {}
        except exceptions.RayError as error:
            deaths[number] = deaths.get(number, 0) + 1
            if deaths[number] < ATTEMPTS and not self._stopping.is_set():
                with self._lock:
                    entry["status"] = "not-started"
                    self._reports.pop(number, None)
                    self._news.append(f"run {entry['name']}: {DEAD} ({_first_line(error)}); it is run again")
                return True
            changed, files = (
                {"status": "failed", "message": f"{DEAD} {_times(deaths[number])}: {_first_line(error)}"},
                {},
            )
        else:
            changed, files = done.entry, dict(done.files)
            if done.cpu:
                self._cpus[done.cpu] = None
            if deaths.get(number):
                told = f"{DEAD} {_times(deaths[number])}, and it was run again"
                changed["message"] = "; ".join(filter(None, (changed["message"], told)))
        folder = self._folder / entry["folder"]
        for name, content in files.items():
            (folder / name).write_bytes(content)
        with self._lock:
            self._manifest["runs"][number] = entry | changed
        return False

    def _end(self) -> None:
        """Say how everything ended, in the last manifest, and let folder and cluster go."""
        with self._lock:
            for entry in self._manifest["runs"]:
                if entry["status"] == "running":  # only if Ray itself failed
                    entry["status"] = "not-started"
            statuses = {entry["status"] for entry in self._manifest["runs"]}
            self._manifest["status"] = (
                "failed"
                if statuses & {"failed", "stalled"}
                else "stopped"
                if statuses & {"stopped", "out-of-time", "not-started"}
                else "done"
            )
            if self._cpus:
                self._manifest["machine"]["cpu"] = ", ".join(self._cpus)
        try:
            self._write()
        finally:
            self._locked.close()
            if self._own:
                self._ray.shutdown()

    def _write(self) -> None:
        """Write `manifest.json` so that a reader sees the old one or the new one, never a part."""
        with self._lock:
            self._manifest["wall_s"] = self._before_s + time.monotonic() - self._begun
            text = json.dumps(self._manifest, indent=2, ensure_ascii=False) + "\n"
        new = self._folder / "manifest.new"
        with new.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self._folder / "manifest.json")


def _other(folder: Path, why: str) -> str:
    return f"{folder}: cannot go on with it: {why}; leave --resume away"


def _why_not(folder: Path, done: Mapping[str, Any], wanted: Mapping[str, Any] | None, version: str | None) -> str:
    """Why a run that an earlier job has done is not taken over, as a local job says it; empty if it is."""
    if wanted is None:
        return "left where it is, since the experiment has no such run any more"
    if (done.get("gossamer") or version) != wanted["gossamer"]:
        return "done again, since another version of Gossamer did it"
    if done.get("plan") != wanted["plan"]:
        return "done again, since the plan or a file that it reads has changed"
    return "" if _whole(folder, done) else "done again, since a table is not what was written"


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more runs" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _whole(folder: Path, entry: Mapping[str, Any]) -> bool:
    """Whether all tables of a run are still what it has written."""
    for name, digest in (entry.get("tables") or {}).items():
        try:
            with (folder / entry["folder"] / f"{name}.arrow").open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != digest["sha256"]:
                    return False
        except OSError:
            return False
    return True


def _times(count: int) -> str:
    return "once" if count == 1 else "twice" if count == 2 else f"{count} times"


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__


def _last_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[-1] if lines else type(error).__name__
