"""`gossamer compare`: what differs between results folders, and what is not compared."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from conftest import SMALL, Command, assert_snapshot
from gossamer.analysis.folders import Folders
from gossamer.analysis.settings import settings_of
from gossamer.results import Results
from synthetic_results import lively_run, record, write_folder
from test_report_page import CHROMIUM, Elements, browse

VARIANTS = """
[[variant]]
name = "slow"
topology.rate = "1 Gb/s"

[[variant]]
name = "fast"
"""


@pytest.fixture
def pair(gossamer: Command, folder: Path) -> Path:
    """Folders `before` and `after`: two variants, of which the change reaches only one."""
    (folder / "two.toml").write_text(SMALL + VARIANTS)
    changed = SMALL.replace('"20 packets"', '"30 packets"') + VARIANTS.replace('"1 Gb/s"', '"2 Gb/s"')
    (folder / "changed.toml").write_text(changed)
    assert gossamer("run", "two.toml", "--out", "before", "--no-report").status == 0
    assert gossamer("run", "changed.toml", "--out", "after", "--no-report").status == 0
    return folder


def compared(gossamer: Command, *folders: str) -> dict[str, Any]:
    result = gossamer("compare", *folders, "--no-report", "--json")
    found: dict[str, Any] = json.loads(result.out)
    return found


def summaries(folder: Path) -> dict[str, dict[str, Any]]:
    return {row["run"]: row for row in Results.open(folder).summary.to_pylist()}


def test_the_terminal_says_it_shortly(gossamer: Command, pair: Path) -> None:
    result = gossamer("compare", "before", "after")
    assert (result.status, result.err) == (0, "")
    assert_snapshot("compare", result.out)
    assert (pair / "comparison.html").is_file()


def test_differences_are_those_of_the_summaries(gossamer: Command, pair: Path) -> None:
    before, after = (summaries(pair / name) for name in ("before", "after"))
    runs = {run["name"]: run for run in compared(gossamer, "before", "after")["runs"]}
    assert list(runs) == ["slow", "fast"]
    key = "goodput_per_host_bps"
    number = runs["slow"]["metrics"][key]
    values = [each["slow"][key] for each in (before, after)]
    assert number["values"] == values
    assert number["differences"] == [
        None,
        {
            "absolute": values[1] - values[0],
            "relative": (values[1] - values[0]) / values[0],
            "within_spread_over_seeds": False,
        },
    ]
    assert 0.5 < number["differences"][1]["relative"] < 1.5, "twice the rate"
    assert not runs["slow"]["identical"]
    assert "summary" in runs["slow"]["differing_tables"][1]


def test_same_bytes_are_said_to_be_the_same(gossamer: Command, pair: Path) -> None:
    assert gossamer("run", "two.toml", "--out", "again", "--no-report", "--threads", "2").status == 0
    result = gossamer("compare", "before", "again", "--no-report")
    assert (result.status, result.out) == (
        0,
        "The tables of all 2 runs are the same to the byte.\nsettings: the same\n",
    )
    runs = compared(gossamer, "before", "again")["runs"]
    assert [(run["identical"], run["differing_tables"]) for run in runs] == [(True, [None, []])] * 2
    report = pair / "same.html"
    assert gossamer("compare", "before", "again", "--out", report).status == 0
    assert "Nothing: all keys are the same." in report.read_text()


def test_settings_are_compared_with_overrides(gossamer: Command, pair: Path) -> None:
    override = ("--set", "workload.permutation.start=10 us", "--set", "seed=2")
    assert gossamer("run", "two.toml", "--out", "other", "--no-report", *override).status == 0
    assert compared(gossamer, "before", "other")["settings"] == [
        {"key": "seed", "values": ["1", "2"]},
        {"key": "workload.permutation.start", "values": [None, '"10 us"']},
    ]
    assert compared(gossamer, "before", "after")["settings"] == [
        {"key": "fabric.ecn_threshold", "values": ['"20 packets"', '"30 packets"']},
        {"key": "variant.slow.topology.rate", "values": ['"1 Gb/s"', '"2 Gb/s"']},
    ]
    (pair / "before" / "experiment.toml").unlink()
    assert settings_of(Results.open(pair / "before")) is None
    assert "settings: not known" in gossamer("compare", "before", "after", "--no-report").out


def test_what_is_not_whole_is_named_and_not_compared(gossamer: Command, pair: Path) -> None:
    flows = pair / "after" / "runs" / "fast" / "flows.arrow"
    content = bytearray(flows.read_bytes())
    content[len(content) // 2] ^= 4
    flows.write_bytes(content)
    manifest = pair / "before" / "manifest.json"
    told = json.loads(manifest.read_text())
    told["status"] = "stopped"
    told["runs"][0] |= {"status": "stalled", "message": "flow 0 waits for nothing"}
    manifest.write_text(json.dumps(told))
    result = gossamer("compare", "before", "after")
    assert (result.status, result.err) == (1, "")
    assert result.out.splitlines() == [
        "No run is whole in two folders, so nothing can be compared.",
        'setting fabric.ecn_threshold: "20 packets" -> "30 packets"',
        'setting variant.slow.topology.rate: "1 Gb/s" -> "2 Gb/s"',
        "before: run slow stalled: flow 0 waits for nothing",
        "before: not compared, since not whole: slow",
        "after: run fast: flows.arrow is damaged: its SHA-256 is not the one in manifest.json; it is left out",
        "after: not compared, since not whole: fast",
        "report:  comparison.html",
    ]
    runs = compared(gossamer, "before", "after")["runs"]
    assert [run["not_whole"] for run in runs] == [["stalled", None], [None, "has damaged tables"]]
    for run in runs:
        assert not run["identical"]
        assert all(each["differences"][1] is None for each in run["metrics"].values())
    page = Elements((pair / "comparison.html").read_text())
    assert "not compared: it stalled in before" in page.text
    assert "not compared: it has damaged tables in after" in page.text


def test_runs_that_one_folder_has_are_listed(gossamer: Command, pair: Path) -> None:
    (pair / "one.toml").write_text(SMALL + VARIANTS.replace('"fast"', '"faster"'))
    assert gossamer("run", "one.toml", "--out", "other", "--no-report").status == 0
    result = gossamer("compare", "before", "other", "--no-report")
    assert result.status == 0
    assert {"only in before: fast", "only in other: faster"} <= set(result.out.splitlines())
    assert [each["only_here"] for each in compared(gossamer, "before", "other")["folders"]] == [["fast"], ["faster"]]
    (pair / "small.toml").write_text(SMALL)
    assert gossamer("run", "small.toml", "--out", "nothing", "--no-report").status == 0
    result = gossamer("compare", "before", "nothing", "--no-report")
    assert result.status == 1
    assert result.out.startswith("No run of one folder has the name of a run of another, so nothing can be compared.\n")


def test_seeds_are_pooled(tmp_path: Path) -> None:
    folders = []
    for name, seeds, harm in (("first", (1, 2), 1.0), ("second", (3, 4), 1.0), ("worse", (5, 6), 6.0)):
        runs = [
            record(
                f"dctcp,load=0.5,seed={seed}",
                variant="dctcp",
                sweep={"workload.0.load": 0.5, "seed": seed},
                seed=seed,
                tables=lively_run("dctcp", 0.5, harm, flows=1200, seed=seed),
            )
            for seed in seeds
        ]
        folders.append(write_folder(tmp_path / name, runs))
    found = Folders.of(folders)
    assert [match.name for match in found.matches] == ["dctcp,load=0.5"]
    number = found.matches[0].number("goodput_per_host_bps")
    assert number is not None
    means = [sum(row["goodput_per_host_bps"] for row in Results.open(each).summary.to_pylist()) / 2 for each in folders]
    assert [spread.mean for spread in number.spreads if spread] == means
    assert found.matches[0].differing_tables(1) is None, "of other seeds nothing is known"
    bounds = found.matches[0].number("slowdown_mean") or found.matches[0].number("fct_mean_ps")
    assert bounds is not None
    assert "a lower bound" in bounds.weak[0]
    assert bounds.difference(1) is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["before"], "compare needs at least two results folders, not 1"),
        (["before", "nowhere"], "nowhere: no such folder; expected the results folder of an experiment"),
        (["before", "before/"], "before: is named twice; compare needs different results folders"),
        (["before", "empty"], "empty is not a results folder: it has neither manifest.json nor runs/*/*.arrow"),
        (
            ["before"] * 9,
            "compare takes at most 8 results folders, not 9: more could not be told apart",
        ),
        (
            ["before", "after", "--out", "two.toml"],
            "--out two.toml: expected the name of an HTML file, such as two.html",
        ),
        (["before", "after", "--out", "no/a.html"], "no/a.html cannot be written: No such file or directory"),
    ],
)
def test_bad_input_is_one_message(gossamer: Command, pair: Path, arguments: list[str], message: str) -> None:
    (pair / "empty").mkdir()
    result = gossamer("compare", *arguments)
    assert (result.status, result.out, result.err) == (2, "", f"error: {message}\n")


def test_labels_tell_folders_apart(gossamer: Command, pair: Path) -> None:
    for place in ("mine", "yours"):
        shutil.copytree(pair / "before", pair / place / "results")
    labels = [each["label"] for each in compared(gossamer, "mine/results", "yours/results")["folders"]]
    assert labels == ["mine/results", "yours/results"]


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium or Chrome is on the path")
def test_a_browser_draws_the_report(gossamer: Command, pair: Path, tmp_path: Path) -> None:
    assert gossamer("compare", "before", "after", "--out", "page.html").status == 0
    text = (pair / "page.html").read_text()
    assert not re.search(r'(src|href)="(?!data:)', text)
    dom, said = browse(pair / "page.html", tmp_path / "profile")
    assert said == []
    assert "data-failed" not in dom
    drawn = re.search(r'data-drawn="(\d+)"', dom)
    assert drawn
    assert int(drawn[1]) > 5
    assert re.search(r'<option selected="">slow</option>', dom), "a run that differs is shown first"
