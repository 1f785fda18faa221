"""From an experiment that is really run to its tables, figures and report."""

from pathlib import Path

import pytest

import gossamer
from gossamer import plots
from gossamer.report import write_plots, write_report
from gossamer.results import Results
from gossamer.results.columns import TABLES, schema

EXPERIMENT = """\
title = "Two transports on 16 hosts"
seed = 1
duration = "4 ms"
warmup = "1 ms"

[topology]
kind = "fat-tree"
k = 4
rate = "10 Gb/s"
delay = "1 us"

[fabric]
kind = "ethernet"
mtu = "9000 B"
ecn_threshold = "20 packets"

[transport]
kind = "dctcp"

[[workload]]
kind = "poisson"
load = 0.6
size = "web-search"

[measure]
series = ["goodput", "queue", "utilisation"]

[[variant]]
name = "newreno"
transport.kind = "newreno"

[[variant]]
name = "dctcp"
transport.kind = "dctcp"
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("run")
    (folder / "two.toml").write_text(EXPERIMENT)
    return gossamer.run(folder / "two.toml", out=folder / "results")


@pytest.mark.parametrize("name", [name for name in TABLES if name not in ("counters", "collisions", "operations")])
def test_tables_have_the_documented_columns(results: Results, name: str) -> None:
    for run in results:
        found = run.table(name).schema
        plain = [(field.name, getattr(field.type, "value_type", field.type)) for field in found]
        assert plain == [(field.name, field.type) for field in schema(name)]
        assert run.table(name).num_rows > 0
        assert run.why_empty(name) is None
        assert run.why_short(name) is None
    assert results.warnings == []


def test_every_figure_but_the_sweep_and_the_fabrics_own_has_data(results: Results, tmp_path: Path) -> None:
    saved = plots.save(results, tmp_path, ["svg"])
    assert all(line.startswith(("sweep-", "fabric-", "operations")) for line in saved.missing)
    assert len(saved.missing) == 10
    assert "fabric-times: these fabrics keep no such distribution" in saved.missing


def test_a_fabric_that_counts_nothing_of_its_own_says_so(results: Results) -> None:
    assert results.counters.num_rows == 0
    assert results.counters.column_names == ["run", "variant", "counter", "unit", "value"]
    assert results.why_empty("counters") == (
        "run newreno has no counters: its fabric has no counters of its own "
        "(an Ethernet fabric has them once there is a fault) (and so for 1 more)"
    )


def test_the_report_is_made_of_the_folder_alone(results: Results, tmp_path: Path) -> None:
    assert results.path is not None
    first = write_report(results, tmp_path / "first.html").read_text(encoding="utf-8")
    second = write_report(Results.open(results.path), tmp_path / "second.html").read_text(encoding="utf-8")
    assert first == second
    assert "Two transports on 16 hosts" in first
    assert "ideal completion time" in first
    assert {path.suffix for path in write_plots(results, tmp_path / "plots", ["pdf"])} == {".pdf"}


def test_the_summary_agrees_with_the_flows(results: Results) -> None:
    """Percentiles of the figures are exact, those of the summary within 0.4 %."""
    for run in results:
        (summary,) = run.summary.to_pylist()
        flows = [row for row in run.flows.to_pylist() if row["measured"] and row["bytes"] is not None]
        ended = [row["slowdown"] for row in flows if row["slowdown"] is not None]
        ages = [(summary["simulated_ps"] - row["start_ps"]) / row["ideal_ps"] for row in flows if row["end_ps"] is None]
        assert (summary["flows_measured"], summary["flows_measured_completed"]) == (len(flows), len(ended))
        place = -(-len(flows) * 99 // 100) - 1
        assert summary["slowdown_p99"] == pytest.approx(sorted(ended + ages)[place], rel=5e-3)
        assert summary["slowdown_p99_is_bound"] == (
            place >= len(ended) or sorted(ended)[place] != sorted(ended + ages)[place]
        )
