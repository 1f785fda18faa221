"""Runs that are spread over Ray: the same bytes as local ones, workers that die, jobs that are stopped and go on."""

import importlib.util
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gossamer as package
from conftest import LONG, SMALL, Command, await_hops, process
from fake_ray import FakeRay, WorkerCrashedError
from gossamer.errors import InputError
from test_cli_resume import tables

SWEPT = SMALL.replace("seed = 1\n", "") + "[sweep]\nseed = [1, 2, 3]\n"
RAY = importlib.util.find_spec("ray") is not None
Faked = Callable[..., FakeRay]


@pytest.fixture
def faked(monkeypatch: pytest.MonkeyPatch) -> Faked:
    """Puts a stand-in in Ray's place."""

    def put(before: Callable[[str], None] = lambda _: None) -> FakeRay:
        ray = FakeRay(before)
        monkeypatch.setitem(sys.modules, "ray", ray)
        return ray

    return put


@pytest.fixture
def local(gossamer: Command, folder: Path) -> Path:
    """The results of swept.toml as a local job makes them."""
    (folder / "swept.toml").write_text(SWEPT)
    assert gossamer("run", "swept.toml", "--out", "local", "--no-report").status == 0
    return folder / "local"


def manifest(folder: Path) -> dict[str, Any]:
    """What does not depend on the machine."""
    told: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    for key in ("started", "wall_s", "threads", "machine"):
        del told[key]
    for run in told["runs"]:
        del run["core_s"]
    return told


def test_the_results_are_those_of_a_local_job(gossamer: Command, folder: Path, local: Path, faked: Faked) -> None:
    ray = faked()
    result = gossamer("run", "swept.toml", "--out", "spread", "--no-report", "--on", "ray")
    assert (result.status, result.out.splitlines()[-1]) == (0, "results: spread")
    assert result.err.splitlines()[0].startswith("Two hosts and a switch: 3 runs on Ray, about ")
    assert "seed=2: done, 200 µs of 200 µs simulated" in result.err
    assert tables(folder / "spread") == tables(local)
    assert manifest(folder / "spread") == manifest(local)
    assert {path.name for path in (folder / "spread").iterdir()} == {path.name for path in local.iterdir()}
    assert (ray.addresses, ray.running) == ([None], False)


def test_a_run_whose_worker_dies_is_run_again_once(gossamer: Command, folder: Path, local: Path, faked: Faked) -> None:
    seen: list[str] = []

    def dies(name: str) -> None:
        seen.append(name)
        if "seed=2" in name and seen.count(name) == 1:
            raise WorkerCrashedError("The worker died unexpectedly.\nmore")

    faked(dies)
    result = gossamer("run", "swept.toml", "--out", "spread", "--no-report", "--on", "ray")
    assert result.status == 0
    assert "run seed=2: its worker died (The worker died unexpectedly); it is run again\n" in result.err
    assert "run seed=2: its worker died once, and it was run again\n" in result.out
    assert tables(folder / "spread") == tables(local)
    assert sorted(seen) == sorted([f"gossamer run seed={seed}" for seed in (1, 2, 2, 3)])


def test_a_run_whose_worker_dies_twice_has_failed(gossamer: Command, folder: Path, local: Path, faked: Faked) -> None:
    def dies(name: str) -> None:
        if "seed=2" in name:
            raise WorkerCrashedError("The worker died unexpectedly.")

    faked(dies)
    result = gossamer("run", "swept.toml", "--out", "spread", "--no-report", "--on", "ray")
    assert result.status == 1
    assert "run seed=2 failed: its worker died twice: The worker died unexpectedly\n" in result.out
    told = manifest(folder / "spread")
    assert [told["status"], *(run["status"] for run in told["runs"])] == ["failed", "done", "failed", "done"]
    # Someone goes on with it on this machine, and it is as if nothing had happened.
    assert gossamer("run", "swept.toml", "--resume", "spread", "--no-report").status == 0
    assert tables(folder / "spread") == tables(local)
    assert manifest(folder / "spread") == manifest(local)


@pytest.mark.usefixtures("local")
def test_an_error_in_a_worker_is_no_death(gossamer: Command, faked: Faked) -> None:
    def fails(name: str) -> None:
        if "seed=2" in name:
            raise ModuleNotFoundError("No module named 'gossamer'")

    faked(fails)
    result = gossamer("run", "swept.toml", "--out", "spread", "--no-report", "--on", "ray")
    assert result.status == 1
    assert "run seed=2 failed: its worker failed: No module named 'gossamer'\n" in result.out


def test_it_goes_on_with_what_a_local_job_has_done(gossamer: Command, local: Path, faked: Faked) -> None:
    whole = tables(local)
    told = json.loads((local / "manifest.json").read_text())
    told["status"] = told["runs"][1]["status"] = "running"
    (local / "manifest.json").write_text(json.dumps(told))
    for file in (local / "runs" / "seed=2").iterdir():
        file.write_bytes(b"cut")
    flows = local / "runs" / "seed=3" / "flows.arrow"
    flows.write_bytes(flows.read_bytes() + b"!")
    kept = (local / "runs" / "seed=1" / "flows.arrow").stat().st_mtime_ns
    seen: list[str] = []
    faked(seen.append)
    result = gossamer("run", "swept.toml", "--resume", "local", "--no-report", "--on", "ray")
    assert result.status == 0
    assert sorted(seen) == ["gossamer run seed=2", "gossamer run seed=3"]
    assert "seed=1: done before" in result.err
    assert tables(local) == whole
    assert (local / "runs" / "seed=1" / "flows.arrow").stat().st_mtime_ns == kept


@pytest.mark.usefixtures("local")
def test_only_the_same_experiment_goes_on(gossamer: Command, folder: Path, faked: Faked) -> None:
    faked()
    (folder / "empty").mkdir()
    other = "cannot go on with it: it is of another experiment file; leave --resume away"
    nothing = "cannot go on with it: there are no results in it; leave --resume away"
    for arguments, message in (
        (("small.toml", "--resume", "local"), f"local: {other}"),
        (("swept.toml", "--resume", "empty"), f"empty: {nothing}"),
    ):
        here, there = (gossamer("run", *arguments, *more) for more in ((), ("--on", "ray")))
        assert (here.status, here.err.splitlines()[-1]) == (2, f"error: {message}")
        assert (there.status, there.err.splitlines()[-1]) == (2, f"error: {message}")
    held = package.start(package.Experiment.from_toml(LONG), out=folder / "held")
    (folder / "experiment.toml").write_text(LONG)
    result = gossamer("run", "experiment.toml", "--resume", "held", "--on", "ray")
    busy = "error: held: another job is writing its results there; wait until it has ended, or stop it"
    assert (result.status, result.err.splitlines()[-1]) == (2, busy)
    held.stop()
    while not held.wait():
        pass


def test_a_job_on_ray_holds_its_folder_and_can_be_stopped(folder: Path, gossamer: Command, faked: Faked) -> None:
    faked()
    (folder / "long.toml").write_text(LONG + "[sweep]\nseed = [1, 2, 3, 4]\n")
    (folder / "long.toml").write_text((folder / "long.toml").read_text().replace("seed = 1\n", "", 1))
    running = package.start(folder / "long.toml", out=folder / "held", on="ray")
    result = gossamer("run", "long.toml", "--resume", "held")
    busy = "error: held: another job is writing its results there; wait until it has ended, or stop it"
    assert (result.status, result.err.splitlines()[-1]) == (2, busy)
    await_hops(running)
    running.stop()
    while not running.wait():
        pass
    statuses = sorted(run.status for run in running.results())
    assert statuses[:2] == ["not-started", "not-started"]
    assert set(statuses[2:]) <= {"stopped", "not-started"}
    assert "stopped" in statuses
    stopped = next(run for run in running.results() if run.status == "stopped")
    assert stopped.flows.num_rows == 2, "what it had has come back"


def test_a_wall_limit_holds_for_all_runs(folder: Path, gossamer: Command, faked: Faked) -> None:
    faked()
    (folder / "long.toml").write_text(LONG.replace("seed = 1\n", "") + "[sweep]\nseed = [1, 2, 3]\n")
    result = gossamer("run", "long.toml", "--wall-limit", "500ms", "--no-report", "--on", "ray", "--out", "spread")
    assert result.status == 1
    told = manifest(folder / "spread")
    assert sorted(run["status"] for run in told["runs"]) == ["not-started", "out-of-time", "out-of-time"]
    assert result.out.splitlines()[-1] == (
        "resume:  gossamer run long.toml --wall-limit 0.5s --on ray --no-report --resume spread"
    )


def test_workers_get_the_files_that_an_experiment_reads(gossamer: Command, folder: Path, faked: Faked) -> None:
    (folder / "traces").mkdir()
    (folder / "traces" / "flows.csv").write_text("id,src,dst,bytes,start\n0,0,1,15000,0\n")
    text = SMALL.replace('kind = "permutation"', 'kind = "trace"\npath = "traces/flows.csv"')
    (folder / "traced.toml").write_text(text)
    assert gossamer("run", "traced.toml", "--no-report", "--out", "local").status == 0
    faked(lambda _: (folder / "traces" / "flows.csv").unlink())
    assert gossamer("run", "traced.toml", "--no-report", "--out", "spread", "--on", "ray").status == 0
    assert tables(folder / "spread") == tables(folder / "local")
    assert manifest(folder / "spread") == manifest(folder / "local")


def test_what_is_wrong_is_said_in_one_line(
    gossamer: Command, folder: Path, faked: Faked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # as if it were not installed
    missing = "error: --on ray: Ray is not installed: pip install 'gossamer[ray]'"
    result = gossamer("run", "small.toml", "--on", "ray")
    assert (result.status, result.err.splitlines()[1:]) == (2, [missing])
    assert not list((folder / "results").iterdir())
    result = gossamer("run", "small.toml", "--on", "slurm")
    expected = "error: --on slurm: expected ray, or ray://HOST:PORT for a cluster that is running"
    assert (result.status, result.err.splitlines()[1:]) == (2, [expected])
    faked()
    result = gossamer("run", "small.toml", "--on", "ray://nowhere:1")
    nobody = "error: --on ray://nowhere:1: no Ray cluster can be reached: ray client connection timeout"
    assert (result.status, result.err.splitlines()[1:]) == (2, [nobody])
    with pytest.raises(InputError, match=r"^on: ray needs a folder for the results, `out`$"):
        package.run("small.toml", on="ray")


def workers(run: str) -> list[int]:
    """Processes of Ray that do this run: Ray gives them the names of their tasks."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_bytes()
        except OSError:
            continue  # it has ended meanwhile
        if words.startswith(b"ray::") and run.encode() in words:
            found.append(int(place.parent.name))
    return found


@pytest.mark.skipif(not RAY, reason="Ray is not installed: pip install 'gossamer[ray]'")
def test_a_cluster_on_this_machine_with_a_worker_killed(gossamer: Command, folder: Path) -> None:
    name = f"victim-{os.getpid()}"
    text = SMALL.replace('"200 us"', '"300 ms"').replace("seed = 1\n", "") + "[sweep]\nseed = [1, 2]\n"
    (folder / "swept.toml").write_text(text + f'[[variant]]\nname = "{name}"\n')
    assert gossamer("run", "swept.toml", "--out", "local", "--no-report").status == 0
    spread = process(
        *("run", "swept.toml", "--out", "spread", "--no-report", "--on", "ray"),
        cwd=folder,
        environment={"RAY_worker_niceness": "0", "RAY_ADDRESS": "local"},
    )
    victim = f"{name},seed=1"
    deadline = time.monotonic() + 120
    while not (found := workers(victim)):
        assert time.monotonic() < deadline, "no worker has begun"
        assert spread.poll() is None, spread.communicate()
        time.sleep(0.05)
    os.kill(found[0], signal.SIGKILL)
    out, err = spread.communicate(timeout=180)
    assert spread.returncode == 0, err
    assert f"run {victim}: its worker died (" in err
    assert f"run {victim}: its worker died once, and it was run again" in out
    assert tables(folder / "spread") == tables(folder / "local")


@pytest.mark.usefixtures("local")
def test_a_changed_plan_is_done_again_there_as_here(gossamer: Command, folder: Path, faked: Faked) -> None:
    """A point more and another version: the same runs are done again, and the same is said of them."""
    faked()
    text = (folder / "swept.toml").read_text()
    assert gossamer("run", "swept.toml", "--out", "there", "--no-report").status == 0
    assert gossamer("run", "swept.toml", "--out", "here", "--no-report").status == 0
    for name in ("here", "there"):
        file = folder / name / "manifest.json"
        manifest = json.loads(file.read_text())
        manifest["runs"][1]["gossamer"] = "0.0.1"
        file.write_text(json.dumps(manifest))
    (folder / "swept.toml").write_text(text.replace("[1, 2, 3]", "[1, 2, 3, 4]"))
    here = gossamer("run", "swept.toml", "--resume", "here", "--no-report")
    there = gossamer("run", "swept.toml", "--resume", "there", "--no-report", "--on", "ray")
    for result in (here, there):
        assert result.status == 0
        assert "seed=2: done again, since another version of Gossamer did it" in result.err.splitlines()
    assert tables(folder / "here") == tables(folder / "there")
    assert (folder / "there" / "experiment.toml").read_text() == (folder / "swept.toml").read_text()
