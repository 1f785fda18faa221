"""Whole reports of results in which something is missing: every table in turn, and for every way a run can end."""

import re
from pathlib import Path
from typing import Any

import altair as alt
import pytest

from gossamer.analysis.comparison import Comparison
from gossamer.cli import summary
from gossamer.plots import save
from gossamer.plots.canvas import Canvas, unchecked
from gossamer.plots.figures import FIGURES, Figure
from gossamer.report import write_report
from gossamer.results import Results
from gossamer.results.columns import TABLES
from synthetic_results import fabric_histograms, lively_run, operations, record, write_folder

VARIANTS = (("a", 2.0), ("b", 1.0))


def full(name: str, harm: float) -> dict[str, Any]:
    """Every table with rows."""
    tables = lively_run(name, 0.5, harm, flows=200)
    tables["operations"] = operations(5, 1e9 / harm)
    tables["histograms"] = [*tables["histograms"], *fabric_histograms()]
    tables["counters"] = [{"counter": "cells sent", "unit": "cells", "value": 7.0}]
    return tables


def reported(folder: Path, runs: list[dict[str, Any]]) -> str:
    """The report, the table on the screen and what a terminal and a notebook show; all must be possible."""
    results = Results.open(write_folder(folder, runs))
    summary.show(results)
    assert repr(results)
    assert results._repr_html_()
    return write_report(results, folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("empty", TABLES)
def test_each_table_in_turn_is_empty(tmp_path: Path, empty: str) -> None:
    """In one run of two, where it was not even written, and without a row in both."""
    for both in (False, True):
        runs = []
        for name, harm in VARIANTS:
            tables = full(name, harm)
            if both or name == "b":
                tables |= {empty: []}
                if not both:
                    del tables[empty]
            runs.append(record(name, tables=tables))
        page = reported(tmp_path / str(both), runs)
        assert "Not drawn" in page
        assert page.count("<figure ") >= 4


@pytest.mark.parametrize("status", ["stopped", "stalled", "out-of-time", "failed", "not-started", "running"])
def test_runs_that_never_ended_or_never_began(tmp_path: Path, status: str) -> None:
    ended = record("a", tables=full("a", 1.0))
    for number, tables in enumerate(({}, {"flows": full("b", 1.0)["flows"]}, dict.fromkeys(TABLES, ()))):
        broken = record("b", status=status, message="because", tables=tables)
        page = reported(tmp_path / f"one-{number}", [ended, broken])
        assert "b did not run to the end" in page or "Only a ran to the end" in page
        reported(tmp_path / f"none-{number}", [broken, broken | {"name": "c", "variant": "c"}])


def test_a_sweep_that_was_stopped_half_way(tmp_path: Path) -> None:
    """Runs with every table beside runs with none, and one that had no flow."""
    runs = []
    for seed in range(1, 7):
        tables = full("a", 1.0) if seed < 3 else {}
        if seed == 3:
            tables = dict.fromkeys(TABLES, ()) | {"summary": [{"run": "seed=3", "fabric": "ethernet"}]}
        status = "done" if seed < 4 else "not-started"
        runs.append(record(f"seed={seed}", variant=None, sweep={"seed": seed}, seed=seed, status=status, tables=tables))
    page = reported(tmp_path, runs)
    assert page.count("<figure ") > 10


def test_a_fabric_at_which_nothing_waits(tmp_path: Path) -> None:
    """All times that it kept are zero, which has no place on a log axis."""
    nothing = [{"histogram": "wait at gateways", "unit": "ps", "lower": 0, "upper": 1, "count": 40}]
    idle = [{"histogram": name, "unit": "ps", "lower": 0, "upper": 0, "count": 1} for name in ("latency", "wait")]
    for number, histograms in enumerate((nothing, idle)):
        tables = full("a", 1.0) | {"histograms": histograms}
        tables["links"] = [row | {"utilisation": 0.0, "max_queue_bytes": 0} for row in tables["links"]]
        tables["series"] = [row | {"value": 0.0} for row in tables["series"]]
        page = reported(tmp_path / str(number), [record("a", tables=tables)])
        text = re.sub(r"\s+", " ", page)
        assert "all times that these fabrics kept are zero: nothing waited" in text


def test_flows_of_which_none_moved_a_byte(tmp_path: Path) -> None:
    tables = full("a", 1.0)
    tables["flows"] = [
        row | {"goodput_bps": 0.0, "fct_ps": None, "slowdown": None, "end_ps": None, "bytes": 0}
        for row in tables["flows"]
    ]
    reported(tmp_path, [record("a", tables=tables), record("b", tables=tables)])


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """A sweep of two axes in which every figure has data."""
    runs = [
        record(f"{name},load={load}", variant=name, sweep={"load": load, "k": 4}, tables=full(name, harm))
        for name, harm in VARIANTS
        for load in (0.2, 0.5)
    ]
    for run in runs[:1]:
        run["sweep"] = run["sweep"] | {"k": 8}
    own = {"series": "credits", "scope": "all", "unit": "credits", "value": 2.0}
    for run in runs:
        run["tables"]["series"] += [own | {"time_ps": time} for time in range(1, 4)]
    return Results.open(write_folder(tmp_path_factory.mktemp("swept"), runs))


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_every_figure_is_valid_wherever_it_is_drawn(swept: Results, figure: Figure) -> None:
    """By the schema of Vega-Lite: reports and images are drawn without looking."""
    comparison = Comparison.of(swept)
    figure.draw(comparison, Canvas()).finish(Canvas()).to_dict(validate=True)
    for canvas in (Canvas(embedded=True), Canvas("dark"), Canvas(inches=3.3)):
        with unchecked():
            specification = figure.draw(comparison, canvas).specification(canvas)
        assert specification.pop("datasets")
        alt.TopLevelSpec.validate(specification)


def test_every_figure_as_an_image_where_it_has_data(swept: Results, tmp_path: Path) -> None:
    saved = save(swept, tmp_path / "plots", ["svg"])
    assert {path.stem.split("@")[0] for path in saved.paths} >= {
        "operations",
        "operations-bandwidth",
        "topology",
        "sweep-map",
    }
