"""Tables that are not what their run wrote: said by name, all else shown, and never followed out of the file."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gossamer as package
from conftest import SMALL, Command
from gossamer import Experiment

FLIPS = """
import random, sys
from pathlib import Path
from gossamer import Results

whole = {path: path.read_bytes() for path in Path(sys.argv[1]).rglob("*.arrow*")}
chance = random.Random(1)
found = set()
for _ in range(300):
    path, content = chance.choice(sorted(whole.items()))
    flipped = bytearray(content)
    bit = chance.randrange(8 * len(content))
    flipped[bit // 8] ^= 1 << bit % 8
    path.write_bytes(flipped)
    results = Results.open(sys.argv[1])
    for name in ("flows", "links", "histograms", "counters", "series", "summary"):
        table = results[0].table(name)
        if path.name.startswith(name):
            table.to_pylist()  # the others are whole
    found.add(results[0].damaged)
    path.write_bytes(content)
print(sorted(found))
"""


@pytest.fixture
def results(gossamer: Command, folder: Path) -> Path:
    """Results of a run."""
    assert gossamer("run", "small.toml", "--no-report").status == 0
    return folder / "results" / "small"


def flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 4
    file.write_bytes(content)


def test_a_damaged_table_is_left_out_and_said(gossamer: Command, results: Path) -> None:
    flip(results / "runs" / "run" / "flows.arrow")
    result = gossamer("report", results)
    assert result.status == 1
    assert (
        "run run: flows.arrow is damaged: its SHA-256 is not the one in manifest.json; it is left out"
        in result.out.splitlines()
    )
    assert "Gb/s" in result.out, "what is in the summary is shown"
    assert (results / "report.html").exists()
    opened = package.load(results)
    assert (opened.flows.num_rows, opened.links.num_rows) == (0, 4)
    assert opened["run"].why_empty("flows") == (
        "run run has no flows: flows.arrow is damaged: its SHA-256 is not the one in manifest.json"
    )


def test_a_cut_table_is_used_up_to_the_cut_and_said(gossamer: Command, results: Path) -> None:
    file = results / "runs" / "run" / "flows.arrow"
    size = file.stat().st_size
    with file.open("r+b") as opened:
        opened.truncate(size - 8)
    result = gossamer("report", results)
    assert result.status == 1
    line = f"run run: flows.arrow was cut to {size - 8} of {size} bytes; the 2 rows before that are used"
    assert line in result.out.splitlines()


def test_a_missing_table_is_said(gossamer: Command, results: Path) -> None:
    (results / "runs" / "run" / "links.arrow").unlink()
    result = gossamer("report", results)
    assert result.status == 1
    assert "run run: links.arrow is missing, though it was finished; it is left out" in result.out.splitlines()


def test_a_table_that_is_whole_is_no_warning(gossamer: Command, results: Path) -> None:
    assert gossamer("report", results).status == 0
    assert package.load(results).warnings == []


@pytest.mark.parametrize("finished", [True, False])
def test_no_flipped_bit_ends_the_process(results: Path, finished: bool) -> None:
    """With the digests of a finished run, and without, as when a run was killed."""
    manifest = results / "manifest.json"
    if not finished:
        content = json.loads(manifest.read_text())
        del content["runs"][0]["tables"]
        content["runs"][0]["status"] = "running"
        manifest.write_text(json.dumps(content))
        run = results / "runs" / "run"
        shutil.copy(run / "flows.arrow", run / "series.arrow.tail")
    ended = subprocess.run(
        [sys.executable, "-c", FLIPS, str(results)], capture_output=True, text=True, timeout=240, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == ("[True]\n" if finished else "[False, True]\n")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'{"runs": "caf\xe9"}', "it is not UTF-8 text (byte 0xe9 at offset 13)"),
        (b'{"runs": [1]}', "'int' object is not subscriptable"),
        (b'{"runs": [{"name": "a", "sweep": [1]}]}', "'list' object has no attribute 'items'"),
    ],
)
def test_a_manifest_that_is_none(gossamer: Command, folder: Path, content: bytes, reason: str) -> None:
    (folder / "there").mkdir()
    (folder / "there" / "manifest.json").write_bytes(content)
    result = gossamer("report", "there")
    assert (result.status, result.out) == (2, "")
    assert result.err == f"error: there/manifest.json is not a manifest of Gossamer: {reason}\n"


def test_unfinished_flows_are_said_in_a_line(gossamer: Command, folder: Path) -> None:
    text = SMALL.replace('kind = "permutation"', 'kind = "permutation"\nsize = "1 GB"')
    (folder / "unfinished.toml").write_text(text)
    result = gossamer("run", "unfinished.toml", "--no-report")
    assert result.status == 0
    assert "the run ended with unfinished flows: run (2 of 2)" in result.out.splitlines()
    assert "unfinished" not in gossamer("run", "small.toml", "--no-report").out, "endless flows never finish"


def test_a_run_that_stalled_is_no_success(gossamer: Command, folder: Path) -> None:
    text = SMALL.replace('kind = "permutation"', 'kind = "permutation"\nsize = "1 MB"').replace("200 us", "50 ms")
    text += '\n[[fault]]\nnode = "switch-0"\nat = "10 us"\n'
    (folder / "dead.toml").write_text(text.replace('kind = "dctcp"', 'kind = "direct"'))
    result = gossamer("run", "dead.toml", "--no-report")
    assert result.status == 1
    assert any(line.startswith("run run stalled: ") for line in result.out.splitlines())


def test_in_memory_nothing_is_missing() -> None:
    (run,) = package.run(Experiment.from_toml(SMALL))
    assert not run.damaged
    assert run.record.tables["flows"].bytes > 0
