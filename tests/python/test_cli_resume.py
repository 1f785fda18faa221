"""Runs that were stopped go on with `--resume`, and those that are done stay as they are."""

import json
import time
from pathlib import Path

import pytest

import gossamer as package
from conftest import LONG, SMALL, Command, await_hops, process
from gossamer import Experiment
from gossamer.errors import InputError

SWEPT = "[sweep]\nseed = [1, 2, 3]\n"


def tables(folder: Path) -> dict[str, bytes]:
    """What is in all tables of a results folder."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted((folder / "runs").glob("*/*"))}


@pytest.fixture
def stopped(gossamer: Command, folder: Path) -> tuple[Path, dict[str, bytes]]:
    """A folder as after Ctrl-C in the second of three runs, with what it would have had; the file is swept.toml."""
    swept = (folder / "small.toml").read_text().replace("seed = 1\n", "") + SWEPT
    (folder / "swept.toml").write_text(swept)
    assert gossamer("run", "swept.toml", "--threads", "1").status == 0
    results = folder / "results" / "swept"
    whole = tables(results)
    path = results / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["status"] = manifest["runs"][1]["status"] = "stopped"
    manifest["runs"][2]["status"] = "not-started"
    path.write_text(json.dumps(manifest))
    for file in (results / "runs").glob(manifest["runs"][1]["name"] + "/*"):
        file.write_bytes(file.read_bytes()[:100])
    for file in (results / "runs").glob(manifest["runs"][2]["name"] + "/*"):
        file.unlink()
    return results, whole


def test_it_ends_as_if_it_had_not_been_stopped(
    gossamer: Command, folder: Path, stopped: tuple[Path, dict[str, bytes]]
) -> None:
    results, whole = stopped
    first = min((results / "runs").iterdir())
    before = {file.name: file.stat().st_mtime_ns for file in first.iterdir()}
    result = gossamer("run", "swept.toml", "--resume", results.relative_to(folder))
    assert (result.status, result.out.splitlines()[-2:]) == (
        0,
        ["results: results/swept", "report:  results/swept/report.html"],
    )
    assert tables(results) == whole
    assert {file.name: file.stat().st_mtime_ns for file in first.iterdir()} == before, "what is done is not run again"
    manifest = json.loads((results / "manifest.json").read_text())
    assert [manifest["status"], *(run["status"] for run in manifest["runs"])] == ["done"] * 4


@pytest.mark.usefixtures("stopped")
def test_only_the_same_file_goes_on(gossamer: Command) -> None:
    result = gossamer("run", "small.toml", "--resume", "results/swept")
    other = "cannot go on with it: it is of another experiment file; leave --resume away"
    assert (result.status, result.err.splitlines()[-1]) == (2, f"error: results/swept: {other}")


def changed(folder: Path) -> dict[str, int]:
    """When the first table of each run was written."""
    return {each.parent.name: each.stat().st_mtime_ns for each in (folder / "runs").glob("*/flows.arrow")}


def test_a_point_more_runs_alone(gossamer: Command, folder: Path) -> None:
    text = SMALL.replace("seed = 1\n", "") + SWEPT
    (folder / "swept.toml").write_text(text)
    assert gossamer("run", "swept.toml", "--out", "grown", "--no-report").status == 0
    before = changed(folder / "grown")
    (folder / "swept.toml").write_text(text.replace("[1, 2, 3]", "[0, 1, 2, 3]") + "# a comment more\n")
    result = gossamer("run", "swept.toml", "--resume", "grown", "--no-report")
    assert result.status == 0
    assert "done again" not in result.err
    after = changed(folder / "grown")
    assert {name: after[name] for name in before} == before, "what is done is not run again"
    assert set(after) - set(before) == {"seed=0"}
    assert gossamer("run", "swept.toml", "--out", "whole", "--no-report").status == 0
    assert tables(folder / "grown") == tables(folder / "whole")
    names = [run["name"] for run in json.loads((folder / "grown" / "manifest.json").read_text())["runs"]]
    assert names == ["seed=0", "seed=1", "seed=2", "seed=3"]


def test_a_changed_key_does_those_runs_again_that_it_changes(gossamer: Command, folder: Path) -> None:
    variants = '[[variant]]\nname = "short"\n[[variant]]\nname = "long"\nfabric.queue = "{}"\n'
    (folder / "two.toml").write_text(SMALL + variants.format("50 packets"))
    assert gossamer("run", "two.toml", "--out", "two", "--no-report").status == 0
    before = changed(folder / "two")
    (folder / "two.toml").write_text(SMALL + variants.format("60 packets"))
    result = gossamer("run", "two.toml", "--resume", "two", "--no-report")
    assert result.status == 0
    assert "long: done again, since the plan or a file that it reads has changed" in result.err.splitlines()
    after = changed(folder / "two")
    assert (after["short"] == before["short"], after["long"] == before["long"]) == (True, False)
    result = gossamer("run", "two.toml", "--resume", "two", "--no-report", "--set", "duration=100 us")
    assert "short, long: done again, since the plan or a file that it reads has changed" in result.err.splitlines()
    assert (folder / "two" / "experiment.toml").read_text() == SMALL + variants.format("60 packets")


def test_another_version_does_its_runs_again(gossamer: Command, folder: Path) -> None:
    assert gossamer("run", "small.toml", "--out", "old", "--no-report").status == 0
    file = folder / "old" / "manifest.json"
    manifest = json.loads(file.read_text())
    manifest["runs"][0]["gossamer"] = "0.0.1"
    file.write_text(json.dumps(manifest))
    result = gossamer("run", "small.toml", "--resume", "old", "--no-report")
    assert result.status == 0
    assert "run: done again, since another version of Gossamer did it" in result.err.splitlines()
    assert json.loads(file.read_text())["runs"][0]["gossamer"] == package.__version__


def test_there_must_be_something(gossamer: Command, folder: Path) -> None:
    (folder / "empty").mkdir()
    for place in ("empty", "nowhere"):
        result = gossamer("run", "small.toml", "--resume", place)
        assert (result.status, result.err.splitlines()[-1]) == (
            2,
            f"error: {place}: cannot go on with it: there are no results in it; leave --resume away",
        )
    assert (folder / "empty").is_dir()
    result = gossamer("run", "small.toml", "--resume", "empty", "--out", "other")
    assert (result.status, result.err) == (2, "error: --resume already names the folder: omit --out\n")
    with pytest.raises(InputError, match=r"^resume: nothing can be resumed without `out`$"):
        package.run("small.toml", resume=True)


def test_a_folder_is_written_by_one_job(gossamer: Command, folder: Path) -> None:
    running = package.start(Experiment.from_toml(LONG), out=folder / "held")
    (folder / "experiment.toml").write_text(LONG)
    result = gossamer("run", "experiment.toml", "--resume", "held")
    assert (result.status, result.err.splitlines()[-1]) == (
        2,
        "error: held: another job is writing its results there; wait until it has ended, or stop it",
    )
    await_hops(running)
    running.stop()
    while not running.wait():
        pass
    assert running.results()[0].status == "stopped"
    assert gossamer("run", "experiment.toml", "--resume", "held", "--wall-limit", "1ms", "--no-report").status == 1


def test_a_job_that_was_killed_leaves_no_lock(gossamer: Command, folder: Path) -> None:
    (folder / "long.toml").write_text(LONG)
    killed = process("run", "long.toml", cwd=folder)
    manifest = folder / "results" / "long" / "manifest.json"
    deadline = time.monotonic() + 60
    while not manifest.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    killed.kill()
    killed.communicate(timeout=60)
    result = gossamer("run", "long.toml", "--resume", "results/long", "--wall-limit", "1ms", "--no-report")
    assert (result.status, result.err.count("error")) == (1, 0)


def test_a_job_that_was_killed_half_way_ends_with_the_bytes_of_one_that_ran_through(
    gossamer: Command, folder: Path
) -> None:
    # Long enough that six runs are still going when two are seen to be done, on a fast machine too.
    text = SMALL.replace('"200 us"', '"500 ms"').replace("seed = 1\n", "")
    (folder / "sweep.toml").write_text(text + f"[sweep]\nseed = {list(range(1, 9))}\n")
    assert gossamer("run", "sweep.toml", "--out", "whole", "--no-report").status == 0
    killed = process("run", "sweep.toml", "--out", "killed", "--threads", "1", "--no-report", cwd=folder)
    file = folder / "killed" / "manifest.json"
    deadline = time.monotonic() + 60
    while not file.exists() or sum(run["status"] == "done" for run in json.loads(file.read_text())["runs"]) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    killed.kill()
    killed.communicate(timeout=60)
    before = json.loads(file.read_text())
    done = [run["name"] for run in before["runs"] if run["status"] == "done"]
    assert before["status"] == "running"
    assert 2 <= len(done) < 8, "it was killed half-way"
    times = {path: path.stat().st_mtime_ns for name in done for path in (folder / "killed/runs" / name).iterdir()}
    assert gossamer("run", "sweep.toml", "--resume", "killed", "--no-report").status == 0
    assert tables(folder / "killed") == tables(folder / "whole")
    assert {path: path.stat().st_mtime_ns for path in times} == times, "what is done is not run again"
    digests = [
        {run["name"]: run["tables"] for run in json.loads((folder / name / "manifest.json").read_text())["runs"]}
        for name in ("killed", "whole")
    ]
    assert digests[0] == digests[1]


def test_a_file_that_the_experiment_reads_belongs_to_it(gossamer: Command, folder: Path) -> None:
    trace = folder / "flows.csv"
    trace.write_text("id,src,dst,bytes,start\n0,0,1,15000,0\n")
    text = SMALL.replace('kind = "permutation"', 'kind = "trace"\npath = "flows.csv"')
    (folder / "traced.toml").write_text(text)
    assert gossamer("run", "traced.toml", "--no-report").status == 0
    manifest = json.loads((folder / "results" / "traced" / "manifest.json").read_text())
    assert manifest["inputs"]["flows.csv"]["bytes"] == trace.stat().st_size
    trace.write_text("id,src,dst,bytes,start\n0,0,1,16000,0\n")
    result = gossamer("run", "traced.toml", "--resume", "results/traced", "--no-report")
    assert result.status == 0
    assert "run: done again, since the plan or a file that it reads has changed" in result.err.splitlines()
    assert package.load("results/traced").flows.column("bytes").to_pylist() == [16000]
