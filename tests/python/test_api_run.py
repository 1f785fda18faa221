"""Running from Python."""

import threading
from pathlib import Path

import pyarrow as pa
import pytest

import gossamer
from conftest import LONG, ROOT, SMALL, await_hops
from gossamer import Experiment, InputError, Progress


def test_a_dict_runs_in_memory_and_gives_tables() -> None:
    results = gossamer.run(Experiment.from_toml(SMALL).to_dict())
    assert results.path is None
    assert isinstance(results.flows, pa.Table)
    assert results.flows.num_rows == 2
    assert results.summary["hosts"].to_pylist() == [2]
    assert results.links.num_rows == 4
    assert results[0].status == "done"


def test_memory_and_folder_hold_the_same(tmp_path: Path) -> None:
    in_memory = gossamer.run(Experiment.from_toml(SMALL))
    on_disk = gossamer.run(Experiment.from_toml(SMALL), out=tmp_path / "results")
    for table in ("flows", "operations", "links", "histograms", "counters", "collisions", "series", "summary"):
        assert in_memory.table(table).equals(on_disk.table(table)), table
    again = gossamer.load(tmp_path / "results")
    assert again.summary.equals(on_disk.summary)


def test_a_file_and_overrides(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    results = gossamer.run(file, overrides=["topology.hosts=6"], threads=1)
    assert results.summary["hosts"].to_pylist() == [6]
    assert gossamer.run(str(file)).summary["hosts"].to_pylist() == [2]


def test_progress_is_told_to_the_end() -> None:
    seen: list[Progress] = []
    gossamer.run(Experiment.from_toml(SMALL), progress=seen.append)
    assert seen[-1]["runs"][0]["status"] == "done"
    assert seen[-1]["hops"] > 0


def test_other_threads_go_on() -> None:
    """The interpreter lock is free while a run goes on: another thread counts on."""
    running = gossamer.start(Experiment.from_toml(LONG), threads=1)
    counted = 0
    ended = threading.Event()

    def count() -> None:
        nonlocal counted
        while not ended.wait(0.001):
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    assert not running.wait(0.5)
    ended.set()
    thread.join()
    await_hops(running)
    running.stop()
    while not running.wait():
        pass
    assert counted > 50
    assert running.results()[0].status == "stopped"


def test_a_callback_that_fails_stops_the_runs() -> None:
    def fail(_: Progress) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        gossamer.run(Experiment.from_toml(LONG), progress=fail)


def test_a_wall_limit() -> None:
    results = gossamer.run(Experiment.from_toml(LONG), wall_limit_s=2.0)
    assert results[0].status == "out-of-time"


def test_check_says_what_would_run() -> None:
    plan = gossamer.check(Experiment.from_toml(SMALL), overrides=["topology.hosts=8"])
    assert plan["title"] == "Two hosts and a switch"
    assert [run["hosts"] for run in plan["runs"]] == [8]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"threads": 0}, "threads: 0 is too few; at least one is needed"),
        ({"overrides": ["sead=1"]}, "seed"),
        ({"out": "/proc/nowhere"}, "/proc/nowhere"),
    ],
)
def test_bad_input_is_an_input_error(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(InputError) as caught:
        gossamer.run(Experiment.from_toml(SMALL), **arguments)  # type: ignore[arg-type]
    assert words in str(caught.value)


def test_the_error_is_named_as_it_is_imported() -> None:
    assert f"{InputError.__module__}.{InputError.__qualname__}" == "gossamer.InputError"


def test_relative_paths_start_from_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    (folder / "flows.csv").write_text("id,src,dst,bytes,start\n0,0,1,15000,0\n")
    tables = Experiment.from_toml(SMALL).to_dict()
    tables["workload"] = [{"kind": "trace", "path": "flows.csv"}]
    results = gossamer.run(Experiment.from_dict(tables, folder / "trace.toml"))
    assert results.flows["delivered_bytes"].to_pylist() == [15000]


def test_every_experiment_that_ships_is_right() -> None:
    files = [
        file for file in (*ROOT.glob("experiments/*.toml"), *ROOT.glob("papers/*/*.toml")) if file.name != "claims.toml"
    ]
    assert any(file.name == "quickstart.toml" for file in files)
    for file in files:
        assert gossamer.check(file)["runs"], file
