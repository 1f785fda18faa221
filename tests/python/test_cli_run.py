"""`gossamer run` from a file to a report."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from conftest import SMALL, Command
from gossamer import Results
from gossamer.cli.new import KINDS
from gossamer.results.columns import TABLES

VARIANTS = (
    SMALL
    + """
[[variant]]
name = "reno"
transport.kind = "newreno"

[[variant]]
name = "dctcp"

[sweep]
seed = [1, 2]
"""
)


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_a_run_leaves_tables_and_a_report_and_names_it(gossamer: Command, folder: Path) -> None:
    result = gossamer("run", "small.toml")
    assert result.status == 0
    assert result.out.splitlines()[-2:] == ["results: results/small", "report:  results/small/report.html"]
    assert "error" not in result.err
    assert names(folder / "results" / "small") == ["experiment.toml", "manifest.json", "report.html", "runs"]
    assert (folder / "results" / "small" / "experiment.toml").read_text() == SMALL
    (run,) = (folder / "results" / "small" / "runs").iterdir()
    assert {f"{table}.arrow" for table in TABLES} <= set(names(run))
    assert "<html" in (folder / "results" / "small" / "report.html").read_text()


def test_what_is_about_to_run_is_said_first(gossamer: Command) -> None:
    first = gossamer("run", "small.toml", "--no-report").err.splitlines()[0]
    assert first.startswith("Two hosts and a switch: 1 run, about ")


def test_the_summary_has_a_line_for_all_seeds(gossamer: Command, folder: Path) -> None:
    (folder / "variants.toml").write_text(VARIANTS)
    result = gossamer("run", "variants.toml", "--threads", "2", "--no-report")
    lines = result.out.splitlines()
    assert result.status == 0
    assert lines[0].split()[0] == "Run"
    assert "Throughput per host" in lines[0]
    assert [line.split()[0] for line in lines[1:3]] == ["reno", "dctcp"]
    assert all(re.search(r" ± [0-9.]+ Gb/s", line) for line in lines[1:3])
    assert lines[3:] == [
        "means ± half of their confidence intervals: 2 seeds, 95 % confidence",
        "results: results/variants",
    ]


def test_the_summary_has_a_line_a_run_where_there_is_one_seed(gossamer: Command, folder: Path) -> None:
    (folder / "variants.toml").write_text(VARIANTS.replace("seed = [1, 2]", "seed = [1]"))
    lines = gossamer("run", "variants.toml", "--no-report").out.splitlines()
    assert [line.split()[0] for line in lines[1:3]] == ["reno,seed=1", "dctcp,seed=1"]
    assert "±" not in "".join(lines)


def test_results_are_numbered_and_never_overwritten(gossamer: Command, folder: Path) -> None:
    for expected in ("small", "small-2", "small-3"):
        assert f"results: results/{expected}\n" in gossamer("run", "small.toml", "--no-report").out
    assert names(folder / "results") == ["small", "small-2", "small-3"]


def test_out_may_be_an_empty_folder(gossamer: Command, folder: Path) -> None:
    (folder / "mine").mkdir()
    assert gossamer("run", "small.toml", "--no-report", "--out", "mine").status == 0
    assert "manifest.json" in names(folder / "mine")


def test_json_is_the_only_output(gossamer: Command) -> None:
    result = gossamer("run", "small.toml", "--json")
    assert (result.status, result.err) == (0, "")
    outcome = json.loads(result.out)
    assert set(outcome) == {"status", "folder", "report", "resume", "wall_s", "runs"}
    assert (outcome["status"], outcome["folder"]) == ("done", "results/small")
    assert outcome["report"] == "results/small/report.html"
    assert outcome["resume"] is None
    (run,) = outcome["runs"]
    assert run["status"] == "done"
    assert run["summary"]["hosts"] == 2
    assert run["summary"]["goodput_bps"] > 1e9


def test_overrides_are_recorded(gossamer: Command, folder: Path) -> None:
    assert gossamer("run", "small.toml", "--no-report", "--set", "seed=9", "--set", "topology.hosts=4").status == 0
    manifest = json.loads((folder / "results" / "small" / "manifest.json").read_text())
    assert manifest["overrides"] == ["seed=9", "topology.hosts=4"]
    assert manifest["runs"][0]["seed"] == 9
    assert Results.open(folder / "results" / "small").summary["hosts"].to_pylist() == [4]


def test_forms_and_plots(gossamer: Command, folder: Path) -> None:
    result = gossamer("run", "small.toml", "--format", "csv,parquet", "--plots", "png,svg,pdf")
    assert result.status == 0
    results = folder / "results" / "small"
    assert {f"{table}.csv" for table in TABLES} <= set(names(results / "csv"))
    assert {f"{table}.parquet" for table in TABLES} <= set(names(results / "parquet"))
    plots = list((results / "plots").iterdir())
    heads = {plot.suffix: plot.read_bytes()[:5] for plot in plots}
    assert heads[".png"] == b"\x89PNG\r"
    assert heads[".pdf"] == b"%PDF-"
    assert heads[".svg"] == b"<svg "


def test_a_report_is_made_again_from_the_folder_alone(gossamer: Command, folder: Path) -> None:
    gossamer("run", "small.toml")
    report = folder / "results" / "small" / "report.html"
    first = report.read_bytes()
    report.unlink()
    (folder / "results" / "small").rename(folder / "elsewhere")
    result = gossamer("report", "elsewhere", "--plots", "svg")
    assert result.status == 0
    assert result.out.splitlines()[-2:] == ["plots:   elsewhere/plots", "report:  elsewhere/report.html"]
    assert (folder / "elsewhere" / "report.html").read_bytes() == first


def test_a_limit_of_real_time_keeps_what_there_is(gossamer: Command, folder: Path) -> None:
    result = gossamer("run", "small.toml", "--set", "duration=100 s", "--wall-limit", "2s")
    assert result.status == 1
    assert "out-of-time" in result.out
    results = Results.open(folder / "results" / "small")
    assert results[0].status == "out-of-time"
    assert 0 < results.manifest.runs[0].simulated_ps < 100_000_000_000_000
    assert (folder / "results" / "small" / "report.html").exists()


class TestCheck:
    def test_the_plan_as_a_table(self, gossamer: Command, folder: Path) -> None:
        (folder / "variants.toml").write_text(VARIANTS)
        result = gossamer("check", "variants.toml")
        assert (result.status, result.err) == (0, "")
        lines = result.out.splitlines()
        assert lines[0] == "Two hosts and a switch"
        assert lines[1].split()[:3] == ["Run", "Hosts", "Links"]
        assert [line.split()[0] for line in lines[2:6]] == [
            "reno,seed=1",
            "reno,seed=2",
            "dctcp,seed=1",
            "dctcp,seed=2",
        ]
        assert lines[6].startswith("topology: star: 2 hosts")
        assert lines[7].startswith("workload permutation: ")
        assert not (folder / "results").exists()

    def test_the_plan_as_json(self, gossamer: Command) -> None:
        plan = json.loads(gossamer("check", "small.toml", "--json").out)
        assert set(plan) == {"title", "runs", "warnings"}
        (run,) = plan["runs"]
        assert (run["hosts"], run["switches"], run["seed"]) == (2, 1, 1)
        assert run["workloads"][0]["flows"] == 2
        assert run["workloads"][0]["transport"] == run["transport"] == "dctcp"
        assert run["estimated_hops"] > 0

    def test_which_workload_has_which_transport(self, gossamer: Command, folder: Path) -> None:
        """They are named where workloads of a run differ in them."""
        own = '\n[[workload]]\nkind = "permutation"\nname = "other"\ntransport.kind = "newreno"\n'
        (folder / "two.toml").write_text(SMALL + own)
        lines = gossamer("check", "two.toml").out.splitlines()
        described = [line.split(", ") for line in lines if line.startswith("workload ")]
        assert [(facts[0].split(":")[0], [f for f in facts if f.startswith("by ")]) for facts in described] == [
            ("workload permutation", ["by dctcp"]),
            ("workload other", ["by newreno"]),
        ]
        assert ", by " not in gossamer("check", "small.toml").out


class TestNew:
    def test_the_file_it_writes_is_an_experiment(self, gossamer: Command, folder: Path) -> None:
        result = gossamer("new")
        assert (result.status, result.err) == (0, "")
        assert result.out == "wrote minimal.toml; `gossamer check minimal.toml` shows what it runs\n"
        text = (folder / "minimal.toml").read_text()
        assert "#" in text
        assert "seed" in tomllib.loads(text)
        assert gossamer("check", "minimal.toml").status == 0

    @pytest.mark.parametrize("kind", KINDS)
    def test_every_kind_that_help_lists(self, gossamer: Command, folder: Path, kind: str) -> None:
        assert kind in gossamer("new", "--help").out
        assert gossamer("new", kind).status == 0
        assert tomllib.loads((folder / f"{kind}.toml").read_text())["seed"] >= 0

    def test_another_name(self, gossamer: Command, folder: Path) -> None:
        assert gossamer("new", "mine.toml").status == 0
        assert (folder / "mine.toml").read_text() == gossamer("new", "-").out


class TestDefinitions:
    def test_schema(self, gossamer: Command) -> None:
        schema = json.loads(gossamer("schema").out)
        assert "topology" in schema["properties"]

    def test_reference(self, gossamer: Command) -> None:
        assert "## " in gossamer("reference").out


class TestList:
    @pytest.mark.parametrize(
        ("kind", "name"),
        [
            ("fabrics", "ethernet"),
            ("transports", "dctcp"),
            ("workloads", "permutation"),
            ("topologies", "fat-tree"),
            ("sizes", "web-search"),
            ("papers", "stardust"),
        ],
    )
    def test_each_kind(self, gossamer: Command, kind: str, name: str) -> None:
        assert f"  {name} " in gossamer("list", kind).out
        (listed,) = json.loads(gossamer("list", kind, "--json").out).values()
        assert name in [entry["name"] for entry in listed]
        assert all(entry["summary"] for entry in listed)

    def test_all_kinds(self, gossamer: Command) -> None:
        everything = json.loads(gossamer("list", "--json").out)
        assert list(everything) == ["fabrics", "transports", "workloads", "topologies", "sizes", "papers"]
        assert gossamer("list").out.startswith("fabrics\n")
